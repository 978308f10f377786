/* Sorting: quicksort with insertion sort for short stretches, Shell sort, and a heap. */

#include "bench.h"

enum { kCount = 600, kShort = 8 };

static s32 gKeys[kCount];

static void fill(u32 seed)
{
    s32 i;

    for (i = 0; i < kCount; i++)
        gKeys[i] = (s32)next_random(&seed) >> 8;
}

static u32 checksum(u32 sum)
{
    s32 i;

    for (i = 0; i < kCount; i++)
        sum = mix(sum, gKeys[i]);
    return sum;
}

static void insertion_sort(s32 *first, s32 *last)
{
    s32 *here, *place, key;

    for (here = first + 1; here <= last; here++) {
        key = *here;
        for (place = here; place > first && place[-1] > key; place--)
            *place = place[-1];
        *place = key;
    }
}

static SEPARATE void quick_sort(s32 *first, s32 *last)
{
    while (last - first > kShort) {
        s32 pivot = first[(last - first) / 2], *low = first, *high = last, key;

        while (low <= high) {
            while (*low < pivot)
                low++;
            while (*high > pivot)
                high--;
            if (low <= high) {
                key = *low;
                *low++ = *high;
                *high-- = key;
            }
        }
        quick_sort(first, high);
        first = low;
    }
    insertion_sort(first, last);
}

static SEPARATE void shell_sort(s32 *keys, s32 count)
{
    s32 gap, i, j, key;

    for (gap = 301; gap; gap = gap / 3)
        for (i = gap; i < count; i++) {
            key = keys[i];
            for (j = i; j >= gap && keys[j - gap] > key; j -= gap)
                keys[j] = keys[j - gap];
            keys[j] = key;
        }
}

static void sift(s32 *keys, s32 root, s32 count)
{
    s32 key = keys[root], child;

    while ((child = 2 * root + 1) < count) {
        if (child + 1 < count && keys[child + 1] > keys[child])
            child++;
        if (keys[child] <= key)
            break;
        keys[root] = keys[child];
        root = child;
    }
    keys[root] = key;
}

static SEPARATE void heap_sort(s32 *keys, s32 count)
{
    s32 i, key;

    for (i = count / 2; i--;)
        sift(keys, i, count);
    for (i = count - 1; i > 0; i--) {
        key = keys[0];
        keys[0] = keys[i];
        keys[i] = key;
        sift(keys, 0, i);
    }
}

u32 sort(void)
{
    u32 sum;

    fill(1);
    quick_sort(gKeys, gKeys + kCount - 1);
    sum = checksum(0);
    fill(2);
    shell_sort(gKeys, kCount);
    sum = checksum(sum);
    fill(3);
    heap_sort(gKeys, kCount);
    return checksum(sum);
}
