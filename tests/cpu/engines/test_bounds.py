"""What is found and decoded of a program has bounds, which change nothing that it does."""

from __future__ import annotations

import time

import pytest
from fuzzing.work import scaled

from retrosim.cpu.engines import core as core_module
from retrosim.cpu.engines.regions.regions import MAX_DISCOVERED, discover
from retrosim.machine import Machine
from retrosim.rom import Image
from retrosim.rom.lines import LineTable
from retrosim.rom.symbols import SymbolTable
from tests.helpers.machine import programs

NOPS = {"mc68040-25": ("m68040", "4e71"), "i486dx2-66": ("i486", "90"), "ppc601-80": ("ppc601", "60000000")}
CALLS = {"calls": "e800000000", "loops": "72fe", "calls of one function": "e8ff0f0000"}


def filled(name: str, isa: str, code: str) -> Machine:
    """A machine whose program is 2 MiB of the same."""
    content = (bytes.fromhex(code) * (1 << 21))[: 1 << 21]
    image = Image(isa, "", 0x1000, [(0x1000, content)], [], "0" * 64, SymbolTable({}), LineTable([], []))
    return Machine(name, image, engine="evaluate", timing="off")


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("name", "isa", "code"),
    [(name, *both) for name, both in NOPS.items()] + [("i486dx2-66", "i486", code) for code in CALLS.values()],
)
def test_a_large_program_is_not_decoded_as_a_whole(name: str, isa: str, code: str) -> None:
    machine = filled(name, isa, code)
    begun = time.process_time()
    regions = discover(machine.core, [0x1000])
    assert time.process_time() - begun < scaled(6)  # about 1; 69 before there was a bound
    assert 0 < sum(len(list(region.insns)) for region in regions) <= MAX_DISCOVERED
    assert any(0x1000 in region.blocks for region in regions)


def test_the_least_recently_used_leave_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_module, "MAX_DECODED", 64)
    monkeypatch.setattr(core_module, "CROWDED", 32)
    core = filled("mc68040-25", "m68040", "4e71").core
    core.retained = {0x1002}
    for pc in range(0x1000, 0x3000, 2):
        core.decode(pc)
        core.decode(0x1000)
    assert len(core.insns) <= 64 + 2
    assert {0x1000, 0x1002, 0x2FFE} <= core.insns.keys() and 0x1004 not in core.insns


@pytest.mark.parametrize("engine", programs.ENGINES)
def test_forgotten_instructions_change_nothing(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop longer than the bound, which rewrites its first instruction as addq.l #1 and #3 in turn."""
    code = "5280 0a79 0400 00001000" + "4e71" * 60 + "6000 ff7c"
    expected = programs.machine(code, timing="table")
    expected.run(instructions=5000)
    assert expected.regs["d0"] > 100
    monkeypatch.setattr(core_module, "MAX_DECODED", 16)
    monkeypatch.setattr(core_module, "CROWDED", 8)
    machine = programs.machine(code, timing="table", engine=engine)
    machine.run(instructions=5000)
    assert machine.hash("machine") == expected.hash("machine")
