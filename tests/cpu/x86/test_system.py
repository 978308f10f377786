"""Flag bits, control registers and descriptor table registers of each model, by the manuals that the rows name."""

from __future__ import annotations

import pytest

from retrosim.cpu.spec.cpu import FAULT, RUNNING, STATUS_WRITTEN, STOPPED
from retrosim.cpu.x86 import state as x86_state
from retrosim.cpu.x86.modes import FROM_386, I486, MODEL_NAMES
from tests.helpers.cpu.x86_programs import START, core_with, run, word

EAX, ECX, EBX = 0, 1, 3


def refuses(model: str, code: str, **registers: int) -> bool:
    core = run(core_with(model, code, **registers))
    return bool(core.state["reason"] == FAULT and core.state["pc"] == START)


@pytest.mark.parametrize(
    ("code", "flag", "result"),
    [("f8", "cf", (0, 0)), ("f9", "cf", (1, 1)), ("f5", "cf", (1, 0)), ("fa", "if", (0, 0)), ("fb", "if", (1, 1)),
     ("fc", "df", (0, 0)), ("fd", "df", (1, 1))],
)  # fmt: skip
def test_flags_one_by_one(code: str, flag: str, result: tuple[int, int]) -> None:
    for before in (0, 1):
        core = core_with("i386_flat", code)
        others = x86_state.flags_of(core.state) & ~(0x601 if flag == "df" else 0x201)
        core.state[flag] = before
        run(core)
        assert core.state[flag] == result[before]
        bit = {"cf": 1, "if": 0x200, "df": 0x400}[flag]
        assert x86_state.flags_of(core.state) & ~bit == others & ~bit


def test_interrupts_wait_for_the_instruction_behind_sti() -> None:
    core = run(core_with("i386_flat", "fb"))
    assert (core.state["reason"], core.state["shadow"]) == (STATUS_WRITTEN, START + 2)
    core = core_with("i386_flat", "fb")
    core.state["if"] = 1
    before = int(core.state["shadow"])
    assert (run(core).state["reason"], core.state["shadow"]) == (RUNNING, before)


def test_halt_and_wait() -> None:
    core = run(core_with("i386_real", "f4"))
    assert (core.state["reason"], core.state["stopped"], core.state["pc"]) == (STOPPED, 1, START + 1)
    core = run(core_with("i386_real", "9b"))
    assert (core.state["reason"], core.state["pc"]) == (RUNNING, START + 1)


@pytest.mark.parametrize(
    ("model", "fixed", "writable"),
    [
        ("i386_real", 0x10, 0x1F),
        ("i386_flat", 0x11, 0x1F),
        ("i486_real", 0x10, 0xE005003F),
        ("i486_flat", 0x11, 0xE005003F),
    ],
)
def test_bits_of_the_control_word(model: str, fixed: int, writable: int) -> None:
    """PG and PE cannot change; what the model does not have reads as zeros."""
    assert run(core_with(model, "0f20c0")).state["r"][EAX] == fixed
    mode = fixed & 1
    core = run(core_with(model, "0f22c0 0f20c1", eax=0x7FFFFFFE | mode), 2)
    assert core.state["r"][ECX] == (writable & 0x7FFFFFFE) | fixed
    for wrong in (mode ^ 1, mode | 1 << 31):
        assert refuses(model, "0f22c0", eax=wrong)


