"""The native machine: the `sectors` scenario computed by kernels, under the interface of a simulated machine.

It has a world, a screen and frames, but no CPU: cycles and instructions are always 0. As on a simulated machine nothing
has run before the first frame: the screen is white and the world empty, with a count of 0.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from retrosim.collide.grid import workspace
from retrosim.errors import StateError
from retrosim.machine import demo
from retrosim.machine.options import whole
from retrosim.machine.result import RunResult
from retrosim.machine.world import World
from retrosim.video.palette import macintosh_palette

SCENARIO = "sectors"
TICK_HZ = Fraction(15_667_200, 704 * 370)  # Macintosh: pixel clock over pixels in a frame, 60.147 Hz
PARAMETERS = {"objects": (200, 1, demo.MAX_OBJECTS), "seed": (1994, 0, 2**32 - 1)}  # default, least, most

_MAGIC, _VERSION = b"RSNATIVE", 1
_HEADER = struct.Struct("<8sHHIQIII")  # magic, version, objects, seed, frames, pad, random, pad of the frame before
_DIGEST_BYTES = 8
_STRETCH = 1 << 14  # frames in compiled code at a time, about 0.2 s, so that the user can interrupt


def checked_parameters(given: Mapping[str, int] | None) -> dict[str, int]:
    """Return all parameters of the scenario, defaults filled in.

    given   objects 1..200, seed 0..2**32-1, or None
    Errors  ValueError
    """
    values = {name: default for name, (default, _, _) in PARAMETERS.items()}
    for name, value in (given or {}).items():
        if name not in PARAMETERS:
            raise ValueError(f"parameter {name!r}: allowed {', '.join(PARAMETERS)}")
        _, least, most = PARAMETERS[name]
        values[name] = whole(name, value, least, most)
    return values


class NativeMachine:
    """Runs the `sectors` scenario without simulating a CPU; instances share nothing.

    name          "native"
    rom           the Rom it was opened with, or None
    parameters    dict[str, int]     objects, seed; a change takes effect at the next `reset`
    frame_number  int                frames completed since power-on
    clock_hz, cycles, instructions   0: there is no CPU
    tick_hz, frame_hz  Fraction      the Macintosh's timer, which paces the window
    spec_revision, timing_revision   what machine hashes depend on: the layout of a saved state; no timing
    """

    name = "native"
    spec_revision = f"native {_VERSION}"
    timing_revision = "none"
    clock_hz = 0
    cycles = 0
    instructions = 0
    tick_hz = frame_hz = TICK_HZ
    frame_period = "tick"

    def __init__(self, rom: object = None, *, parameters: Mapping[str, int] | None = None) -> None:
        """Switch the machine on.

        rom         Rom or None  its description; only the scenario `sectors` has native kernels
        parameters  objects 1..200 (default 200), seed 0..2**32-1 (default 1994)
        Errors      ValueError
        """
        rom_name = getattr(rom, "name", SCENARIO)
        if rom_name != SCENARIO:
            raise ValueError(f"rom {rom_name!r}: allowed {SCENARIO!r}, the one scenario with native kernels")
        self.rom = rom
        self._screen = np.zeros((demo.HEIGHT, demo.WIDTH), np.uint8)
        self._palette = macintosh_palette()
        self._palette.flags.writeable = False
        self._power_on(checked_parameters(parameters))

    def _power_on(self, parameters: dict[str, int]) -> None:
        self.parameters = parameters
        count, self._seed = parameters["objects"], parameters["seed"]
        self.frame_number = 0
        self._pad = 0
        self._motion = np.zeros((4, count), np.int16)
        self._corners = np.zeros((2, count), np.int16)
        self._collided = np.zeros(count, np.uint8)
        self._words = np.zeros(3, np.int64)
        self._work = workspace(count)
        self._screen[:] = demo.WHITE

    def reset(self) -> None:
        """Switch off and on again, with the present `parameters` and no input. Errors: ValueError."""
        self._power_on(checked_parameters(self.parameters))

    @property
    def frame(self) -> np.ndarray:
        """The screen after the last frame: uint8[480, 640] palette indices, read only, always up to date."""
        view = self._screen.view()
        view.flags.writeable = False
        return view

    @property
    def palette(self) -> np.ndarray:
        """The Macintosh's system palette: uint8[256, 3] red, green, blue; read only."""
        return self._palette

    def set_input(self, device: str, value: int) -> None:
        """Set the state of an input device from the next frame on.

        device  "pad"
        value   0..31, the sum of 1 left, 2 right, 4 up, 8 down, 16 fire
        Errors  ValueError
        """
        if device != "pad":
            raise ValueError(f"device {device!r}: allowed 'pad'")
        self._pad = whole("pad", value, 0, demo.PAD_MASK)

    def run(
        self,
        frames: int | None = None,
        cycles: int | None = None,
        instructions: int | None = None,
        until: object = None,
    ) -> RunResult:
        """Run a number of frames.

        frames   0 or more
        cycles, instructions, until  must be None: there is no CPU whose steps could be counted
        Returns  RunResult  its reason is always "frames"
        Errors   ValueError
        """
        for name, value in (("cycles", cycles), ("instructions", instructions), ("until", until)):
            if value is not None:
                raise ValueError(f"{name} {value!r}: allowed None, the native machine has no CPU; give frames")
        if frames is None:
            raise ValueError("frames None: allowed 0 or more; the native machine stops at nothing else")
        frames = whole("frames", frames, 0)
        if frames:
            if self.frame_number == 0:
                self._words[demo.RANDOM] = demo.scatter(self._motion, self._seed)
            for start in range(0, frames, _STRETCH):
                stretch = min(_STRETCH, frames - start)
                demo.run_frames(
                    self._motion, self._corners, self._collided, self._words, self._work, self._pad, stretch
                )
                self.frame_number += stretch
            demo.draw(self._corners, self._collided, self._screen)
        return RunResult("frames", frames, 0, 0, 0)

    def world(self) -> World:
        """Return a snapshot of the world, equal to that of every simulated machine after the same frames."""
        count = len(self._collided) if self.frame_number else 0
        frame, random, pad_before = self._words
        columns = {"count": [count], "frame": [frame], "random": [random], "pad_before": [pad_before]}
        names = ("px", "py", "vx", "vy")
        columns |= {name: row[:count] for name, row in zip(names, self._motion)}
        return World(columns | {"collided": self._collided[:count]})

    def hash(self, kind: str = "world") -> str:
        """Return 16 hex digits for the "world", or for the whole "machine" with its parameters and input."""
        if kind == "world":
            return self.world().hash()
        if kind == "machine":
            return hashlib.blake2b(self.save(), digest_size=8).hexdigest()
        raise ValueError(f"hash {kind!r}: allowed 'world' or 'machine'")

    def save(self) -> bytes:
        """Return the whole state, parameters included, for `load` of any native machine."""
        _, random, pad_before = (int(word) for word in self._words)
        count = len(self._collided)
        header = _HEADER.pack(_MAGIC, _VERSION, count, self._seed, self.frame_number, self._pad, random, pad_before)
        body = header + self._motion.astype("<i2").tobytes() + self._collided.tobytes()
        return body + hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest()

    def load(self, state: bytes) -> None:
        """Go on from a saved state; its parameters replace ours. A refused state changes nothing.

        state   what `save` returned
        Errors  StateError  not such a state, of another version, cut short, damaged, or impossible
        """
        parameters, frames, pad, random, pad_before, motion, collided = _parsed(bytes(state))
        self._power_on(parameters)
        self.frame_number, self._pad = frames, pad
        self._motion[:], self._collided[:] = motion, collided
        self._words[:] = frames & 0xFFFFFFFF, random, pad_before
        if frames:
            self._corners[:] = motion[:2] >> 5
            demo.draw(self._corners, self._collided, self._screen)


