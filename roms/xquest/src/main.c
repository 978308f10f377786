/* The game: steer the ship, collect the gems, touch nothing else. */

#include "xquest.h"

u32 gFrame, gPadBefore;
s32 gGems, gBumps;

static u8 gMetBefore[kMaxObjects];

enum {
    kPadFire = 16,
    kBadParameters = 1
};

/* Gems that the ship touched in the frame before, and that were shown so, reappear elsewhere. */
static void ReplaceGems(void)
{
    scalar i;

    for (i = 1; i < gNumObjects; i++)
        if (gMetArray[i] && IsGem(gSprites[i].shape))
            PlaceSprite(i);
}

static void NoteMet(void)
{
    scalar i;

    for (i = 1; i < gNumObjects; i++)
        gMetBefore[i] = gMetArray[i];
}

/* Count what the ship has begun to touch. */
static void Score(void)
{
    scalar i;

    for (i = 1; i < gNumObjects; i++) {
        if (!gMetArray[i] || gMetBefore[i])
            continue;
        if (IsGem(gSprites[i].shape))
            gGems++;
        else
            gBumps++;
    }
}

/* Run; return the status to exit with. */
int Main(void)
{
    u32 mode = PARAMETERS[0], count = PARAMETERS[1], seed = PARAMETERS[2];

    if (mode != 0 || count < 1 || count > kMaxObjects)
        return kBadParameters;
    StartField(seed, count);
    for (;;) {
        u32 pad = PAD;

        if ((pad & kPadFire) && !(gPadBefore & kPadFire))
            ScatterSprites();
        gPadBefore = pad;
        ReplaceGems();
        MoveSprites(pad);
        NoteMet();
        DetermineTouches();
        Score();
        DrawFrame();
        gFrame++;
        YieldFrame();
    }
}
