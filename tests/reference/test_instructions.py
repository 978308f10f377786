"""Pages of instructions: each row has its line, its example runs, its clocks are those of the machines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from retrosim.cli.commands.guide import MADE
from retrosim.machine.presets import PRESETS
from retrosim.reference import instructions as instruction_pages
from retrosim.reference.instructions import (
    PAGES,
    encodings,
    instruction_page,
    instruction_report,
    meanings,
    page_names,
    runner,
)


def test_the_command_knows_the_pages() -> None:
    assert list(MADE) == page_names()
    assert {preset.cpu().isa.name for preset in PRESETS.values()} == set(PAGES)


@pytest.mark.parametrize("family", PAGES)
def test_each_row_says_what_it_does(family: str) -> None:
    """In one line, and no line is left over."""
    cpus = [preset.cpu() for preset in PRESETS.values() if preset.cpu().isa.name == family]
    names = {row.name for cpu in cpus for row in cpu.table.rows}
    lines = meanings(cpus[0])
    assert set(lines) == names
    assert all(4 < len(text) < 120 and text[0].islower() and text[-1] != "." for text in lines.values())
    path = Path(cpus[0].table.rows[0].function.__code__.co_filename).parent / "meanings.txt"
    assert len(path.read_text().splitlines()) == len(lines)


@pytest.mark.full
def test_a_page_has_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instruction_pages, "PAGE_EXAMPLES", 1)
    text = instruction_page("instructions/m68k")
    for name in ("mc68000-8", "mc68040-25"):
        for row in PRESETS[name].cpu().table.rows:
            assert f"### `{row.syntax}`\n" in text and f"* encoding `{row.pattern}`" in text
    assert "* run on the MC68000: `ADD.b d3,d5`: d5 0xd -> 0x16\n" in text  # 9 + 13
    assert "| `MULS.w d3,d5` | 38 | 16 |" in text  # M68000UM table 8-4: 38 without bits to add; MC68040UM section 10.6
    assert re.search(r"^\* only on MC68040$", text, re.M)


@pytest.mark.parametrize(
    ("machine", "code", "effect"),
    [
        ("mc68000-8", "5243", "d3 0x9 -> 0xa"),  # addq.w #1,d3
        ("mc68000-8", "4e47", "raises an exception: TRAP #7"),
        ("i386dx-33", "43", "ebx 0x3300 -> 0x3301"),  # inc ebx: parity of 01 is odd, so PF stays 0
        ("ppc601-80", "38630001", "r3 0x9 -> 0xa"),  # addi r3,r3,1
        ("ppc601-80", "90640000", "memory 0x3400 = 0000 0009"),  # stw r3,0(r4)
        ("i486dx2-66", "90", "nothing changes"),
    ],
)
def test_what_an_example_does(machine: str, code: str, effect: str) -> None:
    content = bytes.fromhex(code)
    table = PRESETS[machine].cpu().table
    size = table.isa.word_bytes

    def word(at: int) -> int:
        part = (content + bytes(8))[at - 0x2000 :][:size]
        return int.from_bytes(part, "big")

    assert runner(machine).run(table.decode(0x2000, word), content) == effect


def test_examples_are_of_their_row() -> None:
    cpu = PRESETS["i486dx2-66"].cpu()
    for row in cpu.table.rows[::9]:
        for insn, code in encodings(cpu, row, 2):
            again = cpu.table.decode(0x2000, lambda at, code=code: (code + bytes(16))[at - 0x2000])
            assert again.row is row and again.text == insn.text and len(code) == insn.length


def test_an_instruction_on_a_machine() -> None:
    report = instruction_report("muls", ["mc68000-8"])
    (row,) = report.rows
    assert row.does == "multiplies signed, 16 by 16 or 32 by 32 bits" and row.run.text == "MULS.w d3,d5"
    assert "Dn" in row.forms["ea"] and row.overwrites == ["c", "n", "v", "z"]
    with pytest.raises(ValueError, match="did you mean mul"):
        instruction_report("mulsx", ["mc68000-8"])
