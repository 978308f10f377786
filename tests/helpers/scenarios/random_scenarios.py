"""Scenarios made from a number: a ROM, a build, parameters and an input script, and the tape that holds them."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from retrosim.machine import NATIVE, PRESETS, open_machine
from retrosim.machine.interface import PlayableMachine
from retrosim.machine.presets import machines_for
from retrosim.rom import load_rom
from retrosim.scenarios import SCENARIOS
from retrosim.tape import MachinePool, Tape, record_script, verify

ALL_KEYS = 31
LONGEST, USUAL = 160, 24  # frames: a wave of missiles, a ship lost and a new one need more than a second
HOLDS = (1, 1, 1, 2, 3, 5, 8, 13, 40)  # frames that keys stay as they are
ONE = "RETROSIM_SCENARIO"


@dataclass(frozen=True)
class Generated:
    """One scenario.

    number      that everything follows from
    rom         its name
    build       of the images; a machine without one of that name runs its default
    parameters  of the ROM
    frames      how many
    script      [(frame, {device: state})] as the recorder takes it
    """

    number: int
    rom: str
    build: str
    parameters: dict[str, int]
    frames: int
    script: list[tuple[int, dict[str, int]]]

    def __str__(self) -> str:
        given = ", ".join(f"{name} {value}" for name, value in self.parameters.items())
        inputs = "; ".join(f"{frame} pad={states['pad']}" for frame, states in self.script)
        what = f"scenario {self.number}: {self.rom} {self.build}, {given}, {self.frames} frames"
        return f"{what}, input {inputs or 'none'}"

    @property
    def command(self) -> str:
        """What runs this scenario alone again."""
        return f"{ONE}={self.number} python -m pytest -n 0 -s -k same_world tests/scenarios/test_random.py"


rom_of = cache(load_rom)


@cache
def builds_of(rom: str) -> tuple[str, list[str]]:
    """Return the default build and the others."""
    default = rom_of(rom).image("m68040").build
    return default, sorted({image.build for image in rom_of(rom).images} - {default})


def generate(number: int) -> Generated:
    """Make a scenario; the ROMs take turns, all else is random."""
    chance = random.Random(number)
    rom = rom_of(sorted(SCENARIOS)[number % len(SCENARIOS)])
    default, others = builds_of(rom.name)
    build = chance.choice(others) if others and chance.random() < 0.5 else default
    parameters = {name: _value(chance, each.minimum, each.maximum) for name, each in rom.parameters.items()}
    frames = chance.randint(1, USUAL if chance.random() < 0.75 else LONGEST)
    return Generated(number, rom.name, build, parameters, frames, _script(chance, frames))


def _value(chance: random.Random, minimum: int, maximum: int) -> int:
    """Return a parameter: an end of its range, a small one, or any."""
    ends = [minimum, minimum + 1, maximum - 1, maximum, (minimum + maximum) // 2, (minimum + maximum) // 2 + 1]
    small = min(maximum, minimum + chance.randint(0, 20))
    return min(max(chance.choice([chance.choice(ends), small, chance.randint(minimum, maximum)]), minimum), maximum)


def _script(chance: random.Random, frames: int) -> list[tuple[int, dict[str, int]]]:
    script, frame, pad = [], chance.choice([0, 0, 1, 5]), 0
    while frame < frames:
        pad = chance.choice([0, ALL_KEYS, chance.randint(0, ALL_KEYS), 1 << chance.randrange(5), pad ^ 16])
        script.append((frame, {"pad": pad}))
        frame += chance.choice(HOLDS)
    return script


def record(scenario: Generated, folder: Path) -> Path:
    """Record a scenario on the native machine, with the world's hash after every frame."""
    path = folder / f"scenario-{scenario.number}.rtape"
    machine = open_machine(NATIVE, rom_of(scenario.rom), parameters=scenario.parameters)
    result = record_script(path, machine, scenario.frames, scenario.script, title=str(scenario)[:200], hash_every=1)
    assert result.reason == "frames"
    return path


def opener_of(build: str) -> Callable[[Tape, str], PlayableMachine]:
    """Return what opens machines with a build, where they have it."""

    def open_one(tape: Tape, name: str) -> PlayableMachine:
        rom = rom_of(tape.scenario)
        if name == NATIVE:
            return open_machine(name, rom)
        has = (PRESETS[name].isa, build) in {(image.isa, image.build) for image in rom.images}
        return open_machine(name, rom, build=build if has else None)

    return open_one


def all_machines(rom: str) -> list[str]:
    """Return the machines that run a ROM."""
    return [*machines_for({image.isa for image in rom_of(rom).images}), NATIVE]


def failures(path: Path, machine_of: MachinePool, machines: Sequence[str]) -> list[str]:
    """Play a tape on machines; return what is not as recorded, frame and field."""
    (entry,) = verify([path], machines, opener=machine_of)["tapes"]
    found = []
    for result in entry["results"]:
        whole = result["compared"] == entry["frames"] and entry["complete"]
        if not (result["world_ok"] and result["verified"] and whole) or result["machine_ok"] is False:
            keys = ("error", "what", "first_bad_frame", "field", "index", "expected", "found", "trusted", "note")
            shown = ", ".join(f"{key} {result[key]}" for key in keys if result.get(key) not in (None, ""))
            found.append(f"{result['machine']}: {shown}")
    assert [result["machine"] for result in entry["results"]] == list(machines)
    return found


def chosen(count: int) -> list[Generated]:
    """Return the first scenarios, or the one that the environment names; those of a ROM and build together."""
    numbers = [int(os.environ[ONE])] if ONE in os.environ else range(count)
    return sorted(map(generate, numbers), key=lambda each: (each.rom, each.build, each.number))
