/* Everything on the screen. Tanks stay clear of the wall, so nothing needs clipping. */

#include "tanks.h"

enum {
    kFrameDistance = 3, /* pixels: of the frame around a tank that collides */
    kGun = 6,           /* how far the gun reaches beyond the deck */
    kTick = 3,          /* length of the ticks at the corners of a box that only overlaps */
    kTickDistance = 2,  /* of the ticks from the box */
    kTrack = 3,         /* pixels of the tracks that the deck leaves free on both sides */
    kFigures = 3,
    kMost = 999, /* that three digits can show */
    kHitsLeft = 260,
    kBumpsLeft = 340,
    kFiguresTop = 6,
    kBetween = 6, /* an icon and its digits */
    kBlastStep = 2 * kPixel
};

/* What is drawn somewhere, to be erased in the next frame: right and bottom exclusive. */
struct extent {
    s16 left, top, right, bottom;
};

static const u8 gDecks[] = {kColour_b, kColour_l, kColour_m, kColour_h};
static const u8 gTurrets[] = {kColour_B, kColour_L, kColour_M, kColour_H};
static const u8 gWallColours[kWall] = {kColour_w, kColour_W, kColour_w, kColour_k};

static struct extent gDrawn[kMaxTanks + 2]; /* the shell and the blast last */
static struct extent *gExtent;
static struct span {
    s16 left, right; /* both included */
} gSpans[kScreenHeight];
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

/* Fill part of a row, from one pixel to another, both included. */
static inline void FillSpan(u8 *to, u8 *last, u8 colour)
{
    u8 *word_end = (u8 *)((unsigned long)(last + 1) & ~3UL);

    if (last - to >= 8) {
        while ((unsigned long)to & 3)
            *to++ = colour;
        for (; to < word_end; to += 4)
            *(u32 *)to = FOUR_PIXELS(colour, colour);
    }
    while (to <= last)
        *to++ = colour;
}

/* Note that a box is drawn on. */
static void Extend(s32 left, s32 top, s32 right, s32 bottom)
{
    if (left < gExtent->left)
        gExtent->left = left;
    if (top < gExtent->top)
        gExtent->top = top;
    if (right > gExtent->right)
        gExtent->right = right;
    if (bottom > gExtent->bottom)
        gExtent->bottom = bottom;
}

static void BeginExtent(s32 number)
{
    gExtent = &gDrawn[number];
    gExtent->left = kScreenWidth;
    gExtent->top = kScreenHeight;
    gExtent->right = gExtent->bottom = 0;
}

static inline void WidenLeft(struct span *span, s16 x)
{
    if (x < span->left)
        span->left = x;
}

static inline void WidenRight(struct span *span, s16 x)
{
    if (x > span->right)
        span->right = x;
}

/* The slope of a side, 8 fraction bits; sides are shorter than 128 pixels. */
static inline s32 Slope(s32 across, s32 down)
{
    if (across < 0)
        return -(s32)((u16)(-across << 8) / (u16)down);
    return (u16)(across << 8) / (u16)down;
}

/* Widen the spans to a side, row by row: clockwise, sides that lead down are right and those that lead up are left. */
static inline void TraceEdge(const struct point *from, const struct point *to)
{
    struct span *span = &gSpans[from->y], *last = &gSpans[to->y];
    s32 x, slope;

    WidenLeft(span, from->x);
    WidenRight(span, from->x);
    if (span < last) {
        slope = Slope(to->x - from->x, to->y - from->y);
        for (x = (from->x << 8) + 128 + slope; ++span < last; x += slope)
            WidenRight(span, x >> 8);
    } else if (span > last) {
        slope = Slope(from->x - to->x, from->y - to->y);
        for (x = (to->x << 8) + 128 + slope; ++last < span; x += slope)
            WidenLeft(last, x >> 8);
    }
}

/* Fill a rectangle at any angle. */
static void FillRectangle(const struct rectangle *rectangle, u8 colour)
{
    struct point corners[4];
    s32 left = kScreenWidth, top = kScreenHeight, right = 0, bottom = 0, k;
    struct span *span;
    u8 *row;

    FindCorners(rectangle, corners);
    for (k = 0; k < 4; k++) {
        s32 x = corners[k].x >>= 5, y = corners[k].y >>= 5;

        if (x < left)
            left = x;
        if (x > right)
            right = x;
        if (y < top)
            top = y;
        if (y > bottom)
            bottom = y;
    }
    for (span = &gSpans[top]; span <= &gSpans[bottom]; span++) {
        span->left = kScreenWidth;
        span->right = 0;
    }
    for (k = 0; k < 4; k++)
        TraceEdge(&corners[k], &corners[(k + 1) & 3]);
    row = SCREEN + top * kScreenWidth;
    for (span = &gSpans[top]; span <= &gSpans[bottom]; span++, row += kScreenWidth)
        FillSpan(row + span->left, row + span->right, colour);
    Extend(left, top, right + 1, bottom + 1);
}

