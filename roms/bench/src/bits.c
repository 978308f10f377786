/* Streams of bits: numbers as Elias' gamma codes (1975) and of fixed widths, written and read; bits counted and found. */

#include "bench.h"

enum { kNumbers = 500, kBytes = 4 * kNumbers };

struct stream {
    u8 *at;
    u32 held;
    s32 count; /* of bits held */
};

static u8 gStream[kBytes];
static u16 gNumbers[kNumbers];

static inline void put(struct stream *out, u32 value, s32 width)
{
    out->held = out->held << width | value;
    out->count += width;
    while (out->count >= 8) {
        out->count -= 8;
        *out->at++ = out->held >> out->count;
    }
}

static inline u32 get(struct stream *in, s32 width)
{
    while (in->count < width) {
        in->held = in->held << 8 | *in->at++;
        in->count += 8;
    }
    in->count -= width;
    return in->held >> in->count & ((1u << width) - 1);
}

static SEPARATE s32 write_all(u8 *to, const u16 *numbers, s32 count)
{
    struct stream out = {to, 0, 0};
    s32 i, width;

    for (i = 0; i < count; i++) {
        for (width = 0; numbers[i] >> width > 1; width++)
            put(&out, 0, 1);
        put(&out, 1, 1);
        put(&out, numbers[i] & ((1u << width) - 1), width);
        put(&out, i & 7, 3);
    }
    put(&out, 0, 7);
    return out.at - to;
}

static SEPARATE u32 read_all(u8 *from, s32 count)
{
    struct stream in = {from, 0, 0};
    u32 sum = 0;
    s32 width;

    while (count--) {
        for (width = 0; !get(&in, 1); width++)
            ;
        sum = mix(sum, 1u << width | get(&in, width));
        sum += get(&in, 3);
    }
    return sum;
}

static SEPARATE u32 count_bits(const u8 *from, s32 count)
{
    u32 ones = 0, longest = 0, run = 0;

    for (; count--; from++) {
        u32 byte = *from, bit;

        for (; byte; byte &= byte - 1)
            ones++;
        for (bit = 0x80; bit; bit >>= 1) {
            run = *from & bit ? run + 1 : 0;
            if (run > longest)
                longest = run;
        }
    }
    return ones << 8 | longest;
}

u32 bits(void)
{
    u32 seed = 15, sum;
    s32 i, size;

    for (i = 0; i < kNumbers; i++)
        gNumbers[i] = 1 + (next_random(&seed) >> (17 + (seed >> 16 & 14)));
    size = write_all(gStream, gNumbers, kNumbers);
    sum = read_all(gStream, kNumbers);
    return mix(mix(sum, size), count_bits(gStream, size));
}
