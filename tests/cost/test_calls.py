"""Trees of calls: which function an address lies in."""

from __future__ import annotations

import pytest

from retrosim.cost.calls import function_at


@pytest.mark.parametrize(
    "address, expected", [(0, -1), (99, -1), (100, 0), (149, 0), (150, -1), (200, 1), (299, 1), (300, 2), (1 << 23, 2)]
)
def test_the_function_of_an_address(address: int, expected: int) -> None:
    """Functions at 100..149, at 200 and, next to it, from 300 on."""
    search = getattr(function_at, "py_func", function_at)
    assert search(address, [0, 100, 150, 200, 300], [-1, 0, -1, 1, 2]) == expected
    assert search(address, [0], [7]) == 7
