"""Recordings on a disk that fails, and recordings that are continued."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from retrosim.errors import TapeError
from retrosim.tape import Player, Recorder, continue_script, load_tape, record_script
from retrosim.tape.files import Disk
from tests.helpers.amount import FULL
from tests.helpers.tape.drift_machine import FakeMachine

SCRIPT = "0 pad=3; 20 pad=0; 41 pad=16"


class FailingDisk(Disk):
    """Fails one operation, and all after it or not."""

    def __init__(self, fails_at: int, for_good: bool) -> None:
        self.fails_at, self.for_good, self.count = fails_at, for_good, 0

    def _count(self) -> None:
        self.count += 1
        if self.count == self.fails_at or (self.for_good and self.count > self.fails_at):
            raise OSError(errno.ENOSPC, "No space left on device")

    def create(self, path):
        self._count()
        return super().create(path)

    def write(self, file, data):
        try:
            self._count()
        except OSError:
            file.write(data[: len(data) // 2])
            raise
        super().write(file, data)

    def sync(self, file):
        self._count()

    def sync_folder(self, path):
        self._count()

    def publish(self, source, target):
        self._count()
        super().publish(source, target)

    def replace(self, source, target):
        self._count()
        super().replace(source, target)


def recorded(path: Path, disk: Disk) -> None:
    """Record with a slow clock, so that hash lines have to be taken out at the end."""
    ticks = iter(range(10**6))
    machine = FakeMachine()
    with Recorder(path, machine, hash_every=10, live=False, clock=lambda: next(ticks) / 4, disk=disk) as recorder:
        recorder.set_input("pad", 3)
        recorder.run(15)
        recorder.set_input("pad", 1)
        recorder.run(15)


@pytest.mark.parametrize("for_good", [False, True])
def test_whatever_fails_leaves_a_tape_or_nothing(tmp_path: Path, for_good: bool) -> None:
    counting = FailingDisk(0, False)
    recorded(tmp_path / "whole.rtape", counting)
    whole = load_tape(tmp_path / "whole.rtape")
    assert [line.frame for line in whole.hashes] == [9, 19, 29] and counting.count > 20
    for number in range(1, counting.count + 1):
        path = tmp_path / f"{number}.rtape"
        try:
            recorded(path, FailingDisk(number, for_good))
        except TapeError as error:
            assert "No space left" in str(error)
        else:
            assert load_tape(path).is_complete  # only its tidying failed
        if path.exists():
            tape = load_tape(path)
            player = Player(tape, FakeMachine())
            assert player.run() and player.world_ok is not False and player.machine_ok is not False
        else:
            recorded(path, Disk())  # nothing stands in the way of another attempt
            assert path.read_bytes() == (tmp_path / "whole.rtape").read_bytes()
    assert not list(tmp_path.glob(".*"))


class Killed(BaseException):
    """The end of the process."""


class KilledDisk(FailingDisk):
    """The process is killed at an operation: half of what is written may be there, and nothing is tidied."""

    def _count(self) -> None:
        try:
            super()._count()
        except OSError:
            raise Killed from None

    def write(self, file, data):
        try:
            self._count()
        except Killed:
            file.write(data[: len(data) // 2])
            raise
        Disk.write(self, file, data)


def test_a_kill_at_any_moment_leaves_a_tape_to_go_on_with_or_no_tape(tmp_path: Path) -> None:
    counting = KilledDisk(0, False)
    recorded(tmp_path / "whole.rtape", counting)
    names = set()
    for number in range(1, counting.count + 1):
        path = tmp_path / f"{number}.rtape"
        with pytest.raises(Killed):
            recorded(path, KilledDisk(number, True))
        names.add(path.exists())
        if path.exists():
            tape, machine = load_tape(path), FakeMachine()
            assert Player(tape, machine).run()
            if not tape.is_complete:
                continue_script(tape, machine, 30, "0 pad=3; 15 pad=1")
        else:
            recorded(path, KilledDisk(0, False))
        assert load_tape(path).is_complete and load_tape(path).frames == 30
    assert names == {False, True}


def test_a_disk_without_second_names_for_files(tmp_path: Path, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    recorded(tmp_path / "a.rtape", Disk())
    assert load_tape(tmp_path / "a.rtape").is_complete and len(list(tmp_path.iterdir())) == 1
    with pytest.raises(TapeError, match="exists already"):
        recorded(tmp_path / "a.rtape", Disk())


def test_continued_recordings_are_those_that_were_never_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "a.rtape"
    record_script(path, FakeMachine(), 60, SCRIPT, hash_every=10)
    whole = path.read_bytes()
    start = len(b"".join(whole.splitlines(keepends=True)[:2]))
    for cut in range(start, len(whole) - 1, 7 if FULL else 23):
        path.write_bytes(whole[:cut])
        tape, machine = load_tape(path), FakeMachine()
        if tape.is_complete:  # but for its last LF
            continue
        assert Player(tape, machine).run()
        continue_script(tape, machine, 60, SCRIPT)
        assert path.read_bytes() == whole
    with pytest.raises(TapeError, match="nothing to continue"):
        continue_script(load_tape(path), FakeMachine(), 60, SCRIPT)
