/* What Moertel 1994 argues against: every pair of the objects in a sector and its eight neighbours, in one grid that is
   never shifted. Objects, grid and arithmetic are those of the ROM `sectors`. */

#include "nine.h"

/* The inline function of Moertel 1994, not its macro. */
static inline scalar Abs(scalar a)
{
    return a < 0 ? -a : a;
}

static void CheckEachPair(struct nine *nine, s32 length)
{
    obj **one, **other, **end = nine->gathered + length;

    for (one = nine->gathered; one < end; one++)
        for (other = one + 1; other < end; other++)
            if (Abs((*one)->x - (*other)->x) < kObjectSide && Abs((*one)->y - (*other)->y) < kObjectSide)
                nine->collided[*one - nine->objects] = nine->collided[*other - nine->objects] = 1;
}

static void PlaceObjects(struct nine *nine)
{
    obj **head = nine->heads, *object = nine->objects, *end = object + nine->count;

    for (; head < nine->heads + kSectors; head++)
        *head = 0;
    for (; object < end; object++) {
        head = nine->heads + (object->x >> kSectorShift) * kSectorRows + (object->y >> kSectorShift);
        object->sector_link = *head;
        *head = object;
    }
}

/* Put the objects of a sector and its neighbours into a list; return its length. */
static s32 Gather(struct nine *nine, s32 column, s32 row)
{
    s32 left = column > 0 ? column - 1 : 0, right = column < kSectorColumns - 1 ? column + 1 : column;
    s32 top = row > 0 ? row - 1 : 0, bottom = row < kSectorRows - 1 ? row + 1 : row, near;
    obj **next = nine->gathered, *object;

    for (; left <= right; left++)
        for (near = top; near <= bottom; near++)
            for (object = nine->heads[left * kSectorRows + near]; object; object = object->sector_link)
                *next++ = object;
    return next - nine->gathered;
}

/* Flag every object that collides. Sectors without objects of their own are skipped. */
void CheckNineSectors(struct nine *nine)
{
    obj **head = nine->heads;
    u32 *lengths = nine->lengths;
    s32 column, row;

    for (row = 0; row < nine->count; row++)
        nine->collided[row] = 0;
    PlaceObjects(nine);
    for (column = 0; column < kSectorColumns; column++)
        for (row = 0; row < kSectorRows; row++, head++) {
            s32 length = *head ? Gather(nine, column, row) : 0;

            CheckEachPair(nine, length);
            if (lengths)
                *lengths++ = length;
        }
}

void CheckNines(struct nine *nine, s32 count)
{
    for (; count > 0; count--, nine++)
        CheckNineSectors(nine);
}
