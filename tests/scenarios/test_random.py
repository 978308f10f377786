"""Random scenarios are the same on every machine and `native`, frame by frame.

By default one scenario of each ROM, on every other machine, in turn. --full tests the first 8 on all
machines, RETROSIM_SCENARIOS=N the first N; RETROSIM_SCENARIO=K tests the one of that number.
"""

from __future__ import annotations

import os
import time
from itertools import groupby
from pathlib import Path

import pytest

from retrosim.machine import NativeMachine, World
from retrosim.rom import load_rom
from retrosim.scenarios import SCENARIOS
from retrosim.tape import MachinePool, load_tape
from tests.helpers.amount import FULL, amount
from tests.helpers.scenarios.random_scenarios import (
    LONGEST,
    ONE,
    all_machines,
    chosen,
    failures,
    generate,
    opener_of,
    record,
)

FEW = not (FULL or ONE in os.environ)
COUNT = amount(len(SCENARIOS), 8)
CHOSEN = chosen(COUNT)
PERIOD = 10.0  # seconds between two lines of progress


@pytest.mark.first_case
@pytest.mark.parametrize("rom", dict.fromkeys(each.rom for each in CHOSEN))
def test_every_machine_is_in_the_same_world(rom: str, tmp_path: Path) -> None:
    ours = [each for each in CHOSEN if each.rom == rom]
    wrong: list[str] = []
    frames = done = 0
    began = said = time.monotonic()
    for build, group in groupby(ours, lambda each: each.build):
        with MachinePool(opener_of(build)) as machine_of:
            for scenario in group:
                path = record(scenario, tmp_path)
                machines = all_machines(rom)[scenario.number % 2 :: 2] if FEW else all_machines(rom)
                found = failures(path, machine_of, machines)
                wrong += [f"{scenario}\n  {line}\n  {path}\n  {scenario.command}" for line in found]
                if not found:
                    path.unlink()
                frames += scenario.frames
                done += 1
                if time.monotonic() - said > PERIOD:
                    said = time.monotonic()
                    print(f"{rom} {build}: {done} of {len(ours)} scenarios, {len(wrong)} wrong", flush=True)
    seconds = time.monotonic() - began
    print(f"{rom}: {done} scenarios, {frames} frames on each machine, {len(wrong)} wrong, {seconds:.0f} s", flush=True)
    assert not wrong, "\n" + "\n".join(wrong)


def test_every_machine_has_its_turn() -> None:
    assert {each.rom for each in CHOSEN} == set(SCENARIOS) or not FEW
    for start in (0, 1):
        turn = {name for each in CHOSEN if each.number % 2 == start for name in all_machines(each.rom)[start::2]}
        assert turn == set(all_machines("sectors")[start::2]) or not FEW


def test_a_wrong_world_is_named(tmp_path: Path) -> None:
    """The first bad frame and field, in the words of the report, and how to see it again."""
    scenario = next(each for each in map(generate, range(100)) if each.rom == "tunnel" and each.frames > 5)
    bad = scenario.frames // 2

    class Wrong(NativeMachine):
        name = "mc68040-25"
        image = load_rom("tunnel").image("m68040")
        mode = "demo"

        def world(self) -> World:
            columns = dict(super().world().columns)
            if self.frame_number > bad:
                columns["frame"] = columns["frame"] ^ 1
            return World(columns)

        def hash(self, kind: str = "world") -> str:
            return self.world().hash() if kind == "world" else super().hash(kind)

    def open_one(tape, name):
        return (Wrong if name == Wrong.name else NativeMachine)(load_rom(tape.scenario))

    path = record(scenario, tmp_path)
    assert load_tape(path).frames == len(load_tape(path).hashes) == scenario.frames
    assert failures(path, MachinePool(open_one), ["native"]) == []
    (line,) = failures(path, MachinePool(open_one), ["mc68040-25", "native"])
    assert line == (
        f"mc68040-25: what world, first_bad_frame {bad}, field frame, index 0, "
        f"expected {bad + 1}, found {bad + 1 ^ 1}, trusted native"
    )
    assert scenario.command.startswith(f"RETROSIM_SCENARIO={scenario.number} ")


def test_scenarios_cover_what_there_is() -> None:
    """Ends of all ranges, every build, every key alone and all together; and a number always gives the same one."""
    many = [generate(number) for number in range(1000)]
    assert many[::20] == [generate(number) for number in range(0, 1000, 20)]
    for name in SCENARIOS:
        rom, ours = load_rom(name), [each for each in many if each.rom == name]
        assert len(ours) in (1000 // len(SCENARIOS), 1000 // len(SCENARIOS) + 1)
        assert {each.build for each in ours} == {image.build for image in rom.images}
        for parameter, known in rom.parameters.items():
            values = {each.parameters[parameter] for each in ours}
            assert {known.minimum, known.maximum} <= values and known.minimum == min(values)
            assert known.maximum == max(values) and len(values) > min(20, known.maximum // 2)
        assert min(each.frames for each in ours) == 1 and max(each.frames for each in ours) > LONGEST * 0.9
        pads = {states["pad"] for each in ours for _, states in each.script}
        assert {0, 1, 2, 4, 8, 16, 31} <= pads and max(pads) == 31
