/* What all ROMs with the font share. */

#ifndef TEXT_H
#define TEXT_H

#include "../../common/isa.h"

enum {
    kRowBytes = 640, /* of the screen */
    kCell = 12,      /* pixels from one character to the next */
    kGlyphHigh = 14
};

extern const u8 gGold[kGlyphHigh], gBlue[kGlyphHigh]; /* colours of a text's rows, from the top */

void FillBox(s32 left, s32 top, s32 right, s32 bottom, u8 colour); /* widened to whole words */
void DrawText(s32 x, s32 y, const char *text, const u8 *colours);  /* 0..9, A..Z and spaces */
void DrawNumber(s32 x, s32 y, u16 number, s32 figures, const u8 *colours);

#endif
