"""The commands of the debugger, for the terminal, the window, gdb and editors.

Names and short forms are gdb's where gdb has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.text import Text

from retrosim.checks import check_choice, did_you_mean, shortened
from retrosim.debug import views
from retrosim.debug.points import EVENTS, Point
from retrosim.machine.state_file import MAX_STATE_BYTES
from retrosim.reading import read_file
from retrosim.report.files import write_file
from retrosim.screen.png import png_bytes

from . import panes, texts
from .session import ConsoleSession
from .texts import MAX_COUNT, Reply, conditional, needed, nothing_after, number_of, said, stopped

if TYPE_CHECKING:
    from retrosim.debug.points import Stop

    from .session import ConsoleSession
    from .target import IsWanted, Target


# Commands that show the machine.

MAX_CODE = 500  # instructions in an answer
CODE = 12  # instructions, if nobody says how many
HOT = 15  # functions
MAX_STACK = 64  # routines in an answer
CODE_BEFORE, CODE_AFTER, VIEW_STACK = 4, 10, 12  # instructions and routines of the view


def registers(session: ConsoleSession, rest: str) -> Reply:
    lines = session.registers()
    if rest:
        check_choice("register", rest, tuple(session.machine.regs))
        lines = [Text(f"{rest} = {texts.value_text(session.machine.regs[rest])}")]
    return Reply(lines)


def code(session: ConsoleSession, rest: str) -> Reply:
    where, _, count = rest.partition(",")
    address = session.place(where.strip()) if where.strip() else session.machine.regs["pc"]
    number = number_of(session.debugger, count.strip(), "instructions", 1, MAX_CODE, CODE)
    return Reply(session.code(address, number))


def memory(session: ConsoleSession, rest: str) -> Reply:
    if rest:
        place, size = session.sized_place(rest)
        session.look_at(session.debugger.resolve(place), size or 64)
    elif session.memory_area is None:
        raise ValueError("memory: a place is missing")
    return Reply(session.memory())


def stack(session: ConsoleSession, rest: str) -> Reply:
    return said(*(line.text for line in panes.stack(session.debugger, MAX_STACK)))


def evaluate(session: ConsoleSession, rest: str) -> Reply:
    value = session.debugger.evaluate(needed(rest, "print: an expression"))
    return Reply([Text(texts.value_text(value))])


def display(session: ConsoleSession, rest: str) -> Reply:
    if rest:
        session.debugger.evaluate(rest)
        session.displays[max(session.displays, default=0) + 1] = rest
    return Reply(session.watch_list() or [Text("the watch list is empty: display EXPRESSION")])


def undisplay(session: ConsoleSession, rest: str) -> Reply:
    known = {str(number): number for number in session.displays}
    words = rest.split()
    for word in words:
        check_choice("number", word, known)
    for word in words or known:
        session.displays.pop(known[word], None)
    return Reply(session.watch_list())


def wrote(session: ConsoleSession, rest: str) -> Reply:
    place, size = session.sized_place(needed(rest, "wrote: a place"))
    found = session.interruptible(lambda: session.debugger.last_write(place, size or 1))
    if found is None:
        return Reply([Text("nothing wrote there since the machine is being debugged")])
    change = f"{found.old.hex(' ') or '?'} -> {found.new.hex(' ')} at {found.address:#x}"
    where = f"  in {found.where}" if found.where else ""
    return Reply(
        [Text(f"{found.text}{where}"), Text(f"{change}; goto {found.time.instructions}; {texts.time_text(found.time)}")]
    )


def stopwatch(session: ConsoleSession, rest: str) -> Reply:
    debugger, machine = session.debugger, session.machine
    if not rest:
        time, session.watch_started = views.elapsed(machine, session.watch_started, debugger.time), debugger.time
        return Reply([texts.elapsed_line(time)])
    first, _, second = (part.strip() for part in rest.partition(","))
    start, end = session.where(first), session.where(needed(second, "stopwatch: a second place, after a comma,"))
    session.mark()
    stop = session.interruptible(lambda: debugger.until(start))
    if _is_at(session, start, stop):
        session.watch_started = debugger.time
        stop = session.interruptible(lambda: debugger.until(end))
        if _is_at(session, end, stop):
            time = views.elapsed(machine, session.watch_started, debugger.time)
            session.watch_started, session.measured = debugger.time, (rest, time)
            return Reply([texts.elapsed_line(time), texts.stop_line(stop)], stop, has_moved=True)
    return Reply([Text("something else stopped the machine"), texts.stop_line(stop)], stop, has_moved=True)


def _is_at(session: ConsoleSession, where: int | str, stop: Stop) -> bool:
    """Has a run to a place come there, be it that a breakpoint is there too?"""
    return stop.reason == "until" or (stop.reason == "breakpoint" and stop.pc in session.debugger.resolve_all(where))


def hot(session: ConsoleSession, rest: str) -> Reply:
    check_choice("hot", rest or "all", ("all",))
    start = None if rest else session.started.instructions
    rows = session.interruptible(lambda: views.hottest(session.debugger, start))
    return Reply(texts.hot_lines(rows[:HOT]))


def view(session: ConsoleSession, rest: str) -> Reply:
    lines: list[Text] = []
    for title, part in sections(session):
        lines += [texts.title_line(title, session.width), *part]
    return Reply(lines)


def clocks(session: ConsoleSession, rest: str) -> Reply:
    machine, (cycles, instructions) = session.machine, session.asked
    session.asked = (machine.cycles, machine.instructions)
    seconds = machine.cycles / machine.clock_hz
    return said(
        f"{machine.cycles:,} clocks, {machine.instructions:,} instructions, {seconds:.6f} s since power-on",
        f"{machine.cycles - cycles:,} clocks, {machine.instructions - instructions:,} instructions "
        "since the last question",
    )


def causes(session: ConsoleSession, rest: str) -> Reply:
    rows = views.causes(session.machine, session.causes_before)
    session.causes_before = views.counted_causes(session.machine)
    return Reply(texts.cause_lines(rows) or [Text("no clocks since the last question")])


def frame(session: ConsoleSession, rest: str) -> Reply:
    machine = session.machine
    period = float(machine.clock_hz / machine.frame_hz)
    into, last = machine.clocks_in_frame, machine.frame_cycles
    lines = [f"frame {machine.frame_number:,}: {into:,} clocks so far, {100 * into / period:.1f} % of a period"]
    if machine.frame_number:
        lines.append(f"the one before: {last:,} clocks, {100 * last / period:.1f} %")
    return said(*lines)


def sections(session: ConsoleSession) -> Iterator[tuple[str, list[Text]]]:
    """Yield (title, lines) of the whole view of a session; what has no lines is left out."""
    parts = [
        ("registers", session.registers()),
        ("code", session.code_here(CODE_AFTER, CODE_BEFORE)),
        ("stack", [Text(line.text) for line in panes.stack(session.debugger, VIEW_STACK)]),
        ("watch list", session.watch_list()),
        ("memory", session.memory()),
    ]
    yield from ((title, lines) for title, lines in parts if lines)


# Commands about what stops the machine: breakpoints, watchpoints, events, limits.


def command_of(point: Point) -> str:
    """Return the command that makes a point."""
    return point.command + (f" if {point.condition.text}" if point.condition else "")


def break_at(is_temporary: bool) -> Callable[[ConsoleSession, str], Reply]:
    def carry_out(session: ConsoleSession, rest: str) -> Reply:
        where, condition = conditional(rest)
        place = session.where(where) if where else session.machine.regs["pc"]
        point = session.debugger.breakpoint(place, condition, temporary=is_temporary)
        at = ", ".join(session.debugger.describe(each) for each in point.addresses)
        return Reply([Text(f"{point}; at {at}")])

    return carry_out


def watch(access: str) -> Callable[[ConsoleSession, str], Reply]:
    def carry_out(session: ConsoleSession, rest: str) -> Reply:
        where, condition = conditional(rest)
        place, size = session.sized_place(needed(where, "watch: a place"))
        return Reply([Text(str(session.debugger.watchpoint(place, size or 1, access, condition)))])

    return carry_out


def catch(session: ConsoleSession, rest: str) -> Reply:
    what, condition = conditional(rest)
    event, _, number = what.partition(" ")
    check_choice("event", event, EVENTS)
    value = session.debugger.evaluate(number) if number.strip() else None
    return Reply([Text(str(session.debugger.break_on(event, value, condition)))])


def limit(session: ConsoleSession, rest: str) -> Reply:
    what, condition = conditional(rest)
    routine, _, clocks = what.partition(",")
    needed(clocks.strip(), "limit: a number of clocks, after a comma,")
    point = session.debugger.limit(session.where(routine.strip()), session.debugger.evaluate(clocks), condition)
    return Reply([Text(str(point))])


def points(session: ConsoleSession, rest: str) -> Reply:
    lines = [str(point) for point in session.debugger.points]
    return said(*(lines or ["nothing stops the machine: break, watch, catch, limit"]))


def chosen_points(session: ConsoleSession, rest: str) -> list[Point]:
    """Return points by their numbers, all if there are none. Errors: ValueError."""
    points = {str(point.number): point for point in session.debugger.points}
    for word in rest.split():
        check_choice("point", word, points)
    return [points[word] for word in rest.split()] or list(points.values())


def delete(session: ConsoleSession, rest: str) -> Reply:
    chosen = chosen_points(session, rest)
    for point in dict.fromkeys(chosen):
        session.debugger.remove(point)
    return Reply([Text(f"{len(set(chosen))} deleted")])


def enable(is_on: bool) -> Callable[[ConsoleSession, str], Reply]:
    def carry_out(session: ConsoleSession, rest: str) -> Reply:
        chosen = chosen_points(session, rest)
        for point in chosen:
            session.debugger.enable(point, is_on)
        return Reply([Text(str(point)) for point in chosen])

    return carry_out


def ignore(session: ConsoleSession, rest: str) -> Reply:
    number, _, count = rest.partition(" ")
    (point,) = chosen_points(session, needed(number, "ignore: the number of a point"))
    hits = number_of(session.debugger, count.strip(), "hits", 0, MAX_COUNT, 0)
    point.ignore = point.hits + hits
    return Reply([Text(f"{point}; the next {hits} hits do not stop")])


# Commands that change the machine while it stands still, or keep what it is: registers, memory, saved states.


def assign(session: ConsoleSession, rest: str) -> Reply:
    name, sign, text = rest.partition("=")
    if not sign or not name.strip() or text.startswith("="):
        raise ValueError("set: allowed REGISTER = EXPRESSION, byte[ADDRESS] = EXPRESSION, and word, long")
    name = name.strip()
    return Reply([Text(f"{name} = {texts.value_text(session.assign(name, text.strip()))}")], has_moved=name == "pc")


def save(session: ConsoleSession, rest: str) -> Reply:
    return _written(needed(rest, "save: a file"), session.machine.save())


def picture(session: ConsoleSession, rest: str) -> Reply:
    machine = session.machine
    return _written(needed(rest, "picture: a file"), png_bytes(machine.frame, machine.palette))


def load(session: ConsoleSession, rest: str) -> Reply:
    name = needed(rest, "load: a file")
    state = read_file(name, MAX_STATE_BYTES)
    session.mark()
    session.target.load(state)
    return _elsewhere(session)


def reset(session: ConsoleSession, rest: str) -> Reply:
    session.mark()
    session.target.reset()
    return _elsewhere(session)


def _elsewhere(session: ConsoleSession) -> Reply:
    return Reply([Text(texts.time_text(session.debugger.time))], has_moved=True)


def _written(name: str, content: bytes) -> Reply:
    """Write a new file. Errors: RetrosimError if it exists or cannot be written."""
    write_file(Path(name), content)
    return said(f"{name}: {len(content):,} bytes")


# Commands that run the machine, or take it back in time.

UNITS = ("frames", "instructions", "clocks")


def moves(go: Callable[[ConsoleSession], Stop]) -> Callable[[ConsoleSession, str], Reply]:
    """Return a command that moves the machine: so many times as is asked for, or until something else stops it."""

    def carry_out(session: ConsoleSession, rest: str) -> Reply:
        count = number_of(session.debugger, rest, "times", 1, MAX_COUNT, 1)

        def repeated() -> Stop:
            stop = go(session)
            for _ in range(count - 1):
                if stop.reason != "step" or session.is_wanted():
                    break
                stop = go(session)
            return stop

        return stopped(session.run(repeated))

    return carry_out


def moved(session: ConsoleSession, go: Callable[[], Stop]) -> Reply:
    """Move the machine, unless the user wants it back before."""
    return stopped(session.run(lambda: session.interruptible(go)))


def step_instructions(session: ConsoleSession, rest: str) -> Reply:
    count = number_of(session.debugger, rest, "instructions", 1, MAX_COUNT, 1)
    return moved(session, lambda: session.debugger.step(count))


def back_instructions(session: ConsoleSession, rest: str) -> Reply:
    count = number_of(session.debugger, rest, "instructions", 1, MAX_COUNT, 1)
    return moved(session, lambda: session.debugger.reverse_step(count))


def go_on(session: ConsoleSession, _: str) -> Reply:
    return stopped(session.run(lambda: session.target.run(session.is_wanted)))


def run(session: ConsoleSession, rest: str) -> Reply:
    number, _, unit = rest.partition(" ")
    unit = unit.strip() or UNITS[0]
    unit = f"{unit}s" if f"{unit}s" in UNITS else unit
    check_choice("unit", unit, UNITS)
    count = number_of(session.debugger, number, unit, 1, MAX_COUNT, 1)
    return moved(session, lambda: session.debugger.run(**{unit: count}))


def until(session: ConsoleSession, rest: str) -> Reply:
    where = session.where(needed(rest, "until: a place"))
    return moved(session, lambda: session.debugger.until(where))


def reverse_run(session: ConsoleSession, _: str) -> Reply:
    return moved(session, session.debugger.reverse_run)


def go_to(session: ConsoleSession, rest: str) -> Reply:
    text = needed(rest, "goto: a number of instructions")
    instructions = number_of(session.debugger, text, "instructions", 0, MAX_COUNT, 0)
    return moved(session, lambda: session.debugger.go_to(instructions))


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
    carry_out: Callable[[ConsoleSession, str], Reply]
    repeats: bool = False


ABOUT_COLUMN, MIN_ABOUT = 44, 30  # of the list of commands: where it says what they do, and columns for that


def answer(session: ConsoleSession, line: str) -> Reply:
    """Carry out a line; "#" begins a comment. Errors: RetrosimError, ValueError, in one line."""
    if len(line) > MAX_LINE:
        raise ValueError(f"a line of {len(line)} characters: allowed 0..{MAX_LINE}")
    session.wanted.clear()
    session.machine.budget.begin()
    name, _, rest = line.strip().partition(" ")
    if not name or name.startswith("#"):
        return Reply()
    command = found(session, name)
    if not command.arguments:
        nothing_after(rest.strip(), command.names[0])
    return command.carry_out(session, rest.strip())


def found(session: ConsoleSession, name: str) -> Command:
    """Return a command by a name of it. Errors: ValueError."""
    command = BY_NAME.get(name)
    if command is None or not session.has(command.names[0]):
        near = did_you_mean(name, [each for each in BY_NAME if session.has(BY_NAME[each].names[0])])
        raise ValueError(f"{shortened(name)!r}: no command{near or '; `help` lists them'}")
    return command


def _help(session: ConsoleSession, rest: str) -> Reply:
    if rest:
        command = found(session, rest)
        others = f" (also: {', '.join(command.names[1:])})" if command.names[1:] else ""
        return Reply([Text(f"{command.names[0]} {command.arguments}".strip() + others), Text(f"  {command.about}")])
    lines = []
    for title, commands in GROUPS.items():
        known = [each for each in commands if session.has(each.names[0])]
        lines += [Text(title, texts.TITLE)] if known else []
        for each in known:
            lines += _help_rows(f"{', '.join(each.names)} {each.arguments}".strip(), each.about, session.width)
    where = "WHERE: address, symbol, symbol+0x10, file.c:12, or an expression; `retrosim guide debugger`"
    return Reply(lines + [Text(row) for row in wrap(where, max(MIN_ABOUT, session.width))])


def _help_rows(command: str, about: str, width: int) -> list[Text]:
    """Return a command and what it does, beside each other; in a narrow terminal below each other."""
    indent = ABOUT_COLUMN if width >= ABOUT_COLUMN + MIN_ABOUT else 6
    rows = wrap(about, max(MIN_ABOUT, width - indent))
    first = [f"  {command}"] if indent < ABOUT_COLUMN else [f"  {command:{indent - 2}}{rows.pop(0)}"]
    return [Text(row) for row in first + [" " * indent + row for row in rows]]


def _quit(session: ConsoleSession, rest: str) -> Reply:
    return Reply(is_end=True)


def _moving(names: tuple[str, ...], about: str, go: Callable[[ConsoleSession], Stop]) -> Command:
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
        Command(("break", "b"), "[WHERE] [if CONDITION]", "before an instruction", break_at(False)),
        Command(("tbreak", "tb"), "[WHERE] [if CONDITION]", "the same, once", break_at(True)),
        Command(("watch",), "WHERE[, BYTES] [if CONDITION]", "after memory was written", watch("write")),
        Command(("cwatch",), "WHERE[, BYTES] [if CONDITION]", "after memory was changed", watch("change")),
        Command(("rwatch",), "WHERE[, BYTES] [if CONDITION]", "after memory was read", watch("read")),
        Command(("awatch",), "WHERE[, BYTES] [if CONDITION]", "after memory was read or written", watch("access")),
        Command(("catch",), "EVENT [N] [if CONDITION]", f"at an event: {', '.join(EVENTS)}", catch),
        Command(("limit",), "ROUTINE, CLOCKS [if CONDITION]", "when a routine has run longer", limit),
        Command(("points", "i"), "", "what stops the machine, and hits", points),
        Command(("delete", "d"), "[NUMBER ..]", "delete some, or all", delete),
        Command(("enable",), "[NUMBER ..]", "let some, or all, stop again", enable(True)),
        Command(("disable",), "[NUMBER ..]", "let some, or all, not stop", enable(False)),
        Command(("ignore",), "NUMBER HITS", "let the next hits not stop", ignore),
    ),
    "look": (
        Command(("view", "v"), "", "everything: registers, code, stack, watch list, memory", view),
        Command(("registers", "reg"), "[NAME]", "registers; * marks what has changed", registers),
        Command(("code", "list", "l"), "[WHERE][, N]", "disassembly with clocks and source lines", code),
        Command(("memory", "x"), "[WHERE[, BYTES]]", "memory; the view shows it from then on", memory),
        Command(("stack", "bt"), "", "the routines under way", stack),
        Command(("print", "p", "evaluate"), "EXPRESSION", "a value, such as d0+word[gCount]", evaluate),
        Command(("display",), "[EXPRESSION]", "the watch list; add to it", display),
        Command(("undisplay",), "[NUMBER ..]", "take some, or all, from the watch list", undisplay),
        Command(("wrote",), "WHERE[, BYTES]", "which instruction wrote there last", wrote),
        Command(
            ("stopwatch", "time"), "[WHERE, WHERE]", "clocks between two places, or since the last stopwatch", stopwatch
        ),
        Command(("hot",), "[all]", "where the clocks since the last stop, or all, went: functions, sampled", hot),
        Command(("clocks",), "", "clocks since power-on and since the last question", clocks),
        Command(("causes",), "", "what those clocks went to; needs --causes", causes),
        Command(("frame",), "", "the frame, and how much of its time is used", frame),
    ),
    "change, keep": (
        Command(
            ("set",), "REGISTER|byte[..] = EXPRESSION", "change a register, or byte[], word[], long[] of memory", assign
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


# The commands that other debuggers pass on: `monitor ...` in gdb, and in the console of an editor.
#
# They have their own commands for what runs the machine and changes its registers; what only ours have is here.

RUNNING = ("run", "back in time")  # groups of commands
LEFT_OUT = frozenset(
    {command.names[0] for group in RUNNING for command in GROUPS[group]} | {"stopwatch", "set", "view", "quit"}
)
PASSED_ON = frozenset(
    name
    for group in GROUPS.values()
    for command in group
    for name in command.names
    if command.names[0] not in LEFT_OUT and len(name) > 2
)
"""What an editor's console takes for a command and not for an expression."""


class Monitor:
    """Answers lines with text."""

    def __init__(self, target: Target, is_wanted: IsWanted) -> None:
        self._session = ConsoleSession(target, is_wanted=is_wanted, left_out=LEFT_OUT)

    def answer(self, line: str) -> str:
        """Carry out a line; return text that ends with a line feed. Errors: RetrosimError, ValueError."""
        said = answer(self._session, line if line.strip() else "help")
        lines = [text.plain for text in said.lines]
        if said.has_moved:
            lines.append("gdb: `maintenance flush register-cache` shows the registers")
        return "".join(f"{text}\n" for text in lines)
