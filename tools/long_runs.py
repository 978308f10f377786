#!/usr/bin/env python3
"""Run machines for very long, save and go back very often, make very many: nothing may wrap wrongly, drift or grow.

  python tools/long_runs.py hours --hours 24 --machine mc68040-25
  python tools/long_runs.py states --count 10000
  python tools/long_runs.py machines --count 100000

hours     A program that asks for the time in every frame, then waits for the next one. Time, frames, ticks and clocks
          are compared with arithmetic at every simulated half hour, and a machine that loads the state there must be
          equal after another second. The clocks that a machine waits are not executed one by one.
states    A frame of sectors, a save, a snapshot, some frames on, back to either, and on again: hashes are compared, and
          at the end with a machine that ran straight on.
machines  Opened, run for a frame and dropped.

Memory is that of the process, after a tenth of the work and at the end; it may grow by 32 MiB. The exit status is 0 if
all is well, 1 otherwise.
"""

from __future__ import annotations

import argparse
import gc
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from retrosim.machine import PRESETS, Machine, open_machine  # noqa: E402
from retrosim.machine.budget import memory_in_use  # noqa: E402
from tests.helpers.machine import programs  # noqa: E402

MIB = 1 << 20
MAX_GROWTH = 32 * MIB
TIME = 0x2000  # where the program keeps the answer: low word, then high word
COUNTER = {"m68k": "d2", "x86": "ebx", "ppc": "r5"}
CODE = {
    "m68k": "a001 23c0 0000 2000 23c1 0000 2004 5282 a000 60ec",
    "x86": "cd61 a3 00200000 8915 04200000 43 cd60 ebec",
    "ppc": "38000001 44000002 90602000 90802004 38a50001 38000000 44000002 4bffffe4",
}
REPORT_SECONDS = 20.0
CHECKED = 50  # one of so many is compared by its hash, which takes longer than the rest
SECONDS_BETWEEN = 1800  # simulated, between two comparisons


class Wrong(Exception):
    """Something came out differently."""


def expect(what: str, found: Any, expected: Any) -> None:
    """Errors: Wrong, unless two values are equal."""
    if found != expected:
        raise Wrong(f"{what} is {found}, should be {expected}")


class Memory:
    """Looks at the memory of this process after a tenth of the work and at the end."""

    def __init__(self) -> None:
        self._first = 0

    def look(self, share: float) -> str:
        """Return the present amount in words. Errors: Wrong if it has grown."""
        gc.collect()
        now = memory_in_use() or 0
        if share >= 0.1 and not self._first:
            self._first = now
        if self._first and now - self._first > MAX_GROWTH:
            raise Wrong(f"memory has grown from {self._first // MIB} to {now // MIB} MiB")
        return f"{now // MIB} MiB"


class Report:
    """Says now and then how far the work is."""

    def __init__(self, total: float, unit: str, minutes: float) -> None:
        self._total, self._unit, self._next, self._memory = total, unit, 0.0, Memory()
        self._begun = time.monotonic()
        self._end = self._begun + 60 * minutes

    def __call__(self, done: float) -> bool:
        """Return whether the time is over. Errors: Wrong if memory has grown."""
        now = time.monotonic()
        if done >= self._total or now >= self._next:
            self._next = now + REPORT_SECONDS
            memory = self._memory.look(done / self._total)
            print(f"{done:,.6g} of {self._total:,.6g} {self._unit}, {now - self._begun:.0f} s, {memory}", flush=True)
        return now > self._end


def family(name: str) -> str:
    """Return the instruction set of a machine."""
    isa = PRESETS[name].isa
    return "ppc" if isa.startswith("ppc") else "x86" if isa.startswith("i") else "m68k"


def check_time(machine: Machine, before: int) -> None:
    """Compare all that counts with arithmetic; `before` is the clock at which the last frame began."""
    big = "little" if family(machine.name) == "x86" else "big"
    low, high = (int.from_bytes(machine.mem[at : at + 4].tobytes(), big) for at in (TIME, TIME + 4))
    answer = high << 32 | low
    earliest, latest = (math.floor(clock * 1_000_000 / machine.clock_hz) for clock in (before, before + 20_000))
    if not earliest <= answer <= latest:
        raise Wrong(f"the program was given {answer} us, should be {earliest}..{latest}")
    expect("clocks", machine.cycles, math.ceil(machine.frame_number * machine.clock_hz / machine.frame_hz))
    expect("ticks", machine.ticks, math.floor(machine.cycles * machine.tick_hz / machine.clock_hz))
    expect("the program's counter", machine.regs[COUNTER[family(machine.name)]], machine.frame_number & 0xFFFFFFFF)


