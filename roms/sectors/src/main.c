/* What the machine's parameters ask for. */

#include "sectors.h"

enum {
    kDemo = 0,
    kHarness = 1,
    kDone = 0,
    kBadParameters = 1
};

/* Run; return the status to exit with. */
int Main(void)
{
    u32 mode = PARAMETERS[0], count = PARAMETERS[1], seed = PARAMETERS[2];

    if (mode > kHarness || count > kMaxObjects)
        return kBadParameters;
    if (mode == kDemo)
        RunDemo(seed, count);
    RunHarness(seed, count);
    return kDone;
}
