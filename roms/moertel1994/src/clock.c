/* The program's clock, in microseconds since its first reading. The version for PowerPC counted ticks instead, each taken
   for a sixtieth of a second; build `ticks` has that clock. */

#include "program.h"

#ifdef CLOCK_BY_TICKS
enum {
    kMilliTicks = 60147 /* thousandths of a tick in a second: the retrace of a compact Macintosh */
};

/* Ticks since power-on, as the operating system counted them. */
static u32 TickCount(void)
{
    struct wide now;
    u32 seconds, rest;

    Microseconds(&now);
    seconds = now.low / kTBase;
    rest = now.low % kTBase / 100;
    return (seconds * kMilliTicks + rest * kMilliTicks / 10000) / 1000;
}

s32 Clock_us(void)
{
    return TickCount() * (kTBase / 60);
}
#else
s32 Clock_us(void)
{
    static struct wide base;
    static Boolean isRunning;
    struct wide now;

    if (!isRunning) {
        Microseconds(&base);
        isRunning = 1;
    }
    Microseconds(&now);
    return now.low - base.low;
}
#endif
