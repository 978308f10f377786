/* The four shifts of Moertel 1994 with the size of a sector and of the objects as parameters that are read when it runs.

   In the manner of roms/sectors, which has both as constants: the same lists, the same order of work. A sector's side is
   a power of two, 16 to 256 pixels; an object's is less than half of it. Objects lie on the screen. */

#include "../../common/isa.h"

enum {
    kObjectsWord = 1, /* of the parameters */
    kSeedWord,
    kSectorWord,
    kSideWord,

    kMaxObjects = 200,
    kScreenWidth = 640,
    kScreenHeight = 480,
    kLeastSector = 16,
    kMaxSectors = (kScreenWidth / kLeastSector + 1) * (kScreenHeight / kLeastSector + 1)
};

typedef struct obj {
    scalar x, y;
    struct obj *sector_link;
} obj;

obj gObjects[kMaxObjects];
u8 gCollisionArray[kMaxObjects];
obj *gSectorArray[kMaxSectors];
s32 gCount;
scalar gShift, gColumns, gRows, gSide;

/* Read the parameters and place the objects at random; a sector's side is the next power of two. */
SEPARATE void Prepare(void)
{
    u32 random = PARAMETERS[kSeedWord];
    s32 i;

    gCount = PARAMETERS[kObjectsWord];
    gSide = PARAMETERS[kSideWord];
    for (gShift = 4; gShift < 8 && 1u << gShift < PARAMETERS[kSectorWord]; gShift++)
        ;
    gColumns = ((kScreenWidth - 1) >> gShift) + 2;
    gRows = ((kScreenHeight - 1) >> gShift) + 2;
    for (i = 0; i < gCount; i++) {
        random = random * 1103515245u + 12345;
        gObjects[i].x = (random >> 16) * kScreenWidth >> 16;
        random = random * 1103515245u + 12345;
        gObjects[i].y = (random >> 16) * kScreenHeight >> 16;
    }
}

SEPARATE void UpdateSectors(register scalar xoff, register scalar yoff)
{
    obj **head = gSectorArray;
    s32 i;

    for (i = gColumns * gRows; i > 0; i--)
        *head++ = 0;
    for (i = 0; i < gCount; i++) {
        obj *each = &gObjects[i];
        register obj **sector = &gSectorArray[((each->x + xoff) >> gShift) * gRows + ((each->y + yoff) >> gShift)];

        each->sector_link = *sector;
        *sector = each;
    }
}

static inline scalar Abs(scalar a)
{
    return a < 0 ? -a : a;
}

SEPARATE void CalcCollisionsInSector(obj *list)
{
    obj *one, *other;
    scalar side = gSide;

    if (list == 0 || list->sector_link == 0)
        return;
    for (one = list; one->sector_link; one = one->sector_link)
        for (other = one->sector_link; other; other = other->sector_link)
            if (Abs(one->x - other->x) < side && Abs(one->y - other->y) < side)
                gCollisionArray[one - gObjects] = gCollisionArray[other - gObjects] = 1;
}

SEPARATE void UpdateCollisionArray(void)
{
    s32 i, sectors = gColumns * gRows;

    for (i = 0; i < sectors; i++)
        CalcCollisionsInSector(gSectorArray[i]);
}

/* Flag every object that is in some collision. */
SEPARATE void DetermineCollisions(void)
{
    scalar half = 1 << (gShift - 1);
    s32 i;

    for (i = 0; i < gCount; i++)
        gCollisionArray[i] = 0;
    UpdateSectors(0, 0);
    UpdateCollisionArray();
    UpdateSectors(0, half);
    UpdateCollisionArray();
    UpdateSectors(half, 0);
    UpdateCollisionArray();
    UpdateSectors(half, half);
    UpdateCollisionArray();
}
