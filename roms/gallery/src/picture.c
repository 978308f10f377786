/* The picture: rectangles in the colour of their verdict, figures above them. Objects stay on the screen: nothing is
   clipped. */

#include "gallery.h"

enum {
    kPanelLine = 66,
    kNames = 16, /* columns of the panel */
    kCounts = 196,
    kCountFigures = 304,
    kVerdicts = 388,
    kVerdictFigures = 460,
    kErrors = 520,
    kErrorFigures = 600,
    kRow = 6, /* the first of three */
    kRowPitch = 20,
    kNameCells = 10,
    kFigures = 7
};

static const char *const gMethodNames[kMethods] = {
    "BOXES", "CIRCLES", "COMPOUND", "SPHERES", "POINTS 1", "POINTS 2", "LINES", "BITMAP"
};
static const char *const gBroadNames[kBroads] = {
    "ALL PAIRS", "SECTORS", "BLOCKS 16", "BLOCKS 32", "BLOCKS 64", "BLOCKS 128", "BLOCKS 256"
};

/* By what was found, and twice whether the objects collide: nothing, wrong, missed, right. */
static const u8 gVerdictColours[4] = {kColour_B, kColour_o, kColour_v, kColour_R};

/* What is drawn somewhere, to be erased: right and bottom exclusive. */
static struct extent {
    s16 left, top, right, bottom;
} gDrawn[kMostObjects];
static struct span {
    s16 left, right; /* both included */
} gSpans[kScreenHeight];
static s32 gShown[kFigures], gShownMethod, gShownBroad;

/* The slope of a side, 8 fraction bits; sides are shorter than 64 pixels. */
static inline s32 Slope(s32 across, s32 down)
{
    if (across < 0)
        return -(s32)((u16)(-across << 8) / (u16)down);
    return (u16)(across << 8) / (u16)down;
}

/* Widen the spans to a side: clockwise, sides that lead down are right and those that lead up are left. */
static void TraceSide(const struct point *from, const struct point *to)
{
    struct span *span = &gSpans[from->y], *last = &gSpans[to->y];
    s32 x, slope;

    if (from->x < span->left)
        span->left = from->x;
    if (from->x > span->right)
        span->right = from->x;
    if (span < last) {
        slope = Slope(to->x - from->x, to->y - from->y);
        for (x = (from->x << 8) + 128 + slope; ++span < last; x += slope)
            if (x >> 8 > span->right)
                span->right = x >> 8;
    } else if (span > last) {
        slope = Slope(from->x - to->x, from->y - to->y);
        for (x = (to->x << 8) + 128 + slope; ++last < span; x += slope)
            if (x >> 8 < last->left)
                last->left = x >> 8;
    }
}

/* Find the pixels of an object row by row, and the box around them. */
static void FindSpans(s32 number, struct extent *extent)
{
    struct point corners[4];
    s32 k;

    FindCorners(&gRectangles[number], corners);
    extent->left = kScreenWidth;
    extent->top = kScreenHeight;
    extent->right = extent->bottom = 0;
    for (k = 0; k < 4; k++) {
        s32 x = corners[k].x >>= 5, y = corners[k].y >>= 5;

        if (x < extent->left)
            extent->left = x;
        if (y < extent->top)
            extent->top = y;
        if (x >= extent->right)
            extent->right = x + 1;
        if (y >= extent->bottom)
            extent->bottom = y + 1;
    }
    for (k = extent->top; k < extent->bottom; k++) {
        gSpans[k].left = kScreenWidth;
        gSpans[k].right = 0;
    }
    for (k = 0; k < 4; k++)
        TraceSide(&corners[k], &corners[(k + 1) & 3]);
}

/* Whether anything but black is where an object is to be drawn. */
s32 LookUnder(s32 number)
{
    struct extent extent;
    s32 row, column;

    FindSpans(number, &extent);
    for (row = extent.top; row < extent.bottom; row++) {
        const u8 *line = SCREEN + row * kScreenWidth;

        for (column = gSpans[row].left; column <= gSpans[row].right; column++)
            if (line[column] != kBlack)
                return 1;
    }
    return 0;
}

