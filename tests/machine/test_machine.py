"""The machine: limits of a run, single steps, registers, views, what it shows of itself."""

from __future__ import annotations

import re

import numpy as np
import pytest

from retrosim.cpu.engines import tiers
from retrosim.errors import RetrosimError
from retrosim.guide import read_page
from retrosim.machine import Machine, NativeMachine, open_machine
from retrosim.machine.machine import FOR_TOOLS
from retrosim.screen.png import png_bytes
from tests.helpers.machine import programs
from tests.helpers.machine.programs import ENTRY

ENGINES = programs.ENGINES
# 1000 moveq #0,d0; 1002 addq.l #1,d0; 1004 yield_frame; 1006 bra 1002
FRAMES = "7000 5280 a000 60fa"
# 1000 moveq #0,d0; 1002 addq.l #1,d0; 1004 bra 1002
COUNT = "7000 5280 60fc"


def found(result) -> tuple:
    return result.reason, result.frames, result.instructions, result.pc


# --- limits


@pytest.fixture(params=ENGINES)
def counting(request) -> Machine:
    return programs.machine(COUNT, engine=request.param, top=0x1002, end=0x1004)


@pytest.fixture(params=ENGINES)
def framed(request) -> Machine:
    return programs.machine(FRAMES, engine=request.param, top=0x1002)


def test_frames_are_counted(framed: Machine) -> None:
    assert found(framed.run(frames=3)) == ("frames", 3, 1 + 2 + 3 + 3, 0x1006)
    assert (framed.frame_number, framed.instructions, framed.regs["d0"]) == (3, 9, 3)
    assert found(framed.run(frames=1)) == ("frames", 1, 3, 0x1006)
    assert framed.frame_instructions == 3
    assert framed.ticks == framed.frame_number == 4


def test_instructions_are_counted(counting: Machine) -> None:
    assert found(counting.run(instructions=1)) == ("instructions", 0, 1, 0x1002)
    assert found(counting.run(instructions=200)) == ("instructions", 0, 200, 0x1002)
    assert found(counting.run(instructions=1)) == ("instructions", 0, 1, 0x1004)
    assert (counting.instructions, counting.regs["d0"]) == (202, 101)


def test_cycles_end_with_the_instruction_that_reaches_them(counting: Machine) -> None:
    """The loop takes 3 clocks: addq 1, bra 2."""
    before = counting.cycles
    result = counting.run(cycles=3000)
    assert result.reason == "cycles" and 3000 <= result.cycles <= 3002
    assert result.cycles == counting.cycles - before
    assert result.instructions == pytest.approx(2000, abs=4)
    again = counting.run(cycles=1)
    assert again.instructions == 1 and again.cycles >= 1


@pytest.mark.parametrize("until", ["end", 0x1004])
def test_until_stops_before_the_instruction(counting: Machine, until: str | int) -> None:
    assert found(counting.run(until=until)) == ("until", 0, 2, 0x1004)
    assert counting.regs["d0"] == 1
    assert found(counting.run(until=until)) == ("until", 0, 0, 0x1004)  # it is already there
    counting.run(instructions=1)
    assert found(counting.run(until=until, instructions=100)) == ("until", 0, 1, 0x1004)


def test_until_is_met_again_and_again(counting: Machine) -> None:
    """Each pass of the loop, also at an address that a branch goes to, and after another one was watched."""
    for _ in range(3):
        for until in (0x1004, 0x1002):
            counting.run(instructions=1)
            assert counting.run(until=until, instructions=10).reason == "until"
    assert counting.run(instructions=1000).instructions == 1000


def test_until_the_first_of_several(counting: Machine) -> None:
    """The result says which; one that is not in the way does not matter."""
    counting.run(instructions=1)
    for _ in range(3):
        assert found(counting.run(until=["end", 0x2000, 0x1003])) == ("until", 0, 1, 0x1004)
        assert found(counting.run(until=(0x1002, 0x2000), instructions=10)) == ("until", 0, 1, 0x1002)
    assert found(counting.run(until={"top", "end"})) == ("until", 0, 0, 0x1002)
    assert counting.run(instructions=1000).instructions == 1000


