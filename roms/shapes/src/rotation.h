/* Sines and cosines in Q1.14 from the table: binary angles, 1024 to the turn, wrap by masking. */

#ifndef ROTATION_H
#define ROTATION_H

#include "shapes.h"
#include "sines.h"

static inline s32 Sine(s32 angle)
{
    return gSines[angle & (kTurn - 1)];
}

static inline s32 Cosine(s32 angle)
{
    return gSines[(angle & (kTurn - 1)) + kQuarter];
}

/* A point rotated about the origin, rounded down: x and y, 16 bits each. */
static inline s32 RotatedX(s32 x, s32 y, s32 cosine, s32 sine)
{
    return (Product(x, cosine) - Product(y, sine)) >> kFractionBits;
}

static inline s32 RotatedY(s32 x, s32 y, s32 cosine, s32 sine)
{
    return (Product(x, sine) + Product(y, cosine)) >> kFractionBits;
}

struct point { /* Q11.5 */
    s32 x, y;
};

/* oriented.c: those that are upper left, upper right, lower right, lower left at angle 0 */
void FindCorners(const struct rectangle *rectangle, struct point corners[4]);

#endif
