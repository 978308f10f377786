"""A small deterministic machine with the interface tapes need, that goes wrong at a chosen frame."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from retrosim.errors import IllegalInstruction, StateError
from retrosim.machine.interface import RunResult
from retrosim.machine.world import World

PAD_ADDRESS = 0x20


@dataclass(frozen=True)
class FakeImage:
    isa: str = "fake"
    build: str = "O1"
    sha256: str = "1" * 64


@dataclass(frozen=True)
class FakeParameter:
    minimum: int
    maximum: int


@dataclass
class FakeRom:
    name: str = "drift"
    inputs: tuple[str, ...] = ("pad",)
    images: tuple[FakeImage, ...] = (FakeImage(), FakeImage(build="O2", sha256="2" * 64))
    parameters: dict[str, FakeParameter] = field(
        default_factory=lambda: {"objects": FakeParameter(1, 200), "seed": FakeParameter(0, 2**32 - 1)}
    )


@dataclass
class Wrong:
    """What goes wrong while executing `frame`: a column entry, a register, a byte of memory, cycles, or a fault."""

    frame: int
    what: str
    index: int = 0


class FakeMachine:
    """Objects drifting by a random sequence and the pad; registers, memory and cycles follow from the same numbers."""

    mode = "demo"
    engine = None
    clock_hz = 25_000_000
    tick_hz = Fraction(60147, 1000)

    def __init__(
        self, name: str = "fake-25", rom: FakeRom | None = None, build: int = 0, wrong: Wrong | None = None
    ) -> None:
        self.name = name
        self.rom = rom or FakeRom()
        self.image = None if name == "native" else self.rom.images[build]
        self.wrong = wrong
        self.spec_revision, self.timing_revision = "fake-spec-1", "fake-timing-1"
        self.parameters = {"objects": 5, "seed": 1994}
        self.runs: list[int] = []
        self.reset()

    def reset(self) -> None:
        self.frame_number = self.cycles = 0
        self.stopped: RunResult | None = None
        self.random = self.parameters["seed"]
        self.pad_before = 0
        self.columns = {name: np.zeros(self.parameters["objects"], np.int64) for name in ("px", "py")}
        self.regs = {"d0": 0, "d1": 0, "pc": 0x1000}
        self.mem = np.zeros(64, np.uint8)

    def set_input(self, device: str, value: int) -> None:
        if device not in self.rom.inputs or not 0 <= value <= 31:
            raise ValueError(f"{device} {value}: allowed {', '.join(self.rom.inputs)} 0..31")
        self.mem[PAD_ADDRESS + self.rom.inputs.index(device)] = value

    def run(self, frames: int) -> RunResult:
        self.runs.append(frames)
        before = self.frame_number
        for _ in range(frames):
            if not self._frame():
                return RunResult("fault", self.frame_number - before, 0, 0, 0x1000, self.fault)
            self.frame_number += 1
        return RunResult("frames", frames, 0, 0, 0x1000)

    def _frame(self) -> bool:
        wrong = self.wrong if self.wrong and self.wrong.frame == self.frame_number else None
        pad = int(self.mem[PAD_ADDRESS])
        for column in self.columns.values():
            for index in range(len(column)):
                self.random = (self.random * 1103515245 + 12345) % 2**32
                column[index] += (self.random >> 16 & 127) - 64 + pad
        self.pad_before = pad
        self.cycles += 1000 + pad
        self.regs["d0"] = self.random
        self.mem[self.frame_number % 16] ^= self.random >> 24
        if wrong and wrong.what in self.columns:
            self.columns[wrong.what][wrong.index] += 7
        elif wrong and wrong.what == "memory":
            self.mem[wrong.index : wrong.index + 3] ^= 0x80
        elif wrong and wrong.what == "cycles":
            self.cycles += 1
        elif wrong and wrong.what in self.regs:
            self.regs[wrong.what] ^= 1
        elif wrong and wrong.what == "fault":
            self.cycles += 17
            self.fault = IllegalInstruction("illegal instruction", "FAKE", 0x1234, b"\x4a\xfc")
            return False
        return True

    def world(self) -> World:
        count = [self.parameters["objects"]]
        scalars = {"count": count, "frame": [self.frame_number], "random": [self.random]}
        return World(scalars | {"pad_before": [self.pad_before]} | self.columns)

    def hash(self, what: str) -> str:
        return self.world().hash() if what == "world" else hashlib.blake2b(self.save(), digest_size=8).hexdigest()

    def save(self) -> bytes:
        numbers = [self.frame_number, self.cycles, self.random, self.pad_before, self.parameters, self.regs]
        columns = {name: column.tolist() for name, column in self.columns.items()}
        return json.dumps([self.name, numbers, columns, self.mem.tolist()]).encode()

    def load(self, state: bytes) -> None:
        name, numbers, columns, memory = json.loads(state)
        if name != self.name:
            raise StateError("state", f"is of {name}")
        self.frame_number, self.cycles, self.random, self.pad_before, self.parameters, self.regs = numbers
        self.columns = {key: np.array(column) for key, column in columns.items()}
        self.mem = np.array(memory, np.uint8)

    def stop_compiling(self) -> None:
        """Nothing is compiled for this machine."""


def play_by_hand(machine: FakeMachine, pads: list[int]) -> list[tuple[str, str, int]]:
    """Run one frame per pad value; return world hash, machine hash and cycles after each."""
    states = []
    for pad in pads:
        machine.set_input("pad", pad)
        machine.run(frames=1)
        states.append((machine.hash("world"), machine.hash("machine"), machine.cycles))
    return states
