"""The debugger panel: its commands by key and click, and what it draws."""

from types import SimpleNamespace

import numpy as np
import pytest

from retrosim.console import panes
from retrosim.debug import views
from retrosim.machine import memory, open_machine
from retrosim.screen.overlay import INK, RED
from retrosim.tape import Player, load_tape, record_script
from retrosim.window.compose import compose
from retrosim.window.controls import DEBUGGER
from retrosim.window.debugger.panel import MOVES, PANES, PROMPTS, Stopwatch, code_rows
from retrosim.window.debugger.view import CODE_TOP, MEMORY_TOP, _timer, draw_debugger, register_columns
from retrosim.window.session import Session
from tests.helpers.amount import FULL
from tests.helpers.screen.overlay_pixels import has_text
from tests.helpers.window.bench import Bench


@pytest.fixture
def bench(tmp_path):
    bench = Bench(tmp_path)
    bench.keys("D")
    return bench


def test_a_closed_panel_has_no_debugger(tmp_path):
    bench = Bench(tmp_path)
    bench.ticks(2)
    assert bench.panel is None and bench.machine._observer is None
    bench.keys("D", "B", "C")
    assert bench.machine._observer is not None and bench.session.state == ("DEBUGGER", False)
    bench.keys("D")
    assert bench.panel is None and bench.machine._observer is None and "debugger" not in vars(bench.machine)
    frame = bench.machine.frame_number
    bench.ticks(3)
    assert bench.machine.frame_number == frame + 3, "the session runs it again"
    bench.keys("D")
    assert [point.kind for point in bench.panel.points] == ["breakpoint"], "it comes back"


def test_a_debugger_that_was_there_stays(tmp_path):
    bench = Bench(tmp_path)
    point = bench.machine.debugger.breakpoint("MoveAll")
    bench.keys("D", "T", "D")
    assert bench.panel is None and bench.machine.debugger.points == [point]


def test_to_a_breakpoint_and_on_and_back(bench):
    bench.keys("G")
    assert bench.panel.entry.text == "", "the letter of the command is no text"
    bench.write("MoveAll")
    bench.keys("B", "C")
    bench.ticks(60)
    start = bench.machine.image.symbols["MoveAll"].address
    assert bench.machine.regs["pc"] == start and not bench.panel.is_running
    assert bench.panel.message.startswith("breakpoint 1 at")
    bench.keys("S", "S")
    assert bench.machine.regs["pc"] > start and "pc" in changed(bench)
    bench.keys("Shift+S", "Shift+S")
    assert bench.machine.regs["pc"] == start
    bench.keys("F")
    assert bench.machine.image.symbol_at(bench.machine.regs["pc"])[0] == "Main"
    bench.keys("Shift+C")
    assert bench.machine.regs["pc"] == start


def changed(bench):
    return {row.name for row in views.registers(bench.panel.debugger, bench.panel.before) if row.is_changed}


def test_the_toolbar_works_the_panel(bench):
    before = bench.machine.instructions
    bench.session.do("instruction")
    assert bench.machine.instructions == before + 1
    bench.session.do("frame")
    assert bench.machine.frame_number == 1 and not bench.panel.is_running
    bench.session.do("pause")
    assert bench.panel.is_running
    bench.session.do("reset")
    assert "close the debugger first" in bench.session.message


def test_clicks_do_what_keys_do(bench):
    bench.click("toggle", bench.panel.cursor)
    assert len(bench.panel.points) == 1
    image = draw_debugger(bench.panel)
    assert (image[CODE_TOP:MEMORY_TOP, 4:18] == RED).all(axis=2).sum() == 49, "its mark"
    bench.click("pane", "Points")
    bench.click("remove")
    assert not bench.panel.points
    bench.click("step")
    assert bench.machine.instructions == 1
    bench.click("pixels")
    assert bench.panel.shows_pixels
    bench.click("debugger")
    assert bench.panel is None


