"""`retrosim warmup`, and how the other commands say that they compile."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from retrosim import collide
from retrosim.cache.sources import CACHE, STORES
from retrosim.cache.store import KEY_FILE, CodeCache
from retrosim.rom import load_rom, rom_names
from retrosim.scenarios import SCENARIOS
from tests.helpers.amount import FULL, SOAK, usually

COMPILED_AGAIN = "tunnel"  # the scenario whose kernels compile in the shortest time
IS_COMPLETE = SOAK
COMMAND = """
import sys
import numpy
from retrosim import collide
from retrosim.cli import main
from retrosim.cli.commands import warmup
def one_routine(dtype):
    x = numpy.zeros(2, dtype)
    collide.collided(x, x, method="nine_sectors")
if not IS_COMPLETE:  # the others are dozens of kernels, for combinations of types that no test has
    warmup._run_routines = one_routine
sys.exit(main())
"""


@pytest.fixture
def warm_home(tmp_path) -> Path:
    """A folder with what is compiled already, but for one scenario; with --times an empty one.

    This file comes late (tests/conftest.py): few kernels have not been compiled yet.
    """
    home = tmp_path / "home"
    if not IS_COMPLETE and CACHE.folder is not None:
        for file in (CACHE.folder / KEY_FILE, *(file.path for file in STORES["kernels"].files())):
            copy = home / file.relative_to(CACHE.folder.parent)
            if not file.name.startswith(f"scenarios.{COMPILED_AGAIN}."):
                copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                shutil.copy2(file, copy)
    return home


@pytest.mark.full
def test_warmup_compiles_once(environment, tmp_path, warm_home) -> None:
    """The first time says in plain lines what it does, the second time has nothing to do."""
    changed = environment | {"RETROSIM_HOME": str(warm_home)}

    def warmup(*options: str) -> tuple[str, str]:
        words = [sys.executable, "-c", COMMAND.replace("IS_COMPLETE", str(IS_COMPLETE)), "warmup", *options]
        done = subprocess.run(words, cwd=tmp_path, env=changed, capture_output=True, text=True, timeout=600)
        return done.stdout, done.stderr

    steps = len(SCENARIOS) + 2  # and the routines on two widths
    out, err = warmup("--machine", "native")
    lines = err.splitlines()
    assert lines and all(line.startswith("retrosim: compiling ") and f" of {steps}" in line for line in lines)
    total = re.search(r"total; (\d+) new files\n.*: ([\d,]+) files, ", out)
    assert total and int(total[1]) > 5, out
    found = re.findall(r"^ *([\d.]+) s  (\w+) on the native machine$", out, re.MULTILINE)
    first = {name: float(seconds) for seconds, name in found}
    assert first.keys() == set(SCENARIOS)
    out, err = warmup("--machine", "native", "--json")
    again = json.loads(out)
    assert (err, again["new_files"], again["new_bytes"], again["files"]) == ("", 0, 0, int(total[2].replace(",", "")))
    assert again["files"] > 100 and again["bytes"] > 10_000
    assert len(again["steps"]) == steps and all(set(step) == {"what", "seconds"} for step in again["steps"])
    (seconds,) = (step["seconds"] for step in again["steps"] if step["what"].startswith(COMPILED_AGAIN))
    assert seconds < first[COMPILED_AGAIN] / 3
    assert Path(again["folder"]).is_relative_to(warm_home)


CALLED = """
import json, sys
from retrosim.cli.commands.warmup import _run_routines
called = set()
def note(frame, event, _):
    if event == "call":
        called.add((frame.f_code.co_filename, frame.f_code.co_qualname))
