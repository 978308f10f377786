"""What commands of the debugger say, and how they read their arguments. All errors are ValueErrors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from retrosim.checks import check_integer, shortened

from . import texts

if TYPE_CHECKING:
    from retrosim.machine.debug.points import Stop

    from .session import Session

MAX_COUNT = 1 << 40


@dataclass(frozen=True)
class Answer:
    """What a command says.

    lines      for people
    stop       why the machine stands where, if it has run
    has_moved  does the machine stand elsewhere now?
    is_end     does the session end?
    """

    lines: Sequence[Text] = ()
    stop: Stop | None = None
    has_moved: bool = False
    is_end: bool = False


def stopped(stop: Stop) -> Answer:
    return Answer([texts.stop_line(stop)], stop, has_moved=True)


def said(*lines: str) -> Answer:
    return Answer([Text(line) for line in lines])


def nothing_after(session: Session, rest: str, name: str) -> None:
    if rest:
        raise ValueError(f"{name} {shortened(rest)!r}: allowed {name} alone")


def number_of(session: Session, text: str, name: str, low: int, high: int, default: int) -> int:
    return check_integer(name, session.debugger.evaluate(text), low, high) if text else default


def conditional(rest: str) -> tuple[str, str | None]:
    """Return what stands before and after "if"."""
    before, word, condition = f" {rest} ".partition(" if ")
    if word and not condition.strip():
        raise ValueError("if: a condition is missing")
    return before.strip(), condition.strip() or None


def needed(text: str, what: str) -> str:
    if not text:
        raise ValueError(f"{what} is missing")
    return text
