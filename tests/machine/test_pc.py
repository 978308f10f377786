"""The PCs: two clocks, interrupts, waiting, services, calls in both modes, faults, single steps, states, engines.

All engines beside each other: by default one timing in each mode of a PC, with --full both.
"""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from retrosim.errors import CpuFault, IllegalInstruction, StateError
from retrosim.machine import PRESETS, Machine, NativeMachine, open_machine
from retrosim.machine.memory import STACK_START
from tests.helpers.amount import FULL, usually
from tests.helpers.machine import programs
from tests.helpers.machine.programs import ENTRY

PCS = {"i386dx-33": "i386", "i486dx2-66": "i486"}
ENGINES = ("evaluate", "interpret")
ALL_ENGINES = (*ENGINES, "recompile")
MODES = ("flat", "real")
EVALUATED = 10_000 if FULL else 4_000  # instructions of the ROM on the evaluator
TIMER, HANDLER = 8, 0x3000
TICK_HZ = Fraction(14_318_180, 12 * 65536)
RETRACE_HZ = Fraction(25_175_000, 800 * 449)


KINDS = [(name, boot, timing) for name in PCS for boot in MODES for timing in ("table", "full")]
SOME = [("i386dx-33", "flat", "full"), ("i386dx-33", "real", "table")]
SOME += [("i486dx2-66", "flat", "table"), ("i486dx2-66", "real", "full")]


@pytest.fixture(params=PCS)
def name(request) -> str:
    return request.param


def pc(code: str, name: str = "i386dx-33", boot: str = "flat", **options) -> Machine:
    return programs.machine(code, name=name, isa=PCS[name], boot=boot, **options)


def set_handler(ours: Machine, vector: int, code: str, address: int = HANDLER) -> None:
    """Write a handler and the gate or vector of it."""
    if ours.image.boot == "real":
        ours.write(4 * vector, address.to_bytes(4, "little"))
    else:
        ours.write(8 * vector, bytes((address & 255, address >> 8, 8, 0, 0, 0x8E, 0, 0)))
    ours.write(address, bytes.fromhex(code))


def tick_start(ours: Machine, number: int, rate: Fraction = TICK_HZ) -> int:
    """Return the first clock of a period, from the published ratio alone."""
    return math.ceil(number * ours.clock_hz / rate)


def approach(ours: Machine, clocks: int) -> None:
    """Let time pass until so many clocks before the next tick."""
    ours._wait_until(tick_start(ours, ours.ticks + 1) - clocks)


# --- clocks


def test_rates(name: str) -> None:
    preset = PRESETS[name]
    assert float(preset.tick_hz) == pytest.approx(18.2065, abs=0.00005)
    assert float(preset.frame_hz) == pytest.approx(70.086, abs=0.0005)
    for other in PRESETS.values():
        if other.isa.startswith("m68"):
            assert other.frame_hz == other.tick_hz


@pytest.mark.parametrize("timing", ["off", "table", "full"])
@pytest.mark.parametrize("boot", MODES)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_frame_ends_at_the_next_retrace(name: str, engine: str, boot: str, timing: str) -> None:
    ours = pc("cd60 ebfc", name, boot, engine=engine, timing=timing)  # yield_frame for ever
    for number in range(1, 12):
        ours.run(frames=1)
        assert ours.cycles == tick_start(ours, number, RETRACE_HZ)
        assert ours.retraces == ours.frame_number == number
        assert ours.ticks == math.floor(number * TICK_HZ / RETRACE_HZ)


# --- interrupts


@pytest.mark.parametrize("boot", MODES)
@pytest.mark.parametrize("engine", ENGINES)
def test_hlt_waits_for_the_tick(name: str, engine: str, boot: str) -> None:
    """sti; wait: hlt; inc eax; jmp wait; the handler increments ebx."""
    ours = pc("fb f4 40 ebfc", name, boot, engine=engine, timing="off")
    set_handler(ours, TIMER, "43 cf")
    entry = 0
    for number in range(1, 5):
        ours.run(instructions=1)
        assert ours.run(until=HANDLER, instructions=10).reason == "until"
        passed = ours.cycles - tick_start(ours, number)
        assert passed == (entry := entry or passed) > 0  # the interrupt's own clocks, counted in every mode
        assert (ours.ticks, ours.regs["eax"], ours.regs["ebx"]) == (number, number - 1, number - 1)


