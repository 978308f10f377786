/* The scene: rectangles that move, turn and are reflected at the sides of the field; keys choose how they are tested. */

#include "gallery.h"

struct gallery gGallery;
struct rectangle gRectangles[kMostObjects];
struct motion gMotion[kMostObjects];
s32 gNumObjects;
u32 gFrame, gRandNext, gPadBefore;

enum {
    kPadLeft = 1,
    kPadRight = 2,
    kPadUp = 4,
    kPadDown = 8,
    kPadFire = 16,
    kFastest = 48,    /* Q11.5 pixels per frame */
    kFastestTurn = 8, /* angle per frame */
    kRandRange = 32768,
    kBadParameters = 1
};

/* The kinds of objects, in turn, and the circle around each: no box of one is wider than 31 pixels, so that sectors of 64
   find all pairs. Pixels. */
static const struct {
    s16 half_wide, half_high, radius;
} gKinds[4] = {{13, 7, 15}, {12, 4, 13}, {9, 9, 13}, {14, 2, 15}};

s32 RadiusOf(s32 number)
{
    return gKinds[number & 3].radius;
}

/* The example generator of the C standard, scaled to 0..end-1. */
static s32 RandomBelow(u16 end)
{
    gRandNext = gRandNext * 1103515245 + 12345;
    return (u32)end * (u16)(gRandNext >> 16 & (kRandRange - 1)) / kRandRange;
}

static void Scatter(void)
{
    s32 i;

    for (i = 0; i < gNumObjects; i++) {
        struct rectangle *each = &gRectangles[i];
        struct motion *motion = &gMotion[i];

        each->x = (kFieldLeft + RandomBelow(kFieldWide)) * kPixel;
        each->y = (kFieldTop + RandomBelow(kFieldHigh)) * kPixel;
        each->angle = RandomBelow(kTurn);
        motion->vx = RandomBelow(2 * kFastest + 1) - kFastest;
        motion->vy = RandomBelow(2 * kFastest + 1) - kFastest;
        motion->turn = RandomBelow(2 * kFastestTurn + 1) - kFastestTurn;
    }
}

static void PowerOn(u32 seed, s32 count)
{
    s32 i;

    gNumObjects = count;
    gRandNext = seed;
    for (i = 0; i < count; i++) {
        gRectangles[i].half_wide = gKinds[i & 3].half_wide * kPixel;
        gRectangles[i].half_high = gKinds[i & 3].half_high * kPixel;
        gMotion[i].z = (i * 5 & 15) * 3;
    }
    Scatter();
}

/* Step a coordinate; beyond a side of the field it is reflected and the velocity reversed. */
static inline void Bounce(s16 *place, s16 *velocity, s32 first, s32 last)
{
    s32 next = *place + *velocity;

    if (next < first) {
        next = 2 * first - next;
        *velocity = -*velocity;
    } else if (next > last) {
        next = 2 * last - next;
        *velocity = -*velocity;
    }
    *place = next;
}

static void MoveObjects(void)
{
    s32 i;

    for (i = 0; i < gNumObjects; i++) {
        struct rectangle *each = &gRectangles[i];
        struct motion *motion = &gMotion[i];

        Bounce(&each->x, &motion->vx, kFieldLeft * kPixel, (kFieldLeft + kFieldWide) * kPixel - 1);
        Bounce(&each->y, &motion->vy, kFieldTop * kPixel, (kFieldTop + kFieldHigh) * kPixel - 1);
        each->angle = (each->angle + motion->turn) & (kTurn - 1);
    }
}

/* One of a number of choices on or back, round and round. */
static s32 Chosen(s32 choice, s32 back, s32 on, s32 choices)
{
    if (on)
        return choice + 1 == choices ? 0 : choice + 1;
    if (back)
        return choice == 0 ? choices - 1 : choice - 1;
    return choice;
}

static void Choose(u32 pad)
{
    u32 pressed = pad & ~gPadBefore;

    gPadBefore = pad;
    gGallery.method = Chosen(gGallery.method, pressed & kPadLeft, pressed & kPadRight, kMethods);
    gGallery.broad = Chosen(gGallery.broad, pressed & kPadUp, pressed & kPadDown, kBroads);
    if (pressed & kPadFire)
        Scatter();
}

/* Run; return the status to exit with. */
int Main(void)
{
    u32 mode = PARAMETERS[0], count = PARAMETERS[1], seed = PARAMETERS[2];

    if (mode != 0 || count < 1 || count > kMostObjects)
        return kBadParameters;
    PowerOn(seed, count);
    for (;;) {
        Choose(PAD);
        MoveObjects();
        DetermineCollisions();
        DetermineExact();
        DrawFrame();
        gFrame++;
        YieldFrame();
    }
}
