"""What overlays draw is what the routines had before them: the same on all machines, and what their own flags say."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from retrosim.machine import Machine, NativeMachine
from retrosim.rom import load_rom
from retrosim.rom.drawings import read_colours, read_pictures
from retrosim.rom.reading import MemoryReader
from retrosim.rom.symbols import Symbol
from retrosim.scenarios import SCENARIOS, load_shapes
from retrosim.scenarios.gallery.rules import BITMAP
from retrosim.scenarios.shapes import shapes_of
from retrosim.scenarios.shooter.scenario import touching as touching_circles
from retrosim.scenarios.tanks.scenario import corners_of, line_hits
from retrosim.scenarios.xquest.scenario import outlines_of, touching
from retrosim.screen.framebuffer import macintosh_palette
from retrosim.screen.overlay import ON_DARK, View, draw_view
from retrosim.screen.shapes import Shapes
from retrosim.tape import load_tape
from tests.helpers.amount import FULL
from tests.oracle.blocks import in_blocks
from tests.oracle.objects import by_circles, check_all
from tests.oracle.rectangles import Study, corners
from tests.oracle.sectors import check, distinct, four_shifts

BIG, LITTLE = "mc68040-25", "i486dx2-66"
SKIPPED = {"sectors": 3, "xquest": 20, "tanks": 70, "shooter": 200}  # frames before things happen
PADS = (16, 16, 1, 2, 10, 5, 0, 16)


def switched_on(rom: str, name: str) -> Any:
    loaded = load_rom(rom)
    if name == "native":
        return NativeMachine(loaded)
    return Machine(name, loaded, engine="interpret", timing="off")


def played(machine: Any, rom: str, frames: int = 2 * len(PADS)) -> Iterator[Shapes]:
    """Yield the shapes after each of some frames, with all directions and shots among the inputs."""
    machine.set_input("pad", 16)
    machine.run(frames=SKIPPED.get(rom, 0))
    for frame in range(frames):
        machine.set_input("pad", PADS[frame // 2 % len(PADS)])
        machine.run(frames=1)
        yield machine.shapes()


def as_lists(shapes: Shapes) -> dict[str, Any]:
    """Return all that shapes hold, types included, for comparison."""
    arrays = {name: value for name, value in vars(shapes).items() if name != "grids"}
    grids = [dataclasses.asdict(grid) | {"counts": grid.counts.tolist()} for grid in shapes.grids]
    return {name: (str(value.dtype), value.tolist()) for name, value in arrays.items()} | {"grids": grids}


@pytest.mark.full
@pytest.mark.parametrize("name", [BIG, LITTLE])
@pytest.mark.parametrize("rom", SCENARIOS)
def test_every_machine_has_the_same_shapes(rom: str, name: str) -> None:
    machines = [switched_on(rom, each) for each in ("native", name)]
    assert as_lists(machines[0].shapes()) == as_lists(machines[1].shapes()), "before the first frame"
    tested = 0
    for ours, theirs in zip(*(played(machine, rom) for machine in machines)):
        assert as_lists(ours) == as_lists(theirs)
        tested += len(ours.tested)
    assert tested, "nothing was compared"


def pairs(rows: np.ndarray) -> list[tuple[int, ...]]:
    return [tuple(row) for row in rows.tolist()]


def taped(rom: str, tape: str, frames: int, each: int = 1) -> Iterator[tuple[NativeMachine, Shapes]]:
    """Replay the beginning of a shipped tape on the native machine; yield what there is after every `each` frames."""
    loaded = load_tape(str(load_rom(rom).path / "tapes" / f"{tape}.rtape"))
    machine = NativeMachine(load_rom(rom), parameters=dict(loaded.parameters))
    pads = {line.frame: line.states["pad"] for line in loaded.inputs}
    for frame in range(frames):
        if frame in pads:
            machine.set_input("pad", pads[frame])
        machine.run(frames=1)
        if frame % each == 0:
            yield machine, machine.shapes()


FLAGS = {
    "shooter": lambda world: world["collided"] & (world["burst"] == 1),
    "tunnel": lambda world: np.stack([world[f"{test}_burst"] == 6 for test in ("plain", "plain", "swept", "swept")], 1),
}


def flags(rom: str, world: dict[str, np.ndarray], shapes: Shapes) -> np.ndarray:
    """Return whom the routine's own flags say that it hit in this frame."""
    if rom != "tanks":
        return FLAGS.get(rom, lambda world: world["collided"])(world).ravel() != 0
    struck, found = int(world["struck"][0]), world["collided"] != 0
    if len(shapes.hit) > len(found):
        found = np.append(found, struck != 0)
    return found | ((np.arange(len(found)) == struck) & (struck > 0))


