"""The oracle of "No-collision boxes" 2011: early-out boxes, circles after boxes, filters.

A shape is (x, y, width, height, is_circle).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Shape = tuple[int, int, int, int, bool]


def get_collision_result(a: Shape, b: Shape, spent: list[int]) -> bool:
    """Tell whether two shapes collide; add to `spent`: additions, comparisons, multiplications."""
    for near, side, far in ((a[0], a[2], b[0]), (b[0], b[2], a[0]), (a[1], a[3], b[1]), (b[1], b[3], a[1])):
        spent[0] += 1
        spent[1] += 1
        if near + side < far:
            return False
    if a[4] and b[4]:
        return not _are_circles_apart(a, b, spent)
    return True


def with_two_additions(a: Shape, b: Shape, spent: list[int]) -> bool:
    """Tell the same with at most two additions for the boxes: per axis one subtraction and two comparisons."""
    for axis in (0, 1):
        spent[0] += 1
        spent[1] += 2
        first, second = (a, b) if a[axis] < b[axis] else (b, a)
        if second[axis] - first[axis] > first[axis + 2]:
            return False
    if a[4] and b[4]:
        return not _are_circles_apart(a, b, spent)
    return True


def _are_circles_apart(a: Shape, b: Shape, spent: list[int]) -> bool:
    spent[0] += 8
    spent[1] += 1
    spent[2] += 3
    radius_a, radius_b = a[2] // 2, b[2] // 2
    dx = a[0] + radius_a - (b[0] + radius_b)
    dy = a[1] + radius_a - (b[1] + radius_b)
    return dx**2 + dy**2 > (radius_a + radius_b) ** 2


def handle_collisions(
    shapes: Sequence[Shape],
    check_objects: Callable[[int, int], bool] = lambda i, j: True,
    test: Callable[[Shape, Shape, list[int]], bool] = get_collision_result,
) -> tuple[list[tuple[int, int]], list[int]]:
    """Run the original's pair loop; return the colliding pairs and [pairs, additions, comparisons, multiplications]."""
    found, looked_at, spent = [], 0, [0, 0, 0]
    for i in range(len(shapes)):
        for j in range(i + 1, len(shapes)):
            if check_objects(i, j):
                looked_at += 1
                if test(shapes[i], shapes[j], spent):
                    found.append((i, j))
    return found, [looked_at, *spent]
