"""All methods on the same scenes: what they get wrong, what they do for it, and what that costs on each machine.

Every scene is a frame of rectangles at any angle, some of which move. A method is judged twice: by the exact test of
the very forms that it is given (boxes, circles, pixels ..), which tells whether it does what it says; and by the
rectangles themselves at any time of the frame, which is what a player sees. A pair is any two of a scene's objects,
whether or not the method tests it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from time import perf_counter_ns
from typing import Any

import numpy as np

from retrosim.checks import check_choice, check_integer
from retrosim.errors import RetrosimError
from retrosim.jobs import HERE, Job, Workers, run_jobs
from retrosim.machine import Measurement
from retrosim.machine.presets import machines_for, preset
from retrosim.rom import Rom, load_rom

from .method import Method, Unit
from .methods import METHODS
from .operations import KINDS, Count
from .scenes import ADVERSARIAL, OBJECTS, Forms, random_scenes

# Clocks of methods: their ROM code on simulated machines, on the same scenes as the kernels.

BUILDS = ("O2", "flat")  # the first of these that a ROM has for a processor


def build_of(rom: Rom, machine: str) -> str | None:
    """Return the build to measure on a machine, None if the ROM has none of BUILDS for it."""
    there = [info.build for info in rom.images if info.isa == preset(machine).isa]
    return next((build for build in BUILDS if build in there), None)


def _missing(roms: Mapping[str, Rom], machines: Sequence[str]) -> list[str]:
    """Return a line for each ROM that has images for a machine, but none of a build that is measured."""
    return [
        f"{name}: no {BUILDS[0]} build for the {machine}"
        for name, rom in roms.items()
        for machine in machines
        if build_of(rom, machine) is None and any(info.isa == preset(machine).isa for info in rom.images)
    ]


def roms_of(methods: Sequence[Method]) -> dict[str, Rom]:
    """Return the ROMs that hold these methods."""
    return {name: load_rom(name) for name in dict.fromkeys(method.routine.rom for method in methods if method.routine)}


def open_unit(machine: str, rom: Rom, objects: int, engine: str) -> Unit:
    """Switch on a machine with a ROM."""
    parameters = {"objects": objects} if "objects" in rom.parameters else None
    return Unit(machine, rom, build=build_of(rom, machine), parameters=parameters, engine=engine)


def run_routine(method: Method, unit: Unit, forms: Forms) -> tuple[Measurement, object]:
    """Lay a scene out and run a frame of it; return what that costs, and what the ROM has found."""
    (symbol, arguments), read = method.code.layout(unit, forms, method.code.entry)
    return unit.measure(symbol, *arguments), read()


def kernel_result(method: Method, forms: Forms) -> object:
    """Return what the kernel finds in a scene, in the form in which `run_routine` returns it."""
    frame = method.frame(forms)
    frame.run()
    return method.code.expected(forms, frame)


def measure_method(method: Method, unit: Unit, scenes: Sequence[Forms]) -> tuple[float, float]:
    """Return clocks and instructions of a frame, the mean over scenes of as many objects each.

    Caches are warm, see `Machine.measure`: code and data are where a program that runs frame after frame finds them.
    Errors  RetrosimError  the ROM finds other collisions than the kernel
    """
    cycles = instructions = 0
    for forms in scenes:
        cost, found = run_routine(method, unit, forms)
        if found != kernel_result(method, forms):
            raise RetrosimError(f"{unit.name}: {method.name} of the ROM {method.code.rom} differs from its kernel")
        cycles += cost.cycles
        instructions += cost.instructions
    return cycles / len(scenes), instructions / len(scenes)


SEED, SCENES, MAX_SCENES = 2011, 10, 1000
MEASURED = 2  # scenes of each random kind that are run on machines
LAPS, CALLS = 5, 20  # host time: laps of so many frames each

NOTES = (
    "As stated: errors against the exact test of the very forms a method is given, where the frame ends; swept: during "
    "it. As seen: against the rectangles themselves, exact, at any time of the frame.",
    "Forms are the smallest of their kind that hold the rectangle; Moertel 1994 has squares of 30 pixels for all; "
    "sprites have the pixels whose centres are inside.",
    "Touching counts in No-collision boxes 2011, in Rekaby 2011 except for spheres, and in the exact test of what is "
    "seen; it does not in Moertel 1994, Mackey 1995 and Jon E P 2007.",
    "+n: n pairs found that do not collide; -n: n pairs missed.",
    "A frame finds all collisions of {objects} objects, {pairs} pairs; a cost per pair is that of the frame over all "
    "of these, tested or not.",
    "Operations are counted by running the kernels on numbers that count; loops, addresses and tables are free. The "
    "bitmap method tests objects, not pairs, and compares pixels; its clocks and time include drawing, not clearing. "
    "The loop of Jon E P 2007 meets each pair in both orders, unless one of the two has collided before and left.",
    "Clocks are those of -O2 code in ROMs, on the first {measured} scenes of each random kind, the second time that a "
    "frame is run; the ROM's findings are compared with the kernel's.",
    "Host time is that of the compiled kernel here and now: the median of {laps} laps, on one core.",
)


@dataclass(frozen=True)
class SceneKind:
    """The scenes of one kind; collisions: as seen."""

    scene: str
    scenes: int
    objects: int
    pairs: int
    collisions: int
    about: str


@dataclass(frozen=True)
class Errors:
    """Pairs that a method finds and that do not collide; pairs that do and that it misses."""

    false_positives: int
    false_negatives: int


@dataclass(frozen=True)
class FrameClocks:
    """What a method's ROM code takes on a machine, means over scenes."""

    rom: str
    build: str
    entry: str
    cycles_per_frame: float
    instructions_per_frame: float
    cycles_per_pair: float


