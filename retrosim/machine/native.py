"""The native machine: scenarios computed by kernels, under the interface of a simulated machine.

It has a world, a screen and frames, but no CPU: cycles and instructions are always 0. As on a simulated machine nothing
has run before the first frame: the screen is white and the world empty, with a count of 0.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from retrosim.checks import check_choice, check_integer
from retrosim.errors import StateError
from retrosim.rom import Rom, load_rom
from retrosim.rom.parameters import all_parameters
from retrosim.scenarios import SCENARIOS, load_scenario
from retrosim.scenarios.scenario import FRAME, PAD_BEFORE, PAD_MASK, RANDOM, Scenario
from retrosim.scenarios.shapes import shapes_of
from retrosim.screen.framebuffer import HEIGHT, WIDTH
from retrosim.screen.palette import WHITE, macintosh_palette
from retrosim.screen.png import png_bytes
from retrosim.screen.shapes import Shapes

from .budget import Budget
from .memory import INPUT_WORDS
from .presets import MACINTOSH_TICK_HZ
from .result import RunResult
from .world import World

_VERSION = 1
_HEADER = struct.Struct("<8sHHIQIII")  # magic, version, objects, seed, frames, pad, random, pad of the frame before
_DIGEST_BYTES = 8
_STRETCH = 1 << 14  # frames in compiled code at a time, about 0.2 s, so that the user can interrupt


class NativeMachine:
    """Runs a scenario without simulating a CPU; instances share nothing.

    name          "native"
    rom           the Rom that it runs
    parameters    dict[str, int]     objects, seed; a change takes effect at the next `reset`
    frame_number  int                frames completed since power-on
    budget        Budget             what runs may use up; it counts no clocks here
    clock_hz, cycles, instructions   0: there is no CPU
    image, engine None, for the same reason; mode: "demo"; text: ""
    tick_hz, frame_hz  Fraction      the Macintosh's timer, which paces the window
    spec_revision, timing_revision   what machine hashes depend on: the layout of a saved state; no timing
    """

    name = "native"
    image = engine = None
    mode = "demo"
    text = ""
    is_compiling = False
    spec_revision = f"native {_VERSION}"
    timing_revision = "none"
    clock_hz = 0
    cycles = 0
    instructions = 0
    tick_hz = frame_hz = MACINTOSH_TICK_HZ
    frame_period = "tick"

    def __init__(self, rom: Rom | str | Path = "sectors", *, parameters: Mapping[str, int] | None = None) -> None:
        """Switch the machine on.

        rom         a shipped ROM's name, a folder or manifest, or a loaded Rom: one that has native kernels
        parameters  objects and seed, as the ROM has them
        Errors      ValueError, RomError
        """
        self.rom = rom if isinstance(rom, Rom) else load_rom(rom)
        check_choice("rom", self.rom.name, SCENARIOS, ", which have native kernels")
        self._kind = load_scenario(self.rom.name)
        self._screen = np.zeros((HEIGHT, WIDTH), np.uint8)
        self._palette = macintosh_palette()
        self._palette.flags.writeable = False
        self.budget = Budget()
        self._power_on(all_parameters(self.rom, parameters))

    def __repr__(self) -> str:
        parameters = ", ".join(f"{name} {value}" for name, value in self.parameters.items())
        return f"<NativeMachine: {self.rom.name}, {parameters}, frame {self.frame_number:,}>"

    def _repr_png_(self) -> bytes:
        """Return the screen, for notebooks."""
        return png_bytes(self._screen, self._palette)

    def _power_on(self, parameters: dict[str, int]) -> None:
        self._set_up(parameters, self._kind(self.rom, parameters["objects"], parameters["seed"]), 0, 0)

    def _set_up(self, parameters: dict[str, int], scenario: Scenario, frames: int, pad: int) -> None:
        self.parameters, self._scenario = parameters, scenario
        self._objects, self._seed = parameters["objects"], parameters["seed"]
        self.frame_number, self._pad = frames, pad
        if frames:
            scenario.draw(self._screen)
        else:
            self._screen[:] = WHITE

    def reset(self) -> None:
        """Switch off and on again, with the present `parameters` and no input. Errors: ValueError."""
        self._power_on(all_parameters(self.rom, self.parameters))

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
        check_choice("device", device, tuple(INPUT_WORDS))
        self._pad = check_integer(device, value, 0, INPUT_WORDS[device][1])

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
        Returns  RunResult  its reason is "frames", or "budget" when that is used up
        Errors   ValueError
        """
        for name, value in (("cycles", cycles), ("instructions", instructions), ("until", until)):
            if value is not None:
                raise ValueError(f"{name} {value!r}: allowed None, the native machine has no CPU; give frames")
        if frames is None:
            raise ValueError("frames None: allowed 0 or more; the native machine stops at nothing else")
        frames, first = check_integer("frames", frames, 0), self.frame_number
        while (left := first + frames - self.frame_number) and not self.budget.is_spent():
            if self.frame_number == 0:
                self._scenario.start()
            stretch = min(_STRETCH, left)
            self._scenario.run(self._pad, stretch)
            self.frame_number += stretch
        if self.frame_number > first:
            self._scenario.draw(self._screen)
        return RunResult("budget" if left else "frames", self.frame_number - first, 0, 0, 0)

    def world(self) -> World:
        """Return a snapshot of the world, equal to that of every simulated machine after the same frames."""
        columns = self._scenario.columns()
        if not self.frame_number:
            columns = {name: [0] if isinstance(column, list) else [] for name, column in columns.items()}
        return World(columns)

    def shapes(self) -> Shapes | None:
        """Return what the scenario's routine tested in the last frame, equal to that of every simulated machine."""
        return shapes_of(self.rom.name, self.world().columns, lambda *_: self._scenario.auxiliary())

    def hash(self, kind: str = "world") -> str:
        """Return 16 hex digits for the "world", or for the whole "machine" with its parameters and input."""
        check_choice("hash", kind, ("world", "machine"))
        return self.world().hash() if kind == "world" else hashlib.blake2b(self.save(), digest_size=8).hexdigest()

    def save(self) -> bytes:
        """Return the whole state, parameters included, for `load` of any native machine."""
        words = self._scenario.words
        magic, random, pad_before = self._kind.magic, int(words[RANDOM]), int(words[PAD_BEFORE])
        parts = (self._objects, self._seed, self.frame_number, self._pad, random, pad_before)
        arrays = zip(self._kind.layout(self._objects), self._scenario.saved(), strict=True)
        body = _HEADER.pack(magic, _VERSION, *parts) + b"".join(a.astype(kind).tobytes() for (kind, _), a in arrays)
        return body + hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest()

    def snapshot(self) -> bytes:
        """Return the state for `restore` of this machine; it is small, so it is that of `save`."""
        return self.save()

    def restore(self, state: bytes) -> None:
        """Go back to a snapshot."""
        self.load(state)

    def stop_compiling(self) -> None:
        """Do nothing: kernels are compiled when they are first called, not in the background."""

    def load(self, state: bytes) -> None:
        """Go on from a saved state; its parameters replace ours. A refused state changes nothing.

        state   what `save` returned
        Errors  StateError  not such a state, of another scenario or version, cut short, damaged, or impossible
        """
        state = bytes(state)
        fields, arrays = _taken_apart(state, self._kind)
        objects, seed, frames, pad, random, pad_before = fields
        try:
            parameters = all_parameters(self.rom, {"objects": objects, "seed": seed})
            check_integer("pad", pad, 0, PAD_MASK)
            check_integer("pad of the frame before", pad_before, 0, PAD_MASK)
            scenario = self._kind(self.rom, objects, seed)
            if frames:
                scenario.restore(arrays)
            elif any(array.any() for array in arrays):
                raise ValueError("frame 0 with something other than zeros: nothing has run before it")
        except ValueError as impossible:
            raise StateError("saved state", str(impossible)) from None
        scenario.words[[FRAME, RANDOM, PAD_BEFORE]] = frames & 0xFFFFFFFF, random, pad_before
        self._set_up(parameters, scenario, frames, pad)


