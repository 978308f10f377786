"""The debugger of the window: what its commands do, and what it remembers. `debug_view` draws it.

While it is open, it runs the machine in place of the session, through `machine.debugger`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from threading import Timer
from typing import TYPE_CHECKING

import numpy as np

from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.errors import RetrosimError
from retrosim.machine.debug import views

from .controls import PAD, chord_name
from .debug_keys import BY_CHORD, debugger_help
from .debug_rows import instruction_after, instruction_before, sources_of
from .debug_stopwatch import Stopwatch
from .panel import Panel

if TYPE_CHECKING:
    from retrosim.machine import Machine
    from retrosim.machine.debug import Point, Stop
    from retrosim.tape.play import Player


PANES = ("Stack", "Points", "Timer", "Hottest", "Causes")
WIDTHS = (16, 32, 64, 128, 160, 256, 320, 384, 512, 640)
"""Pixels in a row of the memory that can be chosen."""
HEX_BYTES, MAX_ROWS = views.MEMORY_ROW, 16
HOT_PIECES, HOT_SAMPLES = 16, 4096
"""Looks at the program counter in a period of the frame clock, and how many of them are kept."""
CALL_PERIODS = 8
"""Periods after which a frame that has not ended is interrupted."""
LONGEST_S = 3.0
"""Host time after which a command that has not stopped by itself is interrupted."""
TURN_NS = 25_000_000
LONGEST_ENTRY = 60  # characters
PROMPTS = {"goto": "code at", "memory": "memory at", "watch": "watch"}


class DebugPanel(Panel):
    """A debugger of a machine; see `Panel`.

    pad     Callable[[], int]  what is pressed of the machine's own keys
    player  Player or None     the tape that the machine plays

    cursor      address in the code
    before      registers at the last stop
    message     how the machine stopped, or what went wrong
    entry       text that is being typed, None if none is; `asks` is the command that it is for
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
        self.message = "stopped by the debugger; ? shows the keys"
        self.before = self.debugger.registers()
        self.cursor = self.before["pc"]
        self.memory, self.shows_pixels, self.width = self._first_address(), False, 640
        self._remember()
        self.watched = [] if watched is None else watched
        self.pane = PANES[0]
        self.stopwatch: Stopwatch | None = None
        self.samples: deque[str] = deque(maxlen=HOT_SAMPLES)
        self.causes: dict[str, int] = {}
        self._causes_before = self._counted_causes()
        self.entry: str | None = None
        self.asks = ""
        self._skips_text = False
        self._periods_left = 0
        for where in (points or []) if self._is_first else []:
            self.debugger.breakpoint(where)

    def _first_address(self) -> int:
        stack = [value for name, value in self.before.items() if name in ("a7", "esp", "r1")]
        return (stack[0] if stack else 0) & ADDRESS_MASK & ~(HEX_BYTES - 1)

    @property
    def points(self) -> list[Point]:
        """All points but the stopwatch's."""
        return [point for point in self.debugger.points if point.kind != "hook"]

    def memory_rows(self, count: int) -> list[views.MemoryRow]:
        """Return rows of memory; what has changed since the last stop is marked as long as the place is the same."""
        (place, old), size = self._memory_before, min(count, MAX_ROWS) * HEX_BYTES
        return views.memory(self.debugger, self.memory, size, old[:size] if place == self.memory else None)

    def _remember(self) -> None:
        """Remember what changes are marked against."""
        self.before = self.debugger.registers()
        self._memory_before = self.memory, self.debugger.read(self.memory, HEX_BYTES * MAX_ROWS)

    def breakpoint_at(self, address: int) -> Point | None:
        """Return the breakpoint of an instruction."""
        found = (p for p in self.points if p.kind == "breakpoint" and address in p.addresses)
        return next(found, None)

    # running

    def advance(self, due: int, clock: Callable[[], int] = time.perf_counter_ns) -> bool:
        """Run so many periods of the frame clock, if the machine runs; return whether anything changed."""
        if not self.is_running:
            return False
        begun = clock()
        for _ in range(due):
            if self._periods_left > 0:
                self._periods_left -= 1
                continue
            if not self.run_frame() or clock() - begun > TURN_NS:
                break
        return due > 0

    def run_frame(self) -> bool:
        """Run to the end of a frame; False if the machine stopped."""
        self._press()
        tick, period = self.machine.retraces, int(self.machine.clock_hz / self.machine.frame_hz)
        looks = self.pane == "Hottest"
        stop = None
        for _ in range(CALL_PERIODS * (HOT_PIECES if looks else 1)):
            stop = self.debugger.run(frames=1, clocks=period // HOT_PIECES if looks else period)
            if looks:
                found = self.machine.image.symbol_at(stop.pc)
                self.samples.append(found[0] if found else "(outside all functions)")
            if stop.reason != "clocks":
                break
        assert stop is not None
        self._periods_left = self.machine.retraces - tick - 1
        if stop.reason == "frames":
            self._note_causes()
        if stop.reason in ("frames", "clocks") and not self._is_at_end_of_tape:
            return True
        self._stopped(stop)
        return False

    def _counted_causes(self) -> dict[str, int]:
        if self.machine.timing != "causes":
            return {}
        core = self.machine.core
        return dict(zip(core.cpu.causes, map(int, core.state["causes"])))

    def _note_causes(self) -> None:
        now = self._counted_causes()
        self.causes = {name: clocks - self._causes_before[name] for name, clocks in now.items()}
        self._causes_before = now

    def _stopped(self, stop: Stop) -> None:
        self.is_running = False
        self.cursor = stop.pc
        self.message = f"{stop}; {stop.fault}" if stop.fault else str(stop)
        if self._is_at_end_of_tape:
            self.message = f"the tape ends here; {self.message}"

    def _move(self, move: Callable[[], Stop]) -> None:
        """Carry out a command that stops by itself, or is stopped when it takes too long."""
        self.is_running = False
        self._press()
        self._remember()
        timer = Timer(LONGEST_S, self.debugger.interrupt)
        timer.start()
        try:
            stop = move()
        finally:
            timer.cancel()
        self._stopped(stop)
        self._causes_before = self._counted_causes()

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
        del self.watched[number]

    def _do_screen(self, _: int) -> None:
        self.shows_screen = not self.shows_screen

    def _do_debugger(self, _: int) -> None:
        self.is_closing = True

    def _ask(self, action: str) -> None:
        self.entry, self.asks, self._skips_text = "", action, True

    def _do_goto(self, _: int) -> None:
        self._ask("goto")

    def _do_memory(self, _: int) -> None:
        self._ask("memory")

    def _do_watch(self, _: int) -> None:
        self._ask("watch")

    def _entered(self, text: str) -> None:
        """Carry out what was asked for. Errors: ValueError."""
        if self.asks == "goto":
            self.cursor = self.debugger.resolve(text)
        elif self.asks == "memory":
            self.memory = self.debugger.evaluate(text) & ADDRESS_MASK
        else:
            self.debugger.evaluate(text)
            self.watched.append(text)

    # keyboard and mouse

    def key(self, key: str, *, ctrl: bool = False, alt: bool = False, shift: bool = False) -> bool:
        """Handle a key that went down; return whether it was the panel's. While the machine runs, it has its keys."""
        self._skips_text = False
        if self.entry is not None:
            return self._edit(key) or not (ctrl or alt)
        if key in PAD and self.is_running:
            return False
        action = BY_CHORD.get(chord_name(key, ctrl=ctrl, alt=alt, shift=shift))
        if action is not None:
            self.do(action)
        return action is not None

    def _edit(self, key: str) -> bool:
        assert self.entry is not None
        if key in ("RETURN", "ENTER", "NUM_ENTER"):
            text, self.entry = self.entry.strip(), None
            if text:
                try:
                    self._entered(text)
                except ValueError as error:
                    self.message = str(error)
        elif key == "ESCAPE":
            self.entry = None
        elif key == "BACKSPACE":
            self.entry = self.entry[:-1]
        else:
            return False
        return True

    def text(self, text: str) -> bool:
        """Handle typed text; return whether it was the panel's."""
        skips, self._skips_text = self._skips_text, False
        if self.entry is None:
            return False
        if not skips and text.isprintable():
            self.entry = (self.entry + text)[:LONGEST_ENTRY]
        return True

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
        """Take the debugger off the machine if it was the panel's alone; return the places of its breakpoints."""
        if not self._is_first:
            for hook in self.stopwatch.points if self.stopwatch else []:
                self.debugger.remove(hook)
            return []
        kept = [point.where for point in self.points if point.kind == "breakpoint"]
        self.debugger.release()
        return kept