/* Fill a rectangle that is part of another, `along` Q11.5 from its middle in its direction. */
static void FillPart(const struct rectangle *whole, s32 along, s32 half_wide, s32 half_high, u8 colour)
{
    struct rectangle part = *whole;

    part.x += RotatedX(along, 0, Cosine(whole->angle), Sine(whole->angle));
    part.y += RotatedY(along, 0, Cosine(whole->angle), Sine(whole->angle));
    part.half_wide = half_wide;
    part.half_high = half_high;
    FillRectangle(&part, colour);
}

/* Draw a line, its ends included, with a pen of 2 x 2 pixels (Bresenham). */
static void DrawLine(s32 x0, s32 y0, s32 x1, s32 y1, u8 colour)
{
    s32 dx = x1 > x0 ? x1 - x0 : x0 - x1, dy = y1 > y0 ? y1 - y0 : y0 - y1, error = dx - dy;
    s32 across = x1 > x0 ? 1 : -1, down = y1 > y0 ? kScreenWidth : -kScreenWidth;
    u8 *pixel = SCREEN + y0 * kScreenWidth + x0, *end = SCREEN + y1 * kScreenWidth + x1;

    for (;;) {
        s32 twice = 2 * error;

        pixel[0] = pixel[1] = pixel[kScreenWidth] = pixel[kScreenWidth + 1] = colour;
        if (pixel == end)
            return;
        if (twice > -dy) {
            error -= dy;
            pixel += across;
        }
        if (twice < dx) {
            error += dx;
            pixel += down;
        }
    }
}

/* Draw the frame around a tank. */
static void FrameTank(const struct rectangle *tank)
{
    struct rectangle frame = *tank;
    struct point corners[4];
    s32 k;

    frame.half_wide += kFrameDistance * kPixel;
    frame.half_high += kFrameDistance * kPixel;
    FindCorners(&frame, corners);
    for (k = 0; k < 4; k++) {
        s32 x = corners[k].x >> 5, y = corners[k].y >> 5;

        DrawLine(x, y, corners[(k + 1) & 3].x >> 5, corners[(k + 1) & 3].y >> 5, kColour_r);
        Extend(x, y, x + 2, y + 2);
    }
}

/* Draw one corner of a box's mark, whose arms go right or left and down or up. */
static void DrawTick(u8 *corner, s32 across, s32 down)
{
    s32 i;

    for (i = 0; i < kTick; i++)
        corner[i * across] = corner[i * down] = kColour_n;
}

static void TickBox(const struct bound *bound)
{
    s32 left = (bound->px >> 5) - kTickDistance, top = (bound->py >> 5) - kTickDistance;
    s32 across = bound->wide + 2 * kTickDistance, down = (bound->high + 2 * kTickDistance) * kScreenWidth;
    u8 *corner = SCREEN + top * kScreenWidth + left;

    DrawTick(corner, 1, kScreenWidth);
    DrawTick(corner + across, -1, kScreenWidth);
    DrawTick(corner + down, 1, -kScreenWidth);
    DrawTick(corner + down + across, -1, -kScreenWidth);
    Extend(left, top, left + across + 1, top + bound->high + 2 * kTickDistance + 1);
}

/* Draw the gun, from the middle of a tank to some pixels before it. */
static void DrawGun(const struct rectangle *tank)
{
    s32 length = tank->half_wide + kGun * kPixel;
    s32 x = tank->x + RotatedX(length, 0, Cosine(tank->angle), Sine(tank->angle));
    s32 y = tank->y + RotatedY(length, 0, Cosine(tank->angle), Sine(tank->angle));

    DrawLine(tank->x >> 5, tank->y >> 5, x >> 5, y >> 5, kColour_k);
    Extend(x >> 5, y >> 5, (x >> 5) + 2, (y >> 5) + 2);
}