def test_the_machines_picture_can_be_seen_meanwhile(bench):
    assert compose(bench.session, 640).overlay is not None
    bench.keys("V")
    assert compose(bench.session, 640).overlay is None
    assert bench.inputs.panel_clicked(1, 1) and not bench.panel.shows_screen


def test_a_tape_gives_the_keys_and_ends(tmp_path):
    machine = open_machine("mc68040-25", "shooter", engine="interpret")
    record_script(tmp_path / "a.rtape", machine, 3, "0 pad=0; 1 pad=1", hash_every=1)
    tape = load_tape(tmp_path / "a.rtape")
    session = Session(machine, folder=lambda kind: tmp_path, player=Player(tape, machine))
    session.do("debugger")
    for _ in range(3):
        session.panel.do("frame")
    session.panel.do("back_step")
    session.panel.do("step")
    assert machine.frame_number == 3 and not session.diverged
    session.panel.do("go")
    assert "the tape ends here" in session.panel.message and not session.panel.is_running
    session.do("debugger")
    assert session.panel is None and session.transport.run_on() is False


def test_watched_expressions_and_wrong_ones(bench):
    bench.keys("W")
    bench.write("long[gFrame] + 1")
    bench.keys("W")
    bench.write("nonsense!")
    assert bench.panel.watched == ["long[gFrame] + 1"] and bench.panel.message
    bench.keys("G", "ESCAPE")
    assert bench.panel is not None and bench.panel.entry.text is None
    bench.click("unwatch")
    assert not bench.panel.watched


def test_the_keys_of_the_machine_are_its_own_while_it_runs(bench):
    cursor = bench.panel.cursor
    bench.keys("DOWN")
    assert bench.panel.cursor > cursor
    bench.keys("UP", "C")
    assert bench.panel.cursor == cursor
    bench.inputs.key_down("SPACE")
    assert bench.session.pad.down == 16
    bench.ticks(4)
    assert bench.machine.frame_number > 1 and bench.machine._peek(memory.INPUT_WORDS["pad"][0]) == 16


def test_a_tap_between_two_turns_is_seen_while_the_machine_runs(bench):
    bench.keys("C", "SPACE")
    pads = []
    for _ in range(10):
        bench.ticks()
        pads.append(bench.machine._peek(memory.INPUT_WORDS["pad"][0]))
    assert 16 in pads and pads[-1] == 0


def test_memory_as_pixels_is_the_screen(bench):
    bench.panel.do("frame")
    bench.panel.do("show", memory.VIDEO_START)
    bench.keys("X")
    image = draw_debugger(bench.panel)
    shown = image[MEMORY_TOP + 14 : MEMORY_TOP + 100, 6:382, :3]
    assert np.array_equal(shown, bench.machine.palette[bench.machine.frame[:86, :376]])


def test_the_stopwatch_counts_clocks_between_two_instructions(bench):
    bench.keys("G")
    bench.write("MoveAll")
    bench.keys("T", "DOWN", "T", "C")
    bench.ticks(4)
    watch = bench.panel.stopwatch
    assert watch.count == bench.machine.frame_number > 1 and 0 < watch.minimum <= watch.last <= watch.maximum
    bench.keys("T")
    assert bench.panel.stopwatch is None and not bench.panel.debugger.points


@pytest.fixture
def watch() -> Stopwatch:
    """From 0x1234 to address 0, passed with 30, 10 and 20 clocks."""
    watch = Stopwatch(0x1234)
    watch.end = 0
    for begin, end in ((100, 130), (200, 210), (300, 320)):
        watch.begin(SimpleNamespace(cycles=begin))
        watch.finish(SimpleNamespace(cycles=end))
    return watch


