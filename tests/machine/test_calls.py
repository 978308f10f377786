"""Calls of routines from outside: what they cost, what they return, what is left of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrosim.asm.project import BOOTS, load_for
from retrosim.errors import RetrosimError
from retrosim.machine import PRESETS, open_machine
from tests.helpers.machine import programs
from tests.helpers.machine.flat import MACHINES
from tests.helpers.machine.programs import ENGINES, ENTRY

ROUTINES = {
    # double: move.l 4(sp),d0; add.l d0,d0; rts      differ: move.l 4(sp),d0; sub.l 8(sp),d0; rts      forever: bra self
    "code": "60fe 202f 0004 d080 4e75 202f 0004 90af 0008 4e75 60fe 4afc",
    "double": 0x1002,
    "differ": 0x100A,
    "forever": 0x1014,
    "broken": 0x1016,
}


@pytest.mark.parametrize("engine", ENGINES)
def test_measure_calls_by_the_c_convention(engine: str) -> None:
    ours = programs.machine(**ROUTINES, engine=engine)
    for number, name in enumerate([*(f"d{i}" for i in range(8)), *(f"a{i}" for i in range(7))]):
        ours.regs[name] = 0x1000 + number
    before = dict(ours.regs)
    for call, result, instructions in (
        (("double", 21), 42, 3),
        (("double", 0x90000000), 0x20000000, 3),
        (("differ", 50, 8), 42, 3),
        ((0x100A, 8, 50), 0xFFFFFFD6, 3),
    ):
        measured = ours.measure(*call)
        assert (measured.result, measured.instructions) == (result, instructions)
        assert 3 <= measured.cycles <= 100
        assert dict(ours.regs) == before


def test_measuring_again_costs_the_same() -> None:
    """Without caches also after other code, and as on another machine."""
    for timing in ("full", "table"):
        ours = programs.machine(**ROUTINES, timing=timing)
        assert len({ours.measure("differ", 5, 3) for _ in range(3)}) == 1
    ours.run(instructions=7)
    assert ours.measure("differ", 5, 3) == programs.machine(**ROUTINES, timing="table").measure("differ", 5, 3)


@pytest.mark.parametrize("engine", ENGINES)
def test_measure_that_fails_keeps_the_registers(engine: str) -> None:
    ours = programs.machine(**ROUTINES, engine=engine)
    before = dict(ours.regs)
    with pytest.raises(RetrosimError, match="forever did not return within 500 instructions"):
        ours.measure("forever", max_instructions=500)
    with pytest.raises(RetrosimError, match="MC68040: illegal instruction at 001016"):
        ours.measure("broken")
    with pytest.raises(ValueError, match="symbol 'nowhere': not in the image"):
        ours.measure("nowhere")
    assert dict(ours.regs) == before
    assert ours.measure("double", 4).result == 8


def test_measure_of_the_rom_disturbs_only_the_clock() -> None:
    """A check of the present objects gives the same flags, and the demo goes on as if nothing had been."""
    ours, plain = (open_machine("mc68040-25", engine="interpret", parameters={"objects": 60}) for _ in range(2))
    for each in (ours, plain):
        each.run(frames=3)
    before, registers = ours.world(), dict(ours.regs)
    measured = ours.measure("DetermineCollisions")
    assert ours.world() == before and dict(ours.regs) == registers
    assert measured.cycles > measured.instructions > 1000
    assert measured.instructions == ours.measure("DetermineCollisions").instructions
    for each in (ours, plain):
        each.run(frames=5)
    assert ours.world() == plain.world()


# --- calls for their results and effects


@pytest.mark.parametrize("engine", ENGINES)
def test_call_returns_what_c_would(engine: str) -> None:
    ours = programs.machine(**ROUTINES, engine=engine)
    before = dict(ours.regs)
    assert ours.call("double", 21) == 42 and ours.call("double", -21) == -42
    assert ours.call("differ", 8, 50) == -42 and ours.call(0x100A, 8, 50, returns="u32") == 2**32 - 42
    wide = 0x1234_8281
    narrow = {"u8": 0x02, "s8": 0x02, "u16": 0x0502, "s16": 0x0502, "u32": 0x2469_0502, "s32": 0x2469_0502}
    assert {kind: ours.call("double", wide, returns=kind) for kind in narrow} == narrow
    assert [ours.call("double", 0x40C0, returns=kind) for kind in ("s8", "s16", "u8", "u16")] == [
        -128,
        -32384,
        128,
        33152,
    ]
    assert dict(ours.regs) == before and ours.instructions == 3 * (3 + 1 + len(narrow) + 4)
    with pytest.raises(ValueError, match="returns 'long': allowed int, u8, s8, u16, s16, u32, s32"):
        ours.call("double", 1, returns="long")
    with pytest.raises(RetrosimError, match="forever did not return within 50 instructions"):
        ours.call("forever", max_instructions=50)
    assert dict(ours.regs) == before


@pytest.mark.parametrize("name", ["i386dx-33", "i486dx2-66"])
def test_results_of_real_mode(name: str) -> None:
    """mov ax,8001; mov dx,FFFE; ret: an int of 16 bits, a long in two registers."""
    ours = programs.machine("b80180 bafeff c3", name=name, boot="real")
    assert ours.call(ENTRY) == 0x8001 - 0x10000
    assert ours.call(ENTRY, returns="u16") == 0x8001 and ours.call(ENTRY, returns="s8") == 1
    assert ours.call(ENTRY, returns="s32") == 0xFFFE8001 - 2**32


@pytest.mark.parametrize("name", ["mc68040-25", "i386dx-33", "ppc601-80"])
def test_a_call_leaves_what_it_writes(name: str) -> None:
    """Objects placed by the ROM's own routine, in the middle of its demo; then the demo goes on."""
    ours = open_machine(name, engine="interpret", timing="off", parameters={"objects": 5, "seed": 3})
    ours.run(until="DetermineCollisions")
    registers, clock = dict(ours.regs), ours.cycles
    positions = [ours.world().columns[axis].tolist() for axis in ("px", "py")]
    flags = ours.address("gCollisionArray")
    ours.write(flags, bytes([0xAA] * 5))
    ours.call("DetermineCollisions")
    assert set(ours.mem[flags : flags + 5].tolist()) <= {0, 1}
    assert dict(ours.regs) == registers and ours.cycles >= clock
    assert [ours.world().columns[axis].tolist() for axis in ("px", "py")] == positions
    assert ours.run(frames=1).reason == "frames"


