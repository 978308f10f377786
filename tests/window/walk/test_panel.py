"""The walk through a check: its moments against the rule of the method, its commands by key and click, its picture."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from retrosim.debug.walk import Walk
from retrosim.machine import open_machine
from retrosim.rom import load_rom
from retrosim.scenarios import load_walk
from retrosim.tape import Player, load_tape
from retrosim.window.compose import compose
from retrosim.window.controls import WALK
from retrosim.window.walk.panel import WalkPanel
from retrosim.window.walk.view import BOX_HEIGHT, LIGHT, sector_rect
from tests.helpers.amount import FULL
from tests.helpers.machine.flat import MACHINE_OF
from tests.helpers.window.bench import Bench

OBJECTS = 25  # of the walks that are looked at from all sides
LONG = FULL
"""Every image of `sectors`, each on its machine, in place of some; takes minutes."""
SOME = (("m68040", "O2"), ("m68000", "fast"), ("i386", "O0"), ("i486", "O2"), ("ppc601", "period"))
IMAGES = [(image.isa, image.build) for image in load_rom("sectors").images]


def followed(machine, program):
    """Return the moments of the next check, and what the routine's rule says of it."""
    walk = Walk(machine, load_walk(program))
    assert walk.forward().reason == "breakpoint"
    while not walk.is_complete:
        walk.look()
    assert machine.instructions == walk.end.instructions
    return walk, machine.shapes()


def pairs(moments):
    return {tuple(sorted(each.pair)) for each in moments if each.pair}


@pytest.mark.first_case
@pytest.mark.parametrize(("isa", "build"), IMAGES if LONG else SOME)
def test_every_build_tests_the_pairs_that_the_method_says(isa, build):
    machine = open_machine(MACHINE_OF[isa], "sectors", build=build, parameters={"objects": 200 if LONG else 40})
    machine.run(frames=2)
    walk, shapes = followed(machine, "sectors")
    assert pairs(walk.moments) == set(map(tuple, shapes.tested.tolist()))
    assert pairs(each for each in walk.moments if each.is_hit) == set(map(tuple, shapes.hits.tolist()))
    tests = [each for each in walk.moments if each.level == "pair"]
    if build == "fast":
        assert len(tests) == len(shapes.tested), "each pair once"
        return
    assert len(tests) == shapes.tests
    assert [each.shift for each in walk.moments if each.level == "pass"] == [(0, 0), (0, 32), (32, 0), (32, 32)]
    for number, grid in enumerate(shapes.grids, 1):
        sectors = [each for each in walk.moments if each.level == "sector" and each.passes == number]
        assert [list(each.sector) for each in sectors] == np.argwhere(grid.counts > 1).tolist()


GAMES = [("xquest", "gem-run", 30), ("tanks", "twenty-hits", 60), ("shooter", "first-wave", 120)]


@pytest.mark.parametrize(("program", "tape", "frames"), GAMES if LONG else GAMES[:2])
def test_games_test_the_pairs_that_their_rules_say(program, tape, frames):
    machine = open_machine("mc68040-25", program)
    Player(load_tape(next(path for path in load_rom(program).tapes() if path.stem == tape)), machine).run(frames)
    walk, shapes = followed(machine, program)
    known = {pair for pair in pairs(walk.moments) if max(pair) < len(shapes.hit)}
    assert known >= set(map(tuple, shapes.tested.tolist())) and known
    assert pairs(each for each in walk.moments if each.is_hit) == set(map(tuple, shapes.hits.tolist()))


def test_a_program_with_other_names_says_so(tmp_path):
    bench = Bench(tmp_path, rom="tunnel")
    bench.keys("W")
    assert bench.panel is None and "no function DetermineCollisions" in bench.session.message
    assert "debugger" not in vars(bench.machine)
    names = open_machine("ppc601-80", "moertel1994", engine="interpret")
    assert Walk(names, load_walk("moertel1994")).forward().reason == "breakpoint", "an underscore before them"


@pytest.fixture
def bench(tmp_path):
    bench = Bench(tmp_path, rom="sectors", parameters={"objects": OBJECTS})
    bench.ticks(4)
    bench.keys("W")
    bench.ticks(1)
    return bench


