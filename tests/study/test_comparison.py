"""`retrosim study`: exact methods have no error, known failures show, counts are those of the library, ROMs agree."""

import csv
import io
import json
import re
import sys
import zlib
from dataclasses import astuple, replace
from functools import cache

import numpy as np
import pytest
from rich.console import Console

from retrosim.collide import count_tests
from retrosim.collide.documents import blocks, boxes, rectangles
from retrosim.errors import RetrosimError
from retrosim.report.json import to_json
from retrosim.rom import load_rom
from retrosim.screen.framebuffer import macintosh_palette
from retrosim.screen.png import png_bytes
from retrosim.study import comparison
from retrosim.study import comparison as routines
from retrosim.study import methods as registry
from retrosim.study.comparison import Errors, compare_methods
from retrosim.study.comparison_report import (
    FALSE_NEGATIVE,
    FALSE_POSITIVE,
    MACHINES,
    comparison_csv,
    draw_comparison,
    render_comparison,
)
from retrosim.study.exact import rectangles_meet
from retrosim.study.methods import DOCUMENTS, METHODS
from retrosim.study.methods.rekaby_2011 import LOG2_BLOCK
from retrosim.study.scenes import ADVERSARIAL, REACH, SQUARE, Forms, nested, random_scenes, tunnelling
from tests.helpers.pages import GUIDE, table_rows

MACHINE = "mc68000-8"
SEED = 7
OURS = [method for method in METHODS if method.document in DOCUMENTS]
"""The methods of the five texts; what others get wrong is not known here."""
NONE = Errors(0, 0)


@pytest.fixture(scope="module")
def measured():
    return compare_methods([MACHINE], scenes=1, seed=SEED)


@pytest.fixture(scope="module")
def study(measured):
    """What a study without machines finds; `test_the_same_seed_gives_the_same_study` makes one."""
    return replace(measured, machines=[], rows=[replace(row, cycles={}) for row in measured.rows])


def errors(result, method: str, scene: str) -> tuple[int, int]:
    (row,) = (row for row in result.rows if row.method == method)
    return astuple(row.scenes[scene])


def collisions(result, scene: str) -> int:
    (kind,) = (kind for kind in result.scenes if kind.scene == scene)
    return kind.collisions


NAMED = [make() for make in ADVERSARIAL]
ALL_SCENES = [*NAMED, *random_scenes(SEED, 2)]


@pytest.mark.parametrize("scene", ALL_SCENES, ids=lambda scene: scene.name)
def test_scenes_keep_to_what_every_method_takes(scene):
    half = scene.half.astype(int)
    assert (half**2).sum(axis=1).max() <= REACH**2
    assert (scene.x >= 15).all() and (scene.x < 625).all() and (scene.y >= 15).all() and (scene.y < 465).all()


@pytest.mark.parametrize("scene", ALL_SCENES, ids=lambda scene: scene.name)
def test_the_exact_test_of_what_is_at_rest_is_that_of_the_library(scene):
    at_rest = replace(scene, move=np.zeros_like(scene.move))
    x, y = (np.ascontiguousarray(axis.astype(int) * 32, np.int16) for axis in (scene.x, scene.y))
    assert at_rest.truth().tolist() == rectangles.hits(x, y, scene.half, scene.angle, scene.pairs).tolist()