# --- caches: how warm they are, and what the first calls leave


def test_measuring_again_finds_warm_caches() -> None:
    """`fast` with one object, about 500 instructions: a third of its first clocks fill the caches."""
    ours, other = (
        open_machine("mc68040-25", build="fast", mode="harness", engine="evaluate", parameters={"objects": 1})
        for _ in range(2)
    )
    ours.run(until="DetermineCollisions")
    other.load(ours.save())
    cold, again = (ours.measure("DetermineCollisions", warm=0) for _ in range(2))
    assert again.cycles < 0.7 * cold.cycles and (cold.warm, again.warm) == (0, 0)
    assert ours.measure("DetermineCollisions").cycles == again.cycles
    assert other.measure("DetermineCollisions") == ours.measure("DetermineCollisions")


# count: addq.l #1,2000; move.l 2000,d0; rts
COUNT = {"code": "52b8 2000 2038 2000 4e75"}


@pytest.mark.parametrize("warm", [0, 1, 5])
def test_a_measured_call_has_the_effects_of_one(warm: int) -> None:
    ours = programs.machine(**COUNT, name="mc68040-25", isa="m68040")
    measured = [ours.measure(ENTRY, warm=warm) for _ in range(3)]
    assert [each.result for each in measured] == [1, 2, 3] and {each.warm for each in measured} == {warm}
    assert ours.instructions == 3 * 3
    assert (measured[0].cycles > measured[1].cycles) == (warm == 0)
    ours.warm_up(ENTRY, calls=2)
    assert ours.measure(ENTRY).result == 4


@pytest.mark.parametrize("warm", [-1, 1_000_001, 0.5])
def test_numbers_of_calls(warm: float) -> None:
    with pytest.raises(ValueError, match=r"warm .*allowed"):
        programs.machine(**COUNT).measure(ENTRY, warm=warm)


@pytest.mark.parametrize("name", MACHINES)
def test_a_call_leaves_no_pipeline_behind(name: str) -> None:
    """By the manual's table alone, which knows no caches, every call costs the same."""
    ours = open_machine(name, "objects", engine="evaluate", timing="table")
    assert len({ours.measure("Distance2D", 3, 4, 0, 0, warm=warm).cycles for warm in (0, 0, 1)}) == 1


# Behind some instructions that do nothing, from which code is still under way: six loads from lines of their own, which
# caches then have, and stores into them and into video memory, which the bus is busy with when the routine returns.
BUSY = {
    "m68k": "_start: nop\n nop\n nop\n nop\nf: {}\n rts\n",
    "x86": "_start: nop\n nop\n nop\n nop\nf: {}\n ret\n",
    "ppc": " .globl _start\n .globl f\n_start: nop\n nop\n nop\n nop\nf: lis r4,0\n lis r5,0x90\n {}\n blr\n",
}
USES = {
    "m68k": (" move.l ${0},d0", " move.l d0,${0}", " move.l d0,${1}"),
    "x86": (" mov ax,[{0}h]", " mov [{0}h],ax", " mov [{1}h],ax"),
    "ppc": (" lwz r3,0x{0}(r4)", " stw r3,0x{0}(r4)", " stw r3,{2}(r5)"),
}


