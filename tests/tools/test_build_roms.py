"""tools/build_roms.py: images are what their sources give, wherever they are built; new ROMs get theirs.

That all committed images can be rebuilt is not repeated here: `tools/build_roms.py --check` is a step of .ci/run.
What needs Free Pascal's cross compiler, which is built first for some 8 seconds, is for --full.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import build_roms
import pascal
import pytest
from image_builder import BuildError, build_image, run, without

from retrosim.errors import RomError
from retrosim.machine import open_machine
from retrosim.rom import ISAS, load_rom, load_toolchains
from retrosim.rom.manifest import read_manifest
from tests.helpers.amount import FULL, usually

TOOLCHAINS = load_toolchains()


@pytest.fixture(scope="module")
def compilers() -> None:
    for tools in TOOLCHAINS.by_name.values():
        try:
            build_roms.check_compiler(tools)
        except BuildError as error:
            pytest.skip(f"images cannot be built here: {error}")


@pytest.fixture(scope="module")
def pascal_compiler(compilers: None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield pascal.build_compiler(run, Path(folder))


@pytest.fixture
def roms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that takes the place of the checkout's roms."""
    monkeypatch.setattr(build_roms, "ROMS", tmp_path / "roms")
    (tmp_path / "roms").mkdir()
    return tmp_path / "roms"


BUILT = (
    ("sectors", "m68040", "O2"),
    ("sectors", "m68040", "period"),
    ("sectors", "m68000", "fast"),
    ("shapes", "ppc601", "O2"),  # with a table
    ("xquest", "m68000", "O2"),  # with sources of another ROM, and of its drawings
)


@pytest.mark.first_case
@pytest.mark.usefixtures("compilers")
@pytest.mark.parametrize(("name", "isa", "build"), usually(BUILT, (*BUILT, ("masks", "i386", "real"))))
def test_the_folder_does_not_show_in_the_image(
    request: pytest.FixtureRequest, tmp_path: Path, name: str, isa: str, build: str
) -> None:
    """The committed image was built in another folder than this one."""
    rom = load_rom(name)
    info = rom.image_info(isa, build)
    folder = tmp_path / "another one" / "deeper"
    folder.mkdir(parents=True)
    built = build_image(rom, info, TOOLCHAINS, folder, lambda: request.getfixturevalue("pascal_compiler"))
    assert built == (rom.path / info.file).read_bytes()
    assert str(tmp_path).encode() not in built


@pytest.mark.usefixtures("compilers")
def test_gcc_would_have_put_nops() -> None:
    """The step that drops them is needed, and drops nothing else."""
    rom = load_rom("sectors")
    command = ["m68k-linux-gnu-gcc", "-m68040", "-O0", "-ffreestanding", "-S", "-o", "-", rom.path / "src/sectors.c"]
    source = subprocess.run(command, capture_output=True, text=True, timeout=180, check=True).stdout
    rest = without(source, ("nop",))
    gone = [line for line in source.splitlines() if line not in rest.splitlines()]
    assert gone
    assert {line.strip() for line in gone} == {"nop"}
    assert len(source.splitlines()) - len(rest.splitlines()) == source.splitlines().count("\tnop")


