"""`retrosim list`, `doctor`, `warmup`, `timing` and `bench`."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from itertools import product
from pathlib import Path

import pytest

from retrosim.cli.opening import shipped_tapes
from retrosim.machine import PRESETS
from retrosim.machine.native import SCENARIOS
from retrosim.rom import load_rom
from retrosim.study.printed import PRINTED

SHAPE = {"machine", "build", "objects", "printed_per_second", "printed_cycles", "cycles", "instructions", "ratio"}


def test_list_shows_everything(run) -> None:
    found = run("list", "--json").json()
    assert list(found) == ["roms", "machines", "tapes"]
    roms = {rom["name"]: rom for rom in found["roms"]}
    assert {name for name, rom in roms.items() if not rom["library"]} == set(SCENARIOS)
    rom = roms["sectors"]
    assert rom["inputs"] == ["pad"]
    images = {image["build"]: image["default"] for image in rom["images"] if image["isa"] == "m68040"}
    assert {"O0", "O1", "O2"} <= set(images) and [build for build in images if images[build]] == ["O2"]
    assert rom["parameters"]["objects"] == {"default": 200, "minimum": 1, "maximum": 200}
    machines = {entry["name"]: entry for entry in found["machines"]}
    assert list(machines) == [*PRESETS, "native"]
    preset = PRESETS["mc68040-25"]
    assert machines["mc68040-25"]["clock_hz"] == 25_000_000
    assert machines["mc68040-25"]["tick_hz"] == [preset.tick_hz.numerator, preset.tick_hz.denominator]
    assert machines["native"]["clock_hz"] is None and machines["native"]["parameters"] == {}
    parameters = machines["mc68040-25"]["parameters"]
    assert parameters.keys() == {"service_clocks", *preset.memory}
    for name, each in preset.parameters.items():
        assert parameters[name]["value"] == each.value and parameters[name]["source"] == each.source != ""
        assert each.minimum <= each.value <= each.maximum
    assert {Path(tape["path"]) for tape in found["tapes"]} == set(shipped_tapes())
    assert all({"title", "rom", "machine", "parameters", "frames", "complete"} <= set(tape) for tape in found["tapes"])


def test_list_for_people(run) -> None:
    ran = run("list")
    assert (ran.status, ran.err) == (0, "")
    builds, figures = "m68040 builds O0, O1, O2 (default)", ("objects 1..200, default 200", "copyback 0..1, default 1")
    for words in (builds, *figures, "60.147 ticks/s", "native", "Pixel masks, 1995, a library of routines"):
        assert words in ran.out
    assert all(tape.stem in ran.out for tape in shipped_tapes())
    assert run("list", "machines").out.splitlines()[0] == "machines"
    assert "roms" not in run("list", "tapes", "--json").json()


def test_list_shows_what_is_broken(run, monkeypatch, tmp_path) -> None:
    folder = tmp_path / "roms"
    shutil.copytree(load_rom("sectors").path, folder / "sectors")
    (folder / "broken").mkdir()
    (folder / "broken" / "rom.toml").write_text("format = 9")
    (folder / "sectors" / "tapes" / "bad.rtape").write_text("no tape")
    monkeypatch.setattr("retrosim.rom.library.rom_folders", lambda: [folder])
    ran = run("list")
    assert (ran.status, ran.err) == (0, "")
    assert "broken" in ran.out and "allowed is a whole number 1..1" in ran.out
    assert "not a retrosim tape" in ran.out and "m68040 builds" in ran.out


def test_doctor_looks_at_everything(run) -> None:
    report = run("doctor", "--json").json()
    checks = {check["name"]: check for check in report["checks"]}
    needed = ("retrosim", "python", "host", "numba", "llvmlite", "numpy", "pyglet", "rich", "pyelftools", "compiler")
    for name in (*needed, "engines", "files", "ROM sectors"):
        assert checks[name]["status"] == "ok", checks[name]
    assert re.fullmatch(r"evaluate, interpret, recompile; \d+ of \d+ regions of sectors .*", checks["engines"]["found"])
    assert {"cache", "window", "unicorn", "machine68k", "m68k-linux-gnu-gcc", "C compiler"} <= set(checks)
    assert (checks["window"]["status"], checks["window"]["found"]) == ("missing", "no display (DISPLAY is not set)")
    assert any("floating point" in line for line in report["not_modelled"])
    assert not any(name in line for line in report["not_modelled"] for name in PRESETS)


def test_doctor_for_people(run) -> None:
    ran = run("doctor", "--no-window")
    assert (ran.status, ran.err) == (0, "")
    assert "not modelled:" in ran.out and "window" not in ran.out.partition("\nfiles")[0]


def test_doctor_finds_faults(run, monkeypatch, tmp_path) -> None:
    folder = tmp_path / "roms"
    shutil.copytree(load_rom("sectors").path, folder / "sectors")
    (folder / "sectors" / load_rom("sectors").images[0].file).write_bytes(b"spoilt")
    monkeypatch.setattr("retrosim.rom.library.rom_folders", lambda: [folder])
    monkeypatch.setattr("retrosim.cli.host.OLDEST_PYTHON", (9, 0))
    monkeypatch.setattr("retrosim.jit.CACHE_FOLDERS", {"kernels": tmp_path / "nowhere"})
    monkeypatch.setattr("retrosim.cli.host.REQUIRED", ("numba", "no-such-distribution"))
    ran = run("doctor", "--json")
    checks = {check["name"]: check for check in json.loads(ran.out)["checks"]}
    assert ran.status == 1
    assert "SHA-256" in checks["ROM sectors"]["found"] and checks["ROM sectors"]["status"] == "failed"
    assert checks["python"]["advice"] == "needs 9.0 or newer"
    assert (checks["cache"]["status"], checks["cache"]["advice"]) == (
        "warning",
        "everything is compiled at every start",
    )
    assert (checks["no-such-distribution"]["status"], checks["numba"]["status"]) == ("failed", "ok")


@pytest.mark.parametrize(
    ("said", "status", "found"),
    [
        ("print('4.5 | llvmpipe')", "ok", "OpenGL 4.5 | llvmpipe"),
        ("print('2.1 | old'); raise SystemExit(1)", "missing", "no OpenGL 3.3: 2.1 | old"),
        ("import os; os.abort()", "missing", "no OpenGL 3.3: status -6"),
        ("import time; time.sleep(60)", "missing", "no answer from the display in 0.5 s"),
    ],
)
def test_doctor_survives_a_broken_display(run, monkeypatch, said: str, status: str, found: str) -> None:
    monkeypatch.setenv("DISPLAY", ":9999")
    monkeypatch.setattr("retrosim.cli.host.WINDOW_TEST", said)
    monkeypatch.setattr("retrosim.cli.host.WINDOW_SECONDS", 0.5 if "sleep" in said else 30.0)
    checks = {check["name"]: check for check in json.loads(run("doctor", "--json").out)["checks"]}
    assert (checks["window"]["status"], checks["window"]["found"]) == (status, found)


def test_doctor_on_a_real_display(run, monkeypatch, screen) -> None:
    monkeypatch.setenv("DISPLAY", screen)
    checks = {check["name"]: check for check in json.loads(run("doctor", "--json").out)["checks"]}
    assert checks["window"]["status"] == "ok" and checks["window"]["found"].startswith("OpenGL ")


def test_warmup_compiles_once(start, tmp_path) -> None:
    """The first time says in plain lines what it does, the second time has nothing to do."""
    home = {"RETROSIM_HOME": str(tmp_path / "home")}
    steps = len(SCENARIOS) + 2  # and the routines on two widths
    out, err = start("warmup", "--machine", "native", **home).communicate(timeout=300)
    lines = err.splitlines()
    assert lines and all(line.startswith("retrosim: compiling ") and f" of {steps}" in line for line in lines)
    total = re.search(r"([\d.]+) s  in all; (\d+) files, .*, \2 of them new", out)
    assert total, out
    out, err = start("warmup", "--machine", "native", "--json", **home).communicate(timeout=300)
    again = json.loads(out)
    assert (err, again["new_files"], again["new_bytes"], again["files"]) == ("", 0, 0, int(total[2]))
    assert again["files"] > 10 and again["bytes"] > 10_000
    assert again["seconds"] < float(total[1]) / 3
    assert len(again["steps"]) == steps and all(set(step) == {"what", "seconds"} for step in again["steps"])
    assert Path(again["folder"]).is_relative_to(tmp_path / "home")


def test_warmup_knows_what_there_is_to_compile(run, monkeypatch) -> None:
    compiled = []
    warmup = import_module("retrosim.cli.warmup")

    def note(kind: str):
        return lambda cpu, timing, *what: compiled.append((kind, cpu.model, timing))

    for kind in ("bank", "full_bank", "CompiledRegion"):
        monkeypatch.setattr(warmup, kind, note(kind))
    monkeypatch.setattr(warmup, "_run_frame", lambda *what: compiled.append(("frame", *what)))
    result = run("warmup", "--machine", "mc68040-25", "--json").json()
    texts = [step["what"] for step in result["steps"]]
    assert len(texts) == len(set(texts)) == len(compiled)
    kinds = [kind for kind, _, _ in compiled]
    first = kinds.index("frame")
    programs, regions = (kinds[:first].count(kind) for kind in ("bank", "CompiledRegion"))
    assert programs == kinds.count("frame") == len(SCENARIOS) and regions > 3 * programs
    assert kinds.count("CompiledRegion") == regions and first == programs + regions
    assert kinds[:2] == ["bank", "CompiledRegion"] and texts[0].startswith("sectors ")
    assert {timing for _, _, timing in compiled[:first]} == {"full"}
    builds = [info.build for info in load_rom("sectors").images if info.isa == "m68040"]
    for timing, build in product(("full", "causes"), builds):
        assert any(text.startswith(f"sectors {build} for the MC68040, timing {timing}: ") for text in texts)
    assert [text for text in texts if "masks" in text and "region" in text] == []
    compiled.clear()
    ran = run("warmup", "--machine", "mc68040-25", "--machine", "native", "--all")
    assert (ran.status, ran.err) == (0, "")
    assert [each for each in compiled if each[0] == "full_bank"] == [
        ("full_bank", "MC68040", timing) for timing in ("full", "table", "off")
    ]
    for timing, build in product(("full", "table", "off"), builds):
        assert f"sectors {build} for the MC68040, timing {timing}: region 1 of " in ran.out
    assert "in all" in ran.out.splitlines()[-1] and "sectors on the native machine" in ran.out
    compiled.clear()
    texts = [step["what"] for step in run("warmup", "--machine", "i386dx-33", "--json").json()["steps"]]
    assert ("bank", "i386_real", "full") in compiled and ("CompiledRegion", "i386_real", "full") not in compiled
    assert any(text.startswith("masks real for the i386_real, timing full: ") for text in texts)
    run("warmup", "--machine", "z80").is_refused(2, "machine 'z80': allowed")
    monkeypatch.setattr("retrosim.cli.warmup.CACHE_FOLDERS", {"kernels": Path("/dev/null/nowhere")})
    run("warmup").is_refused(1, "set RETROSIM_HOME")


def test_cold_start_says_that_it_compiles(start, tmp_path) -> None:
    process = start("run", "--headless", "--frames", "1", RETROSIM_HOME=str(tmp_path / "home"))
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0 and "1 frames" in out
    assert "compiling" in err and "(first run only)" in err


def test_progress_on_a_terminal_vanishes(environment, tmp_path) -> None:
    """Under a pseudo-terminal stderr gets a bar, stdout stays clean JSON."""
    pty = pytest.importorskip("pty", reason="this host has no pseudo-terminals")
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "retrosim", "run", "--frames", "1", "--json"],
        env=environment | {"RETROSIM_HOME": str(tmp_path / "home"), "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=slave,
    )
    os.close(slave)
    shown = bytearray()
    while chunk := _read(master):
        shown += chunk
    os.close(master)
    assert json.loads(process.communicate()[0])["frames"] == 1
    assert b"compiling the MC68040" in shown and shown.endswith(b"\x1b[2K"), shown


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


def test_timing_fills_every_cell(run) -> None:
    result = run("timing", "--json", "--machine", "mc68040-25", "--machine", "mc68040-25").json()
    builds = [info.build for info in load_rom("sectors").images if info.isa == "m68040"]
    cells = [(row["build"], row["objects"]) for row in result["rows"]]
    assert sorted(cells) == sorted((build, objects) for build in builds for objects in (0, 50, 100, 200))
    assert {"O0", "O1", "O2"} <= set(builds) and result["analysis"]
    for row in result["rows"]:
        assert set(row) >= SHAPE
        assert row["printed_per_second"] == PRINTED["mc68040-25"][row["objects"]]
        assert row["ratio"] == pytest.approx(row["cycles"] / row["printed_cycles"])
        assert row["instructions"] < row["cycles"]


def test_timing_for_people(run, monkeypatch) -> None:
    from retrosim.study import timing

    whole = timing.timing_table

    def short(machines, full, progress, **given):
        assert (machines, full) == (["mc68040-25", "ppc601-80"], True)
        assert given == {"builds": ["O2"], "memory": {}, "engine": "interpret"}
        return whole(machines, False, progress, seconds=0.02, **given)

    monkeypatch.setattr(timing, "timing_table", short)
    ran = run("timing", "--full", "--build", "O2", "--engine", "interpret")
    assert (ran.status, ran.err) == (0, "")
    assert "0 objects has one" in ran.out and "nine" in ran.out
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_timing_on_machines_without_cycles(run) -> None:
    run("timing", "--machine", "native").is_refused(2, "machine 'native'", "no CPU")
    run("timing", "--machine", "z80").is_refused(2, "machine 'z80': allowed")
    run("timing", "--causes", "--machine", "mc68000-8").is_refused(2, "machine 'mc68000-8': no pipeline")


def test_timing_by_causes(run, monkeypatch) -> None:
    from retrosim.study import causes

    whole = causes.causes_table

    def short(machines, progress, **given):
        return whole(machines, progress, seconds=0.01, objects=(50,), **given)

    monkeypatch.setattr(causes, "causes_table", short)
    command = ("timing", "--causes", "--build", "O2", "--build", "fast", "--memory", "copyback=0")
    command += ("--engine", "interpret")
    result = run(*command, "--json").json()
    assert [(row["build"], row["engine"]) for row in result["rows"]] == [("O2", "interpret"), ("fast", "interpret")]
    assert all(sum(row["causes"].values()) == row["cycles"] for row in result["rows"])
    assert result["method"]["memory_changed"] == {"mc68040-25": {"copyback": 0}}
    rows = list(csv.DictReader(run(*command, "--csv").out.splitlines()))
    assert [int(row["execute"]) for row in rows] == [row["causes"]["execute"] for row in result["rows"]]
    ran = run(*command)
    assert (ran.status, ran.err) == (0, "")
    assert "Memory changed: copyback 0 (preset 1)" in ran.out and "registers" in ran.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--memory", "first=3"), "memory parameter 'first': allowed first_read 0..1000, line_read 0..1000"),
        (("--memory", "copyback=2"), "copyback 2: allowed 0..1"),
        (("--memory", "write"), "'write': allowed NAME=NUMBER"),
        (("--memory", "write=x"), "'x': allowed a whole number"),
        (("--memory", "line_read=4"), "line_read 4: allowed 5..1000 with first_read 5"),
        (("--machine", "mc68000-8", "--memory", "write=4"), "memory parameter 'write': allowed none on mc68000-8"),
        (("--build", "O9"), "build 'O9': allowed O0"),
        (("--causes", "--full"), "--causes and --full"),
        (("--json", "--csv"), "--json and --csv"),
    ],
)
def test_bad_arguments_of_timing(run, options, words) -> None:
    run("timing", *options).is_refused(2, words)


@pytest.fixture
def quick(monkeypatch) -> tuple[str, ...]:
    """A benchmark of two contenders and one scene, with laps too short to mean anything."""
    from retrosim.study import bench

    whole = bench.benchmark
    monkeypatch.setattr(bench, "benchmark", lambda **given: whole(**given | {"rounds": 1, "seconds": 0.01}))
    return ("bench", "--no-startup", "--objects", "20", "--engine", "kernel", "--engine", "interpret-off")


def test_bench_as_json_csv_and_table(run, quick) -> None:
    result = run(*quick, "--json").json()
    assert {"name", "engine", "per_second", "ratio_to"} <= set(result["cases"][0])
    engines = [case["engine"] for case in result["cases"]]
    assert sorted(engines) == ["interpret-off", "kernel"] and result["startup"] is None
    assert all(case["per_second"] > 0 and case["error"] is None for case in result["cases"])
    ran = run(*quick, "--csv")
    rows = list(csv.DictReader(ran.out.splitlines()))
    assert [row["engine"] for row in rows] == engines and all(float(row["per_second"]) > 0 for row in rows)
    ran = run(*quick)
    assert (ran.status, ran.err) == (0, "")
    assert "kernel" in ran.out and "checks/s" in ran.out


def test_bench_into_a_file(run, quick, tmp_path) -> None:
    for name, options in (("a.json", ()), ("a.csv", ()), ("plain", ("--csv",))):
        ran = run(*quick, "--output", name, *options)
        assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert len(json.loads((tmp_path / "a.json").read_text())["cases"]) == 2
    assert (tmp_path / "plain").read_text().partition("\n")[0] == (tmp_path / "a.csv").read_text().partition("\n")[0]
    before = (tmp_path / "a.json").read_bytes()
    run(*quick, "--output", "a.json").is_refused(1, "a.json", "exists already")
    assert (tmp_path / "a.json").read_bytes() == before
    assert run(*quick, "--output", "a.json", "--force").status == 0
    run(*quick, "--output", "nowhere/a.json").is_refused(1, "no folder nowhere")


def test_bench_keeps_a_file_per_host(run, quick, monkeypatch, tmp_path) -> None:
    from retrosim.study import bench

    monkeypatch.setattr(bench, "RESULTS", tmp_path / "bench")
    run(*quick, "--save").is_refused(1, "no such folder", "checkout")
    bench.RESULTS.mkdir()
    assert "checks/s" in run(*quick, "--save").out
    (path,) = bench.RESULTS.iterdir()
    kept = json.loads(path.read_text())
    assert path.suffix == ".json" and re.fullmatch(r"[a-z0-9.-]+-\d+-cpus-[a-z]+-python-3\.\d+", path.stem)
    assert kept["host"]["processor"] and re.fullmatch(r"\d{4}-\d\d-\d\d", kept["made"]["date"])
    assert set(kept["host"]) == {"system", "processor", "cpus", "python", "packages"}, "no host's name"
    run(*quick, "--save").is_refused(1, path.name, "exists already")
    assert run(*quick, "--save", "--force", "--build", "O1").status == 0
    assert [case["build"] for case in json.loads(path.read_text())["cases"]] == ["O1", "O1"]


def test_bad_arguments_of_bench(run) -> None:
    run("bench", "--build", "O9").is_refused(2, "build 'O9': allowed O0")
    run("bench", "--rounds", "0").is_refused(2, "'0': allowed 1..1000")
    run("bench", "--json", "--csv").is_refused(2, "--json and --csv")
    run("bench", "--output", "a.txt").is_refused(2, "--output a.txt")
    run("bench", "--engine", "warp").is_refused(2, "engine 'warp': allowed recompile-full")
