"""Input scripts: what the devices are set to before which frame, and recording a run by one, without a person."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from retrosim.checks import shortened

from .format import Tape
from .header import DEVICE
from .record import HASH_EVERY, Recorder
from .records import Script

if TYPE_CHECKING:
    from retrosim.machine.interface import PlayableMachine, RunOutcome


def parse_script(text: str) -> list[tuple[int, dict[str, int]]]:
    """Read an input script: "0 pad=8; 60 pad=16" sets pad to 8 before frame 0 and to 16 before frame 60.

    text     steps separated by ";" or line ends: a frame number, then one or more device=value (decimal or 0x..)
    Returns  [(frame, {device: value})] with rising frames
    Errors   ValueError naming the step
    """
    steps: list[tuple[int, dict[str, int]]] = []
    for step in re.split("[;\n]", text):
        words, shown = step.split(), shortened(step)
        if not words:
            continue
        if not re.fullmatch("[0-9]{1,10}", words[0]) or len(words) < 2:
            raise ValueError(f"input step {shown!r} is not a frame number and device=value, such as 60 pad=16")
        states: dict[str, int] = {}
        for word in words[1:]:
            found = re.fullmatch(f"({DEVICE})=(0x[0-9a-fA-F]{{1,8}}|[0-9]{{1,10}})", word)
            if found is None or found[1] in states:
                raise ValueError(f"input step {shown!r}: {shortened(word)!r} is not one device=value")
            states[found[1]] = int(found[2], 0 if found[2].startswith("0x") else 10)
        if steps and int(words[0]) <= steps[-1][0]:
            raise ValueError(f"input step {shown!r}: frame {words[0]} does not come after frame {steps[-1][0]}")
        steps.append((int(words[0]), states))
    return steps


def record_script(
    path: str | Path,
    machine: PlayableMachine,
    frames: int,
    script: str | Script = "",
    *,
    title: str = "",
    author: str = "",
    description: str = "",
    hash_every: int = HASH_EVERY,
    sync: dict[str, int | str] | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> RunOutcome:
    """Record a run without a person: equal arguments give equal files.

    path         file to create
    machine      is reset to power-on
    frames       1 or more
    script       text for `parse_script`, or its result
    on_progress  called with the number of frames recorded so far
    Returns      the machine's last result; its reason is not "frames" if the program ended or failed before
    Errors       TapeError; ValueError for frames, script steps after the end, unknown devices
    """
    steps = _checked_steps(machine, frames, script)
    machine.reset()
    with Recorder(
        path, machine, title=title, author=author, description=description, hash_every=hash_every, sync=sync, live=False
    ) as recorder:
        return _record_steps(recorder, frames, steps, on_progress)


def continue_script(
    tape: Tape,
    machine: PlayableMachine,
    frames: int,
    script: str | Script = "",
    *,
    on_progress: Callable[[int], None] | None = None,
) -> RunOutcome | None:
    """Go on with an interrupted recording, so that it ends as if nothing had happened.

    tape         interrupted; its file is appended to
    machine      has just played the tape to its end
    frames       of the whole recording
    script       of the whole recording; the steps that the tape has already are left out
    on_progress  called with the number of frames recorded so far
    Returns      the machine's last result, as `record_script`; None if the tape has all frames already
    Errors       as `record_script` and `Recorder.resume`
    """
    steps = [step for step in _checked_steps(machine, frames, script) if step[0] >= tape.frames]
    with Recorder.resume(tape, machine, live=False) as recorder:
        return _record_steps(recorder, frames, steps, on_progress) if tape.frames < frames else None


def _checked_steps(machine: PlayableMachine, frames: int, script: str | Script) -> list[tuple[int, Mapping[str, int]]]:
    """Return the steps of a script. Errors: ValueError for frames, steps after the end, unknown devices or states."""
    if frames < 1:
        raise ValueError(f"frames is {frames}, allowed 1 or more")
    steps = list(parse_script(script) if isinstance(script, str) else script)
    late = [frame for frame, _ in steps if not 0 <= frame < frames]
    if late:
        raise ValueError(f"input step of frame {late[0]} is not in the recorded frames 0..{frames - 1}")
    for _, states in steps:
        for device, value in states.items():
            machine.set_input(device, value)  # refuses what it does not know, before a file exists
    return steps


def _record_steps(
    recorder: Recorder, frames: int, steps: Script, on_progress: Callable[[int], None] | None
) -> RunOutcome:
    """Record up to a number of frames, with the inputs of the steps."""
    machine = recorder.machine
    for frame, states in [*steps, (frames, {})]:
        if frame > machine.frame_number:
            result = recorder.run(frame - machine.frame_number, on_progress)
            if result.reason != "frames":
                break
        for device, value in states.items():
            recorder.set_input(device, value)
    return result
