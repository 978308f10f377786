/* Text on the console of the machine. */

#include "text.h"

enum {
    kDigits = 10 /* of a 32-bit number */
};

/* The service: address and length. */
static void WriteBytes(const char *text, u32 length)
{
#if defined(__m68k__)
    register u32 first __asm__("d0") = (u32)text;
    register u32 second __asm__("d1") = length;

    __asm__ volatile(".word 0xa003" : : "d"(first), "d"(second) : "memory");
#elif defined(__i386__)
    __asm__ volatile("int $0x63" : : "a"(text), "d"(length) : "memory");
#elif defined(__powerpc__)
    register u32 number __asm__("r0") = 3;
    register u32 first __asm__("r3") = (u32)text;
    register u32 second __asm__("r4") = length;

    __asm__ volatile("sc" : : "r"(number), "r"(first), "r"(second) : "memory");
#endif
}

void Write(const char *text)
{
    const char *end = text;

    while (*end)
        end++;
    WriteBytes(text, end - text);
}

void WriteNumber(u32 number)
{
    char digits[kDigits];
    char *first = digits + kDigits;

    do {
        *--first = '0' + number % 10;
        number /= 10;
    } while (number);
    WriteBytes(first, digits + kDigits - first);
}

void WriteFraction(u32 numerator, u32 denominator)
{
    u32 rest = numerator % denominator;
    char digits[3];

    WriteNumber(numerator / denominator);
    digits[0] = '.';
    digits[1] = '0' + rest * 10 / denominator;
    digits[2] = '0' + rest * 10 % denominator * 10 / denominator;
    WriteBytes(digits, sizeof digits);
}
