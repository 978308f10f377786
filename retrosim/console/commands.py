"""The commands of the debugger, for the terminal, the window, gdb and editors.

Names and short forms are gdb's where gdb has them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from retrosim.checks import check_choice, did_you_mean, shortened
from retrosim.debug.points import EVENTS
from retrosim.errors import RetrosimError
from retrosim.reading import read_regular
from retrosim.screen.png import png_bytes

from . import looking, stopping, texts
from .texts import MAX_COUNT, Answer, needed, nothing_after, number_of, said, stopped

if TYPE_CHECKING:
    from retrosim.debug.points import Stop

    from .session import Session


# Commands that change the machine while it stands still, or keep what it is: registers, memory, saved states.

MAX_STATE_BYTES = 64 << 20


def assign(session: Session, rest: str) -> Answer:
    name, sign, text = rest.partition("=")
    if not sign or not name.strip() or text.startswith("="):
        raise ValueError("set: allowed REGISTER = EXPRESSION, byte[ADDRESS] = EXPRESSION, and word, long")
    name = name.strip()
    return Answer([Text(f"{name} = {texts.value_text(session.assign(name, text.strip()))}")], has_moved=name == "pc")


def save(session: Session, rest: str) -> Answer:
    return _written(needed(rest, "save: a file"), session.machine.save())


def picture(session: Session, rest: str) -> Answer:
    machine = session.machine
    return _written(needed(rest, "picture: a file"), png_bytes(machine.frame, machine.palette))


def load(session: Session, rest: str) -> Answer:
    name = needed(rest, "load: a file")
    try:
        state = read_regular(name, MAX_STATE_BYTES)
    except (OSError, ValueError) as error:
        raise RetrosimError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    session.mark()
    session.target.load(state)
    return _elsewhere(session)


def reset(session: Session, rest: str) -> Answer:
    nothing_after(rest, "reset")
    session.mark()
    session.target.reset()
    return _elsewhere(session)


def _elsewhere(session: Session) -> Answer:
    return Answer([Text(texts.time_text(session.debugger.time))], has_moved=True)


def _written(name: str, content: bytes) -> Answer:
    """Write a new file. Errors: RetrosimError if it exists or cannot be written."""
    try:
        with Path(name).open("xb") as file:
            file.write(content)
    except FileExistsError:
        raise RetrosimError(f"{name}: exists already and is not overwritten") from None
    except (OSError, ValueError) as error:
        raise RetrosimError(f"{name}: cannot be written: {getattr(error, 'strerror', None) or error}") from None
    return said(f"{name}: {len(content):,} bytes")


# Commands that run the machine, or take it back in time.

UNITS = ("frames", "instructions", "clocks")


def moves(go: Callable[[Session], Stop]) -> Callable[[Session, str], Answer]:
    """Return a command that moves the machine: so many times as is asked for, or until something else stops it."""

    def carry_out(session: Session, rest: str) -> Answer:
        count = number_of(session.debugger, rest, "times", 1, MAX_COUNT, 1)

        def repeated() -> Stop:
            stop = go(session)
            for _ in range(count - 1):
                if stop.reason != "step":
                    break
                if session.is_wanted():
                    break
                stop = go(session)
            return stop

        return stopped(session.run(repeated))

    return carry_out


def step_instructions(session: Session, rest: str) -> Answer:
    count = number_of(session.debugger, rest, "instructions", 1, MAX_COUNT, 1)
    return stopped(session.run(lambda: session.interruptible(lambda: session.debugger.step(count))))


def back_instructions(session: Session, rest: str) -> Answer:
    count = number_of(session.debugger, rest, "instructions", 1, MAX_COUNT, 1)
    return stopped(session.run(lambda: session.interruptible(lambda: session.debugger.reverse_step(count))))


def go_on(session: Session, rest: str) -> Answer:
    nothing_after(rest, "continue")
    return stopped(session.run(lambda: session.target.run(session.is_wanted)))


def run(session: Session, rest: str) -> Answer:
    number, _, unit = rest.partition(" ")
    unit = unit.strip() or UNITS[0]
    unit = f"{unit}s" if f"{unit}s" in UNITS else unit
    check_choice("unit", unit, UNITS)
    count = number_of(session.debugger, number, unit, 1, MAX_COUNT, 1)
    return stopped(session.run(lambda: session.interruptible(lambda: session.debugger.run(**{unit: count}))))


def until(session: Session, rest: str) -> Answer:
    where = session.where(needed(rest, "until: a place"))
    return stopped(session.run(lambda: session.interruptible(lambda: session.debugger.until(where))))


def reverse_run(session: Session, rest: str) -> Answer:
    nothing_after(rest, "reverse-continue")
    return stopped(session.run(lambda: session.target.run_back(session.is_wanted)))


def go_to(session: Session, rest: str) -> Answer:
    text = needed(rest, "goto: a number of instructions")
    instructions = number_of(session.debugger, text, "instructions", 0, MAX_COUNT, 0)
    return stopped(session.run(lambda: session.interruptible(lambda: session.debugger.go_to(instructions))))


MAX_LINE = 4096  # characters


@dataclass(frozen=True)
class Command:
    """A command.

    names      its name and short forms
    arguments  for people; [..] may be left out
    about      what it does, in a line
    carry_out  takes the session and the rest of the line. Errors: RetrosimError, ValueError
    repeats    does an empty line do it again?
    """

    names: tuple[str, ...]
    arguments: str
    about: str
    carry_out: Callable[[Session, str], Answer]
    repeats: bool = False


def answer(session: Session, line: str) -> Answer:
    """Carry out a line; "#" begins a comment. Errors: RetrosimError, ValueError, in one line."""
    if len(line) > MAX_LINE:
        raise ValueError(f"a line of {len(line)} characters: allowed 0..{MAX_LINE}")
    session.wanted.clear()
    session.machine.budget.begin()
    name, _, rest = line.strip().partition(" ")
    if not name or name.startswith("#"):
        return Answer()
    return found(session, name).carry_out(session, rest.strip())


def found(session: Session, name: str) -> Command:
    """Return a command by a name of it. Errors: ValueError."""
    command = BY_NAME.get(name)
    if command is None or not session.has(command.names[0]):
        near = did_you_mean(name, [each for each in BY_NAME if session.has(BY_NAME[each].names[0])])
        raise ValueError(f"{shortened(name)!r}: no command{near or '; `help` lists them'}")
    return command


def _help(session: Session, rest: str) -> Answer:
    if rest:
        command = found(session, rest)
        others = f" (also: {', '.join(command.names[1:])})" if command.names[1:] else ""
        return Answer([Text(f"{command.names[0]} {command.arguments}".strip() + others), Text(f"  {command.about}")])
    lines = []
    for title, commands in GROUPS.items():
        known = [each for each in commands if session.has(each.names[0])]
        lines += [Text(title, texts.TITLE)] if known else []
        for each in known:
            names = ", ".join(each.names)
            lines.append(Text(f"  {f'{names} {each.arguments}'.strip():40}  {each.about}"))
    lines.append(Text("WHERE: address, symbol, symbol+0x10, file.c:12, or an expression; `retrosim guide debugger`"))
    return Answer(lines)


def _quit(session: Session, rest: str) -> Answer:
    nothing_after(rest, "quit")
    return Answer(is_end=True)


def _moving(names: tuple[str, ...], about: str, go: Callable[[Session], Stop]) -> Command:
    """Return a command that moves the machine so many times, and is repeated by an empty line."""
    return Command(names, "[N]", about, moves(go), True)


GROUPS: dict[str, tuple[Command, ...]] = {
    "run": (
        _moving(
            ("step", "s"), "to another source line, also in what is called", lambda s: s.target.line_into(s.is_wanted)
        ),
        _moving(("next", "n"), "to another source line, over calls", lambda s: s.target.line_over(s.is_wanted)),
        Command(("stepi", "si"), "[N]", "instructions", step_instructions, True),
        _moving(("nexti", "ni", "over"), "instructions, over calls", lambda s: s.target.over(s.is_wanted)),
        _moving(("finish", "out"), "until the routine has returned", lambda s: s.target.out(s.is_wanted)),
        Command(("continue", "c"), "", "until something stops the machine; Ctrl-C does", go_on, True),
        Command(("run", "r"), "[N] [frames|instructions|clocks]", "for a while; default: 1 frame", run, True),
        Command(("until", "u", "advance"), "WHERE", "to a place", until),
    ),
    "back in time": (
        _moving(("reverse-next", "rn"), "to where a source line began", lambda s: s.target.line_back(s.is_wanted)),
        Command(("reverse-stepi", "rsi"), "[N]", "undo instructions", back_instructions, True),
        _moving(
            ("reverse-nexti", "rni"),
            "undo an instruction, a call as a whole",
            lambda s: s.interruptible(s.debugger.reverse_step_over),
        ),
        _moving(
            ("reverse-finish", "rf"),
            "to the call of the routine",
            lambda s: s.interruptible(s.debugger.reverse_step_out),
        ),
        Command(("reverse-continue", "rc"), "", "to what stopped the machine last", reverse_run, True),
        Command(("goto",), "INSTRUCTIONS", "to where so many had been executed since power-on", go_to),
    ),
    "stop": (
        Command(("break", "b"), "[WHERE] [if CONDITION]", "before an instruction", stopping.break_at(False)),
        Command(("tbreak", "tb"), "[WHERE] [if CONDITION]", "the same, once", stopping.break_at(True)),
        Command(("watch",), "WHERE[, BYTES] [if CONDITION]", "after memory was written", stopping.watch("write")),
        Command(("cwatch",), "WHERE[, BYTES] [if CONDITION]", "after memory was changed", stopping.watch("change")),
        Command(("rwatch",), "WHERE[, BYTES] [if CONDITION]", "after memory was read", stopping.watch("read")),
        Command(
            ("awatch",), "WHERE[, BYTES] [if CONDITION]", "after memory was read or written", stopping.watch("access")
        ),
        Command(("catch",), "EVENT [N] [if CONDITION]", f"at an event: {', '.join(EVENTS)}", stopping.catch),
        Command(("limit",), "ROUTINE, CLOCKS [if CONDITION]", "when a routine has run longer", stopping.limit),
        Command(("points", "i"), "", "what stops the machine, and hits", stopping.points),
        Command(("delete", "d"), "[NUMBER ..]", "delete some, or all", stopping.delete),
        Command(("enable",), "[NUMBER ..]", "let some, or all, stop again", stopping.enable(True)),
        Command(("disable",), "[NUMBER ..]", "let some, or all, not stop", stopping.enable(False)),
        Command(("ignore",), "NUMBER HITS", "let the next hits not stop", stopping.ignore),
    ),
    "look": (
        Command(("view", "v"), "", "everything: registers, code, stack, watch list, memory", looking.view),
        Command(("registers", "reg"), "[NAME]", "registers; * marks what has changed", looking.registers),
        Command(("code", "list", "l"), "[WHERE][, N]", "disassembly with clocks and source lines", looking.code),
        Command(("memory", "x"), "[WHERE[, BYTES]]", "memory; the view shows it from then on", looking.memory),
        Command(("stack", "bt"), "", "the routines under way", looking.stack),
        Command(("print", "p", "evaluate"), "EXPRESSION", "a value, such as d0+word[gCount]", looking.evaluate),
        Command(("display",), "[EXPRESSION]", "the watch list; add to it", looking.display),
        Command(("undisplay",), "[NUMBER ..]", "take some, or all, from the watch list", looking.undisplay),
        Command(("wrote",), "WHERE[, BYTES]", "which instruction wrote there last", looking.wrote),
        Command(
            ("stopwatch", "time"),
            "[WHERE, WHERE]",
            "clocks between two places, or since the last stopwatch",
            looking.stopwatch,
        ),
        Command(
            ("hot",),
            "[all]",
            "where the clocks since the last stop, or all, went: functions, sampled",
            looking.hot,
        ),
        Command(("clocks",), "", "clocks since power-on and since the last question", looking.clocks),
        Command(("causes",), "", "what those clocks went to; needs --causes", looking.causes),
        Command(("frame",), "", "the frame, and how much of its time is used", looking.frame),
    ),
    "change, keep": (
        Command(
            ("set",),
            "REGISTER|byte[..] = EXPRESSION",
            "change a register, or byte[], word[], long[] of memory",
            assign,
        ),
        Command(("save",), "FILE", "save the state of the machine in a new file", save),
        Command(("load",), "FILE", "go on from a saved state", load),
        Command(("picture",), "PNG", "write the screen to a new file", picture),
        Command(("reset",), "", "switch the machine off and on", reset),
        Command(("help", "h"), "[COMMAND]", "this list, or a command", _help),
        Command(("quit", "q"), "", "end; so does Ctrl-D", _quit),
    ),
}
BY_NAME = {name: command for commands in GROUPS.values() for command in commands for name in command.names}
