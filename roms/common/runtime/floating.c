/* What GCC calls for numbers in IEEE 754's single and double format on processors without instructions for them.

   A number is taken apart, computed with 63 bits, and rounded once, to nearest, ties to even (IEEE 754-2008, 4.3.1).
   Numbers come and go as their bits: with -msoft-float they are passed as integers are. Every NaN that comes out is the
   same one; nothing traps. */

typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

/* A format: bits of the fraction, the exponent of 1.0, and that of infinity. */
struct format {
    s32 digits, bias, top;
};

static const struct format kSingle = {23, 127, 255}, kDouble = {52, 1023, 2047};

enum { kTop = 62 }; /* bit of the fraction that stands for 1 */
enum kind { kZero, kFinite, kInfinite, kNotANumber };

/* fraction * 2**(exponent - kTop); the fraction of a finite number has bit kTop and none above. */
struct number {
    enum kind kind;
    u32 sign;
    s32 exponent;
    u64 fraction;
};

static struct number normalized(struct number a)
{
    if (!a.fraction)
        a.kind = kZero;
    else {
#pragma GCC unroll 6 /* shifts by constants */
        for (s32 step = 32; step; step >>= 1)
            if (!(a.fraction >> (kTop + 1 - step))) {
                a.fraction <<= step;
                a.exponent -= step;
            }
    }
    return a;
}

/* Inlined once for each format, so that shifts are by constants. */
#define FOR_A_FORMAT static inline __attribute__((always_inline))

FOR_A_FORMAT struct number unpacked(u64 bits, const struct format *format)
{
    u64 hidden = 1ull << format->digits;
    s32 field = bits >> format->digits & format->top;
    struct number a;

    a.sign = bits >> format->digits & (format->top + 1) ? 1 : 0;
    a.fraction = bits & (hidden - 1);
    a.exponent = (field ? field : 1) - format->bias;
    a.kind = kFinite;
    if (field == format->top)
        a.kind = a.fraction ? kNotANumber : kInfinite;
    else if (field)
        a.fraction |= hidden;
    a.fraction <<= kTop - format->digits;
    return a.kind == kFinite && !field ? normalized(a) : a;
}

/* Shift right; the last bit remembers whether a one was lost. */
static u64 shifted(u64 fraction, s32 count)
{
    if (count > 63)
        return fraction != 0;
    return fraction >> count | (count && fraction << (64 - count) ? 1 : 0);
}

FOR_A_FORMAT u64 packed(struct number a, const struct format *format)
{
    s32 drop = kTop - format->digits, field = a.exponent + format->bias;
    u64 half = 1ull << (drop - 1), bits = 0, rest;

    if (a.kind == kNotANumber)
        return (u64)format->top << format->digits | 1ull << (format->digits - 1);
    if (a.kind == kFinite && field < format->top) {
        if (field < 1) {
            a.fraction = shifted(a.fraction, 1 - field);
            field = 1;
        }
        rest = a.fraction & (2 * half - 1);
        bits = a.fraction >> drop;
        bits += rest > half || (rest == half && bits & 1);
        bits += (u64)(field - 1) << format->digits; /* bit 1 of the fraction, or a carry, counts up the exponent */
    } else if (a.kind != kZero) {
        bits = (u64)format->top << format->digits;
    }
    return bits | (a.sign ? (u64)(format->top + 1) << format->digits : 0);
}

static struct number of_kind(enum kind kind, u32 sign)
{
    struct number a = {kind, sign, 0, 0};

    return a;
}

static struct number sum(struct number a, struct number b)
{
    struct number c;

