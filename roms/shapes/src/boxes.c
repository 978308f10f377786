/* Collision found by detecting that there is none (No-collision boxes 2011). Touching counts. */

#include "shapes.h"

/* Which of the four pictures shows two boxes apart, 1..4, or 0: they overlap or touch. */
s32 BoxesApart(const struct shape *a, const struct shape *b)
{
    if (a->x + a->wide < b->x)
        return 1;
    if (a->x > b->x + b->wide)
        return 2;
    if (a->y + a->high < b->y)
        return 3;
    if (a->y > b->y + b->high)
        return 4;
    return 0;
}

/* The text's exercise, two additions: the axis along which two boxes are apart, 1 or 2, or 0. */
s32 BoxesApartTwo(const struct shape *a, const struct shape *b)
{
    if (a->x < b->x) {
        if (b->x - a->x > a->wide)
            return 1;
    } else if (a->x - b->x > b->wide)
        return 1;
    if (a->y < b->y) {
        if (b->y - a->y > a->high)
            return 2;
    } else if (a->y - b->y > b->high)
        return 2;
    return 0;
}

/* Whether two circles are apart, whose boxes are not: so every number here fits 16 bits. No square root. */
s32 CirclesApart(const struct shape *a, const struct shape *b)
{
    s32 radius = a->wide >> 1, other = b->wide >> 1, reach = radius + other;
    s32 dx = a->x + radius - (b->x + other), dy = a->y + radius - (b->y + other);

    return Product(dx, dx) + Product(dy, dy) > Product(reach, reach);
}

s32 ShapesTouch(const struct shape *a, const struct shape *b)
{
    if (BoxesApart(a, b))
        return 0;
    return !(a->is_circle && b->is_circle && CirclesApart(a, b));
}

s32 ShapesTouchTwo(const struct shape *a, const struct shape *b)
{
    if (BoxesApartTwo(a, b))
        return 0;
    return !(a->is_circle && b->is_circle && CirclesApart(a, b));
}

/* A part, at its position on the plane. */
static struct shape Placed(const struct shape *part, s32 x, s32 y)
{
    struct shape placed = *part;

    placed.x += x;
    placed.y += y;
    return placed;
}

/* Whether any part of one object touches any part of the other. */
s32 CompoundsTouch(const struct compound *a, const struct compound *b)
{
    s32 i, j;

    for (i = 0; i < a->count; i++) {
        struct shape one = Placed(&a->parts[i], a->x, a->y);

        for (j = 0; j < b->count; j++) {
            struct shape other = Placed(&b->parts[j], b->x, b->y);

            if (ShapesTouch(&one, &other))
                return 1;
        }
    }
    return 0;
}