def hours(options: argparse.Namespace) -> str:
    """Let a machine run for simulated hours."""

    def opened() -> Machine:
        return programs.machine(CODE[family(options.machine)], name=options.machine, engine="interpret", timing="full")

    machine, other = opened(), opened()
    second = math.ceil(machine.frame_hz)
    step, total = SECONDS_BETWEEN * second, math.ceil(options.hours * 3600 * machine.frame_hz)
    report = Report(total, "frames", options.minutes)
    while machine.frame_number < total:
        machine.run(frames=min(step, total - machine.frame_number) - 1)
        before = machine.cycles
        machine.run(frames=1)
        check_time(machine, before)
        other.load(machine.save())
        for each in (machine, other):
            each.run(frames=second)
        expect("the machine that loaded the state", other.hash("machine"), machine.hash("machine"))
        if report(machine.frame_number):
            break
    wraps = f"clocks {machine.cycles / 2**32:.1f}, microseconds {machine.cycles * 1e6 / machine.clock_hz / 2**32:.1f}"
    return f"{machine.frame_number:,} frames on {machine.name}; times that 32 bits were passed: {wraps}"


def states(options: argparse.Namespace) -> str:
    """Save, go on, go back."""
    settings: dict[str, Any] = {"parameters": {"objects": 2}, "engine": "interpret"}
    machine, straight = (open_machine(options.machine, "sectors", **settings) for _ in range(2))
    report = Report(options.count, "saves and rewinds", options.minutes)
    for number in range(1, options.count + 1):
        machine.run(frames=1)
        saved, kept = machine.save(), machine.snapshot()
        machine.run(frames=1 + number % 3)
        ahead = (machine.frame_number, machine.hash("machine")) if number % CHECKED == 0 else None
        (machine.load if number % 2 else machine.restore)(saved if number % 2 else kept)
        expect("the frame gone back to", machine.frame_number, number)
        if ahead:
            machine.run(frames=1 + number % 3)
            expect("what follows", (machine.frame_number, machine.hash("machine")), ahead)
            machine.restore(kept)
        if report(number):
            break
    straight.run(frames=number)
    expect("the end", machine.hash("machine"), straight.hash("machine"))
    return f"{number:,} saves, snapshots and ways back on {machine.name}"


def machines(options: argparse.Namespace) -> str:
    """Make machines and drop them."""

    def ran(engine: str) -> Machine:
        machine = programs.machine(CODE[family(options.machine)], name=options.machine, engine=engine)
        machine.run(frames=1)
        return machine

    engines = "interpret", "recompile"
    hashes = {ran(engine).hash("machine") for engine in engines}  # what a process compiles once is there from now on
    report = Report(options.count, "machines", options.minutes)
    for number in range(1, options.count + 1):
        machine = ran(engines[number % 2])
        if number % CHECKED < 2:  # one of either engine
            hashes.add(machine.hash("machine"))
            expect("the number of different hashes", len(hashes), 1)
        if report(number):
            break
    return f"{number:,} machines {options.machine}"


KINDS: dict[str, Callable[[argparse.Namespace], str]] = {"hours": hours, "states": states, "machines": machines}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS, help="what to do, see above")
    parser.add_argument(
        "--machine", default="mc68040-25", choices=list(PRESETS), metavar="NAME", help="default: mc68040-25"
    )
    parser.add_argument("--hours", type=float, default=24.0, metavar="N", help="simulated hours; default: 24")
    parser.add_argument("--count", type=int, default=10_000, metavar="N", help="saves, or machines; default: 10,000")
    parser.add_argument(
        "--minutes", type=float, default=1e6, metavar="N", help="end after N minutes, wherever it is then"
    )
    options = parser.parse_args()
    begun = time.monotonic()
    try:
        said = KINDS[options.kind](options)
    except Wrong as wrong:
        print(f"{options.kind}: {wrong}")
        return 1
    print(f"{options.kind}: {said}, {time.monotonic() - begun:.0f} s, ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
