"""Replaying scenario tapes: the inputs of any frame, and the comparison of every hash line.

`Player` is the only place that compares a machine with a tape. `run` and `step` play forward, as `verify` and
`replay --headless` need it; the window, which also goes back in time, runs the machine itself and asks for `inputs`
before and for `compare` after each frame.
"""

from __future__ import annotations

import gc
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from retrosim.errors import BudgetUsedUp, SceneError, TapeDiverged, TapeError
from retrosim.machine.state_file import MAX_STATE_BYTES
from retrosim.reading import digest_of, read_regular

from .format import Tape
from .header import describe_machine
from .machine import program_of, set_scene, state_path
from .records import Hash

if TYPE_CHECKING:
    from retrosim.machine.budget import Budget
    from retrosim.machine.interface import AnyMachine, PlayableMachine, RunOutcome


# The inputs of a run as a timeline: the device states of any frame, stored where they change.
#
# The player asks it what a tape says, the window's rewinding notes in it what the keyboard said, and its `changes` are
# the history that a recording begins with.


class InputTimeline:
    """Device states by frame.

    changes  [(frame, {device: state})]  frames ascending; each holds until the next one
    """

    def __init__(self, changes: Iterable[tuple[int, Mapping[str, int]]] = ()) -> None:
        self._changes = [(frame, dict(states)) for frame, states in changes]

    @property
    def changes(self) -> list[tuple[int, dict[str, int]]]:
        """The frames where the states change, with the new states: a copy."""
        return [(frame, dict(states)) for frame, states in self._changes]

    def at(self, frame: int) -> dict[str, int]:
        """Return the device states a frame runs with; empty before the first change."""
        index = bisect_right(self._changes, frame, key=itemgetter(0)) - 1
        return self._changes[index][1] if index >= 0 else {}

    def note(self, frame: int, states: Mapping[str, int]) -> None:
        """Add the states of a frame after all others; nothing is stored if they are still the same."""
        if not self._changes or self._changes[-1][1] != states:
            self._changes.append((frame, dict(states)))

    def forget_from(self, frame: int) -> None:
        """Forget the changes of this frame and of all after it."""
        del self._changes[bisect_left(self._changes, frame, key=itemgetter(0)) :]


