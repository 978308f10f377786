/* Code that changes itself: a routine in memory whose constant is rewritten before each call, as unrolled and compiled
   sprites were made, and one whose instructions are made anew. The machine code is that of each family. */

#include "bench.h"

enum { kRounds = 60, kCalls = 25 };

/* The routine: returns its argument (the only one, by the C convention) plus or exclusive-or a constant, mixed as `mix`
   would. */
#if defined(__m68k__)
enum { kAdd = 0x0680, kXor = 0x0A80 }; /* the first words of ADDI.L and EORI.L #number,d0 */
static u16 gCode[64] = {
    0x202F, 0x0004,         /* move.l 4(sp),d0 */
    kAdd, 0x0000, 0x0000,   /* addi.l or eori.l #constant,d0 */
    0x4E75,                 /* rts */
};
#elif defined(__i386__)
static u8 gCode[128] = {
    0x8B, 0x44, 0x24, 0x04, /* mov eax,[esp+4] */
    0x05, 0, 0, 0, 0,       /* add or xor eax,constant */
    0xC3,                   /* ret */
};
#elif defined(__powerpc__)
static u32 gCode[32] = {
    0x3C630000,             /* addis or xoris r3,r3,high half */
    0x38630000,             /* addi or xori r3,r3,low half */
    0x4E800020,             /* blr */
};
#else
static u32 gIsXor, gConstant;

static u32 routine(u32 word)
{
    return gIsXor ? word ^ gConstant : word + gConstant;
}
#endif

static SEPARATE void change(u32 is_xor, u32 constant)
{
#if defined(__m68k__)
    gCode[2] = is_xor ? kXor : kAdd;
    gCode[3] = constant >> 16;
    gCode[4] = constant;
    __asm__ volatile("" ::: "memory");
#if defined(__mc68040__)
    __asm__ volatile(".word 0xF4F8" ::: "memory"); /* cpusha bc */
#endif
#elif defined(__i386__)
    gCode[4] = is_xor ? 0x35 : 0x05;
    *(u32 *)(gCode + 5) = constant;
    __asm__ volatile("jmp 1f\n1:" ::: "memory"); /* empties the prefetch queue */
#elif defined(__powerpc__)
    u32 high = constant >> 16, low = constant & 0xFFFF;
    u32 line = (u32)gCode;

    if (!is_xor && low & 0x8000)
        high++; /* ADDI takes a number with a sign */
    gCode[0] = (is_xor ? 0x6C630000 : 0x3C630000) | (high & 0xFFFF);
    gCode[1] = (is_xor ? 0x68630000 : 0x38630000) | low;
    __asm__ volatile("dcbst 0,%0\n\tsync\n\ticbi 0,%0\n\tisync" : : "r"(line) : "memory");
#else
    gIsXor = is_xor;
    gConstant = constant;
#endif
}

static u32 call(u32 word)
{
#if defined(__m68k__) || defined(__i386__) || defined(__powerpc__)
    return ((u32(*)(u32))gCode)(word);
#else
    return routine(word);
#endif
}

u32 selfmod(void)
{
    u32 seed = 23, sum = 0;
    s32 i, j;

    for (i = 0; i < kRounds; i++) {
        change(i >> 1 & 1, next_random(&seed));
        for (j = 0; j < kCalls; j++)
            sum = mix(sum, call(sum + j));
    }
    return sum;
}
