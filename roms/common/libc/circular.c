/* Circular functions and their inverses: series with 64 bits (math.h). */

#include "parts.h"
#include <math.h>

#define N(n) (SIGN / (n))
/* 1/(2n+1)! */
static const u64 kSine[] = {
    SIGN, N(6), N(120), N(5040), N(362880), N(39916800), N(6227020800), N(1307674368000), N(355687428096000),
    N(121645100408832000),
};
/* 1/(2n)! */
static const u64 kCosine[] = {
    SIGN, N(2), N(24), N(720), N(40320), N(3628800), N(479001600), N(87178291200), N(20922789888000),
    N(6402373705728000), N(2432902008176640000),
};
/* 1/(2n+1) */
static const u64 kArc[] = {SIGN, N(3), N(5), N(7), N(9), N(11), N(13), N(15), N(17)};
enum { SINES = sizeof kSine / 8, COSINES = sizeof kCosine / 8, ARCS = sizeof kArc / 8, STEPS = 8 };

/* arctan(n/8), of 2**63 */
static const u64 kArcs[STEPS + 1] = {
    0, 0x0FEADD4D5617B6E3, 0x1F5B75F92C80DD62, 0x2DEC3283C9BDE11C, 0x3B58CE0AC3769ED1,
    0x47802EAF7BFACFCD, 0x525E3E8C9A7B8492, 0x5C029F15E118CF39, 0x6487ED5110B4611A,
};
static const struct parts kOne = {SIGN, 0, 0}, kHalfPi = {0xC90FDAA22168C234ull, 0, 0};

/* 2/pi, the bits behind the point; as many as the largest double needs. */
static const u32 kInverse[] = {
    0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561,
    0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484,
    0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F,
    0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B,
    0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB,
};
enum { INVERSE_WORDS = sizeof kInverse / 4, WINDOW = 6 };

static u32 word_of_inverse(int number)
{
    return number < 0 || number >= INVERSE_WORDS ? 0 : kInverse[number];
}

/* 32 bits of 2/pi from a bit on; bit 0 is the first behind the point. */
static u32 bits_of_inverse(int bit)
{
    int number = bit >> 5, shift = bit & 31;
    u64 both = (u64)word_of_inverse(number) << 32 | word_of_inverse(number + 1);

    return both >> (32 - shift);
}

/* Take whole multiples of pi/2 from x, at least 0 and finite; write what is left, -pi/4 to pi/4, and return their number
   modulo 4. Payne and Hanek 1983: only those bits of 2/pi are multiplied that reach this number and the bits behind. */
static int reduced(struct parts x, struct parts *rest)
{
    u64 fraction = x.top >> DROPPED;
    u32 factor[2] = {fraction, fraction >> 32}, p[WINDOW] = {0};
    int first = x.exponent - FRACTION - 2, quadrant, is_negative, exponent = 1;

    if (x.exponent < -1) {
        *rest = x;
        return 0;
    }
    for (int j = 0; j < 2; j++) {
        u64 carry = 0;

        for (int i = 0; i + j < WINDOW; i++) {
            carry += (u64)factor[j] * bits_of_inverse(first + 32 * (WINDOW - 1 - i)) + p[i + j];
            p[i + j] = carry;
            carry >>= 32;
        }
    }
    quadrant = p[WINDOW - 1] >> 30;
    is_negative = p[WINDOW - 1] >> 29 & 1;
    p[WINDOW - 1] &= 0x3FFFFFFF;
    if (is_negative) {
        u64 carry = 1;

        for (int i = 0; i < WINDOW; i++) {
            carry += (u32)~p[i];
            p[i] = carry;
            carry >>= 32;
        }
        p[WINDOW - 1] &= 0x3FFFFFFF;
    }
    for (; !(p[WINDOW - 1] >> 31); exponent--)
        for (int i = WINDOW - 1; i >= 0; i--)
            p[i] = p[i] << 1 | (i ? p[i - 1] >> 31 : 0);
    *rest = multiplied(normal((u64)p[WINDOW - 1] << 32 | p[WINDOW - 2], exponent, is_negative), kHalfPi);
    return (quadrant + is_negative) & 3;
}

