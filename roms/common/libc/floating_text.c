/* strtod: the nearest double, ties to even, of digits and of hexadecimal digits. */

#include "large.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

enum { TOP_BIT = 63, FRACTION = 52, BIAS = 1023, MAX_EXPONENT = 0x7FF };
enum { MAX_DIGITS = 780, LARGEST_POINT = 310, SMALLEST_POINT = -330, MAX_WRITTEN = 100000, BASE = 1000000000 };

static double from_bits(u64 bits)
{
    union {
        u64 bits;
        double value;
    } it = {bits};

    return it.value;
}

/* The double nearest to top * 2**exponent; `more`: and something that is less than 1 in top. Bit 63 of top is set. */
static double rounded(u64 top, int exponent, int more)
{
    int field = exponent + TOP_BIT + BIAS, drop = TOP_BIT - FRACTION;
    u64 half, rest;

    if (field <= 0) {
        drop += 1 - field;
        field = 0;
    }
    if (drop > TOP_BIT + 1) {
        errno = ERANGE;
        return 0;
    }
    half = 1ull << (drop - 1);
    rest = drop > TOP_BIT ? top : top & ((half << 1) - 1);
    top = drop > TOP_BIT ? 0 : top >> drop;
    top += rest > half || (rest == half && (more || top & 1));
    top += field ? (u64)(field - 1) << FRACTION : 0;
    if (field >= MAX_EXPONENT || top >> FRACTION >= MAX_EXPONENT) {
        errno = ERANGE;
        return from_bits((u64)MAX_EXPONENT << FRACTION);
    }
    if (!(top >> FRACTION))
        errno = ERANGE;
    return from_bits(top);
}

static int is_less(const struct large *a, const struct large *b)
{
    if (a->count != b->count)
        return a->count < b->count;
    for (int i = a->count; i-- > 0;)
        if (a->words[i] != b->words[i])
            return a->words[i] < b->words[i];
    return 0;
}

static void subtract(struct large *a, const struct large *b)
{
    u32 borrow = 0;

    for (int i = 0; i < a->count; i++) {
        u64 difference = (u64)a->words[i] - (i < b->count ? b->words[i] : 0) - borrow;

        a->words[i] = difference;
        borrow = difference >> 32 & 1;
    }
    while (a->count && !a->words[a->count - 1])
        a->count--;
}

static void multiply_by_power_of_5(struct large *a, int power)
{
    for (; power >= 13; power -= 13)
        large_multiply_add(a, 1220703125, 0);
    while (power--)
        large_multiply_add(a, 5, 0);
}

/* The double nearest to number * 10**ten; the number is not 0. */
static double scaled(struct large *number, int ten)
{
    u64 top = 0;
    int exponent = ten;

    if (ten >= 0) {
        int bits;

        multiply_by_power_of_5(number, ten);
        bits = large_bits(number);
        for (int i = bits - 1; i >= bits - TOP_BIT - 1; i--)
            top = top << 1 | (i >= 0 && number->words[i / 32] >> i % 32 & 1);
        exponent += bits - TOP_BIT - 1;
        for (int i = 0; i < bits - TOP_BIT - 1; i++)
            if (number->words[i / 32] >> i % 32 & 1)
                return rounded(top, exponent, 1);
        return rounded(top, exponent, 0);
    } else {
        struct large divisor = {1, {1}};
        int shift;

        multiply_by_power_of_5(&divisor, -ten);
        shift = large_bits(&divisor) - large_bits(number);
        large_shift(shift > 0 ? number : &divisor, shift > 0 ? shift : -shift);
        exponent -= shift;
        if (is_less(number, &divisor)) {
            large_shift(number, 1);
            exponent--;
        }
        for (int i = 0; i <= TOP_BIT; i++) {
            int bit = !is_less(number, &divisor);

            if (bit)
                subtract(number, &divisor);
            large_shift(number, 1);
            top = top << 1 | bit;
        }
        return rounded(top, exponent - TOP_BIT, number->count != 0);
    }
}

/* Read an exponent behind its letter; 0 and the same place if there is none. */
static int exponent_at(const char **at, char letter)
{
    const char *from = *at;
    int is_negative, value = 0;

    if ((*from | 32) != letter)
        return 0;
    is_negative = from[1] == '-';
    from += 1 + (from[1] == '-' || from[1] == '+');
    if (!isdigit((unsigned char)*from))
        return 0;
    for (; isdigit((unsigned char)*from); from++)
        value = value < MAX_WRITTEN ? 10 * value + *from - '0' : value;
    *at = from;
    return is_negative ? -value : value;
}

static double decimal_at(const char **at)
{
    struct large number = {0};
    int point = 0, digits = 0, is_behind = 0, more = 0, ten;

    for (;; ++*at) {
        if (**at == '.' && !is_behind) {
            is_behind = 1;
            continue;
        }
        if (!isdigit((unsigned char)**at))
            break;
        if (digits < MAX_DIGITS) {
            large_multiply_add(&number, 10, **at - '0');
            digits += number.count != 0;
            point -= is_behind;
        } else {
            more |= **at != '0';
            point += !is_behind;
        }
    }
    if (more) {
        large_multiply_add(&number, 10, 1);
        point--;
        digits++;
    }
    ten = point + exponent_at(at, 'e');
    if (!number.count)
        return 0;
    if (ten + digits > LARGEST_POINT)
        return rounded(1ull << TOP_BIT, MAX_EXPONENT, 0);
    return ten + digits < SMALLEST_POINT ? rounded(1ull << TOP_BIT, -2 * BIAS, 0) : scaled(&number, ten);
}

static double hexadecimal_at(const char **at)
{
    u64 top = 0;
    int exponent = 0, is_behind = 0, more = 0;

    for (;; ++*at) {
        int c = (unsigned char)**at;

        if (c == '.' && !is_behind) {
            is_behind = 1;
            continue;
        }
        if (!isxdigit(c))
            break;
        c = isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
        if (top >> 60) {
            more |= c != 0;
            exponent += is_behind ? 0 : 4;
        } else {
            top = top << 4 | c;
            exponent -= is_behind ? 4 : 0;
        }
    }
    exponent += exponent_at(at, 'p');
    if (!top)
        return 0;
    for (; !(top >> TOP_BIT); exponent--)
        top <<= 1;
    return rounded(top, exponent, more);
}

double strtod(const char *text, char **end)
{
    const char *at = text;
    int is_negative;
    double value = 0;

    while (isspace((unsigned char)*at))
        at++;
    is_negative = *at == '-';
    at += *at == '-' || *at == '+';
    if (!strncasecmp(at, "inf", 3)) {
        value = from_bits((u64)MAX_EXPONENT << FRACTION);
        at += strncasecmp(at, "infinity", 8) ? 3 : 8;
    } else if (!strncasecmp(at, "nan", 3)) {
        value = from_bits((u64)MAX_EXPONENT << FRACTION | 1ull << (FRACTION - 1));
        at += 3;
    } else if (*at == '0' && (at[1] | 32) == 'x' && (isxdigit((unsigned char)at[2]) || (at[2] == '.' && isxdigit((unsigned char)at[3])))) {
        at += 2;
        value = hexadecimal_at(&at);
    } else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
        value = decimal_at(&at);
    else
        at = text;
    if (end)
        *end = (char *)at;
    return is_negative ? -value : value;
}

float strtof(const char *text, char **end)
{
    return strtod(text, end);
}

double atof(const char *text)
{
    return strtod(text, NULL);
}
