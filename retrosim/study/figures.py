"""Figures as text: clocks with thousands apart, between which they are, and how warm the caches were."""

from __future__ import annotations

from retrosim.screen.overlay import counted


def grouped(value: float | None) -> str:
    """Return clocks as a whole number with its thousands apart, "-" for None."""
    return "-" if value is None else f"{value:,.0f}"


def between(low: float | None, high: float | None) -> str:
    """Return an interval, "-" where there is none."""
    return "-" if low is None or high is None else f"{low:,.0f} .. {high:,.0f}"


def warmth(calls: int) -> str:
    """Say how warm caches are after some calls of a routine before the one that counts."""
    if calls:
        return f"warm: {counted(calls, 'call')} before, with the same arguments"
    return "as the program has left them, empty if it has not run"
