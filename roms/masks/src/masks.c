/* Pixel-exact collision after COLLIDE.PAS 1.0 (Mark Mackey, 1995), for C programs: all but the inner loop, which is
   mask_touch in the assembly language of each processor. masks.pas is the same for real mode, with more variants. */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned long u32;
typedef short s16;

#define PART 32 /* pixels of a part: the bits of a row */

struct Bitmap { /* XLib's linear bitmap */
    u8 width, height;
    u8 colors[]; /* row by row, 0 is transparent */
};

struct Mask {
    u16 width, height;
    u32 rows[]; /* bit 31 is the leftmost pixel; wide sprites: part after part, 32 pixels each */
};

struct Pair { /* two sprites and their upper-left corners */
    const struct Mask *a;
    s16 ax, ay;
    const struct Mask *b;
    s16 bx, by;
    u8 collided, unused[3];
};

struct Common { /* what two sprites' boxes have in common */
    const struct Mask *left, *right;
    int leftRow, rightRow; /* first common row of each */
    int rows, shift; /* rows in common; how many pixels further left the left sprite begins */
};

int mask_touch(const u32 *left_rows, const u32 *right_rows, int rows, int shift);

/* Make a mask of so many parts. Return 0 and write nothing if the bitmap is empty or wider than the parts. */
int MakeMask(const struct Bitmap *bitmap, struct Mask *mask, int parts)
{
    int width = bitmap->width, height = bitmap->height, part, row, column;
    u32 *to = mask->rows;

    if (width == 0 || height == 0 || width > PART * parts)
        return 0;
    mask->width = width;
    mask->height = height;
    for (part = 0; part < parts; part++) {
        const u8 *from = bitmap->colors + PART * part;
        for (row = 0; row < height; row++, from += width) {
            u32 bits = 0;
            for (column = 0; column < PART && PART * part + column < width; column++)
                if (from[column])
                    bits |= 0x80000000UL >> column;
            *to++ = bits;
        }
    }
    return 1;
}

/* Find the common rows, from the lower one of the two upper sides. Return 0 if the boxes do not overlap. */
static int FindCommon(const struct Mask *a, int ax, int ay, const struct Mask *b, int bx, int by, struct Common *common)
{
    int ours, theirs, skip;

    if (bx < ax)
        return FindCommon(b, bx, by, a, ax, ay, common);
    skip = by - ay;
    common->left = a;
    common->right = b;
    common->leftRow = skip > 0 ? skip : 0;
    common->rightRow = skip < 0 ? -skip : 0;
    ours = a->height - common->leftRow;
    theirs = b->height - common->rightRow;
    common->rows = ours < theirs ? ours : theirs;
    common->shift = bx - ax;
    return common->rows > 0 && common->shift < a->width;
}

/* Do two sprites of one part each have a pixel in common? Boxes that do not overlap do not collide. */
int CollideDword(const struct Mask *a, int ax, int ay, const struct Mask *b, int bx, int by)
{
    struct Common c;

    return FindCommon(a, ax, ay, b, bx, by, &c)
        && mask_touch(c.left->rows + c.leftRow, c.right->rows + c.rightRow, c.rows, c.shift);
}

/* The same for sprites of any width: each part of one with each part of the other. */
int CollideParts(const struct Mask *a, int ax, int ay, const struct Mask *b, int bx, int by)
{
    const u32 *ours, *theirs;
    int i, j, shift;
    struct Common c;

    if (!FindCommon(a, ax, ay, b, bx, by, &c))
        return 0;
    ours = c.left->rows + c.leftRow;
    for (i = 0; i < c.left->width; i += PART, ours += c.left->height) {
        theirs = c.right->rows + c.rightRow;
        for (j = 0; j < c.right->width; j += PART, theirs += c.right->height) {
            shift = c.shift + j - i;
            if (shift >= 0 && shift < PART && mask_touch(ours, theirs, c.rows, shift))
                return 1;
            if (shift < 0 && shift > -PART && mask_touch(theirs, ours, c.rows, -shift))
                return 1;
        }
    }
    return 0;
}

/* Test every pair of a list by one of these routines. */
void CollideList(struct Pair *pair, int count,
    int (*collide)(const struct Mask *a, int ax, int ay, const struct Mask *b, int bx, int by))
{
    for (; count > 0; count--, pair++)
        pair->collided = collide(pair->a, pair->ax, pair->ay, pair->b, pair->bx, pair->by);
}
