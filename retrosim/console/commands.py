"""The commands of the debugger, for the terminal, the window, gdb and editors.

Names and short forms are gdb's where gdb has them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from retrosim.checks import did_you_mean, shortened
from retrosim.machine.debug.points import EVENTS

from . import changing, looking, running, stopping, texts
from .answers import Answer, nothing_after

if TYPE_CHECKING:
    from retrosim.machine.debug import Stop

    from .session import Session

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
    nothing_after(session, rest, "quit")
    return Answer(is_end=True)


def _moving(names: tuple[str, ...], about: str, go: Callable[[Session], Stop]) -> Command:
    """Return a command that moves the machine so many times, and is repeated by an empty line."""
    return Command(names, "[N]", about, running.moves(go), True)


GROUPS: dict[str, tuple[Command, ...]] = {
    "run": (
        _moving(
            ("step", "s"), "to another source line, also in what is called", lambda s: s.target.line_into(s.is_wanted)
        ),
        _moving(("next", "n"), "to another source line, over calls", lambda s: s.target.line_over(s.is_wanted)),
        Command(("stepi", "si"), "[N]", "instructions", running.step_instructions, True),
        _moving(("nexti", "ni", "over"), "instructions, over calls", lambda s: s.target.over(s.is_wanted)),
        _moving(("finish", "out"), "until the routine has returned", lambda s: s.target.out(s.is_wanted)),
        Command(("continue", "c"), "", "until something stops the machine; Ctrl-C does", running.go_on, True),
        Command(("run", "r"), "[N] [frames|instructions|clocks]", "for a while; default: 1 frame", running.run, True),
        Command(("until", "u", "advance"), "WHERE", "to a place", running.until),
    ),
    "back in time": (
        _moving(("reverse-next", "rn"), "to where a source line began", lambda s: s.target.line_back(s.is_wanted)),
        Command(("reverse-stepi", "rsi"), "[N]", "undo instructions", running.back_instructions, True),
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
        Command(("reverse-continue", "rc"), "", "to what stopped the machine last", running.reverse_run, True),
        Command(("goto",), "INSTRUCTIONS", "to where so many had been executed since power-on", running.go_to),
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
            changing.assign,
        ),
        Command(("save",), "FILE", "save the state of the machine in a new file", changing.save),
        Command(("load",), "FILE", "go on from a saved state", changing.load),
        Command(("picture",), "PNG", "write the screen to a new file", changing.picture),
        Command(("reset",), "", "switch the machine off and on", changing.reset),
        Command(("help", "h"), "[COMMAND]", "this list, or a command", _help),
        Command(("quit", "q"), "", "end; so does Ctrl-D", _quit),
    ),
}
BY_NAME = {name: command for commands in GROUPS.values() for command in commands for name in command.names}
