"""How the native scenes draw: slopes of sides, as the ROMs' code has them."""

import pytest

from retrosim.scenarios.drawing import slope


@pytest.mark.parametrize(
    ("dx", "dy", "gain"), [(0, 5, 0), (1, 1, 256), (-1, 1, -256), (5, 3, 426), (-5, 3, -426), (1, 300, 0), (-1, 300, 0)]
)
def test_slopes_are_cut_towards_zero(dx: int, dy: int, gain: int) -> None:
    assert getattr(slope, "py_func", slope)(dx, dy) == gain
