"""What the window does with a machine, without the window itself: carries out commands, tells what to show.

Every command is either `do` (once) or `hold` (while a key or button is down).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from retrosim.errors import RetrosimError
from retrosim.machine.headless import picture_of
from retrosim.machine.interface import AnyMachine, SimulatedMachine, has_cpu
from retrosim.machine.state_file import MAX_STATE_BYTES
from retrosim.reading import read_file
from retrosim.report.files import write_whole
from retrosim.screen.overlay import View
from retrosim.screen.png import png_bytes
from retrosim.screen.shapes import Shapes
from retrosim.tape.play import Player
from retrosim.tape.record import Recorder

from .chrome import LastCheck, Readings, speed_text
from .pacer import IDLE_NS, SPEEDS
from .pad import Pad
from .seek import Seek
from .transport import Transport

if TYPE_CHECKING:
    from .panel import Panel


# Names, writes and finds the files that the window makes: with date and time in the name, never overwritten.


def write_stamped(folder: Path, stem: str, suffix: str, content: bytes, *, now: datetime | None = None) -> Path:
    """Write a new file "stem-19940621-120000.suffix" and return its path; if it exists, "-2", "-3", ... is added.

    folder   created if it does not exist
    now      host time for the name; default: the present
    Errors   RetrosimError  folder or file cannot be created or written; then no part of the file stays
    """
    stamp = f"{now or datetime.now():%Y%m%d-%H%M%S}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            path = folder / f"{stem}-{stamp}{f'-{number}' if number > 1 else ''}{suffix}"
            with suppress(FileExistsError):
                write_whole(path, content, overwrite=False)
                break
    except OSError as error:
        raise RetrosimError(f"{folder}: no file can be created in it: {error.strerror or error}") from error
    return path


def newest_file(folder: Path, stem: str, suffix: str) -> Path | None:
    """Return the most recent of the files that `write_stamped` made for a stem, None if there is none."""
    found = [path for path in folder.glob(f"{stem}-*{suffix}") if path.is_file()]
    return max(found, key=lambda path: (path.stat().st_mtime_ns, path.name), default=None)


def home_short(path: Path) -> str:
    """Return a path as text, with "~" for the user's home folder."""
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


# Opens what stands in place of the picture: the debugger, and the walk through a check.


def open_panel(session: Session, title: str) -> Panel | None:
    """Open a panel of a session by its title, or say why it cannot be."""
    machine = session.machine
    if not has_cpu(machine):
        session.say(f"{machine.name} has no CPU, so there is no machine code to look into")
        return None
    from retrosim.machine.machine import Machine

    from .debugger.panel import DebugPanel
    from .walk.panel import WalkPanel

    if not isinstance(machine, Machine):
        session.say(f"{machine.name} has no debugger")
        return None
    session.close()
    session.release_all()
    if title == WalkPanel.title:
        return WalkPanel(machine, session.pad, session.player)
    return DebugPanel(machine, session.pad, session.player, session.watched, session.breakpoints)


# What the window shows of a session: the lines of its status bar, the buttons that are on, the shapes.

MESSAGE_NS = 4_000_000_000
"""How long a message stays."""
KEYS_HINT = "press ? for the keys"
LONG_FRAME_S = 2
"""Simulated seconds after which a frame that has not ended is told of."""
COMPILING = f"compiling the program in the background; it will run faster   {KEYS_HINT}"


def next_instruction(machine: SimulatedMachine) -> str:
    """Return address, code, listing and source line of the instruction that a machine executes next."""
    pc = machine.regs["pc"]
    line = machine.image.source_line(pc)
    return f"next {machine.listing(pc, 1)[0]}" + (f"  ({line[0]}:{line[1]})" if line else "")


RUNNING_ACTIONS = (
    *("pause", "frame", "instruction", "reset", "record", "load", "rewind", "fast", "debugger", "walk"),
    *("seek", "jump", "ends", "mark"),
)
"""What a debugger does in place of the window as long as it controls the machine."""
PANEL_ACTIONS = {"pause": "go", "frame": "frame", "instruction": "step"}
"""Of these the ones that a panel carries out -> its command."""

History = list[tuple[int, dict[str, int]]]
MakeRecorder = Callable[[AnyMachine, History | None], Recorder]
"""Starts a tape of a machine between two frames. The history is the inputs of its frames since power-on, (frame, device
states) where they changed; None after a state was loaded: the tape then starts from the present state."""


