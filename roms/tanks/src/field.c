/* The field: what is in it, where everything begins, and how tanks drive. */

#include "tanks.h"
#include "../../sectors/src/objects.c" /* the random numbers */

struct rectangle gTanks[kMaxTanks + 1];
struct drive gDrives[kMaxTanks];
struct shell gShell;
struct tuft gTufts[kTufts];

enum {
    kPadLeft = 1,
    kPadRight = 2,
    kPadUp = 4,
    kPadDown = 8,
    kUpward = 3 * kQuarter,  /* angle of a tank that faces up */
    kSteering = 8,           /* angle per frame, of the player's tank */
    kThrust = 3,             /* Q11.5 pixels per frame, gained in a frame */
    kAvoiding = 12,          /* angle per frame, of a tank that cannot go on; more than any tank turns otherwise */
    kLeastWait = 16,         /* frames */
    kMuzzle = 22 * kPixel,   /* from the middle of a tank to the shell that leaves it */
    kShellSpeed = 6 * kPixel,
    kShellClearance = 6      /* pixels between the wall and the middle of a shell */
};

static const struct {
    s16 half_wide, half_high, fastest;
} gKinds[] = {
    {14 * kPixel, 9 * kPixel, 48}, {11 * kPixel, 7 * kPixel, 40}, {14 * kPixel, 9 * kPixel, 28},
    {17 * kPixel, 11 * kPixel, 18}
};

/* All tanks but the player's, in turn. */
static const u8 gCast[] = {kLight, kMedium, kHeavy, kMedium, kLight, kMedium};

static void MakeTank(s32 number, s32 kind, s32 x, s32 y, s32 angle)
{
    struct rectangle *tank = &gTanks[number];

    tank->x = x;
    tank->y = y;
    tank->half_wide = gKinds[kind].half_wide;
    tank->half_high = gKinds[kind].half_high;
    tank->angle = angle;
    gDrives[number].kind = kind;
    gDrives[number].speed = kind == kPlayer ? 0 : gKinds[kind].fastest;
    gDrives[number].turn = gDrives[number].wait = 0;
}

/* Put a tank at a random position in the field, at a random angle. */
void PlaceTank(s32 number)
{
    u16 part = (u16)(number - 1) % (u16)sizeof gCast;
    s32 x = (kFieldLeft + RandScalar(kFieldRight - kFieldLeft)) * kPixel;
    s32 y = (kFieldTop + RandScalar(kFieldBottom - kFieldTop)) * kPixel;

    MakeTank(number, gCast[part], x, y, Rand() & (kTurn - 1));
    gHitArray[number] = 0;
}

void ScatterTanks(void)
{
    s32 i;

    for (i = 1; i < gNumObjects; i++)
        PlaceTank(i);
}

static void ScatterTufts(void)
{
    struct tuft *each;

    for (each = gTufts; each < gTufts + kTufts; each++) {
        each->x = kWall + 4 + RandScalar(kScreenWidth - 2 * kWall - 8);
        each->y = kPanelHeight + kWall + 4 + RandScalar(kScreenHeight - kPanelHeight - 2 * kWall - 8);
        each->kind = Rand() & 3;
    }
}

void StartField(u32 seed, s32 count)
{
    Seed(seed);
    gNumObjects = count;
    ScatterTufts();
    MakeTank(0, kPlayer, kScreenWidth / 2 * kPixel, (kFieldTop + kFieldBottom) / 2 * kPixel, kUpward);
    ScatterTanks();
}

/* Go forward, or backward with a negative speed. Return 0 and stay if that leads out of the field. */
static s32 Step(struct rectangle *tank, s32 speed)
{
    s32 x = tank->x + RotatedX(speed, 0, Cosine(tank->angle), Sine(tank->angle));
    s32 y = tank->y + RotatedY(speed, 0, Cosine(tank->angle), Sine(tank->angle));

    if (x < kFieldLeft * kPixel || x >= kFieldRight * kPixel || y < kFieldTop * kPixel || y >= kFieldBottom * kPixel)
        return 0;
    tank->x = x;
    tank->y = y;
    return 1;
}

/* The speed of the player's tank: thrust, or friction without it; backward at half speed. */
static s16 Steered(s16 speed, s32 thrust)
{
    s32 next = speed + thrust * kThrust, fastest = gKinds[kPlayer].fastest;

    if (thrust == 0)
        return speed - (speed > 0) + (speed < 0);
    if (next > fastest)
        return fastest;
    if (next < -(fastest >> 1))
        return -(fastest >> 1);
    return next;
}

static void DrivePlayer(u32 pad)
{
    struct drive *drive = &gDrives[0];

    drive->turn = (((pad & kPadRight) != 0) - ((pad & kPadLeft) != 0)) * kSteering;
    drive->speed = Steered(drive->speed, ((pad & kPadUp) != 0) - ((pad & kPadDown) != 0));
    gTanks[0].angle = (gTanks[0].angle + drive->turn) & (kTurn - 1);
    if (!Step(&gTanks[0], gHitArray[0] ? drive->speed >> 1 : drive->speed))
        drive->speed = 0;
}

/* Drive all: a tank that collides at half speed; one that cannot go on turns until it can. */
void DriveTanks(u32 pad)
{
    struct rectangle *tank = gTanks + 1;
    struct drive *drive = gDrives + 1;
    s32 i;

    DrivePlayer(pad);
    for (i = 1; i < gNumObjects; i++, tank++, drive++) {
        if (drive->wait > 0)
            drive->wait--;
        else {
            s32 bits = Rand();

            drive->turn = (bits & 7) - (bits >> 3 & 7);
            drive->wait = kLeastWait + (bits >> 6 & 63);
        }
        tank->angle = (tank->angle + drive->turn) & (kTurn - 1);
        if (!Step(tank, gHitArray[i] ? drive->speed >> 1 : drive->speed))
            tank->angle = (tank->angle + kAvoiding) & (kTurn - 1);
    }
}

/* The player's tank shoots, if its last shell is gone. */
void Shoot(void)
{
    s32 angle = gTanks[0].angle;

    if (gShell.is_flying)
        return;
    gShell.x = gTanks[0].x + RotatedX(kMuzzle, 0, Cosine(angle), Sine(angle));
    gShell.y = gTanks[0].y + RotatedY(kMuzzle, 0, Cosine(angle), Sine(angle));
    gShell.angle = angle;
    gShell.is_flying = 1;
}

void MoveShell(void)
{
    s32 clear = kWall + kShellClearance;

    if (!gShell.is_flying)
        return;
    gShell.x += RotatedX(kShellSpeed, 0, Cosine(gShell.angle), Sine(gShell.angle));
    gShell.y += RotatedY(kShellSpeed, 0, Cosine(gShell.angle), Sine(gShell.angle));
    if (gShell.x < clear * kPixel || gShell.x >= (kScreenWidth - clear) * kPixel
        || gShell.y < (kPanelHeight + clear) * kPixel || gShell.y >= (kScreenHeight - clear) * kPixel)
        gShell.is_flying = 0;
}
