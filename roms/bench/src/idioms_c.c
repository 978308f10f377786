#include "idioms.h"

void copy_blocks(u32 *to, const u32 *from, u32 blocks)
{
    u32 count = blocks * 8;

    while (count--)
        *to++ = *from++;
}

void fill_words(u32 *to, u32 word, u32 count)
{
    while (count--)
        *to++ = word;
}

u32 find_byte(const u8 *bytes, u32 count, u32 wanted)
{
    u32 i = 0;

    while (i < count && bytes[i] != wanted)
        i++;
    return i;
}

u32 common_bytes(const u8 *left, const u8 *right, u32 count)
{
    u32 i = 0;

    while (i < count && left[i] == right[i])
        i++;
    return i;
}

u32 add_decimal(u8 *to, const u8 *from, u32 count)
{
    u32 carry = 0;

    while (count--) {
        u32 low = (to[count] & 15) + (from[count] & 15) + carry;
        u32 high = (to[count] >> 4) + (from[count] >> 4) + (low > 9);

        low -= low > 9 ? 10 : 0;
        carry = high > 9;
        to[count] = (high - (carry ? 10 : 0)) << 4 | low;
    }
    return carry;
}

u32 rotate_wide(u32 *pair, u32 count)
{
    u32 carry = 0;

    while (count--) {
        u32 out = pair[0] >> 31;

        pair[0] = pair[0] << 1 | pair[1] >> 31;
        pair[1] = pair[1] << 1 | carry;
        carry = out;
    }
    return carry;
}
