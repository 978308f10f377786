/* Numbers in parts, with 64 bits: what the functions of math.h compute with. The machines have no floating-point unit,
   and integers are faster than single operations in software. */

#ifndef PARTS_H
#define PARTS_H

typedef unsigned int u32;
typedef unsigned long long u64;

enum { FRACTION = 52, BIAS = 1023, MAX_EXPONENT = 0x7FF, TOP_BIT = 63, DROPPED = TOP_BIT - FRACTION };
#define HIDDEN (1ull << FRACTION)
#define SIGN (1ull << 63)
#define INFINITE ((u64)MAX_EXPONENT << FRACTION)
#define NOT_A_NUMBER (INFINITE | HIDDEN >> 1)
#define LN2 0xB17217F7D1CF79ABull      /* of 2**64 */
#define LN2_BEHIND 0xC9E3B39803F2F6AFull /* the next 64 bits */

/* top * 2**(exponent - 63), bit 63 of top is set; or zero: top is 0. */
struct parts {
    u64 top;
    int exponent, is_negative;
};

static inline u64 bits_of(double value)
{
    union {
        double value;
        u64 bits;
    } it = {value};

    return it.bits;
}

static inline double from_bits(u64 bits)
{
    union {
        u64 bits;
        double value;
    } it = {bits};

    return it.value;
}

static inline int field_of(u64 bits)
{
    return bits >> FRACTION & MAX_EXPONENT;
}

static inline int is_nan_bits(u64 bits)
{
    return bits << 1 > INFINITE << 1;
}

/* The high 64 bits of a product. */
static inline u64 product(u64 a, u64 b)
{
    u64 low = (u64)(u32)a * (u32)b, first = (a >> 32) * (u32)b, second = (u64)(u32)a * (b >> 32);
    u64 middle = (low >> 32) + (u32)first + (u32)second;

    return (a >> 32) * (b >> 32) + (first >> 32) + (second >> 32) + (middle >> 32);
}

static inline struct parts normal(u64 top, int exponent, int is_negative)
{
    struct parts a = {top, exponent, is_negative};

    if (top)
        for (; !(a.top >> TOP_BIT); a.exponent--)
            a.top <<= 1;
    return a;
}

/* Take a finite number apart. */
static inline struct parts parts_of(double value)
{
    u64 bits = bits_of(value);
    int field = field_of(bits);

    return normal(
        ((bits & (HIDDEN - 1)) | (field ? HIDDEN : 0)) << DROPPED, (field ? field : 1) - BIAS, bits >> TOP_BIT);
}

/* The nearest double, ties to even. */
static inline double joined(struct parts a)
{
    int field = a.exponent + BIAS, drop = DROPPED;
    u64 sign = a.is_negative ? SIGN : 0, rest, half;

    if (!a.top)
        return from_bits(sign);
    if (field >= MAX_EXPONENT)
        return from_bits(sign | INFINITE);
    if (field <= 0) {
        drop += 1 - field;
        field = 0;
        if (drop > TOP_BIT)
            return from_bits(sign | (drop == TOP_BIT + 1 && a.top > SIGN));
    }
    half = 1ull << (drop - 1);
    rest = a.top & ((half << 1) - 1);
    a.top = (a.top >> drop) + (rest > half || (rest == half && a.top >> drop & 1));
    return from_bits(sign | (a.top + (field ? (u64)(field - 1) << FRACTION : 0)));
}

static inline struct parts multiplied(struct parts a, struct parts b)
{
    return normal(product(a.top, b.top), a.exponent + b.exponent + 1, a.is_negative ^ b.is_negative);
}

/* a * 2**63 / b, for tops. */
static inline u64 quotient(u64 a, u64 b)
{
    u64 result = a >= b;

    a -= result ? b : 0;
    for (int i = 0; i < TOP_BIT; i++) {
        int bit = a >> TOP_BIT || a << 1 >= b;

        a = (a << 1) - (bit ? b : 0);
        result = result << 1 | bit;
    }
    return result;
}

static inline struct parts divided(struct parts a, struct parts b)
{
    return normal(quotient(a.top, b.top), a.exponent - b.exponent, a.is_negative ^ b.is_negative);
}

static inline struct parts added(struct parts a, struct parts b)
{
    int shift = a.exponent - b.exponent;
    struct parts sum = a;

    if (!a.top || !b.top)
        return a.top ? a : b;
    if (shift < 0 || (!shift && a.top < b.top))
        return added(b, a);
    b.top = shift > TOP_BIT ? 0 : b.top >> shift;
    if (a.is_negative != b.is_negative)
        return normal(a.top - b.top, a.exponent, a.is_negative);
    sum.top += b.top;
    if (sum.top < a.top) {
        sum.top = sum.top >> 1 | SIGN;
        sum.exponent++;
    }
    return sum;
}

/* a as a fraction of 2**64, for a below 1. */
static inline u64 fixed(struct parts a)
{
    int shift = -1 - a.exponent;

    return shift > TOP_BIT ? 0 : a.top >> shift;
}

/* terms[0] + terms[1] z + terms[2] z**2 ..., with signs that alternate or not; terms are fractions of 2**63, z of 2**64. */
static inline u64 series(u64 z, const u64 *terms, int count, int is_alternating)
{
    u64 sum = terms[--count];

    while (count--)
        sum = is_alternating ? terms[count] - product(z, sum) : terms[count] + product(z, sum);
    return sum;
}

#endif
