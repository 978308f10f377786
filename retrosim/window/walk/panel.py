"""The walk through a collision check in the window: what its commands do. `view` draws it.

The machine stands at the moment that is shown: the debugger has taken it there.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from retrosim.debug.walk import Moment, Walk
from retrosim.machine.pieces import Turn
from retrosim.scenarios import load_walk

from ..controls import WALK
from ..debugger.panel import sources_of
from ..pad import Pad
from ..panel import Panel

if TYPE_CHECKING:
    from retrosim.debug import Stop
    from retrosim.machine import Machine
    from retrosim.tape.play import Player

PACES = tuple(Fraction(2) ** power for power in range(-2, 9))
"""Moments a second that can be chosen."""
SECOND_NS = 1_000_000_000
LAST_PERIODS = 8  # of the frame clock, in which a frame has to end when the walk is closed


GOES_ON = ("go", "backwards", "slower", "faster", "place")
"""Commands that do not stop a walk."""


class WalkPanel(Panel):
    """A check under way, one of its moments at a time; see `Panel`.

    walk      the check and its moments
    number    of the present moment; between two where instructions were stepped through
    done      how much of the check has been looked at, 0..1; commands wait until all of it is
    pace      moments a second
    is_backwards  does the walk go back?
    message   what cannot be done
    texts     of source files

    Errors    ValueError where the program's names do not tell its check, or it has none now
    """

    title, commands = "WALK", WALK

    def __init__(self, machine: Machine, pad: Pad, player: Player | None = None) -> None:
        super().__init__(machine, pad, player)
        self.texts = sources_of(machine)
        self.pace, self.is_backwards = Fraction(2), False
        self.number, self.done, self.message = 0, 0.0, ""
        self._passed: int | None = None
        self._lasts: dict[int, int] = {}
        try:
            self.walk = Walk(machine, load_walk(machine.rom.name if machine.rom else ""))
            self._to_check(self.walk.forward)
            if not self.walk.moments:
                raise ValueError(self.message)
        except ValueError:
            self.close()
            raise

    # looking

    @property
    def moment(self) -> Moment:
        """The last moment at or before the machine."""
        return self.walk.moments[self.number]

    @property
    def clocks(self) -> int:
        """Clocks of the check so far."""
        return self.machine.cycles - self.walk.start.clocks

    @property
    def all_clocks(self) -> int:
        """Clocks of the whole check."""
        return self.walk.end.clocks - self.walk.start.clocks

    def lasts(self) -> int:
        """Return the clocks from the present moment to the next one: the machine goes there and back."""
        if self.number not in self._lasts and self.number + 1 < len(self.walk.moments):
            here = self.debugger.time
            clocks = [self._clock_at(number) for number in (self.number, self.number + 1)]
            self.debugger.go_to(here)
            self._lasts[self.number] = clocks[1] - clocks[0]
        return self._lasts.get(self.number, 0)

    def _clock_at(self, number: int) -> int:
        self.debugger.go_to(self.walk.moments[number].instructions)
        return self.machine.cycles

    def count(self, level: str) -> int:
        """Return how many moments of a level the check has."""
        return sum(moment.level == level for moment in self.walk.moments)

    # walking

    def advance(self, due: int, clock: Callable[[], int] = time.perf_counter_ns) -> bool:
        """Look at the check, then walk if it is time; return whether anything changed. due: does not matter."""
        if not self.walk.is_complete:
            turn = Turn(clock)
            while not self.walk.is_complete and not turn.is_over:
                self.done = self.walk.look()
            if self.walk.is_complete:
                self._go(0)
            return True
        if not self.is_running:
            return False
        now = clock()
        if self._passed is None or now - self._passed > SECOND_NS + SECOND_NS / self.pace:
            self._passed = now  # it begins, or the window was away
        steps = int((now - self._passed) * self.pace / SECOND_NS)
        if steps:
            self._passed += int(steps * SECOND_NS / self.pace)
            self._go(self.number + (-steps if self.is_backwards else steps))
            if self.number in (0, len(self.walk.moments) - 1):
                self.is_running = False
        return steps > 0

    def _go(self, number: int) -> None:
        self.number = max(0, min(len(self.walk.moments) - 1, number))
        self.debugger.go_to(self.moment.instructions)

    def _to_check(self, get: Callable[[], Stop]) -> None:
        self._press()
        stop = get()
        if stop.reason == "breakpoint":
            self.number, self.done, self.message, self._lasts = 0, 0.0, "", {}
        elif stop.reason == "beginning":
            self.message = "the debugger's memory begins here: there is no earlier check"
        else:
            self.message = f"{self.walk.source.check} is not called any more ({stop.reason})"

    def _search(self, wanted: Callable[[Moment], bool], step: int, what: str) -> None:
        """Go to the nearest moment of a kind, before or after the present one."""
        moments, number = self.walk.moments, self.number
        is_behind = self.machine.instructions > self.moment.instructions
        number += step if step > 0 or not is_behind else 0
        while 0 <= number < len(moments) and not wanted(moments[number]):
            number += step
        if 0 <= number < len(moments):
            self._go(number)
        else:
            self.message = f"no {what} {'follows' if step > 0 else 'before'} in this check"

    def _level(self, level: str, step: int) -> None:
        if level in ("sector", "pass") and not self.count(level):
            level = "pair"
        self._search(lambda moment: moment.level == level, step, level)

    def _stepped(self) -> None:
        """Instructions were stepped through: find out where the machine is now, inside the check."""
        place = max(self.walk.start.instructions, min(self.walk.end.instructions, self.machine.instructions))
        if place != self.machine.instructions:
            self.debugger.go_to(place)
        self.number = max(0, bisect_right(self.walk.moments, place, key=lambda moment: moment.instructions) - 1)

    # commands

    def do(self, action: str, argument: int | str = 0) -> None:
        """Carry out a command, or what a zone asks for; while the check is looked at, only closing."""
        if action in ("walk", "debugger"):
            self.is_closing = True
        elif self.walk.is_complete:
            self.message = ""
            super().do(action, argument)

    def _act(self, action: str, argument: int | str) -> None:
        self.is_running = self.is_running and action in GOES_ON
        level = action.removeprefix("back_")
        if level in ("pass", "sector", "pair"):
            self._level(level, -1 if action.startswith("back_") else 1)
        else:
            super()._act(action, argument)

    def _do_go(self, _: int) -> None:
        self.is_running, self._passed = not self.is_running, None
        last = len(self.walk.moments) - 1
        if self.is_running and self.number == (0 if self.is_backwards else last):
            self._go(last if self.is_backwards else 0)

    def _do_backwards(self, _: int) -> None:
        self.is_backwards = not self.is_backwards

    def _do_step(self, _: int) -> None:
        self.debugger.go_to(self.machine.instructions + 1)
        self._stepped()

    def _do_back_step(self, _: int) -> None:
        self.debugger.reverse_step()
        self._stepped()

    def _do_start(self, _: int) -> None:
        self._go(0)

    def _do_end(self, _: int) -> None:
        self._go(len(self.walk.moments) - 1)

    def _do_hits(self, _: int) -> None:
        self._search(lambda moment: moment.is_hit, 1, "pair in collision")

    def _do_frame(self, _: int) -> None:
        if self._is_at_end_of_tape:
            self.message = f"the tape ends here, after {self.machine.frame_number:,} frames"
            return
        here = self.number
        self.debugger.go_to(self.walk.end.instructions)
        self._to_check(self.walk.forward)
        if self.message:
            self._go(here)

    def _do_back_frame(self, _: int) -> None:
        self._to_check(self.walk.back)

    def _do_slower(self, _: int) -> None:
        self._set_pace(-1)

    def _do_faster(self, _: int) -> None:
        self._set_pace(1)

    def _set_pace(self, step: int) -> None:
        self.pace = PACES[max(0, min(len(PACES) - 1, PACES.index(self.pace) + step))]
        self._passed = None

    def _do_place(self, clocks: int) -> None:
        """Go to the moment at so many thousandths of the check's instructions."""
        first, last = self.walk.start.instructions, self.walk.end.instructions
        wanted = first + (last - first) * clocks // 1000
        self._go(bisect_right(self.walk.moments, wanted, key=lambda moment: moment.instructions) - 1)

    # keyboard and mouse

    def scroll(self, y: float, rows: int) -> None:
        for _ in range(min(8, abs(rows))):
            self.do("pair" if rows > 0 else "back_pair")

    def help(self) -> list[tuple[str, str]]:
        return [*super().help(), ("click", "on the bar: to that place")]

    def close(self) -> None:
        """Let the frame run to its end, and take the debugger off."""
        if self.debugger.end > self.debugger.time:
            self.debugger.go_to(self.debugger.end)
        if hasattr(self, "walk") and self.walk.moments:
            period = int(self.machine.clock_hz / self.machine.frame_hz)
            self.debugger.run(frames=1, clocks=LAST_PERIODS * period)
        if self._is_first:
            self.debugger.release()