def test_what_the_stopwatch_counts(watch):
    assert (watch.count, watch.total, watch.last, watch.minimum, watch.maximum) == (3, 60, 20, 10, 30)
    watch.finish(SimpleNamespace(cycles=900))
    watch.begin(SimpleNamespace(cycles=500))
    watch.finish(SimpleNamespace(cycles=400))  # the machine has gone back
    assert watch.count == 3, "the end alone, and an end before its beginning, do not count"
    watch.finish(SimpleNamespace(cycles=500))
    assert (watch.count, watch.last, watch.minimum) == (4, 0, 0)


def timer_lines(watch: Stopwatch | None) -> list[tuple]:
    debugger = SimpleNamespace(describe=lambda address: f"{address:04X}")
    panel = SimpleNamespace(stopwatch=watch, debugger=debugger, machine=SimpleNamespace(clock_hz=8_000_000))
    return [(line.text, line.action, line.argument) for line in _timer(panel)]


def test_what_the_stopwatch_shows(watch):
    """Clocks, at 8 MHz 20 of them 2.5 microseconds; its ends can be clicked."""
    start, end = ("from 1234", "at", 0x1234), ("to   0000", "at", 0)
    shown = timer_lines(watch)
    assert shown[:2] == [start, end]
    assert [text for text, *_ in shown[2:]] == [
        "passed  3 times", "last    20 clocks, 2.5 us", "lowest  10", "mean    20.0", "highest 30",
    ]  # fmt: skip
    assert timer_lines(None)[0][0].startswith("T starts")
    begun, set_up = Stopwatch(0x1234), Stopwatch(0x1234)
    assert [text for text, *_ in timer_lines(begun)] == ["from 1234", "to   (T at another instruction)"]
    set_up.end = 0
    assert [text for text, *_ in timer_lines(set_up)] == ["from 1234", "to   0000", "not yet passed: C continues"]


def test_a_line_of_text_is_a_command_of_the_terminals_debugger(bench):
    bench.keys("E")
    bench.write("break MoveAll if word[gFrame+2] == 3")
    bench.click("command")
    bench.write("cwatch gStars, 4 if frame > 100")
    bench.keys("E")
    bench.write("display long[gFrame]")
    assert bench.panel.watched == ["long[gFrame]"]
    bench.keys("E")
    bench.write("c")
    assert bench.panel.is_running
    bench.ticks(20)
    assert not bench.panel.is_running and bench.panel.debugger.evaluate("long[gFrame]") == 3
    bench.keys("E", "UP", "ESCAPE", "E")
    bench.write("wrote gFrame")
    assert bench.panel.pane == "Log" and "goto" in bench.panel.log[-1]
    bench.keys("E")
    bench.write("break nowhere")
    assert "no symbol" in bench.panel.message
    draw_debugger(bench.panel)
    bench.keys("D", "D")
    assert [str(point).split(", 0 hits")[0].split(": ", 1)[1] for point in bench.panel.points] == [
        "MoveAll, if word[gFrame+2] == 3",
        "change of 4 bytes at gStars, if frame > 100",
    ]
    assert bench.panel.watched == ["long[gFrame]"]


def test_going_back_takes_no_longer_than_a_command_may(bench, monkeypatch):
    bench.panel.debugger.run(frames=20)
    here = bench.panel.debugger.time
    bench.panel.debugger.breakpoint("MoveAll", "d0 == 12345678")
    monkeypatch.setattr("retrosim.window.debugger.panel.LONGEST_S", 0.01)
    bench.keys("Shift+C")
    assert bench.panel.message.startswith("interrupted") and bench.panel.debugger.time == here


