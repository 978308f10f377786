"""`retrosim cost`: tables, JSON, CSV, refusals."""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import shutil
import subprocess

import pytest

from retrosim.cli.commands.cost.call import argument
from retrosim.cli.opening import Chosen
from retrosim.machine import open_machine
from retrosim.version import __version__
from tests.helpers.amount import FULL
from tests.helpers.study.cost_programs import ADDRESS, ENDLESS, SUM, write_elf


@pytest.fixture
def program(tmp_path) -> str:
    return str(write_elf(tmp_path / "sum.elf", SUM, sum_up=ADDRESS))


def test_json_of_a_users_program(run, program) -> None:
    report = run("cost", program, "--entry", "sum_up", "--machine", "mc68000-8", "--arg", "0x5", "--json").json()
    assert (report["machine"], report["clock_hz"], report["arguments"]) == ("mc68000-8", 8_000_000, [5])
    assert (report["totals"]["cycles"], report["totals"]["result"]) == (168, 15)
    assert {"model", "timing", "build", "entry", "caches", "functions", "lines", "listing"} <= set(report)


def test_the_same_file_on_both_models(run, tmp_path) -> None:
    marked = write_elf(tmp_path / "marked.elf", SUM, flags=0x01000000, sum_up=ADDRESS)
    for path in (marked, write_elf(tmp_path / "plain.elf", SUM, sum_up=ADDRESS)):
        for machine in ("mc68000-8", "mc68040-25"):
            report = run("cost", path, "--entry", "0x2000", "--machine", machine, "--arg", 5, "--json").json()
            assert (report["totals"]["instructions"], report["totals"]["result"]) == (19, 15)
            assert (report["caches"] is None) == (machine == "mc68000-8")


@pytest.mark.full
def test_shipped_rom_after_its_first_frame(run) -> None:
    command = ("cost", "sectors", "--build", "O2", "--entry", "DetermineCollisions", "--objects", 5)
    report = run(*command, "--json").json()
    machine = open_machine("mc68040-25", "sectors", build="O2", parameters={"objects": 5})
    machine.run(frames=1)
    measured = machine.measure("DetermineCollisions")
    assert (report["totals"]["cycles"], report["totals"]["instructions"]) == (measured.cycles, measured.instructions)
    assert (report["build"], report["timing"]) == ("O2", "full")
    assert sum(report["totals"]["causes"].values()) == measured.cycles
    command += ("--no-interval",)
    slow = run(*command, "--json", "--memory", "copyback=0").json()
    assert slow["totals"]["causes"]["stores"] > report["totals"]["causes"]["stores"]
    run(*command, "--timing", "table", "--memory", "copyback=0").is_refused(2, "timing 'table' has neither")
    table = run(*command, "--json", "--timing", "table").json()
    assert table["timing"] == "table" and table["caches"] is None
    assert {row["function"] for row in table["functions"]} >= {"CalcCollisionsInSector", "UpdateSectors"}


def test_readings_of_the_mode_that_an_image_starts_in(run) -> None:
    """The i486 has a reading more in real mode."""
    command = ("cost", "masks", "--entry", "TouchDword", "--convention", "pascal", "--machine", "i486dx2-66", "--json")
    command += tuple(word for each in (0, 0x8000, 0, 0x9000, 16, 5) for word in ("--arg", each))
    given = ("--no-interval", "--reading", "interlock=printed")
    report = run(*command, "--build", "real", *given).json()
    assert report["readings_changed"] == {"interlock": "printed"} and report["model"] == "i486_real"
    assert report["totals"]["cycles"] <= run(*command, "--build", "real", "--no-interval").json()["totals"]["cycles"]
    flat = run(*command[:2], "--machine", "i486dx2-66", "--build", "flat", "--entry", "TouchLong", *given)
    flat.is_refused(2, "reading 'interlock': allowed index-clock, byte-writes, pop-memory, segment-load on i486dx2-66")


def test_registers_of_a_call(run, tmp_path) -> None:
    """move.l (-4,a5),d0; rts"""
    path = write_elf(tmp_path / "data.elf", "202D FFFC 4E75", first=ADDRESS)
    command = ("cost", path, "--entry", "first", "--machine", "mc68000-8")
    run(*command).is_refused(1, "first: MOVE.l (-4,a5),d0 at 0x2000 uses a5, which nothing has set")
    assert run(*command, "--reg", "a5=0x2004", "--json").json()["totals"]["result"] == 0x202DFFFC
    run(*command, "--reg", "r2=1").is_refused(2, "register 'r2': allowed d0")
    run(*command, "--reg", "sr=65536").is_refused(2, "sr 65536: allowed -32768..65535")


def test_a_rom_without_the_routine_is_refused_at_once(run, monkeypatch) -> None:
    """Nothing is opened, and so nothing compiled."""
    monkeypatch.setattr(Chosen, "open", lambda chosen, note: pytest.fail("opened"))
    run("cost", "sectors").is_refused(2, "--entry: which routine? There are ")
    run("cost", "sectors", "--entry", "Determine").is_refused(2, "symbol 'Determine': not in the image")
    run("cost", "sectors", "--machine", "all").is_refused(2, "--entry: which routine? There are ")


