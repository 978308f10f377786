/* What GCC calls for integers of 64 bits, and for counts of bits where the processor has no instruction. Nothing here
   makes it call them again: words are taken apart, and shifts are by constants. */

typedef unsigned short u16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

union halves {
    u64 whole;
    struct {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        u32 high, low;
#else
        u32 low, high;
#endif
    } half;
};

static u64 joined(u32 high, u32 low)
{
    union halves both;

    both.half.high = high;
    both.half.low = low;
    return both.whole;
}

static union halves halves(u64 whole)
{
    union halves both;

    both.whole = whole;
    return both;
}

/* The quotient of a long division, bit by bit; the remainder goes to *rest. */
u64 __udivmoddi4(u64 dividend, u64 divisor, u64 *rest)
{
    union halves a = halves(dividend), b = halves(divisor);
    u32 high = 0, low = 0;
    s32 bit;

    if (!(a.half.high | b.half.high)) {
        *rest = joined(0, a.half.low % b.half.low);
        return joined(0, a.half.low / b.half.low);
    }
    for (bit = 0; bit < 64; bit++) {
        u32 out = high >> 31;

        high = high << 1 | low >> 31;
        low = low << 1 | a.half.high >> 31;
        a.half.high = a.half.high << 1 | a.half.low >> 31;
        a.half.low <<= 1;
        if (out || high > b.half.high || (high == b.half.high && low >= b.half.low)) {
            high -= b.half.high + (low < b.half.low);
            low -= b.half.low;
            a.half.low |= 1;
        }
    }
    *rest = joined(high, low);
    return a.whole;
}

u64 __udivdi3(u64 a, u64 b)
{
    u64 rest;

    return __udivmoddi4(a, b, &rest);
}

u64 __umoddi3(u64 a, u64 b)
{
    u64 rest;

    __udivmoddi4(a, b, &rest);
    return rest;
}

static u64 size_of(s64 a)
{
    return a < 0 ? -(u64)a : (u64)a;
}

s64 __divdi3(s64 a, s64 b)
{
    u64 rest, quotient = __udivmoddi4(size_of(a), size_of(b), &rest);

    return (a < 0) != (b < 0) ? -quotient : quotient;
}

s64 __moddi3(s64 a, s64 b)
{
    u64 rest;

    __udivmoddi4(size_of(a), size_of(b), &rest);
    return a < 0 ? -rest : rest;
}

s64 __divmoddi4(s64 a, s64 b, s64 *rest)
{
    u64 left, quotient = __udivmoddi4(size_of(a), size_of(b), &left);

    *rest = a < 0 ? -left : left;
    return (a < 0) != (b < 0) ? -quotient : quotient;
}

u64 __muldi3(u64 first, u64 second)
{
    union halves a = halves(first), b = halves(second);
    u16 a0 = a.half.low, a1 = a.half.low >> 16, b0 = b.half.low, b1 = b.half.low >> 16; /* as wide as the 68000 multiplies */
    u32 low = (u32)a0 * b0, middle = (u32)a1 * b0 + (low >> 16), cross = (middle & 0xFFFF) + (u32)a0 * b1;
    u32 high = (u32)a1 * b1 + (middle >> 16) + (cross >> 16);

    if (a.half.high | b.half.high)
        high += a.half.high * b.half.low + a.half.low * b.half.high;
    return joined(high, cross << 16 | (low & 0xFFFF));
}

u64 __ashldi3(u64 value, int count)
{
    union halves a = halves(value);

    if (count & 32)
        return joined(a.half.low << (count & 31), 0);
    if (!(count & 31))
        return value;
    return joined(a.half.high << count | a.half.low >> (32 - count), a.half.low << count);
}

u64 __lshrdi3(u64 value, int count)
{
    union halves a = halves(value);

    if (count & 32)
        return joined(0, a.half.high >> (count & 31));
    if (!(count & 31))
        return value;
    return joined(a.half.high >> count, a.half.low >> count | a.half.high << (32 - count));
}

s64 __ashrdi3(u64 value, int count)
{
    union halves a = halves(value);
    u32 sign = -(a.half.high >> 31);

    if (count & 32)
        return joined(sign, (u32)((s32)a.half.high >> (count & 31)));
    if (!(count & 31))
        return value;
    return joined((u32)((s32)a.half.high >> count), a.half.low >> count | a.half.high << (32 - count));
}

static int order(u32 a, u32 b)
{
    return a < b ? 0 : a > b ? 2 : 1;
}

int __ucmpdi2(u64 first, u64 second)
{
    union halves a = halves(first), b = halves(second);

    return a.half.high != b.half.high ? order(a.half.high, b.half.high) : order(a.half.low, b.half.low);
}

int __cmpdi2(u64 first, u64 second)
{
    union halves a = halves(first), b = halves(second);

    a.half.high ^= 0x80000000u;
    b.half.high ^= 0x80000000u;
    return __ucmpdi2(a.whole, b.whole);
}

int __clzsi2(u32 value)
{
    int count = 0;

    for (; count < 32 && !(value & 0x80000000u); value <<= 1)
        count++;
    return count;
}

int __ctzsi2(u32 value)
{
    int count = 0;

    for (; count < 32 && !(value & 1); value >>= 1)
        count++;
    return count;
}

int __ffssi2(u32 value)
{
    return value ? __ctzsi2(value) + 1 : 0;
}

int __popcountsi2(u32 value)
{
    int count = 0;

    for (; value; value &= value - 1)
        count++;
    return count;
}

int __paritysi2(u32 value)
{
    return __popcountsi2(value) & 1;
}

u32 __bswapsi2(u32 value)
{
    return value << 24 | (value & 0xFF00) << 8 | (value >> 8 & 0xFF00) | value >> 24;
}

int __clzdi2(u64 value)
{
    union halves a = halves(value);

    return a.half.high ? __clzsi2(a.half.high) : 32 + __clzsi2(a.half.low);
}

int __ctzdi2(u64 value)
{
    union halves a = halves(value);

    return a.half.low ? __ctzsi2(a.half.low) : 32 + __ctzsi2(a.half.high);
}

int __ffsdi2(u64 value)
{
    return value ? __ctzdi2(value) + 1 : 0;
}

int __popcountdi2(u64 value)
{
    union halves a = halves(value);

    return __popcountsi2(a.half.high) + __popcountsi2(a.half.low);
}

int __paritydi2(u64 value)
{
    return __popcountdi2(value) & 1;
}

int __clrsbsi2(s32 value)
{
    return __clzsi2(value < 0 ? ~value : value) - 1;
}

int __clrsbdi2(s64 value)
{
    return __clzdi2(value < 0 ? ~value : value) - 1;
}
