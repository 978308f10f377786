/* The game: the consequences of hits, frame by frame. */

#include "shooter.h"

u32 gFrame, gPadBefore;

static struct pair gFound[kMostRecords / 2];

enum {
    kPadFire = 16,
    kBadParameters = 1,
    kShipBurst = 72, /* frames */
    kMissileBurst = 8,
    kAlienBurst = 24,
    kPauseFrames = 50, /* between waves */
    kMostScore = 65535,
    kMostWaves = 99
};

static s32 BurstFrames(s32 type)
{
    return type == kTypeShip ? kShipBurst : type == kTypeMissile ? kMissileBurst : kAlienBurst;
}

/* What was hit disappears when it has burst; the ship is replaced while there are ships in reserve. */
static void AgeBursts(void)
{
    s32 number;

    for (number = 0; number < gNumObjects; number++) {
        struct sprite *each = &gSprites[number];

        if (each->burst == 0 || ++each->burst <= BurstFrames(gRecords[number].type))
            continue;
        each->burst = 0;
        gRecords[number].collided = 0;
        if (number != kShip)
            continue;
        if (gGame.ships > 0) {
            gGame.ships--;
            PlaceShip();
        } else
            gGame.playing = 0;
    }
}

/* When the last alien has burst the next wave comes. */
static void CountWaves(void)
{
    s32 number;

    for (number = kFirstAlien; number < gNumObjects; number++)
        if (gRecords[number].active || gRecords[number].collided)
            return;
    if (++gGame.pause < kPauseFrames)
        return;
    gGame.pause = 0;
    if (gGame.wave < kMostWaves)
        gGame.wave++;
    StartWave();
}

static s32 Points(s32 number)
{
    s32 points = gSprites[number].shape == kCaptain ? 3 : gSprites[number].shape == kHornet ? 2 : 1;

    return gSprites[number].way == kDiving ? 2 * points : points;
}

static void NoteHits(void)
{
    s32 number;

    for (number = 0; number < gNumObjects; number++) {
        if (!gRecords[number].collided || gSprites[number].burst)
            continue;
        gSprites[number].burst = 1;
        if (gRecords[number].type == kTypeAlien)
            gGame.score += Points(number);
    }
    if (gGame.score > kMostScore)
        gGame.score = kMostScore;
    if (gGame.best < gGame.score)
        gGame.best = gGame.score;
}

/* Write the size of each record's picture, for tools that show boxes. */
static void NoteSizes(void)
{
    s32 number;

    for (number = 0; number < gNumObjects; number++) {
        int is_there = gRecords[number].active || gRecords[number].collided;
        struct sprite *each = &gSprites[number];

        each->wide = is_there ? gPictures[each->shape].wide : 0;
        each->high = is_there ? gPictures[each->shape].high : 0;
    }
}

/* Run; return the status to exit with. */
int Main(void)
{
    u32 mode = PARAMETERS[0], aliens = PARAMETERS[1], seed = PARAMETERS[2];

    if (mode != 0 || aliens < 1 || aliens > kMostAliens)
        return kBadParameters;
    PowerOn(seed, aliens);
    for (;;) {
        u32 pad = PAD;

        if (!gGame.playing && (pad & kPadFire) && !(gPadBefore & kPadFire))
            StartGame();
        gPadBefore = pad;
        AgeBursts();
        CountWaves();
        MoveAll(pad);
        CheckAllObjects(gRecords, gNumObjects, gCircles, CirclesMeet, gFound);
        NoteHits();
        NoteSizes();
        DrawFrame();
        gFrame++;
        YieldFrame();
    }
}
