"""Real and flat mode: limits, exceptions, interrupts, services, repeats, ENTER by the manual, control registers."""

from __future__ import annotations

import pytest

from retrosim.cpu import x86
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.spec.cpu import FAULT, RUNNING, SERVICE, STATUS_WRITTEN, STOPPED
from retrosim.cpu.x86 import state as x86_state
from retrosim.cpu.x86.exceptions import accepts
from tests.helpers.cpu.x86_programs import START, core_with, run, word

IDT = 0x8000


def ended(core) -> tuple[int, int]:
    return int(core.state["reason"]), int(core.state["detail"])


def with_vector(core, vector: int, target: int):
    """Give a real-mode core a handler at 0:target."""
    core.write(4 * vector, target.to_bytes(4, "little"))
    return core


# --- segment limits


@pytest.mark.parametrize(
    "code, registers, vector",
    [
        ("8b07", {"ebx": 0xFFFF}, 13),  # mov ax,[bx]: a word at FFFF
        ("8a07", {"ebx": 0xFFFF}, None),
        ("8b4600", {"ebp": 0xFFFF}, 12),  # by the stack segment
        ("3e8b4600", {"ebp": 0xFFFF}, 13),  # ds override
        ("668b07", {"ebx": 0xFFFD}, 13),  # a double word
        ("668b07", {"ebx": 0xFFFC}, None),
        ("678b03", {"ebx": 0x10000}, 13),  # a 32-bit address beyond 64 KiB
        ("678a43ff", {"ebx": 0}, 13),  # below 0
        ("50", {"esp": 1}, 12),  # push across the end
        ("50", {"esp": 0}, None),  # SP wraps to FFFE
        ("58", {"esp": 0xFFFF}, 12),
        ("66ff27", {"ebx": 0x200, "ds": 0x3000}, 13),  # jmp dword [bx] to beyond the limit
    ],
)
def test_limits_of_real_mode(code: str, registers: dict, vector: int | None) -> None:
    core = core_with("i386_real", code, **registers)
    core.write(0x30200, (0x10000).to_bytes(4, "little"))
    before = core.state["r"].copy()
    run(core)
    if vector is None:
        assert core.state["reason"] == RUNNING
    else:
        assert ended(core) == (FAULT, vector)
        assert core.state["pc"] == START and (core.state["r"] == before).all()


def test_unreal_data_segments_reach_to_4_gib() -> None:
    core = core_with("i386_real", "678b03 678903", unreal=True, ebx=0x123456, eax=0)
    core.write(0x123456, b"\x34\x12")
    run(core, 2)
    assert core.state["reason"] == RUNNING and core.state["r"][0] == 0x1234
    core = run(core_with("i386_real", "8ed8 678b03", unreal=True, eax=0x100, ebx=0x123456), 2)  # a load keeps the limit
    assert core.state["reason"] == RUNNING and core.state["seg_base"][3] == 0x1000


def test_addresses_wrap_at_64_kib_within_a_segment() -> None:
    core = core_with("i386_real", "8a40ff", ebx=0, esi=0, ds=0x2000)  # mov al,[bx+si-1]
    core.ram[0x2FFFF] = 0x77
    assert run(core).state["r"][0] & 0xFF == 0x77


def test_jumps_wrap_and_a20_is_open() -> None:
    core = run(core_with("i386_real", "ebfc"))  # to IP FFFE
    assert core.state["pc"] == START + 0xFFFE
    core = core_with("i386_real", "8a07", ds=0xFFFF, ebx=0xFFFF)
    core.ram[0x10FFEF] = 0x5A
    assert run(core).state["r"][0] & 0xFF == 0x5A


# --- exceptions and interrupts


def test_a_fault_pushes_its_own_address_and_clears_if_and_tf() -> None:
    core = with_vector(core_with("i386_real", "90 f7f1", ecx=0), 0, 0x500)
    x86_state.put_flags(core.state, 0x2D5)
    run(core, 2)
    assert core.state["pc"] == 0x500 and core.state["r"][4] == 0x7FFA
    assert [word(core, 0x7FFA + n) for n in (0, 2, 4)] == [1, 0x100, 0x2D7]
    assert x86_state.flags_of(core.state) == 0x0D7


