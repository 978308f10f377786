/* A state machine: finds words, numbers, comments and strings in a text, as a compiler's first pass does. */

#include "bench.h"

enum { kText = 2500 };
enum state { kBetween, kWord, kNumber, kFraction, kHex, kString, kEscape, kSlash, kComment, kStar };

static const char kAlphabet[] = "  \n  aebcxf_tz  0123456789  ..  \"\"\\  //**  +-;(){}";
static u8 gText[kText];

static void make_text(u32 seed)
{
    s32 i;

    for (i = 0; i < kText; i++)
        gText[i] = kAlphabet[(next_random(&seed) >> 16) % (sizeof kAlphabet - 1)];
}

static inline s32 is_digit(u8 c)
{
    return c >= '0' && c <= '9';
}

static inline s32 is_letter(u8 c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

static enum state begin(u8 c)
{
    return is_letter(c) ? kWord : is_digit(c) ? kNumber : c == '"' ? kString : c == '/' ? kSlash : kBetween;
}

static SEPARATE u32 scan(const u8 *text, const u8 *end, u32 *counts)
{
    enum state state = kBetween, next;
    u32 sum = 0, value = 0;

    for (; text < end; text++) {
        u8 c = *text;

        next = state;
        switch (state) {
        case kBetween:
            next = begin(c);
            value = c;
            break;
        case kWord:
            if (is_letter(c) || is_digit(c))
                value = value * 31 + c;
            else
                next = begin(c);
            break;
        case kNumber:
            if (is_digit(c))
                value = value * 10 + (c - '0');
            else
                next = c == '.' ? kFraction : c == 'x' ? kHex : begin(c);
            break;
        case kFraction:
            if (!is_digit(c))
                next = begin(c);
            break;
        case kHex:
            if (is_digit(c) || (c >= 'a' && c <= 'f'))
                value = value << 4 | (c & 15);
            else
                next = begin(c);
            break;
        case kString:
            next = c == '"' || c == '\n' ? kBetween : c == '\\' ? kEscape : kString;
            break;
        case kEscape:
            next = kString;
            break;
        case kSlash:
            next = c == '*' ? kComment : begin(c);
            break;
        case kComment:
            next = c == '*' ? kStar : kComment;
            break;
        case kStar:
            next = c == '/' ? kBetween : c == '*' ? kStar : kComment;
            break;
        }
        if (next != state) {
            counts[next]++;
            sum = mix(sum, value);
            state = next;
        }
    }
    return sum;
}

u32 state(void)
{
    u32 counts[kStar + 1], sum = 0, seed;
    s32 i;

    for (i = 0; i <= kStar; i++)
        counts[i] = 0;
    for (seed = 9; seed < 12; seed++) {
        make_text(seed);
        sum = mix(sum, scan(gText, gText + kText, counts));
    }
    for (i = 0; i <= kStar; i++)
        sum = mix(sum, counts[i]);
    return sum;
}