@dataclass(frozen=True)
class MethodRow:
    """A method.

    stated, seen      errors over all scenes
    scenes            kind of scene -> errors as seen
    tests             pair tests a frame (of the bitmap method: looks), mean over the random scenes
    operations        a frame, by kind
    host_ns_per_pair  time of the kernel
    cycles            by machine; nothing for a method without ROM code or without a measured build
    """

    method: str
    document: str
    title: str
    reference: str
    stated: Errors
    seen: Errors
    scenes: dict[str, Errors]
    tests: float
    operations: dict[str, float]
    host_ns_per_pair: float
    cycles: dict[str, FrameClocks]


@dataclass(frozen=True)
class ComparisonSettings:
    """How it was measured; scenes: of each random kind, of which the first `measured` run on machines."""

    seed: int
    scenes: int
    objects: int
    pairs: int
    measured: int


@dataclass(frozen=True)
class Comparison:
    """What `compare_methods` found; notes: sentences that belong under the table."""

    scenes: list[SceneKind]
    rows: list[MethodRow]
    machines: list[str]
    method: ComparisonSettings
    notes: list[str]


@dataclass(frozen=True)
class OnMachine:
    """What to measure on a machine: methods by name, the first `measured` of so many scenes of each random kind."""

    machine: str
    methods: list[str]
    engine: str
    scenes: int
    seed: int
    measured: int


def method_named(name: str) -> Method:
    """Return a method. Errors: ValueError."""
    by_name = {method.name: method for method in METHODS}
    check_choice("method", name, by_name)
    return by_name[name]


def compare_methods(
    machines: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    progress: Callable[[int, int, str], None] = lambda done, total, text: None,
    *,
    scenes: int = SCENES,
    seed: int = SEED,
    engine: str = "auto",
    workers: Workers = HERE,
) -> Comparison:
    """Run the study.

    machines  names of presets, None for all; none measures no clocks
    methods   names, None for all
    progress  called with the number of steps done, their total, and what is being done
    scenes    of each random kind, 1..1000
    seed      of the random scenes, 0..2**32-1
    engine    as for a Machine
    workers   who measures the clocks; all else is done here, before them
    Errors    ValueError; RetrosimError when a ROM finds other collisions than the kernel
    """
    check_integer("scenes", scenes, 1, MAX_SCENES)
    check_integer("seed", seed, 0, 2**32 - 1)
    names = list(dict.fromkeys(_with_code() if machines is None else machines))
    for name in names:
        preset(name)
    chosen = METHODS if methods is None else tuple(method_named(name) for name in dict.fromkeys(methods))
    at_random = [Forms(scene) for scene in random_scenes(seed, scenes)]
    every = [*at_random, *(Forms(make()) for make in ADVERSARIAL)]
    total = (2 + len(names)) * len(chosen)
    progress(0, total, "the exact tests")
    truths = [forms.scene.truth() for forms in every]
    judged, spent = [], []
    for number, method in enumerate(chosen):
        progress(number, total, f"errors of {method.name}")
        judged.append(_judge(method, every, truths))
    for number, method in enumerate(chosen, len(chosen)):
        progress(number, total, f"operations of {method.name}")
        spent.append((*_spent(method, at_random), _host_time(method, at_random[: 2 * MEASURED])))
    left = dict(enumerate(names))

    def ended(index: int) -> None:
        del left[index]
        progress(total - len(chosen) * len(left), total, f"left: {', '.join(left.values())}" if left else "done")

    if names:
        progress(2 * len(chosen), total, f"left: {', '.join(names)}")
    jobs = [OnMachine(name, [each.name for each in chosen], engine, scenes, seed, 2 * MEASURED) for name in names]
    clocks = run_jobs(measure_machine, [Job(asdict(job)) for job in jobs], workers, ended)
    rows = []
    for method, errors, work in zip(chosen, judged, spent):
        cycles = {name: FrameClocks(**cells[method.name]) for name, cells in zip(names, clocks) if method.name in cells}
        rows.append(MethodRow(method.name, method.document, method.title, method.reference, *errors, *work, cycles))
    settings = ComparisonSettings(seed, scenes, OBJECTS, len(at_random[0].scene.pairs), min(MEASURED, scenes))
    notes = [note.format(**asdict(settings), laps=LAPS) for note in NOTES]
    return Comparison(_kinds(every, truths), rows, names, settings, [*notes, *_missing(roms_of(chosen), names)])


