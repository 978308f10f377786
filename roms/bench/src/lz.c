/* Decompression of LZ77, much as LZ4 has it: runs of literals, and matches by distance and length. A distance is 7 bits
   and 8 more: GCC 12 would read two whole bytes as a word, at odd addresses too, which the 68000 does not allow. */

#include "bench.h"

enum { kOut = 6000, kPacked = 8000, kLongest = 60 };

static u8 gPacked[kPacked], gOut[kOut];

/* Writes a stream that is valid by its making: tokens with two lengths, literals, a distance. Returns its size. */
static SEPARATE s32 make_stream(u8 *to, u32 seed)
{
    u8 *start = to;
    s32 made = 0, literals, length, distance, i;

    for (;;) {
        literals = made ? next_random(&seed) >> 28 : 15;
        length = 4 + (next_random(&seed) >> 28) + (seed & 0x1000000 ? seed >> 27 : 0);
        if (made + literals + length > kOut)
            break;
        *to++ = literals << 4 | (length - 4 < 15 ? length - 4 : 15);
        for (i = 0; i < literals; i++)
            *to++ = 'a' + (next_random(&seed) >> 29);
        made += literals;
        distance = 1 + (next_random(&seed) >> 8) % (made < 2000 ? made : 2000);
        *to++ = distance & 127;
        *to++ = distance >> 7;
        if (length - 4 >= 15)
            *to++ = length - 19;
        made += length;
    }
    *to++ = 0;
    *to++ = 0;
    *to++ = 0;
    return to - start;
}

static SEPARATE s32 unpack(u8 *out, const u8 *in)
{
    u8 *start = out;

    for (;;) {
        s32 token = *in++, count = token >> 4, distance;
        const u8 *from;

        while (count--)
            *out++ = *in++;
        distance = in[0] | in[1] << 7;
        in += 2;
        if (!distance)
            return out - start;
        count = 4 + (token & 15);
        if (count == 19)
            count += *in++;
        for (from = out - distance; count--;)
            *out++ = *from++;
    }
}

u32 lz(void)
{
    u32 sum = 0;
    s32 i, size;

    for (i = 0; i < 3; i++) {
        s32 packed = make_stream(gPacked, 16 + i), j;

        size = unpack(gOut, gPacked);
        sum = mix(mix(sum, packed), size);
        for (j = 0; j < size; j += 3)
            sum = mix(sum, gOut[j]);
    }
    return sum;
}
