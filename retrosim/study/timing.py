"""The table of 1994 beside ours: complete checks per second, clocks per check, and what they are made of.

Every cell is one experiment of the ROM's own harness (see `harness`). By default it is a sample of one simulated second
and the rest of a scene, with `full` the 30 seconds of 1994. Both count the same things; they differ by which random
scenes they meet. How much that may be is stated per row as `scatter`: one standard deviation of the cell, from the
scatter of pair tests between scenes (counted by kernels), the cost of a pair test, and the number of scenes.

Nothing here is fitted to the printed table; ratios are reported as they come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from retrosim.checks import check_choice
from retrosim.machine import PRESETS
from retrosim.machine.options import changed_memory, memory_parameters
from retrosim.machine.presets import preset
from retrosim.rom import Rom, load_rom

from .analysis import analysis_table
from .harness import TEST_SECONDS, Experiment, run_experiment
from .printed import OBJECTS, PRINTED, experiment_line, printed_cycles
from .split import parts, scene_tests, solve

ROM = "sectors"
SEED = 1994
SAMPLE_SECONDS = 1.0
POPULATION = 1000  # scenes for the mean and the scatter of pair tests

NOTES = (
    "0 objects has one: the list of the original always begins with object 0, so that row places one object.",
    "Counted as in 1994: the clock reads before each check are in, random placement is out.",
    "ours/1994 compares clocks: below 1, our build on our model of the CPU needs fewer. No constant is fitted to it.",
    "Scatter: one standard deviation of our clocks by the choice of random scenes, 50 checks to each.",
    "The printed figures have three significant digits. Which compiler and options they stand for is not recorded.",
    "The clocks of memory are estimates from the parts (list machines); caches of a 68040 copy back unless changed.",
    "Parts of a check by least squares of relative errors, the same for both columns; clock reads fall to the visits.",
)


def timing_table(
    machines: Sequence[str] | None = None,
    full: bool = False,
    progress: Callable[[int, int, str], None] | None = None,
    *,
    builds: Sequence[str] | None = None,
    objects: Sequence[int] = OBJECTS,
    seconds: float = SAMPLE_SECONDS,
    seed: int = SEED,
    memory: Mapping[str, int] | None = None,
    engine: str = "auto",
) -> dict[str, Any]:
    """Measure every cell; return plain data for JSON.

    machines  names of presets, None for all that 1994 measured and that have an image of the ROM
    full      run the 30 simulated seconds of 1994 in each cell, instead of a sample
    progress  called with the number of simulated seconds done, their total, and what is being measured
    builds    of the ROM, None for all
    objects   experiments, each 0..200
    seconds   length of a sample, above 0, to 10; it goes on to the end of a scene
    seed      of the scenes
    memory    parameters of caches and bus that differ from the presets'
    engine    as for a Machine
    Returns   dict with
        rows      one dict per cell:
            machine, build, objects
            engine                               that ran at the end of the experiment
            printed_per_second, printed_cycles   None where 1994 printed nothing
            per_second, cycles, instructions     per check, ours
            cycles_per_instruction
            ratio                                cycles / printed_cycles, or None
            checks, scenes, microseconds         the sample: counted checks, random scenes, simulated time
            pair_tests                           mean per check in these very scenes
            scatter                              of cycles by the choice of scenes, relative; None without a split
            line                                 full only: what the program of 1994 would have printed
        split     one dict per machine and build, and one with build None from the printed column:
            sector_visit, object_pass, pair_test, worst    see `split`; only where there are three rows or more
        tests     per number of objects: mean and standard deviation of pair tests between scenes
        analysis  see `analysis`
        method    full, seconds, seed; memory, memory_changed: machine -> parameters of caches and bus
        notes     list of sentences that belong under the table
    Errors    ValueError, RomError
    """
    rom = load_rom(ROM)
    names = list(dict.fromkeys(machines)) if machines is not None else machines_of(rom)
    check_scenes(objects, seed)
    cells = [(name, build, count) for name in names for build in builds_of(rom, name, builds) for count in objects]
    length = None if full else seconds
    used = memory_method(names, memory)
    settings = {"seconds": length, "seed": seed, "memory": memory, "engine": engine}
    rows = _measure(rom, cells, settings, progress or (lambda done, total, text: None))
    tests = {count: scene_tests(count, seed, POPULATION) for count in objects}
    split = [costs for name in names for costs in _splits(name, rows, {n: float(t.mean()) for n, t in tests.items()})]
    for row in rows:
        row["scatter"] = _scatter(row, split, float(tests[row["objects"]].std()))
    return {
        "rows": rows,
        "split": split,
        "tests": [{"objects": n, "mean": float(t.mean()), "deviation": float(t.std())} for n, t in tests.items()],
        "analysis": analysis_table(),
        "method": {"full": full, "seconds": TEST_SECONDS if full else seconds, "seed": seed} | used,
        "notes": [*NOTES, *(note(name) for name in names for note in (service_note, printed_note) if note(name))],
    }


def memory_method(names: Sequence[str], memory: Mapping[str, int] | None) -> dict[str, dict[str, dict[str, int]]]:
    """Return the parameters of caches and bus of each machine, and those that are not the preset's."""
    used = {name: memory_parameters(preset(name), memory) for name in names}
    changed = {name: changed_memory(preset(name), values) for name, values in used.items()}
    return {"memory": used, "memory_changed": changed}


