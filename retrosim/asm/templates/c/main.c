/* @NAME@: a square that the pad moves, and one that it must not touch.

     retrosim run .          play it: the cursor keys are the pad
     retrosim cost . --entry overlap --arg 0 --arg 0 --arg 31 --arg 0
     pytest                  what overlap returns, and what it may cost */

#include "retrosim.h"

enum { SIZE = 32, OTHER_X = 304, OTHER_Y = 224, SPEED = 4 };
enum { BACKGROUND, BLUE, RED, YELLOW };

/* Do two squares of SIZE pixels overlap? Touching sides do not. */
int overlap(int ax, int ay, int bx, int by)
{
    return ax < bx + SIZE && bx < ax + SIZE && ay < by + SIZE && by < ay + SIZE;
}

static void fill(int x, int y, u8 colour)
{
    volatile u8 *pixel = SCREEN + SCREEN_WIDTH * y + x;

    for (int row = 0; row < SIZE; row++) {
        for (int column = 0; column < SIZE; column++)
            *pixel++ = colour;
        pixel += SCREEN_WIDTH - SIZE;
    }
}

static int inside(int value, int last)
{
    return value < 0 ? 0 : value > last ? last : value;
}

int main(void)
{
    int x = 100, y = 200;

    PALETTE[BACKGROUND] = 0x102030;
    PALETTE[BLUE] = 0x4080FF;
    PALETTE[RED] = 0xFF4040;
    PALETTE[YELLOW] = 0xFFE040;
    for (volatile u32 *pixels = (volatile u32 *)SCREEN; pixels < (volatile u32 *)(SCREEN + 640 * 480); pixels++)
        *pixels = 0;
    for (;;) {
        u32 pad = PAD;

        fill(x, y, BACKGROUND);
        x = inside(x + SPEED * (!!(pad & PAD_RIGHT) - !!(pad & PAD_LEFT)), SCREEN_WIDTH - SIZE);
        y = inside(y + SPEED * (!!(pad & PAD_DOWN) - !!(pad & PAD_UP)), SCREEN_HEIGHT - SIZE);
        fill(OTHER_X, OTHER_Y, RED);
        fill(x, y, overlap(x, y, OTHER_X, OTHER_Y) ? YELLOW : BLUE);
        yield_frame();
    }
}
