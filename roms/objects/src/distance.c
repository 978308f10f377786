/* Square roots, and distances without square roots. */

#include "objects.h"

enum {
    kFractionBits = 14 /* of a secant */
};

/* Divide by a word; the quotient must fit a word. The 68K has an instruction for it that C cannot name. */
static u16 Quotient(u32 dividend, u16 divisor)
{
#if defined(__m68k__)
    __asm__("divu.w %1,%0" : "+d"(dividend) : "d"(divisor) : "cc");
    return dividend;
#else
    return dividend / divisor;
#endif
}

/* The largest number whose square is not above `value`: one bit of it per step. */
SEPARATE u16 IntegerSquareRoot(u32 value)
{
    u32 root = 0, bit;

    for (bit = 0x40000000; bit > value; bit >>= 2)
        ;
    for (; bit; bit >>= 2) {
        if (value >= root + bit) {
            value -= root + bit;
            root = (root >> 1) + bit;
        } else
            root >>= 1;
    }
    return root;
}

/* The distance by trigonometry: the longer leg times the secant of its angle to the hypotenuse. Legs are at most 32767. */
SEPARATE u16 Distance2D(s16 x1, s16 y1, s16 x2, s16 y2)
{
    s16 longer = x1 < x2 ? x2 - x1 : x1 - x2, shorter = y1 < y2 ? y2 - y1 : y1 - y2;
    u16 tangent;

    if (longer < shorter) {
        s16 other = longer;

        longer = shorter;
        shorter = other;
    }
    if (longer == 0)
        return 0;
    tangent = Quotient(((u32)(u16)shorter << 10) + ((u16)longer >> 1), longer);
    return ((s32)longer * gSecants[tangent] + (1 << (kFractionBits - 1))) >> kFractionBits;
}
