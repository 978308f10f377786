/* A shoot-'em-up on the object records of Jon E P, "Simple Collision Detection" (2007). Random numbers are those of the
   ROM `sectors`, records and their check those of `objects`. This source and the drawings: the retrosim project. */

#ifndef SHOOTER_H
#define SHOOTER_H

#include "../../sectors/src/sectors.h"
#include "../../objects/src/objects.h"
#include "drawings.h"

enum {
    kPanelHeight = 28, /* pixels, at the top */
    kFieldTop = kPanelHeight,
    kFieldBottom = kScreenHeight,
    kQ5 = 5, /* fraction bits of Q11.5 */
    kStars = 80,
    kReserve = 2,     /* ships */
    kShipBegin = 440, /* pixels from the top */
    kSwayStep = 16,   /* Q11.5 pixels per frame */
    kShieldFrames = 120,
    kFirstDive = 180, /* frames from the beginning of a wave */
    kFirstBombFall = 120,
    kCircles = 12
};

/* Numbers of the records. */
enum {
    kShip = 0,
    kFirstShot = 1,
    kShots = 4,
    kFirstBomb = kFirstShot + kShots,
    kBombs = 8,
    kFirstAlien = kFirstBomb + kBombs,
    kMostAliens = 50,
    kMostRecords = kFirstAlien + kMostAliens
};

/* What an alien is doing. */
enum {
    kHolding, /* its place in the formation */
    kDiving,
    kComing /* back to its place */
};

/* What a record needs beyond those of Jon E P 2007. */
struct sprite {
    s16 wide, high; /* of what is shown; 0 if nothing is */
    u8 shape;       /* number of its first picture */
    u8 way;
    u8 burst; /* frames since it was hit, 0 if it was not */
    u8 unused;
};

struct game {
    s32 score, best; /* tens of points */
    s32 wave, ships; /* ships in reserve */
    s32 playing;
    s32 sway, sway_step; /* of the formation, Q11.5 */
    s32 dive_wait, bomb_wait, reload, shield, pause; /* frames */
};

struct home { /* an alien's place in the formation, Q11.5 */
    s16 x, y;
    s16 entry; /* how far above it a wave begins */
};

struct star {
    s16 x, y, speed; /* pixels, and per frame 1..3 */
};

extern struct object gRecords[kMostRecords];
extern struct sprite gSprites[kMostRecords];
extern struct game gGame;
extern struct home gHomes[kMostAliens];
extern struct star gStars[kStars];
extern const union shape gCircles[kCircles];

/* start.c, with objects.c of the ROM `sectors` */
s32 RandomBits(s32 mask);
s32 RandomBelow(s32 end);
void PowerOn(u32 seed, s32 aliens);
void StartGame(void);
void StartWave(void);
void PlaceShip(void);

/* move.c */
void MoveAll(u32 pad);

/* picture.c */
void DrawFrame(void);

static inline s32 Limited(s32 value, s32 least, s32 most)
{
    return value < least ? least : value > most ? most : value;
}

#endif
