"""The registers of the 68K family by name: the status register, its stack pointers, and MOVEC's registers."""

from __future__ import annotations

import pytest

from retrosim.asm import assemble
from retrosim.cpu import m68k
from retrosim.cpu.engines.core import Core
from retrosim.cpu.m68k.assembly import CACHE_NAMES, CONTROL_NAMES

CPU = m68k.cpu("MC68040")
REGISTERS = CPU.host.registers


@pytest.mark.parametrize("bit", [0, 1, 2, 3, 4, 8, 9, 10, 12, 13, 14, 15])
def test_the_status_register_bit_by_bit(bit: int) -> None:
    """M68000PRM figure 1-8: T1 T0 S M, the interrupt mask, X N Z V C."""
    state, sr = Core(CPU, "off").state, REGISTERS["sr"]
    fields = {0: "c", 1: "v", 2: "z", 3: "n", 4: "x", 12: "m", 13: "s"}
    sr.set(state, 1 << bit)
    assert sr.get(state) == 1 << bit
    for place, name in fields.items():
        assert int(state[name]) == int(place == bit)
    assert (int(state["ipl"]), int(state["trace"])) == ((1 << bit >> 8) & 7, 1 << bit >> 14)
    sr.set(state, 0x10000 | 0xFFFF)
    assert sr.get(state) == 0xF71F


def test_stack_pointers_follow_the_status_register() -> None:
    state = Core(CPU, "off").state
    sr, a7 = REGISTERS["sr"], REGISTERS["a7"]
    modes = {"usp": 0, "isp": 0x2000, "msp": 0x3000}
    for number, value in enumerate(modes.values()):
        sr.set(state, value)
        a7.set(state, 0x1000 + number)
    sr.set(state, 0)
    for number, value in enumerate(modes.values()):
        sr.set(state, value)
        assert a7.get(state) == 0x1000 + number
    assert [REGISTERS[name].get(state) for name in ("usp", "isp")] == [0x1000, 0x1001]


def test_registers_of_movec() -> None:
    """M68000PRM table 6-1, of the MC68040."""
    numbers = {
        "sfc": 0, "dfc": 1, "cacr": 2, "tc": 3, "itt0": 4, "itt1": 5, "dtt0": 6, "dtt1": 7, "usp": 0x800, "vbr": 0x801,
        "msp": 0x803, "isp": 0x804, "mmusr": 0x805, "urp": 0x806, "srp": 0x807,
    }  # fmt: skip
    assert {name: number for number, name in CONTROL_NAMES.items()} == numbers
    for name, number in numbers.items():
        assert assemble(f" movec d1,{name}", "m68040").code == b"\x4e\x7b" + (0x1000 | number).to_bytes(2, "big")
    assert CACHE_NAMES == {0: "nc", 1: "dc", 2: "ic", 3: "bc"}  # MC68040UM, CINV
