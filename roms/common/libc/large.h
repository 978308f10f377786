/* Large natural numbers: words of 32 bits, the lowest first, for digits of floating point. */

#ifndef LARGE_H
#define LARGE_H

typedef unsigned int u32;
typedef unsigned long long u64;

enum { WORDS = 120 };

struct large {
    int count; /* of words; the highest is not 0 */
    u32 words[WORDS];
};

static inline void large_multiply_add(struct large *a, u32 factor, u32 carry)
{
    for (int i = 0; i < a->count; i++) {
        u64 product = (u64)a->words[i] * factor + carry;

        a->words[i] = product;
        carry = product >> 32;
    }
    if (carry)
        a->words[a->count++] = carry;
}

/* Divide, and return the remainder. */
static inline u32 large_divide(struct large *a, u32 divisor)
{
    u64 rest = 0;

    for (int i = a->count; i-- > 0;) {
        rest = rest << 32 | a->words[i];
        a->words[i] = rest / divisor;
        rest %= divisor;
    }
    while (a->count && !a->words[a->count - 1])
        a->count--;
    return rest;
}

static inline void large_shift(struct large *a, int bits)
{
    int whole = bits / 32;

    if (bits % 32)
        large_multiply_add(a, 1u << bits % 32, 0);
    if (a->count && whole) {
        for (int i = a->count; i-- > 0;)
            a->words[i + whole] = a->words[i];
        for (int i = 0; i < whole; i++)
            a->words[i] = 0;
        a->count += whole;
    }
}

static inline int large_bits(const struct large *a)
{
    return a->count ? 32 * a->count - __builtin_clz(a->words[a->count - 1]) : 0;
}

#endif
