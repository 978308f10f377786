/* The test: as many complete checks as fit into the length of an experiment, for four numbers of objects. */

#include "program.h"
#include "text.h"

enum {
    kDone = 0
};

static s32 gTestLength; /* microseconds; 30 seconds in 1994 */

/* Placing the objects is not counted: the end is put off by what it takes. The line is written before the picture takes the
   screen, and a frame ends after it, so that whoever looks on sees something. */
static void _RunExperiment(scalar numObjects, Boolean drawQ)
{
    s32 endTime, totalTime, iterations = 0;
    u32 tests, left;
    scalar i;

    if (numObjects > kMaxObjects)
        return;
    WriteNumber(numObjects);
    Write(" objects: ");

    endTime = Clock_us() + gTestLength;
    while (Clock_us() < endTime) {
        s32 t0 = Clock_us();

        _RandomizeObjects(numObjects);
        endTime += Clock_us() - t0;
        for (i = 0; i < kCycleLength && Clock_us() < endTime; i++) {
            _DetermineCollisions();
            iterations++;
        }
    }
    totalTime = gTestLength + Clock_us() - endTime;

    WriteNumber(iterations);
    Write(" in ");
    WriteNumber(totalTime);
    Write(" us: ");
    if (iterations > 0 && totalTime > 0) {
        WriteFraction(totalTime, iterations);
        Write(" us/iter, ");
        /* Hundredths of tests per second, iterations * 100 * kTBase / totalTime, a digit at a time: 32 bits do. */
        tests = (u32)iterations / totalTime;
        left = (u32)iterations % totalTime;
        for (i = 0; i < 8; i++) {
            left *= 10;
            tests = tests * 10 + left / totalTime;
            left %= totalTime;
        }
        WriteFraction(tests, 100);
        Write(" iter/s");
    }
    Write("\n");
    if (drawQ)
        _ShowLastIteration(numObjects);
    else
        NextFrame();
}

int Main(void)
{
    Seed(PARAMETERS[1]);
    gTestLength = PARAMETERS[0] * 1000;
    Write("Collision testing...\n");
    _RunExperiment(0, 0);
    _RunExperiment(50, 0);
    _RunExperiment(100, 0);
    _RunExperiment(200, 1);
    return kDone;
}