@pytest.mark.parametrize("code, vector, back", [("cc", 3, 1), ("cd21", 0x21, 2), ("ce", 4, 1), ("f1", 1, 1)])
def test_software_interrupts_return_behind_themselves(code: str, vector: int, back: int) -> None:
    core = with_vector(core_with("i386_real", code, of=1), vector, 0x500)
    run(core)
    assert core.state["pc"] == 0x500 and word(core, 0x7FFA) == back
    core.write(0x500, b"\xcf")
    assert run(core).state["pc"] == START + back


def test_bound_is_a_fault() -> None:
    core = with_vector(core_with("i386_real", "6207", ebx=0x600, eax=11), 5, 0x500)
    core.write(0x600, b"\x00\x00\x0a\x00")
    assert run(core).state["pc"] == 0x500 and word(core, 0x7FFA) == 0


def test_a_fault_while_the_frame_is_pushed_ends_the_run() -> None:
    core = with_vector(core_with("i386_real", "f7f1", ecx=0, esp=1), 0, 0x500)
    assert ended(run(core)) == (FAULT, 0x100)


def test_gates_of_flat_mode() -> None:
    core = core_with("i386_flat", "f7f1", ecx=0, idt_base=IDT, idt_limit=0x7FF)
    core.state["seg"][1] = 8
    core.write(IDT, (8 << 16 | 0x2000).to_bytes(4, "little") + (0x8E00).to_bytes(4, "little"))
    x86_state.put_flags(core.state, 0x202)
    run(core)
    assert core.state["pc"] == 0x2000 and core.state["r"][4] == 0x7FF4 and core.state["if"] == 0
    assert [word(core, 0x7FF4 + n, 4) for n in (0, 4, 8)] == [START, 8, 0x202]
    core.write(0x2000, b"\xcf")
    assert run(core).state["pc"] == START and core.state["if"] == 1


def test_error_codes_and_trap_gates() -> None:
    core = core_with("i386_flat", "0f22c0", eax=0x80000001, idt_base=IDT, idt_limit=0x7FF)  # paging on: exception 13
    core.write(IDT + 8 * 13, (0x2000).to_bytes(4, "little") + (0x8F00).to_bytes(4, "little"))
    x86_state.put_flags(core.state, 0x202)
    run(core)
    assert core.state["pc"] == 0x2000 and core.state["r"][4] == 0x7FF0 and core.state["if"] == 1
    assert [word(core, 0x7FF0 + n, 4) for n in (0, 4)] == [0, START]


def test_absent_gates_end_the_run() -> None:
    assert ended(run(core_with("i386_flat", "f7f1", ecx=0))) == (FAULT, 0)


def test_interrupt_request_and_its_shadows() -> None:
    core = with_vector(core_with("i386_real", "fb 90 90"), 8, 0x500)
    run(core)
    assert core.state["reason"] == STATUS_WRITTEN
    assert not accepts(core.state, 1)  # behind STI
    run(core)
    assert accepts(core.state, 1)
    Evaluator(core).between(lambda m: m.cpu.interrupt(m, 1))
    assert core.state["pc"] == 0x500 and word(core, 0x7FFA) == 2 and core.state["if"] == 0
    for code in ("8ed0", "17"):  # mov ss,ax; pop ss
        core = run(core_with("i386_real", code, **{"if": 1}))
        assert not accepts(core.state, 1)


def test_services_and_refused_ones() -> None:
    for number in range(8):
        core = run(core_with("i386_flat", f"cd{0x60 + number:02x}"))
        assert ended(core) == (SERVICE, number) and core.state["pc"] == START + 2
    core = with_vector(core_with("i386_real", "cd63"), 0x63, 0x500)
    run(core)
    Evaluator(core).refuse_service()
    assert core.state["pc"] == 0x500 and word(core, 0x7FFA) == 2
    assert run(core_with("i386_real", "cd68")).state["reason"] == FAULT  # no handler


