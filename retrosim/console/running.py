"""Commands that run the machine, or take it back in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from retrosim.checks import check_choice

from .answers import MAX_COUNT, Answer, needed, nothing_after, number_of, stopped

if TYPE_CHECKING:
    from retrosim.machine.debug.points import Stop

    from .session import Session

UNITS = ("frames", "instructions", "clocks")


def moves(go: Callable[[Session], Stop]) -> Callable[[Session, str], Answer]:
    """Return a command that moves the machine: so many times as is asked for, or until something else stops it."""

    def carry_out(session: Session, rest: str) -> Answer:
        count = number_of(session, rest, "times", 1, MAX_COUNT, 1)

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
    count = number_of(session, rest, "instructions", 1, MAX_COUNT, 1)
    return stopped(session.run(lambda: session.interruptible(lambda: session.debugger.step(count))))


def back_instructions(session: Session, rest: str) -> Answer:
    count = number_of(session, rest, "instructions", 1, MAX_COUNT, 1)
    return stopped(session.run(lambda: session.interruptible(lambda: session.debugger.reverse_step(count))))


def go_on(session: Session, rest: str) -> Answer:
    nothing_after(session, rest, "continue")
    return stopped(session.run(lambda: session.target.run(session.is_wanted)))


def run(session: Session, rest: str) -> Answer:
    number, _, unit = rest.partition(" ")
    unit = unit.strip() or UNITS[0]
    unit = f"{unit}s" if f"{unit}s" in UNITS else unit
    check_choice("unit", unit, UNITS)
    count = number_of(session, number, unit, 1, MAX_COUNT, 1)
    return stopped(session.run(lambda: session.interruptible(lambda: session.debugger.run(**{unit: count}))))


def until(session: Session, rest: str) -> Answer:
    where = session.where(needed(rest, "until: a place"))
    return stopped(session.run(lambda: session.interruptible(lambda: session.debugger.until(where))))


def reverse_run(session: Session, rest: str) -> Answer:
    nothing_after(session, rest, "reverse-continue")
    return stopped(session.run(lambda: session.target.run_back(session.is_wanted)))


def go_to(session: Session, rest: str) -> Answer:
    instructions = number_of(session, needed(rest, "goto: a number of instructions"), "instructions", 0, MAX_COUNT, 0)
    return stopped(session.run(lambda: session.interruptible(lambda: session.debugger.go_to(instructions))))
