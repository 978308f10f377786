"""Following a collision check on the running machine: where passes, sectors and pair tests begin, and what they find.

The debugger runs the check once; then it runs it again, with breakpoints at the functions that the program's
`WalkSource` names and watchpoints on its records and flags. What is found are moments, to which the debugger goes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retrosim.checks import did_you_mean
from retrosim.scenarios.walks import CalledTest, HitFlag, ObjectRecords, ReadTest, WalkSource

from .points import Breakpoint, Point, Stop, Time, Watched, Watchpoint
from .stack import argument

if TYPE_CHECKING:
    from retrosim.machine.machine import Machine
    from retrosim.rom.symbols import Symbol

LEVELS = ("check", "pass", "sector", "pair", "end")
PIECE = 20_000  # instructions that are looked at in a turn
MAX_FRAMES = 60  # without a check
MAX_MOMENTS = 200_000


@dataclass(frozen=True)
class Moment:
    """The beginning of something in a check.

    level         "check", "pass", "sector" (with two objects or more), "pair"; last comes "end"
    instructions  executed before it
    number        1, 2, .. of its level in the check
    passes        passes begun, 0 where there are none
    shift         of the grid in this pass, pixels
    sector        column and row, None outside a sector
    pair          numbers of the two objects, None outside a test
    verdict       what was found, "" for nothing
    is_hit        is that a collision?
    """

    level: str
    instructions: int
    number: int
    passes: int = 0
    shift: tuple[int, int] = (0, 0)
    sector: tuple[int, int] | None = None
    pair: tuple[int, int] | None = None
    verdict: str = ""
    is_hit: bool = False


class _Array:
    """Records in memory."""

    def __init__(self, symbol: Symbol, records: ObjectRecords) -> None:
        self.symbol, self.stride = symbol, symbol.size // records.count
        self.first, self.last = records.first, records.last if records.last > 0 else self.stride + records.last

    def number(self, address: int) -> int:
        return (address - self.symbol.address) // self.stride

    def coordinate(self, address: int) -> int | None:
        """Return the number of the object whose coordinate lies at an address, None for anything else."""
        number, offset = divmod(address - self.symbol.address, self.stride)
        is_inside = 0 <= address - self.symbol.address < self.symbol.size
        return number if is_inside and self.first <= offset < self.last else None


def _signed(word: int) -> int:
    """Return an argument that has 16 bits at least, and is small."""
    return (word & 0xFFFF ^ 0x8000) - 0x8000


class Walk:
    """The checks of a program, one after the other.

    source   names of its functions and variables
    moments  of the present check, as far as it has been looked at
    is_complete  has it been looked at to its end?

    Errors   ValueError where the image has not the names
    """

    def __init__(self, machine: Machine, source: WalkSource) -> None:
        self.machine, self.debugger, self.source = machine, machine.debugger, source
        self.moments: list[Moment] = []
        self.is_complete = False
        self.start = self.end = self.debugger.time
        self._check = self._name(source.check)
        self._test = next((test for test in source.tests if not self._missing(test)), None)
        if self._test is None:
            names = ", ".join(dict.fromkeys(name for test in source.tests for name in self._missing(test)))
            raise ValueError(f"{machine.image.build} has no {names}: its pair tests cannot be found by name")
        self._points = self._made_points()

    # names

    def _find(self, name: str) -> Symbol | None:
        """Return what a name stands for; a compiler may have put an underscore before it."""
        symbols = self.machine.image.symbols
        return symbols.get(name) or symbols.get(f"_{name}")

    def _name(self, name: str) -> Symbol:
        found = self._find(name)
        if found is None:
            near = did_you_mean(name, self.machine.image.symbols)
            raise ValueError(f"the program has no function {name}: its check cannot be found by name{near}")
        return found

    def _missing(self, test: CalledTest | ReadTest) -> list[str]:
        if isinstance(test, CalledTest):
            names = [test.function, *([test.records.symbol] if test.records else [])]
        else:
            names = [test.records.symbol, *([test.others.symbol] if test.others else [])]
        return [name for name in names if self._find(name) is None]

    def _array(self, records: ObjectRecords) -> _Array:
        return _Array(self._name(records.symbol), records)

    def _made_points(self) -> list[Point]:
        source, test, points = self.source, self._test, list[Point]()

        def breakpoint(name: str) -> Point | None:
            found = self._find(name) if name else None
            if found is None:
                return None
            points.append(Breakpoint(where=name, addresses=(found.address,)))
            return points[-1]

        def watch(symbol: Symbol, access: str) -> Point:
            points.append(Watchpoint(watched=Watched(symbol.address, symbol.size, access)))
            return points[-1]

        self._at_pass = breakpoint(source.passes)
        self._at_sector = breakpoint(source.sectors.function if source.sectors else "")
        self._arrays: list[_Array] = []
        self._called: Point | None = None
        if isinstance(test, CalledTest):
            self._called = breakpoint(test.function)
            self._arrays = [self._array(test.records)] if test.records else []
        elif test is not None:
            self._arrays = [self._array(each) for each in (test.records, test.others) if each]
            self._reads = [watch(array.symbol, "read") for array in self._arrays]
        self._flags = {
            id(watch(found, "write")): (order, flag)
            for order, flag in enumerate(source.flags)
            if (found := self._find(flag.symbol))
        }
        return points

    # getting to a check

    def forward(self) -> Stop:
        """Run to the next check. Returns reason "breakpoint" there, else why there is none."""
        point = self.debugger.breakpoint(self._check.address, temporary=True)
        try:
            stop = self.debugger.run(frames=MAX_FRAMES)
        finally:
            if point in self.debugger.points:
                self.debugger.remove(point)
        if stop.point is point:
            self._begin()
        return stop

    def back(self) -> Stop:
        """Go back to the check before the present one, likewise."""
        here = self.debugger.time
        self.debugger.go_to(self.start)
        point = self.debugger.breakpoint(self._check.address)
        try:
            stop = self.debugger.reverse_run()
        finally:
            self.debugger.remove(point)
        if stop.point is point:
            self._begin()
        else:
            self.debugger.go_to(here)
        return stop

    def _begin(self) -> None:
        """The machine is at the first instruction of a check: find its end, and be there again."""
        self.start = self.debugger.time
        self.debugger.step_out()
        self.end = self.debugger.time
        self.debugger.go_to(self.start)
        self.moments = [Moment("check", self.start.instructions, 1)]
        self.is_complete = False
        self._seen = self.start.instructions
        self._sector: Moment | None = None
        self._half: tuple[int, int] | None = None
        self._numbers = dict.fromkeys(LEVELS, 0)
        self._order = -1

    # looking at it

    def look(self) -> float:
        """Look at a piece of the check; return how much of it is done, 0..1. The machine stands behind the piece."""
        last = self.end.instructions
        self._seen = min(last, self._seen + PIECE)
        self.debugger.survey(self._points, Time(self._seen, -1, -1), self._note)
        if self._seen == last or len(self.moments) > MAX_MOMENTS:
            passed = self.moments[-1]
            self._add(Moment("end", last, 0, passed.passes, passed.shift))
            self.is_complete = True
        return (self._seen - self.start.instructions) / max(1, last - self.start.instructions)

    def _note(self, stop: Stop) -> bool:
        point, now = stop.point, stop.time.instructions
        if point is self._at_pass:
            self._begins_pass(now)
        elif point is self._at_sector:
            self._begins_sector(now)
        elif point is self._called:
            a, b = (argument(self.machine, number) for number in range(2))
            array = self._arrays[0] if self._arrays else None
            self._begins_pair(now, (array.number(a), array.number(b)) if array else (_signed(a), _signed(b)))
        elif id(point) in self._flags:
            self._finds(*self._flags[id(point)])
        elif stop.address is not None:
            self._reads_at(now - 1, self._reads.index(point), stop.address)  # type: ignore[arg-type]
        return False

    def _add(self, moment: Moment) -> None:
        self._numbers[moment.level] += 1
        self._order = -1
        self.moments.append(replace(moment, number=self._numbers[moment.level]))

    def _begins_pass(self, now: int) -> None:
        shift = _signed(argument(self.machine, 0)), _signed(argument(self.machine, 1))
        self._add(Moment("pass", now, 0, self._numbers["pass"] + 1, shift))
        self._sector, self._half, self._called_sectors = None, None, 0

    def _begins_sector(self, now: int) -> None:
        """Remember a sector; it counts as soon as a pair is tested in it."""
        assert self.source.sectors is not None
        place = divmod(self._called_sectors, self.source.sectors.rows)
        last = self.moments[-1]
        self._sector = Moment("sector", now, 0, last.passes, last.shift, place)
        self._called_sectors, self._half = self._called_sectors + 1, None

    def _reads_at(self, before: int, which: int, address: int) -> None:
        number = self._arrays[which].coordinate(address)
        if number is None or (self._at_sector is not None and self._sector is None):
            return
        if len(self._arrays) == 2:
            if which == 0:
                self._half = number, before
            elif self._half is not None and number != self._half[0]:
                self._begins_pair(before, (self._half[0], number))
        elif self._half is None:
            self._half = number, before
        else:
            (first, begun), self._half = self._half, None
            last = self.moments[-1]
            if last.level != "pair" or last.pair != (first, number) or last.sector != self._place:
                self._begins_pair(begun, (first, number))

    @property
    def _place(self) -> tuple[int, int] | None:
        return self._sector.sector if self._sector else None

    def _begins_pair(self, now: int, pair: tuple[int, int]) -> None:
        if self._sector is not None and self.moments[-1].sector != self._place:
            self._add(self._sector)
        last = self.moments[-1]
        self._add(Moment("pair", now, 0, last.passes, last.shift, last.sector, pair))

    def _finds(self, order: int, flag: HitFlag) -> None:
        last = self.moments[-1]
        if last.level == "pair" and order > self._order:
            self._order = order
            self.moments[-1] = replace(last, verdict=flag.meaning, is_hit=flag.is_hit)
