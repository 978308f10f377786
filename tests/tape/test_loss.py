"""What an interrupted recording keeps: everything up to the last second."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from retrosim.errors import TapeError
from retrosim.tape import Input, Player, Recorder, load_tape, record, record_script
from retrosim.tape.files import Disk
from tests.helpers.amount import FULL, amount
from tests.helpers.tape.drift_machine import FakeMachine, Wrong


class Unsynced(Disk):
    """Does not wait for the disk."""

    def sync(self, file) -> None:
        return


class Clock:
    """Host seconds that pass only when the test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_every_line_is_in_the_file_at_once_and_only_the_frames_after_it_can_be_lost(tmp_path):
    path, machine, rng = tmp_path / "a.rtape", FakeMachine(), random.Random(3)
    recorder = Recorder(path, machine, hash_every=10)
    pads = []
    for frame in range(200):
        pads.append(rng.choice([0, 1, 2]) if rng.random() < 0.05 else (pads or [0])[-1])
        recorder.set_input("pad", pads[-1])
        machine.run(frames=1)
        recorder.on_frame()
        killed = load_tape(path)  # what a kill at this moment would leave
        assert not killed.is_complete and not killed.torn
        assert frame + 1 - 10 < killed.frames <= frame + 1
        assert f"recovered to frame {killed.frames - 1}" in killed.note
        changes = [(at, pad) for at, pad in enumerate(pads) if at == 0 or pads[at - 1] != pad]
        assert [(entry.frame, entry.states["pad"]) for entry in killed.inputs] == changes
    player = Player(killed, FakeMachine())
    assert player.run() and player.world_ok and player.machine_ok
    recorder.abandon()
    assert load_tape(path).records == killed.records


@pytest.mark.parametrize(
    ("seconds_per_frame", "lines"), [(2**-10, 0), (2**-6, 4), (2**-3, 42), (5 / 16, 99), (1.5, 300)]
)
def test_a_live_recording_loses_at_most_one_second(tmp_path, seconds_per_frame, lines):
    path, machine, clock = tmp_path / "a.rtape", FakeMachine(), Clock()
    recorder = Recorder(path, machine, hash_every=10_000, clock=clock, disk=Unsynced())
    times = []
    for frame in range(300):
        machine.run(frames=1)
        clock.now += seconds_per_frame
        times.append(clock.now)
        recorder.on_frame()
        if frame > 30 and frame % 4 and not FULL:
            continue
        recovered = load_tape(path).frames
        lost = clock.now - (times[recovered - 1] if recovered else 100.0)
        assert lost < 1.0
    assert len(load_tape(path).hashes) == lines
    recorder.close()
    player = Player(load_tape(path), FakeMachine())
    assert player.run() and player.machine_ok


def test_a_recording_that_is_not_live_ignores_the_clock(tmp_path):
    machine, clock = FakeMachine(), Clock()
    with Recorder(tmp_path / "a.rtape", machine, live=False, clock=clock) as recorder:
        for _ in range(30):
            clock.now += 10
            machine.run(frames=1)
            recorder.on_frame()
    assert [entry.frame for entry in load_tape(tmp_path / "a.rtape").hashes] == [29]


def test_syncs_once_a_second_at_hash_lines_and_at_the_end(tmp_path, monkeypatch):
    synced, clock, machine = [], Clock(), FakeMachine()
    monkeypatch.setattr(os, "fsync", lambda number: synced.append(clock.now))
    recorder = Recorder(tmp_path / "a.rtape", machine, hash_every=1, clock=clock)
    for _ in range(40):
        clock.now += 0.25
        machine.run(frames=1)
        recorder.on_frame()
    assert synced == [100.0, 100.0, *(100.0 + second for second in range(1, 11))]  # the header, its folder, ...
    clock.now += 0.125
    recorder.close()
    assert synced[12:] == [110.125]
    recorder.close()
    assert len(synced) == 13


CHILD = """
import os, sys, time
from tests.helpers.tape.drift_machine import FakeMachine
from retrosim.tape import Recorder
machine = FakeMachine()
recorder = Recorder(sys.argv[1], machine, hash_every=20)
for frame in range(1000000):
    recorder.set_input("pad", frame // 7 % 32)
    machine.run(frames=1)
    recorder.on_frame()
    os.write(1, b"%d\\n" % machine.frame_number)
    time.sleep(0.0005)
"""


@pytest.mark.first_case
@pytest.mark.parametrize("delay", [0.0, 0.03, 0.11])
def test_kill_9_loses_nothing_but_the_frames_since_the_last_line(tmp_path, delay):
    path = tmp_path / "killed.rtape"
    root = Path(record_script.__code__.co_filename).parents[2]
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CHILD), str(path)],
        stdout=subprocess.PIPE,
        cwd=root,
    )
    try:
        first = child.stdout.readline()
        assert first == b"1\n"
        time.sleep(delay)
    finally:
        child.send_signal(signal.SIGKILL)
        rest = child.communicate()[0]
    completed = max(int(line) for line in (first + rest).split())
    tape = load_tape(path)
    assert not tape.is_complete
    assert completed - 7 < tape.frames <= completed + 1
    assert [entry.frame for entry in tape.inputs] == list(range(0, tape.inputs[-1].frame + 1, 7))
    player = Player(tape, FakeMachine())
    assert player.run()
    assert player.world_ok is (True if tape.hashes else None)