@pytest.mark.full
@pytest.mark.usefixtures("compilers")
def test_check_finds_what_differs(roms: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(load_rom("sectors").path, roms / "sectors")
    manifest, images = roms / "sectors/rom.toml", 3
    manifest.write_text("[[images]]".join(manifest.read_text().split("[[images]]")[: images + 1]))
    source = roms / "sectors/src/objects.c"
    source.write_text(source.read_text().replace("12345", "12347"))
    assert build_roms.main(["--check", "--rom", "sectors"]) == 1
    assert capsys.readouterr().out.count("DIFFERS") == images

    assert build_roms.main([]) == 0
    assert capsys.readouterr().out.count("written") == images
    assert build_roms.main(["--check", "--jobs", "1"]) == 0
    assert capsys.readouterr().out.count(" equal\n") == images
    assert load_rom(roms / "sectors").image("m68040").sha256 != load_rom("sectors").image("m68040").sha256

    (roms / "sectors/sectors-m68040-O1.elf").unlink()
    assert build_roms.main(["--check"]) == 1
    assert "MISSING" in capsys.readouterr().out

    source.write_text("not C")
    assert build_roms.main(["--check"]) == 1
    said = capsys.readouterr()
    assert "src/objects.c:1:1: error" in said.err and said.out.count("FAILED") == images


HELLO = """format = 1
name = "hello"
title = "Sums"
library = true

[build]
sources = ["src/hello.c"]
"""


@pytest.fixture
def hello(roms: Path) -> Path:
    """A ROM as short as can be."""
    folder = roms / "hello"
    (folder / "src").mkdir(parents=True)
    (folder / "rom.toml").write_text(HELLO)
    (folder / "src" / "hello.c").write_text("int add(int a, int b)\n{\n    return a + b;\n}\n")
    return folder


@pytest.mark.full
@pytest.mark.usefixtures("compilers")
def test_a_new_rom(hello: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its first build lists the images for all processors; the next one finds them equal."""
    with pytest.raises(RomError, match="build it with tools/build_roms"):
        load_rom(hello)
    assert build_roms.main(["--rom", "hello"]) == 0
    assert capsys.readouterr().out.count("written") == len(ISAS) - 1  # not for the 286
    text = (hello / "rom.toml").read_text()
    assert text.startswith(HELLO) and text.count("[[images]]") == len(ISAS) - 1
    assert open_machine("mc68040-25", load_rom(hello), engine="evaluate").measure("add", 2, 3).result == 5

    (hello / "rom.toml").write_text(f'{text}\n[[images]]\nisa = "ppc601"\nbuild = "O0" # too\ndefault = true\n')
    assert build_roms.main(["--rom", "hello", "--check"]) == 1
    assert "MISSING" in capsys.readouterr().out
    assert build_roms.main(["--rom", "hello"]) == 0
    assert capsys.readouterr().out.count("written") == 1
    assert (hello / "rom.toml").read_text().startswith(text)
    assert load_rom(hello).image("ppc601").build == "O0"


@pytest.mark.usefixtures("compilers")
@pytest.mark.parametrize(("isa", "machine"), [("m68000", "mc68000-8"), ("i386", "i386dx-33"), ("ppc601", "ppc601-80")])
def test_a_program_without_variables(hello: Path, isa: str, machine: str) -> None:
    """The start-up code clears what there is, even if that is nothing."""
    manifest = HELLO.replace("library = true", "")
    (hello / "rom.toml").write_text(f"{manifest}[[images]]\nisa = '{isa}'\n")
    source = '#include "../../common/isa.h"\nint Main(void)\n{\n    YieldFrame();\n    return 7;\n}\n'
    (hello / "src" / "hello.c").write_text(source)
    assert build_roms.main([]) == 0
    ran = open_machine(machine, load_rom(hello), engine="evaluate").run(instructions=200)
    assert (ran.reason, ran.frames) == ("exit", 1)


@pytest.mark.first_case
@pytest.mark.usefixtures("compilers")
@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    [
        ("src/hello.c", "return a + b;", "return a +;", "src/hello.c:3:15: error: expected expression"),
        ("src/hello.c", "int a", "long long a", "undefined reference to `__divdi3'"),
        ("rom.toml", "src/hello.c", "src/hallo.c", "hello: src/hallo.c: no such file"),
        ("rom.toml", "src/hello.c", "src/hello.pas", "hello: src/hello.pas: allowed .S, .c"),
        ("rom.toml", "sources", "tables = ['src/cosines.c']\nsources", "hello: cosines.c: allowed sines.c"),
    ],
)
def test_what_does_not_build(
    hello: Path, capsys: pytest.CaptureFixture[str], file: str, old: str, new: str, reason: str
) -> None:
    """The reason is told, and nothing is written."""
    (hello / "src" / "hello.pas").touch()
    path = hello / file
    path.write_text(path.read_text().replace(old, new).replace("+ b", "/ b" if "__" in reason else "+ b"))
    before = sorted(each.relative_to(hello) for each in hello.rglob("*")), (hello / "rom.toml").read_text()
    assert build_roms.main(["--rom", "hello"]) == 1
    said = capsys.readouterr()
    assert reason in said.err and "FAILED" in said.out
    assert (sorted(each.relative_to(hello) for each in hello.rglob("*")), (hello / "rom.toml").read_text()) == before


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"hello"', '"hallo"', "name: is 'hallo', its folder 'hello'"),
        ("sources", "without = ['-O7']\nsources", "build.without: '-O7' is not among the flags in "),
        ("[build]", f"[[images]]\nisa = 'm68040'\ncompiler = 'x'\nsha256 = '{64 * '0'}'\n[build]", "does not say how"),
    ],
)
def test_what_cannot_be_built(hello: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, reason: str) -> None:
    (hello / "rom.toml").write_text(HELLO.replace(old, new, 1))
    assert build_roms.main(["--rom", "hello"]) == RomError.exit_status
    assert reason in capsys.readouterr().err


def test_hashes_go_where_they_belong(hello: Path) -> None:
    """Whatever the order of the keys, and without touching anything else."""
    entries = ['[[images]] # 1\nflags = ["-g"]\nisa = "i386"\n', '[[images]]\nisa = "i486" # 2\nflags = ["-g"]\n']
    (hello / "rom.toml").write_text(HELLO + "".join(entries))
    rom = read_manifest(hello / "rom.toml", require_built=False)
    digests = [64 * "a", 64 * "b"]
    text = build_roms.with_hashes(rom, (hello / "rom.toml").read_text(), digests)
    first, second = (f'sha256 = "{digest}"\n' for digest in digests)
    assert text == HELLO + entries[0].replace("flags", f"{first}flags") + entries[1].replace("flags", f"{second}flags")
    assert build_roms.with_hashes(rom, text, digests[::-1]) == text.replace("a" * 64, "c").replace(
        "b" * 64, "a" * 64
    ).replace('"c"', f'"{64 * "b"}"')
    (hello / "rom.toml").write_text(f"images = [{{isa = 'i386'}}]\n{HELLO}")
    rom = read_manifest(hello / "rom.toml", require_built=False)
    with pytest.raises(BuildError, match="each image needs its own table"):
        build_roms.with_hashes(rom, (hello / "rom.toml").read_text(), digests[:1])


def write_compiler(folder: Path, command: str, words: str) -> None:
    (folder / command).write_text(f"#!/bin/sh\necho '{words}'\n")
    (folder / command).chmod(0o755)


def test_missing_compiler(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build_roms.main(["--check", "--rom", "sectors"]) == 3
    assert "m68k-linux-gnu-gcc is not installed: apt-get install gcc-m68k-linux-gnu" in capsys.readouterr().err


def test_missing_free_pascal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for chain in TOOLCHAINS.by_name.values():
        write_compiler(tmp_path, chain.command, chain.version)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build_roms.main(["--check", "--rom", "masks"]) == 3
    assert "apt-get install fp-compiler-3.2.2 " in capsys.readouterr().err


def test_another_version_of_free_pascal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = {each.command: each.version for each in TOOLCHAINS.by_name.values()}
    for command, words in (said | {"fpc": "3.3.1", "nasm": "NASM version 2.16.01 compiled on a day"}).items():
        write_compiler(tmp_path, command, words)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr(pascal, "SOURCES", tmp_path)
    assert build_roms.main(["--check", "--rom", "masks"]) == 3
    wanted = "'Free Pascal 3.3.1' is installed, toolchains.toml asks for 'Free Pascal 3.2.2'; --any-version builds"
    assert wanted in capsys.readouterr().err


def test_another_version_of_the_compiler(
    hello: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write_compiler(tmp_path, "m68k-linux-gnu-gcc", "gcc 99")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert build_roms.main(["--check"]) == 3
    assert "'gcc 99' is installed, toolchains.toml asks for 'm68k-linux-gnu-gcc (" in capsys.readouterr().err
    build_roms.check_compiler(TOOLCHAINS.by_name["m68k"], any_version=True)


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


def test_what_free_pascal_writes_becomes_code_for_elf() -> None:
    """Code only, every routine under the name it has in the source; the level of the processor stays."""
    assert pascal.for_elf(COMPILED).split("\n") == [
        *("BITS 16", "CPU 286", "", "", "SECTION .text", "\tGLOBAL Twice:function", "Twice:", "..@c1:"),
        *("%LINE 7+0 unit.pas", "\t\tadd\tax,ax", "", "SECTION .text", "\tGLOBAL Other:function", "Other:"),
        *("\t\tcall\tTwice", "\t\tcall\tOther", ""),
    ]


def test_a_unit_with_data_is_refused() -> None:
    with pytest.raises(ValueError, match="al_globals: a unit may not have data"):
        pascal.for_elf(COMPILED.replace("al_rtti", "al_globals"))


@pytest.mark.skipif(not FULL, reason="without --full: a compiler is built for 8 seconds")
def test_the_assembler_refuses_386_code_for_a_286(pascal_compiler: Path, tmp_path: Path) -> None:
    shutil.copytree(load_rom("masks").path, tmp_path / "masks")
    rom = load_rom(tmp_path / "masks")
    source = rom.path / "src" / "masks.pas"
    source.write_text(source.read_text().replace("{$ASMCPU 80386}", ""))
    with pytest.raises(BuildError, match=r"masks\.pas:161: error: no instruction for this cpu level"):
        build_image(rom, rom.image_info("i386", "real"), TOOLCHAINS, tmp_path / "work", lambda: pascal_compiler)


@pytest.mark.parametrize(
    ("arguments", "reason"), [(["--rom", "nosuchrom"], "there are: bench, gallery"), (["--jobs", "0"], "1 or more")]
)
def test_wrong_usage(arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        build_roms.main(arguments)
    assert ended.value.code == 2 and reason in capsys.readouterr().err
