"""The ROM `masks` itself: MakeMask, the conventions of Pascal, which instructions are used, what a row costs."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from retrosim.collide import masks
from retrosim.machine import open_machine
from retrosim.rom import load_rom
from tests.helpers.amount import usually
from tests.helpers.rom.mask_units import BITMAP, BUILDS, MASKS, Unit

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = bytes([14, 1, 0, 0, 0, 1, 23, 42, 0, 1, 56, 0, 0, 0, 0, 0])
REAL_BUILDS = [each for each in BUILDS if each[1] == "real"]
CODE_286 = ("PackRow", "MakeMask", "FindCommon", "TouchWord", "CollideWord", "CollideList")
CODE_386 = ("TouchDword", "TouchQword")


@pytest.fixture(scope="module", params=BUILDS, ids="-".join)
def unit(request) -> Unit:
    return Unit(*request.param)


def routine(unit: Unit, name: str) -> list[str]:
    """Return the instructions of a routine, without addresses and code."""
    start = unit.machine.address(name)
    later = [each.address for each in unit.machine.image.symbols.values() if each.address > start]
    segment, content = unit.machine.image.segments[-1]
    end, lines, pc = min(later, default=segment + len(content)), [], start
    while pc < end:
        insn = unit.machine.core.decode(pc)
        lines.append(insn.text)
        pc = insn.end
    assert pc == end
    return lines


# --- MakeMask


def test_the_example_row(unit: Unit) -> None:
    made, address = unit.make(EXAMPLE, 1)
    assert (made, unit.rows(address, 1, 1).tolist()) == (1, [[0x1D800000]])
    row = unit.machine.mem[address + 4 : address + 8].tobytes()
    assert (row if unit.order == ">" else row[::-1]).hex(" ").upper() == "1D 80 00 00"


def test_masks_of_every_width(unit: Unit) -> None:
    """The kernel's, of as many parts as needed and of one more, whose rows are empty."""
    rng = np.random.default_rng(1995)
    for wide in (*range(1, 67), 95, 96, 97, 128, 255):
        pixels = rng.integers(0, 3, (int(rng.integers(1, 6)), wide)).astype(np.uint8)
        kernel, bitmap = masks.make_wide_mask(pixels), bytes((wide, len(pixels))) + pixels.tobytes()
        for more in (0, 1):
            unit.free = MASKS
            parts = kernel.shape[1] + more
            unit.machine.write(MASKS, b"\xee" * 4000)
            made, address = unit.make(bitmap, parts)
            header = unit.machine.mem[address : address + 4].view(f"{unit.order}u2").tolist()
            assert (made, header) == (1, [wide, len(pixels)])
            expected = np.hstack([kernel, np.zeros((len(kernel), more), np.uint32)]).T
            assert np.array_equal(unit.rows(address, parts, len(kernel)), expected)
            assert unit.machine.mem[unit.free : MASKS + 4000].tolist() == [0xEE] * (MASKS + 4000 - unit.free)
            if wide <= 32:
                assert unit.rows(address, parts, len(kernel))[0].tolist() == masks.make_mask(bitmap).tolist()


def test_the_tallest_mask(unit: Unit) -> None:
    pixels = np.random.default_rng(255).integers(0, 2, (255, 255)).astype(np.uint8)
    unit.free = MASKS
    made, address = unit.make(b"\xff\xff" + pixels.tobytes(), 8)
    assert made == 1 and np.array_equal(unit.rows(address, 8, 255), masks.make_wide_mask(pixels).T)


@pytest.mark.parametrize(("wide", "high", "parts"), [(0, 5, 1), (5, 0, 1), (33, 1, 1), (255, 2, 1), (65, 1, 2)])
def test_refused_bitmaps(unit: Unit, wide: int, high: int, parts: int) -> None:
    """The kernel refuses what one part cannot hold, too; nothing is written."""
    unit.free, bitmap = MASKS, bytes((wide, high)) + b"\1" * wide * high
    unit.machine.write(MASKS, b"\xee" * 4096)
    made, address = unit.make(bitmap, parts)
    assert made == 0 and unit.machine.mem[address : address + 4096].tolist() == [0xEE] * 4096
    if parts == 1:
        with pytest.raises(ValueError, match="allowed"):
            masks.make_mask(bitmap)


# --- the unit in real mode


@pytest.fixture(scope="module", params=REAL_BUILDS, ids="-".join)
def real(request) -> Unit:
    return Unit(*request.param, engine="evaluate")


def test_the_callee_pops(real: Unit) -> None:
    """A far return takes the arguments off; BP, SS, SP and DS are kept, the result is in AL."""
    real.free, zeros = MASKS, np.zeros((3, 40), np.uint8)
    places = [real.add(zeros, 2), real.add(zeros, 2)]
    one, other = (hex(each) for each in places)
    calls = dict.fromkeys(("CollideDword", "CollideWord", "CollideQword", "CollideParts"), (one, 0, 0, other, 3, 1))
    calls |= {"TouchDword": (one, other, 2, 3), "TouchWord": (one, other, 2, 3), "MakeMask": (hex(BITMAP), one, 1)}
    calls |= {"TouchQword": (one, other, 12, 12, 2, 3), "CollideList": (one, 0, "CollideWord")}
    ours = real.machine
    for entry, arguments in calls.items():
        words, before = real.words(*arguments), dict(ours.regs)
        ours.regs["ebp"], ours.regs["ds"], ours.regs["eax"] = 0x1234, 0x4321, 0xFFFF
        ours.enter(entry, *words, convention="pascal")
        assert before["esp"] - ours.regs["esp"] & 0xFFFF == 2 * len(words) + 4
        assert ours.run(until=0x3FC, instructions=3000).reason == "until", entry
        kept = {name: ours.regs[name] for name in ("esp", "ebp", "ds", "ss", "cs")}
        assert kept == {name: before[name] for name in ("esp", "ss", "cs")} | {"ebp": 0x1234, "ds": 0x4321}, entry
        if entry != "CollideList":
            assert ours.regs["eax"] & 0xFF == 0, entry


