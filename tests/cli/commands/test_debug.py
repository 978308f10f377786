"""`retrosim debug`: scripts of commands, what is refused, completion, Ctrl-C."""

from __future__ import annotations

import io
import json
import os
import signal

import pytest

from retrosim.cli.terminal.loop import completer, interruptions
from retrosim.console import commands
from retrosim.console.session import ConsoleSession
from retrosim.console.target import Target
from retrosim.debug import Stop
from retrosim.errors import Interrupted
from retrosim.machine import Machine
from retrosim.tape import Player, load_tape, open_for
from tests.helpers.amount import FULL

PROGRAM = """\
        .globl _start, twice, count
_start: moveq #5,d0
again:  bsr twice
        addq.l #1,count
        cmp.l #12,d0
        blo again
loop:   bra loop
twice:  add.l d0,d0
        rts
        .data
count:  .long 0
"""
MACHINE = ("--machine", "mc68000-8", "--engine", "evaluate")


@pytest.fixture
def debug(run, tmp_path, monkeypatch):
    (tmp_path / "small.s").write_text(PROGRAM)

    def debug(script: str, *arguments: str):
        monkeypatch.setattr("sys.stdin", io.StringIO(script))
        return run("debug", "small.s", *MACHINE, *arguments)

    return debug


@pytest.fixture
def session() -> ConsoleSession:
    return ConsoleSession(Target(Machine("mc68000-8", "sectors", engine="evaluate", parameters={"objects": 2})))


@pytest.mark.full
def test_a_script_runs_forwards_and_back(debug) -> None:
    script = """
# comments and empty lines are nothing
break twice
continue
stepi
print d0
stack
finish
watch count, 4
continue
wrote count, 4
reverse-stepi
print long[count]
rc
goto 0
delete
break loop
stopwatch again, loop
hot all
save state
set d0 = 7
load state
registers
quit
nonsense
"""
    answers = debug(script, "--json").json()["answers"]
    said = {each["command"]: each for each in answers}
    assert said["continue"]["stop"]["reason"] == "watchpoint" and said["continue"]["stop"]["new"] == "00000001"
    assert said["print d0"]["lines"] == ["10 (0xa)"]
    assert [line.split()[1] for line in said["stack"]["lines"]] == ["twice+0x2", "_start+0x4"]
    assert "00 00 00 00 -> 00 00 00 01" in said["wrote count, 4"]["lines"][1]
    assert said["print long[count]"]["lines"] == ["0 (0x0)"]
    assert said["rc"]["stop"]["reason"] == "breakpoint" and said["goto 0"]["stop"]["time"]["instructions"] == 0
    # again twice: bsr, add, rts, addq, cmp, blo
    assert "12 instructions" in said["stopwatch again, loop"]["lines"][0]
    assert "%" in said["hot all"]["lines"][0]
    assert " d0 00000014" in said["registers"]["lines"][0]
    assert answers[-1]["command"] == "quit"


def test_lines_mark_what_has_changed_and_where_the_machine_stands(debug) -> None:
    out = debug("stepi\nregisters\nmemory count\nview\n", "-e", "display d0 * 2").out
    assert "1: d0 * 2 = 0 (0x0)" in out and "1: d0 * 2 = 10 (0xa)" in out
    assert "d0 00000005*" in out and "d1 00000000 " in out
    assert " => " in out and "── code ─" in out and "── memory ─" in out


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("brake twice", "did you mean break?"),
        ("break twixe", "twice"),
        ("break twice if", "a condition is missing"),
        ("print d0 +", "condition"),
        ("set d0 = 0x100000000", "allowed"),
        ("set d9 = 1", "allowed byte[..]"),
        ("delete 3", "point"),
        ("run 3 days", "frames"),
        ("catch weather", "exception"),
        ("memory count, 5000", "allowed 1..4096"),
        ("continue please", "allowed continue alone"),
        ("load nowhere", "no such file"),
        ("x" * 5000, "allowed 0..4096"),
    ],
)
def test_an_error_is_a_line_and_ends_the_script(debug, command: str, words: str) -> None:
    refused = debug(f"{command}\nprint 1\n")
    refused.is_refused(1, words)


