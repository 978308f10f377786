/* Demo: objects move, bounce off the screen's sides and are pushed by the pad; those that collide are drawn as outlines. */

#include "sectors.h"

u32 gFrame, gPadBefore;

enum {
    kPixelShift = 5, /* Q11.5 */
    kRightmost = (kScreenWidth - kObjectSide) << kPixelShift,
    kLowest = (kScreenHeight - kObjectSide) << kPixelShift,
    kFastest = 4 << kPixelShift,
    kPadLeft = 1,
    kPadRight = 2,
    kPadUp = 4,
    kPadDown = 8,
    kPadFire = 16
};

/* What is on the screen now. */
static struct {
    scalar x, y;
    u8 collided;
} gDrawn[kMaxObjects];

static s16 Clamp(s16 velocity)
{
    if (velocity > kFastest)
        return kFastest;
    if (velocity < -kFastest)
        return -kFastest;
    return velocity;
}

static void BlowObjects(u32 pad)
{
    s16 dx = ((pad & kPadRight) != 0) - ((pad & kPadLeft) != 0);
    s16 dy = ((pad & kPadDown) != 0) - ((pad & kPadUp) != 0);
    struct motion *each = gMotion;
    scalar i;

    for (i = 0; i < gNumObjects; i++, each++) {
        each->vx = Clamp(each->vx + dx);
        each->vy = Clamp(each->vy + dy);
    }
}

/* Step one coordinate; at 0 and at `limit` it is reflected and the velocity reversed. */
static inline void Bounce(s16 *place, s16 *velocity, s16 limit)
{
    s16 next = *place + *velocity;

    if (next < 0) {
        next = -next;
        *velocity = -*velocity;
    } else if (next > limit) {
        next = 2 * limit - next;
        *velocity = -*velocity;
    }
    *place = next;
}

static void MoveObjects(void)
{
    struct motion *each = gMotion;
    obj *shown = gObjects;
    scalar i;

    for (i = 0; i < gNumObjects; i++, each++, shown++) {
        Bounce(&each->px, &each->vx, kRightmost);
        Bounce(&each->py, &each->vy, kLowest);
        shown->x = each->px >> kPixelShift;
        shown->y = each->py >> kPixelShift;
    }
}

static void DrawFrame(void)
{
    scalar i;

    if (gFrame == 0)
        ClearScreen();
    else
        for (i = 0; i < gNumObjects; i++)
            EraseObject(gDrawn[i].x, gDrawn[i].y, gDrawn[i].collided);
    for (i = 0; i < gNumObjects; i++) {
        gDrawn[i].x = gObjects[i].x;
        gDrawn[i].y = gObjects[i].y;
        gDrawn[i].collided = gCollisionArray[i];
        DrawObject(gDrawn[i].x, gDrawn[i].y, gDrawn[i].collided);
    }
}

void RunDemo(u32 seed, s32 count)
{
    Seed(seed);
    gNumObjects = count;
    ScatterObjects(count);
    for (;;) {
        u32 pad = PAD;

        if ((pad & kPadFire) && !(gPadBefore & kPadFire))
            ScatterObjects(gNumObjects);
        gPadBefore = pad;
        BlowObjects(pad);
        MoveObjects();
        DetermineCollisions();
        DrawFrame();
        gFrame++;
        YieldFrame();
    }
}
