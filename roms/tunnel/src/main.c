/* Missiles of 25 pixels a frame against ships of 8, tested where they are in each frame and along their path through it.
   After Jon E P, "Simple Collision Detection" (2007), which describes the case. This source: the retrosim project. */

#include "../../objects/src/objects.h"
#include "../../shooter/src/text.h"
#include "drawings.h"

enum {
    kMostLanes = 12,
    kShip = 8, /* pixels, both sides */
    kMissileWide = 6,
    kMissileHigh = 2,
    kLaneTop = 56, /* of the first */
    kLaneHigh = 25,
    kLanePitch = 34,
    kShipDown = 8, /* below the top of its lane */
    kMissileDown = 11,
    kNearestShip = 60, /* to the left edge, before it is steered */
    kShipStep = 53,    /* from lane to lane, within .. */
    kShipRange = 160,
    kFarthestShift = 40,
    kShiftStep = 2,
    kLaunch = 276, /* to 300: as many positions as the missile of the text moves pixels in a frame */
    kLaunchRange = 25,
    kEnd = 8,      /* left of it a flight is over */
    kSpeed = 25,   /* at power-on, pixels per frame */
    kFastest = 40,
    kBurstFrames = 6,
    kMissFrames = 9,
    kMostCounted = 9999,
    kWhole = 324, /* from the left half to the right one */
    kHalf = 316,
    kScreenHigh = 480,
    kRandRange = 32768,
    kBlack = 255,
    kBadParameters = 1
};

enum {
    kPadLeft = 1,
    kPadRight = 2,
    kPadUp = 4,
    kPadDown = 8,
    kPadFire = 16
};

struct lane {
    s16 x, begin;              /* of the missile, now and when the frame began; pixels */
    u8 plain, swept;           /* hit in this flight, by each test */
    u8 plain_burst, swept_burst; /* frames that a hit is still shown */
    u8 miss;                   /* and that the plain test missed one */
    u8 unused;
    s16 ship; /* where its ship is, before it is steered */
};

s32 gNumObjects;
u32 gFrame, gRandNext, gPadBefore;
struct lane gLanes[kMostLanes];
struct tunnel {
    s32 speed, shift, flights, plain, swept, missed;
} gTunnel;

static const u8 gRed[kGlyphHigh] = {
    kColour_p, kColour_p, kColour_p, kColour_p, kColour_q, kColour_q, kColour_q,
    kColour_q, kColour_q, kColour_q, kColour_R, kColour_R, kColour_R, kColour_R
};
static s32 gShown[4];

/* The example generator of the C standard, scaled to 0..end-1. */
static s32 RandomBelow(u16 end)
{
    gRandNext = gRandNext * 1103515245 + 12345;
    return (u32)end * (u16)(gRandNext >> 16 & (kRandRange - 1)) / kRandRange;
}

static void Count(s32 *counter)
{
    if (*counter < kMostCounted)
        ++*counter;
}

static void Launch(struct lane *lane)
{
    lane->x = lane->begin = kLaunch + RandomBelow(kLaunchRange);
    lane->plain = lane->swept = 0;
}

static void LaunchAll(void)
{
    s32 i;

    for (i = 0; i < gNumObjects; i++)
        Launch(&gLanes[i]);
}

static void PowerOn(u32 seed, s32 lanes)
{
    s16 ship = 0;
    s32 i;

    gNumObjects = lanes;
    gRandNext = seed;
    gTunnel.speed = kSpeed;
    for (i = 0; i < lanes; i++) {
        gLanes[i].ship = kNearestShip + ship;
        ship += kShipStep;
        if (ship >= kShipRange)
            ship -= kShipRange;
    }
    LaunchAll();
    for (i = 0; i < lanes; i++)
        gLanes[i].x -= RandomBelow(kLaunch);
}

static void StepDown(u8 *frames)
{
    if (*frames)
        --*frames;
}

/* Whether the boxes overlap where they are: the test that does not look at the path of a frame. */
static int BoxesMeetNow(const struct mover *one, const struct mover *other)
{
    return one->x < other->x + other->wide && other->x < one->x + one->wide && one->y < other->y + other->high
        && other->y < one->y + one->high;
}

static void Fly(struct lane *lane, s32 shift, s32 move)
{
    struct mover missile = {0, kMissileDown, 0, 0, kMissileWide, kMissileHigh};
    struct mover ship = {0, kShipDown, 0, 0, kShip, kShip};

    StepDown(&lane->plain_burst);
    StepDown(&lane->swept_burst);
    StepDown(&lane->miss);
    lane->begin = missile.x = lane->x;
    missile.move_x = -gTunnel.speed;
    ship.x = lane->ship + shift;
    ship.move_x = move;
    if (!lane->swept && BoxesMeetInFrame(&missile, &ship)) {
        lane->swept = 1;
        lane->swept_burst = kBurstFrames;
        Count(&gTunnel.swept);
    }
    lane->x -= gTunnel.speed;
    missile.x = lane->x;
    ship.x += move;
    if (!lane->plain && BoxesMeetNow(&missile, &ship)) {
        lane->plain = 1;
        lane->plain_burst = kBurstFrames;
        Count(&gTunnel.plain);
    }
    if (lane->x >= kEnd)
        return;
    Count(&gTunnel.flights);
    if (lane->swept && !lane->plain) {
        lane->miss = kMissFrames;
        Count(&gTunnel.missed);
    }
    Launch(lane);
}

