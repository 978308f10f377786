/* An interpreter of byte codes with a stack: the end of each code's routine jumps through a table to that of the next.
   It runs a sieve of primes, then Euclid's algorithm on neighbouring numbers. */

#include "bench.h"

enum code {
    kPush, kLoad, kStore, kFetch, kPut, kAdd, kAddNumber, kRemainder, kLess, kJump, kJumpIfZero, kEnd
};

enum variable { kI, kJ, kPrimes, kA, kB, kSum, kVariables };

enum { kCells = 250, kStack = 16 };

struct step {
    u8 code, operand; /* a number, a variable, or the index of a step */
};

static const struct step kProgram[] = {
    /*  0 */ {kPush, 2}, {kStore, kI},
    /*  2 */ {kLoad, kI}, {kPush, kCells}, {kLess, 0}, {kJumpIfZero, 30},
    /*  6 */ {kLoad, kI}, {kFetch, 0}, {kJumpIfZero, 10}, {kJump, 26},
    /* 10 */ {kLoad, kPrimes}, {kAddNumber, 1}, {kStore, kPrimes}, {kLoad, kI}, {kStore, kJ},
    /* 15 */ {kLoad, kJ}, {kPush, kCells}, {kLess, 0}, {kJumpIfZero, 26},
    /* 19 */ {kPush, 1}, {kLoad, kJ}, {kPut, 0}, {kLoad, kJ}, {kLoad, kI}, {kAdd, 0}, {kJump, 54},
    /* 26 */ {kLoad, kI}, {kAddNumber, 1}, {kStore, kI}, {kJump, 2},
    /* 30 */ {kPush, 1}, {kStore, kI},
    /* 32 */ {kLoad, kI}, {kPush, 200}, {kLess, 0}, {kJumpIfZero, 56},
    /* 36 */ {kLoad, kI}, {kStore, kA}, {kPush, 210}, {kStore, kB},
    /* 40 */ {kLoad, kB}, {kJumpIfZero, 48},
    /* 42 */ {kLoad, kA}, {kLoad, kB}, {kStore, kA}, {kLoad, kA}, {kRemainder, 0}, {kJump, 57},
    /* 48 */ {kLoad, kA}, {kLoad, kSum}, {kAdd, 0}, {kStore, kSum}, {kLoad, kI}, {kJump, 59},
    /* 54 */ {kStore, kJ}, {kJump, 15},
    /* 56 */ {kEnd, 0},
    /* 57 */ {kStore, kB}, {kJump, 40},
    /* 59 */ {kAddNumber, 1}, {kStore, kI}, {kJump, 32},
};

static u8 gCells[kCells];
static u32 gVariables[kVariables];

/* Returns the number of steps. */
static SEPARATE u32 execute(const struct step *program)
{
    static const void *const kRoutines[] = {
        &&push, &&load, &&store, &&fetch, &&put, &&add, &&add_number, &&remainder, &&less, &&jump, &&jump_if_zero, &&end,
    };
    u32 stack[kStack], *top = stack, steps = 0;
    const struct step *at = program;
    u32 operand;

#define NEXT                          \
    do {                              \
        steps++;                      \
        operand = at->operand;        \
        goto *kRoutines[at++->code];  \
    } while (0)

    NEXT;
push:
    *top++ = operand;
    NEXT;
load:
    *top++ = gVariables[operand];
    NEXT;
store:
    gVariables[operand] = *--top;
    NEXT;
fetch:
    top[-1] = gCells[top[-1]];
    NEXT;
put:
    top -= 2;
    gCells[top[1]] = top[0];
    NEXT;
add:
    top--;
    top[-1] += top[0];
    NEXT;
add_number:
    top[-1] += operand;
    NEXT;
remainder:
    top--;
    top[-1] %= top[0];
    NEXT;
less:
    top--;
    top[-1] = top[-1] < top[0];
    NEXT;
jump:
    at = program + operand;
    NEXT;
jump_if_zero:
    if (!*--top)
        at = program + operand;
    NEXT;
end:
    return steps;
#undef NEXT
}

u32 bytecode(void)
{
    u32 sum;
    s32 i;

    for (i = 0; i < kCells; i++)
        gCells[i] = 0;
    for (i = 0; i < kVariables; i++)
        gVariables[i] = 0;
    sum = execute(kProgram);
    for (i = 0; i < kVariables; i++)
        sum = mix(sum, gVariables[i]);
    return sum;
}
