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
    report = run("cost", path, "--entry", routine, "--reg", "cx=5", "--reg", "si=0", *QUICK, "--json").json()
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


def test_an_assembly_source(run, tmp_path) -> None:
    path = tmp_path / "twice.s"
    path.write_text("twice:  move.l 4(sp),d0\n        add.l d0,d0\n        rts\n")
    command = ("cost", path, "--entry", "twice", "--arg", 21, *QUICK)
    report = run(*command, "--json").json()
    assert (report["machine"], report["totals"]["result"]) == ("mc68040-25", 42)
    assert run(*command, "--machine", "mc68000-8", "--json").json()["machine"] == "mc68000-8"
    path.write_text("twice:  no.l d0\n")
    run(*command).is_refused(4, "twice.s:1:")


def test_what_a_routine_is_called_with(run, tmp_path) -> None:
    """start: count bytes of `pixels`, which `init` or the options write; a2 and d2 are arguments."""
    path = tmp_path / "count.s"
    path.write_text(
        "count:  moveq #0,d0\nnext:   tst.b (a2)+\n        beq.s zero\n        addq.l #1,d0\n"
        "zero:   subq.w #1,d2\n        bne.s next\n        neg.l d0\n        rts\n"
        "init:   move.l #$01010101,pixels\n        rts\n        section .data\npixels: dc.l 0,0\n"
    )
    (tmp_path / "two.bin").write_bytes(b"\1\1")
    command = ("cost", path, "--entry", "count", "--reg", "a2=pixels", "--reg", "d2=8", *QUICK)
    for options, found in (
        ((), 0),
        (("--mem", "pixels=00ff01"), 2),
        (("--load", "two.bin@pixels"), 2),
        (("--before", "init"), 4),
        (("--load", "two.bin@pixels", "--before", "init", "--mem", "pixels=ffffffffffffff"), 7),
    ):
        totals = run(*command, *options, "--json").json()["totals"]
        assert (totals["result_signed"], totals["result"]) == (-found, -found & 0xFFFFFFFF)
    out = run(*command, "--before", "init").out
    assert "result -4 (4294967292 unsigned, 0xfffffffc)" in out and "a2=0x" in out
    for options, words in (
        (("--reg", "x9=1"), "register 'x9': allowed d0"),
        (("--reg", "d0=nowhere"), "symbol 'nowhere': not in the image"),
        (("--mem", "pixels=0"), "two hexadecimal digits"),
        (("--load", "two.bin"), "allowed FILE@ADDRESS"),
        (("--load", "two.bin@nowhere"), "symbol 'nowhere'"),
        (("--arg", "1.5"), "no machine here has an FPU"),
        (("--before", "nothing"), "symbol 'nothing': not in the image"),
        (("--convention", "regparm"), "allowed c, pascal"),
    ):
        run(*command, *options).is_refused(2, words)
    run(*command, "--load", "three.bin@pixels").is_refused(4, "three.bin: no such file")


@pytest.mark.parametrize(
    ("family", "convention", "arguments"), [("i386", "regparm", (3, 4, 5, 6)), ("m68k", "pascal", (3, 4))]
)
def test_conventions(run, tmp_path, family: str, convention: str, arguments: tuple[int, ...]) -> None:
    path = tmp_path / "sum.bin"
    # lea eax,[eax+edx*2]; lea eax,[eax+ecx*4]; add eax,[esp+4]; ret
    # move.l 8(sp),d0; lsl.l #1,d0; add.l 4(sp),d0; movea.l (sp)+,a0; addq.l #8,sp; jmp (a0)
    code = {"i386": "8d0450 8d0488 03442404 c3", "m68k": "202f0008 e388 d0af0004 205f 508f 4ed0"}[family]
    path.write_bytes(bytes.fromhex(code))
    command = ("cost", path, "--at", "0x2000", "--entry", "0x2000", "--machine", MACHINES[family])
    given = [each for word in arguments for each in ("--arg", word)]
    report = run(*command, "--convention", convention, *given, *QUICK, "--json").json()
    assert report["totals"]["result"] == (3 + 2 * 4 + 4 * 5 + 6 if family == "i386" else 2 * 3 + 4)


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
