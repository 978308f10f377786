/* The pair loop of No-collision boxes 2011, and drivers that walk lists of inputs in memory. */

#include "blocks.h"
#include "rotation.h"

/* checkObjects of the text. */
static inline s32 CheckObjects(const struct filter *a, const struct filter *b)
{
    return (a->category & b->mask) && (b->category & a->mask);
}

/* Test every pair that the filters want, the lower index first; return how many collide. */
s32 HandleCollision(struct scene *scene, test *collide)
{
    const u8 *one = scene->objects, *other;
    s32 i, j;

    scene->looked_at = scene->total = 0;
    for (i = 0; i < scene->count; i++, one += scene->stride)
        for (j = i + 1, other = one + scene->stride; j < scene->count; j++, other += scene->stride) {
            if (!CheckObjects((const struct filter *)one, (const struct filter *)other))
                continue;
            scene->looked_at++;
            if (!collide(one, other))
                continue;
            if (scene->total < scene->room) {
                scene->found[scene->total].a = i;
                scene->found[scene->total].b = j;
            }
            scene->total++;
        }
    return scene->total;
}

void HandleScenes(struct scene *scene, s32 count, test *collide)
{
    for (; count > 0; count--, scene++)
        HandleCollision(scene, collide);
}

/* Test listed pairs. */
void TestPairs(struct pair *pair, s32 count, test *collide)
{
    for (; count > 0; count--, pair++)
        pair->result = collide(pair->a, pair->b);
}

/* Find the pairs of listed planes by blocks. */
void CheckPlanes(struct plane *plane, s32 count)
{
    for (; count > 0; count--, plane++) {
        MeasurePlane(plane);
        PlaceHandlers(plane);
        CheckBlocks(plane);
    }
}

struct turn { /* an angle and a point; results: its sine and cosine, and where the point is rotated to */
    s16 angle, x, y;
    s16 sine, cosine, turned_x, turned_y;
    s16 unused;
};

void TurnPoints(struct turn *turn, s32 count)
{
    for (; count > 0; count--, turn++) {
        turn->sine = Sine(turn->angle);
        turn->cosine = Cosine(turn->angle);
        turn->turned_x = RotatedX(turn->x, turn->y, turn->cosine, turn->sine);
        turn->turned_y = RotatedY(turn->x, turn->y, turn->cosine, turn->sine);
    }
}

/* Find the corners of listed rectangles, four points each. */
void ListCorners(const struct rectangle *rectangle, s32 count, struct point *corners)
{
    for (; count > 0; count--, rectangle++, corners += 4)
        FindCorners(rectangle, corners);
}
