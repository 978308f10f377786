/* Tanks: rectangles at any angle that drive and turn. Blocks find those whose boxes overlap, the line algorithm decides
   (Rekaby, "Study of Collision Detection Algorithms in Strategic Games", 2011); both are those of the ROM `shapes`, the
   random numbers those of `sectors`. This source and the drawings: the retrosim project. */

#ifndef TANKS_H
#define TANKS_H

#include "../../sectors/src/sectors.h"
#include "../../shapes/src/blocks.h"
#include "../../shapes/src/rotation.h"
#include "drawings.h"

enum {
    kMaxTanks = 64,
    kPixel = 1 << 5,   /* Q11.5 */
    kPanelHeight = 24, /* pixels, at the top: the score */
    kWall = 4,         /* around the field */
    kClearance = 28,   /* between the wall and the middle of any tank: more than anything drawn around it reaches */
    kFieldLeft = kWall + kClearance,
    kFieldTop = kPanelHeight + kWall + kClearance,
    kFieldRight = kScreenWidth - kWall - kClearance, /* end, exclusive */
    kFieldBottom = kScreenHeight - kWall - kClearance,
    kTufts = 140,
    kBlastFrames = 16,
    kLog2Block = 6
};

/* Kinds of tanks. */
enum {
    kPlayer,
    kLight,
    kMedium,
    kHeavy
};

/* How a tank drives. */
struct drive {
    s16 speed; /* Q11.5 pixels per frame */
    s16 turn;  /* angle per frame */
    s16 wait;  /* frames until it changes its turn */
    s16 kind;
};

/* The box of a tank: upper-left corner in Q11.5 (whole pixels), width and height in pixels. */
struct bound {
    s16 px, py, wide, high;
};

struct shell {
    s16 x, y, angle, is_flying; /* centre, Q11.5 */
};

struct blast {
    s16 x, y, left, unused; /* centre, Q11.5; frames left */
};

struct tuft {
    s16 x, y, kind, unused;
};

extern struct rectangle gTanks[kMaxTanks + 1]; /* tank 0 is the player's; the shell follows the last one */
extern struct drive gDrives[kMaxTanks];
extern struct bound gBounds[kMaxTanks];
extern struct shell gShell;
extern struct blast gBlast;
extern struct tuft gTufts[kTufts];
extern u8 gNearArray[kMaxTanks];   /* whose box overlaps another one's */
extern u8 gHitArray[kMaxTanks];    /* whose rectangle collides with another one */
extern s32 gStruck;                /* the tank that the shell has hit, 0 for none */
extern s32 gHits, gBumps;

/* field.c: where tanks are put, and how they drive */
void StartField(u32 seed, s32 count);
void ScatterTanks(void);
void PlaceTank(s32 number);
void DriveTanks(u32 pad);
void Shoot(void);
void MoveShell(void);

/* clash.c */
void DetermineClashes(void);

/* picture.c */
void DrawFrame(void);

#endif
