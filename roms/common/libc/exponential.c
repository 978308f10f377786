/* Exponential functions and logarithms: series with 64 bits (math.h). */

#include "parts.h"
#include <math.h>

#define N(n) (SIGN / (n))
/* 1/n! */
static const u64 kExponential[] = {
    SIGN, SIGN, N(2), N(6), N(24), N(120), N(720), N(5040), N(40320), N(362880), N(3628800), N(39916800),
    N(479001600), N(6227020800), N(87178291200), N(1307674368000), N(20922789888000), N(355687428096000),
    N(6402373705728000), N(121645100408832000), N(2432902008176640000),
};
/* 1/(2n+1), of the inverse hyperbolic tangent */
static const u64 kLogarithm[] = {
    SIGN, N(3), N(5), N(7), N(9), N(11), N(13), N(15), N(17), N(19), N(21), N(23), N(25),
};
/* 1/(2n+1)!, of the hyperbolic sine */
static const u64 kHyperbolic[] = {
    SIGN, N(6), N(120), N(5040), N(362880), N(39916800), N(6227020800), N(1307674368000), N(355687428096000),
};
enum { EXPONENTIALS = sizeof kExponential / 8, LOGARITHMS = sizeof kLogarithm / 8, HYPERBOLICS = sizeof kHyperbolic / 8 };

static const struct parts kLn2 = {LN2, -1, 0};
static const struct parts kInverseLn2 = {0xB8AA3B295C17F0BBull, 0, 0};   /* 1/ln 2 */
static const struct parts kInverseLn10 = {0xDE5BD8A937287195ull, -2, 0}; /* 1/ln 10 */
#define SQUARE_ROOT_OF_2 0xB504F333F9DE6484ull

/* e**x = 2**k e**r, r from 0 to ln 2. Above 2**10 and below -2**10 it is infinite or zero. */
static double exponential(struct parts x)
{
    u64 r, k;
    int exponent;

    if (!x.top)
        return 1;
    if (x.exponent > 9)
        return x.is_negative ? 0 : HUGE_VAL;
    k = x.exponent < -1 ? 0 : (x.top >> (10 - x.exponent)) / (LN2 >> 11);
    r = x.exponent < -1 ? fixed(x) : x.top << (x.exponent + 1);
    r -= k * LN2 + product(k, LN2_BEHIND);
    if (r >= SIGN + SIGN / 2) { /* below zero */
        k--;
        r += LN2;
    } else if (r >= LN2) {
        k++;
        r -= LN2;
    }
    exponent = k;
    if (x.is_negative) {
        exponent = -exponent - !!r;
        r = r ? LN2 - r : 0;
    }
    return joined(normal(series(r, kExponential, EXPONENTIALS, 0), exponent, 0));
}

/* ln x = k ln 2 + 2 artanh((m - 1) / (m + 1)), m from sqrt(1/2) to sqrt(2); x is above 0. */
static struct parts logarithm(struct parts x)
{
    int is_below = x.top > SQUARE_ROOT_OF_2, k = x.exponent + is_below;
    struct parts n = is_below ? normal(-x.top, -1, 1) : normal(x.top - SIGN, 0, 0);
    struct parts d = is_below ? (struct parts){SIGN + (x.top >> 1), 0, 0} : (struct parts){(x.top >> 1) + SIGN / 2, 1, 0};
    struct parts whole = multiplied(normal(k < 0 ? -k : k, TOP_BIT, k < 0), kLn2), s;
    u64 square;

    if (!n.top)
        return whole;
    s = divided(n, d);
    square = product(fixed(s), fixed(s));
    s = multiplied(s, normal(series(square, kLogarithm, LOGARITHMS, 0), 0, 0));
    s.exponent++;
    return added(whole, s);
}

double exp(double x)
{
    u64 bits = bits_of(x);

    if (field_of(bits) == MAX_EXPONENT)
        return bits == (SIGN | INFINITE) ? 0 : x;
    return exponential(parts_of(x));
}

double exp2(double x)
{
    u64 bits = bits_of(x);

    if (field_of(bits) == MAX_EXPONENT)
        return bits == (SIGN | INFINITE) ? 0 : x;
    return exponential(multiplied(parts_of(x), kLn2));
}

