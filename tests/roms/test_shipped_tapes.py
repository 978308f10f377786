"""The tapes that come with the ROMs: what the list of tools/make_tapes.py gives, and right on every machine.

The list is recorded again: whole on the native machine, and the beginnings on the machine that the tapes name, with its
hashes and cycles. Every tape is verified whole on the native machine, and its beginning on another; that of one on all.
--full records and verifies whole tapes on all machines, with the default engine.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from retrosim.machine import NativeMachine
from retrosim.rom import load_rom
from retrosim.scenarios import SCENARIOS
from retrosim.tape import Hash, Tape, load_tape
from retrosim.tape.records import End
from retrosim.tape.script import parse_script
from tests.helpers.amount import FULL
from tests.helpers.machine.flat import FLAT_MACHINES

EVERY_MACHINE = FULL
TAPES = [path for name in SCENARIOS for path in load_rom(name).tapes()]
EVERYWHERE = "scatter-100"  # the tape that is verified on all machines
RECORDED, VERIFIED = 40, 120  # frames that simulated machines run of a tape
WHOLE = ("every-method",)  # but for that which shows the last of its methods at the end
RECORDED_ON, NATIVE = "mc68040-25", NativeMachine.name
TOOL = Path(__file__).resolve().parents[2] / "tools" / "make_tapes.py"


@pytest.fixture(scope="module")
def tool() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("make_tapes", TOOL)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def beginning(tape: Tape, frames: int) -> Tape:
    """Return a tape as if its recording had been finished earlier."""
    records = [line for line in tape.records[:-1] if line.frame < frames]
    return replace(tape, records=(*records, End(frames, records[-1].world)))


@pytest.mark.full
def test_they_are_what_the_list_gives(tool, tmp_path) -> None:
    if EVERY_MACHINE:
        assert tool.check() == []
        return
    assert tool.check(plans=()) == [], "those in the list are there, and no others"
    short = [
        replace(plan, frames=RECORDED, script=[step for step in parse_script(plan.script) if step[0] < RECORDED])
        for plan in tool.TAPES
    ]
    for plan, path in zip(short, tool.make(short, tmp_path, "interpret"), strict=True):
        fresh, shipped = load_tape(path), beginning(load_tape(tool.path_of(plan)), RECORDED)
        assert len(fresh.hashes) > 1 and fresh.header["machines"] == shipped.header["machines"], plan.name
        assert tool.differences(shipped, fresh) == [], plan.name


@pytest.mark.full
def test_the_native_machine_records_the_same(tool, tmp_path) -> None:
    """All frames, inputs and worlds of all tapes; only machine hashes and cycles are not its."""
    for plan in tool.TAPES:
        path = tool.record(plan, NativeMachine(load_rom(plan.rom)), tmp_path / f"{plan.name}.rtape")
        assert tool.differences(load_tape(tool.path_of(plan)), load_tape(path)) == ["header machine"], plan.name


def test_the_check_finds_what_differs(tool, tmp_path) -> None:
    path = tool.path_of(tool.TAPES[0])
    shipped = load_tape(path)

    def others(**changes: object) -> list[str]:
        return tool.differences(replace(shipped, **changes), shipped)

    wrong = [replace(line, world="0" * 16) if line is shipped.hashes[0] else line for line in shipped.records]
    other = [replace(line, machines={}) if isinstance(line, Hash) else line for line in shipped.records]
    first = shipped.hashes[0].frame
    assert others() == []
    assert others(header=shipped.header | {"created_with": "retrosim 9", "edited_with": "an editor"}) == []
    assert others(header=shipped.header | {"seed": 5, "title": "?"}) == ["header title", "header seed"]
    assert others(records=tuple(wrong)) == [f"world after frame {first}"]
    assert others(records=tuple(other)) == [f"machine hash or cycles after frame {first}"]
    assert others(records=tuple(other), header=shipped.header | {"machines": {}}) == []
    cut = tuple(record for record in shipped.records[:-1] if record is not shipped.inputs[1])
    assert others(records=cut) == ["inputs", f"{shipped.frames} frames, complete: False"]
    (tmp_path / "sectors" / "tapes").mkdir(parents=True)
    (tmp_path / "sectors" / "tapes" / "stranger.rtape").touch()
    assert tool.check(tmp_path) == [
        "stranger.rtape: is not in the list",
        *(f"{plan.name}: is missing" for plan in tool.TAPES),
    ]


def machines_of(number: int) -> list[str]:
    """Return the machines that a tape is verified on; the list has proved it on that which recorded it."""
    if EVERY_MACHINE or TAPES[number].stem == EVERYWHERE:
        return [*FLAT_MACHINES, NATIVE]
    others = [name for name in FLAT_MACHINES if name != RECORDED_ON]
    return [others[number % len(others)], NATIVE]


@pytest.mark.full
@pytest.mark.parametrize("number", range(len(TAPES)), ids=[path.stem for path in TAPES])
def test_verify_finds_them_right(run, number: int, tmp_path) -> None:
    path, names = TAPES[number], machines_of(number)
    if EVERY_MACHINE:
        verify_finds_right(run, path, names)
        return
    verify_finds_right(run, path, [NATIVE])
    if path.stem not in WHOLE:
        start = beginning(load_tape(path), VERIFIED)
        path = tmp_path / path.name
        path.write_bytes(start.encode())
    verify_finds_right(run, path, [name for name in names if name != NATIVE], "--engine", "interpret", "--jobs", 1)


def verify_finds_right(run, path: Path, names: list[str], *options: object) -> None:
    """Verify a tape: worlds are right on all machines, machine hashes and cycles on that which recorded it."""
    tape = load_tape(path)
    (entry,) = run("verify", path, "--on", ",".join(names), *options, "--json").json()["tapes"]
    assert (entry["path"], entry["frames"], entry["complete"]) == (str(path), tape.frames, True)
    assert [result["machine"] for result in entry["results"]] == names
    for result in entry["results"]:
        assert result["world_ok"] and result["machine_ok"] is not False and result["verified"], result
        assert result["compared"] == len(tape.hashes) > 1
    found = {result["machine"]: result["machine_ok"] for result in entry["results"]}
    assert (found.get(RECORDED_ON, True), found.get(NATIVE)) == (True, None)


def test_a_suite_has_every_scenario_on_several_machines() -> None:
    verified = {path: machines_of(number) for number, path in enumerate(TAPES)}
    assert {name for names in verified.values() for name in names} == {*FLAT_MACHINES, NATIVE}
    for scenario in SCENARIOS:
        assert len({name for path in load_rom(scenario).tapes() for name in verified[path]}) > 2


@pytest.mark.full
def test_a_name_is_enough(run, tool, tmp_path) -> None:
    name = tool.TAPES[0].name
    result = run("replay", name, "--machine", "native", "--json").json()
    assert (result["path"], result["world_ok"]) == (str(tool.path_of(tool.TAPES[0])), True)
    assert run("verify", name, "--on", "native").status == 0
    (tmp_path / name).write_text("a file of that name comes first")
    run("verify", name).is_refused(4, f"{name}: line 1: not a retrosim tape")


def test_those_of_sectors_cover_the_table_of_1994() -> None:
    assert {50, 100, 200} <= {load_tape(path).parameters["objects"] for path in load_rom("sectors").tapes()}


@pytest.mark.parametrize("name", SCENARIOS)
def test_tapes_of_each_scenario_have_what_people_do(name: str) -> None:
    tapes = [load_tape(path) for path in load_rom(name).tapes()]
    pads = {line.states["pad"] for tape in tapes for line in tape.inputs}
    assert all(any(pad & bit for pad in pads) for bit in (1, 2, 4, 8, 16))
    assert sum(len(tape.inputs) > 5 for tape in tapes) >= 2
    for tape in tapes:
        assert tape.frames >= 600 and tape.is_complete and tape.title and tape.header["description"]
        assert all("mc68040-25" in line.machines for line in tape.hashes)
