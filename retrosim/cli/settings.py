"""What a command was told, as records that do not change: each is made of the parsed options once, and checks itself.

    MachineSettings   the program, and the machine that runs it
    BudgetSettings    what a run may use up
    JobSettings       who does long work
    WindowSettings    how the window is

What else follows from a program that has been opened is in `opening`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from retrosim.machine.choices import CAUSES, NATIVE

from . import arguments
from .values import bad_arguments

if TYPE_CHECKING:
    from retrosim.jobs import Workers
    from retrosim.machine.budget import Budget

FEW_JOBS = 4


def refuse(reason: str) -> argparse.ArgumentError:
    """Return the usage error to raise."""
    return argparse.ArgumentError(None, reason)


def check_machines(names: Iterable[str]) -> None:
    """Refuse unknown machine names. Errors: ArgumentError."""
    from retrosim.machine import MACHINE_NAMES

    _check_names(names, MACHINE_NAMES)


def check_simulated(names: Iterable[str]) -> None:
    """Refuse names of machines that are unknown or have no cycles. Errors: ArgumentError."""
    from retrosim.machine import PRESETS

    names = list(names)
    if NATIVE in names:
        raise refuse(f"machine {NATIVE!r}: has no CPU whose cycles could be counted")
    _check_names(names, PRESETS)


def _check_names(names: Iterable[str], allowed: Iterable[str]) -> None:
    from retrosim.checks import check_choice

    with bad_arguments():
        for name in names:
            check_choice("machine", name, allowed)


def check_memory(given: Mapping[str, int], timing: str | None, names: Iterable[str]) -> None:
    """Refuse parameters of caches and bus that one of the machines lacks. Errors: ArgumentError."""
    from retrosim.machine import PRESETS
    from retrosim.machine.presets import memory_parameters

    if given and timing in ("off", "table"):
        raise refuse(f"--memory: timing {timing!r} has neither caches nor bus; allowed full")
    with bad_arguments():
        for name in names:
            memory_parameters(PRESETS[name], given)


@dataclass(frozen=True)
class MachineSettings:
    """The program, and the machine that runs it, as far as they were given.

    rom         name, folder or file
    others      files that are linked with it; cflags: what the compiler of C sources is told
    at, bits    of a flat binary: its first address; of x86 code: its mode
    memory      parameters of caches and bus; readings: answers to open questions of the clocks
    parameters  of a ROM; scene: which places its objects
    """

    rom: str | None = None
    others: tuple[str, ...] = ()
    cflags: str = ""
    at: int | None = None
    bits: int | None = None
    machine: str | None = None
    build: str | None = None
    engine: str | None = None
    timing: str | None = None
    memory: Mapping[str, int] = field(default_factory=dict)
    readings: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, int] = field(default_factory=dict)
    scene: str | None = None

    @classmethod
    def of(cls, options: argparse.Namespace) -> MachineSettings:
        """Return them as far as a command has such options."""
        given = vars(options)
        names = ("rom", "at", "bits", "machine", "build", "engine", "timing", "scene")
        parameters = dict(given.get("parameters", ()))
        parameters |= {name: given[name] for name in ("objects", "seed") if given.get(name) is not None}
        return cls(
            **{name: given.get(name) for name in names},
            others=tuple(given.get("others", ())),
            cflags=given.get("cflags") or "",
            memory=dict(given.get("memory", ())),
            readings=dict(given.get("readings", ())),
            parameters=parameters,
        )

    def of_cpu(self, machine: str) -> dict[str, Any]:
        """Return build, engine and timing as far as given. Errors: ArgumentError where there is no CPU to have them."""
        given = {"build": self.build, "engine": self.engine, "timing": self.timing}
        given = {name: value for name, value in given.items() if value is not None}
        tables = {"memory": self.memory, "reading": self.readings}
        named = [*given, *(option for option, table in tables.items() if table)]
        if machine == NATIVE and named:
            raise refuse(f"--{named[0]}: does not apply to {NATIVE}, which simulates no CPU")
        return given

    def with_causes(self, machine: str) -> MachineSettings:
        """Choose the timing that counts clocks by cause. Errors: ArgumentError where a machine has none."""
        from retrosim.machine import PRESETS

        if self.timing not in (None, "full"):
            raise refuse(f"--causes: needs timing full, not {self.timing}")
        able = [name for name, preset in PRESETS.items() if CAUSES in preset.cpu().timing]
        if machine not in able:
            raise refuse(f"--causes: {machine} has no pipeline whose clocks have causes; allowed {', '.join(able)}")
        return replace(self, timing=CAUSES)


@dataclass(frozen=True)
class BudgetSettings:
    """What a run may use up, as far as it was given; memory: MiB."""

    cycles: int | None = None
    seconds: int | None = None
    memory: int | None = None

    @classmethod
    def of(cls, options: argparse.Namespace, machines: Iterable[str] = (), timing: str | None = None) -> BudgetSettings:
        """Return the limits. Errors: ArgumentError where they cannot be met on these machines."""
        from retrosim.machine.budget import memory_in_use

        if options.max_cycles is not None and timing == "off":
            raise refuse("--max-cycles: timing 'off' counts no cycles")
        if options.max_cycles is not None and list(machines) == [NATIVE]:
            raise refuse(f"--max-cycles: {NATIVE} has no CPU whose cycles could be counted")
        if options.max_memory is not None and memory_in_use() is None:
            raise refuse("--max-memory: this system does not say how much memory a process has")
        return cls(options.max_cycles, options.max_seconds, options.max_memory)

    @property
    def is_given(self) -> bool:
        """Was there any limit?"""
        return self != BudgetSettings()

    def budget(self) -> Budget:
        """Return what a run without a window may use up: what was given, else what is usual; its time begins now."""
        from retrosim.machine.budget import MIB, Budget

        return Budget(
            cycles=self.cycles,
            seconds=self.seconds or arguments.SECONDS,
            memory=(self.memory or arguments.MEMORY) * MIB,
            frame_seconds=None if self.cycles else arguments.FRAME_SECONDS,
        )


@dataclass(frozen=True)
class JobSettings:
    """Who does long work: so many processes, or the workers of a scheduler."""

    processes: int | None
    scheduler: str | None
    is_resumed: bool

    @classmethod
    def of(cls, options: argparse.Namespace) -> JobSettings:
        """Return what was given."""
        return cls(options.jobs, options.scheduler, options.resume)

    def workers(self, jobs: int | None = None) -> Workers:
        """Return who does it; unless given, one process for each core.

        jobs  how many there are to do, where they are so short that processes of their own pay only from FEW_JOBS on
        """
        from retrosim.jobs import Workers, usable_cores

        usual = 1 if jobs is not None and jobs < FEW_JOBS else usable_cores()
        return Workers(self.processes or usual, self.scheduler, self.is_resumed)


@dataclass(frozen=True)
class WindowSettings:
    """How the window is; overlay: what is drawn over the picture, as fields of `screen.overlay.View`."""

    speed: Fraction | None
    scale: int | None
    is_fullscreen: bool
    overlay: Mapping[str, Any]

    @classmethod
    def of(cls, options: argparse.Namespace) -> WindowSettings:
        """Return what was given."""
        return cls(options.speed, options.scale, options.fullscreen, options.overlay)