/* Draw a tank, the lowest first: tracks, deck, turret, gun; on the player's turret a white hatch. */
static void DrawTank(s32 number)
{
    const struct rectangle *tank = &gTanks[number];
    s32 kind = gDrives[number].kind, half = tank->half_high >> 1;

    FillRectangle(tank, kColour_k);
    FillPart(tank, 0, tank->half_wide - kPixel, tank->half_high - kTrack * kPixel, gDecks[kind]);
    FillPart(tank, -2 * kPixel, half + kPixel, half, gTurrets[kind]);
    DrawGun(tank);
    if (number == 0)
        FillPart(tank, -3 * kPixel, 2 * kPixel, 2 * kPixel, kColour_q);
}

static void DrawTanks(void)
{
    s32 i;

    for (i = 0; i < gNumObjects; i++) {
        BeginExtent(i);
        DrawTank(i);
    }
    for (i = 0; i < gNumObjects; i++) {
        gExtent = &gDrawn[i];
        if (gHitArray[i])
            FrameTank(&gTanks[i]);
        else if (gNearArray[i])
            TickBox(&gBounds[i]);
    }
}

/* A star of two squares that grows and shrinks. */
static void DrawBlast(void)
{
    s32 age = kBlastFrames - gBlast.left, size = (age < gBlast.left ? age : gBlast.left) * kBlastStep + kBlastStep, i;
    struct rectangle star = {{0, 0}, gBlast.x, gBlast.y, size, size, age * 16, 0};

    BeginExtent(gNumObjects + 1);
    if (gBlast.left == 0)
        return;
    for (i = 0; i < 4; i++) {
        if (i == 2)
            star.half_wide = star.half_high = size >> 1;
        star.angle += kTurn / 8;
        FillRectangle(&star, i < 2 ? kColour_f : kColour_F);
    }
}

static void DrawShell(void)
{
    BeginExtent(gNumObjects);
    if (gShell.is_flying)
        FillRectangle(&gTanks[gNumObjects], kColour_s);
}

/* Tufts of grass, some of them dry. */
static void DrawTufts(void)
{
    const struct tuft *each;

    for (each = gTufts; each < gTufts + kTufts; each++) {
        u8 *pixel = SCREEN + each->y * kScreenWidth + each->x, colour = each->kind ? kColour_t : kColour_T;

        pixel[0] = pixel[1] = colour;
        pixel[-kScreenWidth - 1] = pixel[-kScreenWidth + 2] = colour;
        if (each->kind & 1)
            pixel[-2 * kScreenWidth - 1] = pixel[-2 * kScreenWidth + 3] = colour;
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

        while (to += *from++, (count = *from++) != 0)
            for (; count > 0; count--)
                *to++ = *from++;
    }
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

static void ShowCount(s32 which, s32 left, s32 count)
{
    if (gShown[which] == count)
        return;
    gShown[which] = count;
    DrawCount(left, count);
}

/* Draw what the counts stand for, each left of its digits, in the middle of the panel. */
static void DrawIcon(s32 left, s32 shape)
{
    const struct picture *picture = &gPictures[shape];

    DrawPicture(left - kBetween - picture->wide, (kPanelHeight - picture->high) >> 1, picture);
}

static void DrawGround(void)
{
    s32 i;

    FillBox(0, 0, kScreenWidth, kPanelHeight, kBlack);
    FillBox(0, kPanelHeight, kScreenWidth, kScreenHeight, kColour_g);
    for (i = 0; i < kWall; i++) {
        s32 top = kPanelHeight + i, bottom = kScreenHeight - 1 - i, right = kScreenWidth - 1 - i, x;
        u8 *row = SCREEN + top * kScreenWidth;

        for (x = i; x <= right; x++)
            row[x] = row[(bottom - top) * kScreenWidth + x] = gWallColours[i];
        for (; top <= bottom; top++, row += kScreenWidth)
            row[i] = row[right] = gWallColours[i];
    }
    DrawIcon(kHitsLeft, kTarget);
    DrawIcon(kBumpsLeft, kBump);
    DrawCount(kHitsLeft, 0);
    DrawCount(kBumpsLeft, 0);
}

static void EraseTanks(void)
{
    const struct extent *each = gDrawn, *end = gDrawn + gNumObjects + 2;

    for (; each < end; each++)
        FillBox(each->left, each->top, each->right, each->bottom, kColour_g);
}

void DrawFrame(void)
{
    if (gFrame == 0)
        DrawGround();
    else
        EraseTanks();
    DrawTufts();
    ShowCount(0, kHitsLeft, gHits);
    ShowCount(1, kBumpsLeft, gBumps);
    DrawShell();
    DrawTanks();
    DrawBlast();
}