@pytest.mark.full
@pytest.mark.parametrize("rom", SCENARIOS)
def test_hits_are_tested_pairs_and_make_up_the_flags_of_the_routine(rom: str) -> None:
    tape = sorted((load_rom(rom).path / "tapes").glob("*.rtape"))[0].stem
    hits = unhit = shots = 0
    for machine, shapes in taped(rom, tape, 40 if rom == "sectors" else 250, 1 if rom == "tanks" or FULL else 3):
        columns = machine.world().columns
        assert pairs(shapes.tested) == sorted(set(pairs(shapes.tested)))
        assert (shapes.tested[:, 0] < shapes.tested[:, 1]).all()
        assert pairs(shapes.hits) == sorted(set(pairs(shapes.hits)) & set(pairs(shapes.tested)))
        assert shapes.hit.tolist() == flags(rom, columns, shapes).tolist()
        is_by_colours = rom == "gallery" and columns["method"][0] == BITMAP  # these find the later one of two objects
        found = shapes.hits[:, 1] if is_by_colours else shapes.hits.ravel()
        assert sorted(set(found.tolist())) == np.flatnonzero(shapes.hit).tolist()
        hits, unhit = hits + len(shapes.hits), unhit + len(shapes.tested) - len(shapes.hits)
        shots += rom == "tanks" and int((shapes.hits[:, 1] == len(columns["x"])).sum())
    assert hits and unhit and (shots or rom != "tanks")


def test_sectors_tests_what_the_reference_tests() -> None:
    for _, shapes in taped("sectors", "storm-200", 8):
        x, y = shapes.boxes[:, 1].tolist(), shapes.boxes[:, 2].tolist()
        assert pairs(shapes.tested) == distinct(list(four_shifts(x, y)))
        collided, _, tests = check(x, y)
        assert shapes.hit.tolist() == [bool(flag) for flag in collided] and shapes.tests == tests


def test_xquest_tests_pixels_where_boxes_overlap() -> None:
    for machine, shapes in taped("xquest", sorted((load_rom("xquest").path / "tapes").glob("*"))[0].stem, 60):
        near = machine.world().columns["near"]
        assert sorted(set(shapes.tested.ravel().tolist())) == np.flatnonzero(near).tolist()


def test_outlines_are_those_of_the_drawings() -> None:
    """Found by looking at every pixel; and each sprite's at its own place."""
    rom = load_rom("xquest")
    colours = read_colours(rom.drawings, macintosh_palette())
    pictures = [picture for each in read_pictures(rom.drawings, colours).values() for picture in each]
    machine = switched_on("xquest", "native")
    machine.run(frames=1)
    shapes, columns = machine.shapes(), machine.world().columns
    for i, (px, py, shape) in enumerate(zip(*(columns[name].tolist() for name in ("px", "py", "shape")))):
        opaque = {(x, y) for y, row in enumerate(pictures[shape]) for x, colour in enumerate(row) if colour}
        steps = ((1, 0), (-1, 0), (0, 1), (0, -1))
        edge = {(x, y) for x, y in opaque if any((x + dx, y + dy) not in opaque for dx, dy in steps)}
        found = shapes.outlines[shapes.outlines[:, 0] == i, 1:] - (px >> 5, py >> 5)
        assert sorted(pairs(found)) == sorted(edge) and edge


@pytest.mark.parametrize("name", [BIG, LITTLE])
def test_outlines_follow_the_masks_in_memory(name: str) -> None:
    machine = switched_on("xquest", name)
    machine.run(frames=1)
    before = machine.shapes().outlines
    ship = machine.world().columns["shape"][0]
    mask = machine.image.symbols[f"mask_ship_{ship}"]
    machine.write(mask.address, bytes(mask.size))
    after = machine.shapes().outlines
    assert (before[:, 0] == 0).any() and after.tolist() == before[before[:, 0] != 0].tolist()


