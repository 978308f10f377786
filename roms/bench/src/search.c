/* Searching text: character by character, by Horspool's table of jumps (1980), and with wildcards. */

#include "bench.h"

enum { kText = 3000, kMaxPattern = 12, kPatterns = 10 };

static char gText[kText + 1];

static void make_text(u32 seed)
{
    s32 i;

    for (i = 0; i < kText; i++) {
        u32 draw = next_random(&seed) >> 24;

        gText[i] = draw < 40 ? ' ' : 'a' + draw % 7;
    }
    gText[kText] = 0;
}

static s32 length_of(const char *text)
{
    const char *end = text;

    while (*end)
        end++;
    return end - text;
}

static SEPARATE s32 plain_search(const char *text, const char *pattern)
{
    const char *start, *here, *wanted;

    for (start = text; *start; start++) {
        for (here = start, wanted = pattern; *wanted && *here == *wanted; here++)
            wanted++;
        if (!*wanted)
            return start - text;
    }
    return -1;
}

static SEPARATE s32 horspool(const u8 *text, s32 count, const u8 *pattern, s32 length)
{
    u8 jump[256];
    s32 i, last = length - 1;

    for (i = 0; i < COUNT(jump); i++)
        jump[i] = length;
    for (i = 0; i < last; i++)
        jump[pattern[i]] = last - i;
    for (i = 0; i + last < count; i += jump[text[i + last]]) {
        s32 at = last;

        while (at >= 0 && text[i + at] == pattern[at])
            at--;
        if (at < 0)
            return i;
    }
    return -1;
}

/* '*' is any text, '?' any character. */
static SEPARATE s32 matches(const char *pattern, const char *text)
{
    const char *star = 0, *back = 0;

    for (; *text;)
        if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (*pattern == '*') {
            star = ++pattern;
            back = text;
        } else if (star) {
            pattern = star;
            text = ++back;
        } else
            return 0;
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

u32 search(void)
{
    char pattern[kMaxPattern + 1];
    u32 sum = 0, seed = 8;
    s32 i, j;

    make_text(7);
    for (i = 0; i < kPatterns; i++) {
        s32 from = next_random(&seed) % (kText - kMaxPattern), length = 4 + i % 8;

        for (j = 0; j < length; j++)
            pattern[j] = gText[from + j];
        pattern[length] = 0;
        if (i % 4 == 3)
            pattern[length - 1] = 'z';
        sum = mix(sum, plain_search(gText, pattern));
        sum = mix(sum, horspool((u8 *)gText, length_of(gText), (u8 *)pattern, length));
    }
    sum = mix(sum, matches("*abc*d?f*g*", gText));
    return mix(sum, matches("*c d*e?a*zz", gText));
}