@pytest.mark.parametrize("name", PRESETS)
def test_nothing_is_under_way_when_a_call_begins(tmp_path: Path, name: str) -> None:
    """So its clocks depend neither on what ran before nor on how many calls have warmed the caches."""
    family, is_real = PRESETS[name].cpu().isa.name, name == "i80286-12"
    video = 3000 if is_real else 900000  # real mode does not reach video memory
    many = "\n".join(use.format(n, video + n, n) for use in USES[family] for n in range(3000, 3600, 100))
    for routine in (many, USES[family][0].format(3000)):
        source = tmp_path / "routine.s"
        source.write_text(BUSY[family].format(routine))
        loaded = load_for(str(source), name, name, boot=BOOTS[16 if is_real else None]).program
        ours = open_machine(name, loaded, engine="evaluate")
        cold = ours.measure("f", warm=0).cycles
        clocks = [ours.measure("f", warm=warm).cycles for warm in (1, 2)]
        for _ in range(4):
            ours.run(instructions=1)
            clocks.append(ours.measure("f").cycles)
        assert len(set(clocks)) == 1
        assert (cold > clocks[0]) == bool(ours.core.cpu.caches)


# --- registers that point to the program's data

# moveq #0,d1; bsr +6; rts; then move.l a5,-(sp); move.l (-4,a5),d0; movea.l (sp)+,a5; rts
READS_A5 = {"code": "60fe 7200 6102 4e75 2f0d 202d fffc 2a5f 4e75", "reads": 0x1002, "inner": 0x1008}
# link a5,#-4; move.l (8,a5),d0; unlk a5; rts: saves a5 and sets it
FRAMES_A5 = {"code": "60fe 4e55 fffc 202d 0008 4e5d 4e75", "framed": 0x1002}


@pytest.mark.parametrize("name", ["reads", "inner"])
def test_a_pointer_to_data_that_nobody_has_set_is_refused(name: str) -> None:
    ours = programs.machine(**READS_A5, engine="evaluate")
    with pytest.raises(RetrosimError, match=rf"{name}: MOVE.l \(-4,a5\),d0 at 0x100a uses a5, which nothing has set"):
        ours.measure(name)
    ours.mem[0x3FFF] = 42
    ours.regs["a5"] = 0x4000
    assert ours.measure(name).result == 42 and ours.regs["a5"] == 0x4000


@pytest.mark.parametrize("engine", ["evaluate", "interpret"])
def test_code_that_is_written_anew_is_looked_at_again(engine: str) -> None:
    """moveq #7,d0 in place of the load: a5 is not used any more, and then it is."""
    ours = programs.machine(**READS_A5, engine=engine)
    load = ours.mem[0x100A:0x100E].tobytes()
    for _ in range(2):
        with pytest.raises(RetrosimError, match="uses a5"):
            ours.measure("inner")
        ours.write(0x100A, bytes.fromhex("7007 4e71"))
        ours.write(0x1008, bytes.fromhex("4e71"))
        ours.write(0x100E, bytes.fromhex("4e71"))
        assert [ours.measure("inner").result for _ in range(2)] == [7, 7]
        ours.write(0x1008, bytes.fromhex("2f0d"))
        ours.write(0x100A, load)
        ours.write(0x100E, bytes.fromhex("2a5f"))


def test_a_register_that_is_saved_or_set_first_is_no_pointer() -> None:
    ours = programs.machine(**FRAMES_A5, engine="evaluate")
    assert ours.call("framed", 42) == 42 and ours.regs["a5"] == 0


@pytest.mark.parametrize(
    "name, register, cleared", [("ppc601-80", "r2", "ClearCollisionArray"), ("mc68040-25", "a5", "ClearCollisionArray")]
)
def test_routines_of_1994_find_their_data(name: str, register: str, cleared: str) -> None:
    """The 601's period build has a symbol for its TOC; that of the 68K is linked for 0 in a5."""
    ours = open_machine(name, "sectors", build="period", engine="evaluate")
    array = ours.address("gCollisionArray")
    ours.mem[array : array + 200] = 1
    ours.call(cleared)
    assert ours.regs[register] == 0 and not ours.mem[array : array + 200].any()
