/* The plane divided into blocks, each with a handler for every object that reaches into it (Rekaby 2011). */

#ifndef BLOCKS_H
#define BLOCKS_H

#include "shapes.h"

struct handler {
    s32 object;
    struct handler *next; /* of the same block */
};

struct plane {
    const struct shape *boxes; /* 0..16383 */
    s32 count;
    s32 log2_block; /* of the side of a block, 4..12 */
    struct handler **heads; /* work space: first handler of each block, column after column */
    struct handler *handlers; /* work space: all of them */
    u32 *checks; /* result: checks made in each block, column after column; 0: not wanted */
    struct found *found; /* result, block by block; how many it can hold */
    s32 room;
    s32 columns, rows; /* from MeasurePlane, or as the caller knows them */
    s32 used, total; /* results: handlers; pairs, listed or not */
};

void MeasurePlane(struct plane *plane);
void PlaceHandlers(struct plane *plane);
s32 CheckBlocks(struct plane *plane);

#endif