    if (a.kind == kNotANumber || b.kind == kNotANumber)
        return of_kind(kNotANumber, 0);
    if (a.kind == kInfinite && b.kind == kInfinite && a.sign != b.sign)
        return of_kind(kNotANumber, 0);
    if (a.kind == kZero && b.kind == kZero)
        return of_kind(kZero, a.sign & b.sign);
    if (a.kind == kInfinite || b.kind == kZero)
        return a;
    if (b.kind == kInfinite || a.kind == kZero)
        return b;
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.fraction < b.fraction)) {
        c = a;
        a = b;
        b = c;
    }
    b.fraction = shifted(b.fraction, a.exponent - b.exponent);
    if (a.sign == b.sign) {
        a.fraction += b.fraction;
        if (a.fraction >> (kTop + 1)) {
            a.fraction = shifted(a.fraction, 1);
            a.exponent++;
        }
        return a;
    }
    a.fraction -= b.fraction;
    a.sign &= a.fraction != 0;
    return normalized(a);
}

static struct number product(struct number a, struct number b)
{
    u32 sign = a.sign ^ b.sign;
    u64 a0 = (u32)a.fraction, a1 = a.fraction >> 32, b0 = (u32)b.fraction, b1 = b.fraction >> 32;
    u64 low = a0 * b0, one = a1 * b0 + (low >> 32), other = a0 * b1 + (u32)one;

    if (a.kind == kNotANumber || b.kind == kNotANumber)
        return of_kind(kNotANumber, 0);
    if (a.kind == kInfinite || b.kind == kInfinite)
        return of_kind(a.kind == kZero || b.kind == kZero ? kNotANumber : kInfinite, sign);
    if (a.kind == kZero || b.kind == kZero)
        return of_kind(kZero, sign);
    a.sign = sign;
    a.exponent += b.exponent + 1;
    a.fraction = a1 * b1 + (one >> 32) + (other >> 32); /* the high half: 1 is bit 60 of it */
    a.fraction = a.fraction << 1 | (other >> 31 & 1);
    a.fraction |= (((u32)other << 1) | (u32)low) != 0;
    return normalized(a);
}

static struct number quotient(struct number a, struct number b)
{
    u32 sign = a.sign ^ b.sign;
    u64 rest = a.fraction;
    s32 bit;

    if (a.kind == kNotANumber || b.kind == kNotANumber || (a.kind == b.kind && a.kind != kFinite))
        return of_kind(kNotANumber, 0);
    if (a.kind == kInfinite || b.kind == kZero)
        return of_kind(kInfinite, sign);
    if (a.kind == kZero || b.kind == kInfinite)
        return of_kind(kZero, sign);
    a.sign = sign;
    a.exponent -= b.exponent;
    if (rest < b.fraction) {
        rest <<= 1;
        a.exponent--;
    }
    a.fraction = 0;
    for (bit = 0; bit <= kTop; bit++) {
        a.fraction <<= 1;
        if (rest >= b.fraction) {
            rest -= b.fraction;
            a.fraction |= 1;
        }
        rest <<= 1;
    }
    a.fraction |= rest != 0;
    return a;
}

static struct number of_integer(u64 magnitude, u32 sign)
{
    struct number a = {kFinite, sign, kTop, magnitude};

    if (magnitude >> (kTop + 1)) {
        a.fraction = shifted(magnitude, 1);
        a.exponent++;
    }
    a = normalized(a);
    return a.kind == kZero ? of_kind(kZero, 0) : a;
}

/* Towards zero; what does not fit becomes the nearest that does. */
static u64 whole(struct number a, u64 positive, u64 negative)
{
    u64 limit = a.sign ? negative : positive, magnitude;

    if (a.kind == kNotANumber || a.kind == kZero || (a.kind == kFinite && a.exponent < 0))
        return 0;
    if (a.kind == kInfinite || a.exponent > 63)
        magnitude = limit;
    else if (a.exponent > kTop)
        magnitude = a.fraction << 1;
    else
        magnitude = a.fraction >> (kTop - a.exponent);
    if (magnitude > limit)
        magnitude = limit;
    return a.sign ? -magnitude : magnitude;
}

