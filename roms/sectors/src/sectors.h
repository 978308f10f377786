/* Sector-based collision detection after Tom Moertel (21 June 1994), with a demo and his timing harness around it.
   Method and credit: Tom Moertel, 1994. This source: the retrosim project. */

#ifndef SECTORS_H
#define SECTORS_H

#include "../../common/isa.h"

enum {
    kMaxObjects = 200,
    kObjectSide = 30, /* pixels; must stay below half a sector */
    kScreenWidth = 640,
    kScreenHeight = 480,
    kSectorShift = 6,
    kSectorSide = 1 << kSectorShift,
    kSectorColumns = kScreenWidth / kSectorSide + 1,                      /* 11: one more for the shifted grid */
    kSectorRows = (kScreenHeight + kSectorSide - 1) / kSectorSide + 1,    /* 9 */
    kSectors = kSectorColumns * kSectorRows,
    kWhite = 0,
    kBlack = 255
};

typedef struct obj {
    scalar x, y;             /* upper left corner, pixels */
    struct obj *sector_link; /* next in the same sector */
    struct obj *obj_link;    /* next of all */
} obj;

struct motion {
    s16 px, py, vx, vy; /* Q11.5 pixels; Q11.5 pixels per frame */
};

extern obj gObjects[kMaxObjects];
extern struct motion gMotion[kMaxObjects];
extern u8 gCollisionArray[kMaxObjects];
extern obj *gSectorArray[kSectorColumns][kSectorRows];
extern s32 gNumObjects;
extern u32 gFrame, gRandNext, gPadBefore;
extern u32 gIterations, gTotalTime;

/* sectors.c: the routine */
obj *GetMyFirstObject(void);
void UpdateSectors(scalar xoff, scalar yoff);
void ClearCollisionArray(void);
void UpdateCollisionArray(void);
void CalcCollisionsInSector(obj *list);
void DetermineCollisions(void);

/* objects.c: the objects and their random places */
void Seed(u32 seed);
void ScatterObjects(scalar count);
void RandomizeObjects(scalar count);

/* draw.c */
void ClearScreen(void);
void DrawObject(scalar x, scalar y, u8 collided);
void EraseObject(scalar x, scalar y, u8 collided);

/* demo.c, harness.c */
void RunDemo(u32 seed, s32 count);
void RunHarness(u32 seed, s32 count);

/* memory.c */
void *memset(void *target, int value, unsigned long size);

#endif
