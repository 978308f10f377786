"""What the debugger panel shows of the code, as plain rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.cpu.spec.decoding import IllegalEncoding
from retrosim.errors import RetrosimError
from retrosim.profile.sources import line_of, source_texts

if TYPE_CHECKING:
    from retrosim.machine import Machine

FAR = 4096  # bytes from the start of a function up to which its instructions are decoded from there


@dataclass(frozen=True)
class Row:
    """A row of code.

    kind     "label", "source" or "code"
    address  of the instruction that it is, or stands before
    """

    kind: str
    address: int
    text: str


def sources_of(machine: Machine) -> dict[str, list[str]]:
    """Return the text of the program's source files, as far as they are found beside it."""
    path = getattr(machine.rom, "path", None)
    folders = [Path(path), Path(path) / "src"] if path is not None else []
    return source_texts({file for _, file, _ in machine.image.lines}, [*folders, Path()])


def length_at(machine: Machine, address: int) -> int:
    """Return the bytes of an instruction; the smallest there are where none can be decoded."""
    try:
        return machine.core.decode(address).length
    except (RetrosimError, IllegalEncoding):
        return machine.core.cpu.isa.word_bytes


def before(machine: Machine, address: int) -> list[int]:
    """Return the addresses of the instructions of a function up to one of them, the last; only that one if unknown."""
    found = machine.image.symbol_at(address)
    start = address - found[1] if found and found[1] <= FAR else address
    addresses = []
    while start < address:
        addresses.append(start)
        start += length_at(machine, start)
    return [*addresses, address] if start == address else [address]


def code_rows(machine: Machine, texts: Mapping[str, Sequence[str]], cursor: int, count: int, above: int) -> list[Row]:
    """Return rows of code around an address.

    texts   of source files
    count   rows
    above   rows that stand before that of the address, as far as the function reaches
    """
    addresses = before(machine, cursor)[-above - 1 :]
    rows: list[Row] = []
    line: tuple[str, int] | None = None
    at = 0
    while len(rows) < at + count:
        address = addresses.pop(0) if addresses else (rows[-1].address + length_at(machine, rows[-1].address))
        address &= ADDRESS_MASK
        found, here = machine.image.symbol_at(address), machine.image.source_line(address)
        if found and not found[1]:
            rows.append(Row("label", address, f"{found[0]}:"))
        if here and here != line:
            text = line_of(texts, *here)
            rows.append(Row("source", address, f"{here[0].rpartition('/')[2]}:{here[1]}  {text or ''}".rstrip()))
        line = here
        if address == cursor:
            at = max(0, len(rows) - above)
        rows.append(Row("code", address, _text(machine, address)))
        if address != cursor and not addresses and at == 0 and len(rows) > count + above:
            break
    return rows[at : at + count]


def _text(machine: Machine, address: int) -> str:
    try:
        insn = machine.core.decode(address)
    except (RetrosimError, IllegalEncoding):
        return f"{address:06X}  (no instruction)"
    text = insn.text
    if insn.target is not None:
        found = machine.image.symbol_at(insn.target)
        if found:
            text += f"  ; {found[0]}" + (f"+{found[1]:#x}" if found[1] else "")
    return f"{address:06X}  {text}"
