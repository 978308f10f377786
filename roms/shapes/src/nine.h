/* Nine adjacent sectors (Moertel 1994 argues against them). */

#ifndef NINE_H
#define NINE_H

#include "../../sectors/src/sectors.h"

struct nine {
    obj *objects; /* on the screen */
    s32 count;
    obj **heads;    /* work space: first object of each of the 99 sectors, column after column */
    obj **gathered; /* work space for `count` */
    u32 *lengths;   /* result: of the list tested for each sector, L(L-1)/2 tests each; 0: not wanted */
    u8 *collided;   /* result: 1 where an object collides */
};

void CheckNineSectors(struct nine *nine);

#endif