def test_the_exact_test_of_what_moves_is_that_of_small_steps():
    """A 25th of a frame at a time, whole pixels, whatever meets is seen: the missiles are 6 pixels wide."""
    scene, unseen = tunnelling(), 0
    for (i, j), expected in zip(scene.pairs, scene.truth()):
        a, b, moved = scene.rectangle(i), scene.rectangle(j), scene.move.astype(int) * 32
        steps = []
        for back in range(26):
            p, q = (
                (r[0] - move[0] * back // 25, r[1] - move[1] * back // 25, *r[2:])
                for r, move in ((a, moved[i].tolist()), (b, moved[j].tolist()))
            )
            steps.append(rectangles_meet(p, q))
        assert any(steps) == bool(expected)
        unseen += bool(expected) and not steps[0] and not steps[-1]
    assert unseen == 3


@pytest.mark.parametrize("scene", ALL_SCENES, ids=lambda scene: scene.name)
def test_forms_hold_the_whole_rectangle(scene):
    forms = Forms(scene)
    x, y = (np.ascontiguousarray(axis.astype(int) * 32, np.int16) for axis in (scene.x, scene.y))
    for i, corners in enumerate(rectangles.corners(x, y, scene.half, scene.angle).tolist()):
        left, top, width, height = (32 * side for side in forms.boxes[i].tolist())
        at_x, at_y = int(x[i]), int(y[i])
        for px, py in corners:
            assert left <= px <= left + width and top <= py <= top + height
            assert (px - at_x) ** 2 + (py - at_y) ** 2 <= (32 * forms.radius[i] + 1) ** 2
            assert any(
                (px - at_x - 32 * cx) ** 2 + (py - at_y - 32 * cy) ** 2 <= (32 * r + 1) ** 2
                for cx, cy, r in forms.circles[i]
            )
        assert max(width, height) <= 32 * SQUARE


@pytest.mark.full
def test_exact_methods_do_what_they_say(study):
    assert [row.method for row in study.rows] == [method.name for method in METHODS]
    for method, row in zip(METHODS, study.rows):
        assert (row.stated == NONE) == method.is_exact, method.name
    assert {method.name for method in OURS if not method.is_exact} == {"point-1", "point-2", "line-1"}


@pytest.mark.full
def test_figure_12_the_cross_is_missed_by_points(study):
    assert collisions(study, "cross") == 4
    assert errors(study, "point-1", "cross") == errors(study, "point-2", "cross") == (0, 4)
    assert errors(study, "line-1", "cross") == (0, 0)


def test_figure_11_nested_is_found_by_all(study):
    assert collisions(study, "nested") == len(nested().x) // 2 == 4
    assert {errors(study, method.name, "nested") for method in OURS} == {(0, 0)}


def test_one_corner_of_four_is_tested(study):
    assert errors(study, "point-1", "fifth point") == errors(study, "point-2", "fifth point") == (0, 3)


def test_thin_bars_are_entered_by_corners_that_points_see(study):
    assert collisions(study, "thin bars") == 8
    assert errors(study, "point-1", "thin bars") == errors(study, "point-2", "thin bars") == (0, 4)  # the crosses
    assert errors(study, "line-1", "thin bars") == (0, 0)


def test_opposite_outcodes_outside_a_corner(study):
    assert collisions(study, "outside corner") == 0
    assert errors(study, "line-1", "outside corner") == (4, 0)


def test_touching_counts_in_some_texts(study):
    assert collisions(study, "touching") == 3
    assert errors(study, "boxes", "touching") == errors(study, "line-1", "touching") == (0, 0)
    assert errors(study, "swept-boxes", "touching") == errors(study, "masks", "touching") == (0, 3)


def test_only_swept_methods_see_what_tunnels(study):
    assert collisions(study, "tunnelling") == 5  # two end in their ships, and all see them
    for method in OURS:
        if method.name.startswith("swept"):
            assert errors(study, method.name, "tunnelling")[1] == 0
        elif method.document != "Moertel 1994":  # whose squares are larger than these objects
            assert errors(study, method.name, "tunnelling") == (0, 3)


@pytest.mark.full
def test_operations_are_those_that_the_library_counts(study):
    rows = {row.method: row for row in study.rows}
    scenes = [Forms(scene) for scene in random_scenes(SEED, 1)]
    for name, counting in (("boxes", "four_additions"), ("boxes-two", "two_additions")):
        counts = np.zeros(4, int)
        for forms in scenes:
            left, top, *_ = (np.ascontiguousarray(column, np.int32) for column in forms.boxes.T)
            counts += boxes.count_operations(left, top, size=forms.boxes[:, 2:], method=counting)
        spent = rows[name].operations
        assert [rows[name].tests, spent["additions"], spent["comparisons"], spent["multiplications"]] == (
            counts / len(scenes)
        ).tolist()
    for name in ("point-1", "point-2", "line-1"):
        counts = np.zeros(3, int)
        for forms in scenes:
            scene = forms.scene
            x, y = (np.ascontiguousarray(axis.astype(int) * 32, np.int16) for axis in (scene.x, scene.y))
            given = (x, y, scene.half, scene.angle, scene.pairs)
            counts += rectangles.count_operations(*given, method=name.replace("-", "_"))
        assert rows[name].operations["additions"] >= counts[0] / len(scenes) * 0.9
        assert rows[name].operations["comparisons"] == counts[2] / len(scenes)


@pytest.mark.full
def test_tests_are_those_that_the_library_counts(study):
    rows = {row.method: row for row in study.rows}
    scenes = [Forms(scene) for scene in random_scenes(SEED, 1)]
    squares = [(np.ascontiguousarray(f.squares[:, 0], np.int16), np.ascontiguousarray(f.squares[:, 1], np.int16)) for f in scenes]  # fmt: skip  # noqa: E501
    for name in ("four-shifts", "nine-sectors"):
        made = [count_tests(*corners, size=SQUARE, method=name.replace("-", "_")) for corners in squares]
        assert rows[name].tests == np.mean(made)
    made = []
    for forms in scenes:
        left, top = (np.ascontiguousarray(column, np.int32) for column in forms.boxes.T[:2])
        made.append(blocks.tally_tests(left, top, size=forms.boxes[:, 2:], block=1 << LOG2_BLOCK).sum())
    assert rows["blocks"].tests == np.mean(made)
    assert rows["bitmap"].tests == study.method.objects


def test_json_shape(measured):
    result = json.loads(json.dumps(to_json(measured)))
    assert result["machines"] == [MACHINE]
    assert result["method"] == {"seed": SEED, "scenes": 1, "objects": 24, "pairs": 276, "measured": 1}
    assert [row["method"] for row in result["rows"]] == [method.name for method in METHODS]
    for method, row in zip(METHODS, result["rows"]):
        assert set(row["operations"]) == {"additions", "multiplications", "comparisons", "bits"}
        assert row["host_ns_per_pair"] > 0
        assert set(row["cycles"]) == ({MACHINE} if method.routine else set())
        if not method.routine:
            continue
        cell = row["cycles"][MACHINE]
        assert cell["cycles_per_pair"] == cell["cycles_per_frame"] / 276
        assert cell["cycles_per_frame"] > 4 * cell["instructions_per_frame"] > 276  # a 68000 needs 4 at least


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("method", "wrong", "rom"),
    [
        ("boxes", {"entry": "SpheresMeet"}, "shapes"),
        ("nine-sectors", {"expected": lambda forms, frame: [0] * forms.count}, "shapes"),
        ("objects", {"entry": "BoxesMeet"}, "objects"),
        ("bitmap", {"expected": lambda forms, frame: [0] * forms.count}, "objects"),
        ("swept-boxes", {"entry": "CirclesMeetInFrame"}, "objects"),
    ],
)
def test_a_rom_that_finds_something_else_has_no_figures(monkeypatch, method, wrong, rom):
    right = comparison.method_named(method)
    broken = replace(right, routine=replace(right.routine, **wrong))
    monkeypatch.setattr(comparison, "METHODS", (broken,))
    with pytest.raises(RetrosimError, match=f"{method} of the ROM {rom} differs from its kernel"):
        compare_methods([MACHINE], [method], scenes=1)


