/* Everything on the screen. Objects stay clear of the wall, so nothing needs clipping. */

#include "xquest.h"

enum {
    kBracket = 5,      /* pixels: length of a mark's arms, where pixels touch */
    kTick = 2,         /* and where only boxes overlap */
    kMarkDistance = 2, /* of the marks from the box */
    kFigures = 3,
    kMost = 999, /* that three digits can show */
    kGemsLeft = 260,
    kBumpsLeft = 340,
    kFiguresTop = 6,
    kBetween = 6 /* an icon and its digits */
};

static const u8 gBrightness[4] = {kColour_D, kColour_g, kColour_G, kColour_c};
static const u8 gWallColours[kWall] = {kColour_b, kColour_B, kColour_c, kColour_B};

/* What is on the screen now. */
static struct {
    scalar x, y;
    s16 wide, high;
    u8 is_marked;
} gDrawn[kMaxObjects];
static s32 gShown[2]; /* counts */

/* Fill a box, widened to whole words. */
static void FillBox(s32 left, s32 top, s32 right, s32 bottom, u8 colour)
{
    s32 begin = left & ~3, words = (((right + 3) & ~3) - begin) >> 2;
    u8 *row = SCREEN + top * kScreenWidth + begin;

    for (; top < bottom; top++, row += kScreenWidth) {
        u32 *word = (u32 *)row, *end = word + words;

        while (word < end)
            *word++ = FOUR_PIXELS(colour, colour);
    }
}

/* Draw a picture: each row is runs of opaque pixels, (pixels to skip, number, colours), and ends with an empty run. */
static void DrawPicture(s32 x, s32 y, const struct picture *picture)
{
    const u8 *from = picture->runs;
    u8 *row = SCREEN + y * kScreenWidth + x;
    s32 rows = picture->high;

    for (; rows > 0; rows--, row += kScreenWidth) {
        u8 *to = row;
        s32 count;

        while (to += *from++, (count = *from++) != 0) {
            for (; count >= 4; count -= 4) {
                *to++ = *from++;
                *to++ = *from++;
                *to++ = *from++;
                *to++ = *from++;
            }
            for (; count > 0; count--)
                *to++ = *from++;
        }
    }
}

/* Draw one corner of a mark, whose arms go to the right or left and down or up by `length` pixels in all. */
static void DrawCorner(u8 *corner, s32 across, s32 down, s32 length, u8 colour)
{
    s32 i;

    for (i = 0; i < length; i++)
        corner[i * across] = corner[i * down] = colour;
}

/* Mark an object: brackets at its corners if its pixels touch another's, ticks if only boxes overlap. */
static void DrawMark(scalar number, s32 x, s32 y)
{
    s32 across = gSprites[number].wide + 2 * kMarkDistance - 1;
    s32 down = (gSprites[number].high + 2 * kMarkDistance - 1) * kScreenWidth;
    s32 length = gCollisionArray[number] ? kBracket : kTick;
    u8 colour = gCollisionArray[number] ? kColour_w : kColour_G;
    u8 *corner = SCREEN + (y - kMarkDistance) * kScreenWidth + x - kMarkDistance;

    DrawCorner(corner, 1, kScreenWidth, length, colour);
    DrawCorner(corner + across, -1, kScreenWidth, length, colour);
    DrawCorner(corner + down, 1, -kScreenWidth, length, colour);
    DrawCorner(corner + down + across, -1, -kScreenWidth, length, colour);
}

static void DrawStars(void)
{
    const struct star *each;

    for (each = gStars; each < gStars + kStars; each++)
        SCREEN[each->y * kScreenWidth + each->x] = gBrightness[each->bright];
}

static void DrawCount(s32 left, s32 count)
{
    s32 x = left + kFigures * gPictures[kDigits].wide, i;
    u16 rest = count > kMost ? kMost : count;

    FillBox(left, kFiguresTop, x, kFiguresTop + gPictures[kDigits].high, kBlack);
    for (i = 0; i < kFigures; i++, rest /= 10) {
        x -= gPictures[kDigits].wide;
        DrawPicture(x, kFiguresTop, &gPictures[kDigits + rest % 10]);
    }
}

/* Draw what the counts stand for, each left of its digits, in the middle of the panel. */
static void DrawIcon(s32 left, s32 shape)
{
    const struct picture *picture = &gPictures[shape];

    DrawPicture(left - kBetween - picture->wide, (kPanelHeight - picture->high) >> 1, picture);
}

static void DrawWall(void)
{
    s32 i;

    FillBox(0, 0, kScreenWidth, kScreenHeight, kBlack);
    for (i = 0; i < kWall; i++) {
        s32 top = kPanelHeight + i, bottom = kScreenHeight - 1 - i, left = i, right = kScreenWidth - 1 - i;
        u8 *pixel = SCREEN + top * kScreenWidth, colour = gWallColours[i];
        s32 x;

        for (x = left; x <= right; x++)
            pixel[x] = pixel[(bottom - top) * kScreenWidth + x] = colour;
        for (; top <= bottom; top++, pixel += kScreenWidth)
            pixel[left] = pixel[right] = colour;
    }
    DrawIcon(kGemsLeft, kEmerald);
    DrawIcon(kBumpsLeft, kMine);
    DrawCount(kGemsLeft, 0);
    DrawCount(kBumpsLeft, 0);
}

static void EraseSprites(void)
{
    scalar i;

    for (i = 0; i < gNumObjects; i++) {
        s32 around = gDrawn[i].is_marked ? kMarkDistance : 0;

        FillBox(gDrawn[i].x - around, gDrawn[i].y - around, gDrawn[i].x + gDrawn[i].wide + around,
                gDrawn[i].y + gDrawn[i].high + around, kBlack);
    }
}

static void DrawSprites(void)
{
    scalar i;

    for (i = 0; i < gNumObjects; i++) {
        gDrawn[i].x = gObjects[i].x;
        gDrawn[i].y = gObjects[i].y;
        gDrawn[i].wide = gSprites[i].wide;
        gDrawn[i].high = gSprites[i].high;
        gDrawn[i].is_marked = gBoxArray[i];
        DrawPicture(gDrawn[i].x, gDrawn[i].y, &gPictures[gSprites[i].shape]);
    }
    for (i = 0; i < gNumObjects; i++)
        if (gDrawn[i].is_marked)
            DrawMark(i, gDrawn[i].x, gDrawn[i].y);
}

static void ShowCount(s32 which, s32 left, s32 count)
{
    if (gShown[which] == count)
        return;
    gShown[which] = count;
    DrawCount(left, count);
}

void DrawFrame(void)
{
    if (gFrame == 0)
        DrawWall();
    else
        EraseSprites();
    DrawStars();
    ShowCount(0, kGemsLeft, gGems);
    ShowCount(1, kBumpsLeft, gBumps);
    DrawSprites();
}
