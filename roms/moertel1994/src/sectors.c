/* The sectors: every object goes into the sector of its upper left corner, and all pairs within a sector are compared;
   four times, with the grid shifted by half a sector or not, along either axis. */

#include "program.h"

obj *gSectorArray[kNumXSectors][kNumYSectors];
Boolean gCollisionArray[kMaxObjects];

SEPARATE obj *GetMyFirstObject(void)
{
    return &gObjects[0];
}

SEPARATE void UpdateSectors(register scalar xoff, register scalar yoff)
{
    obj **head = &gSectorArray[0][0];
    scalar i;
    obj *o;

    for (i = 0; i < kNumSectors; i++)
        *head++ = 0;

    for (o = GetMyFirstObject(); o != 0; o = o->obj_link) {
        register obj **list = &gSectorArray[(o->x + xoff) >> kLog2SectorSize][(o->y + yoff) >> kLog2SectorSize];
        o->sector_link = *list;
        *list = o;
    }
}

SEPARATE void _DetermineCollisions(void)
{
    scalar shift = kSectorSize / 2;

    _ClearCollisionArray();
    UpdateSectors(0, 0);
    _UpdateCollisionArray();
    UpdateSectors(0, shift);
    _UpdateCollisionArray();
    UpdateSectors(shift, 0);
    _UpdateCollisionArray();
    UpdateSectors(shift, shift);
    _UpdateCollisionArray();
}

/* The functions of the inner loop, or macros for compilers that do not expand functions. The macro sees the difference as
   an int; the function takes a scalar, which may cut it off. */
#ifdef BRAIN_DEAD_INLINING
#define _Abs(a) ((a) < 0 ? -(a) : (a))
#define _IntersectQ(o1, o2) (_Abs((o1)->x - (o2)->x) < kRectSize && _Abs((o1)->y - (o2)->y) < kRectSize)
#else
static inline scalar _Abs(scalar a)
{
    return a < 0 ? -a : a;
}

static inline scalar _IntersectQ(obj *o1, obj *o2)
{
    return _Abs(o1->x - o2->x) < kRectSize && _Abs(o1->y - o2->y) < kRectSize;
}
#endif

SEPARATE void _ClearCollisionArray(void)
{
    memset(gCollisionArray, 0, sizeof gCollisionArray);
}

SEPARATE void _UpdateCollisionArray(void)
{
    scalar x, y;

    for (x = 0; x < kNumXSectors; x++)
        for (y = 0; y < kNumYSectors; y++)
            _CalcCollisionsInSector(gSectorArray[x][y]);
}

SEPARATE void _CalcCollisionsInSector(obj *objList)
{
    obj *o0, *ox;

    if (objList == 0 || objList->sector_link == 0)
        return;
    for (o0 = objList; o0->sector_link; o0 = o0->sector_link)
        for (ox = o0->sector_link; ox; ox = ox->sector_link)
            if (_IntersectQ(o0, ox))
                gCollisionArray[o0 - gObjects] = gCollisionArray[ox - gObjects] = 1;
}
