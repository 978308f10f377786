/* Three programs around the idioms of assembly language: block copies, string instructions, decimal arithmetic. */

#include "idioms.h"

enum { kBlocks = 60, kWords = 8 * kBlocks, kBytes = 1200, kDigits = 12 };

static u32 gFrom[kWords], gTo[kWords];
static u8 gLeft[kBytes], gRight[kBytes];

u32 block(void)
{
    u32 seed = 21, sum = 0, i, round;

    for (i = 0; i < kWords; i++)
        gFrom[i] = next_random(&seed);
    for (round = 0; round < 8; round++) {
        u32 at = 8 * (next_random(&seed) >> 28);

        fill_words(gTo, seed, kWords);
        copy_blocks(gTo + at, gFrom, kBlocks - at / 8);
        copy_blocks(gFrom, gTo, kBlocks);
        for (i = round; i < kWords; i += 16)
            sum = mix(sum, gTo[i]);
    }
    return sum;
}

u32 string(void)
{
    u32 seed = 22, sum = 0, i, round;

    for (i = 0; i < kBytes; i++)
        gLeft[i] = gRight[i] = next_random(&seed) >> 25;
    for (round = 0; round < 20; round++) {
        u32 at = (next_random(&seed) >> 16) % kBytes, found;

        gRight[at] ^= 0x80;
        found = common_bytes(gLeft, gRight, kBytes);
        sum = mix(sum, found);
        sum = mix(sum, common_bytes(gLeft + found + 1, gRight + found + 1, kBytes - found - 1));
        gRight[at] ^= 0x80;
        sum = mix(sum, find_byte(gLeft, kBytes, 0x80 + round));
        sum = mix(sum, find_byte(gLeft + 10 * round, kBytes - 10 * round, seed >> 25));
    }
    return sum;
}

u32 decimal(void)
{
    u32 sum = 0, carries = 0, pair[2] = {0x12345678, 0x9ABCDEF1}, i, round;

    for (i = 0; i < kDigits; i++) {
        gLeft[i] = i * 7 % 10 << 4 | i * 3 % 10;
        gRight[i] = 0;
    }
    gRight[kDigits - 1] = 1;
    for (round = 0; round < 150; round++) { /* like Fibonacci's numbers: never the same digits for long */
        carries += add_decimal(gLeft, gRight, kDigits);
        carries += add_decimal(gRight, gLeft, kDigits);
        carries += rotate_wide(pair, 1 + round % 31);
        sum = mix(sum, gLeft[kDigits - 1 - round % kDigits] ^ pair[round & 1]);
    }
    for (i = 0; i < kDigits; i++)
        sum = mix(sum, gRight[i]);
    return mix(sum, carries);
}