STRETCH = 60  # frames between two progress calls where the tape has no records


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A hash line that the machine did not reproduce.

    frame     of the hash line
    good      last frame known to agree; one less than the first frame of the tape if none is
    what      "world", "machine" or "cycles"
    expected  in the tape
    found     on this machine
    """

    frame: int
    good: int
    what: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.what} {self.found} after frame {self.frame}, the tape has {self.expected}"


class Player:
    """A tape on a machine.

    tape     a loaded tape
    machine  of the tape's ROM; it is reset with the tape's parameters
    force    play a tape of another ROM or ROM image as well; `is_verified` is then False
    sync     settings of this run as given to the recorder; if they differ, machine hashes are not compared

    `world_mismatch` and `machine_mismatch` hold the first hash line that differs; `machine_reason` says why machine
    hashes are not compared, `note` how the ROM is a wrong one. `good_frame` is the last frame whose world is known to
    agree. `stop` is the machine's result if the program ended or failed before the tape did. `spent` says what of the
    machine's budget was used up before the tape's end, or is "".

    Errors   TapeError: another ROM, unusable parameters or devices, saved state missing or wrong; StateError;
             ValueError: the machine runs something that tapes are not made of
    """

    def __init__(
        self, tape: Tape, machine: PlayableMachine, *, force: bool = False, sync: dict[str, int | str] | None = None
    ) -> None:
        self._rom = program_of(machine)
        self.tape = tape
        self.machine = machine
        wrong = self._wrong_rom()
        if wrong and not force:
            raise TapeError(tape.name, f"{wrong}; it can only be replayed unverified (--unverified)")
        self.note = wrong
        self.is_verified = not wrong
        self.machine_reason = self._why_not_compared(sync or {})
        self._inputs = InputTimeline((record.frame, record.states) for record in tape.inputs)
        self._hashes = {record.frame: record for record in tape.hashes}
        self._input_frames = {record.frame for record in tape.inputs}
        self._pauses = sorted({*self._input_frames, *(frame + 1 for frame in self._hashes)})
        self.restart()

    def restart(self) -> None:
        """Bring the machine to the start of the tape and forget what was compared.

        Errors   TapeError: unusable parameters or devices, saved state missing or wrong; StateError
        """
        self.world_mismatch: Mismatch | None = None
        self.machine_mismatch: Mismatch | None = None
        self.stop: RunOutcome | None = None
        self.spent = ""
        self.good_frame = self._good_machine_frame = self.tape.first_frame - 1
        self._compared: set[int] = set()
        self._machine_compared: set[int] = set()
        self._power_on()

    def _wrong_rom(self) -> str:
        """Say how the machine's ROM is another than the tape's, or ""."""
        rom, header, image = self._rom, self.tape.header, self.machine.image
        if rom.name != header["scenario"]:
            return f"recorded with ROM {header['scenario']!r}, this machine runs {rom.name!r}"
        if image is None:
            return ""
        known = [entry["sha256"] for entry in header["roms"] if entry["isa"] == image.isa]
        if not known and (not header["roms"] or self.machine.name == header["machine"]):
            return f"the tape does not say with which {image.isa} image it was recorded"
        if known and image.sha256 not in known:
            return f"recorded with other {image.isa} images of ROM {rom.name!r} than {image.sha256[:16]}"
        return ""

    def _why_not_compared(self, sync: dict[str, int | str]) -> str:
        """Say why machine hashes of the tape do not concern this machine, or ""."""
        recorded = self.tape.header["machines"].get(self.machine.name)
        if recorded is None:
            return f"the tape has machine hashes of {', '.join(self.tape.header['machines'])} only"
        if self.note:
            return "another ROM image"
        here = describe_machine(self.machine)
        words = {"spec": "spec revision", "timing": "timing revision", "build": "ROM build", "image": "ROM image"}
        words |= {"clock": "clock", "tick": "tick rate"}
        for key, name in words.items():
            if recorded[key] != here[key]:
                return f"recorded with {name} {_short(recorded[key])}, this is {_short(here[key])}"
        if sync != self.tape.header["sync"]:
            return f"recorded with settings {self.tape.header['sync']}, this run has {sync}"
        return ""

    def _power_on(self) -> None:
        """Set parameters, switch the machine off and on, and load the saved state that the tape starts from."""
        tape, machine, rom = self.tape, self.machine, self._rom
        for name, value in tape.parameters.items():
            allowed = rom.parameters.get(name)
            if allowed is None:
                raise TapeError(tape.name, f"ROM {rom.name!r} has no parameter {name!r}")
            if not allowed.minimum <= value <= allowed.maximum:
                limits = f"{allowed.minimum}..{allowed.maximum}"
                raise TapeError(tape.name, f"parameter {name} is {value}, allowed {limits}")
        unknown = [device for device in tape.header["inputs"] if device not in rom.inputs]
        if unknown:
            raise TapeError(tape.name, f"ROM {rom.name!r} has no device {unknown[0]!r}")
        machine.parameters = dict(tape.parameters)
        set_scene(machine, tape.scene, tape.name)
        try:
            machine.reset()
        except (SceneError, ValueError) as error:
            raise TapeError(tape.name, str(error)) from None
        if tape.state_sha256 is not None:
            machine.load(self._state())
        if machine.frame_number != tape.first_frame:
            raise TapeError(tape.name, f"starts at frame {tape.first_frame}, the machine at {machine.frame_number}")

    def _state(self) -> bytes:
        """Return the saved state that lies next to the tape."""
        path = state_path(Path(self.tape.path))
        try:
            state = read_regular(path, MAX_STATE_BYTES)
        except OSError as error:
            raise TapeError(path, f"the saved state of the tape cannot be read: {error.strerror}") from None
        if digest_of(state) != self.tape.state_sha256:
            raise TapeError(path, "is not the saved state that the tape starts from")
        return state

    @property
    def frame(self) -> int:
        """Number of the next frame, as the machine counts."""
        return self.machine.frame_number

    @property
    def is_finished(self) -> bool:
        """Whether the tape is played to its end, or the program stopped or the budget was used up before."""
        return self.stop is not None or bool(self.spent) or self.frame >= self.tape.frames

    @property
    def compared(self) -> int:
        """Number of hash lines whose world was compared."""
        return len(self._compared)

    @property
    def machine_compared(self) -> int:
        """Number of hash lines whose machine hash and cycles were compared."""
        return len(self._machine_compared)

    @property
    def world_ok(self) -> bool | None:
        """True: every world hash so far agrees; False: one differs or the program stopped; None: none compared."""
        if self.world_mismatch or self.stop:
            return False
        return True if self._compared else None

    @property
    def machine_ok(self) -> bool | None:
        """True: every machine hash and cycle count so far agrees; False: one differs; None: none compared."""
        if self.machine_mismatch:
            return False
        return True if self._machine_compared else None

    @property
    def mismatch(self) -> Mismatch | None:
        """The first world hash that differs, else the first machine hash that does."""
        return self.world_mismatch or self.machine_mismatch

    def inputs(self, frame: int) -> dict[str, int] | None:
        """Return the device states a frame runs with; None if the tape ends before it."""
        return self._inputs.at(frame) if frame < self.tape.frames else None

    def compare(self) -> None:
        """Compare the machine, right after a frame, with the tape's hash line of that frame, if it has one."""
        line = self._hashes.get(self.frame - 1)
        if line is None:
            return
        self._compare_world(line)
        if not self.machine_reason and self.machine.name in line.machines:
            self._compare_machine(line)

    def _compare_world(self, line: Hash) -> None:
        self._compared.add(line.frame)
        if self.world_mismatch is not None:
            return
        found = self.machine.hash("world")
        if found == line.world:
            self.good_frame = line.frame
        else:
            self.world_mismatch = Mismatch(line.frame, self.good_frame, "world", line.world, found)

    def _compare_machine(self, line: Hash) -> None:
        self._machine_compared.add(line.frame)
        if self.machine_mismatch is not None:
            return
        expected, expected_cycles = line.machines[self.machine.name]
        found, cycles = self.machine.hash("machine"), self.machine.cycles
        if found != expected:
            what = "machine", expected, found
        elif cycles != expected_cycles:
            what = "cycles", str(expected_cycles), str(cycles)
        else:
            self._good_machine_frame = line.frame
            return
        self.machine_mismatch = Mismatch(line.frame, self._good_machine_frame, *what)

    def rewound(self) -> None:
        """Forget what was found at frames that the machine, taken back in time, has not executed yet."""
        if self.world_mismatch and self.world_mismatch.frame >= self.frame:
            self.world_mismatch = None
        if self.machine_mismatch and self.machine_mismatch.frame >= self.frame:
            self.machine_mismatch = None
        self.stop, self.spent = None, ""

    def run(
        self, to: int | None = None, on_progress: Callable[[int, int], None] | None = None, *, keep_on: bool = False
    ) -> bool:
        """Play on.

        to           frame number to stop at; default the end of the tape
        on_progress  called with frame number and the tape's frames, at every record and at least every 60 frames
        keep_on      do not stop at a world hash that differs
        Returns      whether that frame was reached
        Errors       TapeError: the machine refuses an input
        """
        end = self.tape.frames if to is None else min(to, self.tape.frames)
        while self.frame < end and not self.is_finished and (keep_on or self.world_mismatch is None):
            self._advance(end)
            if on_progress:
                on_progress(self.frame, self.tape.frames)
        return self.frame >= end

    def step(self) -> bool:
        """Play one frame; return whether it was completed. At the end of the tape do nothing."""
        if self.is_finished:
            return False
        before = self.frame
        self._advance(before + 1)
        return self.frame > before

    def _advance(self, end: int) -> None:
        """Apply the inputs of this frame, run up to the next record or `end`, compare."""
        frame = self.frame
        if frame in self._input_frames:
            self._apply(frame)
        stop = min(end, frame + STRETCH)
        following = bisect_right(self._pauses, frame)
        if following < len(self._pauses):
            stop = min(stop, self._pauses[following])
        result = self.machine.run(frames=stop - frame)
        if result.reason == "budget":
            budget: Budget | None = getattr(self.machine, "budget", None)
            self.spent = budget.spent if budget else "that of the machine"
        elif self.frame < stop:
            self.stop = result
        else:
            self.compare()

    def _apply(self, frame: int) -> None:
        for device, value in self._inputs.at(frame).items():
            try:
                self.machine.set_input(device, value)
            except ValueError as error:
                raise TapeError(self.tape.name, f"inputs of frame {frame}: {error}") from None

    def check(self) -> None:
        """Raise what the replay found.

        Errors   TapeDiverged: a hash line differs, or the program stopped before the tape did; BudgetUsedUp
        """
        found = str(self.mismatch) if self.mismatch else self.stop_reason
        if found:
            raise TapeDiverged(self.tape.name, f"diverged on {self.machine.name}: {found}")
        if self.spent:
            raise BudgetUsedUp(self.spent)

    @property
    def stop_reason(self) -> str:
        """What ended the program before the tape, or ""."""
        if self.stop is None:
            return ""
        why = f"{self.stop.reason}: {self.stop.fault}" if self.stop.fault else self.stop.reason
        return f"the program stopped in frame {self.frame} ({why})"


