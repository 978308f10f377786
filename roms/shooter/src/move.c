/* How everything moves. */

#include "shooter.h"

enum {
    kPadLeft = 1,
    kPadRight = 2,
    kPadUp = 4,
    kPadDown = 8,
    kPadFire = 16
};

enum { /* Q11.5 pixels, and per frame; frames where it says so */
    kMargin = 4 << kQ5, /* of the ship from the sides */
    kShipTop = 330 << kQ5,
    kShipAcross = 112,
    kShipDown = 80,
    kShotSpeed = 224,
    kShotBegin = 8 << kQ5, /* above the ship */
    kReloadFrames = 9,
    kFarthestSway = 60 << kQ5,
    kComingSpeed = 64,
    kReturn = (kFieldTop - 32) * (1 << kQ5), /* where an alien that left at the bottom comes back */
    kDiveLeap = -72,
    kDiveSide = 64,
    kDiveTurn = 2,
    kDiveAcross = 72,
    kLowestBomber = 300 << kQ5
};

static void SteerShip(u32 pad)
{
    struct motion *ship = &gMotion[kShip];
    const struct picture *picture = &gPictures[kFighter];
    s32 dx = ((pad & kPadRight) != 0) - ((pad & kPadLeft) != 0);
    s32 dy = ((pad & kPadDown) != 0) - ((pad & kPadUp) != 0);

    ship->px = Limited(ship->px + dx * kShipAcross, kMargin, ((kScreenWidth - picture->wide) << kQ5) - kMargin);
    ship->py = Limited(ship->py + dy * kShipDown, kShipTop, ((kFieldBottom - picture->high) << kQ5) - kMargin);
    if (gGame.shield > 0 && --gGame.shield == 0)
        gRecords[kShip].detection = kDetectAll;
}

/* The first record from `number` that is free, or `end`. */
static s32 FreeRecord(s32 number, s32 end)
{
    while (number < end && (gRecords[number].active || gRecords[number].collided))
        number++;
    return number;
}

static void Fire(u32 pad)
{
    s32 number;

    if (gGame.reload > 0)
        gGame.reload--;
    if (!(pad & kPadFire) || gGame.reload > 0)
        return;
    number = FreeRecord(kFirstShot, kFirstBomb);
    if (number == kFirstBomb)
        return;
    gRecords[number].active = 1;
    gMotion[number].px = gMotion[kShip].px + ((gPictures[kFighter].wide / 2 - gPictures[kShot].wide / 2) << kQ5);
    gMotion[number].py = gMotion[kShip].py - kShotBegin;
    gMotion[number].vx = 0;
    gMotion[number].vy = -kShotSpeed;
    gGame.reload = kReloadFrames;
}

/* Missiles leave the game where they leave the field. */
static void MoveMissiles(void)
{
    s32 number;

    for (number = kFirstShot; number < kFirstAlien; number++) {
        struct motion *each = &gMotion[number];
        const struct picture *picture = &gPictures[gSprites[number].shape];

        if (!gRecords[number].active)
            continue;
        each->px += each->vx;
        each->py += each->vy;
        if (each->py < kFieldTop << kQ5 || each->py > (kFieldBottom - picture->high) << kQ5 || each->px < 0
            || each->px > (kScreenWidth - picture->wide) << kQ5)
            gRecords[number].active = 0;
    }
}

static s16 Nearer(s16 place, s16 goal)
{
    return Limited(goal, place - kComingSpeed, place + kComingSpeed);
}

/* A leap upwards, then down, after the ship; an alien that leaves at the bottom comes back from the top. */
static void Dive(s32 number)
{
    struct motion *each = &gMotion[number];
    s32 most = (kScreenWidth - gPictures[gSprites[number].shape].wide) << kQ5;
    s32 turn = gMotion[kShip].px > each->px ? kDiveTurn : -kDiveTurn;

    each->vy = Limited(each->vy + 4, kDiveLeap, Limited(72 + 4 * gGame.wave, 76, 112));
    each->vx = Limited(each->vx + turn, -kDiveAcross, kDiveAcross);
    each->px += each->vx;
    each->py += each->vy;
    if (each->px < 0 || each->px > most) {
        each->px = Limited(each->px, 0, most);
        each->vx = -each->vx;
    }
    if (each->py >= kFieldBottom << kQ5) {
        each->py = kReturn;
        gSprites[number].way = kComing;
    }
}

