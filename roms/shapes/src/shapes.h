/* The shapes of "Collision detection by detecting ...no-collision" (2011) and of Rekaby, "Study of Collision Detection
   Algorithms in Strategic Games" (2011), and what may collide with what. Every kind of object begins with its filter,
   so that one pair loop serves all. The same as `retrosim.collide` in Python, bit for bit. */

#ifndef SHAPES_H
#define SHAPES_H

#include "../../common/isa.h"

/* 16-bit sets: two objects are tested if the category of each has a bit in common with the mask of the other. */
struct filter {
    u16 category, mask;
};

/* A box, or a circle of half its width; x and y of the upper-left corner, pixels. */
struct shape {
    struct filter filter;
    s16 x, y; /* -16384..16383 */
    s16 wide, high; /* 0..16383 */
    u16 is_circle, unused;
};

/* An object of several shapes, whose positions are relative to its own. */
struct compound {
    struct filter filter;
    s16 x, y; /* -8192..8191, those of the parts too */
    const struct shape *parts;
    s32 count;
};

struct sphere {
    struct filter filter;
    s16 x, y, z; /* centre, -16384..16383 */
    s16 radius; /* 0..16383 */
};

/* A rectangle at any angle. Q11.5: 1/32 pixel. */
struct rectangle {
    struct filter filter;
    s16 x, y; /* centre: x -1024..21503, y -1024..16383 */
    s16 half_wide, half_high; /* 1..2047 */
    s16 angle; /* 1024 to the turn, clockwise on the screen */
    s16 unused;
};

/* What the routines return for two objects: 0, or what they have found. */
typedef s32 test(const void *a, const void *b);

struct pair {
    const void *a, *b;
    s32 result;
};

struct found { /* indices, the lower one first */
    s32 a, b;
};

struct scene {
    const u8 *objects; /* of one kind */
    s32 stride; /* bytes from one to the next */
    s32 count;
    struct found *found; /* where pairs are listed; how many it can hold */
    s32 room;
    s32 looked_at, total; /* results: pairs that pass the filter; those that collide, listed or not */
};

/* The product of two 16-bit words: mostly one instruction, on a 68000 too. */
static inline s32 Product(s16 a, s16 b)
{
    return (s32)a * b;
}

/* boxes.c */
s32 BoxesApart(const struct shape *a, const struct shape *b);
s32 BoxesApartTwo(const struct shape *a, const struct shape *b);
s32 CirclesApart(const struct shape *a, const struct shape *b);
s32 ShapesTouch(const struct shape *a, const struct shape *b);
s32 ShapesTouchTwo(const struct shape *a, const struct shape *b);
s32 CompoundsTouch(const struct compound *a, const struct compound *b);

/* spheres.c */
s32 SpheresMeet(const struct sphere *a, const struct sphere *b);

/* oriented.c */
s32 PointOne(const struct rectangle *a, const struct rectangle *b);
s32 PointTwo(const struct rectangle *a, const struct rectangle *b);
s32 LineOne(const struct rectangle *a, const struct rectangle *b);

/* lists.c */
s32 HandleCollision(struct scene *scene, test *collide);

#endif