/* The sine, or the cosine, of -pi/4 to pi/4. */
static struct parts sine(struct parts x)
{
    u64 square = product(fixed(x), fixed(x));

    return multiplied(x, normal(series(square, kSine, SINES, 1), 0, 0));
}

static struct parts cosine(struct parts x)
{
    u64 square = product(fixed(x), fixed(x));

    return normal(series(square, kCosine, COSINES, 1), 0, 0);
}

/* The sine of x + quadrants * pi/2. */
static double shifted_sine(double x, int quadrants)
{
    struct parts a = parts_of(x), rest;
    int is_negative = a.is_negative;

    if (field_of(bits_of(x)) == MAX_EXPONENT)
        return from_bits(NOT_A_NUMBER);
    a.is_negative = 0;
    if (quadrants)
        is_negative = 0; /* the cosine is even */
    quadrants += reduced(a, &rest);
    a = quadrants & 1 ? cosine(rest) : sine(rest);
    a.is_negative ^= is_negative ^ (quadrants >> 1 & 1);
    return joined(a);
}

double sin(double x) { return shifted_sine(x, 0); }
double cos(double x) { return shifted_sine(x, 1); }

double tan(double x)
{
    struct parts a = parts_of(x), rest;
    int is_negative = a.is_negative;

    if (field_of(bits_of(x)) == MAX_EXPONENT)
        return from_bits(NOT_A_NUMBER);
    if (!a.top)
        return x;
    a.is_negative = 0;
    if (reduced(a, &rest) & 1) {
        a = divided(cosine(rest), sine(rest));
        a.is_negative = !a.is_negative;
    } else
        a = divided(sine(rest), cosine(rest));
    a.is_negative ^= is_negative;
    return joined(a);
}

/* arctan(y / x) of numbers above 0: of y/x or x/y, then by the nearest multiple of 1/8. */
static struct parts angle(struct parts y, struct parts x)
{
    int is_steep = y.exponent > x.exponent || (y.exponent == x.exponent && y.top > x.top), step;
    struct parts a = is_steep ? divided(x, y) : divided(y, x), t = a;
    u64 square;

    step = a.exponent < -4 ? 0 : ((a.top >> (-a.exponent)) + (SIGN >> 4)) >> 60;
    if (step) {
        struct parts eighths = normal((u64)step << 60, 0, 0), minus = eighths;

        minus.is_negative = 1;
        t = divided(added(a, minus), added(kOne, multiplied(a, eighths)));
    }
    square = product(fixed(t), fixed(t));
    t = t.top ? multiplied(t, normal(series(square, kArc, ARCS, 1), 0, 0)) : t;
    t = added(normal(kArcs[step], 0, 0), t);
    if (is_steep) {
        t.is_negative = !t.is_negative;
        t = added(kHalfPi, t);
    }
    return t;
}

double atan2(double y, double x)
{
    u64 y_bits = bits_of(y), x_bits = bits_of(x);
    struct parts a, high = parts_of(y), wide = parts_of(x), pi = kHalfPi;

    if (is_nan_bits(y_bits) || is_nan_bits(x_bits))
        return from_bits(NOT_A_NUMBER);
    pi.exponent++;
    high.is_negative = wide.is_negative = 0;
    high.exponent += field_of(y_bits) == MAX_EXPONENT ? 4 * MAX_EXPONENT : 0;
    wide.exponent += field_of(x_bits) == MAX_EXPONENT ? 4 * MAX_EXPONENT : 0;
    if (!high.top || (!wide.top ? 0 : wide.exponent - high.exponent > 2 * MAX_EXPONENT))
        a = (struct parts){0, 0, 0};
    else
        a = wide.top ? angle(high, wide) : kHalfPi;
    if (x_bits >> TOP_BIT) {
        a.is_negative = 1;
        a = added(pi, a);
    }
    a.is_negative = y_bits >> TOP_BIT;
    return joined(a);
}

double atan(double x) { return atan2(x, 1); }
double asin(double x) { return atan2(x, sqrt((1 - x) * (1 + x))); }
double acos(double x) { return atan2(sqrt((1 - x) * (1 + x)), x); }
