"""The shooter as a player has it: a real window, keys, shots that hit, a score, and a tape that replays to the same."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from retrosim.errors import RetrosimError
from retrosim.machine import open_machine
from retrosim.tape import load_tape, open_for
from retrosim.tape.play import Player

FRAMES = 320  # the aliens have come in, and shots had the time to reach them


def frames_on(path: Path) -> int:
    """Return how far a tape is that is being recorded."""
    try:
        return load_tape(path).frames
    except RetrosimError:  # its header is not there yet
        return 0


def wait_for(process: subprocess.Popen[str], is_so: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end and process.poll() is None:
        time.sleep(0.1)
    assert process.poll() is None, process.communicate()[1]
    assert is_so()


@pytest.mark.full
def test_a_person_plays(start, screen, tmp_path, run) -> None:
    """Moves to the right, then to the left with the fire key held, until a good part of the first wave is shot."""
    tape = tmp_path / "game.rtape"
    process = start("record", tape.name, "--rom", "shooter", "--objects", "50", "--speed", "2", DISPLAY=screen)

    def xdotool(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["xdotool", *words], env={"DISPLAY": screen}, capture_output=True, text=True, check=False)

    def keys(*words: str) -> None:
        done = xdotool(*words)
        assert done.returncode == 0, done.stderr

    title = ("search", "--name", "^shooter on mc68040-25")
    wait_for(process, lambda: xdotool(*title).returncode == 0)
    wait_for(process, lambda: frames_on(tape) >= 1)  # the window is there before the machine is
    keys(*title, "windowfocus", "keydown", "Right")
    wait_for(process, lambda: frames_on(tape) >= 60)
    keys("keyup", "Right", "keydown", "space")
    wait_for(process, lambda: frames_on(tape) >= 180)
    keys("keydown", "Left")
    wait_for(process, lambda: frames_on(tape) >= FRAMES)
    keys("keyup", "Left", "keyup", "space", "key", "ctrl+q")
    out, err = process.communicate(timeout=180)
    assert (process.returncode, err) == (0, ""), err

    worlds = []
    for name in ("native", "mc68040-25"):
        machine = open_for(load_tape(tape), name)
        player = Player(load_tape(tape), machine)
        player.run()
        assert player.is_finished and player.world_ok, name
        worlds.append((machine.world().columns, machine.frame.copy()))
    (columns, picture), (others, same) = worlds
    pads = [line.states["pad"] for line in load_tape(tape).inputs]
    assert {2, 16, 17} <= set(pads), out
    assert columns["score"][0] == others["score"][0] >= 5, "hits are counted"
    assert (columns["active"][13:] == 0).sum() >= 3, "aliens are gone"
    assert columns["px"][0] != 306 * 32, "the ship has moved"
    assert np.array_equal(picture, same)


@pytest.mark.parametrize(
    "machine, is_slow", [pytest.param("mc68000-8", True, marks=pytest.mark.full), ("mc68040-25", False)]
)
def test_a_slow_machine_slows_down(machine: str, is_slow: bool) -> None:
    """All aliens on the screen: a frame takes the 68000 several ticks, the 68040 one. The world is the same."""
    ours, native = (open_machine(name, "shooter", parameters={"objects": 50}) for name in (machine, "native"))
    for each in (ours, native):
        each.run(frames=1)
    begin = ours.cycles
    for each in (ours, native):
        each.run(frames=20)
    ticks = (ours.cycles - begin) * ours.tick_hz / ours.clock_hz / 20
    assert (ticks > 2) if is_slow else (0.99 < ticks < 1.01), float(ticks)
    assert ours.world() == native.world()
