"""The code that the debugger panel shows: instructions, their functions, and the source text above them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from retrosim.machine.debug import views
from retrosim.profile.sources import line_of, source_texts

if TYPE_CHECKING:
    from retrosim.machine import Machine
    from retrosim.machine.debug import Debugger

CLOCKS_WIDTH = 6  # characters


@dataclass(frozen=True)
class Row:
    """A row of code: an instruction, or the name of a function or source text that stands above one."""

    text: str
    instruction: views.CodeRow | None = None
    is_name: bool = False


def sources_of(machine: Machine) -> dict[str, list[str]]:
    """Return the text of the program's source files, as far as they are found beside it or where it was built from."""
    rom, folders = machine.rom, list[Path]()
    if rom is not None:
        sources = list(rom.recipe.sources) if rom.recipe else []
        for image in rom.images:
            sources += image.sources if image.build == machine.image.build else ()
        built_from = dict.fromkeys((rom.path / source).parent for source in sources)
        folders = [rom.path, rom.path / "src", *built_from]
    return source_texts({file for _, file, _ in machine.image.lines}, [*folders, Path()])


def instruction_before(debugger: Debugger, address: int) -> int:
    """Return the address of the instruction before another, that one's where none is known."""
    found = views.Decoder(debugger.machine).before(address, 1)
    return found[0][0] if found else address


def instruction_after(debugger: Debugger, address: int) -> int:
    """Return the address of the instruction after another, that one's at the end of memory."""
    found = views.Decoder(debugger.machine).following(address, 2)
    return found[-1][0]


def code_rows(debugger: Debugger, texts: Mapping[str, Sequence[str]], cursor: int, count: int) -> list[Row]:
    """Return rows of code, the instruction at `cursor` in the middle where there is enough before it.

    texts   of source files
    count   rows
    """
    rows: list[Row] = []
    line: tuple[str | None, int | None] = (None, None)
    machine, middle, decoder = debugger.machine, 0, views.Decoder(debugger.machine)
    for each in views.code(debugger, cursor, count, count // 2):
        if each.is_entry:
            rows.append(Row(f"{each.symbol}:", is_name=True))
        here = (each.file, each.line)
        if each.file and here != line:
            name = f"{each.file.rpartition('/')[2]}:{each.line}"
            rows.append(Row(f"{name}  {line_of(texts, *here) or ''}".rstrip()))
        line = here
        if each.address == cursor:
            middle = len(rows)
        insn = decoder.at(each.address)
        target = machine.image.symbol_at(insn.target) if insn and insn.target is not None else None
        to = "" if target is None else f"  ; {target[0]}" + (f"+{target[1]:#x}" if target[1] else "")
        rows.append(Row(f"{each.address:06X} {each.clocks:>{CLOCKS_WIDTH}}  {each.text}{to}", each))
    first = max(0, middle - count // 2)
    return rows[first : first + count]
