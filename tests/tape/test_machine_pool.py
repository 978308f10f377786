"""The machine pool: each machine opened once for the tapes of a program, and nothing of one tape in the next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from retrosim.machine import NativeMachine
from retrosim.rom import load_rom
from retrosim.tape import MachinePool, Player, Tape, load_tape, record_script, verify
from tests.helpers.tape.drift_machine import FakeMachine, FakeRom

SCRIPT = "0 pad=3; 7 pad=8; 30 pad=31"


class Compiling(FakeMachine):
    """A fake machine that compiles until it is stopped."""

    is_compiling = True

    def stop_compiling(self) -> None:
        self.is_compiling = False


class Makers:
    """Opens fake machines of the tape's ROM."""

    def __init__(self) -> None:
        self.made: list[Compiling] = []

    def __call__(self, tape: Tape, name: str) -> Compiling:
        self.made.append(Compiling(name, FakeRom(tape.scenario)))
        return self.made[-1]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    record_script(tmp_path / "a.rtape", FakeMachine(), 40, SCRIPT, hash_every=1)
    return tmp_path / "a.rtape"


@pytest.fixture
def tape(path: Path) -> Tape:
    return load_tape(path)


def other(tape: Tape, **header: object) -> Tape:
    return replace(tape, header=tape.header | header)


def test_the_next_tape_gets_the_same_machine(tape) -> None:
    makers = Makers()
    with MachinePool(makers) as machine_of:
        first = machine_of(tape, "fake-25")
        assert machine_of(other(tape, seed=7), "fake-25") is first
        assert machine_of(tape, "other-33") is not first
        assert machine_of(tape, "fake-25") is first and first.is_compiling
    assert [machine.name for machine in makers.made] == ["fake-25", "other-33"]
    assert not any(machine.is_compiling for machine in makers.made)


def test_another_scenario_releases_all(tape) -> None:
    makers = Makers()
    with MachinePool(makers) as machine_of:
        for name in ("fake-25", "other-33"):
            machine_of(tape, name)
        new = machine_of(other(tape, scenario="rain"), "fake-25")
        assert [machine.is_compiling for machine in makers.made] == [False, False, True]
        assert new is makers.made[2] and new.rom.name == "rain"
        assert machine_of(tape, "other-33") is makers.made[3]


def test_another_build_releases_that_machine(tape) -> None:
    makers = Makers()
    changed = {name: entry | {"build": "O2"} for name, entry in tape.header["machines"].items()}
    with MachinePool(makers) as machine_of:
        for name in ("fake-25", "other-33"):
            machine_of(tape, name)
            machine_of(other(tape, machines=changed), name)
    assert [machine.name for machine in makers.made] == ["fake-25", "fake-25", "other-33"]


def test_verifying_with_a_pool_finds_the_same(path, tmp_path) -> None:
    paths = [path, tmp_path / "b.rtape"]
    machine = FakeMachine()
    machine.parameters = {"objects": 9, "seed": 4}
    record_script(paths[1], machine, 50, "3 pad=1; 49 pad=30", hash_every=7)
    makers = Makers()
    with MachinePool(makers) as machine_of:
        pooled = verify([*paths, *paths], ["native", "fake-25"], opener=machine_of)
    assert len(makers.made) == 2
    assert pooled == verify([*paths, *paths], ["native", "fake-25"], opener=Makers())
    assert [result["world_ok"] for entry in pooled["tapes"] for result in entry["results"]] == [True] * 8


def test_without_an_opener_machines_are_pooled(tmp_path, monkeypatch) -> None:
    paths = [tmp_path / "a.rtape", tmp_path / "b.rtape"]
    for seed, each in enumerate(paths):
        record_script(each, NativeMachine(load_rom("tunnel"), parameters={"seed": seed}), 5)
    opened: list[str] = []
    begin = NativeMachine.__init__
    monkeypatch.setattr(NativeMachine, "__init__", lambda *a, **k: (opened.append("native"), begin(*a, **k))[1])
    report = verify(paths)
    assert opened == ["native"]
    assert [entry["results"][0]["world_ok"] for entry in report["tapes"]] == [True, True]


def test_what_a_tape_does_not_say_is_the_default(tmp_path) -> None:
    """Of a machine that is used again too: a tape made before the ROM had a parameter."""
    rom = load_rom("tunnel")
    record_script(tmp_path / "a.rtape", NativeMachine(rom), 5)
    machine = NativeMachine(rom, parameters={"objects": 3, "seed": 8})
    old = other(load_tape(tmp_path / "a.rtape"), parameters={})
    player = Player(old, machine)
    assert machine.parameters["objects"] == rom.parameters["objects"].default != 3
    assert player.run() and player.world_ok
