/* Recursion: queens on a board, the towers of Hanoi, Ackermann's function, permutations. */

#include "bench.h"

enum { kPegs = 3 };

static s16 gPegs[kPegs];
static u32 gMoves;

static SEPARATE u32 queens(u32 free_columns, u32 left, u32 right, u32 all)
{
    u32 found = 0, places = free_columns & ~(left | right);

    if (!free_columns)
        return 1;
    while (places) {
        u32 place = places & -places;

        places ^= place;
        found += queens(free_columns ^ place, (left | place) << 1 & all, (right | place) >> 1, all);
    }
    return found;
}

static SEPARATE void hanoi(s32 height, s32 from, s32 to, s32 spare)
{
    if (height > 1)
        hanoi(height - 1, from, spare, to);
    gPegs[from] -= height;
    gPegs[to] += height;
    gMoves = mix(gMoves, gPegs[0] * 64 + gPegs[1]);
    if (height > 1)
        hanoi(height - 1, spare, to, from);
}

static SEPARATE u32 ackermann(u32 m, u32 n)
{
    return m ? ackermann(m - 1, n ? ackermann(m, n - 1) : 1) : n + 1;
}

static SEPARATE u32 permute(u8 *items, s32 count, u32 sum)
{
    s32 i;

    if (count == 1)
        return mix(sum, items[0] << 16 | items[2] << 8 | items[4]);
    for (i = 0; i < count; i++) {
        u8 item;

        sum = permute(items, count - 1, sum);
        item = items[count & 1 ? 0 : i];
        items[count & 1 ? 0 : i] = items[count - 1];
        items[count - 1] = item;
    }
    return sum;
}

u32 recursion(void)
{
    u8 items[6];
    s32 i;
    u32 sum;

    for (i = 0; i < COUNT(items); i++)
        items[i] = i + 1;
    gPegs[0] = 45;
    gPegs[1] = gPegs[2] = 0;
    gMoves = 0;
    hanoi(9, 0, 1, 2);
    sum = mix(gMoves, queens(63, 0, 0, 63));
    sum = mix(sum, ackermann(2, 12));
    return permute(items, COUNT(items), sum);
}
