from fractions import Fraction

import numpy as np
import pytest

from retrosim.machine import PRESETS
from retrosim.scenarios.shapes import shapes_of
from retrosim.window.chrome import Readings, metrics_lines, speed_text

TICK_CYCLES = Fraction(25_000_000 * 704 * 370, 15_667_200)


def sectors(corners, collided):
    """What the routine of `sectors` tests in a world of boxes."""
    x, y = np.array(corners, int).reshape(-1, 2).T << 5
    return shapes_of("sectors", {"px": x, "py": y, "collided": np.array(collided, int)}, lambda *_: {})


def test_an_empty_world_has_figures_too():
    cost = metrics_lines(Readings("native", "sectors", shapes=sectors([], [])))[1]
    assert " ".join(cost.split()).endswith("0 of 0 hit 0 pairs 0 tests")


def test_lines_say_what_the_issue_asks_for():
    readings = Readings(
        machine="mc68040-25",
        rom="sectors",
        frame=1234,
        periods=2468,
        cycles=int(1.5 * TICK_CYCLES),
        instructions=300_000,
        period_cycles=TICK_CYCLES,
        shapes=sectors([(0, 0), (10, 10), (200, 200)], [1, 1, 0]),
        speed=Fraction(1, 4),
    )
    reached, cost = metrics_lines(readings)
    for part in ("mc68040-25 sectors", "frame 1,234", "tick 2,468", "speed 1/4x"):
        assert part in reached
    for part in ("623,468 cycles/frame", "150.0% of a tick", "CPI 2.08", "2 of 3 hit", "1 pair ", "4 tests"):
        assert part in cost


@pytest.mark.parametrize("name, period", [("mc68040-25", "tick"), ("i486dx2-66", "retrace")])
def test_figures_keep_their_places(name, period):
    """And the period of the frame clock is called what the machine calls it."""
    assert PRESETS[name].frame_period == period
    readings = (
        Readings(name, "sectors", n, n, n, 1 + n // 3, TICK_CYCLES, sectors([(0, 0)], [0]), Fraction(1), period)
        for n in (7, 9_876_543)
    )
    small, large = map(metrics_lines, readings)
    assert f"{period} 9,876,543 " in large[0] and f"% of a {period} " in small[1]
    for words in (("frame", period, "speed"), ("CPI", " hit")):
        line = 0 if words[0] == "frame" else 1
        assert [small[line].index(word) for word in words] == [large[line].index(word) for word in words]
    assert all(len(line) <= 104 for line in large)


@pytest.mark.parametrize("cycles", [0, 1234])
def test_without_instructions_or_cycles(cycles):
    assert "CPI -" in metrics_lines(Readings("mc68040-25", "x", cycles=cycles, period_cycles=TICK_CYCLES))[1]
    assert "no cycles" in metrics_lines(Readings("native", "sectors"))[1]


def test_speed_text():
    assert [speed_text(Fraction(*of)) for of in ((1, 64), (1, 1), (8, 1))] == ["1/64x", "1x", "8x"]
