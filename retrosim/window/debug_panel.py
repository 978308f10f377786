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

from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.errors import RetrosimError
from retrosim.machine.debug import views

from .controls import PAD, chord_name
from .debug_keys import BY_CHORD
from .debug_rows import instruction_after, instruction_before, sources_of
from .debug_stopwatch import Stopwatch

if TYPE_CHECKING:
    from retrosim.machine import Machine
    from retrosim.machine.debug import Point, Stop
    from retrosim.tape.play import Player

    from .debug_view import Zone

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


class DebugPanel:
    """A debugger of a machine.

    pad     Callable[[], int]  what is pressed of the machine's own keys
    player  Player or None     the tape that the machine plays

    is_running  does the machine run at its own pace?
    cursor      address in the code
    before      registers at the last stop
    message     how the machine stopped, or what went wrong
    entry       text that is being typed, None if none is; `asks` is the command that it is for
    shows_screen  is the machine's picture to be seen in place of the panel?
    zones       where clicks do something, as drawn last
    """

    def __init__(
        self,
        machine: Machine,
        pad: Callable[[], int],
        player: Player | None = None,
        watched: list[str] | None = None,
        points: list[str] | None = None,
    ) -> None:
        self._is_first = "debugger" not in vars(machine)  # else somebody else debugs the machine too
        self.machine, self.debugger, self._player, self._pad = machine, machine.debugger, player, pad
        if player is not None:
            self.debugger.play(player)
        self._given: int | None = None
        self._has_pad = machine.rom is None or "pad" in machine.rom.inputs
        self.texts = sources_of(machine)
        self.is_running, self.is_closing = False, False
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
        self.shows_screen = False
        self._periods_left = 0
        self.zones: list[Zone] = []
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

    @property
    def _is_at_end_of_tape(self) -> bool:
        return self._player is not None and self.machine.frame_number >= self._player.tape.frames

    def _press(self) -> None:
        """Give the machine its keys; in the past, history has them."""
        is_present = self.debugger.time == self.debugger.end
        if self._player is None and self._has_pad and is_present and self._given != self._pad():
            self._given = self._pad()
            self.machine.set_input("pad", self._given)

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

    def click(self, x: float, y: float) -> None:
        """Handle a click on the panel; x, y: its pixels."""
        if self.shows_screen:
            self.do("screen")
            return
        for zone in reversed(self.zones):
            left, top, right, bottom = zone.rect
            if left <= x < right and top <= y < bottom:
                self.do(zone.action, zone.argument)
                return

    def scroll(self, y: float, rows: int) -> None:
        """Handle the wheel: of the code above, of the memory below. y: pixels of the panel; rows: downwards."""
        from .debug_view import MEMORY_TOP

        if y >= MEMORY_TOP:
            self._scroll_memory(rows)
        else:
            for _ in range(min(8, abs(rows))):
                self.do("down" if rows > 0 else "up")

    def close(self) -> list[str]:
        """Take the debugger off the machine if it was the panel's alone; return the places of its breakpoints."""
        if not self._is_first:
            for hook in self.stopwatch.points if self.stopwatch else []:
                self.debugger.remove(hook)
            return []
        kept = [point.where for point in self.points if point.kind == "breakpoint"]
        self.debugger.release()
        return kept