def test_hlt_stops() -> None:
    core = run(core_with("i386_real", "f4"))
    assert core.state["reason"] == STOPPED and core.state["stopped"] and core.state["pc"] == START + 1


# --- repeats


def test_a_repeat_runs_one_iteration_a_step_and_goes_on_after_an_interrupt() -> None:
    core = with_vector(core_with("i386_real", "f3a4", ecx=3, esi=0x600, edi=0x700, es=0), 8, 0x500)
    core.write(0x600, b"abc")
    core.write(0x500, b"\xcf")
    x86_state.put_flags(core.state, 0x202)
    run(core)
    assert core.state["pc"] == START and core.state["r"][1] == 2
    Evaluator(core).between(lambda m: m.cpu.interrupt(m, 1))
    assert word(core, 0x7FFA) == 0  # back to the prefix
    run(core)
    assert core.state["pc"] == START
    assert Evaluator(core).run(2) == 2
    assert core.state["pc"] == START + 2 and core.ram[0x700:0x703].tobytes() == b"abc"


def test_a_repeat_of_none_is_one_step() -> None:
    core = run(core_with("i386_real", "f3a4", ecx=0x10000, esi=1, edi=2))  # CX is 0
    assert core.state["pc"] == START + 2 and core.state["r"][1] == 0x10000 and core.state["r"][6] == 1


def test_repe_stops_at_a_difference() -> None:
    core = core_with("i386_real", "f3a6", ecx=5, esi=0x600, edi=0x700)
    core.write(0x600, b"abxde")
    core.write(0x700, b"abcde")
    run(core, 3)
    assert core.state["pc"] == START + 2 and core.state["r"][1] == 2 and core.state["zf"] == 0


def test_a_repeat_that_faults_keeps_what_it_has_done() -> None:
    core = core_with("i386_real", "f3ab", ecx=4, edi=0xFFFB, eax=0x4142)
    run(core, 3)
    assert ended(core) == (FAULT, 13) and core.state["pc"] == START
    assert core.state["r"][1] == 2 and core.state["r"][7] == 0xFFFF


# --- ENTER (Intel 386 PRM, ENTER: operation)


def entered(model: str, code: str, esp: int, ebp: int, frames: dict[int, int], size: int):
    core = core_with(model, code, esp=esp, ebp=ebp)
    for address, value in frames.items():
        core.write(address, value.to_bytes(size, "little"))
    return run(core)


def test_enter_without_nesting() -> None:
    core = entered("i386_real", "c8100000", 0x1000, 0x2222, {}, 2)
    assert core.state["r"][5] == 0xFFE and core.state["r"][4] == 0xFFE - 0x10 and word(core, 0xFFE) == 0x2222


def test_enter_level_1_pushes_its_own_frame() -> None:
    core = entered("i386_real", "c8040001", 0x1000, 0x2222, {}, 2)
    assert core.state["r"][5] == 0xFFE and core.state["r"][4] == 0xFFC - 4
    assert (word(core, 0xFFE), word(core, 0xFFC)) == (0x2222, 0xFFE)


@pytest.mark.parametrize("level", [2, 3, 31, 33])
def test_enter_copies_the_frames_of_outer_levels(level: int) -> None:
    frames = {0x3000 - 2 * n: 0x7000 + n for n in range(1, 32)}
    core = entered("i386_real", f"c80600{level:02x}", 0x2000, 0x3000, frames, 2)
    used = level % 32
    pushed = [word(core, 0x1FFE - 2 * n) for n in range(used + 1)]
    assert pushed == [0x3000, *(0x7000 + n for n in range(1, used)), 0x1FFE]
    assert core.state["r"][5] == 0x1FFE and core.state["r"][4] == 0x1FFE - 2 * used - 6