def test_masks_meet_where_pixels_do() -> None:
    """Random masks at random places, against every pixel; bits of the left one may be shifted out."""
    random = np.random.default_rng(7)
    masks = random.integers(0, 2**32, (6, 32), np.uint32) & random.integers(0, 2**32, (6, 32), np.uint32)
    masks[:, 20:] = 0
    bits = [(row, bit) for row in range(32) for bit in range(32)]
    opaque = [{(31 - bit, row) for row, bit in bits if mask[row] >> bit & 1} for mask in masks.tolist()]
    shape = random.integers(0, 6, 60)
    x, y = random.integers(0, 90, 60), random.integers(0, 90, 60)
    every = np.argwhere(np.triu(np.ones((60, 60), bool), 1))
    places = [{(px + x[i], py + y[i]) for px, py in opaque[shape[i]]} for i in range(60)]
    wanted = [bool(places[a] & places[b]) for a, b in every.tolist()]
    assert touching(masks, shape, x, y, every).tolist() == wanted and 0 < sum(wanted) < len(wanted)
    edges = outlines_of(masks)
    assert {(px, py) for picture, px, py in edges.tolist() if picture == 0} <= opaque[0]


def test_the_line_algorithm_is_that_of_the_oracle() -> None:
    """Crowded rectangles, upright ones and lying ones among them, and corners to the last bit."""
    random = np.random.default_rng(2011)
    count = 4000
    sides = random.integers(1, 800, (2, count, 2))
    angles = random.choice([*range(1024), *range(0, 1024, 256), *[0, 256, 512, 768] * 100, -3, 5000], (2, count))
    centres = random.integers(0, 1400, (2, count, 2))
    a, b = np.concatenate([centres, sides, angles[..., None]], axis=2)
    expected = [Study(tuple(one), tuple(two)).line_1() for one, two in zip(a.tolist(), b.tolist())]
    assert line_hits(a, b).tolist() == expected and 0.2 < np.mean(expected) < 0.8
    assert corners_of(a).tolist() == [[list(point) for point in corners(tuple(each))] for each in a.tolist()]


def test_circles_overlap_as_in_the_oracle() -> None:
    random = np.random.default_rng(2007)
    circles = np.concatenate([random.integers(-40, 40, (80, 2)), random.integers(0, 12, (80, 1))], axis=1)
    owner = np.sort(random.integers(0, 30, 80))
    expected = np.zeros((30, 30), bool)
    for i, one in zip(owner, circles.tolist()):
        for j, two in zip(owner, circles.tolist()):
            expected[i, j] |= by_circles(one[0] - two[0], one[1] - two[1], one, two)
    assert touching_circles(owner, circles, 30).tolist() == expected.tolist() and 0 < expected.mean() < 1


def test_tanks_have_the_boxes_that_blocks_were_given() -> None:
    """Corners are those of the routine: their boxes are the ones it left in memory."""
    shells = 0
    for machine, shapes in taped("tanks", "twenty-hits", 150):
        columns = machine.world().columns
        bounds = np.stack([columns[name] for name in ("px", "py", "wide", "high")], axis=1)
        left, top = bounds[:, 0] >> 5, bounds[:, 1] >> 5
        wanted = np.stack([left, top, left + bounds[:, 2] + 1, top + bounds[:, 3] + 1], axis=1)
        count = len(bounds)
        assert shapes.boxes[:count, 1:].tolist() == wanted.tolist()
        near = {i for pair in pairs(shapes.tested) if count not in pair for i in pair}
        assert sorted(near) == np.flatnonzero(columns["near"]).tolist()
        boxes = [(a, b, c - a - 1, d - b - 1) for _, a, b, c, d in shapes.boxes.tolist()]
        found, checks = in_blocks(boxes, 6)
        assert pairs(shapes.tested) == found and shapes.tests == checks
        shells += len(boxes) > count
    assert shells


