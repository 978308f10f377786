"""Checks of single values: each refuses with the value and what is allowed."""

from __future__ import annotations

from operator import index


def check(what: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a word that is not one of `allowed`. Errors: ValueError."""
    if value not in allowed:
        raise ValueError(f"{what} {value!r}: allowed {', '.join(allowed)}")


def whole(what: str, value: int, minimum: int, maximum: int | None = None) -> int:
    """Return a whole number, of Python or NumPy, within its range. Errors: ValueError."""
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is not None and number >= minimum and (maximum is None or number <= maximum):
        return number
    allowed = f"allowed {minimum} or more" if maximum is None else f"allowed {minimum}..{maximum}"
    if number is None:
        raise ValueError(f"{what} {value!r}: {allowed}, a whole number")
    raise ValueError(f"{what} {number}: {allowed}")