def _with_code() -> list[str]:
    """Return the machines that can run some method."""
    roms = roms_of([method for method in METHODS if method.routine])
    return machines_for({info.isa for rom in roms.values() for info in rom.images})


def measure_machine(given: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Measure the methods of `OnMachine`, return `FrameClocks` of each by its name: a job, both as plain data."""
    wanted = OnMachine(**given)
    forms = [Forms(scene) for scene in random_scenes(wanted.seed, wanted.scenes)[: wanted.measured]]
    methods = [method for method in METHODS if method.name in wanted.methods and method.routine]
    roms = roms_of(methods)
    units: dict[str, Unit] = {}
    clocks = {}
    for method in methods:
        rom = roms[method.code.rom]
        build = build_of(rom, wanted.machine)
        if build is None:
            continue
        if rom.name not in units:
            units[rom.name] = open_unit(wanted.machine, rom, OBJECTS, wanted.engine)
        cycles, instructions = measure_method(method, units[rom.name], forms)
        per_pair = cycles / len(forms[0].scene.pairs)
        clocks[method.name] = asdict(FrameClocks(rom.name, build, method.code.entry, cycles, instructions, per_pair))
    return clocks


def _kinds(every: Sequence[Forms], truths: Sequence[np.ndarray]) -> list[SceneKind]:
    about = {make().name: make.__doc__ or "" for make in ADVERSARIAL}
    about |= {"random": "Random, over the whole screen.", "crowded": "Random, over a sixteenth of the screen."}
    kinds = []
    for name in dict.fromkeys(forms.scene.name for forms in every):
        chosen = [(forms, truth) for forms, truth in zip(every, truths) if forms.scene.name == name]
        pairs, collisions = sum(len(truth) for _, truth in chosen), sum(int(truth.sum()) for _, truth in chosen)
        kinds.append(SceneKind(name, len(chosen), chosen[0][0].count, pairs, collisions, about[name]))
    return kinds


def _counts(hits: np.ndarray, expected: np.ndarray) -> np.ndarray:
    return np.array([(hits > expected).sum(), (hits < expected).sum()])


def _judge(
    method: Method, every: Sequence[Forms], truths: Sequence[np.ndarray]
) -> tuple[Errors, Errors, dict[str, Errors]]:
    """Return a method's errors on all scenes: as stated, as seen, as seen by kind of scene."""
    stated, seen = np.zeros(2, int), {forms.scene.name: np.zeros(2, int) for forms in every}
    for forms, truth in zip(every, truths):
        frame = method.frame(forms)
        frame.run()
        hits = frame.hits()
        stated += _counts(hits, np.array([method.exact(forms, i, j) for i, j in forms.scene.pairs], np.uint8))
        seen[forms.scene.name] += _counts(hits, truth)
    by_kind = {name: Errors(*counts.tolist()) for name, counts in seen.items()}
    return Errors(*stated.tolist()), Errors(*sum(seen.values(), np.zeros(2, int)).tolist()), by_kind


def _spent(method: Method, scenes: Sequence[Forms]) -> tuple[float, dict[str, float]]:
    """Count tests and operations of a frame, the mean over scenes."""
    count = Count()
    for forms in scenes:
        for kernel, arguments in method.frame(forms, count.of).calls:
            count.plain(kernel, method.test)(*arguments)
    return count.tests / len(scenes), {kind: count.spent[kind] / len(scenes) for kind in KINDS}


def _host_time(method: Method, scenes: Sequence[Forms]) -> float:
    """Return nanoseconds per pair."""
    frames = [method.frame(forms) for forms in scenes]
    pairs = sum(len(forms.scene.pairs) for forms in scenes)
    laps = []
    for _ in range(LAPS):
        spent = 0
        for frame in CALLS * frames:
            frame.fresh()
            begin = perf_counter_ns()
            frame.run()
            spent += perf_counter_ns() - begin
        laps.append(spent / (CALLS * pairs))
    return median(laps)