@pytest.mark.first_case
@pytest.mark.parametrize("name", [BIG, LITTLE])
def test_shooter_tests_what_its_loop_gets_to(name: str) -> None:
    """The loop over the records as they stand in memory when the routine is entered, with every test noted."""
    machine, hits = switched_on("shooter", name), 0
    machine.set_input("pad", 16)
    machine.run(frames=200)
    for _ in range(40):
        assert machine.run(until="CheckAllObjects", frames=1).reason == "until"
        columns = machine.world().columns
        count, noted = len(columns["x"]), set()
        records = [
            {key: int(columns[key][i]) for key in ("type", "active", "detection", "collided", "x", "y")}
            for i in range(count)
        ]
        machine.run(frames=1)
        shapes = machine.shapes()
        there = shapes.circles
        circles = [[] for _ in range(count)]
        for i, x, y, radius in there.tolist():
            circles[i].append((x - records[i]["x"], y - records[i]["y"], radius, i))
        assert [i for i in range(count) if circles[i]] == [i for i in range(count) if records[i]["active"]]

        def noting(dx, dy, a, b, noted=noted):
            noted.add((min(a[3], b[3]), max(a[3], b[3])))
            return by_circles(dx, dy, a, b)

        found = check_all(records, circles, noting)
        assert pairs(shapes.tested) == sorted(noted)
        assert pairs(shapes.hits) == sorted(tuple(sorted(pair)) for pair in found)
        hits += len(found)
    assert hits


