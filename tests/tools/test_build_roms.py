"""tools/build_roms.py: the committed images are what their sources give, wherever they are built."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from retrosim.rom import load_rom, rom_names

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "build_roms.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_roms", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def compilers(tool: ModuleType) -> None:
    for tools in (each for name in rom_names() for each in load_rom(name).recipe.toolchains.values()):
        try:
            tool.check_compiler(tools)
        except tool.BuildError as error:
            pytest.skip(f"images cannot be rebuilt here: {error}")


@pytest.mark.usefixtures("compilers")
def test_committed_images_can_be_rebuilt() -> None:
    done = subprocess.run([sys.executable, TOOL, "--check"], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" equal\n") == sum(len(load_rom(name).images) for name in rom_names())


@pytest.mark.usefixtures("compilers")
@pytest.mark.parametrize(
    ("name", "isa", "build"),
    [
        *(("sectors", "m68040", build) for build in ("O0", "O2", "period")),
        ("sectors", "m68000", "fast"),
        ("masks", "i386", "real"),
        ("shapes", "ppc601", "O2"),  # with a table
        ("xquest", "m68000", "O2"),  # with sources of other ROMs, and of its drawings
    ],
)
def test_the_folder_does_not_show_in_the_image(
    tool: ModuleType, tmp_path: Path, name: str, isa: str, build: str
) -> None:
    rom = load_rom(name)
    info = rom.image_info(isa, build)
    folders = [tmp_path / "a", tmp_path / "another one" / "deeper"]
    for folder in folders:
        folder.mkdir(parents=True)
    first, second = (tool.build_image(rom, info, folder) for folder in folders)
    assert first == second == (rom.path / info.file).read_bytes()
    assert str(tmp_path).encode() not in first


@pytest.mark.usefixtures("compilers")
def test_gcc_would_have_put_nops(tool: ModuleType, tmp_path: Path) -> None:
    """The step that drops them is needed, and drops nothing else."""
    rom = load_rom("sectors")
    run = ["m68k-linux-gnu-gcc", "-m68040", "-O0", "-ffreestanding", "-S", "-o", "-", rom.path / "src/sectors.c"]
    source = subprocess.run(run, capture_output=True, text=True, timeout=60, check=True).stdout
    kept = tool.without(source, ("nop",))
    gone = [line for line in source.splitlines() if line not in kept.splitlines()]
    assert gone
    assert {line.strip() for line in gone} == {"nop"}
    assert len(source.splitlines()) - len(kept.splitlines()) == source.splitlines().count("\tnop")


@pytest.mark.usefixtures("compilers")
def test_check_finds_what_differs(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(load_rom("sectors").path, tmp_path / "sectors")
    monkeypatch.setattr(tool, "ROMS", tmp_path)
    manifest, images = tmp_path / "sectors/rom.toml", 3
    manifest.write_text("[[images]]".join(manifest.read_text().split("[[images]]")[: images + 1]))
    source = tmp_path / "sectors/src/objects.c"
    source.write_text(source.read_text().replace("12345", "12347"))
    assert tool.main(["--check", "--rom", "sectors"]) == 1
    assert capsys.readouterr().out.count("DIFFERS") == images

    assert tool.main([]) == 0
    assert capsys.readouterr().out.count("written") == images
    assert tool.main(["--check"]) == 0
    assert load_rom(tmp_path / "sectors").image("m68040").sha256 != load_rom("sectors").image("m68040").sha256

    (tmp_path / "sectors/sectors-m68040-O1.elf").unlink()
    assert tool.main(["--check"]) == 1
    assert "MISSING" in capsys.readouterr().out

    source.write_text("not C")
    assert tool.main(["--check"]) == 1
    assert "src/objects.c:1:1: error" in capsys.readouterr().err


def test_missing_compiler(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tool.main(["--check"]) == 3
    assert "m68k-linux-gnu-gcc is not installed: apt-get install gcc-m68k-linux-gnu" in capsys.readouterr().err


def test_missing_free_pascal(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for chain in load_rom("masks").recipe.toolchains.values():
        compiler = tmp_path / chain.command
        compiler.write_text(f"#!/bin/sh\necho '{chain.version}'\n")
        compiler.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tool.main(["--check", "--rom", "masks"]) == 3
    assert "apt-get install fp-compiler-3.2.2 " in capsys.readouterr().err


def test_other_version_of_free_pascal(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = {each.command: each.version for each in load_rom("masks").recipe.toolchains.values()}
    for command, words in (said | {"fpc": "3.3.1", "nasm": "NASM version 2.16.01 compiled on a day"}).items():
        (tmp_path / command).write_text(f"#!/bin/sh\necho '{words}'\n")
        (tmp_path / command).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr(tool.pascal, "SOURCES", tmp_path)
    assert tool.main(["--check", "--rom", "masks"]) == 3
    wanted = "Free Pascal 3.3.1, NASM version 2.16.01 are installed, rom.toml asks for Free Pascal 3.2.2, NASM"
    assert wanted in capsys.readouterr().err


COMPILED = """BITS 16
CPU 286

