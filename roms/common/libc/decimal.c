/* Digits of doubles, all of them: a double is a whole number times a power of two, which has an end in decimals too. */

#include "decimal.h"
#include "large.h"

enum { GROUP = 1000000000, GROUP_DIGITS = 9, GROUPS = 40, FRACTION = 52, BIAS = 1075 };

/* Append nine digits; zeros before the first digit move the point instead, behind the decimal point. */
static void append(struct decimal *decimal, u32 group, int is_fraction)
{
    char digits[GROUP_DIGITS];

    for (int i = GROUP_DIGITS; i-- > 0; group /= 10)
        digits[i] = group % 10;
    for (int i = 0; i < GROUP_DIGITS; i++) {
        int is_leading = !decimal->count && !digits[i];

        decimal->point += is_fraction ? -is_leading : !is_leading;
        if (!is_leading)
            decimal->digits[decimal->count++] = digits[i];
    }
}

/* Return the words of a number above a bit, and clear them. */
static u32 cut(struct large *a, int bit)
{
    int at = bit / 32, shift = bit % 32;
    u64 above;

    if (at >= a->count)
        return 0;
    above = a->words[at] | (u64)(at + 1 < a->count ? a->words[at + 1] : 0) << 32;
    a->words[at] &= (1u << shift) - 1;
    for (a->count = at + 1; a->count && !a->words[a->count - 1];)
        a->count--;
    return above >> shift;
}

void __decimal_of(struct decimal *decimal, unsigned long long bits)
{
    int exponent = bits >> FRACTION;
    u64 fraction = (bits & ((1ull << FRACTION) - 1)) | (u64)!!exponent << FRACTION;
    struct large number = {2, {fraction, fraction >> 32}};

    exponent = (exponent ? exponent : 1) - BIAS;
    decimal->point = decimal->count = 0;
    while (number.count && !number.words[number.count - 1])
        number.count--;
    if (exponent > -FRACTION - 1) {
        struct large whole = number;
        u32 groups[GROUPS];
        int count = 0;

        if (exponent >= 0)
            large_shift(&whole, exponent);
        else {
            u64 integer = fraction >> -exponent;

            whole = (struct large){2, {integer, integer >> 32}};
            while (whole.count && !whole.words[whole.count - 1])
                whole.count--;
        }
        while (whole.count)
            groups[count++] = large_divide(&whole, GROUP);
        while (count)
            append(decimal, groups[--count], 0);
    }
    if (exponent < 0) {
        if (exponent > -FRACTION - 1) {
            fraction &= (1ull << -exponent) - 1;
            number = (struct large){2, {fraction, fraction >> 32}};
            while (number.count && !number.words[number.count - 1])
                number.count--;
        }
        while (number.count) {
            large_multiply_add(&number, GROUP, 0);
            append(decimal, cut(&number, -exponent), 1);
        }
    }
    while (decimal->count && !decimal->digits[decimal->count - 1])
        decimal->count--;
}

void __decimal_round(struct decimal *decimal, int count)
{
    char *digits = decimal->digits;
    int is_up;

    if (count >= decimal->count)
        return;
    if (count < 0) {
        decimal->count = 0;
        return;
    }
    is_up = digits[count] > 5 || (digits[count] == 5 && (decimal->count > count + 1 || (count && digits[count - 1] & 1)));
    decimal->count = count;
    if (!is_up) {
        while (decimal->count && !digits[decimal->count - 1])
            decimal->count--;
        return;
    }
    while (decimal->count && digits[decimal->count - 1] == 9)
        decimal->count--;
    if (decimal->count)
        digits[decimal->count - 1]++;
    else {
        digits[decimal->count++] = 1;
        decimal->point++;
    }
}