def test_causes_and_hottest_functions(tmp_path):
    bench = Bench(tmp_path, timing="causes")
    bench.keys("D")
    while bench.panel.pane != "Hottest":
        bench.keys("TAB")
    bench.keys("C")
    bench.ticks(3)
    draw_debugger(bench.panel)
    bench.keys("C")
    here = bench.panel.debugger.time
    draw_debugger(bench.panel)
    lines, session = bench.panel.hottest(), bench.panel.session
    assert lines == panes.PANES["Hottest"](session), "as in the terminal"
    assert "FillBox" in lines[0].text and {zone.action for zone in bench.panel.zones} >= {"at"}
    assert bench.panel.hottest() is lines and bench.panel.debugger.time == here
    clocks = sum(int(line.text.split()[1].replace(",", "")) for line in lines)
    assert 0 < clocks <= here.clocks - session.started.clocks
    assert sum(int(line.text.split()[1].replace(",", "")) for line in bench.panel.causes) > 0


@pytest.mark.first_case
@pytest.mark.parametrize("machine", ["mc68000-8", "i386dx-33", "i486dx2-66", "ppc601-80"])
def test_every_machine_is_drawn_on_every_pane(tmp_path, machine):
    bench = Bench(tmp_path, machine, timing="full" if FULL else "table")  # which is compiled faster
    bench.keys("D", "S")
    for pane in PANES:
        bench.panel.do("pane", pane)
        image = draw_debugger(bench.panel)
        assert image.shape == (480, 640, 4) and (image[..., 3] == 255).all()


def test_every_command_is_there(bench):
    for command in DEBUGGER:
        assert command.action in {*MOVES, *PROMPTS} or hasattr(bench.panel, f"_do_{command.action}")


ROM_OF = {"i80286-12": "masks"}  # the others have code of 32 bits


def names_of(machine):
    debugger = open_machine(machine, ROM_OF.get(machine, "sectors"), engine="evaluate").debugger
    return [[row.name for row in column] for column in register_columns(views.registers(debugger), 15)]


def test_registers_stand_in_even_columns():
    data, address = names_of("mc68040-25")
    assert data[:8] == [f"d{n}" for n in range(8)] and address[:8] == [f"a{n}" for n in range(8)]
    assert (data[8:], address[8:]) == (["sr", "usp", "msp"], ["pc", "isp", "vbr"])
    first, second = names_of("i486dx2-66")
    assert first == ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "pc"] and second[-1] == "eflags"
    assert len(second) == 8
    columns = names_of("ppc601-80")
    assert [len(column) for column in columns] == [15, 15, 13] and columns[0][0] == "r0" and columns[2][-1] == "pc"


FLAGS = (
    ("mc68040-25", "sr", 0xA70F, "T1 t0 S m i=7 x N Z V C"),
    ("mc68000-8", "sr", 0x2310, "t1 S i=3 X n z v c"),
    ("i386dx-33", "eflags", 0x3A43, "nt iopl=3 OF df IF tf sf ZF af pf CF"),
    ("i80286-12", "flags", 0x0093, "nt iopl=0 of df if tf SF zf AF pf CF"),
    ("ppc601-80", "cr", 0x24000822, "0:EQ 1:GT 5:LT 6:EQ 7:EQ"),
    ("ppc601-80", "xer", 0x60000000, "so OV CA"),
)


@pytest.mark.parametrize("machine, register, value, text", FLAGS)
def test_flags_are_spelled(machine, register, value, text):
    debugger = open_machine(machine, ROM_OF.get(machine, "sectors"), engine="evaluate").debugger
    debugger.machine.regs[register] = value
    assert dict(views.flags(debugger))[register] == text


def test_the_panel_has_the_flags_and_one_case_for_mnemonics(bench):
    image = draw_debugger(bench.panel)
    ((_, text),) = views.flags(bench.panel.debugger)
    assert has_text(image, f"sr: {text}", INK)
    rows = code_rows(bench.panel.debugger, bench.panel.texts, bench.panel.cursor, 20)
    code = [row.text for row in rows if row.instruction is not None]
    assert code and all(row.split("  ; ")[0][6:] == row.split("  ; ")[0][6:].lower() for row in code)
    assert any(row.instruction.text != row.instruction.text.lower() for row in rows if row.instruction is not None)
