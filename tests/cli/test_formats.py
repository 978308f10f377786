"""From a file of each format to its annotated cost with one command, on a computer without any compiler."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.helpers.rom.program_files import MZ_START, hunk_program, mz_program, prg_program

SAMPLES = Path(__file__).resolve().parents[1] / "rom" / "samples"
QUICK = ("--engine", "evaluate", "--timing", "table", "--no-interval", "--warm", 0)
MACHINES = {"m68k": "mc68000-8", "i386": "i386dx-33", "ppc": "ppc601-80"}


@pytest.fixture(autouse=True)
def no_compilers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")


@pytest.mark.parametrize("family", MACHINES)
@pytest.mark.parametrize("kind", [".o", "-pic.o", ".a", "-relocs.elf", "-shared.elf"])
def test_what_compilers_make(run, family: str, kind: str) -> None:
    """The machine comes from the file; divide() needs a function of the kit on the 68000."""
    path = SAMPLES / f"count-{family}{kind}"
    if (family, kind) == ("m68k", "-pic.o"):
        run("cost", path, "--entry", "divide").is_refused(4, "refers to draw, defined nowhere")
        return
    report = run("cost", path, "--entry", "divide", "--arg", -100, "--arg", 7, *QUICK, "--json").json()
    assert report["machine"] == MACHINES[family]
    assert report["totals"]["result"] == -100 // 7 + 1 + 1 + ord("i")  # towards 0
    names = {row["function"] for row in report["functions"]}
    assert "divide" in names and ("__divsi3" in names) == (family == "m68k")
    assert any(str(row["file"]).endswith("count.c") for row in report["lines"])


def test_small_data_of_the_powerpc(run) -> None:
    command = ("cost", SAMPLES / "count-ppc-small.o", "--entry", "divide", "--arg", -100, "--arg", 7)
    assert run(*command, *QUICK, "--json").json()["totals"]["result"] == -100 // 7 + 1 + 1 + ord("i")


@pytest.mark.parametrize("form", ["srec", "ihex"])
@pytest.mark.parametrize("family", MACHINES)
def test_records(run, family: str, form: str) -> None:
    path = SAMPLES / f"count-{family}.{form}"
    command = ("cost", path, "--entry", "0x2000", "--arg", 0x3000, "--arg", 4, *QUICK, "--json")
    run(*command).is_refused(
        4, "does not say which processor", "--machine NAME", "S-records" if form == "srec" else "hex"
    )
    report = run(*command, "--machine", MACHINES[family]).json()
    assert (report["totals"]["result"], report["entry"]["address"]) == (0, 0x2000)


@pytest.mark.parametrize("content", [hunk_program(), hunk_program(short=True)])
def test_an_amiga_executable(run, tmp_path, content: bytes) -> None:
    path = tmp_path / "count"
    path.write_bytes(content)
    report = run("cost", path, "--entry", "count", "--arg", 0x2000, "--arg", 4, *QUICK, "--json").json()
    assert (report["machine"], report["totals"]["result"]) == ("mc68000-8", 3)
    assert {(row["file"], row["line"]) for row in report["lines"]} >= {("count.s", 3), ("count.s", 6)}
    run("cost", path, "--entry", "start", *QUICK).is_refused(1, "exec.library OpenLibrary (offset -552)", "JSR")
    assert run("run", path, "--headless", "--json").json()["reason"] == "exit", "its entry returns"
    assert run("cost", path, "--entry", "count", "--machine", "mc68040-25", *QUICK, "--json").json()["caches"] is None


def test_an_atari_executable(run, tmp_path) -> None:
    path = tmp_path / "count.prg"
    path.write_bytes(prg_program())
    report = run("cost", path, "--entry", "count_solid", "--arg", 0x2100, "--arg", 4, *QUICK, "--json").json()
    assert (report["machine"], report["totals"]["result"]) == ("mc68000-8", 2)
    run("run", path, "--headless").is_refused(1, "calls GEMDOS (trap #1) function 0x09 (Cconws)", "TRAP #1")
    path.write_bytes(prg_program(long_names=False))
    command = ("cost", path, "--entry", "count_so", "--arg", 0x2100, "--arg", 4)
    assert run(*command, *QUICK, "--json").json()["totals"]["result"] == 2


def test_dos_programs(run, tmp_path) -> None:
    path = tmp_path / "count.exe"
    path.write_bytes(mz_program())
    assert run("run", path, "--headless", "--json").json()["reason"] == "exit"
    routine = hex(0x10100 + len(MZ_START))
    report = run("cost", path, "--entry", routine, "--reg", "cx=5", *QUICK, "--json").json()
    assert (report["machine"], report["model"]) == ("i386dx-33", "i386_real")
    com = SAMPLES / "count.com"
    run("run", com, "--headless").is_refused(1, "calls DOS (int 21h) function 0x09 (write a text)", "INT 0x21")
    pixels = ("--reg", "cx=5", "--reg", "si=0x0123")
    report = run("cost", com, "--entry", "0x10115", *pixels, *QUICK, "--json").json()
    assert report["totals"]["result"] & 0xFFFF == 3
    run("cost", com, "--entry", "0x10115", "--bits", 32).is_refused(2, "boot 'flat': allowed real")


def test_c_needs_a_compiler(run) -> None:
    command = ("cost", SAMPLES / "count.c", "--entry", "divide")
    run(*command).is_refused(4, "none is installed: apt-get install gcc-m68k-linux-gnu", "-c count.c")
    run(*command, "--machine", "ppc601-80").is_refused(4, "apt-get install gcc-powerpc-linux-gnu")


def test_c_with_a_compiler(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin")
    if shutil.which("m68k-linux-gnu-gcc") is None:
        pytest.skip("no cross compiler is installed")
    ran = run("cost", SAMPLES / "count.c", "--entry", "divide", "--arg", 100, "--arg", 7, *QUICK)
    assert ran.status == 0 and "m68k-linux-gnu-gcc -m68040" in ran.err and "divide" in ran.out


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (
            "a.exe",
            b"MZ" + bytes(22) + b"\x40" + bytes(35) + (64).to_bytes(4, "little") + b"PE\0\0",
            "Windows program (PE)",
        ),
        ("a.out", b"\x01\x0b" + bytes(40), "format a.out file, which cannot be loaded"),
        ("a", b"Joy!peffpwpc", "Macintosh PowerPC program (PEF), which cannot be loaded; its code calls the Toolbox"),
        ("a.o", b"\0\0\3\xe7" + bytes(8), "Amiga object file"),
        ("a.a", b"!<thin>\n", "thin archive"),
        ("a.o", b"\x7fELF\2" + bytes(60), "not a 32-bit ELF file"),
        ("a.o", b"\x4c\x01" + bytes(40), "nasm -f elf32"),
        ("a.s", b"move.l d0,d1", "assemble it first"),
        ("a.gz", b"\x1f\x8b\x08", "unpack it first"),
        ("a.txt", b"some text", "of no known format; a flat binary needs --at ADDRESS"),
        ("empty.o", b"", "is empty"),
    ],
)
def test_refusals_name_the_format_and_the_remedy(run, tmp_path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    run("cost", tmp_path / name, "--entry", "x").is_refused(4, words)
    run("run", tmp_path / name).is_refused(4, words)


def test_missing_files(run) -> None:
    for path in ("nothing.o", "a/b", "nothing.elf"):
        run("cost", path, "--entry", "x").is_refused(4, f"{path}: no such file")
    run("cost", "nothing", "--entry", "x").is_refused(4, "no such ROM; there are:")


def test_a_program_without_frames_ends(run, tmp_path) -> None:
    """for (;;); as a flat binary, as S-records, as .COM."""
    (tmp_path / "endless.bin").write_bytes(bytes.fromhex("60fe"))
    (tmp_path / "endless.srec").write_bytes(b"S105200060FE7C\n")
    (tmp_path / "endless.com").write_bytes(bytes.fromhex("ebfe"))
    for command in (
        ("endless.bin", "--at", "0x2000", "--machine", "mc68000-8"),
        ("endless.srec", "--machine", "mc68000-8"),
        ("endless.com",),
    ):
        ran = run("run", *command, "--headless", "--max-cycles", 200_000)
        assert ran.status == 5 and "budget used up: 200,000 cycles" in ran.err
