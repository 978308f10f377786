"""Commands that show the machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from retrosim.checks import check_choice
from retrosim.debug import views

from . import panes, texts
from .texts import Answer, needed, nothing_after, number_of, said

if TYPE_CHECKING:
    from retrosim.debug import Stop

    from .session import Session

MAX_CODE = 500  # instructions in an answer
CODE = 12  # instructions, if nobody says how many
HOT = 15  # functions
MAX_STACK = 64  # routines in an answer
CODE_BEFORE, CODE_AFTER, VIEW_STACK = 4, 10, 12  # instructions and routines of the view


def registers(session: Session, rest: str) -> Answer:
    lines = session.registers()
    if rest:
        check_choice("register", rest, tuple(session.machine.regs))
        lines = [Text(f"{rest} = {texts.value_text(session.machine.regs[rest])}")]
    return Answer(lines)


def code(session: Session, rest: str) -> Answer:
    where, _, count = rest.partition(",")
    address = session.place(where.strip()) if where.strip() else session.machine.regs["pc"]
    number = number_of(session.debugger, count.strip(), "instructions", 1, MAX_CODE, CODE)
    return Answer(session.code(address, number))


def memory(session: Session, rest: str) -> Answer:
    if rest:
        place, size = session.sized_place(rest)
        session.look_at(session.debugger.resolve(place), size or 64)
    elif session.memory_area is None:
        raise ValueError("memory: a place is missing")
    return Answer(session.memory())


def stack(session: Session, rest: str) -> Answer:
    nothing_after(rest, "stack")
    return said(*(line.text for line in panes.stack(session.debugger, MAX_STACK)))


def evaluate(session: Session, rest: str) -> Answer:
    value = session.debugger.evaluate(needed(rest, "print: an expression"))
    return Answer([Text(texts.value_text(value))])


def display(session: Session, rest: str) -> Answer:
    if rest:
        session.debugger.evaluate(rest)
        session.displays[max(session.displays, default=0) + 1] = rest
    return Answer(session.watch_list() or [Text("the watch list is empty: display EXPRESSION")])


def undisplay(session: Session, rest: str) -> Answer:
    known = {str(number): number for number in session.displays}
    words = rest.split()
    for word in words:
        check_choice("number", word, known)
    for word in words or known:
        session.displays.pop(known[word], None)
    return Answer(session.watch_list())


def wrote(session: Session, rest: str) -> Answer:
    place, size = session.sized_place(needed(rest, "wrote: a place"))
    found = session.interruptible(lambda: session.debugger.last_write(place, size or 1))
    if found is None:
        return Answer([Text("nothing wrote there since the machine is being debugged")])
    change = f"{found.old.hex(' ') or '?'} -> {found.new.hex(' ')} at {found.address:#x}"
    where = f"  in {found.where}" if found.where else ""
    return Answer(
        [Text(f"{found.text}{where}"), Text(f"{change}; goto {found.time.instructions}; {texts.time_text(found.time)}")]
    )


def stopwatch(session: Session, rest: str) -> Answer:
    debugger, machine = session.debugger, session.machine
    if not rest:
        time, session.watch_started = views.elapsed(machine, session.watch_started, debugger.time), debugger.time
        return Answer([texts.elapsed_line(time)])
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
            return Answer([texts.elapsed_line(time), texts.stop_line(stop)], stop, has_moved=True)
    return Answer([Text("something else stopped the machine"), texts.stop_line(stop)], stop, has_moved=True)


def _is_at(session: Session, where: int | str, stop: Stop) -> bool:
    """Has a run to a place come there, be it that a breakpoint is there too?"""
    return stop.reason == "until" or (stop.reason == "breakpoint" and stop.pc in session.debugger.resolve_all(where))


def hot(session: Session, rest: str) -> Answer:
    check_choice("hot", rest or "all", ("all",))
    start = None if rest else session.started.instructions
    rows = session.interruptible(lambda: views.hottest(session.debugger, start))
    return Answer(texts.hot_lines(rows[:HOT]))


def view(session: Session, rest: str) -> Answer:
    nothing_after(rest, "view")
    lines: list[Text] = []
    for title, part in sections(session):
        lines += [texts.title_line(title, session.width), *part]
    return Answer(lines)


def clocks(session: Session, rest: str) -> Answer:
    nothing_after(rest, "clocks")
    machine, (cycles, instructions) = session.machine, session.asked
    session.asked = (machine.cycles, machine.instructions)
    seconds = machine.cycles / machine.clock_hz
    return said(
        f"{machine.cycles:,} clocks, {machine.instructions:,} instructions, {seconds:.6f} s since power-on",
        f"{machine.cycles - cycles:,} clocks, {machine.instructions - instructions:,} instructions "
        "since the last question",
    )


def causes(session: Session, rest: str) -> Answer:
    nothing_after(rest, "causes")
    rows = views.causes(session.machine, session.causes_before)
    session.causes_before = views.counted_causes(session.machine)
    return Answer(texts.cause_lines(rows) or [Text("no clocks since the last question")])


def frame(session: Session, rest: str) -> Answer:
    nothing_after(rest, "frame")
    machine = session.machine
    period = float(machine.clock_hz / machine.frame_hz)
    into, last = machine.clocks_in_frame, machine.frame_cycles
    lines = [f"frame {machine.frame_number:,}: {into:,} clocks so far, {100 * into / period:.1f} % of a period"]
    if machine.frame_number:
        lines.append(f"the one before: {last:,} clocks, {100 * last / period:.1f} %")
    return said(*lines)


def sections(session: Session) -> Iterator[tuple[str, list[Text]]]:
    """Yield (title, lines) of the whole view of a session; what has no lines is left out."""
    parts = [
        ("registers", session.registers()),
        ("code", session.code_here(CODE_AFTER, CODE_BEFORE)),
        ("stack", [Text(line.text) for line in panes.stack(session.debugger, VIEW_STACK)]),
        ("watch list", session.watch_list()),
        ("memory", session.memory()),
    ]
    yield from ((title, lines) for title, lines in parts if lines)