def service_note(machine: str) -> str:
    return f"A clock read on the {machine} takes its trap and {preset(machine).service_clocks} clocks, an estimate."


def printed_note(machine: str) -> str:
    """Say that the table of 1994 has no column for a machine; "" if it has."""
    return "" if machine in PRINTED else f"The table of 1994 has no figures for the {machine}: its columns are empty."


def machines_of(rom: Rom) -> list[str]:
    isas = {info.isa for info in rom.images}
    return [name for name, each in PRESETS.items() if each.isa in isas and name in PRINTED]


def builds_of(rom: Rom, machine: str, wanted: Sequence[str] | None) -> list[str]:
    """Return the builds to measure on a machine. Errors: ValueError."""
    there = [info.build for info in rom.images if info.isa == preset(machine).isa]
    for build in wanted or ():
        check_choice("build", build, there, f" on {machine}")
    if not there:
        raise ValueError(f"machine {machine!r}: the ROM {rom.name} has no image for it")
    return there if wanted is None else list(dict.fromkeys(wanted))


def check_scenes(objects: Sequence[int], seed: int) -> None:
    for count in objects:
        if not 0 <= count <= 200:
            raise ValueError(f"objects {count}: allowed 0..200")
    if not objects or len(set(objects)) < len(objects):
        raise ValueError(f"objects {list(objects)}: allowed one or more numbers, each once")
    if not 0 <= seed < 1 << 32:
        raise ValueError(f"seed {seed}: allowed 0..{2**32 - 1}")


def _measure(
    rom: Rom,
    cells: list[tuple[str, str, int]],
    settings: Mapping[str, Any],
    progress: Callable[[int, int, str], None],
) -> list[dict[str, Any]]:
    """Run one experiment per cell of machine, build and objects; `settings` are those of `run_experiment`."""
    is_full = settings["seconds"] is None
    steps, rows = TEST_SECONDS if is_full else 1, []
    for number, (machine, build, objects) in enumerate(cells):

        def report(
            second: int, done: int = number * steps, text: str = f"{machine} {build}, {objects} objects"
        ) -> None:
            progress(done + min(second, steps), len(cells) * steps, text)

        report(0)
        done = run_experiment(machine, rom, build, objects, progress=report, **settings)
        line = experiment_line(objects, done.checks, done.microseconds)
        rows.append(_row(machine, build, objects, done, settings["seed"]) | ({"line": line} if is_full else {}))
        report(steps)
    return rows


def _row(machine: str, build: str, objects: int, done: Experiment, seed: int) -> dict[str, Any]:
    printed = printed_cycles(machine, objects, done.clock_hz)
    instructions = done.instructions / done.checks
    tests = scene_tests(objects, seed, done.scenes) @ done.weights / done.checks
    return {
        "machine": machine,
        "build": build,
        "objects": objects,
        "engine": done.engine,
        "printed_per_second": PRINTED.get(machine, {}).get(objects),
        "printed_cycles": printed,
        "per_second": done.checks_per_second,
        "cycles": done.cycles_per_check,
        "instructions": instructions,
        "cycles_per_instruction": done.cycles_per_check / instructions,
        "ratio": None if printed is None else done.cycles_per_check / printed,
        "checks": done.checks,
        "scenes": done.scenes,
        "microseconds": done.microseconds,
        "pair_tests": float(tests),
    }


def _splits(machine: str, rows: list[dict[str, Any]], tests: dict[int, float]) -> list[dict[str, Any]]:
    """Return the split of the printed column, then that of each build."""
    mine = [row for row in rows if row["machine"] == machine]
    clock_hz = preset(machine).clock_hz
    printed = [(n, mean, each) for n, mean in tests.items() if (each := printed_cycles(machine, n, clock_hz))]
    tables = {None: printed} if mine else {}
    for row in mine:
        tables.setdefault(row["build"], []).append((row["objects"], row["pair_tests"], row["cycles"]))
    split = []
    for build, cells in tables.items():
        try:
            costs = solve([parts(objects, tests) for objects, tests, _ in cells], [clocks for _, _, clocks in cells])
        except ValueError:  # rows too few to tell the parts apart
            continue
        split.append({"machine": machine, "build": build} | asdict(costs))
    return split


def _scatter(row: dict[str, Any], split: list[dict[str, Any]], deviation: float) -> float | None:
    for costs in split:
        if (costs["machine"], costs["build"]) == (row["machine"], row["build"]):
            return abs(costs["pair_test"]) * deviation / row["scenes"] ** 0.5 / row["cycles"]
    return None
