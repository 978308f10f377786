/* The field: what is in it, where everything begins, and how it moves. */

#include "xquest.h"
#include "../../sectors/src/objects.c" /* the objects and their random numbers */

struct sprite gSprites[kMaxObjects];
struct star gStars[kStars];

enum {
    kFastest = 4 << kPixelShift,
    kThrust = 6, /* Q11.5 pixels per frame, gained in a frame */
    kPadLeft = 1,
    kPadRight = 2,
    kPadUp = 4,
    kPadDown = 8
};

/* The ship's pictures. */
enum {
    kPointsUp,
    kPointsRight,
    kPointsDown,
    kPointsLeft
};

/* Everything but the ship, in turn. A random speed of up to two pixels per frame is halved `calm` times. */
static const struct {
    u8 shape, calm;
} gCast[] = {
    {kEmerald, 3}, {kMine, 2}, {kRock, 1}, {kRuby, 3}, {kCrab, 1}, {kEmerald, 3},
    {kSaucer, 0}, {kSpark, 0}, {kMine, 2}, {kRing, 2}, {kRuby, 3}, {kCrab, 1}
};

s32 IsGem(s32 shape)
{
    return shape == kEmerald || shape == kRuby;
}

static void Show(scalar number, s32 shape)
{
    gSprites[number].wide = gPictures[shape].wide;
    gSprites[number].high = gPictures[shape].high;
    gSprites[number].shape = shape;
}

/* A random coordinate, least..most pixels. */
static s16 Somewhere(s32 least, s32 most)
{
    return (least + RandScalar(most - least + 1)) << kPixelShift;
}

static s16 SomeSpeed(s32 calm)
{
    return ((Rand() & 127) - 64) >> calm;
}

/* Put an object at a random position in the field. */
void PlaceSprite(scalar number)
{
    struct motion *motion = &gMotion[number];
    u16 part = (u16)(number - 1) % (u16)(sizeof gCast / sizeof *gCast);

    Show(number, gCast[part].shape);
    motion->px = Somewhere(kFieldLeft, kFieldRight - gSprites[number].wide);
    motion->py = Somewhere(kFieldTop, kFieldBottom - gSprites[number].high);
    motion->vx = SomeSpeed(gCast[part].calm);
    motion->vy = SomeSpeed(gCast[part].calm);
    gMetArray[number] = 0;
}

void ScatterSprites(void)
{
    scalar i;

    for (i = 1; i < gNumObjects; i++)
        PlaceSprite(i);
}

static void ScatterStars(void)
{
    struct star *each;

    for (each = gStars; each < gStars + kStars; each++) {
        each->x = kFieldLeft + RandScalar(kFieldRight - kFieldLeft);
        each->y = kFieldTop + RandScalar(kFieldBottom - kFieldTop);
        each->bright = Rand() & 3;
    }
}

void StartField(u32 seed, s32 count)
{
    Seed(seed);
    gNumObjects = count;
    LinkObjects(count);
    ScatterStars();
    Show(0, kShip + kPointsUp);
    gMotion[0].px = (kFieldLeft + kFieldRight - gSprites[0].wide) / 2 << kPixelShift;
    gMotion[0].py = (kFieldTop + kFieldBottom - gSprites[0].high) / 2 << kPixelShift;
    ScatterSprites();
}

/* A component of the ship's velocity: thrust, or friction without it. */
static s16 Steered(s16 velocity, s32 thrust)
{
    s32 next = velocity + thrust * kThrust;

    if (thrust == 0)
        return velocity - (velocity > 0) + (velocity < 0);
    if (next > kFastest)
        return kFastest;
    if (next < -kFastest)
        return -kFastest;
    return next;
}

static void SteerShip(u32 pad)
{
    s32 dx = ((pad & kPadRight) != 0) - ((pad & kPadLeft) != 0);
    s32 dy = ((pad & kPadDown) != 0) - ((pad & kPadUp) != 0);

    gMotion[0].vx = Steered(gMotion[0].vx, dx);
    gMotion[0].vy = Steered(gMotion[0].vy, dy);
    if (dx)
        Show(0, kShip + (dx > 0 ? kPointsRight : kPointsLeft));
    else if (dy)
        Show(0, kShip + (dy > 0 ? kPointsDown : kPointsUp));
}

/* Step one coordinate; at the ends of least..most, pixels, it is reflected and the velocity reversed. */
static inline void Bounce(s16 *place, s16 *velocity, s32 least, s32 most)
{
    s32 next = *place + *velocity;

    least <<= kPixelShift;
    most <<= kPixelShift;
    if (next < least) {
        next = 2 * least - next;
        *velocity = -*velocity;
    } else if (next > most) {
        next = 2 * most - next;
        *velocity = -*velocity;
    }
    *place = next;
}

void MoveSprites(u32 pad)
{
    struct motion *each = gMotion;
    struct sprite *sprite = gSprites;
    obj *shown = gObjects;
    scalar i;

    SteerShip(pad);
    for (i = 0; i < gNumObjects; i++, each++, sprite++, shown++) {
        Bounce(&each->px, &each->vx, kFieldLeft, kFieldRight - sprite->wide);
        Bounce(&each->py, &each->vy, kFieldTop, kFieldBottom - sprite->high);
        shown->x = each->px >> kPixelShift;
        shown->y = each->py >> kPixelShift;
    }
}