WITH_ROM_CODE = [method for method in METHODS if method.routine]


@pytest.fixture(scope="module")
def unit_of():
    """A function of a ROM and a number of objects: the same machine for all methods, as in a study."""
    open_once = cache(lambda name, objects: routines.open_unit(MACHINE, load_rom(name), objects, "interpret"))
    return lambda rom, objects: open_once(rom.name, objects if "objects" in rom.parameters else 0)


@pytest.mark.first_case
@pytest.mark.parametrize("method", WITH_ROM_CODE, ids=lambda method: method.name)
def test_roms_agree_on_the_named_scenes(method, unit_of):
    """Scenes of 4 to 24 objects: the figures, touching, seams, tunnelling, the corners of the screen."""
    rom = load_rom(method.routine.rom)
    for scene in NAMED:
        forms = Forms(scene)
        _, found = routines.run_routine(method, unit_of(rom, forms.count), forms)
        assert found == routines.kernel_result(method, forms), scene.name


def test_a_frame_can_be_run_again():
    """Of all methods: with a fresh start the same kernels write the same."""
    forms = Forms(random_scenes(SEED, 1)[1])
    for method in METHODS:
        frame = method.frame(forms)
        for _ in range(2):
            frame.fresh()
            frame.run()
            result, hits = None if frame.result is None else frame.result.tolist(), frame.hits().tolist()
        once = method.frame(forms)
        once.run()
        assert hits == once.hits().tolist() and any(hits)
        assert result == (None if once.result is None else once.result.tolist())