@pytest.mark.parametrize("engine", ENGINES)
def test_several_stops_in_a_rom_are_all_met(engine: str) -> None:
    """As often and in the same order as one after the other, whatever is compiled as a whole."""
    first = open_machine("mc68040-25", engine="interpret", timing="off", parameters={"objects": 3})
    first.run(frames=1)  # which clears the screen
    ours = open_machine("mc68040-25", engine=engine, timing="off", parameters={"objects": 3})
    ours.load(first.save())
    names = {ours.address(name): name for name in ("DetermineCollisions", "DrawObject", "YieldFrame")}
    seen = []
    while len(seen) < 10:
        result = ours.run(until=names, instructions=10_000_000)
        assert result.reason == "until"
        seen.append(names[result.pc])
        ours.run(instructions=1)
    frame = ["DetermineCollisions", *["DrawObject"] * 3, "YieldFrame"]
    assert seen == frame * 2


def test_until_an_address_that_never_comes(counting: Machine) -> None:
    assert found(counting.run(until=0x2000, instructions=500)) == ("instructions", 0, 500, 0x1004)
    assert found(counting.run(until=0x1003, instructions=500)) == ("instructions", 0, 500, 0x1004)  # odd


@pytest.mark.parametrize("engine", ENGINES)
def test_an_odd_until_leaves_no_trace(engine: str) -> None:
    """lea $2000,a0; jmp (a0), with the loop there: a jump to code not decoded yet still arrives."""
    ours = programs.machine("41f9 0000 2000 4ed0", engine=engine)
    ours.write(0x2000, bytes.fromhex("5280 60fc"))
    ours.run(until=0x1003, instructions=1)
    assert found(ours.run(instructions=100)) == ("instructions", 0, 100, 0x2002)
    assert ours.regs["d0"] == 50