def test_json_keeps_what_was_answered_before_an_error_and_limits_end_a_command(debug) -> None:
    failed = debug("print 1\nprint 1 +\n", "--json")
    assert failed.status == 1 and "command 2" in failed.err
    report = json.loads(failed.out)
    assert report["answers"][0]["lines"] == ["1 (0x1)"] and "command 2" in report["error"]
    spent = debug("delete\ncontinue\n", "--json", "--max-cycles", "500")
    assert spent.status == 5 and json.loads(spent.out)["answers"][-1]["stop"]["reason"] == "budget"


def test_a_tape_that_is_left_stops_forwards_and_back(session: ConsoleSession) -> None:
    with pytest.raises(ValueError, match="plays no tape"):
        commands.answer(session, "catch divergence")
    tape = load_tape("first-wave")
    machine = open_for(tape, "mc68000-8", engine="recompile" if FULL else "interpret")
    session = ConsoleSession(Target(machine, Player(tape, machine)))
    for line in ("run 3 frames", "set long[gFrame] = 77", "catch divergence"):
        commands.answer(session, line)
    stop = commands.answer(session, "continue").stop
    assert stop.reason == "divergence" and "the tape has" in stop.text
    commands.answer(session, "run 2 frames")
    assert commands.answer(session, "rc").stop.time == stop.time
    commands.answer(session, "goto 1000")
    commands.answer(session, "set long[gFrame] = long[gFrame]")  # another future, the recorded one
    assert commands.answer(session, "run 30 frames").stop.reason == "frames"


def test_native_has_no_instructions(run) -> None:
    run("debug", "--machine", "native").is_refused(2, "native runs no machine code")


@pytest.mark.parametrize("width", [4, 60, 80, 100, 200])
def test_help_knows_every_command_and_keeps_to_the_width(session: ConsoleSession, width: int) -> None:
    session.width = width
    lines = [line.plain for line in commands.answer(session, "help").lines]
    assert max(map(len, lines)) <= max(width, 44)  # the longest command, and its indent
    text = " ".join(" ".join(lines).split())
    for name, command in commands.BY_NAME.items():
        assert f"{' '.join([', '.join(command.names), command.arguments]).strip()} {command.about}" in text
        assert command.about in commands.answer(session, f"help {name}").lines[1].plain


def test_completion(session: ConsoleSession) -> None:
    def completed(line: str, text: str) -> list[str]:
        complete, found = completer(session, lambda: line), list[str]()
        while (each := complete(text, len(found))) is not None:
            found.append(each)
        return found

    assert completed("reverse-f", "reverse-f") == ["reverse-finish "]
    assert completed("print DetermineC", "DetermineC") == ["DetermineCollisions"]
    assert completed("break sect", "sect") == ["sectors.c:"] and completed("print d0", "d0") == ["d0"]


@pytest.mark.full
def test_ctrl_c_stops_the_machine(session: ConsoleSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes with a certain question of the machine: by the clock it would be late on a busy host."""
    left = 0

    def is_wanted() -> bool:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGINT)
            assert session.wanted.wait(60)
        return session.wanted.is_set()

    def interrupted(line: str, asked: int = 1) -> Stop | None:
        nonlocal left
        left = asked
        with interruptions(session):
            return commands.answer(session, line).stop

    monkeypatch.setattr(session, "is_wanted", is_wanted)
    assert interrupted("continue", 12).reason == "interrupted"
    here = session.debugger.time, session.machine.hash("machine")
    commands.answer(session, "break _start if d0 == 12345678")
    assert interrupted("rc").reason == "interrupted"
    assert (session.debugger.time, session.machine.hash("machine")) == here
    with pytest.raises(Interrupted, match="where it was"):
        interrupted("wrote gFrame")
    assert (session.debugger.time, session.machine.hash("machine")) == here
    assert commands.answer(session, "reverse-stepi").stop.reason == "step"
