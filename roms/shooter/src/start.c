/* How everything begins: at power-on, with a game, with a wave. */

#include "shooter.h"
#include "../../sectors/src/objects.c" /* random numbers */

struct object gRecords[kMostRecords];
struct sprite gSprites[kMostRecords];
struct game gGame;
struct star gStars[kStars];
struct home gHomes[kMostAliens];

enum {
    kColumns = 10,
    kAcross = 44, /* pixels between columns */
    kDown = 34,   /* and rows */
    kHomeTop = 46,
    kEntry = 260 << kQ5, /* how far above its place an alien of the first column begins */
    kEntryStep = 14 << kQ5
};

/* Collision circles, from the pictures' upper left corners. */
#define CIRCLE(x, y, radius) {.circle = {x, y, radius, (radius) * (radius)}}
const union shape gCircles[kCircles] = {
    CIRCLE(13, 6, 5), CIRCLE(13, 16, 8), CIRCLE(5, 18, 4), CIRCLE(21, 18, 4), /* fighter */
    CIRCLE(2, 4, 3),                                                         /* shot */
    CIRCLE(3, 4, 3),                                                         /* bomb */
    CIRCLE(9, 11, 8), CIRCLE(18, 11, 8),                                     /* captain */
    CIRCLE(13, 10, 9), CIRCLE(4, 8, 4), CIRCLE(21, 8, 4),                    /* hornet */
    CIRCLE(10, 9, 9)                                                         /* grub */
};

s32 RandomBits(s32 mask)
{
    return Rand() & mask;
}

s32 RandomBelow(s32 end)
{
    return RandScalar(end);
}

static void MakeRecord(s32 number, s32 type, s32 detection, s32 shape, s32 first, s32 count)
{
    gRecords[number].type = type;
    gRecords[number].detection = detection;
    gRecords[number].first = first;
    gRecords[number].count = count;
    gSprites[number].shape = shape;
}

static void MakeAlien(s32 number, s32 row)
{
    if (row == 0)
        MakeRecord(number, kTypeAlien, kDetectShip, kCaptain, 6, 2);
    else if (row < 3)
        MakeRecord(number, kTypeAlien, kDetectShip, kHornet, 8, 3);
    else
        MakeRecord(number, kTypeAlien, kDetectShip, kGrub, 11, 1);
}

/* Aliens have their places in the formation, in the middle of a column, from left to right, from top to bottom. */
static void MakeFormation(void)
{
    s32 number, row = 0, column = 0;

    for (number = kFirstAlien; number < gNumObjects; number++) {
        struct home *home = &gHomes[number - kFirstAlien];
        const struct picture *picture;

        MakeAlien(number, row);
        picture = &gPictures[gSprites[number].shape];
        home->x = ((kScreenWidth - kColumns * kAcross + kAcross) / 2 + column * kAcross - picture->wide / 2)
                  << kQ5;
        home->y = (kHomeTop + row * kDown) << kQ5;
        home->entry = kEntry + column * kEntryStep;
        if (++column == kColumns) {
            column = 0;
            row++;
        }
    }
}

static void ScatterStars(void)
{
    struct star *each;

    for (each = gStars; each < gStars + kStars; each++) {
        each->x = RandomBelow(kScreenWidth);
        each->y = kFieldTop + RandomBelow(kFieldBottom - kFieldTop);
        each->speed = RandomBits(1) + RandomBits(1) + 1;
    }
}

void PowerOn(u32 seed, s32 aliens)
{
    s32 number;

    Seed(seed);
    gNumObjects = kFirstAlien + aliens;
    ScatterStars();
    MakeRecord(kShip, kTypeShip, kDetectAll, kFighter, 0, 4);
    for (number = kFirstShot; number < kFirstBomb; number++)
        MakeRecord(number, kTypeMissile, kDetectAll, kShot, 4, 1);
    for (; number < kFirstAlien; number++)
        MakeRecord(number, kTypeMissile, kDetectShip, kBomb, 5, 1);
    MakeFormation();
    gGame.sway_step = kSwayStep;
    StartGame();
}

void StartGame(void)
{
    gGame.score = 0;
    gGame.wave = 1;
    gGame.ships = kReserve;
    gGame.playing = 1;
    gGame.pause = 0;
    PlaceShip();
    StartWave();
}

/* A new ship in the middle; nothing hits it while it has its shield. */
void PlaceShip(void)
{
    gMotion[kShip].px = ((kScreenWidth - gPictures[kFighter].wide) / 2) << kQ5;
    gMotion[kShip].py = kShipBegin << kQ5;
    gRecords[kShip].active = 1;
    gRecords[kShip].detection = kDetectNone;
    gGame.shield = kShieldFrames;
    gGame.reload = 0;
}

void StartWave(void)
{
    s32 number;

    for (number = kFirstAlien; number < gNumObjects; number++) {
        struct home *home = &gHomes[number - kFirstAlien];

        gRecords[number].active = 1;
        gRecords[number].collided = 0;
        gSprites[number].burst = 0;
        gSprites[number].way = kComing;
        gMotion[number].px = home->x;
        gMotion[number].py = home->y - home->entry;
        gMotion[number].vx = gMotion[number].vy = 0;
    }
    gGame.dive_wait = kFirstDive;
    gGame.bomb_wait = kFirstBombFall;
}