def test_the_same_seed_gives_the_same_study(study):
    again = compare_methods([], ["circles"], scenes=1, seed=SEED)
    assert again.scenes == study.scenes and again.machines == []
    (row,) = (row for row in study.rows if row.method == "circles")
    assert replace(again.rows[0], host_ns_per_pair=0) == replace(row, host_ns_per_pair=0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"methods": ["boxed"]}, "method 'boxed': allowed four-shifts, nine-sectors"),
        ({"scenes": 0}, "scenes 0: allowed 1..1000"),
        ({"seed": -1}, "seed -1: allowed 0..4294967295"),
        ({"machines": ["z80"]}, "z80"),
    ],
)
def test_bad_arguments(given, words):
    with pytest.raises(ValueError, match=words):
        compare_methods(**{"machines": [], **given})


def test_text_fits_80_columns(study, measured):
    for result in (study, measured):
        out = io.StringIO()
        Console(file=out, width=80).print(render_comparison(result))
        assert max(map(len, out.getvalue().splitlines())) <= 80
        for row in result.rows:
            assert all(text in out.getvalue() for text in (row.method, row.document, row.reference))
        assert "…" not in out.getvalue()


def test_csv_has_a_line_for_each_method(measured):
    rows = list(csv.DictReader(io.StringIO(comparison_csv(measured))))
    assert [row["method"] for row in rows] == [method.name for method in METHODS]
    for row, source in zip(rows, measured.rows):
        assert int(row["seen_false_positives"]) == source.seen.false_positives
        cell = source.cycles.get(MACHINE)
        assert row[f"{MACHINE}_cycles_per_frame"] == (str(cell.cycles_per_frame) if cell else "")


def test_picture_is_a_png_with_the_colours_of_the_bars(study, measured):
    """All three kinds of bars; without machines only the errors."""
    for result, colours in ((measured, {FALSE_POSITIVE, FALSE_NEGATIVE, MACHINES[0]}), (study, {FALSE_POSITIVE, FALSE_NEGATIVE})):  # fmt: skip  # noqa: E501
        data = png_bytes(draw_comparison(result), macintosh_palette())
        assert data.startswith(b"\x89PNG\r\n\x1a\n")
        start = data.index(b"IDAT") + 4
        raw = zlib.decompressobj().decompress(data[start:])
        pixels = np.frombuffer(raw, np.uint8).reshape(480, 641)[:, 1:]
        assert colours <= set(np.unique(pixels).tolist())
        assert (MACHINES[0] in np.unique(pixels)) == (MACHINES[0] in colours)


def test_longer_bars_for_more_errors(study):
    without = replace(study, rows=[replace(row, seen=NONE) for row in study.rows])
    bars = [(draw_comparison(result) == FALSE_POSITIVE)[:450].sum() for result in (study, without)]
    assert bars[0] > bars[1] == 0


