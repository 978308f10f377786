"""One way from an image to an ELF file: for `retrosim build` and for debuggers."""

from __future__ import annotations

from io import BytesIO

import pytest
from elftools.elf.elffile import ELFFile

from retrosim.asm.project import elf_of, load_for
from retrosim.machine import Machine
from retrosim.serve.programs import elf_of as elf_for_gdb

SOURCE = """
main:   move.l  d0,count
        bra     main
end:
        .bss
count:  ds.l    1
last:
"""


@pytest.mark.parametrize(("name", "flags"), [("mc68000-8", 0x1000000), ("mc68040-25", 0)])
def test_both_ways_make_the_same_file(name: str, flags: int, tmp_path) -> None:
    (tmp_path / "tick.s").write_text(SOURCE)
    program = load_for(tmp_path / "tick.s", name).program
    built, served = elf_of(program), elf_for_gdb(Machine(name, program, engine="evaluate"), None)
    assert ELFFile(BytesIO(built))["e_flags"] == ELFFile(BytesIO(served))["e_flags"] == flags


def test_a_symbol_belongs_to_its_section_or_to_the_one_that_it_ends(tmp_path) -> None:
    (tmp_path / "tick.s").write_text(SOURCE)
    elf = ELFFile(BytesIO(elf_of(load_for(tmp_path / "tick.s", "mc68000-8").program)))
    names = [section.name for section in elf.iter_sections()]
    symbols = {symbol.name: symbol for symbol in elf.get_section_by_name(".symtab").iter_symbols()}
    homes = {name: names[symbols[name]["st_shndx"]] for name in ("main", "end", "count", "last")}
    assert homes == {"main": ".text", "end": ".bss", "count": ".bss", "last": ".bss"}  # .bss begins where .text ends
