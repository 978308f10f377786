/* The collision test program of Tom Moertel (21 June 1994) under the names that he gave: his functions, constants and
   order of work. Method and credit: Tom Moertel, 1994. This source, written after his description: the retrosim project. */

#ifndef PROGRAM_H
#define PROGRAM_H

#include "../../common/isa.h"

typedef u8 Boolean;

enum {
    /* the test */
    kMaxObjects = 200,
    kRectSize = 30,       /* sides of all objects, pixels */
    kTBase = 1000000,     /* a second of Clock_us */
    kCycleLength = 50,    /* checks between two random scenes */
    /* the sectors */
    kSectorSize = 64,
    kLog2SectorSize = 6,
    kScreenWidth = 640,
    kScreenHeight = 480,
    kNumXSectors = (kScreenWidth + kSectorSize - 1) / kSectorSize + 1,
    kNumYSectors = (kScreenHeight + kSectorSize - 1) / kSectorSize + 1,
    kNumSectors = kNumXSectors * kNumYSectors
};

typedef struct obj {
    scalar x, y;
    struct obj *sector_link; /* next in the same sector */
    struct obj *obj_link;    /* next of all */
} obj;

extern obj gObjects[kMaxObjects];
extern Boolean gCollisionArray[kMaxObjects];
extern obj *gSectorArray[kNumXSectors][kNumYSectors];
extern s32 gNumObjects; /* in the picture */
extern u32 gFrame;      /* frames: one a line, then those of the picture */
extern u32 gRandNext;

/* clock.c */
s32 Clock_us(void);

/* sectors.c */
obj *GetMyFirstObject(void);
void UpdateSectors(register scalar xoff, register scalar yoff);
void _ClearCollisionArray(void);
void _UpdateCollisionArray(void);
void _CalcCollisionsInSector(obj *objList);
void _DetermineCollisions(void);

/* objects.c */
void Seed(u32 seed);
void NextFrame(void);
void _RandomizeObjects(scalar numObjects);
void _DrawObject(obj *o, Boolean collidedQ);
void _ShowLastIteration(scalar numObjects);

void *memset(void *target, int value, unsigned long size);

#endif