def _short(value: object) -> str:
    return repr(value)[:24] if isinstance(value, str) else str(value)


# The machines that play tapes: opened one at a time, or kept in a pool for the next tape of the same program.
#
# Opening a simulated machine compiles its program; a pool lets the tapes of a program share that work.

Opener = Callable[[Tape, str], "PlayableMachine"]
"""Opens the machine of a name for a tape."""
Program = tuple[str, str | None]
"""A scenario, and the ROM build that a tape was recorded with, if it says."""


def open_for(
    tape: Tape, name: str, rom: str | Path | None = None, *, build: str | None = None, **options: Any
) -> AnyMachine:
    """Open a machine that can play a tape, with the ROM build the tape was recorded with where there is one.

    tape     a loaded tape
    name     of the machine, or "native"
    rom      instead of the ROM the tape names
    build    instead of that build
    options  for `open_machine`: engine, timing, progress, ...
    Errors   RomError; ValueError for an unknown machine or option
    """
    from retrosim.machine import open_machine  # imported here because reading a tape needs no compiler
    from retrosim.rom import load_rom

    found = load_rom(tape.scenario if rom is None else rom)
    recorded = tape.header["machines"].get(name, {}).get("build")
    if build is None and recorded in {image.build for image in found.images}:
        build = recorded
    return open_machine(name, found, build=build, **options)


