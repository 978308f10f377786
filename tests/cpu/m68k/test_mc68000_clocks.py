"""Clocks of the MC68000: its table against the facts, and what data add, by hand from M68000UM section 8."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from retrosim.cpu import m68k
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.m68k import mc68000
from retrosim.errors import SpecError
from tests.helpers.cpu import m68k_encodings as encodings
from tests.helpers.cpu import m68k_streams as streams

CPU = m68k.cpu("MC68000")
BY_DATA = {"bchg dn,dn", "bclr dn,dn", "bset dn,dn", "scc dn", "trapv", "reset", "rte"}  # or by the state


def name_of(entry: str) -> str:
    """Return how the facts write an instruction: without an operand that is the same in all its forms."""
    name, _, operands = entry.lower().partition(" ")
    if name.split(".")[0] in ("adda", "suba", "cmpa", "movea"):
        operands = operands.removesuffix(",an")
    if name.split(".")[0] in ("addi", "subi", "andi", "ori", "eori", "cmpi", "addq", "subq"):
        operands = operands.removeprefix("#imm,").removeprefix("#n,")
    return f"{name} {operands}".strip()


def test_the_table_agrees_with_the_facts(shared: Path) -> None:
    """Every form that the facts name as we do: figures measured from the vectors."""
    with (shared / "facts" / "m68000_timing.csv").open(newline="") as file:
        facts: dict[str, set[str]] = {}
        for row in csv.DictReader(file):
            facts.setdefault(row["form"].lower(), set()).add(row["cycles"])
    compared = set()
    for insn in encodings.samples(CPU):
        said = CPU.explain(insn, 1, 0, CPU.choices)
        name = name_of(said.entry)
        if name in facts and name not in BY_DATA:
            assert facts[name] == {str(said.clocks)}, insn
            compared.add(name)
    print(f"{len(compared)} of {len(facts)} forms compared")
    assert len(compared) > 700


# code, d0, clocks; d1 = 0xFFFF0003, the carry is set
DATA = {
    "lsl.w #3,d0": ("e748", 0, 6 + 2 * 3),
    "lsl.l #8,d0": ("e188", 0, 8 + 2 * 8),
    "asr.w d1,d2": ("e262", 0, 6 + 2 * 3),
    "mulu.w #$5555,d0": ("c0fc 5555", 1, 38 + 2 * 8 + 4),
    "mulu.w d0,d2": ("c4c0", 0, 38),
    "muls.w #$5555,d0": ("c1fc 5555", 1, 38 + 2 * 16 + 4),
    "muls.w #-1,d0": ("c1fc ffff", 1, 38 + 2 * 1 + 4),
    "divu.w #1,d0, overflow": ("80fc 0001", 0x10000, 10 + 4),
    "divu.w #$ffff,d0": ("80fc ffff", 0xFFFE0000, 76 + 4),
    "divs.w #1,d0, overflow": ("81fc 0001", 0x10000, 16 + 4),
    "divs.w #1,d0": ("81fc 0001", 0x7FFF, 122 + 4),
    "bchg d0,d2, bit 15": ("0142", 15, 6),
    "bchg d0,d2, bit 16": ("0142", 16, 8),
    "bclr d0,d2, bit 31": ("0182", 31, 10),
    "scs d2": ("55c2", 0, 6),
    "scc d2": ("54c2", 0, 4),
    "bcs.s": ("6502", 0, 10),
    "bcc.s": ("6402", 0, 8),
    "bcc.w": ("6400 0002", 0, 12),
    "dbcs d0": ("55c8 0002", 1, 12),
    "dbcc d0, loops": ("54c8 0002", 1, 10),
    "dbcc d0, expired": ("54c8 0002", 0, 14),
    "chk.w #9,d0": ("41bc 0009", 9, 10 + 4),
    "btst d0,#imm": ("013c 00ff", 0, 10),
    "divu.w #0,d0": ("80fc 0000", 1, 38 + 4),
    "trapv, not taken": ("4e76", 0, 4),
}


@pytest.mark.parametrize("case", DATA)
def test_what_data_add(case: str) -> None:
    code, d0, expected = DATA[case]
    core = Core(CPU, "full")
    streams.load(core, bytes.fromhex(code), bytes(16), [d0, 0xFFFF0003, *[0] * 13, streams.STACK], 1)
    assert Evaluator(core).run(1) == 1
    assert core.state["cycles"] == expected


@pytest.mark.parametrize("text", ["", "6+n2", "6/8", "-6", "6+2m", "6 + 2n"])
def test_cells_that_say_nothing_are_refused(text: str) -> None:
    with pytest.raises(SpecError, match="allowed a, a\\+bn, n, a\\+br"):
        mc68000.parse(text)


def test_every_entry_is_used() -> None:
    used = {cost.format(**insn.forms) for insn in encodings.samples(CPU) for cost in insn.row.cost}
    by_data = {"effective address", "DBcc true"}
    exceptions = {"Divide by zero", "CHK trap", "TRAPV trap", "Interrupt", "Address error"}
    assert set(mc68000.table()) - used == by_data | exceptions
