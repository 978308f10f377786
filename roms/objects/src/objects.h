/* Object records with collision circles, after Jon E P, "Simple Collision Detection" (2007). Method and names: Jon E P.
   This source: the retrosim project. */

#ifndef OBJECTS_H
#define OBJECTS_H

#include "../../common/isa.h"

enum { /* types of objects */
    kTypeShip = 1,
    kTypeMissile,
    kTypeAlien
};

enum { /* what an object collides with */
    kDetectNone,
    kDetectShip,
    kDetectAll
};

struct object {
    signed char type;
    u8 active;    /* in the game */
    u8 detection; /* none, ship, all */
    u8 collided;
    s32 x, y;         /* pixels, -8192..8191 */
    s16 first, count; /* its shapes */
};

struct circle { /* -8192..8191 from the object's x, y; radius 0..181 */
    s16 centre_x, centre_y, radius, radius_squared;
};

struct box {
    s16 x, y, wide, high;
};

union shape {
    struct circle circle;
    struct box box;
};

struct pair {
    s32 one, other;
};

/* Whether two shapes collide; (dx, dy) is the position of the first less that of the second. */
typedef int shape_test(s16 dx, s16 dy, const union shape *one, const union shape *other);

/* records.c: the routine */
s32 CheckAllObjects(struct object *objects, s32 count, const union shape *shapes, shape_test *test, struct pair *found);
int CirclesMeet(s16 dx, s16 dy, const union shape *one, const union shape *other);

/* distance.c */
u16 IntegerSquareRoot(u32 value);
u16 Distance2D(s16 x1, s16 y1, s16 x2, s16 y2);

/* secants.c */
enum {
    kTangents = 1024
};
extern const s16 gSecants[kTangents + 1];

/* swept.c: objects that move straight and evenly in a frame; a circle's centre is x, y and its radius `wide` */
struct mover {
    s32 x, y;             /* -32768..32767, where the frame begins */
    s16 move_x, move_y;   /* -4095..4095 */
    s16 wide, high;       /* 1..16383; radius 0..8191 */
};

typedef int sweep_test(const struct mover *one, const struct mover *other);

int BoxesMeetInFrame(const struct mover *one, const struct mover *other);
int CirclesMeetInFrame(const struct mover *one, const struct mover *other);

/* bitmap.c */
struct image {
    s16 wide, high;
    u8 pixels[]; /* row by row, 0 is transparent */
};

int IsSolidUnder(const struct image *image, s32 x, s32 y, const u8 *solid);
void Paint(const struct image *image, s32 x, s32 y);

#endif