@pytest.mark.parametrize("model", MODEL_NAMES)
def test_the_machine_status_word(model: str) -> None:
    """LMSW changes four bits, and PE cannot be set; CLTS clears TS alone; a register gets what its size holds."""
    mode = 0 if model.endswith("real") else 1
    size = "" if model.endswith("real") else "66"
    core = run(core_with(model, f"{size}0f01f0 0f01e1", eax=0xFFEE | mode, ecx=0), 2)
    fixed = 0xFFF0 if model.startswith("i286") else 0x10
    assert core.state["r"][ECX] == fixed | 0xE | mode
    core = run(core_with(model, f"{size}0f01f0 0f06 0f01e1", eax=0xE | mode, ecx=0), 3)
    assert core.state["r"][ECX] == fixed | 0x6 | mode
    core = run(core_with(model, f"{size}0f01f0 {size}0f01f3 0f01e1", eax=0xE | mode, ebx=mode, ecx=0), 3)
    assert core.state["r"][ECX] == fixed | mode
    if not mode:
        assert refuses(model, "0f01f0", eax=1)
    core = core_with(model, "0f0127" if not mode else "0f0123", ebx=0x600)
    core.write(0x600, b"\xaa" * 4)
    assert word(run(core), 0x600, 4) == 0xAAAA0000 | fixed | mode  # in memory it is always a word


def test_other_special_registers() -> None:
    for model, codes in (
        ("i386_flat", ("22d8 20d9", "22d0 20d1", "23c8 21c9", "23f8 21f9", "26f0 24f1", "26f8 24f9")),
        ("i486_flat", ("22d8 20d9", "23d0 21d1", "26d8 24d9", "26e0 24e1", "26e8 24e9", "26f8 24f9")),
    ):
        for code in codes:
            to, back = (f"0f{part}" for part in code.split())
            core = run(core_with(model, f"{to} {back}", eax=0x12345678), 2)
            assert core.state["r"][ECX] == 0x12345678 and core.state["reason"] == RUNNING, (model, code)
    for code in ("22c8", "22e0", "20e8", "23e0", "21e8", "24d8", "26e8"):  # CR1, CR4, CR5, DR4, DR5, TR3, TR5
        assert refuses("i386_flat", f"0f{code}"), code
    assert refuses("i486_flat", "0f26d0") and refuses("i286_real", "0f20c0")


@pytest.mark.parametrize("model", FROM_386)
@pytest.mark.parametrize(("table", "load", "store"), [("gdt", "17", "07"), ("idt", "1f", "0f")])
def test_descriptor_table_registers(model: str, table: str, load: str, store: str) -> None:
    """24 bits of the base with operands of 16 bits, all with those of 32."""
    if model.endswith("flat"):
        load, store = {"17": "13", "1f": "1b"}[load], {"07": "03", "0f": "0b"}[store]  # [ebx] for [bx]
    for prefix in ("", "66"):
        is_long = model.endswith("real") == bool(prefix)
        core = core_with(model, f"{prefix}0f01{load} 0f01{store}", ebx=0x600)
        core.write(0x600, bytes.fromhex("345678563412"))
        run(core)
        assert core.state[f"{table}_limit"] == 0x5634
        assert core.state[f"{table}_base"] == 0x12345678 & (0xFFFFFFFF if is_long else 0xFFFFFF)
        core.state["r"][EBX] = 0x700
        core.write(0x700, b"\xaa" * 8)
        run(core)
        base = int(core.state[f"{table}_base"])
        assert core.ram[0x700:0x708].tobytes() == b"\x34\x56" + base.to_bytes(4, "little") + b"\xaa\xaa"
    assert refuses(model, "0f01d0")  # not from a register


def test_descriptor_table_registers_of_the_286() -> None:
    core = core_with("i286_real", "0f0117 0f0107", ebx=0x600)
    core.write(0x600, bytes.fromhex("345678563412"))
    run(core)
    assert (core.state["gdt_limit"], core.state["gdt_base"]) == (0x5634, 0x345678)
    core.state["r"][EBX] = 0x700
    assert run(core).ram[0x700:0x706].tobytes() == bytes.fromhex("3456785634ff")


def test_instructions_for_the_cache() -> None:
    for code in ("0f08", "0f09", "0f013b"):
        for model in I486:
            assert run(core_with(model, code, ebx=0x600)).state["reason"] == RUNNING, (model, code)
        assert refuses("i386_flat", code)
