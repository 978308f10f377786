"""Commands about what stops the machine: breakpoints, watchpoints, events, limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.text import Text

from retrosim.checks import check_choice
from retrosim.debug.points import EVENTS, Point

from .texts import MAX_COUNT, Answer, conditional, needed, nothing_after, number_of

if TYPE_CHECKING:
    from .session import Session


WATCHES = {"write": "watch", "change": "cwatch", "read": "rwatch", "access": "awatch"}


def command_of(point: Point) -> str:
    """Return the command that makes a point."""
    number = "" if point.parameter is None else f" {point.parameter}"
    words = {
        "breakpoint": f"{'tbreak' if point.temporary else 'break'} {point.where}",
        "watchpoint": f"{WATCHES.get(point.access, '')} {point.where}, {point.size}",
        "event": f"catch {point.event}{number}",
        "limit": f"limit {point.where},{number}",
    }[point.kind]
    return words + (f" if {point.condition.text}" if point.condition else "")


def break_at(is_temporary: bool) -> Callable[[Session, str], Answer]:
    def carry_out(session: Session, rest: str) -> Answer:
        where, condition = conditional(rest)
        place = session.where(where) if where else session.machine.regs["pc"]
        point = session.debugger.breakpoint(place, condition, temporary=is_temporary)
        at = ", ".join(session.debugger.describe(each) for each in point.addresses)
        return Answer([Text(f"{point}; at {at}")])

    return carry_out


def watch(access: str) -> Callable[[Session, str], Answer]:
    def carry_out(session: Session, rest: str) -> Answer:
        where, condition = conditional(rest)
        place, size = session.sized_place(needed(where, "watch: a place"))
        return Answer([Text(str(session.debugger.watchpoint(place, size or 1, access, condition)))])

    return carry_out


def catch(session: Session, rest: str) -> Answer:
    what, condition = conditional(rest)
    event, _, number = what.partition(" ")
    check_choice("event", event, EVENTS)
    value = session.debugger.evaluate(number) if number.strip() else None
    return Answer([Text(str(session.debugger.break_on(event, value, condition)))])


def limit(session: Session, rest: str) -> Answer:
    what, condition = conditional(rest)
    routine, _, clocks = what.partition(",")
    needed(clocks.strip(), "limit: a number of clocks, after a comma,")
    point = session.debugger.limit(session.where(routine.strip()), session.debugger.evaluate(clocks), condition)
    return Answer([Text(str(point))])


def points(session: Session, rest: str) -> Answer:
    nothing_after(rest, "points")
    return Answer(session.points() or [Text("nothing stops the machine: break, watch, catch, limit")])


def chosen_points(session: Session, rest: str) -> list[Point]:
    """Return points by their numbers, all if there are none. Errors: ValueError."""
    points = {str(point.number): point for point in session.debugger.points}
    for word in rest.split():
        check_choice("point", word, points)
    return [points[word] for word in rest.split()] or list(points.values())


def delete(session: Session, rest: str) -> Answer:
    chosen = chosen_points(session, rest)
    for point in dict.fromkeys(chosen):
        session.debugger.remove(point)
    return Answer([Text(f"{len(set(chosen))} deleted")])


def enable(is_on: bool) -> Callable[[Session, str], Answer]:
    def carry_out(session: Session, rest: str) -> Answer:
        chosen = chosen_points(session, rest)
        for point in chosen:
            session.debugger.enable(point, is_on)
        return Answer([Text(str(point)) for point in chosen])

    return carry_out


def ignore(session: Session, rest: str) -> Answer:
    number, _, count = rest.partition(" ")
    (point,) = chosen_points(session, needed(number, "ignore: the number of a point"))
    hits = number_of(session.debugger, count.strip(), "hits", 0, MAX_COUNT, 0)
    point.ignore = point.hits + hits
    return Answer([Text(f"{point}; the next {hits} hits do not stop")])
