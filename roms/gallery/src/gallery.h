/* The same scene under the methods of all documents. Methods: Moertel 1994 (sectors), Jon E P 2007 and No-collision boxes
   2011 (bitmap, boxes, circles, compound shapes), Rekaby 2011 (blocks, spheres, points, lines).
   This source: the retrosim project. */

#ifndef GALLERY_H
#define GALLERY_H

#include "../../shapes/src/blocks.h"
#include "../../shapes/src/rotation.h"
#include "../../shooter/src/text.h"
#include "drawings.h"

enum {
    kMostObjects = 96,
    kPixel = 32, /* Q11.5 */
    kScreenWidth = 640,
    kScreenHeight = 480,
    kBlack = 255,
    /* where the middle of an object may be, pixels */
    kFieldLeft = 16,
    kFieldTop = 88,
    kFieldWide = 608,
    kFieldHigh = 376
};

enum { /* narrow phases */
    kBoxes,
    kCircles,
    kCompound,
    kSpheres,
    kPoints1,
    kPoints2,
    kLines,
    kBitmap,
    kMethods
};

enum { /* broad phases; the others are blocks of 16 pixels and more */
    kAllPairs,
    kSectors,
    kBlocks16,
    kBroads = kBlocks16 + 5
};

struct motion {
    s16 vx, vy, turn; /* Q11.5 pixels and angle, per frame */
    s16 z;            /* height, pixels */
};

/* What the panel shows. */
struct gallery {
    s32 method, broad;
    s32 handlers, checks, tests; /* of the last frame: handlers in blocks, checks of boxes, tests of pairs */
    s32 hits, exact, wrong, missed; /* objects: found, colliding, found wrongly, not found */
};

extern struct gallery gGallery;
extern struct rectangle gRectangles[kMostObjects];
extern struct motion gMotion[kMostObjects];
extern u8 gFound[kMostObjects], gExact[kMostObjects];
extern s32 gNumObjects;
extern u32 gFrame, gRandNext, gPadBefore;

/* main.c */
s32 RadiusOf(s32 number); /* of a circle around the object, pixels */

/* check.c */
s32 TestPair(s32 a, s32 b);
void UpdateSectors(s32 xoff, s32 yoff);
void CalcCollisionsInSector(s32 first);
void DetermineCollisions(void);
void DetermineExact(void);

/* picture.c */
void EraseObjects(void);
s32 LookUnder(s32 number);
void Paint(s32 number, u8 colour);
void DrawFrame(void);

#endif
