"""Opening machines: names, files, parameters, modes, inputs, images without a manifest; many machines side by side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from retrosim.errors import RetrosimError, RomError
from retrosim.machine import MACHINE_NAMES, PRESETS, Machine, NativeMachine, open_machine
from retrosim.rom import load_program, load_rom
from tests.helpers.machine import programs
from tests.helpers.rom.elf_builder import elf

COUNT = "7000 5280 60fc"  # moveq #0,d0; addq.l #1,d0; bra to it


@pytest.mark.full
def test_parameters_reach_the_program() -> None:
    ours = open_machine("mc68040-25", parameters={"objects": 7, "seed": 5})
    assert ours.parameters == {"objects": 7, "seed": 5}
    assert open_machine("mc68040-25").parameters == {"objects": 200, "seed": 1994}
    ours.run(frames=1)
    assert len(ours.world().columns["px"]) == 7
    ours.parameters["objects"] = 9
    ours.reset()
    ours.run(frames=1)
    assert len(ours.world().columns["px"]) == 9 and ours.frame_number == 1


def test_the_harness_alone_takes_no_objects() -> None:
    """The "0 objects" row of 1994."""
    assert open_machine("mc68040-25", mode="harness", parameters={"objects": 0}).parameters["objects"] == 0
    with pytest.raises(ValueError, match=r"objects 0: allowed 1\.\.200"):
        open_machine("mc68040-25", parameters={"objects": 0})


@pytest.mark.parametrize(
    "options, message",
    [
        ({"parameters": {"objects": 201}}, r"objects 201: allowed 1\.\.200"),
        ({"parameters": {"objects": -1}, "mode": "harness"}, r"objects -1: allowed 0\.\.200"),
        ({"parameters": {"seed": 1 << 32}}, r"seed 4294967296: allowed 0\.\.4294967295"),
        ({"parameters": {"size": 3}}, "parameter 'size': allowed objects, seed"),
        ({"mode": "game"}, "mode 'game': allowed demo, harness"),
        ({"engine": "fast"}, "engine 'fast': allowed auto, evaluate"),
        ({"timing": "exact"}, "timing 'exact': allowed off, table, full"),
        ({"build": "O9"}, "O9"),
        ({"parameters": {"objects": 1.5}}, r"objects 1\.5: allowed 1\.\.200, a whole number"),
        ({"parameters": {"objects": "5"}}, "objects '5': allowed"),
        ({"parameters": {"seed": None}}, "seed None: allowed"),
        ({"parameters": {"objects": True}}, "objects True: allowed"),
        ({"service_clocks": 0.5}, r"service_clocks 0\.5: allowed 0\.\.1000000, a whole number"),
        ({"service_clocks": -1}, r"service_clocks -1: allowed 0\.\.1000000"),
        ({"memory_clocks": {"write": 2.5}}, r"write 2\.5: allowed 0\.\.1000, a whole number"),
        ({"memory_clocks": {"write": 1001}}, r"write 1001: allowed 0\.\.1000"),
        ({"memory_clocks": {"copyback": 2}}, r"copyback 2: allowed 0\.\.1"),
        ({"memory_clocks": {"writes": 2}}, r"memory parameter 'writes': allowed .*, copyback 0\.\.1"),
        ({"memory_clocks": {"first_read": 12}}, r"line_read 11: allowed 12\.\.1000 with first_read 12"),
    ],
)
def test_wrong_options(options: dict, message: str) -> None:
    with pytest.raises((ValueError, RetrosimError), match=message):
        open_machine("mc68040-25", **options)


def test_machines_by_name() -> None:
    assert set(MACHINE_NAMES) == {*PRESETS, "native"}
    with pytest.raises(ValueError, match=r"machine 'mc68060-50': allowed .*mc68040-25.*native"):
        open_machine("mc68060-50")
    assert isinstance(open_machine("native"), NativeMachine)
    with pytest.raises(ValueError, match="image for i386: mc68040-25 runs m68040"):
        Machine("mc68040-25", programs.image("90", isa="i386"))


def test_an_image_without_a_manifest() -> None:
    ours = programs.machine(COUNT)
    assert ours.rom is None and ours.parameters == {}
    with pytest.raises(ValueError, match="no world"):
        ours.world()
    with pytest.raises(ValueError, match="parameter 'objects': allowed none"):
        Machine("mc68040-25", programs.image(COUNT), parameters={"objects": 3}, engine="evaluate")


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    ours = open_machine("mc68040-25", parameters={"objects": np.int16(7)}, memory_clocks={"write": np.uint8(9)})
    assert type(ours.parameters["objects"]) is int and ours.memory_clocks["write"] == 9
    ours.set_input("pad", np.int64(3))


@pytest.mark.parametrize("value", [0, 201, 1.5, "9"])
def test_reset_checks_edited_parameters(value: object) -> None:
    ours = open_machine("mc68040-25", parameters={"objects": 9})
    ours.run(frames=1)
    before = ours.hash("machine")
    ours.parameters["objects"] = value
    with pytest.raises(ValueError, match=r"objects .*: allowed 1\.\.200"):
        ours.reset()
    assert ours.hash("machine") == before and ours.frame_number == 1
    del ours.parameters["objects"]
    ours.parameters["speed"] = 5
    with pytest.raises(ValueError, match="parameter 'speed': allowed objects, seed"):
        ours.reset()
    del ours.parameters["speed"]
    ours.reset()
    assert ours.parameters == {"objects": 200, "seed": 1994} and ours.frame_number == 0


def test_modes_of_timing_are_those_of_the_cpu() -> None:
    assert open_machine("mc68040-25", timing="causes").timing == "causes"
    with pytest.raises(ValueError, match=r"timing 'causes': allowed off, table, full$"):
        open_machine("mc68000-8", timing="causes")


@pytest.mark.parametrize("device, value", [("mouse", 0), ("pad", -1), ("pad", 32), ("pad", 1.5), ("pad", "1")])
def test_wrong_input(device: str, value: int) -> None:
    ours = programs.machine(COUNT)
    with pytest.raises(ValueError, match=f"{device}.*allowed"):
        ours.set_input(device, value)
    assert not ours.mem[0xF00400:0xF00404].any()
    ours.set_input("pad", 31)
    assert ours.mem[0xF00400:0xF00404].tolist() == [0, 0, 0, 31]


def test_many_machines_do_not_disturb_each_other() -> None:
    """Turns of different lengths, inputs and parameters against each alone; one ROM object serves them all."""
    rom = load_rom("sectors")

    def opened(i: int) -> Machine:
        ours = open_machine("mc68040-25", rom, parameters={"objects": 10 + 5 * i, "seed": i})
        ours.set_input("pad", i)
        return ours

    together = [opened(i) for i in range(4)]
    for turn in range(6):
        for i, ours in enumerate(together):
            ours.run(instructions=1000 * (i + 1) + turn)
    for i, ours in enumerate(together):
        alone = opened(i)
        alone.run(instructions=6000 * (i + 1) + 15)
        assert alone.hash("machine") == ours.hash("machine")


@pytest.mark.first_case
@pytest.mark.parametrize("kind", ["world", "machine"])
def test_hashes(kind: str) -> None:
    ours, other = (open_machine("mc68040-25", parameters={"objects": 5}) for _ in range(2))
    ours.run(frames=2)
    other.run(frames=2)
    assert ours.hash(kind) == other.hash(kind) and len(ours.hash(kind)) == 16
    other.run(frames=1)
    assert ours.hash(kind) != other.hash(kind)
    with pytest.raises(ValueError, match="hash 'cycles': allowed world, machine"):
        ours.hash("cycles")


def test_readings_are_part_of_what_clocks_depend_on() -> None:
    """A loop of SUBA, whose price is read in two ways: other clocks, another revision, and states are not exchanged."""
    code = "91c1 " * 4 + "60f6"  # suba.l d1,a0 four times; bra to the first
    usual, other = programs.machine(code), programs.machine(code, readings={"adda-suba": "adda"})
    for each in (usual, other):
        each.run(instructions=500)
    assert other.cycles > 1.3 * usual.cycles
    assert usual.readings["adda-suba"] == "printed" and other.readings["adda-suba"] == "adda"
    assert other.timing_revision == f"{usual.timing_revision} adda-suba=adda"
    with pytest.raises(RetrosimError, match="adda-suba=adda"):
        usual.load(other.save())
    with pytest.raises(ValueError, match=r"^reading 'adda-sub': allowed .*; did you mean adda-suba\?$"):
        programs.machine(code, readings={"adda-sub": "printed"})


def test_compiled_code_is_kept_apart_by_readings() -> None:
    code = "91c1 " * 4 + "60f6"
    counts = {}
    for engine in ("evaluate", "interpret", "recompile"):
        for option in ("printed", "adda"):
            machine = programs.machine(code, engine=engine, readings={"adda-suba": option})
            machine.run(instructions=500)
            counts[engine, option] = machine.cycles
    assert len(set(counts.values())) == 2, counts


I386 = 3
LOOP = {"m68k": bytes.fromhex("5280 60fc"), "x86": bytes.fromhex("40 ebfd")}  # count in d0, in eax


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    found = {"m68k": tmp_path / "count.elf", "x86": tmp_path / "count.bin"}
    found["m68k"].write_bytes(elf([(0x1000, LOOP["m68k"], 4)]))
    found["x86"].write_bytes(elf([(0x1000, LOOP["x86"], 3)], machine=I386, order="<"))
    return found


@pytest.mark.parametrize("name", ["mc68000-8", "mc68040-25", "i386dx-33", "i486dx2-66"])
def test_an_elf_file_runs_on_every_machine_of_its_family(name: str, files: dict[str, Path]) -> None:
    """By its content, whatever it is called; as a path and as text."""
    path, register = (files["m68k"], "d0") if name.startswith("mc") else (files["x86"], "eax")
    for given in (path, str(path)):
        ours = open_machine(name, given, engine="evaluate")
        assert ours.rom is None and ours.image.isa == ours.preset.isa
        ours.run(instructions=9)
        assert ours.regs[register] == 5


def test_programs_that_a_machine_cannot_run(files: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="image for i386: mc68040-25 runs m68040"):
        open_machine("mc68040-25", files["x86"])
    with pytest.raises(ValueError, match="machine 'native': runs the routines of ROMs, not an image of machine code"):
        open_machine("native", files["m68k"])
    with pytest.raises(RomError, match="no such file"):
        open_machine("mc68040-25", tmp_path / "nothing.elf")
    (tmp_path / "cut.elf").write_bytes(files["m68k"].read_bytes()[:60])
    with pytest.raises(RomError, match=r"cut\.elf: .*truncated"):
        open_machine("mc68040-25", tmp_path / "cut.elf")


def test_roms_by_name_folder_and_manifest() -> None:
    folder = load_rom("tunnel").path
    for given in ("tunnel", folder, folder / "rom.toml", str(folder)):
        assert load_program(given) == load_rom("tunnel")
        assert isinstance(open_machine("native", given), NativeMachine)
    assert load_program("tunnel", "i386") == load_rom("tunnel"), "which machine it is for does not matter to a ROM"


def test_what_an_image_starts_in(files: dict[str, Path]) -> None:
    assert load_program(files["x86"], "i486", "real").boot == "real"
    with pytest.raises(ValueError, match="boot 'real': allowed none on m68040"):
        load_program(files["m68k"], "m68040", "real")