def entered_by_the_manual(level: int, size: int, room: int, esp: int, ebp: int, memory: dict[int, int]):
    """Return ESP after ENTER, its frame pointer, and what it pushed, first to last: the manual's operation."""
    pushed = [ebp]
    esp = frame = esp - size
    if level % 32:
        for _ in range(1, level % 32):
            ebp -= size
            esp -= size
            pushed.append(memory[ebp])
        esp -= size
        pushed.append(frame)
    return esp - room, frame, pushed


@pytest.mark.parametrize("level", [0, 1, 2, 3, 17, 31, 32, 33, 255])
@pytest.mark.parametrize("model, size", [(m, s) for m in x86.MODEL_NAMES for s in (2, 4) if (m, s) != ("i286_real", 4)])
def test_enter_by_the_manual(model: str, size: int, level: int) -> None:
    """All levels are modulo 32; operands of 16 and of 32 bits. BP is all that one of 16 bits writes of EBP."""
    flat = model.endswith("flat")
    prefix = "66" if (size == 2) == flat else ""
    start, old = (0x56000, 0x43000) if flat else (0x6000, 0x3000)
    frames = {old - size * n: 0x7000 + n for n in range(1, 32)}
    core = entered(model, prefix + f"c83412{level:02x}", start, old, frames, size)
    esp, frame, pushed = entered_by_the_manual(level, size, 0x1234, start, old, frames)
    low = (1 << 8 * size) - 1
    assert core.state["reason"] == RUNNING
    assert (core.state["r"][4], core.state["r"][5]) == (esp, old & ~low | frame & low)
    assert [word(core, start - size * n, size) for n in range(1, len(pushed) + 1)] == [each & low for each in pushed]


def test_enter_and_leave_in_flat_mode() -> None:
    core = entered("i386_flat", "c8080003 c9", 0x20000, 0x30000, {0x2FFFC: 0xAAAA, 0x2FFF8: 0xBBBB}, 4)
    assert [word(core, 0x1FFFC - 4 * n, 4) for n in range(4)] == [0x30000, 0xAAAA, 0xBBBB, 0x1FFFC]
    assert core.state["r"][5] == 0x1FFFC and core.state["r"][4] == 0x1FFFC - 12 - 8
    run(core)
    assert core.state["r"][5] == 0x30000 and core.state["r"][4] == 0x20000


# --- flags and control registers


def test_popf_sets_iopl_and_nt_but_never_vm_and_ac_on_the_486_only() -> None:
    for model, expected in (("i386_flat", 0x7FD7), ("i486_flat", 0x47FD7)):
        core = core_with(model, "9d", esp=0x5000)
        core.write(0x5000, b"\xff" * 4)
        assert x86_state.flags_of(run(core).state) == expected


def test_control_registers() -> None:
    core = run(core_with("i386_flat", "0f20c0"))  # PE and ET read as ones
    assert core.state["r"][0] == 0x11
    core = run(core_with("i386_real", "0f20c0"))
    assert core.state["r"][0] == 0x10
    assert ended(run(core_with("i386_real", "0f22c0", eax=1))) == (FAULT, 13)  # no protected mode from here
    assert ended(run(core_with("i386_real", "0f01f0", eax=1))) == (FAULT, 13)  # by LMSW
    core = run(core_with("i386_real", "0f22d8 0f20d9", eax=0x1234000), 2)
    assert core.state["r"][1] == 0x1234000
    core = run(core_with("i386_real", "0f23c0 0f21c1", eax=0x5678), 2)
    assert core.state["r"][1] == 0x5678


def test_tables_are_held() -> None:
    core = core_with("i386_real", "0f011f 0f010f", ebx=0x600)
    core.write(0x600, bytes.fromhex("ff0300100099"))
    run(core)
    assert (core.state["idt_limit"], core.state["idt_base"]) == (0x3FF, 0x1000)  # 24 bits with 16-bit operands
    core.state["r"][3] = 0x700
    run(core)
    assert core.ram[0x700:0x706].tobytes() == bytes.fromhex("ff0300100000")


def test_ports_read_as_ones() -> None:
    core = run(core_with("i386_flat", "e460 ed", eax=0), 2)
    assert core.state["r"][0] == 0xFFFFFFFF
