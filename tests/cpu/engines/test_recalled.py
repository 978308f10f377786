"""Decoding recalls what it found before, by address and bytes: nobody can tell but by the time it takes."""

from __future__ import annotations

import pytest

from retrosim.cpu import m68k
from retrosim.cpu.engines import core as core_module
from retrosim.cpu.engines.core import Core
from retrosim.cpu.spec.cpu import ADDRESS_MASK

CPU = m68k.cpu("MC68040")


@pytest.fixture(autouse=True)
def nothing_recalled() -> None:
    CPU.table.recalled.clear()


def core_of(code: str, address: int = 0x1000) -> Core:
    core = Core(CPU, "full")
    core.write(address, bytes.fromhex(code))
    return core


def test_the_same_bytes_at_the_same_place() -> None:
    first, second = core_of("6004"), core_of("6004")
    assert first.decode(0x1000) is second.decode(0x1000)
    assert second.code[0x1000:0x1003].tolist() == [1, 1, 0], "stores into it are noticed in each"


def test_other_bytes_and_other_places() -> None:
    here, there = core_of("6004"), core_of("6004", 0x2000)
    assert (here.decode(0x1000).target, there.decode(0x2000).target) == (0x1006, 0x2006)
    here.write(0x1000, bytes.fromhex("6006"))
    assert here.decode(0x1000).target == 0x1008
    here.write(0x1000, bytes.fromhex("6000 0010"))
    assert here.decode(0x1000).target == 0x1012, "an extension word"
    here.write(0x1002, bytes.fromhex("0020"))
    assert here.decode(0x1000).target == 0x1022


def test_what_an_undefined_instruction_depends_on() -> None:
    """MOVE with an address that is not defined: another one there makes it an instruction, and the other way round."""
    core = core_of("2030 0114")
    for extension, text in (
        ("0110", "MOVE.l (0,a0,d0.w),d0"),
        ("0114", "ILLEGAL $2030"),
        ("0110", "MOVE.l (0,a0,d0.w),d0"),
    ):
        core.write(0x1002, bytes.fromhex(extension))
        assert core.decode(0x1000).text == text
    core.write(0x1002, bytes.fromhex("0114"))
    core.decode(0x1000)
    memory = core.ram[: ADDRESS_MASK + 1].copy()
    memory[0x1003] = 0x10
    core.replace([memory])
    assert core.decode(0x1000).text == "MOVE.l (0,a0,d0.w),d0", "also when memory is replaced as a whole"


def test_the_end_of_memory() -> None:
    """What goes on at address 0 is read there."""
    core = core_of("6000", ADDRESS_MASK - 1)
    for displacement in ("0010", "0020"):
        core.write(0, bytes.fromhex(displacement))
        core.sync_mirrors()
        core.insns.clear()
        assert core.decode(ADDRESS_MASK - 1).target == int(displacement, 16)
    assert not CPU.table.recalled


def test_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_module, "MAX_RECALLED", 5)
    core = core_of("4e71" * 20)
    for number in range(20):
        assert core.decode(0x1000 + 2 * number).text == "NOP"
        assert 1 <= len(CPU.table.recalled) <= 5
