/* Everything on the screen. Objects are clipped at the top and bottom of the field; sideways they stay within it. */

#include "shooter.h"
#include "text.h"

enum {
    kTextTop = 6,     /* pixels; of the panel */
    kLineTop = 25,    /* below it */
    kScoreLeft = 8,   /* of words, and of the digits behind them */
    kScoreFigures = kScoreLeft + 6 * kCell,
    kHighLeft = 216,
    kHighFigures = kHighLeft + 5 * kCell,
    kWaveLeft = 412,
    kWaveFigures = kWaveLeft + 5 * kCell,
    kSpareLeft = 600,
    kSpareTop = 8,
    kSpareStep = 16,
    kMessageLeft = 256, /* where messages stand, in the middle of the field */
    kMessageTop = 226,
    kMessageRight = 384,
    kMessageBottom = 274,
    kMessageFrames = 60 /* for which the number of a wave is shown */
};

enum { /* messages */
    kNoMessage,
    kWaveMessage,
    kOverMessage
};

static const u8 gStarColours[3] = {kColour_D, kColour_g, kColour_s};

/* What is on the screen now. */
static struct {
    s16 x, y, wide, high;
} gDrawn[kMostRecords];
static struct {
    s32 score, best, wave, ships, message;
} gShown;

/* Draw what of a picture lies between `top` and the bottom of the screen: each row is runs of opaque pixels, (pixels to
   skip, number, colours), and ends with an empty run. */
static void DrawPicture(s32 x, s32 y, const struct picture *picture, s32 top)
{
    const u8 *from = picture->runs;
    u8 *row = SCREEN + y * kScreenWidth + x;
    s32 bottom = y + picture->high;

    if (bottom > kFieldBottom)
        bottom = kFieldBottom;
    for (; y < bottom; y++, row += kScreenWidth) {
        u8 *to = row;
        s32 count;

        while (to += *from++, (count = *from++) != 0) {
            if (y < top) {
                from += count;
                continue;
            }
            for (; count > 0; count--)
                *to++ = *from++;
        }
    }
}

/* Show a number of the panel again if it has changed. */
static void ShowNumber(s32 *shown, s32 number, s32 x, s32 figures)
{
    if (*shown == number)
        return;
    *shown = number;
    FillBox(x, kTextTop, x + figures * kCell, kTextTop + kGlyphHigh, kBlack);
    DrawNumber(x, kTextTop, number, figures, gGold);
}

static void ShowPanel(void)
{
    s32 i;

    ShowNumber(&gShown.score, gGame.score, kScoreFigures, 5);
    ShowNumber(&gShown.best, gGame.best, kHighFigures, 5);
    ShowNumber(&gShown.wave, gGame.wave, kWaveFigures, 2);
    if (gShown.ships == gGame.ships)
        return;
    gShown.ships = gGame.ships;
    FillBox(kSpareLeft, kSpareTop, kScreenWidth, kSpareTop + gPictures[kSpare].high, kBlack);
    for (i = 0; i < gGame.ships; i++)
        DrawPicture(kSpareLeft + i * kSpareStep, kSpareTop, &gPictures[kSpare], 0);
}

/* At the beginning. The last digit of a score is always 0. */
static void DrawPanel(void)
{
    s32 x;

    FillBox(0, 0, kScreenWidth, kScreenHeight, kBlack);
    for (x = 0; x < kScreenWidth; x++) {
        SCREEN[kLineTop * kScreenWidth + x] = kColour_B;
        SCREEN[(kLineTop + 1) * kScreenWidth + x] = kColour_b;
    }
    DrawText(kScoreLeft, kTextTop, "SCORE", gBlue);
    DrawText(kHighLeft, kTextTop, "HIGH", gBlue);
    DrawText(kWaveLeft, kTextTop, "WAVE", gBlue);
    DrawNumber(kScoreFigures + 5 * kCell, kTextTop, 0, 1, gGold);
    DrawNumber(kHighFigures + 5 * kCell, kTextTop, 0, 1, gGold);
    gShown.score = gShown.best = gShown.wave = gShown.ships = -1;
}

