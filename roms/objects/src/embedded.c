/* The loop over records as Jon E P 2007 lays them out: the circle lies in the record, and a pointer leads to what only
   objects of that type have, which the loop never follows. */

#include "objects.h"

struct general_object {
    signed char type;
    u8 active, detection, collided; /* as in `struct object` */
    s32 x, y;
    void *data_ptr;
    struct circle coll_circle;
};

struct embedded_scene {
    struct general_object *objects;
    s32 count;
    struct pair *found;
    s32 total; /* result */
};

static int IsPairAsked(const struct general_object *one, const struct general_object *other)
{
    if (one->detection == kDetectNone || other->detection == kDetectNone)
        return 0;
    return other->detection != kDetectShip || one->type == kTypeShip;
}

/* Test two objects, a ship first; if they collide, both leave the game. */
static int CheckCollisionPair(struct general_object *one, struct general_object *other)
{
    s16 dx, dy, reach;

    if (!IsPairAsked(one, other))
        return 0;
    dx = one->x + one->coll_circle.centre_x - (other->x + other->coll_circle.centre_x);
    dy = one->y + one->coll_circle.centre_y - (other->y + other->coll_circle.centre_y);
    reach = one->coll_circle.radius + other->coll_circle.radius;
    if ((s32)dx * dx + (s32)dy * dy >= (s32)reach * reach)
        return 0;
    one->collided = other->collided = 1;
    one->active = other->active = 0;
    return 1;
}

/* Test all pairs of active objects, in both orders; return how many collide. `found` holds up to count / 2. */
SEPARATE s32 CheckAllEmbedded(struct general_object *objects, s32 count, struct pair *found)
{
    s32 i, j, total = 0;

    for (i = 0; i < count; i++)
        for (j = 0; j < count; j++) {
            s32 one = i, other = j;

            if (!objects[i].active || !objects[j].active || i == j)
                continue;
            if (objects[i].type != kTypeShip) {
                one = j;
                other = i;
            }
            if (!CheckCollisionPair(&objects[one], &objects[other]))
                continue;
            found[total].one = one;
            found[total++].other = other;
        }
    return total;
}

void CheckEmbeddedScenes(struct embedded_scene *scene, s32 count)
{
    for (; count > 0; count--, scene++)
        scene->total = CheckAllEmbedded(scene->objects, scene->count, scene->found);
}