def test_progress_ends_where_it_said(monkeypatch):
    calls = []
    monkeypatch.setattr(comparison, "_host_time", lambda *_: 1.0)
    compare_methods([], ["boxes", "spheres"], lambda *call: calls.append(call), scenes=1)
    assert calls[0][:2] == (0, 4) and calls[-1][:2] == (3, 4) and all(text for *_, text in calls)


def test_methods_are_found_in_the_order_of_their_texts():
    assert METHODS[: len(OURS)] == tuple(OURS) and len(OURS) == 15
    assert list(dict.fromkeys(method.document for method in OURS)) == list(DOCUMENTS)


def test_a_machine_without_a_build_to_measure_has_no_cell_and_a_line():
    result = compare_methods(["i80286-12"], ["masks"], scenes=1, seed=SEED)
    (row,) = result.rows
    assert row.cycles == {} and result.notes[-1] == "masks: no O2 build for the i80286-12"
    out = io.StringIO()
    Console(file=out, width=80).print(render_comparison(result))
    assert "masks: no O2 build for the i80286-12" in out.getvalue()
    assert draw_comparison(result).shape == (480, 640)


NEW_METHOD = """
from dataclasses import replace

from .moertel_1994 import METHODS as OTHERS

METHODS = (replace(OTHERS[0], name={name!r}, document="A stranger 2026", routine=None),)
"""


def test_a_file_is_enough_to_join_the_study(tmp_path, monkeypatch):
    """Methods of other texts come last; one without ROM code has no clocks; its name must be new."""
    monkeypatch.setattr(registry, "__path__", [*registry.__path__, str(tmp_path)])
    path = tmp_path / "another.py"
    path.write_text(NEW_METHOD.format(name="my-boxes"))
    found = registry.find_methods()
    assert found[: len(OURS)] == tuple(OURS)
    assert {method.name for method in found} == {method.name for method in METHODS} | {"my-boxes"}
    monkeypatch.setattr(comparison, "METHODS", found)
    result = compare_methods([MACHINE], ["boxes", "my-boxes"], scenes=1)
    known, new = result.rows
    assert known.cycles.keys() == {MACHINE} and new.cycles == {} and new.stated == NONE
    out = io.StringIO()
    Console(file=out, width=80).print(render_comparison(result))
    assert "A stranger 2026" in out.getvalue() and re.search(r"my-boxes +-", out.getvalue())
    rows = list(csv.DictReader(io.StringIO(comparison_csv(result))))
    assert rows[1][f"{MACHINE}_cycles_per_pair"] == ""
    assert draw_comparison(result).shape == (480, 640)
    sys.modules.pop("retrosim.study.methods.another")
    path.write_text(NEW_METHOD.format(name="boxes"))
    with pytest.raises(ValueError, match="method 'boxes' is there 2 times: allowed once"):
        registry.find_methods()
    sys.modules.pop("retrosim.study.methods.another")


@pytest.mark.full
def test_the_page_shows_what_the_study_finds():
    """Some methods of the guide's table, cell by cell: whatever changes clocks, counts or errors changes the page."""
    errors, operations, clocks = (table_rows(GUIDE / "study.md", mark) for mark in ("methods", "operations", "clocks"))
    rows = zip(errors[1:], operations[1:], clocks[1:], strict=True)
    shown = {row[0]: [*row[3:], *counts[1:], *pair[1:]] for row, counts, pair in rows}
    assert list(shown) == [method.title for method in OURS]
    assert [row[0] for row in operations[1:]] == [row[0] for row in clocks[1:]] == list(shown)
    machines = clocks[0][1:]
    result = compare_methods(machines, ["boxes", "spheres"], scenes=10, seed=2011, engine="interpret")
    for each in result.rows:
        found = [each.tests, *(each.operations[kind] for kind in ("additions", "multiplications", "comparisons"))]
        found += [each.cycles[machine].cycles_per_pair for machine in machines]
        seen = astuple(each.seen)
        assert shown[each.title] == ["0", *map(str, seen), *(f"{figure:.0f}" for figure in found)]
