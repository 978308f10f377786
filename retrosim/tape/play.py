"""Replaying scenario tapes: inputs in, frames executed, every hash line compared."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrosim.errors import TapeDiverged, TapeError
from retrosim.tape.format import Tape
from retrosim.tape.header import describe_machine
from retrosim.tape.machine import NATIVE, TapeMachine, TapeRun, check_machine, state_path
from retrosim.tape.records import BY_RECORD, Hash, Input, Record

STRETCH = 60  # frames between two progress calls where the tape has no records
STATE_BYTES = 256 * 1024 * 1024


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
    """Run a machine as a tape says.

    tape     a loaded tape
    machine  of the tape's ROM; it is reset with the tape's parameters
    force    play a tape of another ROM or ROM image as well; `is_verified` is then False
    sync     settings of this run as given to the recorder; if they differ, machine hashes are not compared

    `world_mismatch` and `machine_mismatch` hold the first hash line that differs, `compared` counts the hash lines
    whose world was compared and `machine_compared` those whose machine hash was; `machine_reason` says why none is.
    `good_frame` is the last one before it whose world agrees.
    `stop` is the machine's result if the program ended or failed before the tape did.

    Errors   TapeError: another ROM, unusable parameters or devices, saved state missing or wrong; StateError;
             ValueError: the machine runs something tapes are not made of
    """

    def __init__(
        self,
        tape: Tape,
        machine: TapeMachine,
        *,
        force: bool = False,
        sync: dict[str, int | str] | None = None,
    ) -> None:
        check_machine(machine)
        self.tape = tape
        self.machine = machine
        self.world_mismatch: Mismatch | None = None
        self.machine_mismatch: Mismatch | None = None
        self.compared = self.machine_compared = 0
        self.stop: TapeRun | None = None
        wrong = self._wrong_rom()
        if wrong and not force:
            raise TapeError(tape.path, f"{wrong}; only a forced, unverified replay is possible")
        self.note = wrong
        self.is_verified = not wrong
        self.machine_reason = self._why_not_compared(sync or {})
        self._records = [record for record in tape.records if type(record) in BY_RECORD and _action(record)]
        self._next = 0
        self.good_frame = self._machine_good = tape.first_frame - 1
        self._power_on()

    def _wrong_rom(self) -> str:
        """Say how the machine's ROM is another than the tape's, or ""."""
        rom, header = self.machine.rom, self.tape.header
        if rom.name != header["scenario"]:
            return f"recorded with ROM {header['scenario']!r}, this machine runs {rom.name!r}"
        if self.machine.name == NATIVE:
            return ""
        image = self.machine.image
        known = [entry["sha256"] for entry in header["roms"] if entry["isa"] == image.isa]
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
        """Bring the machine to the start of the tape."""
        tape, machine = self.tape, self.machine
        for name, value in tape.parameters.items():
            allowed = machine.rom.parameters.get(name)
            if allowed is None:
                raise TapeError(tape.path, f"ROM {machine.rom.name!r} has no parameter {name!r}")
            if not allowed.minimum <= value <= allowed.maximum:
                raise TapeError(
                    tape.path, f"parameter {name} is {value}, allowed are {allowed.minimum}..{allowed.maximum}"
                )
        unknown = [device for device in tape.header["inputs"] if device not in machine.rom.inputs]
        if unknown:
            raise TapeError(tape.path, f"ROM {machine.rom.name!r} has no device {unknown[0]!r}")
        machine.parameters = dict(tape.parameters)
        machine.reset()
        if tape.state_sha256 is not None:
            machine.load(self._state())
        if machine.frame_number != tape.first_frame:
            raise TapeError(tape.path, f"starts at frame {tape.first_frame}, the machine at {machine.frame_number}")

    def _state(self) -> bytes:
        """Return the saved state beside the tape."""
        path = state_path(Path(self.tape.path))
        try:
            with open(path, "rb") as file:
                state = file.read(STATE_BYTES)
        except OSError as error:
            raise TapeError(path, f"the saved state of the tape cannot be read: {error.strerror}") from None
        if hashlib.sha256(state).hexdigest() != self.tape.state_sha256:
            raise TapeError(path, "is not the saved state that the tape starts from")
        return state

    @property
    def frame(self) -> int:
        """Number of the next frame, as the machine counts."""
        return self.machine.frame_number

    @property
    def is_finished(self) -> bool:
        """Whether the tape is played to its end or the program stopped before."""
        return self.stop is not None or self.frame >= self.tape.frames

    @property
    def world_ok(self) -> bool | None:
        """True: every world hash so far agrees; False: one differs or the program stopped; None: none compared."""
        if self.world_mismatch or self.stop:
            return False
        return True if self.compared else None

    @property
    def machine_ok(self) -> bool | None:
        """True: every machine hash and cycle count so far agrees; False: one differs; None: none compared."""
        if self.machine_mismatch:
            return False
        return True if self.machine_compared else None

    def run(
        self,
        to: int | None = None,
        on_progress: Callable[[int, int], None] | None = None,
        *,
        keep_on: bool = False,
    ) -> bool:
        """Play on.

        to           frame number to stop at; default the end of the tape
        on_progress  called with frame number and the tape's frames, at every record and at least every 60 frames
        keep_on      do not stop at a world hash that differs
        Returns      whether that frame was reached
        """
        end = self.tape.frames if to is None else min(to, self.tape.frames)
        while self.frame < end and self.stop is None and (keep_on or self.world_mismatch is None):
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
        self._perform(self.frame, before=True)
        stop = min(end, self.frame + STRETCH)
        if self._next < len(self._records):
            following = self._records[self._next]
            stop = min(stop, following.frame + (_order(following) > 0))
        wanted = stop - self.frame
        result = self.machine.run(frames=wanted)
        if self.frame < stop:
            self.stop = result
            return
        self._perform(self.frame - 1, before=False)

    def _perform(self, frame: int, before: bool) -> None:
        """Perform the records that belong before, or after, a frame."""
        while self._next < len(self._records):
            record = self._records[self._next]
            if record.frame != frame or (_order(record) == 0) != before:
                return
            self._next += 1
            getattr(self, _action(record))(record)

    def apply_input(self, record: Input) -> None:
        """Set the devices as an input line says."""
        for device, value in record.states.items():
            try:
                self.machine.set_input(device, value)
            except ValueError as error:
                raise TapeError(self.tape.path, f"inputs of frame {record.frame}: {error}") from None

    def compare_hash(self, record: Hash) -> None:
        """Compare the machine with a hash line."""
        frame, machine = record.frame, self.machine
        found = machine.hash("world")
        self.compared += 1
        if self.world_mismatch is None:
            if found == record.world:
                self.good_frame = frame
            else:
                self.world_mismatch = Mismatch(frame, self.good_frame, "world", record.world, found)
        if self.machine_reason or machine.name not in record.machines:
            return
        self.machine_compared += 1
        if self.machine_mismatch is not None:
            return
        digest, cycles = record.machines[machine.name]
        here = machine.hash("machine")
        if (here, machine.cycles) == (digest, cycles):
            self._machine_good = frame
        else:
            what = ("machine", digest, here) if here != digest else ("cycles", str(cycles), str(machine.cycles))
            self.machine_mismatch = Mismatch(frame, self._machine_good, *what)

    def check(self) -> None:
        """Raise what the replay found.

        Errors   TapeDiverged: a hash line differs, or the program stopped before the tape did
        """
        mismatch = self.world_mismatch or self.machine_mismatch
        if mismatch:
            raise TapeDiverged(self.tape.path, f"diverged on {self.machine.name}: {mismatch}")
        if self.stop:
            raise TapeDiverged(self.tape.path, f"diverged on {self.machine.name}: {self.stop_reason}")

    @property
    def stop_reason(self) -> str:
        """What ended the program before the tape, or ""."""
        if self.stop is None:
            return ""
        why = f"{self.stop.reason}: {self.stop.fault}" if self.stop.fault else self.stop.reason
        return f"the program stopped in frame {self.frame} ({why})"


def _action(record: Record) -> str | None:
    return BY_RECORD[type(record)].replay


def _order(record: Record) -> int:
    return BY_RECORD[type(record)].order or 0


def _short(value: object) -> str:
    return repr(value)[:24] if isinstance(value, str) else str(value)


def open_for(tape: Tape, name: str, rom: str | Path | None = None, **options: Any) -> TapeMachine:
    """Open a machine that can play a tape, with the ROM build the tape was recorded with where there is one.

    tape     a loaded tape
    name     of the machine, or "native"
    rom      instead of the ROM the tape names
    options  for `open_machine`: engine, timing, progress, ...
    Errors   RomError; ValueError for an unknown machine or option
    """
    from retrosim.machine import open_machine  # imported here because reading a tape needs no compiler
    from retrosim.rom import load_rom

    found = load_rom(tape.scenario if rom is None else rom)
    recorded = tape.header["machines"].get(name, {}).get("build")
    build = recorded if recorded in {image.build for image in found.images} else None
    return open_machine(name, found, build=build, **options)
