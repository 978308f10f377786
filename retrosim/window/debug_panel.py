"""The debugger of the window: what its commands do, and what it remembers. `debug_view` draws it.

While it is open, it runs the machine in place of the session, through `machine.debugger`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from retrosim.console import commands
from retrosim.console.session import Session
from retrosim.console.stopping import command_of
from retrosim.console.target import Target
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.errors import RetrosimError
from retrosim.machine.debug import views

from .controls import PAD, chord_name
from .debug_entry import Entry
from .debug_keys import BY_CHORD, debugger_help
from .debug_rows import instruction_after, instruction_before, sources_of
from .debug_running import HEX_BYTES, LONGEST_S, PANES, RunningPanel
from .debug_stopwatch import Stopwatch

if TYPE_CHECKING:
    from retrosim.machine import Machine
    from retrosim.machine.debug import Point
    from retrosim.tape.play import Player


WIDTHS = (16, 32, 64, 128, 160, 256, 320, 384, 512, 640)
"""Pixels in a row of the memory that can be chosen."""
LOG_LINES = 200
PROMPTS = {"goto": "code at", "memory": "memory at", "watch": "watch", "command": "command"}
GO = ("continue", "c")  # commands that let the machine run at its own pace


class DebugPanel(RunningPanel):
    """A debugger of a machine; see `Panel`, `RunningPanel`.

    pad     Callable[[], int]  what is pressed of the machine's own keys
    player  Player or None     the tape that the machine plays

    entry       text that is being typed
    session     carries out commands of the terminal's debugger; its watch list is the panel's
    log         what they have said
    """

    title = "DEBUGGER"

    def __init__(
        self,
        machine: Machine,
        pad: Callable[[], int],
        player: Player | None = None,
        watched: list[str] | None = None,
        points: list[str] | None = None,
    ) -> None:
        super().__init__(machine, pad, player)
        self.texts = sources_of(machine)
        self.shows_pixels, self.width = False, 640
        self.stopwatch: Stopwatch | None = None
        self.entry = Entry()
        self.log: deque[str] = deque(maxlen=LOG_LINES)
        self.session = Session(Target(machine, player), left_out=("quit",))
        self.session.displays.update(enumerate(watched or [], 1))
        self._kept_watched = watched
        for line in (points or []) if self._is_first else []:
            commands.answer(self.session, line)

    @property
    def watched(self) -> list[str]:
        """The watched expressions."""
        return list(self.session.displays.values())

    @property
    def points(self) -> list[Point]:
        """All points but the stopwatch's."""
        return [point for point in self.debugger.points if point.kind != "hook"]

    def breakpoint_at(self, address: int) -> Point | None:
        """Return the breakpoint of an instruction."""
        found = (p for p in self.points if p.kind == "breakpoint" and address in p.addresses)
        return next(found, None)

    # commands

    def do(self, action: str, argument: int | str = 0) -> None:
        """Carry out a command of `debug_keys`, or of a zone; what is refused becomes the message."""
        try:
            getattr(self, f"_do_{action}")(argument)
        except (RetrosimError, ValueError) as error:
            self.message = str(error)

    def _do_go(self, _: int) -> None:
        if self.is_running:
            self._stopped(replace(self.debugger.run(instructions=0), reason="stopped"))
        elif self._is_at_end_of_tape:
            self.message = f"the tape ends here, after {self.machine.frame_number:,} frames"
        else:
            self.is_running, self._periods_left = True, 0
            self.message = "running"
            self._remember()

    def _do_frame(self, _: int) -> None:
        self.is_running = False
        self._remember()
        if self.run_frame():
            self._stopped(replace(self.debugger.run(instructions=0), reason="stopped"))

    def _do_step(self, _: int) -> None:
        self._move(self.debugger.step)

    def _do_over(self, _: int) -> None:
        self._move(self.debugger.step_over)

    def _do_out(self, _: int) -> None:
        self._move(self.debugger.step_out)

    def _do_back_go(self, _: int) -> None:
        self._move(self.debugger.reverse_run)

    def _do_back_step(self, _: int) -> None:
        self._move(self.debugger.reverse_step)

    def _do_back_over(self, _: int) -> None:
        self._move(self.debugger.reverse_step_over)

    def _do_back_out(self, _: int) -> None:
        self._move(self.debugger.reverse_step_out)

    def _do_cursor(self, _: int) -> None:
        self._move(lambda: self.debugger.until(self.cursor))

    def _do_up(self, _: int) -> None:
        self.cursor = instruction_before(self.debugger, self.cursor)

    def _do_down(self, _: int) -> None:
        self.cursor = instruction_after(self.debugger, self.cursor)

    def _do_home(self, _: int) -> None:
        self.cursor = self.debugger.registers()["pc"]

    def _do_at(self, address: int) -> None:
        self.cursor = address

    def _do_breakpoint(self, _: int) -> None:
        self._do_toggle(self.cursor)

    def _do_toggle(self, address: int) -> None:
        point = self.breakpoint_at(address)
        if point is None:
            self.message = str(self.debugger.breakpoint(address))
        else:
            self._do_remove(point.number)

    def _do_remove(self, number: int) -> None:
        self.debugger.remove(number)
        self.message = f"point {number} removed"

    def _do_timer(self, _: int) -> None:
        """Start at the cursor; the second time, end there; the third time, take it away."""
        self.pane = "Timer"
        watch = self.stopwatch
        if watch is None:
            self.stopwatch = watch = Stopwatch(self.cursor)
            watch.points.append(self.debugger.hook(watch.start, watch.begin))
        elif watch.end < 0:
            watch.end = self.cursor
            watch.points.append(self.debugger.hook(watch.end, watch.finish))
        else:
            for point in watch.points:
                self.debugger.remove(point)
            self.stopwatch = None

    def _do_pane(self, name: int | str) -> None:
        self.pane = name if isinstance(name, str) else PANES[(PANES.index(self.pane) + 1) % len(PANES)]

    def _do_pixels(self, _: int) -> None:
        self.shows_pixels = not self.shows_pixels

    def _do_narrower(self, _: int) -> None:
        self.width = WIDTHS[max(0, WIDTHS.index(self.width) - 1)]

    def _do_wider(self, _: int) -> None:
        self.width = WIDTHS[min(len(WIDTHS) - 1, WIDTHS.index(self.width) + 1)]

    def _do_memory_up(self, _: int) -> None:
        self._scroll_memory(-8)

    def _do_memory_down(self, _: int) -> None:
        self._scroll_memory(8)

    def _scroll_memory(self, rows: int) -> None:
        self.memory = (self.memory + rows * (self.width if self.shows_pixels else HEX_BYTES)) & ADDRESS_MASK

    def _do_show(self, address: int) -> None:
        self.memory = address & ADDRESS_MASK

    def _do_unwatch(self, number: int) -> None:
        del self.session.displays[number]

    def _do_screen(self, _: int) -> None:
        self.shows_screen = not self.shows_screen

    def _do_debugger(self, _: int) -> None:
        self.is_closing = True

    def _do_goto(self, _: int) -> None:
        self.entry.begin("goto")

    def _do_memory(self, _: int) -> None:
        self.entry.begin("memory")

    def _do_watch(self, _: int) -> None:
        self.entry.begin("watch")

    def _do_command(self, _: int) -> None:
        self.entry.begin("command")

    def _do_entered(self, text: str) -> None:
        """Carry out what was asked for."""
        if self.entry.asks == "goto":
            self.cursor = self.debugger.resolve(text)
        elif self.entry.asks == "memory":
            self.memory = self.debugger.evaluate(text) & ADDRESS_MASK
        elif self.entry.asks == "watch":
            self._carry_out(f"display {text}")
        elif text in GO:
            self._do_go(0)
        else:
            self.pane = "Log"
            self._carry_out(text)

    def _carry_out(self, line: str) -> None:
        """Carry out a command of the terminal's debugger; one that runs for too long is stopped."""
        self.is_running = False
        self._press()
        self._remember()
        end, area = time.monotonic() + LONGEST_S, self.session.memory_area
        self.session.is_wanted = lambda: time.monotonic() > end
        self.log.append(f"> {line}")
        answer = commands.answer(self.session, line)
        self.log.extend(text.plain for text in answer.lines)
        if answer.has_moved:
            self.cursor = self.debugger.registers()["pc"]
            self._causes_before = views.counted_causes(self.machine)
        if self.session.memory_area not in (None, area):
            self.memory = self.session.memory_area[0]
        self.message = answer.lines[-1].plain if answer.lines else ""

    # keyboard and mouse

    def key(self, key: str, *, ctrl: bool = False, alt: bool = False, shift: bool = False) -> bool:
        """Handle a key that went down; return whether it was the panel's. While the machine runs, it has its keys."""
        if self.entry.text is not None:
            if text := self.entry.key(key):
                self.do("entered", text)
            return not (ctrl or alt)
        if key in PAD and self.is_running:
            return False
        action = BY_CHORD.get(chord_name(key, ctrl=ctrl, alt=alt, shift=shift))
        if action is not None:
            self.do(action)
            self.entry.skip_letter()
        return action is not None

    def text(self, text: str) -> bool:
        """Handle typed text; return whether it was the panel's."""
        return self.entry.write(text)

    def scroll(self, y: float, rows: int) -> None:
        """Handle the wheel: of the code above, of the memory below. y: pixels of the panel; rows: downwards."""
        from .debug_view import MEMORY_TOP

        if y >= MEMORY_TOP:
            self._scroll_memory(rows)
        else:
            for _ in range(min(8, abs(rows))):
                self.do("down" if rows > 0 else "up")

    def draw(self) -> np.ndarray:
        from .debug_view import draw_debugger

        return draw_debugger(self)

    def help(self) -> list[tuple[str, str]]:
        return debugger_help()

    def close(self) -> list[str]:
        """Take the debugger off the machine if it was the panel's alone; return commands that make its points again."""
        if self._kept_watched is not None:
            self._kept_watched[:] = self.watched
        if not self._is_first:
            for hook in self.stopwatch.points if self.stopwatch else []:
                self.debugger.remove(hook)
            return []
        kept = [command_of(point) for point in self.points]
        self.debugger.release()
        return kept