@pytest.mark.first_case
@pytest.mark.parametrize(("name", "boot", "timing"), usually(SOME, KINDS))
def test_interrupts_come_at_the_same_instruction_in_all_engines(name: str, boot: str, timing: str) -> None:
    """sti; count: inc eax; jmp count; the handler stores eax and the address that it returns to."""
    # mov esi,[esp]; mov [edi+5000h],eax; mov [edi+5004h],esi; add edi,8; iret
    flat = "8b3424 8987 0050 0000 89b7 0450 0000 83c708 cf"
    # mov bp,sp; mov si,[bp+0]; mov [di+5000h],ax; mov [di+5004h],si; add di,8; iret
    real = "89e5 8b7600 8985 0050 89b5 0450 83c708 cf"
    found = []
    for engine in ALL_ENGINES:
        ours = pc("fb 40 ebfd", name, boot, engine=engine, timing=timing)
        set_handler(ours, TIMER, flat if boot == "flat" else real)
        for _ in range(4):
            approach(ours, 700)
            ours.run(cycles=1500)
        stored = ours.mem[0x5000:0x5020].view("<u4").reshape(4, 2)
        assert (stored[1:, 0] > stored[:-1, 0]).all() and set(stored[:, 1].tolist()) <= {ENTRY + 1, ENTRY + 2}
        assert ours.regs["edi"] == 32
        found.append((ours.save(), stored.tolist()))
    assert found[0] == found[1] == found[2]


@pytest.mark.first_case
@pytest.mark.parametrize(("name", "boot", "timing"), usually(SOME, KINDS))
def test_an_interrupt_within_a_repeat(name: str, boot: str, timing: str) -> None:
    """sti; rep movsb of 3000 bytes; jmp to itself. The handler stores where it returns to, and how many are left."""
    # mov ecx,3000; mov esi,4000h; mov edi,6000h; mov eax,[esp]; mov [5000h],eax; mov [5004h],ecx; iret
    flat = "fb b9b80b0000 be00400000 bf00600000 f3a4 ebfe", "8b0424 a300500000 890d04500000 cf"
    # mov cx,3000; mov si,4000h; mov di,6000h; mov bp,sp; mov ax,[bp+0]; mov [5000h],ax; mov [5004h],cx; iret
    real = "fb b9b80b be0040 bf0060 f3a4 ebfe", "89e5 8b4600 a30050 890e0450 cf"
    code, handler = flat if boot == "flat" else real
    bytes_copied = bytes(n * 7 & 0xFF for n in range(3000))
    repeat = ENTRY + len(bytes.fromhex(code)) - 4
    found = []
    for engine in ALL_ENGINES:
        ours = pc(code, name, boot, engine=engine, timing=timing)
        set_handler(ours, TIMER, handler)
        ours.write(0x4000, bytes_copied)
        ours.run(instructions=5)
        approach(ours, 700)
        saves = []
        while ours.regs["pc"] != repeat + 2:
            ours.run(cycles=1111)
            saves.append(ours.save())
        back, left = ours.mem[0x5000:0x5008].view("<u4").tolist()
        assert back == repeat and 2500 < left < 2999  # 700 clocks are 50 to 250 bytes
        assert ours.mem[0x6000 : 0x6000 + 3000].tobytes() == bytes_copied and ours.regs["ecx"] == 0
        assert ours.engine == engine
        found.append(saves)
    assert found[0] == found[1] == found[2]


# one instruction is executed before the interrupt: code, how many instructions before, address returned to
SHADOWS = {
    "sti": ("fb 40 40 ebfc", 0, ENTRY + 2),
    "sti before a loop of one": ("fb ebfe", 0, ENTRY + 1),
    "mov ss": ("fb 90 8ed0 40 40 ebfc", 2, ENTRY + 5),
    "pop ss": ("fb 50 17 40 40 ebfc", 2, ENTRY + 4),
}


@pytest.mark.parametrize("boot", MODES)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("code, before, back", SHADOWS.values(), ids=SHADOWS)
def test_one_instruction_before_the_interrupt(engine: str, boot: str, code: str, before: int, back: int) -> None:
    """A tick is due when interrupts are allowed, or during the instruction that loads SS."""
    for pieces in (False, True):
        ours = pc(code, boot=boot, engine=engine)
        set_handler(ours, TIMER, "f4")
        ours.run(instructions=before)
        approach(ours, 1)
        if not before:
            ours._wait_until(ours.cycles + 10)
        if pieces:
            while ours.regs["pc"] != HANDLER and ours.instructions < 20:
                ours.run(instructions=1)
        ours.run(until=HANDLER, instructions=20)
        assert ours.regs["pc"] == HANDLER
        assert ours.instructions == before + 2
        top = ours.regs["esp"] if boot == "flat" else (ours.regs["ss"] << 4) + ours.regs["esp"]
        word = ours.mem[top : top + 4].view("<u4")[0] & (0xFFFFFFFF if boot == "flat" else 0xFFFF)
        assert word == back


