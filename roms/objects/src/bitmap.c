/* Collision by the colours on the screen: look under an image before it is drawn. What lies outside the screen is
   neither looked at nor drawn. */

#include "objects.h"

enum {
    kScreenWidth = 640,
    kScreenHeight = 480
};

struct part { /* of an image, on the screen */
    s32 left, top, right, bottom; /* in the image; ends exclusive */
};

static struct part Visible(const struct image *image, s32 x, s32 y)
{
    struct part part;

    part.left = x < 0 ? -x : 0;
    part.top = y < 0 ? -y : 0;
    part.right = x + image->wide > kScreenWidth ? kScreenWidth - x : image->wide;
    part.bottom = y + image->high > kScreenHeight ? kScreenHeight - y : image->high;
    return part;
}

/* Whether the screen shows a solid colour under any opaque pixel; `solid` has 256 flags. */
SEPARATE int IsSolidUnder(const struct image *image, s32 x, s32 y, const u8 *solid)
{
    struct part part = Visible(image, x, y);
    s32 row, column;

    for (row = part.top; row < part.bottom; row++) {
        const u8 *pixels = image->pixels + row * image->wide, *under = SCREEN + (y + row) * kScreenWidth + x;

        for (column = part.left; column < part.right; column++)
            if (pixels[column] && solid[under[column]])
                return 1;
    }
    return 0;
}

SEPARATE void Paint(const struct image *image, s32 x, s32 y)
{
    struct part part = Visible(image, x, y);
    s32 row, column;

    for (row = part.top; row < part.bottom; row++) {
        const u8 *pixels = image->pixels + row * image->wide;
        u8 *under = SCREEN + (y + row) * kScreenWidth + x;

        for (column = part.left; column < part.right; column++)
            if (pixels[column])
                under[column] = pixels[column];
    }
}