def test_keys_walk_in_both_directions(bench):
    panel = bench.panel
    assert panel.walk.is_complete and panel.moment.level == "check" and panel.clocks == 0
    bench.keys("PAGEDOWN", "PAGEDOWN")
    assert (panel.moment.level, panel.moment.passes) == ("pass", 2)
    bench.keys("DOWN")
    sector = panel.moment
    bench.keys("RIGHT")
    first, clock, lasts = panel.moment, bench.machine.cycles, panel.lasts()
    assert bench.machine.cycles == clock, "it went to the next moment and back"
    assert first.level == "pair" and first.sector == sector.sector
    bench.keys("RIGHT")
    assert panel.moment.number == first.number + 1 and bench.machine.cycles > clock
    assert 0 < lasts <= bench.machine.cycles - clock, "the beginning of a sector may lie between two pairs"
    bench.keys("LEFT")
    assert panel.moment == first and bench.machine.cycles == clock, "the machine itself is there again"
    assert bench.machine.instructions == first.instructions
    bench.keys("S", "S")
    assert bench.machine.instructions == first.instructions + 2 and panel.moment == first
    bench.keys("Shift+S", "LEFT")
    assert bench.machine.instructions == first.instructions, "back to the beginning of this test first"
    bench.keys("V")
    assert panel.moment.is_hit
    bench.keys("END")
    assert panel.moment.level == "end" and panel.clocks == panel.all_clocks and panel.lasts() == 0
    bench.keys("RIGHT")
    assert panel.message == "no pair follows in this check"
    bench.keys("HOME")
    assert bench.machine.instructions == panel.walk.start.instructions


def test_it_walks_by_itself_at_its_pace(bench):
    panel = bench.panel
    bench.keys("RIGHT", "SPACE")
    begun = panel.number
    for _ in range(31):  # half a second, and what the first tick starts
        bench.ticks(1)
    assert panel.number == begun + 1 and bench.session.state == ("WALK", False)
    bench.keys("EQUAL", "EQUAL")
    bench.ticks(61)
    assert panel.number - begun in (8, 9)
    bench.keys("R")
    bench.ticks(61)
    assert panel.number <= begun + 2
    bench.keys("P")
    assert bench.session.state == ("WALK: STOPPED", True)


def test_the_frame_ends_as_it_would_have(bench, tmp_path):
    bench.keys("PAGEDOWN", "RIGHT", "N")
    bench.ticks(1)
    second = bench.panel.walk.start
    bench.keys("Shift+N")
    bench.ticks(1)
    assert bench.panel.walk.start.frame == second.frame - 1
    bench.keys("ESCAPE")
    assert bench.panel is None and "debugger" not in vars(bench.machine)
    bench.ticks(2)
    other = open_machine("mc68040-25", "sectors", engine="interpret", parameters={"objects": OBJECTS})
    other.run(frames=bench.machine.frame_number)
    assert other.hash("world") == bench.machine.hash("world") and other.cycles == bench.machine.cycles


def test_the_picture_shows_sector_pair_code_and_clocks(bench):
    bench.keys("PAGEDOWN", "DOWN", "RIGHT")
    panel, machine = bench.panel, bench.machine
    image = compose(bench.session, 640).overlay
    assert image.shape == (480, 640, 4)
    left, top, right, bottom = sector_rect(64, panel.moment)
    lit = (image[max(0, top) : bottom, max(0, left) : right, :3] @ (1, 0, -1)).mean()  # yellow: red without blue
    assert lit > 0.4 * (LIGHT @ (1, 0, -1)) and (image[..., 0].astype(int) - image[..., 2]).mean() < 10
    box = 0 if (top + bottom) // 2 > 240 else 480 - BOX_HEIGHT
    assert (image[box : box + 2] == (0, 0, 0, 255)).all()
    assert panel.lasts() > 0 and panel.lasts() == panel.lasts()
    assert machine.instructions == panel.moment.instructions, "it has looked ahead, and is back"
    assert "sectors.c" in panel.texts


