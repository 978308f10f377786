"""The engine is chosen on every command that opens a machine, and what comes out does not depend on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrosim.machine import open_machine
from retrosim.machine.choices import ENGINES
from retrosim.window.session import KEYS_HINT, Session
from tests.helpers.amount import usually
from tests.helpers.rom.elf_builder import elf
from tests.helpers.study.cost_programs import ADDRESS, SUM, write_elf

COUNT = bytes.fromhex("7063 51c8fffe 7000a002 60fe")  # MOVEQ #99,D0; DBF to itself; the service exit; BRA to itself
RAN = {"evaluate": {"evaluate"}, "interpret": {"interpret"}, "recompile": {"recompile"}}
RAN["auto"] = RAN["interpret"] | RAN["recompile"]  # as far as the cache holds regions already


@pytest.mark.parametrize("engine", ENGINES)
def test_run(run, tmp_path, engine: str) -> None:
    (tmp_path / "mine.elf").write_bytes(elf([(0x1000, COUNT, len(COUNT))]))
    result = run("run", "mine.elf", "--json", "--engine", engine).json()
    assert result["engine"] in RAN[engine]
    assert (result["reason"], result["instructions"]) == ("exit", 103)


@pytest.mark.parametrize("engine", ENGINES)
def test_cost(run, tmp_path, engine: str) -> None:
    path = write_elf(tmp_path / "sum.elf", SUM, sum_up=ADDRESS)
    command = ("cost", path, "--entry", "sum_up", "--machine", "mc68000-8", "--arg", 5)
    result = run(*command, "--json", "--engine", engine).json()
    assert result["engine"] in RAN[engine]
    assert (result["totals"]["cycles"], result["totals"]["result"]) == (168, 15)


@pytest.mark.full
def test_tapes(run) -> None:
    """A frame takes the evaluator a quarter of a million instructions, so that clocks are left out."""
    scene = ("--objects", 1, "--frames", 1, "--hash-every", 1, "--timing", "off")
    assert run("record", "mine.rtape", *scene, "--engine", "evaluate", "--json").json()["engine"] == "evaluate"
    for engine in usually(("interpret",), ("evaluate", "interpret")):
        replayed = run("replay", "mine.rtape", "--engine", engine, "--timing", "off", "--json").json()
        assert (replayed["engine"], replayed["world_ok"], replayed["machine_ok"]) == (engine, True, True)
    (entry,) = run("verify", "mine.rtape", "--engine", "interpret", "--json").json()["tapes"]
    found = [(each["machine"], each["engine"], each["world_ok"]) for each in entry["results"]]
    assert found == [("mc68040-25", "interpret", True), ("native", None, True)]


def test_help_says_which_is_the_default(run) -> None:
    for command in ("run", "record", "replay", "verify", "timing", "cost"):
        shown = " ".join(run(command, "--help").out.split())
        assert "auto (the default" in shown


def test_the_window_says_that_it_compiles() -> None:
    machine = open_machine("native", parameters={"objects": 3})
    session = Session(machine, folder=Path)
    assert session.message == KEYS_HINT
    machine.is_compiling = True
    assert session.message.startswith("compiling the program in the background")
    machine.is_compiling = False
    assert session.message == KEYS_HINT
