/* Parts of numbers, whole numbers, remainders, roots (math.h). All are exact or rounded to nearest. */

#include "parts.h"
#include <math.h>

double fabs(double x) { return from_bits(bits_of(x) & ~SIGN); }
double copysign(double x, double sign) { return from_bits((bits_of(x) & ~SIGN) | (bits_of(sign) & SIGN)); }
double fmin(double x, double y) { return is_nan_bits(bits_of(y)) || x < y ? x : y; }
double fmax(double x, double y) { return is_nan_bits(bits_of(y)) || x > y ? x : y; }

/* Bits of the fraction of x that stand for less than 1. */
static u64 below_one(u64 bits)
{
    int exponent = field_of(bits) - BIAS;

    return exponent < 0 ? ~SIGN : exponent >= FRACTION ? 0 : (HIDDEN - 1) >> exponent;
}

double trunc(double x)
{
    return from_bits(bits_of(x) & ~below_one(bits_of(x)));
}

/* The whole number next to x away from zero if `is_away`, else towards zero. */
static double whole(double x, int is_away)
{
    double towards = trunc(x);

    return is_away && towards != x ? copysign(towards + copysign(1, x), x) : towards;
}

double floor(double x) { return whole(x, bits_of(x) >> TOP_BIT); }
double ceil(double x) { return whole(x, !(bits_of(x) >> TOP_BIT)); }
double round(double x) { return whole(x, fabs(x - trunc(x)) >= 0.5); }
long lround(double x) { return round(x); }

double rint(double x)
{
    double towards = trunc(x), rest = fabs(x - towards);

    return whole(x, rest > 0.5 || (rest == 0.5 && fabs(towards / 2 - trunc(towards / 2)) == 0.5));
}

double modf(double x, double *integer)
{
    *integer = trunc(x);
    return copysign((bits_of(x) & ~SIGN) == INFINITE ? 0 : x - *integer, x);
}

double frexp(double x, int *exponent)
{
    struct parts a = parts_of(x);

    *exponent = 0;
    if (!a.top || field_of(bits_of(x)) == MAX_EXPONENT)
        return x;
    *exponent = a.exponent + 1;
    a.exponent = -1;
    return joined(a);
}

double ldexp(double x, int exponent)
{
    struct parts a = parts_of(x);

    if (!a.top || field_of(bits_of(x)) == MAX_EXPONENT)
        return x;
    a.exponent += exponent > 4 * BIAS ? 4 * BIAS : exponent < -4 * BIAS ? -4 * BIAS : exponent;
    return joined(a);
}

double scalbn(double x, int exponent) { return ldexp(x, exponent); }

double fmod(double x, double y)
{
    struct parts a = parts_of(x), b = parts_of(y);
    int is_negative = a.is_negative;

    if (!b.top || field_of(bits_of(x)) == MAX_EXPONENT || is_nan_bits(bits_of(y)))
        return from_bits(NOT_A_NUMBER);
    if (field_of(bits_of(y)) == MAX_EXPONENT || a.exponent < b.exponent)
        return x;
    a.top >>= 1, b.top >>= 1;
    for (int count = a.exponent - b.exponent; count >= 0; count--) {
        if (a.top >= b.top)
            a.top -= b.top;
        if (count)
            a.top <<= 1;
    }
    return joined(normal(a.top << 1, b.exponent, is_negative));
}

double sqrt(double x)
{
    struct parts a = parts_of(x);
    u64 root = 0, rest = 0, source = a.top >> !(a.exponent & 1);

    if (!a.top || is_nan_bits(bits_of(x)) || bits_of(x) == INFINITE)
        return x;
    if (a.is_negative)
        return from_bits(NOT_A_NUMBER);
    for (int i = 0; i < FRACTION + 2; i++, source <<= 2) { /* a digit in base 2: two of the square */
        rest = rest << 2 | source >> 62;
        root <<= 1;
        if (rest > root << 1) {
            rest -= root << 1 | 1;
            root++;
        }
    }
    return joined(normal(root << 1 | !!rest, (a.exponent >> 1) + TOP_BIT - FRACTION - 2, 0));
}

double hypot(double x, double y)
{
    int exponent;
    double large = fmax(fabs(x), fabs(y)), small = fmin(fabs(x), fabs(y));

    if (large == HUGE_VAL)
        return large;
    if (x != x || y != y || !(large > 0))
        return fabs(x) + fabs(y);
    frexp(large, &exponent);
    large = ldexp(large, -exponent);
    small = ldexp(small, -exponent);
    return ldexp(sqrt(large * large + small * small), exponent);
}
