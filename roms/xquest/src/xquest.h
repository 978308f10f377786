/* Sprites with pixel-exact collision: sectors (Moertel 1994) find the boxes that overlap, masks (Mackey 1995) decide.
   Objects, their motion, their random numbers and the sectors are those of the ROM `sectors`. This source and the drawings:
   the retrosim project. */

#ifndef XQUEST_H
#define XQUEST_H

#include "../../sectors/src/sectors.h"
#include "drawings.h"

enum {
    kPanelHeight = 24, /* pixels, at the top: the score */
    kWall = 4,         /* around the field */
    kClearance = 4,    /* between the wall and any object, for the marks */
    kFieldLeft = kWall + kClearance,
    kFieldTop = kPanelHeight + kWall + kClearance,
    kFieldRight = kScreenWidth - kWall - kClearance, /* end, exclusive */
    kFieldBottom = kScreenHeight - kWall - kClearance,
    kStars = 120
};

/* What an object looks like; its box is as large as the picture, at most 31 pixels: less than half a sector. */
struct sprite {
    s16 wide, high;
    s32 shape; /* number of the picture */
};

struct star {
    s16 x, y, bright; /* 0..3 */
};

extern struct sprite gSprites[kMaxObjects];
extern u8 gBoxArray[kMaxObjects]; /* whose box overlaps another one */
extern u8 gMetArray[kMaxObjects]; /* what the ship touches */
extern struct star gStars[kStars];
extern s32 gGems, gBumps;

/* touch.c */
void DetermineTouches(void);

/* mask_*.S in the ROM `masks`: the rows of two masks, the left one shifted to the right one's column */
int mask_touch(const unsigned long *left_rows, const unsigned long *right_rows, int rows, int shift);

/* field.c: where objects are put, and how they move */
void StartField(u32 seed, s32 count);
void ScatterSprites(void);
void PlaceSprite(scalar number);
void MoveSprites(u32 pad);
s32 IsGem(s32 shape);

/* picture.c */
void DrawFrame(void);

#endif