KILLS = amount(10, 10)
MANY = """
import mmap, os, random, signal, sys, time
from pathlib import Path
from tests.helpers.tape.drift_machine import FakeMachine
from retrosim.tape import Player, Recorder, load_tape

def record(path, shared):
    machine = FakeMachine()
    with Recorder(path, machine, hash_every=20) as recorder:
        for frame in range(1000000):
            recorder.set_input("pad", frame // 7 % 32)
            machine.run(frames=1)
            recorder.on_frame()
            shared[:8] = machine.frame_number.to_bytes(8, "little")

chance, folder, shared = random.Random(14), Path(sys.argv[1]), mmap.mmap(-1, 8)
without = 0
for number in range(int(sys.argv[2])):
    shared[:8] = bytes(8)
    path = folder / f"{number}.rtape"
    child = os.fork()
    if not child:
        record(path, shared)
    if number % 2:
        while not any(shared[:8]):
            time.sleep(0.0005)
    time.sleep(0.02 * chance.random())
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    completed = int.from_bytes(shared[:8], "little")
    if not path.exists():
        assert not completed, number
        without += 1
        Recorder(path, FakeMachine()).close()
        continue
    tape = load_tape(path)
    assert not tape.is_complete and completed - 7 <= tape.frames <= completed + 1, (number, completed, tape.frames)
    assert Player(tape, FakeMachine()).run(), number
print(without)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kills_at_any_moment(tmp_path):
    root = Path(record_script.__code__.co_filename).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", MANY, str(tmp_path), str(KILLS)], cwd=root, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    print(f"{KILLS} kills, {done.stdout.strip()} before there was a tape")


def test_short_writes_are_continued_and_a_full_disk_leaves_a_playable_tape(tmp_path, monkeypatch):
    machine = FakeMachine()
    recorder = Recorder(tmp_path / "a.rtape", machine, hash_every=1)
    free = [1000]
    real = recorder._file

    class Disk:
        """Takes at most 10 bytes at once, and none when full."""

        def write(self, data: bytes) -> int:
            if not free[0]:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            taken = min(10, free[0], len(data))
            free[0] -= taken
            return real.write(data[:taken])

        def close(self) -> None:
            real.close()

    recorder._file = Disk()
    with pytest.raises(TapeError, match="No space left"):
        recorder.run(1000)
    assert not recorder.is_open
    recorder.close()
    tape = load_tape(tmp_path / "a.rtape")
    assert "is torn" in tape.note
    assert len(tape.hashes) == tape.frames > 5
    player = Player(tape, FakeMachine())
    assert player.run() and player.machine_ok


def test_a_tape_never_grows_beyond_what_can_be_loaded(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "MAX_TAPE_BYTES", record.END_RESERVE + 3000)
    recorder = Recorder(tmp_path / "a.rtape", FakeMachine(), hash_every=1)
    with pytest.raises(TapeError, match=r"is full .* closed at frame"):
        recorder.run(1000)
    tape = load_tape(tmp_path / "a.rtape")
    assert tape.is_complete
    assert 10 < tape.frames < 100


def test_an_exception_leaves_an_interrupted_tape(tmp_path):
    machine = FakeMachine()
    with pytest.raises(KeyboardInterrupt), Recorder(tmp_path / "a.rtape", machine) as recorder:
        recorder.run(5)
        raise KeyboardInterrupt
    tape = load_tape(tmp_path / "a.rtape")
    assert not tape.is_complete
    assert tape.inputs == [Input(0, {"pad": 0})]
    with pytest.raises(TapeError, match="closed"):
        recorder.comment("more")


def test_a_program_that_fails_in_a_frame_leaves_the_frames_before(tmp_path):
    machine = FakeMachine(wrong=Wrong(70, "fault"))
    result = record_script(tmp_path / "a.rtape", machine, 200, "0 pad=1; 65 pad=2; 80 pad=3")
    assert result.reason == "fault"
    tape = load_tape(tmp_path / "a.rtape")
    assert (tape.frames, tape.is_complete) == (66, False)  # no hash can be taken of frame 69, so 65 has the last line
    player = Player(tape, FakeMachine())
    assert player.run() and player.world_ok


def test_no_hash_is_taken_inside_a_frame(tmp_path):
    machine, clock = FakeMachine(), Clock()
    recorder = Recorder(tmp_path / "a.rtape", machine, hash_every=2, clock=clock)
    machine.run(frames=2)
    machine.cycles += 500
    clock.now += 5
    recorder.on_frame(whole=False)
    recorder.close()
    tape = load_tape(tmp_path / "a.rtape")
    assert (tape.hashes, tape.is_complete) == ([], False)
