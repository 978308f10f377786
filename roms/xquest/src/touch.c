/* Which sprites touch: the routine of 1994 with a box for each object, and masks where boxes overlap. */

#include "xquest.h"

u8 gBoxArray[kMaxObjects], gMetArray[kMaxObjects];

static inline scalar Lesser(scalar a, scalar b)
{
    return a < b ? a : b;
}

/* Whether two boxes overlap along one axis: the width of the one that begins first decides. */
static inline scalar Within(scalar a, scalar b, scalar side_a, scalar side_b)
{
    scalar distance = a - b;

    return distance < 0 ? -distance < side_a : distance < side_b;
}

SEPARATE scalar BoxesOverlap(obj *a, obj *b)
{
    struct sprite *one = &gSprites[a - gObjects], *other = &gSprites[b - gObjects];

    return Within(a->x, b->x, one->wide, other->wide) && Within(a->y, b->y, one->high, other->high);
}

/* Whether two objects whose boxes overlap have a pixel in common: rows are compared from the lower one of the two upper
   edges down, those of the left object shifted by the distance to the right one. */
SEPARATE scalar PixelsMeet(obj *a, obj *b)
{
    obj *left = a->x <= b->x ? a : b, *right = a->x <= b->x ? b : a;
    const struct picture *one = &gPictures[gSprites[left - gObjects].shape];
    const struct picture *other = &gPictures[gSprites[right - gObjects].shape];
    scalar down = right->y - left->y;
    scalar skipped = down > 0 ? down : 0, other_skipped = down < 0 ? -down : 0;

    return mask_touch(one->mask + skipped, other->mask + other_skipped,
                      Lesser(one->high - skipped, other->high - other_skipped), right->x - left->x);
}

SEPARATE void CalcTouchesInSector(obj *list)
{
    obj *one, *other;

    if (list == 0)
        return;
    for (one = list; one->sector_link; one = one->sector_link)
        for (other = one->sector_link; other; other = other->sector_link) {
            scalar a = one - gObjects, b = other - gObjects;

            if (!BoxesOverlap(one, other))
                continue;
            gBoxArray[a] = gBoxArray[b] = 1;
            if (!PixelsMeet(one, other))
                continue;
            gCollisionArray[a] = gCollisionArray[b] = 1;
            if (a == 0)
                gMetArray[b] = 1;
            if (b == 0)
                gMetArray[a] = 1;
        }
}

static void CalcTouches(void)
{
    scalar column, row;

    for (column = 0; column < kSectorColumns; column++)
        for (row = 0; row < kSectorRows; row++)
            CalcTouchesInSector(gSectorArray[column][row]);
}

/* Fill gCollisionArray (pixels in common), gBoxArray (boxes overlap) and gMetArray (pixels in common with the ship). */
SEPARATE void DetermineTouches(void)
{
    scalar half = kSectorSide / 2;

    ClearCollisionArray();
    memset(gBoxArray, 0, sizeof gBoxArray);
    memset(gMetArray, 0, sizeof gMetArray);
    UpdateSectors(0, 0);
    CalcTouches();
    UpdateSectors(0, half);
    CalcTouches();
    UpdateSectors(half, 0);
    CalcTouches();
    UpdateSectors(half, half);
    CalcTouches();
}
