"""The oracle of the plane cut into blocks (Rekaby 2011). A box is (x, y, width, height); touching counts."""

from __future__ import annotations

from collections.abc import Sequence

Point = tuple[int, int]


def block_members(boxes: Sequence[Sequence[int]], log2_block: int) -> dict[Point, list[int]]:
    """Return the objects that have a handler in each block; a box includes its right and lower side."""
    members: dict[Point, list[int]] = {}
    for index, (x, y, w, h) in enumerate(boxes):
        for column in range(x >> log2_block, (x + w >> log2_block) + 1):
            for row in range(y >> log2_block, (y + h >> log2_block) + 1):
                members.setdefault((column, row), []).append(index)
    return members


def in_blocks(boxes: Sequence[Sequence[int]], log2_block: int) -> tuple[list[Point], int]:
    """Return the pairs of boxes that overlap or touch, found block by block, each once; and how many were checked."""
    found, checks = set(), 0
    for objects in block_members(boxes, log2_block).values():
        for i, a in enumerate(objects):
            for b in objects[i + 1 :]:
                checks += 1
                (ax, ay, aw, ah), (bx, by, bw, bh) = boxes[a], boxes[b]
                if ax <= bx + bw and bx <= ax + aw and ay <= by + bh and by <= ay + ah:
                    found.add((a, b))
    return sorted(found), checks
