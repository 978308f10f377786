"""Recording scenario tapes: append-only, line by line, each line in the file as soon as it is known.

A line goes to the operating system in one write, so a killed process loses no line. The frames after the last line are
what can be lost; a hash line is therefore also written before a second of host time has passed without a line, which
limits the loss to one second, or to one frame that takes longer. From recordings that are not `live` those lines are
taken out again when they are closed, so that equal runs are equal files.

A tape gets its name when its header is on the disk, so that a file without one never stands in the way of the next
attempt. What follows is synced at hash lines, at most once a second, and at the end.
"""

from __future__ import annotations

import operator
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from retrosim.errors import TapeError
from retrosim.machine.pieces import frames_in_pieces, next_size
from retrosim.reading import digest_of

from .files import DISK, Disk, create_file, write_new
from .format import MAX_TAPE_BYTES, MINOR, SCENE_MINOR, RecordOrder, Tape, load_tape, write_start
from .header import POWER_ON, U32, new_header
from .machine import scene_of, state_path
from .records import Comment, End, Hash, Input, Record, SceneLine, Script, write_record

if TYPE_CHECKING:
    from retrosim.machine.interface import PlayableMachine, RunOutcome

HASH_EVERY = 60  # about one second at 60.147 ticks per second
SECOND = 1.0
STRETCH = SECOND / 8  # at least, that the machine runs at a time where its frames are short
END_RESERVE = 16 * 1024  # bytes kept free for the last hash line and END


