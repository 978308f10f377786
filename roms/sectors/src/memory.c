/* The one library function the routine calls. */

#include "sectors.h"

void *memset(void *target, int value, unsigned long size)
{
    u32 four = (u8)value * 0x01010101u;
    u32 *word = target;
    u8 *byte;

    for (; size >= 4; size -= 4)
        *word++ = four;
    for (byte = (u8 *)word; size > 0; size--)
        *byte++ = value;
    return target;
}