EXTERN\tRTTI_$SYSTEM_$$_WORD$indirect
; Begin asmlist al_pure_assembler

SECTION UNIT_TEXT use16 class=CODE align=1
\tGLOBAL UNIT_$$_TWICE$WORD$$WORD
UNIT_$$_TWICE$WORD$$WORD:
\tGLOBAL Twice
Twice:
..@c1:
%LINE 7+0 unit.pas
\t\tadd\tax,ax
; Begin asmlist al_procedures

SECTION UNIT_TEXT
UNIT_$$_TWICE$crc12:
\tGLOBAL Other
Other:
\t\tcall\tUNIT_$$_TWICE$WORD$$WORD
\t\tcall\tUNIT_$$_TWICE$crc12
; Begin asmlist al_rtti

SECTION data use16 class=DATA align=2
RTTI_$UNIT_$$_T\tDB 29,5
"""


def test_what_free_pascal_writes_becomes_code_for_elf(tool: ModuleType) -> None:
    """Code only, every routine under the name it has in the source; the level of the processor stays."""
    assert tool.pascal.for_elf(COMPILED).split("\n") == [
        *("BITS 16", "CPU 286", "", "", "SECTION .text", "\tGLOBAL Twice:function", "Twice:", "..@c1:"),
        *("%LINE 7+0 unit.pas", "\t\tadd\tax,ax", "", "SECTION .text", "\tGLOBAL Other:function", "Other:"),
        *("\t\tcall\tTwice", "\t\tcall\tOther", ""),
    ]


def test_a_unit_with_data_is_refused(tool: ModuleType) -> None:
    with pytest.raises(ValueError, match="al_globals: a unit may not have data"):
        tool.pascal.for_elf(COMPILED.replace("al_rtti", "al_globals"))


@pytest.mark.usefixtures("compilers")
def test_the_assembler_refuses_386_code_for_a_286(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(load_rom("masks").path, tmp_path / "masks")
    monkeypatch.setattr(tool, "ROMS", tmp_path)
    source = tmp_path / "masks/src/masks.pas"
    source.write_text(source.read_text().replace("{$ASMCPU 80386}", ""))
    assert tool.main(["--check", "--rom", "masks"]) == 1
    assert "masks.pas:161: error: no instruction for this cpu level" in capsys.readouterr().err


def test_other_version_of_the_compiler(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    compiler = tmp_path / "m68k-linux-gnu-gcc"
    compiler.write_text("#!/bin/sh\necho gcc 99\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert tool.main(["--check"]) == 3
    assert "is 'gcc 99', rom.toml asks for" in capsys.readouterr().err


def test_unknown_rom(tool: ModuleType) -> None:
    with pytest.raises(SystemExit) as ended:
        tool.main(["--rom", "nosuchrom"])
    assert ended.value.code == 2