def test_registers_that_nothing_has_set(run, tmp_path) -> None:
    """move.l (a0)+,(a1)+; add.l d0,d0; rts: each is named once, on stderr and in JSON, whatever is printed."""
    path = write_elf(tmp_path / "copy.elf", "22D8 D080 4E75", first=ADDRESS)
    command = ("cost", path, "--entry", "first", "--machine", "mc68000-8")
    said = "retrosim: read before anything has set them, and taken as 0: {}; to give them values: {}\n"
    for form in ((), ("--csv",)):
        assert run(*command, *form).err == said.format("a0, a1, d0", "--reg a0=N --reg a1=N --reg d0=N")
    some = run(*command, "--reg", "a0=0x3000", "--reg", "a1=n", "--sweep", "n=0x3000..0x3010:16", "--json")
    assert some.err == said.format("d0", "--reg d0=N") and json.loads(some.out)["unset_registers"] == ["d0"]
    report = run(*command, "--reg", "a0=0x3000", "--reg", "a1=0x3000", "--reg", "d0=0", "--json").json()
    assert report["unset_registers"] == []


def test_a_report_says_how_to_repeat_it(run, program, tmp_path) -> None:
    """Program, machine, version and command line: as text, as JSON, on the page."""
    command = ("cost", program, "--entry", "sum_up", "--arg", "5", "--machine", "mc68000-8")
    page = tmp_path / "page.html"
    line = " ".join(("retrosim", *command, "--html", str(page)))
    text, html = run(*line.split()[1:]).out, page.read_text()
    for said in (program, "mc68000-8 (MC68000, 8 MHz)", line):
        assert said.replace(" ", "") in "".join(text.split()) and f"<dd>{said}</dd>" in html
    assert f"retrosim {__version__}" in text and f"retrosim {__version__}" in html
    report = run(*command, "--json").json()
    assert (report["program"], report["parameters"], report["version"]) == (program, {}, __version__)
    assert report["command"] == " ".join(("retrosim", *command, "--json"))


def test_csv_is_the_listing(run, program) -> None:
    ran = run("cost", program, "--entry", "sum_up", "--arg", 5, "--csv")
    assert (ran.status, ran.err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert [row["address"] for row in rows] == ["002000", "002004", "002006", "002008", "00200A", "00200C", "00200E"]
    assert {"text", "visits", "cycles", "base", "stalls", "entry", "source"} <= set(rows[0])
    assert sum(int(row["visits"]) for row in rows) == 19


@pytest.mark.first_case
@pytest.mark.parametrize("machine", ["mc68000-8", "mc68040-25"])
def test_text_fits_80_columns(run, tmp_path, machine) -> None:
    long = "a_function_with_a_name_as_long_as_those_of_cplusplus_" * 3
    path = write_elf(tmp_path / "long.elf", SUM, **{long: ADDRESS})
    own = ("cost", path, "--entry", long, "--machine", machine, "--arg", 500)
    build = "O0" if FULL else "O2"
    rom = ("cost", "sectors", "--build", build, "--entry", "DetermineCollisions", "--machine", machine, "--objects", 5)
    for command in (own, rom):
        ran = run(*command)
        assert (ran.status, ran.err) == (0, "")
        assert max(len(line) for line in ran.out.splitlines()) <= 80
        assert "cycles per instruction" in ran.out and "Executed instructions" in ran.out
        assert ("data cache:" in ran.out) == (machine == "mc68040-25")
        assert ("Hottest source lines" in ran.out) == (command is rom)
        assert ("What the clocks went to" in ran.out) == (machine == "mc68040-25")
    assert "sectors.c:" in ran.out and "RTS" in ran.out and "Hottest functions" in ran.out


def test_a_routine_that_does_not_return(run, tmp_path) -> None:
    path = write_elf(tmp_path / "endless.elf", ENDLESS, endless=ADDRESS)
    ran = run("cost", path, "--entry", "endless", "--max-instructions", 5000)
    ran.is_refused(1, "endless did not return within 5000 instructions")
    run("cost", path, "--entry", "endless").is_refused(1, "within 2000000 instructions")
    write_elf(path, "4AFC", bad=ADDRESS)
    run("cost", path, "--entry", "bad").is_refused(1, "MC68040", "002000")


def test_bad_files(run, program, tmp_path) -> None:
    broken = tmp_path / "broken.elf"
    broken.write_bytes((tmp_path / "sum.elf").read_bytes()[:60])
    run("cost", broken, "--entry", "sum_up").is_refused(4, "broken.elf")
    broken.write_bytes(b"no program")
    run("cost", broken, "--entry", "sum_up").is_refused(4, "broken.elf")
    run("cost", "nowhere.elf", "--entry", "sum_up").is_refused(4, "nowhere.elf")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--entry", "sum_op"), "symbol 'sum_op': not in the image; did you mean sum_up?"),
        (("--entry", "0x9000"), "address 0x9000"),
        (("--entry", "0xyz"), "'0xyz'"),
        (("--entry", "sum_up", "--machine", "z80"), "machine 'z80': allowed"),
        (("--entry", "sum_up", "--machine", "native"), "machine 'native': has no CPU"),
        (("--entry", "sum_up", "--timing", "off"), "--timing off: counts no cycles"),
        (("--entry", "sum_up", "--arg", "5000000000"), "'5000000000': allowed"),
        (("--entry", "sum_up", "--max-instructions", "0"), "'0': allowed 1"),
        (("--entry", "sum_up", "--build", "O1"), "--build O1"),
        (("--entry", "sum_up", "--objects", "5"), "parameter 'objects'"),
        (("--entry", "sum_up", "--json", "--csv"), "--csv: not allowed with --json"),
    ],
)
def test_bad_arguments(run, program, options, words) -> None:
    run("cost", program, *options).is_refused(2, words)