def test_tunnel_hits_where_the_boxes_or_the_ways_say_so() -> None:
    machine, seen = switched_on("tunnel", "native"), np.zeros((2, 2), int)  # test, hit or not
    for _ in range(120):
        machine.run(frames=1)
        shapes = machine.shapes()
        ships = {i: box for i, *box in shapes.boxes.tolist() if i % 2}
        ways = {i: [way[0], way[1], way[4] + 1, way[5] + 1] for i, *way in shapes.paths.tolist()}
        missiles = {i: box for i, *box in shapes.boxes.tolist() if i % 4 == 0} | ways
        for missile, ship in pairs(shapes.tested):
            if missile in missiles:
                (a, b, c, d), (e, f, g, h) = missiles[missile], ships[ship]
                is_hit = a < g and e < c and b < h and f < d
                assert is_hit == bool(shapes.hit[missile]) == bool(shapes.hit[ship])
                seen[missile // 2 % 2, int(is_hit)] += 1
    assert (seen > 0).all()


def test_a_program_of_a_known_name_with_another_world_has_boxes_or_nothing() -> None:
    world = {"px": np.array([32, 64]), "py": np.array([32, 64]), "collided": np.array([0, 1])}
    boxes = [[0, 1, 1, 31, 31], [1, 2, 2, 32, 32]]
    for name in ("tanks", "mine"):
        assert shapes_of(name, world, lambda *_: {}).boxes.tolist() == boxes
        assert shapes_of(name, {"px": world["px"]}, lambda *_: {}) is None
    assert shapes_of("sectors", world | {"py": np.array([1])}, lambda *_: {}) is None, "columns of different lengths"
    many = {column: np.zeros(1001, int) for column in world}
    assert shapes_of("sectors", many, lambda *_: {}) is None
    sprites = world | dict.fromkeys(("wide", "high", "shape"), np.array([8, -5]))

    def lacking(*_: object) -> dict[str, np.ndarray]:
        raise ValueError("symbol 'gPictures': not in the image")

    assert shapes_of("xquest", sprites, lacking).boxes.tolist() == [[0, 1, 1, 9, 9], [1, 2, 2, 3, 3]]


@pytest.mark.parametrize("rom", ["xquest", "tanks", "shooter"])
def test_a_program_that_lacks_what_a_source_reads_is_another_one(rom: str) -> None:
    """No symbols at all, and symbols with room for less than the world says."""
    columns = {"x": np.zeros(9, np.int64)}
    small = {name: Symbol(64, 48, "object") for name in ("gTanks", "gRecords", "gCircles")}
    for symbols in ({}, small):
        reader = MemoryReader(np.zeros(1 << 12, np.uint8), symbols, is_big=True)
        with pytest.raises(ValueError, match=r"not in the image|are needed"):
            load_shapes(rom).auxiliary(reader, columns)


@pytest.mark.parametrize(("is_big", "wanted"), [(True, [0x0102, 0x0506]), (False, [0x0201, 0x0605])])
def test_columns_are_read_in_the_byte_order_as_far_as_the_symbol_goes(is_big: bool, wanted: list[int]) -> None:
    memory = np.arange(64, dtype=np.uint8)
    reader = MemoryReader(memory, {"g": Symbol(0, 10, "object")}, is_big=is_big)
    assert reader.column("g", 1, 4, "u16", 99).tolist() == wanted and reader.column("g", 1, 4, "u16", -3).tolist() == []
    assert reader.entries(np.array([63]), "s16").tolist() == [0x3F00 if is_big else 0x003F], "memory wraps"
    assert reader.capacity("g", 4) == 2


def test_an_image_without_a_manifest_has_none() -> None:
    machine = Machine(BIG, load_rom("sectors").image("m68040", None), engine="evaluate", timing="off")
    assert machine.shapes() is None


@pytest.mark.parametrize("rom", SCENARIOS)
def test_whatever_memory_holds_can_be_drawn(rom: str) -> None:
    """Random words of all sizes in every column: nothing fails, and all indices and coordinates are in range."""
    source = load_shapes(rom)
    for seed in range(30 if FULL else 10):
        random = np.random.default_rng(seed)
        count, span = int(random.integers(0, 66)), 2 ** int(random.integers(1, 32))
        column = SimpleNamespace(of=lambda n, r=random, s=span: r.integers(-s, s, n))
        world = {name: column.of(count) for name in source.objects} | {name: column.of(1) for name in source.single}
        more = {"half": column.of(count + 1).repeat(2).reshape(-1, 2), "circles": column.of(36).reshape(12, 3)}
        more |= {"first": column.of(count), "count": column.of(count)}
        more["masks"] = random.integers(0, 2**32, (int(random.integers(0, 5)), 32), np.uint32)
        shapes = shapes_of(rom, world, lambda *_, more=more: more)
        total = len(shapes.hit)
        for rows in (shapes.tested, shapes.hits):
            assert ((rows >= 0) & (rows < total)).all(), f"seed {seed}"
        for rows in (shapes.boxes, shapes.polygons, shapes.paths, shapes.circles, shapes.outlines):
            assert ((rows[:, 0] >= 0) & (rows[:, 0] < total)).all(), f"seed {seed}"
        assert draw_view(shapes, View(True, True, 0), ON_DARK).shape == (480, 640, 4)


def of_boxes(corners: list[tuple[int, int]], sides: np.ndarray | None = None, rom: str = "sectors") -> Shapes:
    x, y = np.array(corners, int).reshape(-1, 2).T << 5
    world = {"px": x, "py": y, "collided": np.ones(len(x), int)}
    return shapes_of(rom, world | ({} if sides is None else dict(zip(("wide", "high"), sides))), lambda *_: {})


def test_pairs_are_strict_at_the_side() -> None:
    assert pairs(of_boxes([(0, 0), (29, 29), (30, 0), (100, 100)]).hits) == [(0, 1), (1, 2)]
    assert pairs(of_boxes([(50, 50), (21, 79), (20, 50), (50, 80)]).hits) == [(0, 1), (1, 2), (1, 3)]


def test_boxes_of_different_sides_begin_and_end_by_themselves() -> None:
    """Half open: the side of the box that begins first decides, on each axis by itself; sides have their limits."""
    sides = np.array([[31, 8, 8, 8], [10, 31, 31, 9]])
    seen = of_boxes([(50, 50), (80, 20), (42, 59), (43, 41)], sides, "mine")
    assert seen.boxes[:, 1:].tolist() == [[50, 50, 81, 60], [80, 20, 88, 51], [42, 59, 50, 90], [43, 41, 51, 50]]
    assert pairs(seen.tested) == pairs(seen.hits) == [(0, 1)] and seen.tests == 1
    wild = of_boxes([(1, 1), (2, 2)], np.array([[8, -5], [31, 2**31 - 1]]), "mine")
    assert wild.boxes[:, 1:].tolist() == [[1, 1, 9, 32], [2, 2, 3, 642]]


def test_sectors_of_each_shift() -> None:
    first, _, _, last = of_boxes([(63, 0), (63, 63), (610, 450)]).grids
    assert (
        first.counts.shape == (11, 9)
        and first.counts[0, 0] == 2
        and first.counts[9, 7] == 1
        and first.counts.sum() == 3
    )
    assert last.counts[1, 0] == 1 and last.counts[1, 1] == 1 and last.counts[10, 7] == 1
    assert (last.left, last.top, last.side) == (-32, -32, 64)
    assert last.name == "pass 4 of 4, grid shifted by (32, 32)"
    assert sum(grid.counts.sum() for grid in of_boxes([(1000, 0), (-500, 0)]).grids) == 0, "far outside"
