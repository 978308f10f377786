/* Objects on the screen: a one-pixel black outline, or the 50 % grey of 1994 (rows AA, 55 anchored to the screen).

   The corner of an object lies on the screen, as the routine demands; its right and lower part may not. */

#include "sectors.h"

static inline s32 AtMost(s32 value, s32 most)
{
    return value > most ? most : value;
}

/* Fill whole words and return the address behind them. A row of an object has at most nine, which need no loop. */
static inline u8 *FillWords(u8 *pixel, s32 count, u32 four)
{
    u32 *word = (u32 *)pixel;

    for (; count > 9; count--)
        *word++ = four;
    switch (count) {
    case 9: *word++ = four; /* fall through */
    case 8: *word++ = four; /* fall through */
    case 7: *word++ = four; /* fall through */
    case 6: *word++ = four; /* fall through */
    case 5: *word++ = four; /* fall through */
    case 4: *word++ = four; /* fall through */
    case 3: *word++ = four; /* fall through */
    case 2: *word++ = four; /* fall through */
    case 1: *word++ = four;
    }
    return (u8 *)word;
}

/* A stretch of a row: up to three pixels, whole words, up to three pixels. */
struct span {
    s32 head, words, tail;
};

/* Return what the screen shows of columns left..right-1: at least three, or all up to the right side. */
static inline struct span SpanOf(s32 left, s32 right)
{
    struct span span;

    right = AtMost(right, kScreenWidth);
    span.head = -left & 3;
    span.words = (right - left - span.head) >> 2;
    span.tail = right & 3;
    return span;
}

/* Fill a stretch with `four` pixels, the first of which belongs to the columns divisible by four. */
static inline void FillSpan(u8 *pixel, struct span span, u32 four)
{
    if (span.head & 1)
        *pixel++ = SECOND_PIXEL(four);
    if (span.head & 2) {
        *(u16 *)pixel = (u16)four;
        pixel += 2;
    }
    pixel = FillWords(pixel, span.words, four);
    if (span.tail & 2) {
        *(u16 *)pixel = (u16)four;
        pixel += 2;
    }
    if (span.tail & 1)
        *pixel = FIRST_PIXEL(four);
}

/* Fill what the screen shows of a rectangle: even rows with `even`, odd rows with `odd`. */
static void FillRect(s32 left, s32 top, s32 right, s32 bottom, u32 even, u32 odd)
{
    struct span span = SpanOf(left, right);
    u8 *row = SCREEN + top * kScreenWidth + left;

    bottom = AtMost(bottom, kScreenHeight);
    for (; top < bottom; top++, row += kScreenWidth)
        FillSpan(row, span, top & 1 ? odd : even);
}

/* Draw the one-pixel frame just inside an object's rectangle. */
static void FrameObject(s32 x, s32 y, u8 index)
{
    u32 four = FOUR_PIXELS(index, index);
    struct span span = SpanOf(x, x + kObjectSide);
    s32 across = x + kObjectSide <= kScreenWidth ? kObjectSide - 1 : 0;
    s32 rows = AtMost(y + kObjectSide, kScreenHeight) - y;
    u8 *pixel = SCREEN + y * kScreenWidth + x;

    FillSpan(pixel, span, four);
    if (rows == kObjectSide)
        FillSpan(pixel + (kObjectSide - 1) * kScreenWidth, span, four);
    for (; rows > 0; rows--, pixel += kScreenWidth)
        pixel[0] = pixel[across] = index;
}

void ClearScreen(void)
{
    FillRect(0, 0, kScreenWidth, kScreenHeight, kWhite, kWhite);
}

void DrawObject(scalar x, scalar y, u8 collided)
{
    if (collided)
        FrameObject(x, y, kBlack);
    else
        FillRect(x, y, x + kObjectSide, y + kObjectSide, FOUR_PIXELS(kBlack, kWhite), FOUR_PIXELS(kWhite, kBlack));
}

/* Take an object off the screen again; a filled one with the white around it, up to whole words. */
void EraseObject(scalar x, scalar y, u8 collided)
{
    if (collided)
        FrameObject(x, y, kWhite);
    else
        FillRect(x & ~3, y, (x + kObjectSide + 3) & ~3, y + kObjectSide, kWhite, kWhite);
}
