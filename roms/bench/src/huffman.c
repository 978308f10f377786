/* Huffman's codes (1952): counts, the tree, canonical codes; a text is packed and unpacked again. */

#include "bench.h"

enum { kSymbols = 32, kText = 1500, kNodes = 2 * kSymbols, kMaxBits = 24 };

static u8 gText[kText], gPacked[kText], gLength[kSymbols];
static u16 gCount[kNodes], gParent[kNodes];
static u32 gCode[kSymbols];
static u16 gFirstIndex[kMaxBits + 1], gOrder[kSymbols], gOfLength[kMaxBits + 1];

static s32 take_least(s32 nodes)
{
    s32 i, best = -1;

    for (i = 0; i < nodes; i++)
        if (gCount[i] && !gParent[i] && (best < 0 || gCount[i] < gCount[best]))
            best = i;
    return best;
}

static SEPARATE void find_lengths(void)
{
    s32 nodes = kSymbols, i, left, right, at;

    for (i = 0; i < kNodes; i++)
        gParent[i] = 0;
    for (;;) {
        left = take_least(nodes);
        gParent[left] = nodes;
        right = take_least(nodes);
        if (right < 0)
            break;
        gParent[right] = nodes;
        gCount[nodes++] = gCount[left] + gCount[right];
    }
    gParent[left] = 0;
    for (i = 0; i < kSymbols; i++)
        for (gLength[i] = 0, at = i; gCount[i] && gParent[at]; at = gParent[at])
            gLength[i]++;
}

static SEPARATE void make_codes(void)
{
    u32 code = 0;
    s32 bits, i, used = 0;

    for (bits = 1; bits <= kMaxBits; bits++, code <<= 1) {
        gFirstIndex[bits] = used;
        gOfLength[bits] = 0;
        for (i = 0; i < kSymbols; i++)
            if (gLength[i] == bits) {
                gCode[i] = code++;
                gOrder[used++] = i;
                gOfLength[bits]++;
            }
    }
}

static SEPARATE s32 pack(u8 *out, const u8 *text, s32 count)
{
    u8 *start = out;
    u32 held = 0, bits = 0;

    for (; count--; text++) {
        held = held << gLength[*text] | gCode[*text];
        for (bits += gLength[*text]; bits >= 8; bits -= 8)
            *out++ = held >> (bits - 8);
    }
    *out++ = held << (8 - bits);
    return out - start;
}

static SEPARATE u32 unpack(const u8 *in, s32 count)
{
    u32 sum = 0, held = 0, left = 0;

    while (count--) {
        s32 code = 0, first = 0, bits = 0;

        do {
            first = (first + (bits ? gOfLength[bits] : 0)) << 1;
            if (!left--) {
                held = *in++;
                left = 7;
            }
            code = code << 1 | (held >> left & 1);
            bits++;
        } while (code - first >= gOfLength[bits]);
        sum = mix(sum, gOrder[gFirstIndex[bits] + code - first]);
    }
    return sum;
}

u32 huffman(void)
{
    u32 seed = 19, sum;
    s32 i, size;

    for (i = 0; i < kNodes; i++)
        gCount[i] = 0;
    for (i = 0; i < kText; i++) {
        u32 draw = next_random(&seed) >> 16;

        gText[i] = (draw & 31) * (draw >> 5 & 31) * (draw >> 10 & 31) >> 10;
        gCount[gText[i]]++;
    }
    find_lengths();
    make_codes();
    size = pack(gPacked, gText, kText);
    sum = unpack(gPacked, kText);
    for (i = 0; i < kText; i++)
        seed = mix(seed, gText[i]);
    return mix(mix(sum, size), seed);
}
