"""The debugger of one machine: points, running to them, and looking around."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from retrosim.checks import check_choice, check_integer
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.cpu.spec.rows import Insn

from . import places
from .conditions import Condition, Names, condition
from .limits import Limits
from .observer import Observer, Tape
from .points import ACCESSES, EVENTS, MAX_WATCHED, Point, Stop, Time, Write
from .stack import Frame, call_stack
from .travel import Travel

if TYPE_CHECKING:
    from retrosim.machine.machine import Machine

MAX_POINTS = 1000
MAX_READ = 1 << 20  # bytes at once


class Debugger(Travel):
    """See `Travel` for running; points are made and removed here.

    points   all there are, in the order of their numbers; hooks too
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._observer = machine._observer = Observer(machine, Limits(machine))
        self._begin_history()

    # points

    @property
    def points(self) -> list[Point]:
        """All points, hooks too."""
        return list(self._observer.points)

    def breakpoint(
        self, where: int | str, condition: str | None = None, *, ignore: int = 0, temporary: bool = False
    ) -> Point:
        """Stop before an instruction.

        where      an address, "symbol", "symbol+0x10" or "file.c:12"
        condition  what has to hold, see `conditions`
        ignore     hits that do not stop
        temporary  remove it when it stops
        Errors     ValueError
        """
        found = self.resolve_all(where)
        return self._add("breakpoint", where, condition, ignore, temporary=temporary, addresses=tuple(found))

    def watchpoint(
        self,
        where: int | str,
        size: int = 1,
        access: str = "write",
        condition: str | None = None,
        *,
        ignore: int = 0,
        temporary: bool = False,
    ) -> Point:
        """Stop after an instruction that touches some memory.

        size     bytes, 1..65536
        access   "read", "write", "access" (either) or "change": written, and other than before
        the rest as for `breakpoint`
        """
        more = self._watched(where, size, access)
        return self._add("watchpoint", where, condition, ignore, temporary=temporary, **more)

    def _watched(self, where: int | str, size: int, access: str) -> dict[str, Any]:
        address = self.resolve(where)
        check_choice("access", access, ACCESSES)
        check_integer("size", size, 1, min(MAX_WATCHED, ADDRESS_MASK + 1 - address))
        return {"addresses": (address,), "size": size, "access": access}

    def break_on(
        self,
        event: str,
        number: int | None = None,
        condition: str | None = None,
        *,
        ignore: int = 0,
        temporary: bool = False,
    ) -> Point:
        """Stop when something happens.

        event    "exception" (number: its vector), "service" (its number), "frame" (frames between two stops), or
                 "divergence": the machine plays a tape (see `play`) and leaves it
        number   None for any
        """
        check_choice("event", event, EVENTS)
        if event == "divergence" and self._observer.tape is None:
            raise ValueError("divergence: the machine plays no tape that it could leave; open one in place of a ROM")
        if number is not None:
            check_integer("number", number, 1 if event == "frame" else 0, 0xFFFFFFFF)
        return self._add("event", event, condition, ignore, temporary=temporary, event=event, parameter=number)

    def limit(self, routine: int | str, clocks: int, condition: str | None = None) -> Point:
        """Stop when a routine has run longer than so many clocks since its first instruction. Errors: ValueError."""
        check_integer("clocks", clocks, 1, 1 << 62)
        if self.machine.timing == "off":
            raise ValueError("timing 'off': counts no clocks; allowed table, full")
        found = (self.resolve(routine),)
        return self._add("limit", routine, condition, 0, addresses=found, parameter=clocks)

    def hook(self, where: int | str, function: Callable[..., object], size: int = 0, access: str = "write") -> Point:
        """Call a function in place of stopping, see `Machine.on` and `Machine.watch`. Errors: ValueError."""
        if not callable(function):
            raise ValueError(f"hook {function!r}: allowed a function of the machine")
        more = self._watched(where, size, access) if size else {"addresses": tuple(self.resolve_all(where))}
        return self._add("hook", where, None, 0, function=function, **more)

    def _add(self, kind: str, where: int | str, text: str | None, ignore: int, **more: Any) -> Point:
        if len(self._observer.points) == MAX_POINTS:
            raise ValueError(f"{MAX_POINTS} points: no more are allowed; remove some")
        check_integer("ignore", ignore, 0, 1 << 62)
        shown = where if isinstance(where, str) else f"{where:#x}"
        number = max((each.number for each in self._observer.points), default=0) + 1
        point = Point(number, kind, shown, ignore=ignore, **more)
        point.condition = None if not text else self._condition(text, point)
        self._observer.points.append(point)
        self._observer.arm()
        return point

    def _found(self, point: Point | int) -> Point:
        """Return a point by itself or its number. Errors: ValueError."""
        for each in self._observer.points:
            if each is point or (isinstance(point, int) and each.number == point):
                return each
        known = ", ".join(str(each.number) for each in self._observer.points) or "none"
        raise ValueError(f"point {point if isinstance(point, int) else point.number}: there is none; allowed {known}")

    def remove(self, point: Point | int) -> None:
        """Remove a point, given itself or its number. Errors: ValueError."""
        self._observer.points.remove(self._found(point))
        self._observer.arm()

    def clear(self) -> None:
        """Remove all points, hooks too."""
        self._observer.points.clear()
        self._observer.arm()

    def release(self) -> None:
        """Take the debugger off: the machine pays nothing again, and its next debugger begins without points."""
        machine = self.machine
        self.clear()
        machine._observer = machine.core.on_write = machine.core.on_replace = None
        machine.__dict__.pop("debugger", None)

    def enable(self, point: Point | int, on: bool = True) -> None:
        """Let a point act again. Errors: ValueError."""
        self._found(point).enabled = on
        self._observer.arm()

    def disable(self, point: Point | int) -> None:
        """Keep a point, but do not let it act. Errors: ValueError."""
        self.enable(point, False)

    def play(self, tape: Tape) -> None:
        """Let the machine play a tape: its inputs are applied as frames begin, its hash lines compared as they end.

        tape   a `retrosim.tape.Player` of this machine, which has brought it to the start of the tape
        """
        self._observer.play(tape)

    # looking

    def resolve(self, where: int | str) -> int:
        """Return the first address of a place. Errors: ValueError."""
        return self.resolve_all(where)[0]

    def resolve_all(self, where: int | str) -> list[int]:
        """Return the addresses of a place: several for a line that is compiled into several functions."""
        return places.addresses(self.machine.image, where)

    def describe(self, address: int) -> str:
        """Return function, offset and source line of an address, as far as they are known."""
        return places.described(self.machine.image, address)

    def registers(self) -> dict[str, int]:
        """Return all registers by name."""
        return dict(self.machine.regs)

    def set_register(self, name: str, value: int) -> None:
        """Change a register. Errors: ValueError."""
        check_choice("register", name, tuple(self.machine.regs))
        self.machine.regs[name] = value

    def read(self, address: int, size: int) -> bytes:
        """Return memory; after the last address comes the first. Errors: ValueError."""
        check_integer("address", address, 0, ADDRESS_MASK)
        check_integer("size", size, 0, MAX_READ)
        memory = self.machine.mem
        return memory[address : address + size].tobytes() + memory[: max(0, address + size - len(memory))].tobytes()

    def write(self, address: int, data: bytes) -> None:
        """Change memory. Errors: ValueError."""
        self.machine.write(address, data)

    def evaluate(self, text: str) -> int:
        """Return the value of an expression, see `conditions`. Errors: ConditionError."""
        return self._condition(text, None)()

    def _condition(self, text: str, point: Point | None) -> Condition:
        return condition(text, self._names(point))

    def _names(self, point: Point | None) -> Names:
        machine, host = self.machine, self.machine.core.cpu.host
        values: dict[str, Callable[[], int]] = {
            "clock": lambda: machine.cycles,
            "frame": lambda: machine.frame_number,
            "instructions": lambda: machine.instructions,
            "hits": lambda: point.hits if point else 0,
        }

        def of(register: str) -> Callable[[], int]:
            return lambda: machine.regs[register]

        values |= {name: of(name) for name in machine.regs}
        values |= {alias: of(name) for alias, name in host.aliases.items() if alias not in values}
        order = "big" if machine.core.cpu.big_endian else "little"

        def memory(address: int, size: int, signed: bool) -> int:
            return int.from_bytes(self.read(address & ADDRESS_MASK, size), order, signed=signed)  # type: ignore[arg-type]

        return Names(values, {name: symbol.address for name, symbol in machine.image.symbols.items()}, memory)

    def call_stack(self, limit: int = 64) -> list[Frame]:
        """Return the routines under way, the innermost first, as far as the stack tells (see `stack`)."""
        return call_stack(self.machine, check_integer("limit", limit, 1, 10_000))

    def source_line(self, pc: int) -> tuple[str, int] | None:
        """Return file and line of an address, None where unknown."""
        return self.machine.image.source_line(pc)

    def listing(self, pc: int, count: int = 1) -> list[str]:
        """Return instructions from an address on, as `Machine.listing` does."""
        return self.machine.listing(pc, count)

    def instruction_at(self, pc: int) -> Insn:
        """Return the decoded instruction at an address."""
        return self.machine.core.decode(pc & ADDRESS_MASK)


__all__ = ["Debugger", "Frame", "Point", "Stop", "Time", "Write"]
