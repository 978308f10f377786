/* The routines as a library, and loops over lists of their arguments. */

#include "objects.h"

struct scene {
    struct object *objects;
    s32 count;
    const union shape *shapes;
    struct pair *found;
    s32 total; /* result */
};

struct leg {
    s16 x1, y1, x2, y2;
    u32 distance; /* result */
};

struct place {
    const struct image *image;
    s16 x, y;
    u32 hit; /* result */
};

struct duel {
    struct mover one, other;
    s32 hit; /* result */
};

/* Two circles, by the square root of the squared distance. */
int CirclesMeetByRoot(s16 dx, s16 dy, const union shape *one, const union shape *other)
{
    return IntegerSquareRoot((s32)dx * dx + (s32)dy * dy) < one->circle.radius + other->circle.radius;
}

/* Two circles, by the distance from the table. */
int CirclesMeetByTable(s16 dx, s16 dy, const union shape *one, const union shape *other)
{
    return Distance2D(0, 0, dx, dy) < one->circle.radius + other->circle.radius;
}

int BoxesMeet(s16 dx, s16 dy, const union shape *one, const union shape *other)
{
    return dx < other->box.wide && -dx < one->box.wide && dy < other->box.high && -dy < one->box.high;
}

void CheckScenes(struct scene *scene, s32 count, shape_test *test)
{
    for (; count > 0; count--, scene++)
        scene->total = CheckAllObjects(scene->objects, scene->count, scene->shapes, test, scene->found);
}

void RootList(u32 *value, s32 count)
{
    for (; count > 0; count--, value++)
        *value = IntegerSquareRoot(*value);
}

void DistanceList(struct leg *leg, s32 count)
{
    for (; count > 0; count--, leg++)
        leg->distance = Distance2D(leg->x1, leg->y1, leg->x2, leg->y2);
}

/* Each image is tested and, if `paint`, drawn before the next one is tested. */
void LookList(struct place *place, s32 count, const u8 *solid, s32 paint)
{
    for (; count > 0; count--, place++) {
        place->hit = IsSolidUnder(place->image, place->x, place->y, solid);
        if (paint)
            Paint(place->image, place->x, place->y);
    }
}

void SweepList(struct duel *duel, s32 count, sweep_test *test)
{
    for (; count > 0; count--, duel++)
        duel->hit = test(&duel->one, &duel->other);
}
