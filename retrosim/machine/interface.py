"""What may be relied on of a machine, as protocols: nothing needs to inherit from them; and what its runs return.

`PlayableMachine` is what recording and replaying a tape needs; any other program's machine may be one. `AnyMachine` is
what `open_machine` returns, simulated or native. `SimulatedMachine` has a CPU as well; `has_cpu` tells which it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, TypeGuard, runtime_checkable

import numpy as np

from retrosim.errors import CpuFault

if TYPE_CHECKING:
    from retrosim.screen.shapes import Shapes

    from .budget import Budget
    from .world import World


class ImageDescription(Protocol):
    """A ROM image in memory, or one line of a ROM's list of images."""

    @property
    def isa(self) -> str: ...
    @property
    def build(self) -> str: ...
    @property
    def sha256(self) -> str: ...


class ParameterRange(Protocol):
    """The allowed values of a ROM's parameter."""

    @property
    def minimum(self) -> int: ...
    @property
    def maximum(self) -> int: ...


class RomLike(Protocol):
    """A ROM, as its manifest describes it."""

    @property
    def name(self) -> str: ...
    @property
    def inputs(self) -> Sequence[str]: ...
    @property
    def images(self) -> Sequence[ImageDescription]: ...
    @property
    def parameters(self) -> Mapping[str, ParameterRange]: ...


class RunOutcome(Protocol):
    """Why a run stopped: "frames" when all of them were completed, else "exit", "fault", "budget", ..."""

    @property
    def reason(self) -> str: ...
    @property
    def fault(self) -> Exception | None: ...


@runtime_checkable
class PlayableMachine(Protocol):
    """A machine that tapes can be recorded and replayed on.

    rom         what it runs; None for an image without a manifest, of which no tape can be made
    image       the ROM image in memory, None where there is no CPU
    mode        what the ROM was told to do, "demo" for tapes
    engine      what executes the program, None where there is no CPU
    parameters  the ROM's host parameters; a change takes effect at the next `reset`
    """

    parameters: dict[str, int]

    @property
    def name(self) -> str: ...
    @property
    def rom(self) -> RomLike | None: ...
    @property
    def image(self) -> ImageDescription | None: ...
    @property
    def mode(self) -> str: ...
    @property
    def engine(self) -> str | None: ...
    @property
    def frame_number(self) -> int: ...
    @property
    def cycles(self) -> int: ...
    @property
    def clock_hz(self) -> int | Fraction: ...
    @property
    def tick_hz(self) -> int | Fraction: ...
    @property
    def spec_revision(self) -> str: ...
    @property
    def timing_revision(self) -> str: ...
    def run(self, frames: int) -> RunOutcome: ...
    def set_input(self, device: str, value: int) -> None: ...
    def world(self) -> World: ...
    def hash(self, kind: str) -> str: ...
    def reset(self) -> None: ...
    def save(self) -> bytes: ...
    def load(self, state: bytes) -> None: ...
    def stop_compiling(self) -> None: ...


@runtime_checkable
class AnyMachine(PlayableMachine, Protocol):
    """A machine that `open_machine` returns: it has a picture and a frame clock, and can be rewound.

    budget        what runs may use up; it may be replaced
    frame         uint8[480, 640]      palette indices
    palette       uint8[256, 3]        red, green, blue
    frame_period  what a period of the frame clock is called: "tick", "retrace"
    is_compiling  whether code is being compiled in the background
    text          what the program has written on the screen as text
    """

    budget: Budget
    text: str

    @property
    def instructions(self) -> int: ...
    @property
    def frame_hz(self) -> Fraction: ...
    @property
    def frame_period(self) -> str: ...
    @property
    def frame(self) -> np.ndarray: ...
    @property
    def palette(self) -> np.ndarray: ...
    @property
    def is_compiling(self) -> bool: ...
    def shapes(self) -> Shapes | None: ...
    def snapshot(self) -> bytes: ...
    def restore(self, state: bytes) -> None: ...


class LoadedImage(ImageDescription, Protocol):
    """A ROM image in memory, which knows the source line that an instruction was compiled from."""

    def source_line(self, pc: int) -> tuple[str, int] | None: ...


@runtime_checkable
class SimulatedMachine(AnyMachine, Protocol):
    """A machine with a CPU.

    retraces            periods of the frame clock since power-on
    frame_cycles        CPU clocks that the last frame was busy
    frame_instructions  instructions of the last frame
    regs, mem           registers by name; uint8[2**24]
    """

    @property
    def image(self) -> LoadedImage: ...
    @property
    def retraces(self) -> int: ...
    @property
    def frame_cycles(self) -> int: ...
    @property
    def frame_instructions(self) -> int: ...
    @property
    def regs(self) -> Mapping[str, int]: ...
    @property
    def mem(self) -> np.ndarray: ...
    def run(self, frames: int | None = None, cycles: int | None = None) -> RunOutcome: ...
    def step(self) -> str: ...
    def listing(self, pc: int, count: int = 1) -> list[str]: ...


def has_cpu(machine: PlayableMachine) -> TypeGuard[SimulatedMachine]:
    """Tell whether a machine executes instructions and counts cycles."""
    return machine.clock_hz > 0


@dataclass(frozen=True)
class RunResult:
    """What one call of `run` did.

    reason        "frames", "cycles", "instructions", "until", "exit", "fault" or "budget": the machine's is used up;
                  "point" where a debugger stops it
    frames        frames completed by this call
    cycles        CPU clocks this call took; 0 on the native machine
    instructions  instructions this call executed; 0 on the native machine
    pc            address of the next instruction; 0 on the native machine
    fault         what the CPU could not do, if that is the reason
    """

    reason: str
    frames: int
    cycles: int
    instructions: int
    pc: int
    fault: CpuFault | None = None

    def __repr__(self) -> str:
        counts = f"frames={self.frames}, cycles={self.cycles}, instructions={self.instructions}, pc={self.pc:#x}"
        return f"RunResult({self.reason!r}, {counts}{f', fault={str(self.fault)!r}' if self.fault else ''})"


@dataclass(frozen=True)
class Measurement:
    """What one call of a routine cost: clocks and instructions from its first instruction to its return.

    result     the register of a result, as it is
    warm       calls that had gone before, to fill the caches
    low, high  between which the clocks plausibly are (see `machine.interval`); None unless asked for
    bound      most clocks of any call, proven (see `study.bounds.measure_bounded`); None unless asked for
    """

    cycles: int
    instructions: int
    result: int
    warm: int = 0
    low: int | None = None
    high: int | None = None
    bound: int | None = None
