/* The routine: put every object into the sector of its corner, compare all pairs within a sector, and do it four times
   with the grid shifted by half a sector in neither, one, the other and both directions.

   Objects must lie on the screen (0 <= x < 640, 0 <= y < 480): there is no bounds check, as there was none in 1994. */

#include "sectors.h"

obj *gSectorArray[kSectorColumns][kSectorRows];
u8 gCollisionArray[kMaxObjects];

SEPARATE obj *GetMyFirstObject(void)
{
    return &gObjects[0];
}

SEPARATE void UpdateSectors(register scalar xoff, register scalar yoff)
{
    obj **head = &gSectorArray[0][0];
    scalar i;
    obj *each;

    for (i = 0; i < kSectors; i++)
        *head++ = 0;

    for (each = GetMyFirstObject(); each != 0; each = each->obj_link) {
        register obj **sector = &gSectorArray[(each->x + xoff) >> kSectorShift][(each->y + yoff) >> kSectorShift];
        each->sector_link = *sector;
        *sector = each;
    }
}

SEPARATE void ClearCollisionArray(void)
{
    memset(gCollisionArray, 0, sizeof gCollisionArray);
}

SEPARATE void UpdateCollisionArray(void)
{
    scalar column, row;

    for (column = 0; column < kSectorColumns; column++)
        for (row = 0; row < kSectorRows; row++)
            CalcCollisionsInSector(gSectorArray[column][row]);
}

SEPARATE void DetermineCollisions(void)
{
    scalar half = kSectorSide / 2;

    ClearCollisionArray();
    UpdateSectors(0, 0);
    UpdateCollisionArray();
    UpdateSectors(0, half);
    UpdateCollisionArray();
    UpdateSectors(half, 0);
    UpdateCollisionArray();
    UpdateSectors(half, half);
    UpdateCollisionArray();
}

/* Two forms of the test, as in 1994. They differ for coordinates more than 32767 apart: the function takes a `scalar`,
   so the difference is cut to 16 bits where that is the scalar's width; the macro keeps the full `int`. */
#ifdef SECTORS_MACRO_ABS
#define Abs(a) ((a) < 0 ? -(a) : (a))
#define Overlap(a, b) (Abs((a)->x - (b)->x) < kObjectSide && Abs((a)->y - (b)->y) < kObjectSide)
#else
static inline scalar Abs(scalar a)
{
    return a < 0 ? -a : a;
}

static inline scalar Overlap(obj *a, obj *b)
{
    return Abs(a->x - b->x) < kObjectSide && Abs(a->y - b->y) < kObjectSide;
}
#endif

SEPARATE void CalcCollisionsInSector(obj *list)
{
    obj *one, *other;

    if (list == 0 || list->sector_link == 0)
        return;
    for (one = list; one->sector_link; one = one->sector_link)
        for (other = one->sector_link; other; other = other->sector_link)
            if (Overlap(one, other))
                gCollisionArray[one - gObjects] = gCollisionArray[other - gObjects] = 1;
}