static void Frame(u32 pad)
{
    u32 pressed = pad & ~gPadBefore;
    s32 shift = gTunnel.shift, next = shift, i;

    gPadBefore = pad;
    if ((pressed & kPadUp) && gTunnel.speed < kFastest)
        gTunnel.speed++;
    if ((pressed & kPadDown) && gTunnel.speed > 1)
        gTunnel.speed--;
    if (pressed & kPadFire)
        LaunchAll();
    if ((pad & kPadRight) && next < kFarthestShift)
        next += kShiftStep;
    if ((pad & kPadLeft) && next > -kFarthestShift)
        next -= kShiftStep;
    gTunnel.shift = next;
    for (i = 0; i < gNumObjects; i++)
        Fly(&gLanes[i], shift, next - shift);
}

static void FillPixels(s32 x, s32 y, s32 wide, s32 high, u8 colour)
{
    u8 *row = SCREEN + y * kRowBytes + x;
    s32 i;

    for (; high > 0; high--, row += kRowBytes)
        for (i = 0; i < wide; i++)
            row[i] = colour;
}

static void DrawPicture(s32 x, s32 y, const struct picture *picture)
{
    const u8 *from = picture->runs;
    u8 *row = SCREEN + y * kRowBytes + x;
    s32 rows = picture->high;

    for (; rows > 0; rows--, row += kRowBytes) {
        u8 *to = row;
        s32 count;

        while (to += *from++, (count = *from++) != 0)
            for (; count > 0; count--)
                *to++ = *from++;
    }
}

/* One lane in one half: missile, ship, what is left of a hit. The missile's last position, or its whole path, is dim. */
static void DrawLane(const struct lane *lane, s32 left, s32 top, int is_hit, u8 burst, int is_swept)
{
    s32 x = left + lane->ship + gTunnel.shift, y = top + kMissileDown;

    DrawPicture(x, top + kShipDown, &gPictures[kDart]);
    if (!is_hit && lane->begin > lane->x) {
        s32 way = is_swept ? lane->begin - lane->x : 0;

        FillPixels(left + lane->begin - way, y, kMissileWide + way, kMissileHigh, is_swept ? kColour_t : kColour_D);
    }
    if (!is_hit)
        FillPixels(left + lane->x, y, kMissileWide, kMissileHigh, kColour_w);
    if (burst)
        DrawPicture(x - 1, top + kShipDown - 1, &gPictures[kSpark + (burst <= kBurstFrames / 2)]);
}

static void ShowNumber(s32 which, s32 number, s32 x, s32 y, s32 figures)
{
    if (gShown[which] == number)
        return;
    gShown[which] = number;
    FillBox(x, y, x + figures * kCell, y + kGlyphHigh, kBlack);
    DrawNumber(x, y, number, figures, gGold);
}

static void DrawPanel(void)
{
    s32 i;

    FillBox(0, 0, kRowBytes, kScreenHigh, kBlack);
    FillBox(0, 46, kRowBytes, 47, kColour_B);
    FillBox(0, 47, kRowBytes, 48, kColour_b);
    FillPixels(kHalf + 2, 48, 2, kScreenHigh - 48, kColour_B);
    FillPixels(kHalf + 4, 48, 2, kScreenHigh - 48, kColour_b);
    DrawText(16, 6, "PLAIN", gBlue);
    DrawText(16, 26, "MISSED", gBlue);
    DrawText(340, 6, "SWEPT", gBlue);
    DrawText(340, 26, "SPEED", gBlue);
    for (i = 0; i < 4; i++)
        gShown[i] = -1;
}

static void DrawFrame(void)
{
    s32 i, top = kLaneTop;

    if (gFrame == 0)
        DrawPanel();
    ShowNumber(0, gTunnel.plain, 100, 6, 4);
    ShowNumber(1, gTunnel.missed, 100, 26, 4);
    ShowNumber(2, gTunnel.swept, 424, 6, 4);
    ShowNumber(3, gTunnel.speed, 424, 26, 2);
    for (i = 0; i < gNumObjects; i++, top += kLanePitch) {
        const struct lane *lane = &gLanes[i];

        FillBox(0, top, kHalf, top + kLaneHigh, kBlack);
        FillBox(kWhole, top, kRowBytes, top + kLaneHigh, kBlack);
        if (lane->miss)
            DrawText(256, top + 5, "MISS", gRed);
        DrawLane(lane, 0, top, lane->plain, lane->plain_burst, 0);
        DrawLane(lane, kWhole, top, lane->swept, lane->swept_burst, 1);
    }
}

/* Run; return the status to exit with. */
int Main(void)
{
    u32 mode = PARAMETERS[0], lanes = PARAMETERS[1], seed = PARAMETERS[2];

    if (mode != 0 || lanes < 1 || lanes > kMostLanes)
        return kBadParameters;
    PowerOn(seed, lanes);
    for (;;) {
        Frame(PAD);
        DrawFrame();
        gFrame++;
        YieldFrame();
    }
}
