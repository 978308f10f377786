"""The kinds of values that options take; each refuses with what is allowed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

from retrosim.checks import MAX_SHOWN, did_you_mean

CLIPS = (".gif", ".apng", ".mp4")  # of retrosim.window.clip
MIN_PART = 3  # characters of a machine's name
OVERLAYS = ("shapes", "tested", "grid1", "grid2", "grid3", "grid4")  # what is usual, for suggestions


def _refuse(text: str, allowed: str) -> argparse.ArgumentTypeError:
    shown = text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
    return argparse.ArgumentTypeError(f"{shown!r}: allowed {allowed}")


def whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """Return a reader of whole numbers, decimal or 0x..., from `low` to `high`."""
    allowed = f"{low} or more" if high is None else f"{low}..{high}"

    def read(text: str) -> int:
        try:
            value = int(text, 16 if text.lower().startswith("0x") else 10)
        except ValueError:
            raise _refuse(text, f"a whole number, {allowed}") from None
        if value < low or (high is not None and value > high):
            raise _refuse(text, allowed)
        return value

    return read


def address(low: int, high: int) -> Callable[[str], int]:
    """Return a reader of addresses, which are refused in hexadecimal."""

    def read(text: str) -> int:
        try:
            return whole(low, high)(text)
        except argparse.ArgumentTypeError:
            raise _refuse(text, f"{low:#x}..{high:#x}") from None

    return read


def speed(text: str) -> Fraction:
    """Read one of the speeds that the window's keys choose from, as 2, 1/4 or 0.25."""
    from retrosim.window.pacer import SPEEDS

    try:
        value = Fraction(text[:MAX_SHOWN])
    except (ValueError, ZeroDivisionError):
        value = Fraction(0)
    if value not in SPEEDS:
        raise _refuse(text, ", ".join(map(str, SPEEDS)))
    return value


def assignment(text: str) -> tuple[str, int]:
    """Read NAME=N."""
    name, sign, number = text.partition("=")
    if not sign or not name:
        raise _refuse(text, "NAME=N")
    return name, whole(0, 2**32 - 1)(number)


def choice(text: str, allowed: str = "NAME=OPTION") -> tuple[str, str]:
    """Read NAME=OPTION; `allowed` is what a refusal calls it."""
    name, sign, option = text.partition("=")
    if not sign or not name or not option:
        raise _refuse(text, allowed)
    return name, option


def png(text: str) -> str:
    """Read the name of a picture to write."""
    if not text.lower().endswith(".png"):
        raise _refuse(text, "a name that ends in .png")
    return text


def clip(text: str) -> str:
    """Read the name of a clip to write."""
    if not text.endswith(CLIPS):
        raise _refuse(text, f"a name that ends in {', '.join(CLIPS)}")
    return text


def folder(text: str) -> str:
    """Read the name of a folder that exists."""
    try:
        is_there = Path(text).is_dir()
    except OSError:  # too long
        is_there = False
    if not is_there:
        raise _refuse(text, "a folder that exists")
    return text


def overlay(text: str) -> dict[str, int | bool]:
    """Read shapes,tested,gridN: the fields of a `screen.overlay.View` that are given; grid is grid1."""
    view: dict[str, int | bool] = {}
    for name in names(text):
        number = name.removeprefix("grid")
        if name in ("shapes", "tested"):
            view[name] = True
        elif number != name and number in ("", *"123456789"):
            view["grid"] = int(number or 1) - 1
        else:
            raise _refuse(name, f"shapes, tested, grid1, grid2, ... separated by commas{did_you_mean(name, OVERLAYS)}")
    return view


def names(text: str) -> list[str]:
    """Read NAME,NAME,..."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise _refuse(text, "names separated by commas")
    return list(dict.fromkeys(found))


def machine(text: str) -> str:
    """Read a machine's name, or a part that no other name has: 68040 for mc68040-25."""
    from retrosim.machine.presets import MACHINE_NAMES

    fitting = [name for name in MACHINE_NAMES if text.lower() in name]
    return fitting[0] if len(fitting) == 1 and len(text) >= MIN_PART else text


def machines(text: str) -> list[str]:
    """Read MACHINE,MACHINE:BUILD,..."""
    parts = [name.partition(":") for name in names(text)]
    return list(dict.fromkeys(f"{machine(name)}{colon}{build}" for name, colon, build in parts))


@contextmanager
def bad_arguments() -> Iterator[None]:
    """Turn a ValueError inside into a usage error: wrap only what looks at the user's arguments."""
    try:
        yield
    except ValueError as error:
        raise argparse.ArgumentError(None, str(error)) from error
