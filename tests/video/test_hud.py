from fractions import Fraction

import numpy as np
import pytest

from retrosim.machine import PRESETS
from retrosim.video.hud import SHIFTS, Readings, Scene, metrics_lines, scene_of, speed_text

TICK_CYCLES = Fraction(25_000_000 * 704 * 370, 15_667_200)


def scene(*corners, collided=None):
    x, y = np.array(corners, int).reshape(-1, 2).T
    return Scene(x, y, np.zeros(len(x), bool) if collided is None else np.array(collided, bool))


def test_pairs_are_strict_at_the_side():
    assert scene((0, 0), (29, 29), (30, 0), (100, 100)).pairs.tolist() == [[0, 1], [1, 2]]
    assert scene((50, 50), (21, 79), (20, 50), (50, 80)).pairs.tolist() == [[0, 1], [1, 2], [1, 3]]


def test_pairs_equal_a_double_loop_and_tests_a_count_by_hand():
    random = np.random.default_rng(5)
    x, y = random.integers(0, 611, 200), random.integers(0, 451, 200)
    seen = Scene(x, y, np.zeros(200, bool))
    wanted = [[i, j] for i in range(200) for j in range(i + 1, 200) if abs(x[i] - x[j]) < 30 and abs(y[i] - y[j]) < 30]
    assert seen.pairs.tolist() == wanted
    tests = 0
    for across, down in SHIFTS:
        sectors = {}
        for i in range(200):
            sectors.setdefault(((x[i] + across) // 64, (y[i] + down) // 64), []).append(i)
        tests += sum(len(held) * (len(held) - 1) // 2 for held in sectors.values())
    assert seen.pair_tests == tests


def test_sectors_of_each_shift():
    held = scene((63, 0), (63, 63), (610, 450)).sectors((0, 0))
    assert held.shape == (11, 9) and held[0, 0] == 2 and held[9, 7] == 1 and held.sum() == 3
    held = scene((63, 0), (63, 63), (610, 450)).sectors((32, 32))
    assert held[1, 0] == 1 and held[1, 1] == 1 and held[10, 7] == 1


def test_objects_far_outside_are_not_counted():
    assert scene((5000, 0), (-5000, 0)).sectors((0, 0)).sum() == 0


def test_pairs_of_boxes_with_different_sides():
    """Half open: the side of the box that begins first decides, on each axis by itself."""
    sides = np.array([[31, 8, 8, 8], [10, 31, 31, 9]])
    seen = Scene(np.array([50, 80, 42, 43]), np.array([50, 20, 59, 41]), np.zeros(4, bool), sides)
    assert seen.boxes.T.tolist() == [[50, 50, 81, 60], [80, 20, 88, 51], [42, 59, 50, 90], [43, 41, 51, 50]]
    assert seen.pairs.tolist() == [[0, 1]]


def test_scene_of_a_world_with_sides():
    world = {name: np.array([32, 64]) for name in ("px", "py")} | {"collided": np.array([0, 1])}
    sides = {"wide": np.array([8, -5]), "high": np.array([31, 2**31 - 1])}
    assert scene_of(world | sides).boxes.T.tolist() == [[1, 1, 9, 32], [2, 2, 3, 642]]
    for partial in ({}, {"wide": sides["wide"]}, sides | {"high": np.array([3])}):
        assert scene_of(world | partial).boxes.T.tolist() == [[1, 1, 31, 31], [2, 2, 32, 32]]


def test_scene_of_a_world():
    columns = {"frame": np.array([3]), "px": np.array([33, -1]), "py": np.array([64, 0]), "collided": np.array([0, 1])}
    seen = scene_of(columns)
    assert seen.x.tolist() == [1, -1] and seen.y.tolist() == [2, 0] and seen.collided.tolist() == [False, True]
    assert scene_of({"px": np.array([1])}) is None


def test_an_empty_world_has_figures_too():
    seen = scene()
    assert seen.pairs.shape == (0, 2) and seen.pair_tests == 0


def test_lines_say_what_the_issue_asks_for():
    readings = Readings(
        machine="mc68040-25",
        rom="sectors",
        frame=1234,
        periods=2468,
        cycles=int(1.5 * TICK_CYCLES),
        instructions=300_000,
        period_cycles=TICK_CYCLES,
        scene=scene((0, 0), (10, 10), (200, 200), collided=[1, 1, 0]),
        speed=Fraction(1, 4),
    )
    place, cost = metrics_lines(readings)
    for part in ("mc68040-25 sectors", "frame 1,234", "tick 2,468", "speed 1/4x"):
        assert part in place
    for part in ("623,468 cycles/frame", "150.0% of a tick", "CPI 2.08", "2 of 3 hit", "1 pair ", "4 tests"):
        assert part in cost


@pytest.mark.parametrize("name, period", [("mc68040-25", "tick"), ("i486dx2-66", "retrace")])
def test_figures_keep_their_places(name, period):
    """And the period of the frame clock is called what the machine calls it."""
    assert PRESETS[name].frame_period == period
    readings = (
        Readings(name, "sectors", n, n, n, 1 + n // 3, TICK_CYCLES, scene((0, 0)), Fraction(1), period)
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
