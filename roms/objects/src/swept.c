/* Collision at any time of a frame: time is one more dimension. Exact: integers, products of 32 and of 64 bits. */

#include "objects.h"

static s32 Magnitude(s32 value)
{
    return value < 0 ? -value : value;
}

/* When two boxes overlap along an axis: after begin / |move|, before end / |move|. */
static void Span(s32 apart, s32 move, s32 wide, s32 other_wide, s32 *begin, s32 *end)
{
    if (move < 0) {
        *begin = apart - other_wide;
        *end = apart + wide;
    } else {
        *begin = -apart - wide;
        *end = other_wide - apart;
    }
}

/* The boxes overlap along x in one interval of time, along y in another: these two and the frame must have a
   time in common. */
SEPARATE int BoxesMeetInFrame(const struct mover *one, const struct mover *other)
{
    s32 vx = one->move_x - other->move_x, vy = one->move_y - other->move_y;
    s32 fast_x = Magnitude(vx), fast_y = Magnitude(vy), x_begin, x_end, y_begin, y_end;

    Span(one->x - other->x, vx, one->wide, other->wide, &x_begin, &x_end);
    Span(one->y - other->y, vy, one->high, other->high, &y_begin, &y_end);
    if (x_begin >= fast_x || x_end <= 0 || y_begin >= fast_y || y_end <= 0)
        return 0;
    if (fast_x == 0 && fast_y == 0)
        return 1;
    return x_begin * fast_y < y_end * fast_x && y_begin * fast_x < x_end * fast_y;
}

/* The whole product, from four products of words, which every processor has. */
static struct wide Product(u32 a, u32 b)
{
    u32 low = (u32)(u16)a * (u16)b;
    u32 one = (u32)(u16)(a >> 16) * (u16)b, other = (u32)(u16)a * (u16)(b >> 16);
    u32 middle = (low >> 16) + (u16)one + (u16)other;
    struct wide product;

    product.high = (u32)(u16)(a >> 16) * (u16)(b >> 16) + (one >> 16) + (other >> 16) + (middle >> 16);
    product.low = middle << 16 | (u16)low;
    return product;
}

static int IsNear(s32 dx, s32 dy, s32 reach)
{
    dx = Magnitude(dx);
    dy = Magnitude(dy);
    return dx < reach && dy < reach && dx * dx + dy * dy < reach * reach;
}

/* They are nearest at the time -(d . v) / (v . v); if that lies in the frame, the distance then is |d x v| / |v|. */
SEPARATE int CirclesMeetInFrame(const struct mover *one, const struct mover *other)
{
    s32 dx = one->x - other->x, dy = one->y - other->y, reach = one->wide + other->wide;
    s32 vx = one->move_x - other->move_x, vy = one->move_y - other->move_y;
    s32 along = -(dx * vx + dy * vy), moved = vx * vx + vy * vy, across;
    struct wide passed, allowed;

    if (along <= 0)
        return IsNear(dx, dy, reach);
    if (along >= moved)
        return IsNear(dx + vx, dy + vy, reach);
    across = Magnitude(dx * vy - dy * vx);
    passed = Product(across, across);
    allowed = Product(reach * reach, moved);
    return passed.high < allowed.high || (passed.high == allowed.high && passed.low < allowed.low);
}
