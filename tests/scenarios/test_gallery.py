"""The scenario `gallery`: its figures and flags against the slow exact judges of the methods."""

from __future__ import annotations

import numpy as np
import pytest

from retrosim.machine import NativeMachine
from retrosim.scenarios.gallery import rules
from retrosim.window.chrome import LastCheck
from tests.oracle.blocks import in_blocks
from tests.oracle.boxes import get_collision_result
from tests.oracle.compound import compounds_touch
from tests.oracle.rectangles import Study, corners, separating_axis
from tests.oracle.sectors import four_shifts
from tests.oracle.spheres import spheres_meet

DOWN, RIGHT = 8, 2
FRAMES = 12


def choose(machine: NativeMachine, method: int, broad: int) -> dict[str, np.ndarray]:
    """Press keys until a method and a broad phase are chosen; return the world of a later frame."""
    for key, name, wanted in ((RIGHT, "method", method), (DOWN, "broad", broad)):
        while int(machine.world().columns[name][0] if machine.frame_number else 0) != wanted:
            for pad in (key, 0):
                machine.set_input("pad", pad)
                machine.run(frames=1)
    machine.run(frames=1)
    return machine.world().columns


def rectangles_of(columns: dict[str, np.ndarray]) -> list[tuple[int, ...]]:
    names = ("x", "y", "half_width", "half_height", "angle")
    return [tuple(row) for row in np.stack([columns[name] for name in names], axis=1).astype(int).tolist()]


def box_of(rectangle: tuple[int, ...]) -> tuple[int, int, int, int]:
    x, y = zip(*[(px >> 5, py >> 5) for px, py in corners(rectangle)])
    return min(x), min(y), max(x) - min(x), max(y) - min(y)


def judged(method: int, columns: dict[str, np.ndarray]):
    """Return the method as a function of two numbers of objects."""
    rectangles = rectangles_of(columns)
    radius, z = rules.RADIUS_PX.tolist(), columns["z"].tolist()
    centre = [(r[0] >> 5, r[1] >> 5) for r in rectangles]

    def circle(x: int, y: int, r: int) -> tuple[int, ...]:
        return x - r, y - r, 2 * r, 2 * r, 1

    def parts(i: int) -> list[tuple[int, ...]]:
        found = []
        for k in range(3):
            scene_way = (k - 1) * (rectangles[i][2] - rectangles[i][3])
            moved = corners((0, 0, abs(scene_way), 0, rectangles[i][4]))[1 if scene_way >= 0 else 0]
            found.append(circle(*(c + (m >> 5) for c, m in zip(centre[i], moved)), rectangles[i][3] >> 5))
        return found

    if method == rules.BOXES:
        return lambda a, b: get_collision_result((*box_of(rectangles[a]), 0), (*box_of(rectangles[b]), 0), [0] * 3)
    if method == rules.CIRCLES:
        shapes = [circle(*centre[i], radius[i & 3]) for i in range(len(centre))]
        return lambda a, b: compounds_touch([shapes[a]], [shapes[b]])
    if method == rules.COMPOUND:
        return lambda a, b: compounds_touch(parts(a), parts(b))
    if method == rules.SPHERES:
        balls = [(*centre[i], z[i], radius[i & 3]) for i in range(len(centre))]
        return lambda a, b: spheres_meet(balls[a], balls[b])
    name = {rules.POINTS_1: "point_1", rules.POINTS_2: "point_2", rules.LINES: "line_1"}[method]
    return lambda a, b: getattr(Study(rectangles[a], rectangles[b]), name)()


@pytest.mark.full
@pytest.mark.parametrize("method", range(rules.BITMAP), ids=rules.METHODS[: rules.BITMAP])
def test_flags_are_those_of_the_judge(method: int) -> None:
    machine = NativeMachine("gallery", parameters={"objects": 96, "seed": 3 + method})
    columns = choose(machine, method, rules.ALL_PAIRS)
    count, judge = len(columns["x"]), judged(method, columns)
    found = np.zeros(count, int)
    for a in range(count):
        for b in range(a + 1, count):
            if judge(a, b):
                found[[a, b]] = 1
    assert found.any() and columns["collided"].tolist() == found.tolist()
    assert columns["tests"][0] == columns["checks"][0] == count * (count - 1) // 2
    exact = columns["collides"]
    assert columns["hits"][0] == found.sum() and columns["exact"][0] == exact.sum()
    assert columns["wrong"][0] == (found > exact).sum() and columns["missed"][0] == (exact > found).sum()


def test_what_is_called_exact_is() -> None:
    """Against exact polygons that are 1/32 pixel larger, and smaller, on all sides."""
    machine = NativeMachine("gallery", parameters={"objects": 96, "seed": 1})
    columns = choose(machine, rules.LINES, rules.ALL_PAIRS)
    rectangles = rectangles_of(columns)
    surely, maybe = np.zeros(96, int), np.zeros(96, int)
    for a in range(96):
        for b in range(a + 1, 96):
            surely[[a, b]] |= separating_axis(rectangles[a], rectangles[b], -1)
            maybe[[a, b]] |= separating_axis(rectangles[a], rectangles[b], 1)
    assert surely.any() and (surely <= columns["collides"]).all() and (columns["collides"] <= maybe).all()


@pytest.mark.parametrize("broad", range(1, len(rules.BROADS)), ids=rules.BROADS[1:])
def test_broad_phases_find_the_same_with_fewer_tests(broad: int) -> None:
    machines = [NativeMachine("gallery", parameters={"objects": 96, "seed": 5}) for _ in range(2)]
    for machine in machines:
        choose(machine, rules.LINES, 0)
    columns = choose(machines[0], rules.LINES, broad)
    machines[1].run(frames=machines[0].frame_number - machines[1].frame_number)
    assert columns["collided"].tolist() == machines[1].world().columns["collided"].tolist()
    boxes = [box_of(each) for each in rectangles_of(columns)]
    if broad == rules.SECTORS:
        tests = len(list(four_shifts([box[0] for box in boxes], [box[1] for box in boxes])))
        assert columns["tests"][0] == columns["checks"][0] == tests
        return
    pairs, checks = in_blocks(boxes, broad - rules.BLOCKS_16 + rules.LOG2_BLOCK_16)
    assert (columns["tests"][0], columns["checks"][0]) == (len(pairs), checks) and columns["handlers"][0] >= 96


def test_colours_find_the_later_of_two() -> None:
    machine = NativeMachine("gallery", parameters={"objects": 96, "seed": 2})
    columns = choose(machine, rules.BITMAP, rules.ALL_PAIRS)
    painted, found = np.zeros((480, 640), bool), []
    for i, ink in enumerate(pixels_of(machine)):
        found.append(int((painted & ink).any()))
        painted |= ink
        assert i < 96
    assert columns["collided"].tolist() == found and sum(found) and columns["tests"][0] == 96


def pixels_of(machine: NativeMachine):
    """Yield the pixels of each object, drawn by itself."""
    from retrosim.scenarios.drawing import fill_rectangle

    spans = np.zeros((480, 2), np.int32)
    for rectangle in rectangles_of(machine.world().columns):
        screen = np.zeros((480, 640), np.uint8)
        fill_rectangle(screen, spans, rectangle, 1)
        yield screen != 0


def test_the_window_tells_its_clocks() -> None:
    from retrosim.machine import open_machine

    machine = open_machine("mc68040-25", "gallery", engine="interpret")
    machine.run(frames=1)
    said = LastCheck().text(machine, 0)
    assert said.startswith("check ") and "build O2" in said and "1994" not in said
