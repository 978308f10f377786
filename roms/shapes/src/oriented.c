/* Rectangles at any angle, by points and by lines (Rekaby 2011). Touching counts. What these methods are known to miss
   (the cross, and all but one corner of B) or to find wrongly (opposite codes beyond a corner) stays as it is. */

#include "rotation.h"

enum {
    kLeft = 1,
    kRight = 2,
    kUp = 4,
    kDown = 8
};

/* A rectangle's half sides, once it is upright. */
struct sides {
    s32 wide, high;
};

void FindCorners(const struct rectangle *r, struct point corners[4])
{
    s32 c = Cosine(r->angle), s = Sine(r->angle);
    s32 wc = Product(r->half_wide, c), ws = Product(r->half_wide, s);
    s32 hc = Product(r->half_high, c), hs = Product(r->half_high, s);

    corners[0].x = r->x + ((-wc + hs) >> kFractionBits);
    corners[0].y = r->y + ((-ws - hc) >> kFractionBits);
    corners[1].x = r->x + ((wc + hs) >> kFractionBits);
    corners[1].y = r->y + ((ws - hc) >> kFractionBits);
    corners[2].x = r->x + ((wc - hs) >> kFractionBits);
    corners[2].y = r->y + ((ws + hc) >> kFractionBits);
    corners[3].x = r->x + ((-wc - hs) >> kFractionBits);
    corners[3].y = r->y + ((-ws + hc) >> kFractionBits);
}

/* What Rekaby calls stable: sides parallel to the axes. */
static inline s32 IsUpright(const struct rectangle *r)
{
    return (r->angle & (kQuarter - 1)) == 0;
}

static inline struct sides UprightSides(const struct rectangle *r)
{
    struct sides sides = {r->half_wide, r->half_high};

    if (IsUpright(r) && r->angle & kQuarter) {
        sides.wide = r->half_high;
        sides.high = r->half_wide;
    }
    return sides;
}

/* A point relative to a rectangle's centre, rotated with the rectangle until that is upright. */
static inline struct point SeenFrom(struct point point, const struct rectangle *r)
{
    struct point seen = {point.x - r->x, point.y - r->y};
    s32 c, s, x = seen.x;

    if (IsUpright(r))
        return seen;
    c = Cosine(r->angle);
    s = -Sine(r->angle);
    seen.x = RotatedX(x, seen.y, c, s);
    seen.y = RotatedY(x, seen.y, c, s);
    return seen;
}

static inline s32 IsWithin(struct point point, struct sides sides)
{
    return point.x >= -sides.wide && point.x <= sides.wide && point.y >= -sides.high && point.y <= sides.high;
}

/* The fifth point, for nested rectangles (figure 11): the first corner of b in a. */
static s32 IsCornerInside(const struct rectangle *b, const struct rectangle *a)
{
    struct point corners[4];

    FindCorners(b, corners);
    return IsWithin(SeenFrom(corners[0], a), UprightSides(a));
}

/* "Point algorithm 1": four corners of a in b, then one corner of b in a. b is the upright one if only one is. */
s32 PointOne(const struct rectangle *a, const struct rectangle *b)
{
    struct point corners[4];
    struct sides sides;
    s32 k;

    if (IsUpright(a) && !IsUpright(b)) {
        const struct rectangle *upright = a;

        a = b;
        b = upright;
    }
    sides = UprightSides(b);
    FindCorners(a, corners);
    for (k = 0; k < 4; k++)
        if (IsWithin(SeenFrom(corners[k], b), sides))
            return 1;
    return IsCornerInside(b, a);
}

/* Whether the feet of a point's perpendiculars to the four sides lie on these sides. The directions of the sides come
   from the tables, since those of rounded corners would turn short sides; feet are measured from the middle of a side,
   and one on a side lies as far along the opposite one. */
static s32 HasFaces(struct point point, const struct rectangle *r)
{
    s32 c = Cosine(r->angle), s = Sine(r->angle);
    s32 x = point.x - r->x, y = point.y - r->y;
    s32 foot = Product(x, c) + Product(y, s), limit = (s32)r->half_wide << kFractionBits;

    if (foot < -limit || foot > limit)
        return 0;
    foot = Product(y, c) - Product(x, s);
    limit = (s32)r->half_high << kFractionBits;
    return foot >= -limit && foot <= limit;
}

/* "Point algorithm 2": the same five points by their faces; nothing is rotated. */
s32 PointTwo(const struct rectangle *a, const struct rectangle *b)
{
    struct point corners[4];
    s32 k;

    FindCorners(a, corners);
    for (k = 0; k < 4; k++)
        if (HasFaces(corners[k], b))
            return 1;
    FindCorners(b, corners);
    return HasFaces(corners[0], a);
}

/* On which sides of an upright rectangle about the origin a point lies. */
static inline s32 Outcode(struct point point, struct sides sides)
{
    s32 code = 0;

    if (point.x < -sides.wide)
        code = kLeft;
    else if (point.x > sides.wide)
        code = kRight;
    if (point.y < -sides.high)
        code |= kUp;
    else if (point.y > sides.high)
        code |= kDown;
    return code;
}

/* Whether a line from (x, y), dx and dy long, meets the side x = at, -across..across; its ends lie left and right of
   it. For the sides above and below, x and y are exchanged. By multiplication, without division by dx. */
static s32 IsCrossing(s32 at, s32 across, s32 x, s32 y, s32 dx, s32 dy)
{
    s32 place = Product(y, dx) + Product(at - x, dy), limit;

    if (dx < 0) {
        place = -place;
        dx = -dx;
    }
    limit = Product(across, dx);
    return place >= -limit && place <= limit;
}

/* Whether a line meets an upright rectangle, as Rekaby has it; neither of its ends is inside. */
static s32 IsEdgeHit(struct point p, s32 p_code, struct point q, s32 q_code, struct sides sides)
{
    s32 either = p_code | q_code, dx, dy;

    if (p_code & q_code)
        return 0;
    if ((either & (kLeft | kRight)) == (kLeft | kRight) || (either & (kUp | kDown)) == (kUp | kDown))
        return 1;
    dx = q.x - p.x;
    dy = q.y - p.y;
    if (either & (kLeft | kRight)
        && IsCrossing(either & kRight ? sides.wide : -sides.wide, sides.high, p.x, p.y, dx, dy))
        return 1;
    return either & (kUp | kDown)
        && IsCrossing(either & kDown ? sides.high : -sides.high, sides.wide, p.y, p.x, dy, dx);
}

/* "Line algorithm 1": outcodes of a's corners around b, then a's sides, then one corner of b in a. */
s32 LineOne(const struct rectangle *a, const struct rectangle *b)
{
    struct point corners[4];
    struct sides sides;
    s32 codes[4], k;

    if (IsUpright(a) && !IsUpright(b)) {
        const struct rectangle *upright = a;

        a = b;
        b = upright;
    }
    sides = UprightSides(b);
    FindCorners(a, corners);
    for (k = 0; k < 4; k++) {
        corners[k] = SeenFrom(corners[k], b);
        codes[k] = Outcode(corners[k], sides);
        if (codes[k] == 0)
            return 1;
    }
    for (k = 0; k < 4; k++) {
        s32 n = (k + 1) & 3;

        if (IsEdgeHit(corners[k], codes[k], corners[n], codes[n], sides))
            return 1;
    }
    return IsCornerInside(b, a);
}
