"""`retrosim doctor`: what works, what is missing, what is broken."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from retrosim.cache.store import CodeCache, open_cache
from retrosim.machine import PRESETS
from retrosim.rom import load_rom


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
    for name in ("common", "sectors"):
        shutil.copytree(load_rom("sectors").path.parent / name, folder / name)
    (folder / "sectors" / load_rom("sectors").images[0].file).write_bytes(b"spoilt")
    monkeypatch.setattr("retrosim.rom.library.rom_folders", lambda: [folder])
    monkeypatch.setattr("retrosim.cli.commands.doctor.MIN_PYTHON", (9, 0))
    monkeypatch.setattr("retrosim.cache.sources.CACHE", CodeCache(None, b"k" * 32, "no folder"))
    monkeypatch.setattr("retrosim.cli.commands.doctor.REQUIRED", ("numba", "no-such-distribution"))
    ran = run("doctor", "--json")
    checks = {check["name"]: check for check in json.loads(ran.out)["checks"]}
    assert ran.status == 1
    assert "SHA-256" in checks["ROM sectors"]["found"] and checks["ROM sectors"]["status"] == "failed"
    assert checks["python"]["advice"] == "needs 9.0 or newer"
    assert (checks["cache"]["status"], checks["cache"]["advice"]) == (
        "warning",
        "everything is compiled again at every start",
    )
    assert (checks["no-such-distribution"]["status"], checks["numba"]["status"]) == ("failed", "ok")


def _cache_check(run) -> dict[str, str]:
    return {check["name"]: check for check in run("doctor", "--no-window", "--json").json()["checks"]}["cache"]


@pytest.mark.full
def test_doctor_finds_damaged_code_and_clears_the_cache(run, monkeypatch, tmp_path) -> None:
    cache = open_cache(tmp_path / "cache")
    store = cache.store("engines", "0123456789abcdef")
    monkeypatch.setattr("retrosim.cache.sources.CACHE", cache)
    stores = {"engines": store, "kernels": cache.store("kernels", "0123456789abcdef")}
    monkeypatch.setattr("retrosim.cache.sources.STORES", stores)
    monkeypatch.setenv("RETROSIM_CACHE_MB", "100")
    assert _cache_check(run)["advice"] == "`retrosim warmup` compiles programs in advance"
    for name in ("a.o", "b.o"):
        store.write(name, bytes(500_000))
    check = _cache_check(run)
    assert (check["status"], check["advice"]) == ("ok", "")
    assert check["found"].endswith(": 2 files, 1.0 of at most 100 MB, 2 of these sources, none damaged")
    (store.folder / "a.o").write_bytes(b"junk")
    check = _cache_check(run)
    assert check["status"] == "warning" and check["found"].endswith(" 1 damaged") and "again" in check["advice"]
    ran = run("doctor", "--clear-cache")
    assert (ran.status, ran.out) == (0, f"{tmp_path / 'cache'}: 2 files removed, 0.5 MB\n")
    again = run("doctor", "--clear-cache", "--json").json()
    assert again == {"folder": str(tmp_path / "cache"), "removed_files": 0, "removed_bytes": 0}
    cache.problem = "another folder is not used"
    assert (_cache_check(run)["status"], _cache_check(run)["advice"]) == ("warning", cache.problem)


def test_what_other_processes_compiled_is_cleared(run, monkeypatch, tmp_path) -> None:
    for version in ("0123456789abcdef", "fedcba9876543210"):
        open_cache(tmp_path / "cache").store("engines", version).write("a.o", bytes(500_000))
    monkeypatch.setattr("retrosim.cache.sources.CACHE", open_cache(tmp_path / "cache"))
    assert run("doctor", "--clear-cache").out == f"{tmp_path / 'cache'}: 2 files removed, 1.0 MB\n"
    assert not list((tmp_path / "cache").rglob("*.o"))


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("said", "status", "found"),
    [
        ("print('4.5 | llvmpipe')", "ok", "OpenGL 4.5 | llvmpipe"),
        ("print('2.1 | old'); raise SystemExit(1)", "missing", "no OpenGL 3.3: 2.1 | old"),
        ("import os; os.abort()", "missing", "no OpenGL 3.3: status -6"),
        ("import time; time.sleep(60)", "missing", "the display did not answer within 0.5 s"),
    ],
)
def test_doctor_survives_a_broken_display(run, monkeypatch, said: str, status: str, found: str) -> None:
    monkeypatch.setenv("DISPLAY", ":9999")
    monkeypatch.setattr("retrosim.cli.commands.doctor.WINDOW_TEST", said)
    monkeypatch.setattr("retrosim.cli.commands.doctor.WINDOW_SECONDS", 0.5 if "sleep" in said else 30.0)
    checks = {check["name"]: check for check in json.loads(run("doctor", "--json").out)["checks"]}
    assert (checks["window"]["status"], checks["window"]["found"]) == (status, found)


def test_doctor_on_a_real_display(run, monkeypatch, screen) -> None:
    monkeypatch.setenv("DISPLAY", screen)
    checks = {check["name"]: check for check in json.loads(run("doctor", "--json").out)["checks"]}
    assert checks["window"]["status"] == "ok" and checks["window"]["found"].startswith("OpenGL ")