def _parsed(state: bytes) -> tuple:
    """Take a saved state apart; raise StateError unless every part of it is possible."""
    if state[: len(_MAGIC)] != _MAGIC:
        raise StateError("saved state", f"begins with {state[:8]!r}, not {_MAGIC!r}: not of the native machine")
    if len(state) < _HEADER.size:
        raise StateError("saved state", f"{len(state)} bytes long, its header alone has {_HEADER.size}")
    _, version, count, seed, frames, pad, random, pad_before = _HEADER.unpack_from(state)
    if version != _VERSION:
        raise StateError("saved state", f"version {version}, this program reads version {_VERSION}")
    length = _HEADER.size + 9 * count + _DIGEST_BYTES
    if len(state) != length:
        raise StateError("saved state", f"{len(state)} bytes long, a state of {count} objects has {length}")
    body, digest = state[:-_DIGEST_BYTES], state[-_DIGEST_BYTES:]
    if hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest() != digest:
        raise StateError("saved state", "damaged: its digest does not match")
    motion = np.frombuffer(body, "<i2", 4 * count, _HEADER.size).reshape(4, count)
    collided = np.frombuffer(body, np.uint8, count, _HEADER.size + 8 * count)
    try:
        parameters = checked_parameters({"objects": count, "seed": seed})
        whole("pad", pad, 0, demo.PAD_MASK)
        whole("pad of the frame before", pad_before, 0, demo.PAD_MASK)
        for name, row, most in (("px", motion[0], demo.LIMIT_X_Q5), ("py", motion[1], demo.LIMIT_Y_Q5)):
            whole(f"least {name}", row.min(), 0)
            whole(f"greatest {name}", row.max(), 0, most)
        whole("greatest speed", np.abs(motion[2:].astype(int)).max(), 0, demo.TOP_SPEED_Q5)
        whole("greatest flag", collided.max(), 0, 1)
    except ValueError as impossible:
        raise StateError("saved state", str(impossible)) from None
    return parameters, frames, pad, random, pad_before, motion, collided
