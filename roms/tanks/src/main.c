/* The game: drive a tank, hit the others with shells, do not bump into them. */

#include "tanks.h"

u32 gFrame, gPadBefore;
s32 gHits, gBumps;
struct blast gBlast;

enum {
    kPadFire = 16,
    kBadParameters = 1
};

/* A tank that was hit in the frame before explodes, and another one appears elsewhere. */
static void BlowUp(void)
{
    if (gBlast.left > 0)
        gBlast.left--;
    if (gStruck == 0)
        return;
    gBlast.x = gTanks[gStruck].x;
    gBlast.y = gTanks[gStruck].y;
    gBlast.left = kBlastFrames;
    PlaceTank(gStruck);
}

static void Score(u8 was_hit)
{
    if (gHitArray[0] && !was_hit)
        gBumps++;
    if (gStruck) {
        gHits++;
        gShell.is_flying = 0;
    }
}

/* Run; return the status to exit with. */
int Main(void)
{
    u32 mode = PARAMETERS[0], count = PARAMETERS[1], seed = PARAMETERS[2];

    if (mode != 0 || count < 1 || count > kMaxTanks)
        return kBadParameters;
    StartField(seed, count);
    for (;;) {
        u32 pad = PAD;
        u8 was_hit = gHitArray[0];

        BlowUp();
        DriveTanks(pad);
        if ((pad & kPadFire) && !(gPadBefore & kPadFire))
            Shoot();
        gPadBefore = pad;
        MoveShell();
        DetermineClashes();
        Score(was_hit);
        DrawFrame();
        gFrame++;
        YieldFrame();
    }
}