sys.setprofile(note)
_run_routines(sys.argv[1])
sys.setprofile(None)
json.dump(sorted(called), sys.stdout)
"""


def public_routines() -> set[tuple[str, str]]:
    """Return (file, name) of each public function of `collide` and each public method of a scene, from the sources."""
    folder, names = Path(collide.__file__).parent, set()
    for path in (*folder.glob("[!_]*.py"), *folder.glob("documents/[!_]*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                names.add((str(path), node.name))
            elif isinstance(node, ast.ClassDef) and node.name == "Scene":
                methods = [method for method in node.body if isinstance(method, ast.FunctionDef)]
                names |= {(str(path), f"Scene.{method.name}") for method in methods if not _is_property(method)}
    return {(path, name) for path, name in names if name.removeprefix("Scene.")[0] != "_"}


def _is_property(method: ast.FunctionDef) -> bool:
    return any(isinstance(decorator, ast.Name) and decorator.id == "property" for decorator in method.decorator_list)


@pytest.mark.parametrize("dtype", ["int16", pytest.param("int32", marks=pytest.mark.full)])
def test_every_routine_is_called(environment, dtype: str) -> None:
    """Without the compiler, of which they are the occasion."""
    words = [sys.executable, "-c", CALLED, dtype]
    changed = environment | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(words, env=changed, capture_output=True, text=True, check=True, timeout=300)
    called = {tuple(pair) for pair in json.loads(done.stdout)}
    wanted = public_routines()
    assert len(wanted) > 70 and wanted - called == set()


def test_warmup_knows_what_there_is_to_compile(run, monkeypatch) -> None:
    """Of three ROMs: many builds, a library, one build; with --full of every one."""
    roms = usually(("masks", "sectors", "xquest"), rom_names())
    monkeypatch.setattr("retrosim.rom.rom_names", lambda: roms)
    compiled = []

    def note(kind: str):
        return lambda cpu, timing, *what: compiled.append((kind, cpu.model, timing))

    for kind in ("handler_cache", "full_handler_cache", "CompiledRegion"):
        monkeypatch.setattr(f"retrosim.machine.ahead.{kind}", note(kind))
    monkeypatch.setattr("retrosim.cli.commands.warmup._run_frame", lambda *what: compiled.append(("frame", *what)))
    monkeypatch.setattr("retrosim.cli.commands.warmup._run_routines", lambda kind: compiled.append(("call", kind, "")))
    result = run("warmup", "--machine", "mc68040-25", "--json").json()
    texts = [step["what"] for step in result["steps"]]
    assert len(texts) == len(set(texts)) == len(compiled)
    kinds = [kind for kind, _, _ in compiled]
    first = kinds.index("frame")
    programs, regions = (kinds[:first].count(kind) for kind in ("handler_cache", "CompiledRegion"))
    running = [name for name in roms if not load_rom(name).is_library]
    assert programs == kinds.count("frame") == len(running) and regions > 3  # those of sectors
    assert kinds.count("CompiledRegion") == regions and first == programs + regions
    assert kinds[:2] == ["handler_cache", "CompiledRegion"] and texts[0].startswith("sectors ")
    assert {timing for _, _, timing in compiled[:first]} == {"full"}
    builds = [info.build for info in load_rom("sectors").images if info.isa == "m68040"]
    for timing, build in product(("full", "causes"), builds):
        assert any(text.startswith(f"sectors {build} for the MC68040, timing {timing}: ") for text in texts)
    assert [text for text in texts if "masks" in text and "region" in text] == []
    compiled.clear()
    ran = run("warmup", "--machine", "mc68040-25", "--machine", "native", "--all")
    assert (ran.status, ran.err) == (0, "")
    assert [each for each in compiled if each[0] == "full_handler_cache"] == [
        ("full_handler_cache", "MC68040", timing) for timing in ("full", "table", "off")
    ]
    for timing, build in product(("full", "table", "off"), builds):
        assert f"sectors {build} for the MC68040, timing {timing}: region 1 of " in ran.out
    assert " s  total; " in ran.out.splitlines()[-2] and "sectors on the native machine" in ran.out
    compiled.clear()
    texts = [step["what"] for step in run("warmup", "--machine", "i386dx-33", "--json").json()["steps"]]
    assert ("handler_cache", "i386_real", "full") in compiled and (
        "CompiledRegion",
        "i386_real",
        "full",
    ) not in compiled
    assert any(text.startswith("masks real for the i386_real, timing full: ") for text in texts)
    run("warmup", "--machine", "z80").is_refused(2, "machine 'z80': allowed")
    monkeypatch.setattr("retrosim.cache.sources.CACHE", CodeCache(None, b"k" * 32, "no folder"))
    run("warmup").is_refused(1, "set RETROSIM_HOME")


@pytest.mark.full
def test_cold_start_says_that_it_compiles(start, tmp_path) -> None:
    """Of regions: handlers are compiled before a word would be worth it."""
    quicker = () if FULL else ("--timing", "off", "--build", "period")
    options = ("--headless", "--frames", "1", "--engine", "recompile", *quicker)
    process = start("run", *options, RETROSIM_HOME=str(tmp_path / "home"))
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0 and "1 frame," in out
    assert "compiling" in err and "(first run only)" in err


@pytest.mark.full
def test_progress_on_a_terminal_vanishes(environment, tmp_path) -> None:
    """Under a pseudo-terminal stderr gets a bar, stdout stays clean JSON."""
    pty = pytest.importorskip("pty", reason="this host has no pseudo-terminals")
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "retrosim",
            "run",
            "--frames",
            "1",
            "--json",
            "--engine",
            "interpret",
        ],
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
