/* The timing harness of 1994: how many complete checks fit into thirty seconds. Random placement happens every fifty
   checks and is not counted: the end is put off by the time it takes. */

#include "sectors.h"

u32 gIterations, gTotalTime;

enum {
    kTestLength = 30 * 1000000, /* microseconds */
    kChecksPerScene = 50
};

/* Microseconds since the first call. */
static s32 Clock(void)
{
    static struct wide base;
    static u8 running;
    struct wide now;

    if (!running) {
        Microseconds(&base);
        running = 1;
    }
    Microseconds(&now);
    return now.low - base.low;
}

static void ShowLastScene(scalar count)
{
    scalar i;

    ClearScreen();
    for (i = 0; i < count; i++)
        DrawObject(gObjects[i].x, gObjects[i].y, gCollisionArray[i]);
}

void RunHarness(u32 seed, s32 count)
{
    s32 end;

    Seed(seed);
    gNumObjects = count;
    end = Clock() + kTestLength;
    while (Clock() < end) {
        s32 before = Clock();
        scalar i;

        RandomizeObjects(count);
        end += Clock() - before;
        for (i = 0; i < kChecksPerScene && Clock() < end; i++) {
            DetermineCollisions();
            gIterations++;
        }
    }
    gTotalTime = kTestLength + Clock() - end;
    ShowLastScene(count);
}