/* -1, 0, 1; `unordered` if one is no number. */
static s32 order(struct number a, struct number b, s32 unordered)
{
    s32 up = a.sign ? -1 : 1, down = -up;

    if (a.kind == kNotANumber || b.kind == kNotANumber)
        return unordered;
    if (a.kind == kZero || b.kind == kZero)
        return a.kind != kZero ? up : b.kind == kZero ? 0 : b.sign ? 1 : -1;
    if (a.sign != b.sign)
        return up;
    if (a.kind == kInfinite || b.kind == kInfinite)
        return a.kind == b.kind ? 0 : a.kind == kInfinite ? up : down;
    if (a.exponent != b.exponent)
        return a.exponent > b.exponent ? up : down;
    return a.fraction == b.fraction ? 0 : a.fraction > b.fraction ? up : down;
}

static u64 magnitude(s64 a)
{
    return a < 0 ? -(u64)a : (u64)a;
}

/* The functions of a format: T its bits as an integer, x its letters in their names. */
#define FUNCTIONS(T, x, format)                                                                                        \
    static __attribute__((noinline)) struct number unpacked_##x(T a) { return unpacked(a, &format); }                  \
    static __attribute__((noinline)) T packed_##x(struct number a) { return packed(a, &format); }                      \
    T __add##x##3(T a, T b) { return packed_##x(sum(unpacked_##x(a), unpacked_##x(b))); }                              \
    T __neg##x##2(T a) { return a ^ (T)1 << (sizeof(T) * 8 - 1); }                                                     \
    T __sub##x##3(T a, T b) { return __add##x##3(a, __neg##x##2(b)); }                                                 \
    T __mul##x##3(T a, T b) { return packed_##x(product(unpacked_##x(a), unpacked_##x(b))); }                          \
    T __div##x##3(T a, T b) { return packed_##x(quotient(unpacked_##x(a), unpacked_##x(b))); }                         \
    s32 __cmp##x##2(T a, T b) { return order(unpacked_##x(a), unpacked_##x(b), 1); }                                   \
    s32 __eq##x##2(T a, T b) { return __cmp##x##2(a, b); }                                                             \
    s32 __ne##x##2(T a, T b) { return __cmp##x##2(a, b); }                                                             \
    s32 __lt##x##2(T a, T b) { return __cmp##x##2(a, b); }                                                             \
    s32 __le##x##2(T a, T b) { return __cmp##x##2(a, b); }                                                             \
    s32 __gt##x##2(T a, T b) { return order(unpacked_##x(a), unpacked_##x(b), -1); }                                   \
    s32 __ge##x##2(T a, T b) { return __gt##x##2(a, b); }                                                              \
    s32 __unord##x##2(T a, T b) { return order(unpacked_##x(a), unpacked_##x(b), 2) == 2; }                            \
    T __floatsi##x(s32 a) { return packed_##x(of_integer(magnitude(a), a < 0)); }                                      \
    T __floatunsi##x(u32 a) { return packed_##x(of_integer(a, 0)); }                                                   \
    T __floatdi##x(s64 a) { return packed_##x(of_integer(magnitude(a), a < 0)); }                                      \
    T __floatundi##x(u64 a) { return packed_##x(of_integer(a, 0)); }                                                   \
    s32 __fix##x##si(T a) { return whole(unpacked_##x(a), 0x7FFFFFFF, 0x80000000); }                                   \
    u32 __fixuns##x##si(T a) { return whole(unpacked_##x(a), 0xFFFFFFFF, 0); }                                         \
    s64 __fix##x##di(T a) { return whole(unpacked_##x(a), ~0ull >> 1, 1ull << 63); }                                   \
    u64 __fixuns##x##di(T a) { return whole(unpacked_##x(a), ~0ull, 0); }

FUNCTIONS(u32, sf, kSingle)
FUNCTIONS(u64, df, kDouble)

u64 __extendsfdf2(u32 a)
{
    return packed_df(unpacked_sf(a));
}

u32 __truncdfsf2(u64 a)
{
    return packed_sf(unpacked_df(a));
}
