/* qsort, by heap: at most about 2 n log2 n comparisons, no memory; and bsearch. */

#include <stdlib.h>

typedef int compare_function(const void *, const void *);

static void swap(char *a, char *b, size_t size)
{
    while (size--) {
        char byte = *a;
        *a++ = *b;
        *b++ = byte;
    }
}

/* Move an element down until none of the two below it is larger. */
static void sink(char *array, size_t at, size_t count, size_t size, compare_function *compare)
{
    size_t child;

    while ((child = 2 * at + 1) < count) {
        if (child + 1 < count && compare(array + child * size, array + (child + 1) * size) < 0)
            child++;
        if (compare(array + at * size, array + child * size) >= 0)
            return;
        swap(array + at * size, array + child * size, size);
        at = child;
    }
}

void qsort(void *array, size_t count, size_t size, compare_function *compare)
{
    size_t at;

    for (at = count / 2; at-- > 0;)
        sink(array, at, count, size, compare);
    while (count > 1) {
        count--;
        swap(array, (char *)array + count * size, size);
        sink(array, 0, count, size, compare);
    }
}

void *bsearch(const void *key, const void *array, size_t count, size_t size, compare_function *compare)
{
    const char *from = array;

    while (count) {
        const char *middle = from + count / 2 * size;
        int order = compare(key, middle);

        if (!order)
            return (void *)middle;
        if (order > 0) {
            from = middle + size;
            count -= count / 2 + 1;
        } else
            count /= 2;
    }
    return NULL;
}
