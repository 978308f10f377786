/* The objects, and the generator that places them. */

#include "sectors.h"

obj gObjects[kMaxObjects];
struct motion gMotion[kMaxObjects];
s32 gNumObjects;
u32 gRandNext;

enum {
    kRandRange = 32768,
    kPixelShift = 5 /* Q11.5 */
};

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

/* A random number 0..max-1. */
static scalar RandScalar(scalar max)
{
    return (u32)max * (u16)Rand() / kRandRange;
}

/* Chain the first `count` objects. The list always begins with object 0, so "no objects" is a list of one: in 1994 the
   end mark of an empty list was written in front of the array, so object 0 stayed in the list and was measured. */
static void LinkObjects(scalar count)
{
    scalar i;

    for (i = 1; i < count; i++)
        gObjects[i - 1].obj_link = &gObjects[i];
    gObjects[i - 1].obj_link = 0;
}

/* For the demo: every object somewhere on the screen, wholly visible, with a velocity of up to two pixels per frame. */
void ScatterObjects(scalar count)
{
    struct motion *each = gMotion;
    scalar i;

    for (i = 0; i < count; i++, each++) {
        each->px = RandScalar(kScreenWidth - kObjectSide + 1) << kPixelShift;
        each->py = RandScalar(kScreenHeight - kObjectSide + 1) << kPixelShift;
        each->vx = (Rand() & 127) - 64;
        each->vy = (Rand() & 127) - 64;
    }
    LinkObjects(count);
}

/* For the harness: corners anywhere on the screen but its last column and row. */
void RandomizeObjects(scalar count)
{
    obj *each = gObjects;
    scalar i;

    for (i = 0; i < count; i++, each++) {
        each->x = RandScalar(kScreenWidth - 1);
        each->y = RandScalar(kScreenHeight - 1);
    }
    LinkObjects(count);
}