def test_negative_arguments(run, program) -> None:
    ran = run("cost", program, "--entry", "sum_up", "--arg", "-5", "--max-instructions", "100")
    ran.is_refused(1, "sum_up did not return within 100 instructions")


def test_unknown_symbol_of_a_rom(run) -> None:
    run("cost", "sectors", "--entry", "DetermineColisions").is_refused(2, "did you mean DetermineCollisions?")
    run("cost", "sectors", "--entry", "gObjects").is_refused(2, "is data")
    run("cost", "sectors", "--entry", "x", "--build", "O9").is_refused(2, "build 'O9'")


SOURCE = """
static short table[20];
static unsigned seed = 1;

int largest(int count)
{
    int i, found = 0;

    for (i = 0; i < count; i++) {
        seed = seed * 1103515245u + 12345u;
        table[i] = seed >> 17;
    }
    for (i = 0; i < count; i++)
        if (table[i] > found)
            found = table[i];
    return found;
}

int main(void)
{
    return largest(20);
}
"""


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("machine", "compiler", "processor"),
    [("ppc601-80", "powerpc-linux-gnu-gcc", "-mcpu=601"), ("mc68040-25", "m68k-linux-gnu-gcc", "-m68040")],
)
def test_a_routine_compiled_as_the_help_says(run, tmp_path, machine, compiler, processor) -> None:
    """The flags that `cost --help` names make an object that is linked here, and its source lines are known."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    flags = re.search(r"gcc -m68040 -O2 (.*) blit\.c\n", run("cost", "--help").out)[1].split()
    (tmp_path / "largest.c").write_text(SOURCE)
    command = [compiler, processor, "-O1", *flags, "largest.c"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    command = ("cost", str(tmp_path / "largest.o"), "--machine", machine, "--entry", "largest", "--arg", "20")
    command += ("--engine", "evaluate")
    report = run(*command, "--json").json()
    state, values = 1, []
    for _ in range(20):
        state = (state * 1103515245 + 12345) % 2**32
        values.append(state >> 17)
    assert report["totals"]["result"] == max(values)
    assert sum(report["totals"]["causes"].values()) == report["totals"]["cycles"]
    assert {line["file"].rpartition("/")[2] for line in report["lines"]} == {"largest.c"}
    out = run(*command, "--no-interval").out
    assert "largest.c:10" in out and "waits" in out


def test_bounds(run) -> None:
    command = ("cost", "shapes", "--entry", "BoxesApart", "--machine", "mc68000-8", "--engine", "evaluate", "--bounds")
    report = run(*command, "--search", "20", "--json").json()
    assert (report["minimum"], report["maximum"]) == (184, 344)
    assert {"loops", "path", "found", "exceeded", "assumptions", "entry", "clock_hz"} <= report.keys()
    assert "184 .. 344 clocks proven" in run(*command, "--search", "0").out


def test_bounds_refuse_a_loop_without_one(run, program) -> None:
    command = ("cost", program, "--entry", "sum_up", "--machine", "mc68000-8", "--engine", "evaluate")
    run(*command, "--bounds").is_refused(1, "sum_up", "--loop 0x2006=N")
    assert run(*command, "--bounds", "--search", "0", "--loop", "0x2006=100", "--json").json()["maximum"] == 2638
    run(*command, "--loop", "0x2006=100").is_refused(2, "needs --bounds")


def test_an_argument_may_be_a_symbol() -> None:
    for name in ("a1", "_start", ".L1", "@f"):
        assert argument(name) == name
    assert (argument("?"), argument("0x10"), argument("-1")) == (None, 16, -1)
    assert (argument(str(-(2**31))), argument(str(2**32 - 1))) == (-(2**31), 2**32 - 1)
    for text in ("1.5", "1e3", "4294967296", "-2147483649", "1x"):
        with pytest.raises(argparse.ArgumentTypeError):
            argument(text)