static double logarithm_to(double x, struct parts factor)
{
    u64 bits = bits_of(x);

    if (!(bits << 1))
        return -HUGE_VAL;
    if (is_nan_bits(bits) || bits == INFINITE)
        return x;
    return bits >> TOP_BIT ? from_bits(NOT_A_NUMBER) : joined(multiplied(logarithm(parts_of(x)), factor));
}

double log(double x)
{
    static const struct parts one = {SIGN, 0, 0};

    return logarithm_to(x, one);
}

double log2(double x) { return logarithm_to(x, kInverseLn2); }
double log10(double x) { return logarithm_to(x, kInverseLn10); }

enum { MAX_PRODUCTS = 1024 };

/* x to a whole power, by squares. */
static struct parts power(struct parts x, unsigned count)
{
    struct parts result = {SIGN, 0, 0};

    for (;; x = multiplied(x, x)) {
        if (count & 1)
            result = multiplied(result, x);
        if (!(count >>= 1))
            return result;
    }
}

double pow(double x, double y)
{
    u64 x_bits = bits_of(x), y_bits = bits_of(y), size = y_bits & ~SIGN;
    struct parts base, exponent;
    int is_whole, is_odd, is_negative, is_small;

    if (!size || x_bits == bits_of(1))
        return 1;
    if (is_nan_bits(x_bits) || is_nan_bits(y_bits))
        return from_bits(NOT_A_NUMBER);
    if (size == INFINITE) {
        u64 ours = x_bits & ~SIGN;

        is_small = (ours < bits_of(1)) == !(y_bits >> TOP_BIT); /* towards zero */
        return ours == bits_of(1) ? 1 : is_small ? 0 : HUGE_VAL;
    }
    exponent = parts_of(y);
    is_whole = exponent.exponent >= TOP_BIT || (exponent.exponent >= 0 && !(exponent.top << exponent.exponent << 1));
    is_odd = is_whole && exponent.exponent <= TOP_BIT && exponent.top >> (TOP_BIT - exponent.exponent) & 1;
    is_negative = x_bits >> TOP_BIT && is_odd;
    if (!(x_bits << 1) || (x_bits & ~SIGN) == INFINITE) {
        is_small = !(x_bits << 1) == !(y_bits >> TOP_BIT);
        return from_bits((is_negative ? SIGN : 0) | (is_small ? 0 : INFINITE));
    }
    if (x_bits >> TOP_BIT && !is_whole)
        return from_bits(NOT_A_NUMBER);
    base = parts_of(from_bits(x_bits & ~SIGN));
    if (is_whole && exponent.exponent <= 10 && exponent.top >> (TOP_BIT - exponent.exponent) <= MAX_PRODUCTS) {
        struct parts one = {SIGN, 0, 0};

        base = power(base, exponent.top >> (TOP_BIT - exponent.exponent));
        base = exponent.is_negative ? divided(one, base) : base;
        base.is_negative = is_negative;
        return joined(base);
    }
    y = exponential(multiplied(exponent, logarithm(base)));
    return is_negative ? -y : y;
}

double cbrt(double x)
{
    struct parts a = parts_of(fabs(x)), third = {0xAAAAAAAAAAAAAAABull, -2, 0};
    double root;

    if (!a.top || field_of(bits_of(x)) == MAX_EXPONENT)
        return x;
    root = exponential(multiplied(logarithm(a), third));
    return copysign(root - (root * root * root - fabs(x)) / (3 * root * root), x);
}

/* e**x / 2, where e**x may be too large. */
static double half_of_exponential(double x)
{
    static const double step = 700;

    return x < step ? exp(x) / 2 : exp(x - step) / 2 * exp(step);
}

double sinh(double x)
{
    struct parts a = parts_of(x);
    double power;

    if (a.exponent < -1 && field_of(bits_of(x)) != MAX_EXPONENT)
        return joined(multiplied(a, normal(series(product(fixed(a), fixed(a)), kHyperbolic, HYPERBOLICS, 0), 0, 0)));
    power = half_of_exponential(fabs(x));
    return copysign(power - 0.25 / power, x);
}

double cosh(double x)
{
    double power = half_of_exponential(fabs(x));

    return power + 0.25 / power;
}

double tanh(double x)
{
    double size = fabs(x);

    if (size < 0.5)
        return sinh(x) / cosh(x);
    return copysign(size > 20 ? 1 : 1 - 2 / (exp(2 * size) + 1), x);
}
