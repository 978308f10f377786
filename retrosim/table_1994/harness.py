"""One experiment of 1994 on a simulated machine: the ROM's own harness, for 30 simulated seconds or a shorter sample.

The program counts for itself. It adds up complete checks, reads the clock before each, and moves the end by what it
spent on random placement. A sample is the same program in the same state, which finds after some scenes that its thirty
seconds are over: it was put to sleep in a clock read for so long, and the sleep is taken off the time it reports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from retrosim.collide.documents.sectors import collided
from retrosim.collide.kernels.pairs.sectors import randomize
from retrosim.errors import RetrosimError
from retrosim.machine import Machine
from retrosim.rom import Rom

TEST_SECONDS = 30
CHECKS_PER_SCENE = 50
LONGEST_SAMPLE = 10  # seconds; the scene under way must end before the program does
_MICROSECOND = 1_000_000


@dataclass(frozen=True)
class Experiment:
    """What the program reported, and what the simulator saw.

    checks        complete checks (the program's gIterations)
    microseconds  counted by the program (gTotalTime), random placement excluded, clock reads included
    instructions  executed in that time
    scenes        random scenes, CHECKS_PER_SCENE checks each; a full run may end within the last
    clock_hz      of the machine
    engine        that ran at the end
    """

    checks: int
    microseconds: int
    instructions: int
    scenes: int
    clock_hz: int
    engine: str

    @property
    def cycles_per_check(self) -> float:
        """Clocks per check."""
        return self.microseconds * self.clock_hz / _MICROSECOND / self.checks

    @property
    def checks_per_second(self) -> float:
        """Complete checks in a second."""
        return self.checks * _MICROSECOND / self.microseconds

    @property
    def weights(self) -> np.ndarray:
        """Checks made of each scene: int64[scenes]."""
        checks = np.full(self.scenes, CHECKS_PER_SCENE)
        checks[-1] = self.checks - CHECKS_PER_SCENE * (self.scenes - 1)
        return checks


class Harness(Machine):
    """A machine in harness mode that can oversleep."""

    def sleep(self, seconds: int) -> None:
        """Let time pass while the CPU stands still."""
        self._wait_until(self.cycles + seconds * self.clock_hz)

    def word(self, symbol: str) -> int:
        """Return a 32-bit variable of the program."""
        address = self.address(symbol)
        return int.from_bytes(self.mem[address : address + 4].tobytes(), self.image.byte_order)

    def reach(self, symbol: str, **limits: int) -> bool:
        """Run to a function; False when a limit came first. Errors: RetrosimError when the program ends instead."""
        result = self.run(until=symbol, **limits)
        if result.fault:
            raise result.fault
        if result.reason == "exit":
            raise RetrosimError(f"{self.name}: the harness ended with status {self.exit_status} before {symbol}")
        return result.reason == "until"


def open_harness(machine: str, rom: Rom, build: str, **settings: Any) -> Harness:
    """Switch a machine on for experiments.

    machine   a preset's name
    rom       with the harness of 1994 as its mode "harness"
    build     of the ROM
    settings  engine, memory_clocks, readings: as for a Machine
    Errors    ValueError, RomError
    """
    return Harness(machine, rom, mode="harness", build=build, **settings)


def experiment(
    program: Harness,
    objects: int,
    *,
    seed: int = 1994,
    seconds: float | None = 1.0,
    scenes: int | None = None,
    progress: Callable[[int], None] = lambda second: None,
) -> Experiment:
    """Switch a machine off and on and run one experiment.

    objects   0..200; with 0 there is still one in the list
    seed      of the scenes, 0..2**32-1
    seconds   simulated, above 0, to 10, and on to the end of a scene; None: the program's own 30 seconds
    scenes    of a sample, in place of seconds, 1 or more; fewer if they take more than 10 seconds
    progress  called with the number of simulated seconds done, of 30
    Errors    ValueError; RetrosimError when the last scene's flags are not those of the kernel
    """
    if seconds is not None and not 0 < seconds <= LONGEST_SAMPLE:
        raise ValueError(f"seconds {seconds}: allowed above 0, to {LONGEST_SAMPLE}")
    if scenes is not None and scenes < 1:
        raise ValueError(f"scenes {scenes}: allowed 1 or more")
    begin(program, objects, seed)
    start, slept = program.instructions, 0
    if seconds is None and scenes is None:
        second = 0
        while not program.reach("ClearScreen", cycles=program.clock_hz):
            progress(second := second + 1)
    else:
        _run_scenes(program, seconds, scenes)
        slept = TEST_SECONDS
    program.reach("ClearScreen")
    executed = program.instructions - start
    checks, time = program.word("gIterations"), program.word("gTotalTime") - slept * _MICROSECOND
    met = -(-checks // CHECKS_PER_SCENE)
    _compare_flags(program, objects, seed, met)
    program.run(cycles=program.clock_hz * TEST_SECONDS)
    if program.exit_status != 0:
        raise RetrosimError(f"{program.name}: the harness ended with status {program.exit_status}, expected 0")
    begin(program, objects, seed)
    placing = program.measure("RandomizeObjects", objects, warm=0).instructions
    return Experiment(checks, time, executed - met * placing, met, program.clock_hz, program.engine)


def begin(program: Harness, objects: int, seed: int) -> None:
    """Switch a machine off and on, and run it to where it places objects for the first time."""
    program.parameters |= {"objects": objects, "seed": seed}
    program.reset()
    program.reach("RandomizeObjects")


def _run_scenes(program: Harness, seconds: float | None, scenes: int | None) -> None:
    """Run for a time or some scenes, and on to the last check of the scene that is under way; sleep before that."""
    if scenes is None:
        program.run(cycles=round((seconds or 0) * program.clock_hz))
    end, last = program.cycles + LONGEST_SAMPLE * program.clock_hz, CHECKS_PER_SCENE * ((scenes or 1) - 1)
    while program.word("gIterations") < last and program.cycles < end:
        program.run(cycles=program.clock_hz // 100)
    program.reach("DetermineCollisions")
    while program.word("gIterations") % CHECKS_PER_SCENE != CHECKS_PER_SCENE - 1:
        program.run(instructions=1)
        program.reach("DetermineCollisions")
    program.sleep(TEST_SECONDS)


def _compare_flags(program: Harness, objects: int, seed: int, scenes: int) -> None:
    x, y, state = np.zeros(objects, np.int16), np.zeros(objects, np.int16), seed
    for _ in range(scenes):
        state = randomize(x, y, state)
    address = program.address("gCollisionArray")
    if not np.array_equal(program.mem[address : address + objects], collided(x, y)):
        raise RetrosimError(f"{program.name}: the collision flags of scene {scenes} are not those of the kernel")