static void MoveAliens(void)
{
    s32 number;

    gGame.sway += gGame.sway_step;
    if (gGame.sway >= kFarthestSway || gGame.sway <= -kFarthestSway)
        gGame.sway_step = -gGame.sway_step;
    for (number = kFirstAlien; number < gNumObjects; number++) {
        struct motion *each = &gMotion[number];
        struct home *home = &gHomes[number - kFirstAlien];
        s16 x = home->x + gGame.sway, y = home->y;

        if (!gRecords[number].active)
            continue;
        if (gSprites[number].way == kDiving) {
            Dive(number);
        } else if (gSprites[number].way == kHolding) {
            each->px = x;
            each->py = y;
        } else {
            each->px = Nearer(each->px, x);
            each->py = Nearer(each->py, y);
            if (each->px == x && each->py == y)
                gSprites[number].way = kHolding;
        }
    }
}

/* The first alien that may dive, from a random one on, or 0. */
static s32 ChooseAlien(int (*may)(s32 number))
{
    s32 aliens = gNumObjects - kFirstAlien, number = kFirstAlien + RandomBelow(aliens), i;

    for (i = 0; i < aliens; i++) {
        if (gRecords[number].active && may(number))
            return number;
        if (++number == gNumObjects)
            number = kFirstAlien;
    }
    return 0;
}

static int MayDive(s32 number)
{
    return gSprites[number].way == kHolding;
}

static int MayBomb(s32 number)
{
    return gMotion[number].py >= kFieldTop << kQ5 && gMotion[number].py < kLowestBomber;
}

static void LaunchDive(void)
{
    s32 number;

    if (--gGame.dive_wait > 0)
        return;
    gGame.dive_wait = Limited(130 - 10 * gGame.wave, 40, 120);
    number = ChooseAlien(MayDive);
    if (number == 0)
        return;
    gSprites[number].way = kDiving;
    gMotion[number].vx = RandomBits(1) ? kDiveSide : -kDiveSide;
    gMotion[number].vy = kDiveLeap;
}

static void DropBomb(void)
{
    s32 bomb, number;
    const struct picture *picture;

    if (--gGame.bomb_wait > 0)
        return;
    gGame.bomb_wait = Limited(64 - 6 * gGame.wave, 14, 58) + RandomBits(15);
    bomb = FreeRecord(kFirstBomb, kFirstAlien);
    if (bomb == kFirstAlien)
        return;
    number = ChooseAlien(MayBomb);
    if (number == 0)
        return;
    picture = &gPictures[gSprites[number].shape];
    gRecords[bomb].active = 1;
    gMotion[bomb].px = gMotion[number].px + ((picture->wide / 2 - gPictures[kBomb].wide / 2) << kQ5);
    gMotion[bomb].py = gMotion[number].py + (picture->high << kQ5);
    gMotion[bomb].vx = Limited((gMotion[kShip].px - gMotion[bomb].px) >> 7, -40, 40);
    gMotion[bomb].vy = Limited(80 + 4 * gGame.wave, 84, 120);
}

/* Move everything that is in the game, and write its pixel into its record. */
void MoveAll(u32 pad)
{
    s32 number;

    MoveMissiles();
    if (gRecords[kShip].active) {
        SteerShip(pad);
        Fire(pad);
    }
    MoveAliens();
    if (gRecords[kShip].active) {
        LaunchDive();
        DropBomb();
    }
    for (number = 0; number < gNumObjects; number++) {
        gRecords[number].x = gMotion[number].px >> kQ5;
        gRecords[number].y = gMotion[number].py >> kQ5;
    }
}
