/* Boxes and texts in the font of the drawings. */

#include "text.h"
#include "drawings.h"

/* Colours of a text's rows, from the top. */
const u8 gGold[kGlyphHigh] = {
    kColour_O, kColour_O, kColour_O, kColour_O, kColour_o, kColour_o, kColour_o,
    kColour_o, kColour_Y, kColour_Y, kColour_Y, kColour_Y, kColour_y, kColour_y
};
const u8 gBlue[kGlyphHigh] = {
    kColour_C, kColour_C, kColour_C, kColour_C, kColour_c, kColour_c, kColour_c,
    kColour_c, kColour_c, kColour_c, kColour_B, kColour_B, kColour_B, kColour_B
};

/* Fill a box, widened to whole words. */
void FillBox(s32 left, s32 top, s32 right, s32 bottom, u8 colour)
{
    s32 begin = left & ~3, words = (((right + 3) & ~3) - begin) >> 2;
    u8 *row = SCREEN + top * kRowBytes + begin;

    for (; top < bottom; top++, row += kRowBytes) {
        u32 *word = (u32 *)row, *end = word + words;

        while (word < end)
            *word++ = FOUR_PIXELS(colour, colour);
    }
}

/* Draw a character in the colours of a text's rows. */
static void DrawGlyph(s32 x, s32 y, s32 glyph, const u8 *colours)
{
    const unsigned long *bits = gPictures[kFont + glyph].mask;
    u8 *row = SCREEN + y * kRowBytes + x;
    s32 i, column;

    for (i = 0; i < kGlyphHigh; i++, row += kRowBytes) {
        u32 rest = bits[i];

        for (column = 0; rest; column++, rest <<= 1)
            if (rest & 0x80000000)
                row[column] = colours[i];
    }
}

void DrawText(s32 x, s32 y, const char *text, const u8 *colours)
{
    for (; *text; text++, x += kCell)
        if (*text != ' ')
            DrawGlyph(x, y, *text <= '9' ? *text - '0' : *text - 'A' + 10, colours);
}

void DrawNumber(s32 x, s32 y, u16 number, s32 figures, const u8 *colours)
{
    for (x += figures * kCell; figures > 0; figures--, number /= 10) {
        x -= kCell;
        DrawGlyph(x, y, number % 10, colours);
    }
}