void Paint(s32 number, u8 colour)
{
    struct extent *extent = &gDrawn[number];
    s32 row, column;

    FindSpans(number, extent);
    for (row = extent->top; row < extent->bottom; row++) {
        u8 *line = SCREEN + row * kScreenWidth;

        for (column = gSpans[row].left; column <= gSpans[row].right; column++)
            line[column] = colour;
    }
}

void EraseObjects(void)
{
    s32 i;

    for (i = 0; i < gNumObjects; i++)
        FillBox(gDrawn[i].left, gDrawn[i].top, gDrawn[i].right, gDrawn[i].bottom, kBlack);
}

static void ShowName(s32 row, const char *name)
{
    s32 y = kRow + row * kRowPitch;

    FillBox(kNames, y, kNames + kNameCells * kCell, y + kGlyphHigh, kBlack);
    DrawText(kNames, y, name, gGold);
}

/* Show a figure of the panel, `row` and `figure` from the left and the top, if it is another than before. */
static void ShowFigure(s32 which, s32 value, s32 x, s32 row, s32 figures)
{
    s32 y = kRow + row * kRowPitch;

    if (gShown[which] == value)
        return;
    gShown[which] = value;
    FillBox(x, y, x + figures * kCell, y + kGlyphHigh, kBlack);
    DrawNumber(x, y, value, figures, gGold);
}

/* Write a word in the colour of a verdict. */
static void DrawVerdict(s32 x, s32 row, const char *text, u8 colour)
{
    u8 colours[kGlyphHigh];
    s32 i;

    for (i = 0; i < kGlyphHigh; i++)
        colours[i] = colour;
    DrawText(x, kRow + row * kRowPitch, text, colours);
}

static void DrawPanel(void)
{
    s32 i;

    FillBox(0, 0, kScreenWidth, kScreenHeight, kBlack);
    FillBox(0, kPanelLine, kScreenWidth, kPanelLine + 1, kColour_B);
    FillBox(0, kPanelLine + 1, kScreenWidth, kPanelLine + 2, kColour_b);
    DrawText(kCounts, kRow, "CHECKS", gBlue);
    DrawText(kCounts, kRow + kRowPitch, "TESTS", gBlue);
    DrawText(kCounts, kRow + 2 * kRowPitch, "HANDLERS", gBlue);
    DrawText(kVerdicts, kRow, "FOUND", gBlue);
    DrawVerdict(kVerdicts, 1, "EXACT", gVerdictColours[3]);
    DrawVerdict(kErrors, 0, "WRONG", gVerdictColours[1]);
    DrawVerdict(kErrors, 1, "MISSED", gVerdictColours[2]);
    for (i = 0; i < kFigures; i++)
        gShown[i] = -1;
    gShownMethod = gShownBroad = -1;
}

void DrawFrame(void)
{
    s32 i;

    if (gFrame == 0)
        DrawPanel();
    if (gShownMethod != gGallery.method)
        ShowName(0, gMethodNames[gShownMethod = gGallery.method]);
    if (gShownBroad != gGallery.broad)
        ShowName(1, gBroadNames[gShownBroad = gGallery.broad]);
    ShowFigure(0, gGallery.checks, kCountFigures, 0, 4);
    ShowFigure(1, gGallery.tests, kCountFigures, 1, 4);
    ShowFigure(2, gGallery.handlers, kCountFigures, 2, 4);
    ShowFigure(3, gGallery.hits, kVerdictFigures, 0, 3);
    ShowFigure(4, gGallery.exact, kVerdictFigures, 1, 3);
    ShowFigure(5, gGallery.wrong, kErrorFigures, 0, 3);
    ShowFigure(6, gGallery.missed, kErrorFigures, 1, 3);
    EraseObjects();
    for (i = 0; i < gNumObjects; i++)
        Paint(i, gVerdictColours[gFound[i] + 2 * gExact[i]]);
}
