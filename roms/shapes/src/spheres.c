/* Spheres around objects, in three axes (Rekaby 2011). Touching is no collision. */

#include "shapes.h"

/* Whether L < r1 + r2, squared: the sum of three squares fits 32 bits without a sign. */
s32 SpheresMeet(const struct sphere *a, const struct sphere *b)
{
    s32 dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z, reach = a->radius + b->radius;
    u32 square = (u32)Product(dx, dx) + (u32)Product(dy, dy) + (u32)Product(dz, dz);

    return square < (u32)Product(reach, reach);
}