class Recorder:
    """Write what happens to a machine into a new tape.

    path         file to create; an existing one is never touched
    machine      at power-on (it is reset), unless `history` or `from_state` says how it got where it is
    title, author, description      for the header
    hash_every   frames between hash lines, 1 or more
    inputs       device states at the start; default all 0
    history      [(frame, {device: state})] inputs of the frames already executed since power-on, where they changed
    from_state   start the tape at the machine's present state, which is saved in a second file next to the tape; such a
                 tape plays on this machine only
    sync         {name: number or text} settings of this run that change cycles but not the world
    live         keep the hash lines that were only written lest a second be lost; False makes equal runs equal files
    clock        host seconds, for those lines and for syncing
    disk         what files are written with

    Inputs go through `set_input`; after every frame call `on_frame`. Used as a context manager it closes the tape, or,
    after an exception, leaves it as an interrupted one.

    Errors       TapeError: exists, cannot be written, full; ValueError: bad arguments, machine not where it should be
    """

    def __init__(
        self,
        path: str | Path,
        machine: PlayableMachine,
        *,
        title: str = "",
        author: str = "",
        description: str = "",
        hash_every: int = HASH_EVERY,
        inputs: Mapping[str, int] | None = None,
        history: Script | None = None,
        from_state: bool = False,
        sync: dict[str, int | str] | None = None,
        live: bool = True,
        clock: Callable[[], float] = time.monotonic,
        disk: Disk = DISK,
    ) -> None:
        if history is not None and from_state:
            raise ValueError("a tape starts either with a history or from a state, not both")
        if machine.frame_number and history is None and not from_state:
            raise ValueError(
                f"a tape starts at power-on, but the machine is at frame {machine.frame_number}: "
                "reset it, or give the history of inputs or from_state"
            )
        state = machine.save() if from_state else b""
        start = {"frame": machine.frame_number, "state": digest_of(state)} if from_state else POWER_ON
        header = new_header(
            machine, title=title, author=author, description=description, hash_every=hash_every, start=start, sync=sync
        )
        self._set_up(Path(path), machine, header, live, clock, disk)
        if not from_state and not machine.frame_number:
            machine.reset()
        before = self._play_back(history or []) if machine.frame_number and not from_state else []
        self._state = before[-1].states if before else dict.fromkeys(header["inputs"], 0)
        self._pending = self._checked(inputs or {})
        self._written: dict[str, int] | None = self._state if before else None
        self._frame = machine.frame_number
        self._hashed = self._frame if from_state else 0
        scene = None if from_state else scene_of(machine)
        placed = [SceneLine(line) for line in scene.text.splitlines()] if scene else []
        start_of_file = write_start(header, SCENE_MINOR if scene else MINOR)
        for line in placed:
            self._order.accept(line)
            start_of_file += write_record(line)
        self._file = create_file(self.path, start_of_file, disk)
        self._size = len(start_of_file)
        if from_state:
            try:
                write_new(state_path(self.path), state, disk)
            except TapeError:  # nothing that would stand in the way of the next attempt
                self._file.close()
                disk.remove(self.path)
                raise
        self.is_open = True
        self._synced = self._noted = clock()
        for record in before:
            self._write(record)
        self._show(self._state)
        if self._hashed < self._frame:
            self._write_hash()
        self._show(self._pending)
        self._cycles = machine.cycles

    def _set_up(
        self,
        path: Path,
        machine: PlayableMachine,
        header: dict[str, Any],
        live: bool,
        clock: Callable[[], float],
        disk: Disk,
    ) -> None:
        self.path, self.machine, self.header = path, machine, header
        self._order = RecordOrder(header)
        self._every: int = header["hash_every"]
        self._live, self._clock, self._disk = live, clock, disk
        self.is_open = False
        self._waiting: dict[str, int] = {}
        self._extra: set[int] = set()  # frames of hash lines that only the clock asked for
        self._world = ""
        self._size = 0
        self._synced = self._noted = self._seen = clock()

    @classmethod
    def resume(
        cls,
        tape: Tape,
        machine: PlayableMachine,
        *,
        live: bool = True,
        clock: Callable[[], float] = time.monotonic,
        disk: Disk = DISK,
    ) -> Recorder:
        """Go on with the file of an interrupted tape; a torn line at its end is cut off.

        machine  has just played the tape to its end
        Errors   TapeError: it was finished, or cannot be written; ValueError: the machine is not at its end
        """
        if tape.is_complete:
            raise TapeError(tape.name, "was recorded to its end; there is nothing to continue")
        if machine.frame_number != tape.frames:
            raise ValueError(f"the machine is at frame {machine.frame_number}, the tape ends at {tape.frames}")
        self = cls.__new__(cls)
        self._set_up(Path(tape.path), machine, tape.header, live, clock, disk)
        for record in tape.records:
            self._order.accept(record)
        inputs, hashes = tape.inputs, tape.hashes
        self._state = inputs[-1].states if inputs else dict.fromkeys(tape.header["inputs"], 0)
        self._pending, self._written = dict(self._state), self._state if inputs else None
        self._frame, self._cycles = machine.frame_number, machine.cycles
        self._hashed = hashes[-1].frame + 1 if hashes else tape.first_frame
        self._world = hashes[-1].world if hashes else ""
        self._extra = {line.frame for line in hashes if (line.frame + 1) % self._every}
        self._size = len(tape.encode())
        try:
            self._file = disk.reopen(self.path, self._size)
        except OSError as error:
            raise TapeError(self.path, f"cannot be written: {error.strerror}") from None
        self.is_open = True
        self._show(self._state)
        return self

    def _play_back(self, history: Script) -> list[Input]:
        """Return the input records of the frames before the recording, frame 0 among them."""
        states = dict.fromkeys(self.header["inputs"], 0)
        records = {0: Input(0, states)}
        last = -1
        for frame, change in history:
            if not last < frame < self.machine.frame_number:
                raise ValueError(f"history frame {frame} is not in {last + 1}..{self.machine.frame_number - 1}")
            last = frame
            states = self._checked(change, states)
            records[frame] = Input(frame, states)
        return list(records.values()) if states else []

    def _checked(self, change: Mapping[str, int], states: Mapping[str, int] | None = None) -> dict[str, int]:
        """Return the device states after a change."""
        result = dict(self._state if states is None else states)
        for device, value in change.items():
            if device not in result:
                raise ValueError(f"device {device!r} is not one of {', '.join(result) or 'none'}")
            if not 0 <= value <= U32:
                raise ValueError(f"{device} is {value}, allowed 0..{U32}")
            result[device] = operator.index(value)
        return result

    def _show(self, states: Mapping[str, int]) -> None:
        for device, value in states.items():
            self.machine.set_input(device, value)

    def set_input(self, device: str, value: int) -> None:
        """Set a device state of the machine from the next frame on; inside a frame it waits for the frame's end.

        Errors   ValueError naming device or value and what is allowed
        """
        pending = self._checked({device: value}, self._pending)
        if self.machine.frame_number == self._frame and self.machine.cycles != self._cycles:
            self._waiting[device] = value
            return
        self.on_frame()
        self.machine.set_input(device, value)
        self._pending = self._pending | {device: pending[device]}

    def on_frame(self, whole: bool = True) -> None:
        """Note that the machine completed a frame, or several with the same inputs; otherwise do nothing.

        whole    the machine is between two frames; False: inside the next one, so no hash can be taken
        Errors   TapeError: cannot be written, or full; ValueError: the machine went back
        """
        frame = self.machine.frame_number
        if frame == self._frame:
            return
        if frame < self._frame:
            raise ValueError(f"the machine went back to frame {frame}, the tape is at {self._frame}: close it first")
        if self._written != self._pending and self._pending:
            self._write(Input(self._frame, self._pending))
            self._written = self._pending
        self._state = self._pending
        self._frame = frame
        self._cycles = self.machine.cycles if whole else -1
        now = self._clock()
        is_late = now - self._noted + (now - self._seen) >= SECOND  # at the next call, if that takes as long
        self._seen = now
        is_due = frame // self._every > self._hashed // self._every
        if whole and (is_due or is_late):
            self._write_hash()
            if not is_due:
                self._extra.add(frame - 1)
        if self._size > MAX_TAPE_BYTES - END_RESERVE:
            self.close()
            raise TapeError(self.path, f"is full ({MAX_TAPE_BYTES >> 20} MiB) and was closed at frame {frame - 1}")
        if whole and self._waiting:
            waiting, self._waiting = self._waiting, {}
            for device, value in waiting.items():
                self.set_input(device, value)

    def run(self, frames: int, on_progress: Callable[[int], None] | None = None) -> RunOutcome:
        """Run the machine with the present inputs and record it.

        frames       1 or more
        on_progress  called with the machine's frame number after each stretch
        Returns      the machine's last result; its reason is not "frames" if the program ended or failed
        Errors       TapeError, ValueError as `on_frame`
        """
        if frames < 1:
            raise ValueError(f"frames is {frames}, allowed 1 or more")
        stretch, begun = 1, self._clock()

        def pause(frame: int) -> int:
            nonlocal begun
            begun = self._clock()
            return min(frame + stretch, frame - frame % self._every + self._every)

        for result in frames_in_pieces(self.machine, self.machine.frame_number + frames, pause):
            self.on_frame(whole=result.reason == "frames")
            stretch = next_size(stretch, self._clock() - begun, STRETCH)
            if on_progress:
                on_progress(self.machine.frame_number)
        return result

    def comment(self, text: str) -> None:
        """Write a line of text at the present frame.

        Errors   ValueError for unprintable or too long text; TapeError
        """
        self._write(Comment(self._frame, text))

    def close(self) -> None:
        """Finish the tape: last hash line, END, sync; a second call does nothing.

        The END line is left out if the machine has gone on since the last frame, because its state is no longer the
        one after that frame; the tape then reads as interrupted there.
        """
        if not self.is_open:
            return
        if self.machine.frame_number == self._frame and self.machine.cycles == self._cycles:
            self._show(self._state)
            if self._hashed < self._frame:
                self._write_hash()
            self._write(End(self._frame, self._world))
        self._show(self._pending | self._waiting)
        self.abandon()
        if self._extra and not self._live:
            self._take_out_extra()

    def _take_out_extra(self) -> None:
        """Write the tape anew without the lines that only the clock asked for; if that fails, it keeps them."""
        tape, disk = load_tape(self.path), self._disk
        if not tape.is_complete:
            return
        last = tape.hashes[-1].frame
        extra = self._extra - {last}
        records = tuple(r for r in tape.records if not (isinstance(r, Hash) and r.frame in extra))
        other = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            write_new(other, replace(tape, records=records).encode(), disk)
            disk.replace(other, self.path)
            disk.sync_folder(self.path)
        except (OSError, TapeError):
            disk.remove(other)

    def abandon(self) -> None:
        """Close the file without END, as an interruption would leave it."""
        if self.is_open:
            self.is_open = False
            with self._file:
                self._sync()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def _write_hash(self) -> None:
        machine = self.machine
        self._world = machine.hash("world")
        run = (machine.hash("machine"), machine.cycles)
        self._write(Hash(self._frame - 1, self._world, {machine.name: run}))
        self._hashed = self._frame
        now = self._clock()
        if now - self._synced >= SECOND:
            self._sync()

    def _sync(self) -> None:
        """Have the lines on the disk. Errors: TapeError; the recording is closed then."""
        self._synced = self._clock()
        try:
            self._disk.sync(self._file)
        except OSError as error:
            raise self._failed(error) from None

    def _write(self, record: Record) -> None:
        line = write_record(record)
        self._order.accept(record)
        if not self.is_open:
            raise TapeError(self.path, "the recording is closed")
        try:
            self._disk.write(self._file, line)
        except OSError as error:
            raise self._failed(error) from None
        self._size += len(line)
        self._noted = self._clock()

    def _failed(self, error: OSError) -> TapeError:
        """Close the recording; return what to raise."""
        self.is_open = False
        self._file.close()
        return TapeError(self.path, f"cannot be written: {error.strerror}")
