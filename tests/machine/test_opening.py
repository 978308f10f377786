"""Machines opened by name with whatever the command line takes: a ROM, a folder, an ELF file."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrosim.errors import RomError
from retrosim.machine import NativeMachine, open_machine
from retrosim.rom import load_program, load_rom
from tests.helpers.rom.elf_builder import elf

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
