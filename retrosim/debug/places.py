"""Places of a program as one names them: addresses, symbols, source lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retrosim.checks import check_integer, did_you_mean
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.rom import Image

if TYPE_CHECKING:
    from collections.abc import Iterable

_NUMBER = re.compile(r"(0[xX]|\$)([0-9a-fA-F]{1,8})$|([0-9]{1,10})$")
_LINE = re.compile(r"(.+):([0-9]{1,7})$")
_OFFSET = re.compile(r"(.+?)\s*([+-])\s*(0[xX][0-9a-fA-F]{1,8}|\$[0-9a-fA-F]{1,8}|[0-9]{1,10})$")


def _number(text: str) -> int | None:
    match = _NUMBER.match(text)
    if match is None:
        return None
    return int(match[2], 16) if match[2] else int(match[3])


def addresses(image: Image, where: int | str) -> list[int]:
    """Return the addresses of a place: of a source line one in each function that has code of it.

    where    an address, "0x1234", "symbol", "symbol+0x10" or "file.c:12"; the line may be the next one that has code
    Errors   ValueError
    """
    if not isinstance(where, str):
        return [check_integer("address", where, 0, ADDRESS_MASK)]
    text = where.strip()
    if text in image.symbols:
        return [image.symbols[text].address]
    if (number := _number(text)) is not None:
        return [check_integer("address", number, 0, ADDRESS_MASK)]
    if line := _LINE.match(text):
        return _of_line(image, line[1], int(line[2]))
    if (parts := _OFFSET.match(text)) and parts[1] in image.symbols:
        distance = _number(parts[3]) or 0
        address = image.symbols[parts[1]].address + (distance if parts[2] == "+" else -distance)
        return [check_integer("address", address, 0, ADDRESS_MASK)]
    near = did_you_mean(text, image.symbols)
    raise ValueError(f"{text[:60]!r}: no symbol of the program, no address and no source line{near}")


def _of_line(image: Image, file: str, line: int) -> list[int]:
    """Return where the code of a source line begins, in each function; of the next line with code if it has none."""
    files = {each for _, each, _ in image.lines}
    wanted = {each for each in files if each == file or each.endswith(f"/{file}")}
    if not wanted:
        known = ", ".join(sorted(_last(files))[:8]) or "none: it has no line table"
        raise ValueError(f"{file[:60]!r}: no source file of the program; it has {known}")
    found = [(number, address) for address, each, number in image.lines if each in wanted and number >= line]
    if not found:
        last = max(number for _, each, number in image.lines if each in wanted)
        raise ValueError(f"{file}:{line}: no code there or after it; the last line with code is {last}")
    nearest = min(found)[0]
    first: dict[str, int] = {}
    for address in sorted(address for number, address in found if number == nearest):
        name, _ = image.symbol_at(address) or ("", 0)
        first.setdefault(name, address)
    return sorted(first.values())


def _last(paths: Iterable[str]) -> set[str]:
    return {path.rpartition("/")[2] for path in paths}


def described(image: Image, address: int) -> str:
    """Return "function+0x10 (file.c:12)" as far as it is known, else the address."""
    found, line = image.symbol_at(address), image.source_line(address)
    text = f"{address:#x}" if found is None else f"{found[0]}+{found[1]:#x}" if found[1] else found[0]
    return f"{text} ({line[0].rpartition('/')[2]}:{line[1]})" if line else text