/* Stars fall; those of the same speed keep their distance. */
static void MoveStars(void)
{
    struct star *each;

    for (each = gStars; each < gStars + kStars; each++) {
        SCREEN[each->y * kScreenWidth + each->x] = kBlack;
        each->y += each->speed;
        if (each->y >= kFieldBottom)
            each->y -= kFieldBottom - kFieldTop;
    }
}

static void DrawStars(void)
{
    const struct star *each;

    for (each = gStars; each < gStars + kStars; each++)
        SCREEN[each->y * kScreenWidth + each->x] = gStarColours[each->speed - 1];
}

static void EraseObjects(void)
{
    s32 number;

    for (number = 0; number < gNumObjects; number++) {
        s32 top = gDrawn[number].y, bottom = top + gDrawn[number].high;

        FillBox(gDrawn[number].x, Limited(top, kFieldTop, kFieldBottom), gDrawn[number].x + gDrawn[number].wide,
                Limited(bottom, kFieldTop, kFieldBottom), kBlack);
    }
}

/* The picture of a record, 0 if it has none now. */
static const struct picture *PictureOf(s32 number)
{
    const struct sprite *each = &gSprites[number];
    s32 type = gRecords[number].type, step;

    if (each->burst) {
        step = each->burst >> (type == kTypeShip ? 3 : 2);
        if (type == kTypeMissile)
            return step < 2 ? &gPictures[kSpark + step] : 0;
        return step < 6 ? &gPictures[kBurst + step] : 0;
    }
    if (!gRecords[number].active)
        return 0;
    if (number == kShip && (gGame.shield & 4))
        return 0;
    if (type == kTypeAlien)
        return &gPictures[each->shape + (gFrame >> 4 & 1)];
    return &gPictures[each->shape + (each->shape == kShot ? 0 : gFrame >> 2 & 1)];
}

/* Aliens first, the ship last. What bursts does so in the middle of its picture. */
static void DrawObjects(void)
{
    s32 number;

    for (number = gNumObjects - 1; number >= 0; number--) {
        const struct picture *picture = PictureOf(number), *own = &gPictures[gSprites[number].shape];
        s32 x = gRecords[number].x, y = gRecords[number].y;

        gDrawn[number].wide = gDrawn[number].high = 0;
        if (picture == 0)
            continue;
        if (gSprites[number].burst) {
            x = Limited(x + ((own->wide - picture->wide) >> 1), 0, kScreenWidth - picture->wide);
            y += (own->high - picture->high) >> 1;
        }
        gDrawn[number].x = x;
        gDrawn[number].y = y;
        gDrawn[number].wide = picture->wide;
        gDrawn[number].high = picture->high;
        DrawPicture(x, y, picture, kFieldTop);
    }
}

static s32 Message(void)
{
    if (!gGame.playing)
        return kOverMessage;
    return gGame.dive_wait > kFirstDive - kMessageFrames ? kWaveMessage : kNoMessage;
}

static void DrawMessage(void)
{
    s32 middle = (kMessageTop + kMessageBottom) / 2;

    gShown.message = Message();
    if (gShown.message == kOverMessage) {
        DrawText(266, kMessageTop + 4, "GAME OVER", gGold);
        DrawText(260, middle + 4, "PRESS FIRE", gBlue);
    } else if (gShown.message == kWaveMessage) {
        DrawText(278, middle - kGlyphHigh / 2, "WAVE", gBlue);
        DrawNumber(278 + 5 * kCell, middle - kGlyphHigh / 2, gGame.wave, 2, gGold);
    }
}

void DrawFrame(void)
{
    if (gFrame == 0)
        DrawPanel();
    else
        EraseObjects();
    if (gShown.message)
        FillBox(kMessageLeft, kMessageTop, kMessageRight, kMessageBottom, kBlack);
    MoveStars();
    DrawStars();
    ShowPanel();
    DrawObjects();
    DrawMessage();
}