@pytest.mark.parametrize("engine", ENGINES)
def test_masked_ticks_wait(engine: str) -> None:
    """cli for a while: three ticks pass, one interrupt comes with sti. inc eax; jmp: the host moves it on."""
    ours = pc("fa 40 ebfd fb 40 ebfd", engine=engine, timing="off")
    set_handler(ours, TIMER, "43 cf")
    for _ in range(3):
        approach(ours, 0)
        ours.run(instructions=10)
    assert (ours.ticks, ours.regs["ebx"]) == (3, 0)
    ours.regs["pc"] = ENTRY + 4
    ours.run(instructions=20)
    assert (ours.regs["ebx"], ours.regs["eflags"] >> 9 & 1) == (1, 1)


@pytest.mark.parametrize("boot", MODES)
@pytest.mark.parametrize("engine", ENGINES)
def test_single_steps(engine: str, boot: str) -> None:
    """pushf; pop; or ah,1; push; popf sets TF: each instruction behind it traps once done, but not INT."""
    ours = pc("9c 58 80cc01 50 9d 43 41 cd30 42 ebfe", boot=boot, engine=engine)
    set_handler(ours, 1, "47 cf")
    set_handler(ours, 0x30, "46 cf", 0x3100)
    ours.run(instructions=5)
    steps = []
    for _ in range(12):
        ours.run(instructions=1)
        steps.append(ours.regs["pc"])
    names = {HANDLER: "trap", 0x3100: "int"}
    # inc ebx trap; handler; inc ecx trap; handler; INT goes to its handler untraced, IRET restores TF; inc edx trap
    assert [names.get(step, step) for step in steps] == [
        "trap", HANDLER + 1, ENTRY + 8, "trap", HANDLER + 1, ENTRY + 9, "int", 0x3101, ENTRY + 11, "trap", HANDLER + 1,
        ENTRY + 12,
    ]  # fmt: skip
    assert (ours.regs["ebx"], ours.regs["ecx"], ours.regs["edx"], ours.regs["edi"]) == (1, 1, 1, 3)


# --- services


@pytest.mark.parametrize("boot", MODES)
@pytest.mark.parametrize("engine", ENGINES)
def test_time_and_exit(name: str, engine: str, boot: str) -> None:
    ours = pc("cd61 cd62 ebfe", name, boot, engine=engine)
    ours._wait_until(ours.clock_hz * 5000)
    ours.run(instructions=1)
    now = ours.cycles * 1_000_000 // ours.clock_hz
    assert now > 1 << 32 and (ours.regs["edx"] << 32 | ours.regs["eax"]) == now
    ours.regs["eax"] = 7
    assert ours.run(instructions=5).reason == "exit" and ours.exit_status == 7


@pytest.mark.parametrize("boot", MODES)
@pytest.mark.parametrize("engine", ENGINES)
def test_an_unknown_service_is_an_interrupt(engine: str, boot: str) -> None:
    ours = pc("cd67 90 ebfe", boot=boot, engine=engine)
    result = ours.run(instructions=5)
    reason = "interrupt 67h" if boot == "flat" else "calls expanded memory (int 67h), function 0x00"
    assert (result.reason, result.fault.reason, result.pc) == ("fault", reason, ENTRY)
    set_handler(ours, 0x67, "43 cf")
    ours.run(until=ENTRY + 2, instructions=5)
    assert (ours.regs["pc"], ours.regs["ebx"]) == (ENTRY + 2, 1)


# --- calls


@pytest.mark.parametrize("engine", ENGINES)
def test_measure_in_flat_mode(name: str, engine: str) -> None:
    """mov eax,[esp+4]; sub eax,[esp+8]; ret"""
    ours = pc("ebfe 8b442404 2b442408 c3", name, engine=engine, differ=ENTRY + 2)
    before = dict(ours.regs)
    measured = ours.measure("differ", 50, 8)
    assert (measured.result, measured.instructions) == (42, 3) and 3 <= measured.cycles <= 60
    assert ours.measure("differ", 8, 50).result == 2**32 - 42
    assert dict(ours.regs) == before
    with pytest.raises(ValueError, match="convention 'pascal': allowed c"):
        ours.measure("differ", 1, 2, convention="pascal")


@pytest.mark.parametrize("engine", ENGINES)
def test_measure_in_real_mode(name: str, engine: str) -> None:
    """Near by C: mov bp,sp; mov ax,[bp+2]; sub ax,[bp+4]; ret. Far by Pascal, the first argument deepest; it pops."""
    code = "ebfe 89e5 8b4602 2b4604 c3 89e5 8b4606 2b4604 ca0400"
    ours = pc(code, name, "real", engine=engine, near=ENTRY + 2, far=ENTRY + 11)
    before = dict(ours.regs)
    assert ours.regs["ss"] << 4 == STACK_START - 0x10000 and ours.regs["esp"] == 0
    for routine, convention in (("near", "c"), ("far", "pascal")):
        measured = ours.measure(routine, 50, 8, convention=convention)
        assert (measured.result, measured.instructions) == (42, 4)
        assert dict(ours.regs) == before
    with pytest.raises(ValueError, match=r"argument 65536: allowed -32768\.\.65535"):
        ours.measure("near", 65536, 1)