@pytest.mark.parametrize("engine", ENGINES)
def test_until_survives_a_change_of_handlers(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that only a register leads to: after a number of instructions without a handler some are compiled."""
    monkeypatch.setattr(tiers, "MISSES_TO_COMPILE", 100)
    ours = programs.machine("41f9 0000 2000 4ed0", engine=engine)  # lea $2000,a0; jmp (a0)
    ours.write(0x2000, bytes.fromhex("303c 0bb8 51c8 fffe 4e71 60fe"))  # dbra 3001 times, then NOP
    result = ours.run(until=0x2008, instructions=20_000)
    assert found(result) == ("until", 0, 2 + 1 + 3001, 0x2008)


@pytest.mark.parametrize(
    "limits, expected",
    [
        ({"frames": 2, "instructions": 4}, ("instructions", 1, 4, 0x1002)),
        ({"frames": 2, "instructions": 6}, ("frames", 2, 6, 0x1006)),  # both at once: the frame is named
        ({"frames": 2, "instructions": 7}, ("frames", 2, 6, 0x1006)),
        ({"frames": 2, "until": "top"}, ("until", 0, 1, 0x1002)),
        ({"frames": 1, "until": 0x1006}, ("frames", 1, 3, 0x1006)),
        ({"instructions": 1, "until": "top"}, ("instructions", 0, 1, 0x1002)),
        ({"frames": 5, "cycles": 1}, ("cycles", 0, 1, 0x1002)),
        ({"frames": 5, "cycles": 1_000_000}, ("cycles", 3, 9, 0x1006)),
    ],
)
def test_the_first_limit_counts(framed: Machine, limits: dict, expected: tuple) -> None:
    assert found(framed.run(**limits)) == expected


@pytest.mark.parametrize("limit", ["frames", "cycles", "instructions"])
def test_nothing_is_run_for_zero(framed: Machine, limit: str) -> None:
    state = framed.save()
    result = framed.run(**{limit: 0})
    assert found(result) == (limit, 0, 0, ENTRY) and result.cycles == 0
    assert framed.save() == state


@pytest.mark.parametrize(
    "limits, message",
    [
        ({}, "run without a limit: allowed frames, cycles, instructions or until"),
        ({"frames": -1}, "frames -1: allowed 0 or more"),
        ({"cycles": -5}, "cycles -5: allowed 0 or more"),
        ({"instructions": -(10**30)}, "instructions -1000000000000000000000000000000: allowed 0 or more"),
        ({"frames": 1, "instructions": -1}, "instructions -1: allowed"),
        ({"instructions": 1.5}, r"instructions 1\.5: allowed 0 or more, a whole number"),
        ({"frames": float("inf")}, "frames inf: allowed 0 or more, a whole number"),
        ({"cycles": float("nan")}, "cycles nan: allowed 0 or more, a whole number"),
        ({"until": "nowhere"}, "symbol 'nowhere': not in the image; it has _start, end, top"),
        ({"until": -1}, r"address -1: allowed 0\.\.16777215"),
        ({"until": 1 << 24}, r"address 16777216: allowed 0\.\.16777215"),
    ],
)
def test_wrong_limits(counting: Machine, limits: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        counting.run(**limits)
    assert counting.instructions == 0


@pytest.mark.parametrize("limit", ["cycles", "instructions", "frames"])
def test_limits_beyond_all_clocks(framed: Machine, limit: str) -> None:
    other = {"instructions": 5} if limit != "instructions" else {"frames": 2}
    assert framed.run(**{limit: 1 << 70}, **other).reason == next(iter(other))


@pytest.mark.parametrize("timing", ["off", "table", "full"])
def test_one_run_is_many_runs(timing: str) -> None:
    """On the ROM, with pieces of all sizes, across the engine's own slices."""
    whole = open_machine("mc68040-25", timing=timing, parameters={"objects": 12})
    parts = open_machine("mc68040-25", timing=timing, parameters={"objects": 12})
    whole.run(instructions=120_000)
    for piece in (1, 1, 2, 3, 5, 100, 49_888, 1, 69_999):
        assert parts.run(instructions=piece).instructions == piece
    assert whole.save() == parts.save()


# --- steps, registers, views


def test_step_returns_the_listing() -> None:
    ours = programs.machine("203c 1234 5678 48c0 60fe")
    assert ours.step() == f"001000  {'203c 1234 5678':<24} MOVE.l #$12345678,d0"
    assert ours.regs["d0"] == 0x12345678
    assert ours.step() == f"001006  {'48c0':<24} EXT.l d0"
    assert ours.listing(0x1006, 2) == [f"001006  {'48c0':<24} EXT.l d0", f"001008  {'60fe':<24} BRA $1008"]
    assert (ours.regs["pc"], ours.instructions) == (0x1008, 2)


def test_registers_by_name() -> None:
    ours = programs.machine(COUNT)
    names = [f"d{i}" for i in range(8)] + [f"a{i}" for i in range(8)] + ["pc", "vbr"]
    for number, name in enumerate(names):
        ours.regs[name] = 0x10 * number + 2
    assert [ours.regs[name] for name in names] == [0x10 * number + 2 for number in range(len(names))]
    assert set(names) | {"sr", "usp", "isp", "msp"} == set(ours.regs) and len(ours.regs) == len(list(ours.regs))
    for name, value in (("d0", -1), ("a3", 1 << 32)):
        with pytest.raises(ValueError, match=rf"{name} {value}: allowed 0\.\.4294967295"):
            ours.regs[name] = value
    for action in (lambda: ours.regs["d8"], lambda: ours.regs.__setitem__("d8", 0)):
        with pytest.raises(KeyError):
            action()
    with pytest.raises(TypeError):
        del ours.regs["d0"]


def test_the_status_register_switches_stacks() -> None:
    """S and M choose among usp, isp and msp; a7 is the active one, the others keep their values."""
    ours = programs.machine(COUNT)
    ours.regs["a7"] = 0x3000
    ours.regs["usp"], ours.regs["msp"] = 0x5000, 0x7000
    ours.regs["sr"] = 0x001F  # user
    assert (ours.regs["a7"], ours.regs["isp"], ours.regs["sr"]) == (0x5000, 0x3000, 0x001F)
    ours.regs["a7"] = 0x5500
    ours.regs["sr"] = 0x3704  # supervisor, master
    assert (ours.regs["a7"], ours.regs["usp"], ours.regs["isp"]) == (0x7000, 0x5500, 0x3000)
    ours.regs["sr"] = 0x2000  # supervisor, interrupt
    assert (ours.regs["a7"], ours.regs["msp"], ours.regs["sr"]) == (0x3000, 0x7000, 0x2000)


def test_condition_codes_are_the_programs() -> None:
    ours = programs.machine("44fc 0015 42c0 60fe")  # move #$15,ccr; move ccr,d0
    ours.run(instructions=2)
    assert ours.regs["sr"] & 0x1F == 0x15 and ours.regs["d0"] & 0xFFFF == 0x15


def test_views_are_live() -> None:
    """move.b #$41,$800000+640*2+3; move.l #$00112233,$f00008; then the host writes, and the program reads."""
    ours = programs.machine("13fc 0041 0080 0503 23fc 0011 2233 00f0 0008 2039 0000 2000 60fe")
    memory, frame, palette = ours.mem, ours.frame, ours.palette
    assert (memory.shape, memory.dtype) == ((1 << 24,), np.uint8)
    assert (frame.shape, frame.dtype, palette.shape, palette.dtype) == ((480, 640), np.uint8, (256, 3), np.uint8)
    assert palette[0].tolist() == [255, 255, 255] and palette[255].tolist() == [0, 0, 0]
    ours.run(instructions=2)
    assert memory[0x800503] == frame[2, 3] == 0x41
    assert ours.palette[2].tolist() == [0x11, 0x22, 0x33]
    memory[0x2000:0x2004] = [1, 2, 3, 4]
    ours.run(instructions=1)
    assert ours.regs["d0"] == 0x01020304


def test_written_code_is_run() -> None:
    """Through `write`, after the old code was decoded and run."""
    for engine in ENGINES:
        ours = programs.machine(COUNT, engine=engine)
        ours.run(instructions=11)
        ours.write(0x1002, bytes.fromhex("5480"))  # addq.l #2,d0
        ours.run(instructions=10)
        assert ours.regs["d0"] == 5 + 10
    with pytest.raises(ValueError, match=r"address 16777215: allowed 0\.\.16777214 for 2 bytes"):
        ours.write(0xFFFFFF, b"ab")


# --- what a machine shows of itself


def test_descriptions_are_short_and_say_what_runs() -> None:
    ours = open_machine("mc68000-8", engine="evaluate", parameters={"objects": 2})
    result = ours.run(instructions=100)
    assert repr(ours) == f"<Machine mc68000-8: sectors {ours.image.build}, frame 0, {ours.cycles:,} cycles>"
    assert repr(result) == (
        f"RunResult('instructions', frames=0, cycles={result.cycles}, instructions=100, pc={result.pc:#x})"
    )
    assert repr(programs.machine(COUNT)).startswith("<Machine mc68040-25: a program, frame 0, ")
    fault = programs.machine("4afc").run(instructions=1)
    assert "pc=0x1000, fault='MC68040: illegal instruction" in repr(fault)
    native = NativeMachine(parameters={"objects": 2})
    native.run(frames=1)
    assert repr(native) == "<NativeMachine: sectors, objects 2, seed 1994, frame 1>"
    world = repr(native.world())
    assert world.startswith(f"<World {native.hash()}: count 2, frame 1, random ") and world.endswith("collided[2]>")


def test_parts_of_a_machine_describe_themselves_in_a_line() -> None:
    ours = open_machine("mc68000-8", engine="evaluate", parameters={"objects": 2})
    size = sum(len(data) for _, data in ours.image.segments) + sum(size for _, size in ours.image.bss)
    assert repr(ours.image) == (
        f"<Image m68000 {ours.image.build}: {size:,} bytes, entry 0x1000, {len(ours.image.symbols)} symbols>"
    )
    assert repr(ours.rom).startswith("<Rom sectors: Sector collisions, 1994; ") and len(repr(ours.rom)) < 120
    assert repr(ours.preset).startswith("<Preset mc68000-8: 8 MHz ")
    ours.regs.update(dict.fromkeys(ours.regs, 0) | {"d3": 255, "pc": 0x1000})
    assert repr(ours.regs) == f"<Registers d3=0xff pc=0x1000; {len(ours.regs) - 2} more are 0>"
    ours.debugger.breakpoint("DetermineCollisions")
    assert repr(ours.debugger) == "<Debugger of mc68000-8: 1 point, at instruction 0>"
    native = NativeMachine(parameters={"objects": 2})
    native.run(frames=1)
    assert repr(native.shapes()) == "<Shapes of 2 objects: 0 pairs tested, 0 of them hit; 4 grids>"


NAMES = """
address budget call clock_hz cycles debugger engine enter exit_status frame frame_cycles frame_hz frame_instructions
frame_number frame_period hash image instructions is_compiling listing load measure mem memory_clocks mode name on
palette parameters press read readings regs reset restore retraces return_address rom run save scene screenshot
service_clocks set_input shapes snapshot spec_revision step stop_compiling text tick_hz ticks timing timing_revision
warm_up watch world write
"""


def test_dir_names_what_users_need() -> None:
    """A new name is for users and in the guide's page, or in FOR_TOOLS."""
    ours = open_machine("mc68000-8", engine="evaluate")
    assert dir(ours) == NAMES.split()
    assert all(hasattr(ours, name) for name in FOR_TOOLS)
    page = read_page("python").text
    names = [name for name in dir(ours) if name not in ("spec_revision", "timing_revision")]
    assert [name for name in names if not re.search(rf"`{name}\b|machine\.{name}\b", page)] == []


# --- what users do with it


def test_memory_by_symbol() -> None:
    ours = open_machine("mc68000-8", engine="evaluate", parameters={"objects": 2})
    ours.write("gFrame", b"\1\2\3\4")
    assert ours.read("gFrame", 4) == b"\1\2\3\4"
    assert ours.read("gFrame+2", 1) == ours.read(ours.address("gFrame") + 2, 1) == b"\3"
    ours.write("gFrame + 0x1", np.array([0x0506], np.uint16))  # bytes, whatever they are made of
    assert ours.read(hex(ours.address("gFrame")), 4) == b"\1\6\5\4"
    assert ours.read((1 << 24) - 1, 1) == b"\0" and ours.read(0, 0) == b""
    for wrong, message in (
        (lambda: ours.write("gFrome", b"?"), "symbol 'gFrome': not in the image; did you mean gFrame"),
        (lambda: ours.write("gFrame", 5), "data 5: allowed bytes; of a number, its to_bytes"),
        (lambda: ours.write("gFrame", "text"), "data 'text': allowed bytes"),
        (lambda: ours.read("gFrame", -1), r"size -1: allowed 0\.\.16777216"),
        (lambda: ours.read("gFrame-0xffff", 1), r"address -\d+: allowed 0\.\.16777215"),
        (lambda: ours.read(0xFFFFFF, 2), r"address 16777215: allowed 0\.\.16777214 for 2 bytes"),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()


@pytest.mark.parametrize("name", ["native", "mc68000-8", "i386dx-33"])
def test_keys_by_name(name: str) -> None:
    options = {} if name == "native" else {"engine": "evaluate"}
    pressed, given = (open_machine(name, "tunnel", **options) for _ in range(2))
    pressed.press("right", "fire", "right")
    given.set_input("pad", 18)
    assert pressed.hash("machine") == given.hash("machine")
    pressed.press()
    given.set_input("pad", 0)
    assert pressed.hash("machine") == given.hash("machine")
    with pytest.raises(ValueError, match="key 'space': allowed left, right, up, down, fire"):
        pressed.press("left", "space")


def test_screenshots(tmp_path) -> None:
    native = NativeMachine()
    native.run(frames=2)
    for machine in (native, open_machine("mc68000-8", engine="evaluate")):
        path = tmp_path / f"{machine.name}.png"
        picture = machine.screenshot(path)
        assert (picture.shape, picture.dtype) == ((480, 640, 3), np.uint8)
        assert (picture == machine.palette[machine.frame]).all() and (picture == machine.screenshot()).all()
        assert path.read_bytes() == png_bytes(machine.frame, machine.palette)
        with pytest.raises(RetrosimError, match="exists"):
            machine.screenshot(path)
        machine.screenshot(path, overwrite=True)


def test_a_notebook_shows_the_screen() -> None:
    native = NativeMachine()
    native.run(frames=2)
    for machine in (native, open_machine("mc68000-8", engine="evaluate")):
        assert machine._repr_png_() == png_bytes(machine.frame, machine.palette)
