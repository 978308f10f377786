"""What a routine is called with: options of `cost` that say what is in registers and memory before the call."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from . import arguments, values
from .parser import Parser

if TYPE_CHECKING:
    from retrosim.machine import Machine

MAX_MEMORY_BYTES = 4096  # of --mem


def add_call(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument(
        "--arg",
        action="append",
        default=[],
        type=argument,
        metavar="N",
        help=f"an argument of the call, decimal, 0x... or a symbol for its address; {arguments.REPEATABLE}",
    )
    parser.add_argument(
        "--reg",
        action="append",
        default=[],
        type=_register,
        metavar="NAME=N",
        help="what is in a register at the call, such as a0=screen or d0=100, for code that takes its arguments "
        f"there; {arguments.REPEATABLE}",
    )
    parser.add_argument(
        "--mem",
        action="append",
        default=[],
        type=_memory,
        metavar="ADDRESS=HEX",
        help=f"write bytes before the call, such as 0x3000=00ff01 or table=0102; {arguments.REPEATABLE}",
    )
    parser.add_argument(
        "--load",
        action="append",
        default=[],
        type=_file,
        metavar="FILE@ADDRESS",
        help=f"write a file into memory before the call, at an address or a symbol; {arguments.REPEATABLE}",
    )
    parser.add_argument(
        "--before",
        action="append",
        default=[],
        metavar="SYMBOL",
        help=f"call this routine first, without arguments, and keep what it wrote; {arguments.REPEATABLE}",
    )
    parser.add_argument(
        "--convention",
        metavar="NAME",
        help="calling convention: c; 68K and real mode pascal; x86 regparm; for registers as on the Amiga use --reg",
    )


def argument(text: str) -> int | str | None:
    """Return an argument: a word, the name of a symbol, or None for one that may be any. Errors: ArgumentTypeError."""
    if text == "?":
        return None
    try:
        is_real = not math.isnan(float(text)) and not text.lstrip("+-").isdigit()
    except ValueError:
        is_real = False
    if is_real:
        reason = "a whole number: no machine here has an FPU, and a double is two words of 32 bits in memory order"
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: allowed {reason}")
    if text[:1].isalpha() or text[:1] in "_.@":
        return text
    return values.whole(-(2**31), 2**32 - 1)(text)


def _register(text: str) -> tuple[str, int | str]:
    name, value = values.choice(text, "REGISTER=N, or a symbol for its address, such as d0=100 or a0=screen")
    found = argument(value)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: allowed NAME=N")
    return name.lower(), found


def place(text: str) -> int | str:
    """Return an address, or the name of a symbol. Errors: ArgumentTypeError."""
    return values.whole(0, 2**24 - 1)(text) if text[:1].isdigit() else text


def _memory(text: str) -> tuple[int | str, bytes]:
    where, _, digits = text.rpartition("=")
    try:
        content = bytes.fromhex(digits)
    except ValueError:
        content = b""
    if not where or not 0 < len(content) <= MAX_MEMORY_BYTES:
        allowed = f"ADDRESS=HEX, 1..{MAX_MEMORY_BYTES} bytes of two hexadecimal digits; --load for files"
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: allowed {allowed}")
    return place(where), content


def _file(text: str) -> tuple[Path, int | str]:
    name, _, where = text.rpartition("@")
    if not name or not where:
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: allowed FILE@ADDRESS or FILE@SYMBOL")
    return Path(name), place(where)


def words(machine: Machine, given: list[int | str | None]) -> list[int | None]:
    """Return the arguments as words, symbols as their addresses. Errors: ValueError for an unknown symbol."""
    return [machine.address(each) if isinstance(each, str) else each for each in given]


def set_up(options: argparse.Namespace, machine: Machine) -> None:
    """Write what --mem and --load say, then call the routines of --before.

    Errors   RomError for a file; ValueError for an unknown symbol, and beyond memory; CpuFault, RetrosimError
    """
    from retrosim.cost.cost import prepare

    before = map(place, options.before)
    prepare(machine, files=options.load, memory=options.mem, before=before, max_instructions=options.max_instructions)
