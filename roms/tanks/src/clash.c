/* What collides: blocks find boxes that overlap, the line algorithm of Rekaby 2011 decides. */

#include "tanks.h"

struct bound gBounds[kMaxTanks];
u8 gNearArray[kMaxTanks], gHitArray[kMaxTanks];
s32 gStruck;

enum {
    kColumns = (kScreenWidth >> kLog2Block),
    kRows = (kScreenHeight >> kLog2Block) + 1,
    kMostHandlers = 4 * (kMaxTanks + 1), /* of boxes smaller than a block */
    kMostPairs = kMaxTanks * (kMaxTanks + 1) / 2,
    kShellHalfWide = 3 * kPixel,
    kShellHalfHigh = 1 * kPixel
};

static struct shape gBoxes[kMaxTanks + 1];
static struct handler *gHeads[kColumns * kRows], gHandlers[kMostHandlers];
static struct found gFound[kMostPairs];

/* Find the box of a rectangle, in pixels. */
static void FindBox(const struct rectangle *rectangle, struct shape *box)
{
    struct point corners[4];
    s32 left, right, top, bottom, k;

    FindCorners(rectangle, corners);
    left = right = corners[0].x;
    top = bottom = corners[0].y;
    for (k = 1; k < 4; k++) {
        if (corners[k].x < left)
            left = corners[k].x;
        if (corners[k].x > right)
            right = corners[k].x;
        if (corners[k].y < top)
            top = corners[k].y;
        if (corners[k].y > bottom)
            bottom = corners[k].y;
    }
    box->x = left >> 5;
    box->y = top >> 5;
    box->wide = (right >> 5) - box->x;
    box->high = (bottom >> 5) - box->y;
}

/* Find all boxes, that of the shell last. */
static void FindBoxes(void)
{
    s32 i;

    for (i = 0; i < gNumObjects; i++) {
        FindBox(&gTanks[i], &gBoxes[i]);
        gBounds[i].px = gBoxes[i].x * kPixel;
        gBounds[i].py = gBoxes[i].y * kPixel;
        gBounds[i].wide = gBoxes[i].wide;
        gBounds[i].high = gBoxes[i].high;
    }
    if (!gShell.is_flying)
        return;
    gTanks[i].x = gShell.x;
    gTanks[i].y = gShell.y;
    gTanks[i].half_wide = kShellHalfWide;
    gTanks[i].half_high = kShellHalfHigh;
    gTanks[i].angle = gShell.angle;
    FindBox(&gTanks[i], &gBoxes[i]);
}

/* Test two rectangles whose boxes overlap; only the second can be the shell. Of several tanks it hits the first. */
static void Judge(s32 a, s32 b)
{
    s32 is_hit = LineOne(&gTanks[a], &gTanks[b]);

    if (b == gNumObjects) {
        if (is_hit && a != 0 && (gStruck == 0 || a < gStruck))
            gStruck = a;
        return;
    }
    gNearArray[a] = gNearArray[b] = 1;
    if (is_hit)
        gHitArray[a] = gHitArray[b] = 1;
}

/* Fill gNearArray, gHitArray and gStruck. */
SEPARATE void DetermineClashes(void)
{
    struct plane plane = {gBoxes, gNumObjects + gShell.is_flying, kLog2Block, gHeads, gHandlers, 0, gFound, kMostPairs,
                          kColumns, kRows, 0, 0};
    s32 i;

    for (i = 0; i < gNumObjects; i++)
        gNearArray[i] = gHitArray[i] = 0;
    gStruck = 0;
    FindBoxes();
    PlaceHandlers(&plane);
    CheckBlocks(&plane);
    for (i = 0; i < plane.total; i++)
        Judge(gFound[i].a, gFound[i].b);
}
