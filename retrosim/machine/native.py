"""The native machine: scenarios computed by kernels, under the interface of a simulated machine.

It has a world, a screen and frames, but no CPU: cycles and instructions are always 0. As on a simulated machine nothing
has run before the first frame: the screen is white and the world empty, with a count of 0.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from retrosim.checks import check_choice, check_integer
from retrosim.errors import SceneError, StateError
from retrosim.rom import Rom, load_rom
from retrosim.rom.manifest import all_parameters
from retrosim.rom.scene import Scene, parse_scene
from retrosim.scenarios import SCENARIOS, load_scenario
from retrosim.scenarios.scenario import FRAME, PAD_BEFORE, RANDOM, Layout, Scenario
from retrosim.scenarios.shapes import shapes_of
from retrosim.screen.framebuffer import HEIGHT, WHITE, WIDTH, macintosh_palette
from retrosim.screen.png import png_bytes, write_png
from retrosim.screen.shapes import Shapes

from . import placing, state_file
from .budget import Budget
from .interface import RunResult
from .memory import INPUT_WORDS, pad_word
from .presets import MACINTOSH_TICK_HZ
from .world import World

_REVISION = 1
_HASHED = struct.Struct("<8sHHIQIII")  # mark, 1 or with a scene 2, objects, seed, frames, pad, random, pad before
_STRETCH = 1 << 14  # frames in compiled code at a time, about 0.2 s, so that the user can interrupt


class NativeMachine:
    """Runs a scenario without simulating a CPU; instances share nothing.

    name          "native"
    rom           the Rom that it runs
    parameters    dict[str, int]     the ROM's; a change takes effect at the next `reset`
    scene         Scene or None      where the objects are placed when the first frame is complete; likewise
    frame_number  int                frames completed since power-on
    budget        Budget             what runs may use up; it counts no clocks here
    clock_hz, cycles, instructions   0: there is no CPU
    image, engine None, for the same reason; mode: "demo"; text: ""
    tick_hz, frame_hz  Fraction      the Macintosh's timer, which paces the window
    spec_revision, timing_revision   what machine hashes depend on: what they cover; no timing
    """

    name = "native"
    image = engine = None
    mode = "demo"
    text = ""
    is_compiling = False
    spec_revision = f"native {_REVISION}"
    timing_revision = "none"
    clock_hz = 0
    cycles = 0
    instructions = 0
    tick_hz = frame_hz = MACINTOSH_TICK_HZ
    frame_period = "tick"

    def __init__(
        self,
        rom: Rom | str | Path = "sectors",
        *,
        parameters: Mapping[str, int] | None = None,
        scene: Scene | str | Path | None = None,
    ) -> None:
        """Switch the machine on.

        rom         a shipped ROM's name, a folder or manifest, or a loaded Rom: one that has native kernels
        parameters  the ROM's parameters, for example objects=100, seed=7
        scene       a shipped scene's name, a file, or a Scene; objects and seed follow from it
        Errors      ValueError, also for a ROM with a parameter that its kernels do not take; RomError, SceneError
        """
        self.rom = rom if isinstance(rom, Rom) else load_rom(rom)
        check_choice("rom", self.rom.name, SCENARIOS, ", which have native kernels")
        self._kind = load_scenario(self.rom.name)
        _check_takes(self._kind, self.rom)
        self._screen = np.zeros((HEIGHT, WIDTH), np.uint8)
        self._palette = macintosh_palette()
        self._palette.flags.writeable = False
        self.budget = Budget()
        self.scene = placing.scene_for(self.rom, scene)
        self._power_on(self._checked(parameters))

    def __repr__(self) -> str:
        parameters = ", ".join(f"{name} {value}" for name, value in self.parameters.items())
        return f"<NativeMachine: {self.rom.name}, {parameters}, frame {self.frame_number:,}>"

    def _repr_png_(self) -> bytes:
        """Return the screen, for notebooks."""
        return png_bytes(self._screen, self._palette)

    def _checked(self, given: Mapping[str, int] | None) -> dict[str, int]:
        return all_parameters(self.rom, placing.with_scene(self.rom, self.scene, given))

    def _power_on(self, parameters: dict[str, int]) -> None:
        scenario = self._kind(self.rom, parameters)
        _check_fits(scenario, self.scene)
        self._set_up(parameters, scenario, 0, 0)

    def _set_up(self, parameters: dict[str, int], scenario: Scenario, frames: int, pad: int) -> None:
        self.parameters, self._scenario = parameters, scenario
        self._played = dict(parameters)
        self.frame_number, self._pad = frames, pad
        if frames == 0:
            self._screen[:] = WHITE
        elif frames > 1 or self.scene is None:
            scenario.draw(self._screen)

    def reset(self) -> None:
        """Switch off and on again, with the present `parameters` and no input. Errors: ValueError."""
        self._power_on(self._checked(self.parameters))

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

    def press(self, *keys: str) -> None:
        """Hold keys of the pad down, and no others, from the next frame on; see `Machine.press`. Errors: ValueError."""
        self.set_input("pad", pad_word(keys))

    def screenshot(self, path: str | Path | None = None, *, overwrite: bool = False) -> np.ndarray:
        """Return the screen, and write it to a file; see `Machine.screenshot`. Errors: RetrosimError."""
        if path is not None:
            write_png(path, self.frame, self.palette, overwrite=overwrite)
        return self.palette[self.frame]

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
            is_first = self.frame_number == 0 and self.scene is not None
            stretch = 1 if is_first else min(_STRETCH, left)
            self._scenario.run(self._pad, stretch)
            self.frame_number += stretch
            if is_first:
                self._end_first_frame(self._scenario, self.scene)
        if self.frame_number > max(first, 1 if self.scene else 0):
            self._scenario.draw(self._screen)
        return RunResult("budget" if left else "frames", self.frame_number - first, 0, 0, 0)

    def _end_first_frame(self, scenario: Scenario, scene: Scene | None) -> None:
        """Show the program's own first frame, and place what a scene gives."""
        scenario.draw(self._screen)
        if scene is not None:
            scenario.place(scene.columns())

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
        return self.world().hash() if kind == "world" else hashlib.blake2b(self._hashed(), digest_size=8).hexdigest()

    def _hashed(self) -> bytes:
        """Return what the machine hash covers: everything that a state holds, in an order of its own."""
        words, scene = self._scenario.words, self.scene
        others = {name: value for name, value in self._played.items() if name not in ("objects", "seed")}
        numbers = [self._played.get("objects", 0), self._played.get("seed", 0), self.frame_number, self._pad]
        numbers += [int(words[RANDOM]), int(words[PAD_BEFORE])]
        body = _HASHED.pack(self._kind.mark, 1 if scene is None else 2, *numbers)
        body += b"".join(array.tobytes() for array in self._arrays())
        body += b"".join(f"{name}={value}\n".encode() for name, value in sorted(others.items()))
        body += b"" if scene is None else scene.text.encode()
        return body + hashlib.blake2b(body, digest_size=8).digest()

    def _layout(self, parameters: Mapping[str, int], has_scene: bool) -> Layout:
        """Return types and shapes of a state's arrays."""
        kind, count = self._kind, parameters.get("objects", 0)
        placed = ("<i4", (len(kind.placed_columns), count + kind.besides))
        return [*kind.layout(parameters), *([placed] if has_scene else [])]

    def _arrays(self) -> list[np.ndarray]:
        """Return the arrays of a state: the scenario's own, and what only a scene changes."""
        types = [kind for kind, _ in self._kind.layout(self._played)]
        arrays = [array.astype(kind) for kind, array in zip(types, self._scenario.saved(), strict=True)]
        if self.scene is not None:
            placed = [column * bool(self.frame_number) for column in self._scenario.placed().values()]
            arrays.append(np.array(placed, "<i4"))
        return arrays

    def _identity(self) -> state_file.NativeIdentity:
        return state_file.NativeIdentity(self.name, self.spec_revision, self.rom.name)

    def save(self) -> bytes:
        """Return the whole state, parameters included, for `load` of any native machine."""
        words = self._scenario.words
        counters = state_file.NativeCounters(
            parameters=self._played,
            frame_number=self.frame_number,
            pad=self._pad,
            pad_before=int(words[PAD_BEFORE]),
            random=int(words[RANDOM]),
            scene=None if self.scene is None else self.scene.text,
        )
        return state_file.save_native(self._identity(), counters, self._arrays())

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
        Errors  StateError  not such a state, of another scenario or revision, cut short, damaged, or impossible
        """
        counters, arrays = state_file.load_native(self._identity(), self._layout, self._check_settings, state)
        parameters, frames = {name: counters.parameters[name] for name in self.rom.parameters}, counters.frame_number
        scene = self._scene_of(counters.scene)
        own = arrays if scene is None else arrays[:-1]
        placed = () if scene is None else arrays[-1]
        try:
            scenario = self._kind(self.rom, parameters)
            _check_fits(scenario, scene)
            if frames:
                scenario.restore(own, dict(zip(scenario.placed(), placed)))
                if frames == 1 and scene is not None:
                    scenario = self._after_first_frame(scene, parameters, counters.pad_before)
                    if any(not np.array_equal(one, two) for one, two in zip(scenario.saved(), own)):
                        raise ValueError("frame 1 with something other than the scene gives")
            elif any(array.any() for array in arrays):
                raise ValueError("frame 0 with something other than zeros: nothing has run before it")
        except (ValueError, SceneError) as impossible:
            raise StateError("saved state", str(impossible)) from None
        self.scene = scene
        scenario.words[[FRAME, RANDOM, PAD_BEFORE]] = frames & 0xFFFFFFFF, counters.random, counters.pad_before
        self._set_up(parameters, scenario, frames, counters.pad)

    def _scene_of(self, text: str | None) -> Scene | None:
        """Return the scene that a state was saved with. Errors: SceneError."""
        return None if text is None else parse_scene(text, self.rom, "its scene")

    def _check_settings(self, parameters: dict[str, int], scene: str | None) -> None:
        """Errors: ValueError or SceneError for parameters or a scene that are not for the ROM, or not allowed."""
        if parameters.keys() != self.rom.parameters.keys():
            raise ValueError(f"parameters: allowed {', '.join(self.rom.parameters)}, all of them")
        all_parameters(self.rom, placing.with_scene(self.rom, self._scene_of(scene), parameters))

    def _after_first_frame(self, scene: Scene, parameters: Mapping[str, int], pad: int) -> Scenario:
        """Return a scenario at the end of its own first frame, whose picture and flags last until the next one."""
        scenario = self._kind(self.rom, parameters)
        scenario.start()
        scenario.run(pad, 1)
        self._end_first_frame(scenario, scene)
        return scenario


def _check_fits(scenario: Scenario, scene: Scene | None) -> None:
    """Check that kernels can take a scene. Errors: SceneError."""
    if scene is not None:
        try:
            scenario.check_placed(scene.columns())
        except ValueError as error:
            raise SceneError(scene.path, f"{error} on the native machine") from None


def _check_takes(kind: type[Scenario], rom: Rom) -> None:
    """Check that kernels take the parameters of a ROM: these, and no others. Errors: ValueError."""
    allowed = f"allowed {', '.join(kind.takes)}"
    for name in rom.parameters:
        if name not in kind.takes:
            raise ValueError(f"parameter {name!r} of {rom.name}: its native kernels do not take it; {allowed}")
    for name in kind.takes:
        if name not in rom.parameters:
            raise ValueError(f"parameter {name!r} of {rom.name}: its native kernels need it; {allowed}, all of them")
