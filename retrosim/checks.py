"""Checks of single values: each refuses with the value and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index

MAX_SHOWN = 40  # characters of a refused word
SIMILAR = 0.65  # of the letters of two words, in their order


def check_choice(what: str, value: str, allowed: Iterable[str], where: str = "") -> None:
    """Refuse a word that is not one of `allowed`.

    where    follows the list in the message: " on mc68040-25"
    Errors   ValueError
    """
    names = tuple(allowed)
    if not isinstance(value, str) or value not in names:
        text = str(value)  # whatever it is
        raise ValueError(
            f"{what} {shortened(text)!r}: allowed {', '.join(names) or 'none'}{where}{did_you_mean(text, names)}"
        )


def shortened(text: str) -> str:
    """Return the beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_SHOWN else f"{line[:MAX_SHOWN]}..."


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean NAME?" with the known name that a word resembles most, or "" if it resembles none."""
    from difflib import get_close_matches  # only needed for a mistake

    by_letters = {name.lower().lstrip("-"): name for name in known}  # the dashes of options would make all alike
    near = get_close_matches(word[:MAX_SHOWN].lower().lstrip("-"), by_letters, 1, SIMILAR)
    return f"; did you mean {by_letters[near[0]]}?" if near else ""


def check_integer(what: str, value: int, minimum: int, maximum: int | None = None) -> int:
    """Return a whole number, of Python or NumPy, within its range. Errors: ValueError."""
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is not None and number >= minimum and (maximum is None or number <= maximum):
        return number
    allowed = f"allowed {minimum} or more" if maximum is None else f"allowed {minimum}..{maximum}"
    if number is None:
        raise ValueError(f"{what} {shortened(repr(value))}: {allowed}, a whole number")
    raise ValueError(f"{what} {number}: {allowed}")
