"""The oracle of compound shapes: objects of several boxes and circles."""

from __future__ import annotations

from collections.abc import Sequence

from .boxes import Shape, get_collision_result


def compounds_touch(a: Sequence[Shape], b: Sequence[Shape]) -> bool:
    """Tell whether any shape of one list collides with any of the other; their positions are those on the screen."""
    return any(get_collision_result(p, q, [0, 0, 0]) for p in a for q in b)
