"""What the `sectors` ROM draws, as kernels."""

from __future__ import annotations

from retrosim.jit import kernel
from retrosim.screen.palette import BLACK, WHITE

from .rules import SIDE


@kernel
def draw(boxes, screen):
    """Draw the objects in order on a white screen: colliding ones as a black outline, others in 50 % grey.

    boxes    Boxes            corners 0..610 and 0..450 pixels, so that nothing needs clipping
    screen   uint8[480, 640]  output, palette indices
    Source   Moertel 1994, _DrawObject: FrameRect in black, PaintRect in the pattern AA 55, anchored to the screen
    """
    corners, collided = boxes.corners, boxes.collided
    screen[:] = WHITE
    for i in range(len(collided)):
        left, top = int(corners[0, i]), int(corners[1, i])
        for row in range(top, top + SIDE):
            line = screen[row, left : left + SIDE]
            if not collided[i]:
                for column in range(SIDE):
                    line[column] = BLACK * (~(row ^ (left + column)) & 1)
            elif row == top or row == top + SIDE - 1:
                line[:] = BLACK
            else:
                line[0] = BLACK
                line[SIDE - 1] = BLACK
