"""A session of the debugger in the terminal: the machine, and what is remembered from command to command."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Container, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rich.text import Text

from retrosim.checks import check_integer
from retrosim.cost.sources import source_texts
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.debug import views
from retrosim.debug.conditions import ConditionError

from . import texts

if TYPE_CHECKING:
    from retrosim.debug import Debugger
    from retrosim.debug.points import Stop
    from retrosim.debug.views import Elapsed
    from retrosim.machine import Machine

    from .target import IsWanted, Target

Found = TypeVar("Found")
MAX_MEMORY = 4096  # bytes in an answer
_MEMORY_PLACE = re.compile(r"(byte|word|long)\s*\[(.+)\]$")
_BITS = {"byte": 8, "word": 16, "long": 32}


class ConsoleSession:
    """Runs a machine, and shows it.

    target    the machine
    folders   where source files are looked for
    is_wanted tells whether the user wants the machine back while it runs; default: `wanted` is set
    left_out  commands that it does not have

    displays  number -> expression of the watch list
    width     columns of a line
    measured  what the stopwatch told last, and between which places
    asked     clocks and instructions when they were asked for last; causes_before: clocks by cause then
    """

    def __init__(
        self,
        target: Target,
        folders: Sequence[Path] = (),
        is_wanted: IsWanted | None = None,
        left_out: Container[str] = (),
    ) -> None:
        self.target = target
        self.machine: Machine = target.machine
        self.debugger: Debugger = target.debugger
        self.wanted, self._left_out = threading.Event(), left_out
        self.is_wanted = is_wanted or self.wanted.is_set
        self.width = texts.WIDTH
        self.asked = (self.machine.cycles, self.machine.instructions)
        self.causes_before = views.counted_causes(self.machine)
        self.displays: dict[int, str] = {}
        self.sources = source_texts((file for _, file, _ in self.machine.image.lines), folders)
        self.memory_area: tuple[int, int] | None = None
        self.measured: tuple[str, Elapsed] | None = None
        self.watch_started = self.debugger.time
        self.mark()

    # running

    def run(self, go: Callable[[], Stop]) -> Stop:
        """Run the machine, or go back in time; remember what was there before."""
        self.mark()
        return go()

    def mark(self) -> None:
        """Changes are marked from now on."""
        self.started, self._registers = self.debugger.time, self.debugger.registers()
        self.causes_at_start: dict[str, int] = views.counted_causes(self.machine)
        self._memory = self.debugger.read(*self.memory_area) if self.memory_area else b""

    def has(self, command: str) -> bool:
        """Is there a command of this name here?"""
        return command not in self._left_out

    def interruptible(self, go: Callable[[], Found]) -> Found:
        """Do something with the debugger that the user can interrupt."""
        return self.target.interruptible(go, self.is_wanted)

    # places and values

    def place(self, text: str) -> int:
        """Return an address: a place of the program, or the value of an expression. Errors: ValueError."""
        try:
            return self.debugger.resolve(text)
        except ValueError as error:
            try:
                return check_integer("address", self.debugger.evaluate(text), 0, ADDRESS_MASK)
            except ConditionError as other:
                raise (error if re.fullmatch(r"[\w.]+(:\d+)?", text) else other) from None

    def sized_place(self, text: str) -> tuple[int | str, int | None]:
        """Return what "WHERE" or "WHERE, BYTES" names: a place for points, and bytes. Errors: ValueError.

        Without bytes, those of a symbol; None where nothing tells.
        """
        where, comma, bytes_text = (part.strip() for part in text.partition(","))
        symbol = self.machine.image.symbols.get(where)
        size = self.debugger.evaluate(bytes_text) if comma else symbol.size if symbol and symbol.size else None
        return self.where(where), size

    def where(self, text: str) -> int | str:
        """Return a place as points take it: as written where the program knows it. Errors: ValueError."""
        try:
            self.debugger.resolve_all(text)
        except ValueError:
            return self.place(text)
        return text

    def assign(self, name: str, text: str) -> int:
        """Change a register or memory; return the value that is there now. Errors: ValueError."""
        value = self.debugger.evaluate(text)
        if match := _MEMORY_PLACE.match(name):
            bits = _BITS[match[1]]
            self._fits(name, value, bits)
            address, value = self.debugger.evaluate(match[2]), value & ((1 << bits) - 1)
            self.target.write(address, value.to_bytes(bits // 8, self.machine.image.byte_order))
            return value
        if name not in self.machine.regs:
            allowed = ", ".join(self.machine.regs)
            raise ValueError(f"{name[:40]!r}: allowed byte[..], word[..], long[..] or a register: {allowed}")
        bits = self.machine.core.cpu.host.registers[name].bits
        self._fits(name, value, bits)
        self.target.set_register(name, value & ((1 << bits) - 1))
        return int(self.machine.regs[name])

    @staticmethod
    def _fits(name: str, value: int, bits: int) -> None:
        check_integer(name, value, -(1 << bits - 1), (1 << bits) - 1)

    # views

    def registers(self, width: int | None = None) -> list[Text]:
        """Return the registers, with marks at what has changed."""
        return texts.register_lines(views.registers(self.debugger, self._registers), width or self.width)

    def code(self, address: int, count: int, before: int = 0) -> list[Text]:
        """Return disassembled instructions."""
        return texts.code_lines(views.code(self.debugger, address, count, before), self.sources, self.width)

    def code_around(self, cursor: int, height: int, width: int) -> list[Text]:
        """Return as many lines of code as there is room for, the instruction at `cursor` in the middle."""
        rows = views.code(self.debugger, cursor, height, height // 2)
        number = next(n for n, row in enumerate(rows) if row.address == cursor)
        before = texts.code_lines(rows[:number], self.sources, width)
        return [
            *before,
            *texts.code_lines(rows[number:], self.sources, width, cursor, after=rows[number - 1] if number else None),
        ][max(0, len(before) - height // 2) :][:height]

    def code_here(self, count: int = 1, before: int = 0) -> list[Text]:
        """Return disassembled instructions around the next one."""
        return self.code(self.machine.regs["pc"] & ADDRESS_MASK, count, before)

    def memory(self, row: int = views.MEMORY_ROW) -> list[Text]:
        """Return the memory that was looked at last, so many bytes in a row, with marks at what has changed."""
        if self.memory_area is None:
            return []
        return texts.memory_lines(views.memory(self.debugger, *self.memory_area, self._memory or None, row), row)

    def look_at(self, address: int, size: int) -> None:
        """Choose the memory that is shown. Errors: ValueError."""
        check_integer("bytes", size, 1, min(MAX_MEMORY, ADDRESS_MASK + 1 - address))
        self.memory_area, self._memory = (address, size), b""

    def watch_list(self) -> list[Text]:
        """Return the expressions of the watch list with their values."""
        lines = []
        for number, text in self.displays.items():
            try:
                value = texts.value_text(self.debugger.evaluate(text))
            except ConditionError as error:
                value = str(error)
            lines.append(Text(f"{number}: {text} = {value}"))
        return lines