def test_code_and_stack_of_real_mode_lie_in_the_first_megabyte() -> None:
    ours = pc("ebfe", boot="real")
    with pytest.raises(ValueError, match=r"stack below 0x800000: allowed 0x10000\.\.0x100000 in real mode"):
        ours.set_stack(0x800000)
    ours.set_stack(0x40000)
    assert (ours.regs["ss"], ours.regs["esp"]) == (0x3000, 0)


def test_real_mode_reaches_all_memory() -> None:
    """Limits of 4 GiB: mov eax,12345678h; mov [dword 800000h],eax writes to the screen."""
    ours = pc("66b8 78563412 6766a3 00008000 ebfe", boot="real")
    ours.run(instructions=2)
    assert ours.mem[0x800000:0x800004].tobytes().hex() == "78563412"


def test_registers_by_name(name: str) -> None:
    for boot in MODES:
        ours = pc("ebfe", name, boot)
        ours.regs["eflags"] = 0x8D5
        ours.regs["es"], ours.regs["eax"] = 0xABCD, 0x12345678
        assert (ours.regs["eflags"], ours.regs["es"], ours.regs["eax"]) == (0x8D7, 0xABCD, 0x12345678)
        assert int(ours.core.state["seg_base"][0]) == (0xABCD0 if boot == "real" else 0)
        assert len(ours.regs) == 16
        with pytest.raises(ValueError, match=r"ds 65536: allowed 0\.\.65535"):
            ours.regs["ds"] = 0x10000


# --- faults


@pytest.mark.parametrize(
    ("code", "kind", "reason", "place"),
    [
        ("90 0f0b", IllegalInstruction, "invalid opcode", ENTRY + 1),
        ("d8c0", IllegalInstruction, "no coprocessor", ENTRY),
        ("31c9 f7f1", CpuFault, "division error", ENTRY + 2),
        ("90 f4", CpuFault, "stopped with all interrupts masked", ENTRY + 2),
        ("cc", CpuFault, "breakpoint", ENTRY),
    ],
)
@pytest.mark.parametrize("boot", MODES)
@pytest.mark.parametrize("engine", ENGINES)
def test_faults(engine: str, boot: str, code: str, kind: type, reason: str, place: int) -> None:
    result = pc(code + "ebfe", boot=boot, engine=engine).run(instructions=10)
    assert (result.reason, type(result.fault), result.fault.reason, result.pc) == ("fault", kind, reason, place)


# --- states and engines


def test_an_image_for_another_part_is_refused() -> None:
    with pytest.raises(ValueError, match="image for i486: i386dx-33 runs i386"):
        Machine("i386dx-33", programs.image("90", isa="i486"))


@pytest.mark.first_case
@pytest.mark.parametrize("timing", ["off", "full"])
def test_save_and_load_are_invisible(name: str, timing: str) -> None:
    """A run of n is a run of k, a state taken over by a fresh machine, and a run of n - k; k inside a frame."""
    whole, first, second = (open_machine(name, timing=timing, parameters={"objects": 9, "seed": 3}) for _ in range(3))
    for each in (whole, first):
        each.set_input("pad", 5)
        each.run(instructions=70_003)
    second.load(first.save())
    for each in (whole, second):
        each.run(instructions=60_000)
    assert second.save() == whole.save()
    other = open_machine(next(each for each in PCS if each != name), timing=timing, parameters=first.parameters)
    with pytest.raises(StateError, match="its machine is"):
        other.load(first.save())


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "timing"),
    usually(
        (("i386dx-33", "table"), ("i486dx2-66", "off"), ("i386dx-33", "full"), ("i486dx2-66", "full")),
        [(name, timing) for name in PCS for timing in ("off", "table", "full")],
    ),
)
def test_engines_agree_on_the_rom(name: str, timing: str) -> None:
    """Registers, memory and clocks: of the compiled engines after two frames, of all in the third."""
    parameters = {"objects": 6, "seed": 5}
    machines = [open_machine(name, engine=each, timing=timing, parameters=parameters) for each in ALL_ENGINES]
    evaluated, interpreted, recompiled = machines
    native = NativeMachine(parameters=parameters)
    native.run(frames=2)
    for each in (interpreted, recompiled):
        each.run(frames=2)
        assert each.world().difference(native.world()) is None
        assert (each.frame == native.frame).all()
    assert recompiled.engine == "recompile"
    evaluated.load(interpreted.save())
    assert len({each.save() for each in machines}) == 1
    for each in machines:
        each.run(instructions=EVALUATED)
    assert len({each.save() for each in machines}) == 1
