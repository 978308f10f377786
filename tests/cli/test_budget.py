"""--max-cycles, --max-seconds and --max-memory: exit status 5, and everything that was done is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from retrosim.tape import End, Hash, load_tape
from tests.helpers.rom.elf_builder import elf

USED_UP = 5


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A program that is one branch to itself."""
    path = tmp_path / "endless.elf"
    path.write_bytes(elf([(0x1000, bytes.fromhex("60fe"), 2)]))
    return path


def test_endless_program_ends(run, endless, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("retrosim.cli.arguments.FRAME_SECONDS", 0.002)
    options = ("--headless", "--frames", 1, "--engine", "evaluate", "--screenshot", "a.png", "--json")
    ran = run("run", endless, *options)
    found = json.loads(ran.out)
    assert (ran.status, found["reason"], found["frames"]) == (USED_UP, "budget", 0)
    assert "without a completed frame" in found["budget"] and found["cycles"] == 50_000
    assert ran.err.startswith("retrosim: budget used up: ") and (tmp_path / "a.png").exists()


@pytest.mark.full
def test_each_limit_is_named(run, endless) -> None:
    engine = ("--engine", "evaluate")
    for option, words in (("--max-cycles", "1,000 cycles"), ("--max-seconds", "1 second")):
        ran = run("run", endless, *engine, option, words.split()[0].replace(",", ""))
        assert (ran.status, ran.err) == (USED_UP, f"retrosim: budget used up: {words}\n")
        assert "0 frames" in ran.out
    ran = run("cost", endless, "--entry", "0x1000", *engine, "--max-cycles", 100, "--max-instructions", 10**6)
    assert (ran.status, ran.err) == (USED_UP, "retrosim: budget used up: 100 cycles\n")


@pytest.mark.full
def test_recording_keeps_its_frames(run, tmp_path) -> None:
    options = ("--machine", "native", "--frames", 2**31 - 1, "--max-seconds", 1, "--hash-every", 1000)
    ran = run("record", "a.rtape", *options, "--json")
    found = json.loads(ran.out)
    assert (ran.status, found["reason"], found["budget"]) == (USED_UP, "budget", "1 second")
    assert 0 < found["frames"] == load_tape(tmp_path / "a.rtape").frames
    assert run("verify", "a.rtape", "--allow-partial").status == 0


def test_an_ended_recording_is_continued(run, tmp_path) -> None:
    options = ("--machine", "native", "--frames", 40, "--hash-every", 10)
    assert run("record", "whole.rtape", *options).status == 0
    whole = (tmp_path / "whole.rtape").read_bytes()
    (tmp_path / "a.rtape").write_bytes(whole[:-70])
    assert run("record", "a.rtape", "--continue", *options).status == 0
    assert (tmp_path / "a.rtape").read_bytes() == whole
    run("record", "a.rtape", "--continue", *options).is_refused(4, "nothing to continue")


def test_opening_counts(run, monkeypatch, tmp_path) -> None:
    assert run("record", "a.rtape", "--frames", 1).status == 0
    (tmp_path / "b.rtape").write_bytes((tmp_path / "a.rtape").read_bytes()[:-40])
    monkeypatch.setattr("retrosim.machine.budget.Budget.is_spent", _spent_at_once)
    monkeypatch.setattr("retrosim.cpu.engines.tiers.is_ready", lambda *arguments: False)
    for words in (
        ("run", "--frames", 1),
        ("record", "c.rtape", "--frames", 1),
        ("record", "b.rtape", "--continue", "--frames", 2),
        ("replay", "a.rtape", "--headless"),
        ("cost", "sectors", "--entry", "DetermineCollisions"),
        ("verify", "a.rtape"),
    ):
        ran = run(*words)
        assert (ran.status, "budget used up" in ran.err + ran.out) == (USED_UP, True), (words, ran)
    assert not (tmp_path / "c.rtape").exists()


def _spent_at_once(budget, *_) -> bool:
    budget.spent = budget.spent or "1 second"
    return True


@pytest.mark.full
def test_tape_that_claims_too_many_frames(run, tmp_path) -> None:
    assert run("record", "a.rtape", "--machine", "native", "--frames", 60).status == 0
    tape, last = load_tape(tmp_path / "a.rtape"), 2**31 - 2
    records = [*tape.records[:-1], Hash(last, "0" * 16, {}), End(last + 1, "0" * 16)]
    (tmp_path / "b.rtape").write_bytes(replace(tape, records=tuple(records)).encode())
    ran = run("verify", "b.rtape", "--max-seconds", 1, "--json")
    (result,) = json.loads(ran.out)["tapes"][0]["results"]
    assert (ran.status, result["budget"], result["compared"], result["world_ok"]) == (USED_UP, "1 second", 1, True)
    ran = run("replay", "b.rtape", "--max-seconds", 1)
    assert ran.status == USED_UP and "1 hash line: world ok" in ran.out
    assert ran.err == "retrosim: budget used up: 1 second\n"


def test_limits_that_cannot_be(run, endless) -> None:
    run("run", endless, "--max-cycles", 1, "--timing", "off").is_refused(2, "--max-cycles: timing 'off'")
    run("run", "--machine", "native", "--max-cycles", 1).is_refused(2, "--max-cycles: native has no CPU")
    run("run", endless, "--max-seconds", 0).is_refused(2, "'0': allowed 1..")
    run("run", endless, "--max-memory", 1).is_refused(2, "'1': allowed 64..")