def test_the_inner_loop_is_the_documents(real: Unit) -> None:
    lines = routine(real, "TouchDword")
    start = lines.index("MOV eax,[si]")
    assert lines[start : start + 3] == ["MOV eax,[si]", "SHL eax,cl", "AND eax,[es:bx+si]"]
    assert [line.split()[0] for line in lines[start + 3 : start + 7]] == ["Jne", "ADD", "DEC", "Jne"]
    row = real.machine.address("TouchDword") + 0x12
    assert lines[start + 6] == f"Jne {row:#x}" and real.machine.listing(row)[0].endswith("MOV eax,[si]")


@pytest.mark.parametrize("name", CODE_286)
def test_code_for_the_286_has_no_32_bits(real: Unit, name: str) -> None:
    """16-bit registers only: no name of a wider one, no prefix of size, no segment or instruction of the 386."""
    wide = re.compile(r"\be([abcd]x|[sd]i|[bs]p)\b|\b[fg]s\b|dword|SET|MOVZX|SHLD")
    assert all(wide.search(" ".join(routine(real, each))) for each in CODE_386)
    assert not wide.search(" ".join(routine(real, name)))
    start, ours, pc = real.machine.address(name), real.machine, real.machine.address(name)
    for _ in routine(real, name):
        insn = ours.core.decode(pc)
        assert ours.mem[pc] not in (0x64, 0x65, 0x66, 0x67, 0x0F), f"{pc - start:#x} of {name}: {insn.text}"
        pc = insn.end


# --- clocks


@pytest.mark.parametrize(
    ("machine", "clocks"),
    [
        # MOV 4, SHL 3, AND 6, Jne 3, ADD 2, DEC 2, Jne 7 + m: the loop's first instruction has 66h, opcode, ModR/M
        ("i386dx-33", 4 + 3 + 6 + 3 + 2 + 2 + 7 + 3),
        ("i486dx2-66", 1 + 3 + 2 + 1 + 1 + 1 + 3 + 4),  # and four prefixes, which other rules may hide
    ],
)
def test_a_row_by_hand(machine: str, clocks: int) -> None:
    """The difference between n and n + 1 rows, by the manuals' tables alone."""
    ours = open_machine(machine, "masks", engine="evaluate", timing="table")
    cycles = [
        ours.measure("TouchDword", 0, 0x8000, 0, 0x9000, rows, 5, convention="pascal").cycles for rows in (1, 2, 9)
    ]
    assert (cycles[1] - cycles[0], cycles[2] - cycles[0]) == (clocks, 8 * clocks)


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("mask_clocks", ROOT / "tools" / "mask_clocks.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # where dataclasses look
    spec.loader.exec_module(module)
    return module


@pytest.mark.full
def test_the_table_of_the_guide(tool: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """Its title and, by default, a row for each machine and for each routine; with --full every row."""
    every = tool.cases()
    some = {case.machine: case for case in every} | {case.entry: case for case in every if case.machine == "i386dx-33"}
    chosen = usually([case for case in every if case in some.values()], every)
    monkeypatch.setattr(tool, "cases", lambda: chosen)
    assert tool.main() == 0
    printed = capsys.readouterr().out.splitlines()
    guide = (ROOT / "retrosim" / "guide" / "libraries.md").read_text()
    table = guide[guide.index(f"{printed[0]}\n{printed[1]}\n") :].partition("\n\n")[0].splitlines()
    assert len(table) == 2 + len(every) and len(printed) == 2 + len(chosen) > 10
    assert [row for row in table if row in printed] == printed


# --- the ROM


def test_it_is_a_library() -> None:
    rom = load_rom("masks")
    assert rom.is_library and not load_rom("sectors").is_library
    assert not rom.world and not rom.tapes()
    for info in rom.images:
        image = rom.image(info.isa, info.build)
        touches = {"TouchDword", "TouchQword", "TouchWord"} if info.boot == "real" else {"mask_touch"}
        collides = {"CollideWord", "CollideQword"} if info.boot == "real" else set()
        assert {"MakeMask", "CollideDword", "CollideParts", "CollideList"} | touches | collides <= set(image.symbols)
        for name in touches | {"MakeMask"}:
            assert image.symbol_at(image.symbols[name].address) == (name, 0)
        file, line = image.source_line(image.symbols[min(touches)].address)
        source = (rom.path / "src" / Path(file).name).read_text().splitlines()
        assert any(min(touches) in text for text in source[line - 6 : line])


@pytest.mark.parametrize(("machine", "build"), BUILDS)
def test_by_itself_it_only_waits(machine: str, build: str) -> None:
    ours = open_machine(machine, "masks", build=build, engine="evaluate")
    before = ours.mem[:0xF00000].copy()
    assert ours.run(frames=3).reason == "frames"
    changed = np.flatnonzero(ours.mem[:0xF00000] != before)
    assert ours.frame_number == 3 and len(changed) < 16  # of the stack
