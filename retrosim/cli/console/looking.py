"""Commands that show the machine, or change it while it stands still."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.text import Text

from retrosim.checks import check_choice
from retrosim.machine.debug import views

from . import texts
from .answers import Answer, needed, nothing_after, number_of

if TYPE_CHECKING:
    from .session import Session

MAX_CODE = 500  # instructions in an answer
CODE = 12  # instructions, if nobody says how many
HOT = 15  # functions


def registers(session: Session, rest: str) -> Answer:
    lines = session.registers()
    if rest:
        check_choice("register", rest, tuple(session.machine.regs))
        lines = [Text(f"{rest} = {texts.value_text(session.machine.regs[rest])}")]
    return Answer(lines)


def code(session: Session, rest: str) -> Answer:
    where, _, count = rest.partition(",")
    address = session.place(where.strip()) if where.strip() else session.machine.regs["pc"]
    number = number_of(session, count.strip(), "instructions", 1, MAX_CODE, CODE)
    return Answer(session.code(address, number))


def memory(session: Session, rest: str) -> Answer:
    if rest:
        place, size = session.sized_place(rest)
        session.look_at(session.debugger.resolve(place), size or 64)
    elif session.memory_area is None:
        raise ValueError("memory: a place is missing")
    return Answer(session.memory())


def stack(session: Session, rest: str) -> Answer:
    nothing_after(session, rest, "stack")
    return Answer(texts.stack_lines(session.debugger))


def evaluate(session: Session, rest: str) -> Answer:
    value = session.debugger.evaluate(needed(rest, "print: an expression"))
    return Answer([Text(texts.value_text(value))])


def assign(session: Session, rest: str) -> Answer:
    name, sign, text = rest.partition("=")
    if not sign or not name.strip() or text.startswith("="):
        raise ValueError("set: allowed REGISTER = EXPRESSION, byte[ADDRESS] = EXPRESSION, and word, long")
    name = name.strip()
    return Answer([Text(f"{name} = {texts.value_text(session.assign(name, text.strip()))}")], has_moved=name == "pc")


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
    found = session.debugger.last_write(place, size or 1)
    if found is None:
        return Answer([Text("nothing wrote there since the machine is being debugged")])
    change = f"{found.old.hex(' ') or '?'} -> {found.new.hex(' ')} at {found.address:#x}"
    at = f"instruction {found.time.instructions:,}, clock {found.time.clocks:,}, frame {found.time.frame:,}"
    where = f"  in {found.where}" if found.where else ""
    return Answer([Text(f"{found.text}{where}"), Text(f"{change}; goto {found.time.instructions}; {at}")])


def stopwatch(session: Session, rest: str) -> Answer:
    debugger, machine = session.debugger, session.machine
    if not rest:
        time, session.watch_started = views.elapsed(machine, session.watch_started, debugger.time), debugger.time
        return Answer([texts.elapsed_line(time)])
    first, _, second = (part.strip() for part in rest.partition(","))
    start, end = session.where(first), session.where(needed(second, "stopwatch: a second place, after a comma,"))
    session.mark()
    session.wanted.clear()
    stop = session.interruptible(lambda: debugger.until(start))
    if stop.reason == "until":
        session.watch_started = debugger.time
        stop = session.interruptible(lambda: debugger.until(end))
        if stop.reason == "until":
            time = views.elapsed(machine, session.watch_started, debugger.time)
            session.watch_started = debugger.time
            return Answer([texts.elapsed_line(time), texts.stop_line(stop)], stop, has_moved=True)
    return Answer([Text("something else stopped the machine"), texts.stop_line(stop)], stop, has_moved=True)


def hot(session: Session, rest: str) -> Answer:
    check_choice("hot", rest or "all", ("all",))
    start = None if rest else session.started.instructions
    rows = views.hottest(session.debugger, start)
    return Answer(texts.hot_lines(rows[:HOT]))


def view(session: Session, rest: str) -> Answer:
    nothing_after(session, rest, "view")
    lines: list[Text] = []
    for title, part in session.sections():
        lines += [texts.title_line(title), *part]
    return Answer(lines)


def monitor(name: str) -> Callable[[Session, str], Answer]:
    """Return a command that `monitor` of gdb has too."""

    def carry_out(session: Session, rest: str) -> Answer:
        said = session.monitor.answer(f"{name} {rest}")
        return Answer([Text(line) for line in said.splitlines()])

    return carry_out


def replaced(name: str) -> Callable[[Session, str], Answer]:
    """Return a command of `monitor` after which the machine stands elsewhere."""

    def carry_out(session: Session, rest: str) -> Answer:
        session.mark()
        session.monitor.answer(f"{name} {rest}")
        time = session.debugger.time
        at = f"instruction {time.instructions:,}, clock {time.clocks:,}, frame {time.frame:,}"
        return Answer([Text(at)], has_moved=True)

    return carry_out
