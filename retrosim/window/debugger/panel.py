"""The debugger of the window: what its commands do, and what it remembers. `view` draws it.

While it is open, it runs the machine in place of the session, through `machine.debugger`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

from retrosim.console import commands, panes
from retrosim.console.commands import command_of
from retrosim.console.session import ConsoleSession
from retrosim.console.target import Target
from retrosim.cost.sources import line_of, source_texts
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.debug import Debugger, views
from retrosim.debug.conditions import symbol_text
from retrosim.machine.pieces import Turn
from retrosim.rom.toolchains import source_folders

from ..controls import DEBUGGER, PAD
from ..pad import Pad
from ..panel import Panel

if TYPE_CHECKING:
    from retrosim.debug import Point, Stop, Time
    from retrosim.machine import Machine
    from retrosim.tape.play import Player


# The code that the debugger panel shows: instructions, their functions, and the source text above them.

CLOCKS_WIDTH = 6  # characters


@dataclass(frozen=True)
class ListedRow:
    """A row of code: an instruction, or the name of a function or source text that stands above one."""

    text: str
    instruction: views.CodeRow | None = None
    is_name: bool = False


def sources_of(machine: Machine) -> dict[str, list[str]]:
    """Return the text of the program's source files, as far as they are found beside it or where it was built from."""
    folders = source_folders(machine.rom) if machine.rom else []
    return source_texts({file for _, file, _ in machine.image.lines}, [*folders, Path()])


