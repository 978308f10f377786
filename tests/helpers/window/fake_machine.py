"""A small deterministic machine with the interface of the real ones: objects that bounce, drawn as theirs are."""

from __future__ import annotations

import hashlib
import math
import pickle
from fractions import Fraction
from types import SimpleNamespace

import numpy as np

from retrosim.errors import IllegalInstruction, StateError
from retrosim.machine.budget import Budget
from retrosim.scenarios.shapes import shapes_of
from retrosim.screen.framebuffer import macintosh_palette
from tests.helpers.screen.reference_scene import reference_scene

LIMITS = np.array([610 * 32, 450 * 32])


RANGES = {"objects": SimpleNamespace(minimum=1, maximum=1000), "seed": SimpleNamespace(minimum=0, maximum=2**32 - 1)}


class FakeMachine:
    """Every frame takes `steps` instructions of `cost` cycles, then waits for the tick; the last one moves and draws.

    ends_at, fails_at   frame that ends the program, or that no CPU could execute
    """

    name = "mc68040-25"
    clock_hz = 25_000_000
    tick_hz = frame_hz = Fraction(15_667_200, 704 * 370)
    frame_period = "tick"
    mode, text = "demo", ""
    engine = "interpret"
    is_compiling = False
    mem = np.zeros(16, np.uint8)
    spec_revision, timing_revision = "fake-spec-1", "fake-timing-1"
    image = SimpleNamespace(
        isa="fake", build="O1", sha256="1" * 64, source_line=lambda pc: ("demo.c", pc & 0xFF) if pc & 2 else None
    )

    def __init__(self, objects=60, seed=1994, *, steps=8, cost=30_000, ends_at=None, fails_at=None):
        self.rom = SimpleNamespace(
            name="sectors", title="Sectors", inputs=["pad"], images=[self.image], parameters=RANGES
        )
        self.parameters = {"objects": objects, "seed": seed}
        self.budget = Budget()
        self.steps, self.cost, self.ends_at, self.fails_at = steps, cost, ends_at, fails_at
        self.palette = macintosh_palette()
        self.pads = []
        self.reset()

    def reset(self):
        random = np.random.default_rng(self.parameters["seed"])
        self.position = random.integers(0, LIMITS + 1, (self.parameters["objects"], 2))
        self.speed = random.integers(-64, 64, (self.parameters["objects"], 2))
        self.frame_number = self.cycles = self.instructions = self.at = self.pad = 0
        self.frame_cycles = self.frame_instructions = 0
        self.frame = np.zeros((480, 640), np.uint8)
        self._collide()

    def _collide(self):
        x, y = self.position.T >> 5
        near = (np.abs(x[:, None] - x) < 30) & (np.abs(y[:, None] - y) < 30)
        self.collided = near.sum(axis=1) > 1

    @property
    def ticks(self):
        return math.floor(self.cycles * self.tick_hz / self.clock_hz)

    retraces = ticks

    @property
    def regs(self):
        return {"pc": 0x1000 + 2 * self.at}

    def listing(self, pc, count=1):
        return [f"{at:06X}  2018  MOVE.L (A0)+,D{at >> 1 & 7}" for at in range(pc, pc + 2 * count, 2)]

    def set_input(self, device, value):
        assert device == "pad" and self.at == 0, "inputs change between frames only"
        self.pad = value

    def step(self):
        if self.frame_number == self.fails_at:
            raise IllegalInstruction("no such instruction", "MC68040", 0x1000 + 2 * self.at, b"\x4a\xfc")
        text = self.listing(self.regs["pc"], 1)[0]
        self.at += 1
        self.instructions += 1
        self.cycles += self.cost
        if self.at == self.steps:
            self.frame_cycles, self.frame_instructions = self.steps * self.cost, self.steps
            self.cycles = math.ceil((self.ticks + 1) * self.clock_hz / self.tick_hz)
            self._end_frame()
        return text

    def _end_frame(self):
        self.at = 0
        self.pads.append(self.pad)
        self.speed[:, 0] += (self.pad >> 1 & 1) - (self.pad & 1)
        self.speed[:, 1] += (self.pad >> 3 & 1) - (self.pad >> 2 & 1)
        np.clip(self.speed, -128, 128, out=self.speed)
        self.position += self.speed
        outside = (self.position < 0) | (self.position > LIMITS)
        self.position = np.where(
            self.position < 0, -self.position, np.minimum(self.position, 2 * LIMITS - self.position)
        )
        self.speed[outside] *= -1
        self._collide()
        self.frame[:] = reference_scene(*(self.position.T >> 5), self.collided)
        self.frame_number += 1

    def run(self, frames=None, cycles=None, instructions=None, until=None):
        first, stop = self.frame_number, None if cycles is None else self.cycles + cycles
        reason, fault = "frames", None
        while frames is None or self.frame_number < first + frames:
            if self.frame_number == self.ends_at:
                reason = "exit"
            elif stop is not None and self.cycles >= stop:
                reason = "cycles"
            else:
                try:
                    self.step()
                    continue
                except IllegalInstruction as error:
                    reason, fault = "fault", error
            break
        return SimpleNamespace(reason=reason, frames=self.frame_number - first, fault=fault)

    def world(self):
        names = ("px", "py", "vx", "vy")
        columns = dict(zip(names, np.concatenate([self.position.T, self.speed.T]).astype(np.int32)))
        return SimpleNamespace(columns=columns | {"collided": self.collided.astype(np.int32)})

    def shapes(self):
        return shapes_of("sectors", self.world().columns, lambda *_: {}) if self.rom else None

    def hash(self, kind="world"):
        parts = [np.array([self.frame_number]), self.position, self.speed]
        if kind == "machine":
            parts += [self.frame, np.array([self.cycles, self.instructions, self.at, self.pad])]
        return hashlib.blake2b(b"".join(part.tobytes() for part in parts), digest_size=8).hexdigest()

    def save(self):
        names = ("position", "speed", "collided", "frame", "frame_number", "frame_cycles", "frame_instructions")
        names += ("cycles", "instructions", "at", "pad")
        return pickle.dumps({name: getattr(self, name) for name in names})

    snapshot = save

    def load(self, state):
        try:
            values = pickle.loads(state)
        except Exception as error:
            raise StateError("saved state", "damaged") from error
        for name, value in values.items():
            setattr(self, name, value.copy() if isinstance(value, np.ndarray) else value)

    restore = load

    def stop_compiling(self):
        """Nothing is compiled for this machine."""


class FakeNative(FakeMachine):
    """The same without a CPU."""

    name = "native"
    clock_hz = 0
    engine = None

    def step(self):
        raise AssertionError("there are no instructions")

    @property
    def ticks(self):
        raise AssertionError("there is no clock")

    def run(self, frames=None, cycles=None, instructions=None, until=None):
        assert cycles is None and instructions is None, "there is no CPU whose steps could be counted"
        for _ in range(frames):
            self._end_frame()
        return SimpleNamespace(reason="frames", frames=frames, fault=None)