class MachinePool:
    """Machines by name, for tapes that follow each other; use it as a context manager.

    opener   opens a machine that the pool does not have

    A machine stays for the next tape of the same program, whose player resets it. The pool holds one machine of each
    name, all of one scenario; a machine that leaves it compiles nothing more.
    """

    def __init__(self, opener: Opener = open_for) -> None:
        self._opener = opener
        self._scenario = ""
        self._machines: dict[str, tuple[Program, PlayableMachine]] = {}

    def __call__(self, tape: Tape, name: str) -> PlayableMachine:
        """Return the machine of a name for a tape.

        Errors   those of the opener
        """
        if tape.scenario != self._scenario:
            self._release(*self._machines)
            self._scenario = tape.scenario
        program = tape.scenario, tape.header["machines"].get(name, {}).get("build")
        if name in self._machines and self._machines[name][0] != program:
            self._release(name)
        if name not in self._machines:
            self._machines[name] = program, self._opener(tape, name)
        return self._machines[name][1]

    def _release(self, *names: str) -> None:
        for name in names:
            _, machine = self._machines.pop(name)
            machine.stop_compiling()
            del machine
        if names:
            gc.collect()  # tens of MiB each, in reference cycles that the collector seldom looks at

    def __enter__(self) -> MachinePool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._release(*self._machines)
