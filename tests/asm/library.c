/* What the kit's C library does on every machine; numbers in floating point are compared by the test. */

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static double from(uint64_t bits)
{
    union {
        uint64_t bits;
        double value;
    } it = {bits};

    return it.value;
}

/* Written by the test: prints numbers, each in a line. */
static void write(void)
{
#include "printed.h"
}

static jmp_buf place;
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void jump(int depth) { volatile char room[64]; room[0] = depth; if (depth) jump(depth - 1); longjmp(place, room[0]); }

static void memory(void)
{
    static unsigned char *blocks[64];
    unsigned seed = 1;

    for (int i = 0; i < 2000; i++) {
        unsigned number = (seed = seed * 1103515245 + 12345) >> 16 & 63, size = (seed >> 8) % 3000 + 1;

        if (blocks[number]) {
            assert(blocks[number][0] == number && blocks[number][blocks[number][1]] == number);
            blocks[number] = number & 1 ? realloc(blocks[number], size + 400) : (free(blocks[number]), NULL);
            assert(!blocks[number] || blocks[number][0] == number);
        } else {
            assert((blocks[number] = malloc(size + 256)) && !((unsigned)blocks[number] & 7));
            memset(blocks[number], number, size + 256);
            blocks[number][1] = 2 + size % 250;
        }
    }
    for (int i = 0; i < 64; i++)
        free(blocks[i]);
    assert(malloc(6 << 20) && !malloc(6 << 20) && errno == ENOMEM && !calloc(1 << 20, 1 << 20));
}

int main(void)
{
    int numbers[100], key, value = setjmp(place);
    char words[] = ",one,,two;three", *end, *copy;

    if (!value)
        jump(5);
    assert(value == 1); /* longjmp never returns 0 */
    memory();
    srand(7);
    for (int i = 0; i < 100; i++)
        numbers[i] = rand() % 50;
    qsort(numbers, 100, sizeof numbers[0], compare);
    for (int i = 1; i < 100; i++)
        assert(numbers[i - 1] <= numbers[i]);
    key = numbers[60];
    assert(*(int *)bsearch(&key, numbers, 100, sizeof numbers[0], compare) == key);
    key = -1;
    assert(!bsearch(&key, numbers, 100, sizeof numbers[0], compare));
    assert(strtol("  -12x", &end, 10) == -12 && *end == 'x' && strtoul("0xffffffff", NULL, 0) == 0xFFFFFFFF);
    assert(strtol("99999999999", NULL, 10) == 0x7FFFFFFF && errno == ERANGE && strtoll("-9223372036854775808", NULL, 10) < 0);
    assert(!strcmp(strtok(words, ",;"), "one") && !strcmp(strtok(NULL, ",;"), "two") && !strcmp(strtok(NULL, ",;"), "three"));
    assert(!strtok(NULL, ",;") && !strcmp(strstr("hello world", "o w"), "o world") && !strstr("abc", "abd"));
    assert(strspn("aab", "a") == 2 && strcspn("aab", "b") == 2 && !strpbrk("abc", "x") && !strcasecmp("ABc", "abC"));
    copy = strdup("text");
    assert(!strcmp(strncat(strcpy(realloc(copy, 20), "ab"), "cdef", 2), "abcd") && strrchr("a.b.c", '.')[1] == 'c');
    assert(toupper('x') == 'X' && isspace('\t') && !isalpha('1') && isxdigit('F') && memchr("abc", 'c', 3) && !memchr("abc", 'c', 2));
    assert(lldiv(-7000000000000LL, 3000).rem == -1000 && clock() >= 0 && time(NULL) >= 0 && !fopen("file", "r"));
    assert(snprintf(words, 6, "%s-%" PRId64, "abc", (int64_t)-5) == 6 && !strcmp(words, "abc--"));
    assert(__builtin_popcountll(0xF0F0000000000001) == 9 && __builtin_ctzll(1ull << 40) == 40 && getenv("HOME") == NULL);
    frexp(12.0, &value);
    assert(value == 4 && round(-2.5) == -3 && rint(2.5) == 2 && copysign(1, -0.0) == -1 && isnan(sqrt(-1)) && ldexp(3, 4) == 48);
    write();
    fputs("end\n", stderr);
    assert(value == 5);
}