def _taken_apart(state: bytes, kind: type[Scenario]) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """Return the numbers of a saved state's header behind the version, and its arrays. Errors: StateError."""
    if state[: len(kind.magic)] != kind.magic:
        raise StateError("saved state", f"begins with {state[:8]!r}, not {kind.magic!r}: not of the native machine")
    if len(state) < _HEADER.size:
        raise StateError("saved state", f"{len(state)} bytes long, its header alone has {_HEADER.size}")
    _, version, count, *rest = _HEADER.unpack_from(state)
    if version != _VERSION:
        raise StateError("saved state", f"version {version}, this program reads version {_VERSION}")
    layout = [(np.dtype(kind), shape) for kind, shape in kind.layout(count)]
    sizes = [dtype.itemsize * math.prod(shape) for dtype, shape in layout]
    length = _HEADER.size + sum(sizes) + _DIGEST_BYTES
    if len(state) != length:
        raise StateError("saved state", f"{len(state)} bytes long, a state of {count} objects has {length}")
    body, digest = state[:-_DIGEST_BYTES], state[-_DIGEST_BYTES:]
    if hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest() != digest:
        raise StateError("saved state", "damaged: its digest does not match")
    arrays, start = [], _HEADER.size
    for (dtype, shape), size in zip(layout, sizes):
        arrays.append(np.frombuffer(body, dtype, math.prod(shape), start).reshape(shape))
        start += size
    return (count, *rest), arrays
