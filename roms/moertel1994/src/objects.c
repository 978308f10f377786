/* The objects: random places, and the picture of the last scene. */

#include "program.h"

enum {
    kRandRange = 32768, /* RAND_MAX + 1 */
    kWhite = 0,
    kBlack = 255,
    kClick = 16 /* fire */
};

obj gObjects[kMaxObjects];
s32 gNumObjects;
u32 gFrame, gRandNext;

void Seed(u32 seed)
{
    gRandNext = seed;
}

/* The example generator of the C standard: 15 random bits. */
static s32 Rand(void)
{
    gRandNext = gRandNext * 1103515245 + 12345;
    return gRandNext >> 16 & (kRandRange - 1);
}

static scalar _RandScalar(scalar max)
{
    return (u32)max * (u16)Rand() / kRandRange;
}

/* With no objects the end of the list went in front of the array in 1994, and object 0 stayed in the list; so it does
   here, without the write. */
void _RandomizeObjects(scalar numObjects)
{
    obj *o = gObjects;
    scalar i;

    for (i = 0; i < numObjects; i++, o++) {
        o->x = _RandScalar(kScreenWidth - 1);
        o->y = _RandScalar(kScreenHeight - 1);
        o->obj_link = o + 1;
    }
    if (numObjects > 0)
        (--o)->obj_link = 0;
}

/* An outline for an object that collides, else a grey area: pixels of the screen, so that greys join. */
void _DrawObject(obj *o, Boolean collidedQ)
{
    s32 x, y, right = o->x + kRectSize, bottom = o->y + kRectSize;

    for (y = o->y; y < bottom && y < kScreenHeight; y++)
        for (x = o->x; x < right && x < kScreenWidth; x++) {
            Boolean isEdge = x == o->x || y == o->y || x == right - 1 || y == bottom - 1;

            if (!collidedQ)
                SCREEN[y * kScreenWidth + x] = (x + y) & 1 ? kWhite : kBlack;
            else if (isEdge)
                SCREEN[y * kScreenWidth + x] = kBlack;
        }
}

void NextFrame(void)
{
    gFrame++;
    YieldFrame();
}

/* Show the last scene until the button is pressed. */
void _ShowLastIteration(scalar numObjects)
{
    scalar i;

    gNumObjects = numObjects;
    memset(SCREEN, kWhite, kScreenWidth * kScreenHeight);
    for (i = 0; i < numObjects; i++)
        _DrawObject(&gObjects[i], gCollisionArray[i]);
    do
        NextFrame();
    while (!(PAD & kClick));
}
