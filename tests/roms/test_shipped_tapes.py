"""The tapes that come with the ROMs: what the list of tools/make_tapes.py gives, and right on every machine.

The shortest tape of each ROM is recorded again. One tape is verified on all machines, each of the others on the native
one and another. RETROSIM_TAPES=all records every tape and verifies it on all machines, with the engine that is the
default.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from retrosim.machine import NativeMachine
from retrosim.rom import load_rom
from retrosim.scenarios import SCENARIOS
from retrosim.tape import Hash, load_tape
from tests.helpers.machine.flat import FLAT_MACHINES

EVERY_MACHINE = os.environ.get("RETROSIM_TAPES") == "all"
TAPES = [path for name in SCENARIOS for path in load_rom(name).tapes()]
EVERYWHERE = "scatter-100"  # the tape that is verified on all machines
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


def test_they_are_what_the_list_gives(tool) -> None:
    if EVERY_MACHINE:
        assert tool.check() == []
    else:
        by_length = sorted(tool.TAPES, key=lambda plan: -plan.frames)
        shortest = {plan.rom: plan for plan in by_length}
        assert tool.check(plans=shortest.values(), engine="interpret") == []


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


@pytest.mark.parametrize("number", range(len(TAPES)), ids=[path.stem for path in TAPES])
def test_verify_finds_them_right(run, number: int) -> None:
    names, engine = machines_of(number), () if EVERY_MACHINE else ("--engine", "interpret")
    (entry,) = run("verify", TAPES[number], "--on", ",".join(names), *engine, "--json").json()["tapes"]
    assert entry["path"] == str(TAPES[number])
    assert [result["machine"] for result in entry["results"]] == names
    for result in entry["results"]:
        assert result["world_ok"] and result["machine_ok"] is not False and result["verified"], result
    found = {result["machine"]: result["machine_ok"] for result in entry["results"]}
    assert (found.get(RECORDED_ON, True), found[NATIVE]) == (True, None)


def test_a_suite_has_every_scenario_on_several_machines() -> None:
    verified = {path: machines_of(number) for number, path in enumerate(TAPES)}
    assert {name for names in verified.values() for name in names} == {*FLAT_MACHINES, NATIVE}
    for scenario in SCENARIOS:
        assert len({name for path in load_rom(scenario).tapes() for name in verified[path]}) > 2


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
