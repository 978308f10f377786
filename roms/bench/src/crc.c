/* Check sums of data: CRC-32 by a table, CRC-16 bit by bit, Adler-32. */

#include "bench.h"

enum { kBytes = 1500 };

static u8 gData[kBytes];
static u32 gTable[256];

static SEPARATE void make_table(u32 *table)
{
    u32 i, bit, word;

    for (i = 0; i < 256; i++) {
        for (word = i, bit = 0; bit < 8; bit++)
            word = word & 1 ? word >> 1 ^ 0xEDB88320u : word >> 1;
        table[i] = word;
    }
}

static SEPARATE u32 crc32(const u8 *data, s32 count)
{
    u32 sum = ~0u;

    while (count--)
        sum = sum >> 8 ^ gTable[(sum ^ *data++) & 255];
    return ~sum;
}

static SEPARATE u16 crc16(const u8 *data, s32 count)
{
    u16 sum = 0xFFFF;
    s32 bit;

    for (; count--; data++)
        for (sum ^= *data << 8, bit = 0; bit < 8; bit++)
            sum = sum & 0x8000 ? sum << 1 ^ 0x1021 : sum << 1;
    return sum;
}

static SEPARATE u32 adler32(const u8 *data, s32 count)
{
    u32 low = 1, high = 0;

    while (count--) {
        low += *data++;
        if (low >= 65521)
            low -= 65521;
        high += low;
        if (high >= 65521)
            high -= 65521;
    }
    return high << 16 | low;
}

u32 crc(void)
{
    u32 seed = 14, sum;
    s32 i;

    for (i = 0; i < kBytes; i++)
        gData[i] = next_random(&seed) >> 24;
    make_table(gTable);
    sum = mix(0, crc32(gData, kBytes));
    sum = mix(sum, crc16(gData, kBytes));
    return mix(sum, adler32(gData, kBytes));
}