def test_clicks(bench):
    bench.click("pass")
    assert bench.panel.moment.level == "pass"
    bench.click("place", 1000 * 78 // 157)
    share = bench.panel.clocks / bench.panel.all_clocks
    assert 0.3 < share < 0.7
    before = bench.panel.number
    bench.inputs.panel_scrolled(100, 1)
    assert bench.panel.number > before
    bench.click("walk")
    assert bench.panel is None


def test_buttons_have_tooltips(bench):
    compose(bench.session, 640)
    zone = next(zone for zone in bench.panel.zones if zone.action == "pass")
    text, rect = bench.panel.tip_at(zone.rect[0] + 1, zone.rect[1] + 1)
    assert text == "PgDn: to the next pass" and rect == zone.rect
    place = next(zone for zone in bench.panel.zones if zone.action == "place").rect
    assert bench.panel.tip_at(place[0], place[1]) is None, "a zone that is no button"


def test_every_command_exists(bench):
    for command in WALK:
        bench.panel.do(command.action)
        while bench.panel and not bench.panel.walk.is_complete:
            bench.ticks(1)
        assert "attribute" not in bench.panel.message


def test_a_tape_goes_on_where_the_walk_ends(tmp_path):
    tape = load_tape(next(path for path in load_rom("tanks").tapes() if path.stem == "twenty-hits"))
    bench = Bench(tmp_path, rom="tanks", parameters=tape.parameters)
    bench.session.player = Player(tape, bench.machine)
    bench.ticks(6)
    bench.keys("W")
    bench.ticks(1)
    bench.keys("RIGHT", "W")
    frame = bench.machine.frame_number
    bench.keys("TAB")
    bench.ticks(20)
    assert bench.machine.frame_number > frame and not bench.session.diverged


@pytest.fixture
def bare():
    """A panel of a check with a pass and some pairs, that is looked at; it notes where it goes."""
    levels = ("check", "pass", "pair", "pair", "pair", "end")
    moments = [SimpleNamespace(level=level, instructions=10 * n) for n, level in enumerate(levels)]
    panel = WalkPanel.__new__(WalkPanel)
    panel.walk = SimpleNamespace(is_complete=True, moments=moments, start=moments[0], end=moments[-1])
    panel.is_running = panel.is_backwards = False
    panel.machine = SimpleNamespace(instructions=0)
    panel.debugger = SimpleNamespace(go_to=lambda count: setattr(panel.machine, "instructions", count))
    panel.number, panel.pace, panel._passed, panel.message = 0, Fraction(2), None, ""
    return panel


def test_levels_that_a_check_has(bare):
    """Without sectors what leads from one to the next leads from pair to pair."""
    for level, step, number in (("pass", 1, 1), ("sector", 1, 2), ("pair", 1, 3), ("sector", -1, 2), ("pass", -1, 1)):
        bare._level(level, step)
        assert (bare.number, bare.machine.instructions, bare.message) == (number, 10 * number, "")
    bare._level("pass", 1)
    assert (bare.number, bare.message) == (1, "no pass follows in this check")
    bare._level("sector", -1)
    assert bare.message == "no pair before in this check"
    bare._level("hit", 1)
    assert bare.message == "no hit follows in this check"


def test_backwards_from_between_two_moments(bare):
    """The moment that was passed comes first."""
    bare.number, bare.machine.instructions = 3, 35
    bare._level("pair", -1)
    assert bare.number == 3 and bare.machine.instructions == 30
    bare._level("pair", -1)
    assert bare.number == 2


def test_where_steps_lead(bare):
    for instructions, place, number in ((5, 5, 0), (10, 10, 1), (29, 29, 2), (50, 50, 5), (99, 50, 5), (-9, 0, 0)):
        bare.machine.instructions = instructions
        bare._stepped()
        assert (bare.machine.instructions, bare.number) == (place, number)


def test_steps_by_the_clock(bare):
    """Two moments a second; what was away for longer than one moment and a second begins anew; it stops at the end."""
    milliseconds, seen = iter([0, 400, 500, 999, 1000, 2501, 3000, 3001, 3501, 4001]), []
    clock = lambda: next(milliseconds) * 1_000_000  # noqa: E731
    assert not bare.advance(0, clock) and bare.number == 0, "it does not walk"
    bare.is_running = True
    while bare.is_running:
        seen.append((bare.advance(0, clock), bare.number))
    assert seen == [
        (False, 0), (False, 0), (True, 1), (False, 1), (True, 2), (False, 2), (False, 2), (True, 3), (True, 4),
        (True, 5),
    ]  # fmt: skip
