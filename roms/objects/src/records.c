/* The loop over all objects. */

#include "objects.h"

/* The test of Jon E P 2007: no square root. Products are of 16-bit words. */
SEPARATE int CirclesMeet(s16 dx, s16 dy, const union shape *one, const union shape *other)
{
    s16 reach = one->circle.radius + other->circle.radius;

    return (s32)dx * dx + (s32)dy * dy < (s32)reach * reach;
}

static int ShapesMeet(const struct object *one, const struct object *other, const union shape *shapes, shape_test *test)
{
    const union shape *a, *b;
    s32 dx = one->x - other->x, dy = one->y - other->y;

    for (a = shapes + one->first; a < shapes + one->first + one->count; a++)
        for (b = shapes + other->first; b < shapes + other->first + other->count; b++)
            if (test(dx + a->circle.centre_x - b->circle.centre_x, dy + a->circle.centre_y - b->circle.centre_y, a, b))
                return 1;
    return 0;
}

/* Test all pairs of active objects, in both orders; return how many collide. `found` holds up to count / 2. */
SEPARATE s32 CheckAllObjects(struct object *objects, s32 count, const union shape *shapes, shape_test *test,
                             struct pair *found)
{
    struct object *end = objects + count, *i, *j;
    struct pair *next = found;

    for (i = objects; i < end; i++)
        for (j = objects; j < end; j++) {
            struct object *one = i, *other = j;

            if (!i->active || !j->active || i == j)
                continue;
            if (i->type != kTypeShip) { /* a ship comes first */
                one = j;
                other = i;
            }
            if (one->detection == kDetectNone || other->detection == kDetectNone)
                continue;
            if (other->detection == kDetectShip && one->type != kTypeShip)
                continue;
            if (!ShapesMeet(one, other, shapes, test))
                continue;
            one->collided = other->collided = 1;
            one->active = other->active = 0;
            next->one = one - objects;
            next->other = other - objects;
            next++;
        }
    return next - found;
}