class Session:
    """One machine in use.

    folder    Callable[[str], Path]  folder for files of a kind ("states", "shots")
    clock     Callable[[], int]      host nanoseconds
    recorder  MakeRecorder or None   starts a recording
    player    Player or None         replays a tape on the machine, which then does not get the keyboard's input
    """

    def __init__(
        self,
        machine: AnyMachine,
        *,
        folder: Callable[[str], Path],
        clock: Callable[[], int] = time.perf_counter_ns,
        recorder: MakeRecorder | None = None,
        player: Player | None = None,
    ) -> None:
        self.machine, self.clock, self.player = machine, clock, player
        self.program = machine.rom.name if machine.rom else "program"  # an image of the user's own has no manifest
        self._has_pad = machine.rom is None or "pad" in machine.rom.inputs
        self.pad = Pad()
        self.view = View()
        self.shows_help = False  # then nothing runs
        self.is_ending = False  # the user has asked to quit
        self._leaves_until = 0
        self.shows_metrics = True
        self.recording: Recorder | None = None
        self.held: set[str] = set()
        self.panel: Panel | None = None  # runs the machine in place of this session while it is open
        self.watched: list[str] = []
        self.breakpoints: list[str] = []
        self.began = clock()  # when the user began to wait for a picture
        self._is_starting = True
        self.controller = ""  # what runs the machine in place of this session: "gdb"
        self._folder, self._make_recorder = folder, recorder
        self._message, self._message_until = "", 0
        self._shapes: tuple[tuple[int, int], Shapes | None] | None = None
        self._past = 0  # counts resets, loads and rewinds, because a frame number alone does not identify a world
        self._last_check = LastCheck()
        self.transport = Transport(machine, clock, self._inputs, self._after_frame)
        self.seek = Seek(self.transport, player, self._went_back) if player is not None else None

    @property
    def title(self) -> str:
        """What runs: the program and the machine, after the tape's name if one is replayed."""
        tape = f"{self.player.tape.name}: " if self.player is not None else ""
        return f"{tape}{self.program} on {self.machine.name}"

    @property
    def is_starting(self) -> bool:
        """Is there no picture yet, because the program goes on with its first frame and has drawn nothing?"""
        if self._is_starting:
            frame = self.machine.frame
            self._is_starting = not self.machine.frame_number and bool((frame == frame[0, 0]).all())
        is_stopped = self.transport.is_paused or self.transport.halted
        return self._is_starting and not (is_stopped or self.controller or self.panel is not None)

    @property
    def starting(self) -> str:
        """What the machine does as long as there is no picture."""
        seconds = float(self.transport.tick / self.machine.frame_hz)
        meanwhile = "; it is being compiled" if self.machine.is_compiling else ""
        return f"the program has drawn nothing in {seconds:.1f} s of its time{meanwhile}"

    def advance(self) -> bool:
        """Run what is due; return whether the picture or the metrics changed."""
        if self.controller:
            return True
        if self.shows_help:
            self.transport.pacer.restart(self.clock())
            return False
        if self.panel is not None:
            return self.panel.advance(self.transport.pacer.due(self.clock()), self.clock)
        if self.seek is not None and self.seek.advance():
            return True
        if "rewind" not in self.held:
            return self.transport.advance("fast" if "fast" in self.held else "run")
        changed = self.transport.advance("rewind")
        if changed:
            self._past += 1
            if self.player is not None:
                self.player.rewound()
        elif self.machine.frame_number == self.transport.rewind.first_frame:
            self.say(f"cannot rewind further: frame {self.machine.frame_number:,} is the earliest one saved")
        return changed

    def wait_ns(self) -> int:
        """Return the nanoseconds until `advance` should be called again."""
        if self.shows_help:
            return IDLE_NS
        is_seeking = self.seek is not None and self.seek.target is not None
        if is_seeking or ("fast" in self.held and not self.transport.halted):
            return 0
        return min(IDLE_NS, self.transport.pacer.wait_ns(self.clock()))

    def _inputs(self, frame: int) -> dict[str, int] | None:
        if self.player is not None:
            return self.player.inputs(frame)
        inputs = {"pad": self.pad.word(frame)} if self._has_pad else {}
        if self.recording is not None:
            for device, value in inputs.items():
                self._recorded(self.recording.set_input, device, value)
        return inputs

    def _after_frame(self) -> None:
        if self.recording is not None:
            self._recorded(self.recording.on_frame)
        if self.player is not None:
            had_diverged = bool(self.diverged)
            self.player.compare()
            if self.diverged and not had_diverged:
                self.held.discard("fast")
                self.transport.pause(True)
                if self.seek is not None:
                    self.seek.marks.add(self.machine.frame_number)

    def _recorded(self, write: Callable[..., None], *arguments: object) -> None:
        """Write to the tape; if that fails, the machine goes on without."""
        try:
            write(*arguments)
        except RetrosimError as error:
            self.recording = None
            self.say(f"recording stopped: {error}")

    # Commands

    def do(self, action: str, argument: int = 0) -> bool:
        """Carry out an action of the control table; a failure becomes a message.

        Returns  whether the session has this action
        """
        if self._is_controlled(action):
            return True
        method = getattr(self, f"_do_{action}", None)
        if method is None:
            return False
        try:
            method(argument)
        except (RetrosimError, ValueError) as error:  # a ValueError: the recorder refuses this machine
            self.say(str(error))
        return True

    def hold(self, action: str, is_down: bool) -> None:
        """Begin or end an action that lasts while a key or button is down: "rewind" or "fast"."""
        if is_down and self._is_controlled(action):
            return
        if is_down == (action in self.held) or (is_down and action == "rewind" and self._is_refused("rewind")):
            return
        self.held ^= {action}
        self.transport.pacer.restart(self.clock())

    def press(self, bit: int, is_down: bool) -> None:
        """Set or clear a bit of the input word, as `Pad` does."""
        self.pad.press(bit, is_down)

    def release_all(self) -> None:
        """Release every key: the window lost the keyboard focus."""
        self.pad.release_all()
        for action in tuple(self.held):
            self.hold(action, False)

    def control(self, controller: str) -> None:
        """Leave the machine to somebody else, or, with "", go on from where it is then."""
        if controller:
            self._close_panel()
            self.close()
            self.release_all()
        else:
            self._start_over()
            self.transport.pacer.restart(self.clock())
        self.controller = controller

    def _is_controlled(self, action: str) -> bool:
        if self.controller and action in RUNNING_ACTIONS:
            self.say(f"{self.controller} controls the machine")
            return True
        if self.panel is None or action not in RUNNING_ACTIONS:
            return False
        if action in PANEL_ACTIONS:
            self.panel.do(PANEL_ACTIONS[action])
            self.panel_acted()
        elif action.upper() == self.panel.title:
            self._close_panel()
        else:
            self.say(f"close the {self.panel.title.lower()} first (Esc)")
        return True

    def close(self) -> None:
        """Finish the recording, if there is one, so that its tape is complete."""
        if self.recording is not None:
            self.do("record")

    def _is_refused(self, what: str) -> bool:
        if self.recording is not None:
            self.say(f"cannot {what} while recording: stop the recording first (Ctrl+Shift+M)")
        return self.recording is not None

    def _do_pause(self, _: int) -> None:
        self._message_until = 0
        self.transport.pause(not self.transport.is_paused)
        if self.seek is not None and self.transport.is_paused:
            self.seek.marks.add(self.machine.frame_number)

    def _do_frame(self, _: int) -> None:
        self._message_until = 0
        self.transport.pause(True)
        if self.transport.run_on() and not self.transport.is_between_frames:
            self.say("this frame has not ended yet: press . to go on")

    def _do_instruction(self, _: int) -> None:
        self._message_until = 0
        self.transport.pause(True)
        if has_cpu(self.machine):
            self.transport.step()
        else:
            self.say(f"{self.machine.name} has no CPU, so there are no instructions to step through")

    def _went_back(self) -> None:
        self._past += 1

    def _sought(self, go: Callable[[Seek], None]) -> None:
        if self.seek is None:
            self.say("only a tape that is replayed has places to go to")
        else:
            go(self.seek)

    def _do_seek(self, frame: int) -> None:
        self._sought(lambda seek: seek.go(frame))

    def _do_jump(self, step: int) -> None:
        self._sought(lambda seek: seek.jump(step))

    def _do_ends(self, step: int) -> None:
        self._sought(lambda seek: seek.go(seek.first if step < 0 else seek.last))

    def _do_mark(self, step: int) -> None:
        self._sought(lambda seek: seek.to_mark(step))

    def _do_slower(self, _: int) -> None:
        self._set_speed(max(0, SPEEDS.index(self.transport.pacer.speed) - 1))

    def _do_faster(self, _: int) -> None:
        self._set_speed(min(len(SPEEDS) - 1, SPEEDS.index(self.transport.pacer.speed) + 1))

    def _do_normal(self, _: int) -> None:
        self._set_speed(SPEEDS.index(Fraction(1)))

    def _set_speed(self, index: int) -> None:
        self.transport.pacer.set_speed(SPEEDS[index], self.clock())
        self.say(f"speed {speed_text(SPEEDS[index])}")

    def _do_reset(self, _: int) -> None:
        if not self._is_refused("reset"):
            if self.player is not None:
                self.player.restart()
            else:
                self.machine.reset()
            self._start_over()
            start = "power-on" if self.player is None else "the tape's start"
            self.say(f"reset: the machine starts again from {start}")

    def _start_over(self) -> None:
        self.transport.start_over()
        self._past += 1

    def _do_record(self, _: int) -> None:
        if self.recording is not None:
            recording, self.recording = self.recording, None
            recording.close()
            self.say(f"recorded {home_short(recording.path)}")
        elif self.player is not None:
            self.say("cannot record while a tape is replayed")
        elif self._make_recorder is None:
            self.say("this window cannot record tapes")
        elif not self.transport.is_between_frames:
            self.say("recording starts between two frames: finish this one first (.)")
        else:
            self.recording = self._make_recorder(self.machine, self.transport.history)
            self.say(f"recording to {home_short(self.recording.path)}")

    def _stem(self, slot: int) -> str:
        return f"{self.program}-{self.machine.name}-slot{slot}"

    def _do_save(self, slot: int) -> None:
        path = write_stamped(self._folder("states"), self._stem(slot), ".state", self.machine.save())
        self.say(f"saved to slot {slot}: {home_short(path)}")

    def _do_load(self, slot: int) -> None:
        if self.player is not None:
            self.say("cannot load a state while a tape is replayed")
        elif not self._is_refused("load a state"):
            path = newest_file(self._folder("states"), self._stem(slot), ".state")
            if path is None:
                self.say(f"slot {slot} has no saved state of {self.program} on {self.machine.name}")
                return
            self.machine.load(read_file(path, MAX_STATE_BYTES))
            self._start_over()
            self.say(f"loaded from slot {slot}: {home_short(path)}")

    def _do_shot(self, _: int) -> None:
        machine = self.machine
        stem = f"{self.program}-{machine.name}-frame{machine.frame_number}"
        path = write_stamped(self._folder("shots"), stem, ".png", png_bytes(*picture_of(machine, self.view)))
        self.say(f"saved {home_short(path)}")

    def _do_collisions(self, _: int) -> None:
        """Show shapes and hits, then the tested pairs too, then nothing."""
        shapes, tested = self.view.shapes, self.view.tested
        self.view = replace(self.view, shapes=not tested, tested=shapes and not tested)

    def _do_debugger(self, _: int) -> None:
        self.panel = open_panel(self, "DEBUGGER")

    def _do_walk(self, _: int) -> None:
        self.panel = open_panel(self, "WALK")

    def panel_acted(self) -> None:
        """The debugger panel has carried out a command: close it if that was wanted, else go on from now."""
        if self.panel is not None and self.panel.is_closing:
            self._close_panel()
        self.transport.pacer.restart(self.clock())

    def _close_panel(self) -> None:
        if self.panel is None:
            return
        panel, self.panel = self.panel, None
        kept = panel.close()
        self.breakpoints = self.breakpoints if kept is None else kept
        if self.player is not None:
            self.player.rewound()
        self._start_over()

    def _do_metrics(self, _: int) -> None:
        self.shows_metrics = not self.shows_metrics

    def _do_help(self, _: int) -> None:
        self.shows_help = not self.shows_help

    def _do_leave(self, _: int) -> None:
        """Close what is on top; where nothing is, quit when that is asked for twice."""
        if self.shows_help:
            self.shows_help = False
        elif self.panel is not None:
            self._close_panel()
            self.transport.pacer.restart(self.clock())
        elif self.clock() < self._leaves_until:
            self.is_ending = True
        else:
            self._leaves_until = self.clock() + MESSAGE_NS
            self.say("Esc again quits (F11 leaves full screen)")

    def _do_grid(self, _: int) -> None:
        count = len(self.shapes.grids) if self.shapes is not None else 0
        following = 0 if self.view.grid is None else self.view.grid + 1
        self.view = replace(self.view, grid=following if following < count else None)
        if not count:
            self.say(f"{self.program} has no grid")

    def say(self, text: str) -> None:
        """Show a message for a few seconds."""
        self._message, self._message_until = text, self.clock() + MESSAGE_NS

    @property
    def diverged(self) -> str:
        """How the machine differs from the tape that is replayed, or ""."""
        return str(self.player.mismatch) if self.player is not None and self.player.mismatch else ""

    @property
    def shapes(self) -> Shapes | None:
        """What the program's routine tested in the last frame; None if that is not known."""
        key = (self.machine.frame_number, self._past)
        if self._shapes is None or self._shapes[0] != key:
            self._shapes = (key, self.machine.shapes())
        return self._shapes[1]

    def readings(self) -> Readings:
        """Return what the metrics are computed from."""
        cycles, instructions = self.transport.frame_cost
        return Readings(
            machine=self.machine.name,
            rom=self.program,
            frame=self.machine.frame_number,
            periods=self.transport.tick,
            period=self.machine.frame_period,
            cycles=cycles,
            instructions=instructions,
            period_cycles=self.transport.tick_cycles,
            shapes=self.shapes if self.shows_metrics else None,  # computing them takes time
            speed=self.transport.pacer.speed,
        )

    @property
    def active(self) -> set[str]:
        """Actions that are on or held down: their buttons are shown pressed."""
        on = {
            "pause": self.transport.is_paused if self.panel is None else not self.panel.is_running,
            "record": self.recording is not None,
            "collisions": self.view.shapes,
            "grid": self.view.grid is not None,
            "metrics": self.shows_metrics,
            **({self.panel.title.lower(): True} if self.panel is not None else {}),
            "help": self.shows_help,
        }
        return self.held | {action for action, is_on in on.items() if is_on}

    @property
    def state(self) -> tuple[str, bool]:
        """What the machine does, one word in capitals, and whether it has stopped."""
        if self.controller:
            return self.controller.upper(), False
        if self.shows_help:
            return "PAUSED", True
        if self.panel is not None:
            return (self.panel.title, False) if self.panel.is_running else (f"{self.panel.title}: STOPPED", True)
        if self.diverged:
            return "DIVERGED", True
        if "rewind" in self.held:
            return "REWIND", False
        if self.transport.halted:
            return "STOPPED", True
        if "fast" in self.held:
            return "FAST", False
        if self.transport.is_paused:
            return "PAUSED", True
        return ("REPLAY" if self.player is not None else "RUNNING"), False

    @property
    def message(self) -> str:
        """The line below the metrics: what was just done, why the machine stopped, or the next instruction."""
        if self.clock() < self._message_until:
            return self._message
        if self.diverged or self.transport.halted:
            return self.diverged or self.transport.halted
        if self.transport.is_paused and has_cpu(self.machine):
            return next_instruction(self.machine)
        frame_seconds = float(self.transport.frame_periods / self.machine.frame_hz)
        if frame_seconds >= LONG_FRAME_S and self.panel is None and not self.controller:
            frame = f"frame {self.machine.frame_number + 1:,} goes on: {frame_seconds:.0f} s of the machine's time"
            return f"{frame} so far   hold Tab to run as fast as this computer can"
        if self.machine.is_compiling:
            return COMPILING
        return f"{self.last_check}   {KEYS_HINT}" if self.last_check else KEYS_HINT

    @property
    def last_check(self) -> str:
        """What the last frame's check took, beside what was printed in 1994; "" without metrics or such a check.

        Not under a debugger: the check is made again, which would end its history.
        """
        is_debugged = self.panel is not None or self.controller
        if is_debugged or not self.shows_metrics or not self.transport.is_between_frames:
            return ""
        return self._last_check.text(self.machine, self.clock())
