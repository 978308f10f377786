/* Blocks, after Rekaby 2011. N objects in a block cost N(N-1)/2 checks; a pair that meets in several is reported once. */

#include "blocks.h"

static inline s32 Greater(s32 a, s32 b)
{
    return a > b ? a : b;
}

/* Find columns and rows of blocks, and how many handlers there are; a box includes its right and bottom sides. */
void MeasurePlane(struct plane *plane)
{
    const struct shape *box = plane->boxes, *end = box + plane->count;
    s32 shift = plane->log2_block;

    plane->columns = plane->rows = plane->used = 0;
    for (; box < end; box++) {
        s32 left = box->x >> shift, right = (box->x + box->wide) >> shift;
        s32 top = box->y >> shift, bottom = (box->y + box->high) >> shift;

        plane->columns = Greater(plane->columns, right + 1);
        plane->rows = Greater(plane->rows, bottom + 1);
        plane->used += Product(right - left + 1, bottom - top + 1);
    }
}

/* Give every block a handler for each object that reaches into it, the last object first. */
void PlaceHandlers(struct plane *plane)
{
    struct handler *handler = plane->handlers;
    const struct shape *box = plane->boxes;
    s32 shift = plane->log2_block, blocks, i;

    for (i = 0; i < plane->columns; i++)
        for (blocks = 0; blocks < plane->rows; blocks++)
            plane->heads[Product(i, plane->rows) + blocks] = 0;
    for (i = 0; i < plane->count; i++, box++) {
        s32 column = box->x >> shift, right = (box->x + box->wide) >> shift;
        s32 top = box->y >> shift, bottom = (box->y + box->high) >> shift;

        for (; column <= right; column++) {
            struct handler **head = plane->heads + Product(column, plane->rows) + top;
            s32 row;

            for (row = top; row <= bottom; row++, head++, handler++) {
                handler->object = i;
                handler->next = *head;
                *head = handler;
            }
        }
    }
    plane->used = handler - plane->handlers;
}

/* Report a pair in the block that has the upper-left corner of the intersection of both boxes. */
static void Report(struct plane *plane, s32 a, s32 b, s32 column, s32 row)
{
    const struct shape *one = &plane->boxes[a], *other = &plane->boxes[b];

    if (Greater(one->x, other->x) >> plane->log2_block != column
        || Greater(one->y, other->y) >> plane->log2_block != row)
        return;
    if (plane->total < plane->room) {
        plane->found[plane->total].a = a < b ? a : b;
        plane->found[plane->total].b = a < b ? b : a;
    }
    plane->total++;
}

/* Check all pairs of a block; return how many there were. */
static u32 CheckBlock(struct plane *plane, const struct handler *first, s32 column, s32 row)
{
    const struct handler *second;
    u32 checks = 0;

    for (; first; first = first->next)
        for (second = first->next; second; second = second->next) {
            checks++;
            if (!BoxesApart(&plane->boxes[first->object], &plane->boxes[second->object]))
                Report(plane, first->object, second->object, column, row);
        }
    return checks;
}

/* List the pairs of boxes that overlap or touch; return how many there are. */
s32 CheckBlocks(struct plane *plane)
{
    struct handler **head = plane->heads;
    u32 *checks = plane->checks;
    s32 column, row;

    plane->total = 0;
    for (column = 0; column < plane->columns; column++)
        for (row = 0; row < plane->rows; row++, head++) {
            u32 made = CheckBlock(plane, *head, column, row);

            if (checks)
                *checks++ = made;
        }
    return plane->total;
}