def code_rows(debugger: Debugger, texts: Mapping[str, Sequence[str]], cursor: int, count: int) -> list[ListedRow]:
    """Return rows of code, the instruction at `cursor` in the middle where there is enough before it.

    texts   of source files
    count   rows
    """
    rows: list[ListedRow] = []
    line: tuple[str | None, int | None] = (None, None)
    machine, middle, decoder = debugger.machine, 0, views.Decoder(debugger.machine)
    for each in views.code(debugger, cursor, count, count // 2):
        if each.is_entry:
            rows.append(ListedRow(f"{each.symbol}:", is_name=True))
        here = (each.file, each.line)
        if each.file and here != line:
            name = f"{each.file.rpartition('/')[2]}:{each.line}"
            rows.append(ListedRow(f"{name}  {line_of(texts, *here) or ''}".rstrip()))
        line = here
        if each.address == cursor:
            middle = len(rows)
        insn = decoder.at(each.address)
        target = symbol_text(machine.image, insn.target) if insn and insn.target is not None else ""
        to = f"  ; {target}" if target else ""
        rows.append(ListedRow(f"{each.address:06X} {each.clocks:>{CLOCKS_WIDTH}}  {each.text.lower()}{to}", each))
    first = max(0, middle - count // 2)
    return rows[first : first + count]


# The part of the debugger panel that runs the machine, and remembers what it was before.

PANES = ("Stack", "Points", "Timer", "Hottest", "Causes", "Log")
MEMORY_TOP = 310  # of the memory, pixels from the top of the panel
HEX_BYTES, MAX_ROWS = views.MEMORY_ROW, 16
CALL_PERIODS = 8
"""Periods after which a frame that has not ended is interrupted."""
LONGEST_S = 3.0
"""Host time after which a command that has not stopped by itself is interrupted, forwards and back."""


# The line of text that is typed into the debugger panel.

LONGEST = 200  # characters
ENTER = ("RETURN", "ENTER", "NUM_ENTER")


class InputLine:
    """What is being typed.

    text    None if nothing is
    asks    the command that it is for
    """

    def __init__(self) -> None:
        self.text: str | None = None
        self.asks = ""
        self._skips_letter = False
        self._before: dict[str, str] = {}  # command -> what was typed for it last

    def begin(self, asks: str) -> None:
        """Ask for text."""
        self.text, self.asks, self._skips_letter = "", asks, False

    def skip_letter(self) -> None:
        """The letter of the key that asked for text is none of it; it comes next, if at all."""
        self._skips_letter = self.text is not None

    def key(self, key: str) -> str | None:
        """Handle a key while something is typed: return the text when it is complete, "" when it was given up."""
        self._skips_letter = False
        if key in ENTER:
            text, self.text = (self.text or "").strip(), None
            self._before[self.asks] = text or self._before.get(self.asks, "")
            return text
        if key == "ESCAPE":
            self.text = None
            return ""
        if key == "BACKSPACE":
            self.text = (self.text or "")[:-1]
        elif key == "UP":
            self.text = self._before.get(self.asks, "")
        return None

    def write(self, text: str) -> bool:
        """Handle typed text; return whether it was for this line."""
        skips, self._skips_letter = self._skips_letter, False
        if self.text is None:
            return False
        if not skips and text.isprintable():
            self.text = (self.text + text)[:LONGEST]
        return True


# The stopwatch of the debugger panel: clocks from one instruction to another.


class Stopwatch:
    """Counts clocks from when one instruction is reached to when another one is; `points` are its hooks."""

    def __init__(self, start: int) -> None:
        self.start, self.end = start, -1
        self.points: list[Point] = []
        self.count = self.total = self.last = self.minimum = self.maximum = 0
        self._began: int | None = None

    def begin(self, machine: Machine) -> None:
        """The first instruction is reached."""
        self._began = machine.cycles

    def finish(self, machine: Machine) -> None:
        """The other one is reached."""
        if self._began is None or machine.cycles < self._began:
            return
        self.last, self._began = machine.cycles - self._began, None
        self.minimum = min(self.minimum, self.last) if self.count else self.last
        self.maximum = max(self.maximum, self.last)
        self.count, self.total = self.count + 1, self.total + self.last


MOVES = {
    "step": Debugger.step,
    "over": Debugger.step_over,
    "out": Debugger.step_out,
    "back_go": Debugger.reverse_run,
    "back_step": Debugger.reverse_step,
    "back_over": Debugger.reverse_step_over,
    "back_out": Debugger.reverse_step_out,
}
"""Commands that move the machine -> what carries them out."""
PROMPTS = {"goto": "code at", "memory": "memory at", "watch": "watch", "command": "command"}
"""Commands that ask for a text -> what stands before it."""
WIDTHS = (16, 32, 64, 128, 160, 256, 320, 384, 512, 640)
"""Pixels in a row of the memory that can be chosen."""
LOG_LINES = 200
GO = ("continue", "c")  # commands that let the machine run at its own pace


class DebugPanel(Panel):
    """A debugger of a machine; see `Panel`.

    cursor   address in the code
    memory   address of the memory that is shown
    before   registers at the last stop
    message  how the machine stopped, or what went wrong
    pane     the small view that is shown
    causes   of the clocks of the last frame

    pad     Pad             what is pressed of the machine's own keys
    player  Player or None  the tape that the machine plays

    entry       text that is being typed
    session     carries out commands of the terminal's debugger; its watch list is the panel's
    log         what they have said
    """

    title, commands = "DEBUGGER", DEBUGGER

    def __init__(
        self,
        machine: Machine,
        pad: Pad,
        player: Player | None = None,
        watched: list[str] | None = None,
        points: list[str] | None = None,
    ) -> None:
        super().__init__(machine, pad, player)
        self.message = "stopped by the debugger; ? shows the keys"
        self.before = self.debugger.registers()
        self.cursor = self.before["pc"]
        self.memory = self._first_address()
        self._remember()
        self.pane = PANES[0]
        self._hottest: tuple[tuple[Time, Time], list[panes.PaneLine]] | None = None
        self.causes: list[panes.PaneLine] = []
        self._causes_before = views.counted_causes(machine)
        self._periods_left = 0
        self.texts = sources_of(machine)
        self.shows_pixels, self.width = False, 640
        self.stopwatch: Stopwatch | None = None
        self.entry = InputLine()
        self.log: deque[str] = deque(maxlen=LOG_LINES)
        self.session = ConsoleSession(Target(machine, player), left_out=("quit",))
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
        return [point for point in self.debugger.points if not point.acts]

    def breakpoint_at(self, address: int) -> Point | None:
        """Return the breakpoint of an instruction."""
        return next((point for point in self.points if address in point.marks), None)

    # commands

    def _act(self, action: str, argument: int | str) -> None:
        if action in MOVES:
            self._move(lambda: MOVES[action](self.debugger))
        elif action in PROMPTS:
            self.entry.begin(action)
        else:
            super()._act(action, argument)

    def _do_go(self, _: int) -> None:
        if self.is_running:
            self._stopped(replace(self.debugger.run(instructions=0), reason="stopped"))
        elif self._is_at_end_of_tape:
            self.message = f"the tape ends here, after {self.machine.frame_number:,} frames"
        else:
            self._mark()
            self.is_running, self._periods_left = True, 0
            self.message = "running"

    def _do_frame(self, _: int) -> None:
        self.is_running = False
        self._mark()
        if self.run_frame():
            self._stopped(replace(self.debugger.run(instructions=0), reason="stopped"))

    def _do_cursor(self, _: int) -> None:
        self._move(lambda: self.debugger.until(self.cursor))

    def _do_up(self, _: int) -> None:
        before = views.Decoder(self.machine).before(self.cursor, 1)
        self.cursor = before[0][0] if before else self.cursor

    def _do_down(self, _: int) -> None:
        self.cursor = views.Decoder(self.machine).following(self.cursor, 2)[-1][0]

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
        self._set_alarm()
        area = self.session.memory_area
        self.log.append(f"> {line}")
        answer = commands.answer(self.session, line)
        self.log.extend(text.plain for text in answer.lines)
        if answer.has_moved:
            self.cursor = self.debugger.registers()["pc"]
            self._causes_before = views.counted_causes(self.machine)
        if self.session.memory_area not in (None, area):
            self.memory = self.session.memory_area[0]
        self.message = answer.lines[-1].plain if answer.lines else ""

    def _set_alarm(self) -> None:
        """What the session does now is stopped when it runs for too long."""
        end = time.monotonic() + LONGEST_S
        self.session.is_wanted = lambda: time.monotonic() > end

    def hottest(self) -> list[panes.PaneLine]:
        """Return the functions in which the clocks since the last stop went; they are counted once for each stop."""
        stretch = self.session.started, self.debugger.time
        if self._hottest is None or self._hottest[0] != stretch:
            self._set_alarm()
            self._hottest = stretch, panes.hottest(self.session)
        return self._hottest[1]

    # keyboard and mouse

    def key(self, key: str, *, ctrl: bool = False, alt: bool = False, shift: bool = False) -> bool:
        """Handle a key that went down; return whether it was the panel's. While the machine runs, it has its keys."""
        if self.entry.text is not None:
            if text := self.entry.key(key):
                self.do("entered", text)
            return not (ctrl or alt)
        if key in PAD and self.is_running:
            return False
        is_ours = super().key(key, ctrl=ctrl, alt=alt, shift=shift)
        if is_ours:
            self.entry.skip_letter()
        return is_ours

    def text(self, text: str) -> bool:
        """Handle typed text; return whether it was the panel's."""
        return self.entry.write(text)

    def scroll(self, y: float, rows: int) -> None:
        """Handle the wheel: of the code above, of the memory below. y: pixels of the panel; rows: downwards."""
        if y >= MEMORY_TOP:
            self._scroll_memory(rows)
        else:
            for _ in range(min(8, abs(rows))):
                self.do("down" if rows > 0 else "up")

    def close(self) -> list[str]:
        """Take the debugger off the machine if it was the panel's alone; return commands that make its points again."""
        if self._kept_watched is not None:
            self._kept_watched[:] = self.watched
        if not self._is_first:
            for hook in self.stopwatch.points if self.stopwatch else []:
                self.debugger.remove(hook)
            return []
        kept = [command_of(point) for point in self.points if point.command]
        self.debugger.release()
        return kept

    def _first_address(self) -> int:
        stack = [value for name, value in self.before.items() if name in ("a7", "esp", "r1")]
        return (stack[0] if stack else 0) & ADDRESS_MASK & ~(HEX_BYTES - 1)

    def memory_rows(self, count: int) -> list[views.MemoryRow]:
        """Return rows of memory; what has changed since the last stop is marked as long as the place is the same."""
        (place, old), size = self._memory_before, min(count, MAX_ROWS) * HEX_BYTES
        return views.memory(self.debugger, self.memory, size, old[:size] if place == self.memory else None)

    def _remember(self) -> None:
        """Remember what changes are marked against."""
        self.before = self.debugger.registers()
        self._memory_before = self.memory, self.debugger.read(self.memory, HEX_BYTES * MAX_ROWS)

    def _mark(self) -> None:
        """The machine is about to move: remember where it stands."""
        self._remember()
        self.session.mark()

    def advance(self, due: int, clock: Callable[[], int] = time.perf_counter_ns) -> bool:
        """Run so many periods of the frame clock, if the machine runs; return whether anything changed."""
        if not self.is_running:
            return False
        turn = Turn(clock)
        for _ in range(due):
            if self._periods_left > 0:
                self._periods_left -= 1
                continue
            if not self.run_frame() or turn.is_over:
                break
        return due > 0

    def run_frame(self) -> bool:
        """Run to the end of a frame; False if the machine stopped."""
        self._press()
        tick, period = self.machine.retraces, int(self.machine.clock_hz / self.machine.frame_hz)
        stop = None
        for _ in range(CALL_PERIODS):
            stop = self.debugger.run(frames=1, clocks=period)
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

    def _note_causes(self) -> None:
        if self.machine.timing == "causes":
            self.causes = panes.causes(self.machine, self._causes_before)
        self._causes_before = views.counted_causes(self.machine)

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
        self._mark()
        timer = Timer(LONGEST_S, self.debugger.interrupt)
        timer.start()
        try:
            stop = move()
        finally:
            timer.cancel()
        self._stopped(stop)
        self._causes_before = views.counted_causes(self.machine)
