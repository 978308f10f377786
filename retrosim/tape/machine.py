"""What a tape needs of a machine; every simulated machine and `native` have it, and so may any other program's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Protocol

import numpy as np

NATIVE = "native"  # the machine without CPU and ROM image
DEMO = "demo"  # the mode in which a ROM runs frame after frame and reads inputs


class TapeDifference(Protocol):
    """The first place where two worlds differ."""

    column: str
    index: int
    ours: int | None
    theirs: int | None


class TapeWorld(Protocol):
    """The ISA-neutral state of a ROM."""

    def difference(self, other: TapeWorld) -> TapeDifference | None: ...


class TapeImage(Protocol):
    """The ROM image a machine runs, or one line of the ROM's list of images."""

    isa: str
    build: str
    sha256: str


class TapeParameter(Protocol):
    """The allowed range of one host parameter."""

    minimum: int
    maximum: int


class TapeRom(Protocol):
    """The ROM of a machine."""

    name: str
    inputs: Sequence[str]
    images: Sequence[TapeImage]
    parameters: Mapping[str, TapeParameter]


class TapeRun(Protocol):
    """Why a run stopped: "frames" when all were completed, else "exit", "fault", ..."""

    reason: str
    fault: Exception | None


class TapeMachine(Protocol):
    """A machine as recorder and player see it.

    `parameters` is a dict that `reset` applies. Only simulated machines have `image`, the ROM image in memory; `mode`,
    what the ROM was told to do; `regs` and `mem`, looked at when two machines of one name are compared.
    """

    name: str
    rom: TapeRom | None
    image: TapeImage
    mode: str
    parameters: dict[str, int]
    frame_number: int
    cycles: int
    clock_hz: int | Fraction
    tick_hz: int | Fraction
    spec_revision: str
    timing_revision: str
    regs: Mapping[str, int]
    mem: np.ndarray

    def run(self, frames: int | None = None) -> TapeRun: ...
    def set_input(self, device: str, value: int) -> None: ...
    def world(self) -> TapeWorld: ...
    def hash(self, what: str) -> str: ...
    def reset(self) -> None: ...
    def save(self) -> bytes: ...
    def load(self, state: bytes) -> None: ...


def check_machine(machine: TapeMachine) -> None:
    """Check that tapes can be made and played of what a machine runs.

    Errors   ValueError
    """
    if machine.rom is None:
        raise ValueError("a tape needs a ROM with a manifest, not a bare image")
    if machine.name != NATIVE and machine.mode != DEMO:
        raise ValueError(f"{machine.name} runs its ROM in mode {machine.mode!r}; tapes are made of {DEMO!r}")


def state_path(tape: Path) -> Path:
    """Return where the saved state of a tape that does not start at power-on lies: beside it, never elsewhere."""
    return tape.with_name(tape.name + ".state")
