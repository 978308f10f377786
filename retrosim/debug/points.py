"""Where a debugged run stops, and how it stopped."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from retrosim.checks import check_choice, check_integer
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.cpu.spec.timing import WATCH_READS, WATCH_WRITES
from retrosim.errors import CpuFault

from .conditions import Condition
from .stack import return_address, stack_pointer

if TYPE_CHECKING:
    import numpy as np

    from retrosim.machine.machine import Machine

WATCHES = {"read": "rwatch", "write": "watch", "access": "awatch", "change": "cwatch"}
"""What may be watched for -> the command for it."""
EVENTS = ("exception", "service", "frame", "divergence")
MAX_WATCHED = 1 << 16  # bytes of a watchpoint


class Time(NamedTuple):
    """A moment of a machine; moments are ordered.

    instructions, clocks, frame  since power-on
    """

    instructions: int
    clocks: int
    frame: int


@dataclass(eq=False)
class Watched:
    """Some memory that is watched.

    size    bytes
    access  what matters: "read", "write", "access" (either) or "change": written, and other than before
    before  what it held at the last look
    Errors  ValueError
    """

    address: int
    size: int
    access: str
    before: bytes = field(default=b"", repr=False)

    def __post_init__(self) -> None:
        check_choice("access", self.access, WATCHES)
        check_integer("size", self.size, 1, min(MAX_WATCHED, ADDRESS_MASK + 1 - self.address))

    @property
    def stop(self) -> int:
        """Address after it."""
        return self.address + self.size

    @property
    def wants(self) -> int:
        """What the engines are to note: WATCH_READS, WATCH_WRITES or both."""
        reads = WATCH_READS if self.access in ("read", "access") else 0
        return reads | (WATCH_WRITES if self.access != "read" else 0)

    def look(self, memory: np.ndarray) -> None:
        """Remember what it holds."""
        self.before = memory[self.address : self.stop].tobytes()

    def touched(self, memory: np.ndarray, low: int, high: int, access: str) -> dict[str, Any] | None:
        """Memory from `low` to before `high` was read or written; return what a `Stop` says of it, if it matters."""
        start, stop = max(low, self.address), min(high, self.stop)
        if start >= stop:
            return None
        old, new = self.before[start - self.address : stop - self.address], memory[start:stop].tobytes()
        if access == "write":
            self.look(memory)
        is_change = self.access == "change" and access == "write" and old != new
        if not is_change and self.access not in (access, "access"):
            return None
        return {"access": access, "address": start, "size": stop - start, "old": old, "new": new}


@dataclass(eq=False, kw_only=True)
class Point:
    """What ends a debugged run, or acts while one goes on. Each kind is a class, which says what it reacts to and how.

    kind       "breakpoint", "watchpoint", "event", "limit" or "hook"
    number     1, 2, ... in the order of their making; 0: not among the debugger's own
    where      as it was given
    addresses  of the instructions to stop before; of a watchpoint its first byte
    size       bytes that are watched
    access     "read", "write", "access" (either) or "change"; "" for others
    event      "exception", "service", "frame", "divergence" or ""
    parameter  vector, number of the service, frames between two stops, clocks of a limit; None: any
    condition  what has to hold, None for nothing
    ignore     hits that do not stop
    hits       times that it was reached and its condition held
    temporary  removed when it stops
    function   what is called at a hit, in place of stopping

    acts         does it call somebody in place of stopping, with and without the debugger?
    is_searched  does a search in the past find it?
    """

    kind: ClassVar[str]
    acts: ClassVar[bool] = False
    is_searched: ClassVar[bool] = True

    number: int = 0
    where: str = ""
    addresses: tuple[int, ...] = ()
    watched: Watched | None = None
    event: str = field(default="", init=False)
    parameter: int | None = None
    condition: Condition | None = None
    ignore: int = 0
    temporary: bool = False
    function: Callable[..., Any] | None = field(default=None, init=False)
    enabled: bool = True
    hits: int = 0

    def __post_init__(self) -> None:
        if self.watched is not None:
            self.addresses = (self.watched.address,)

    @property
    def address(self) -> int | None:
        """The first of its addresses, None for an event."""
        return self.addresses[0] if self.addresses else None

    @property
    def size(self) -> int:
        return self.watched.size if self.watched else 0

    @property
    def access(self) -> str:
        return self.watched.access if self.watched else ""

    # what it wants to be told

    @property
    def places(self) -> Collection[int]:
        """Addresses of the instructions before which the run is looked at."""
        return () if self.watched else self.addresses

    @property
    def due(self) -> int | None:
        """The clock at which the run is looked at whatever happens."""
        return None

    @property
    def needs_exceptions(self) -> bool:
        """Have the engines to note exceptions?"""
        return False

    # what it is told; most answer whether that is a hit

    def moved(self, machine: Machine) -> None:
        """It is new, or the machine has been taken to another moment."""

    def reached(self, machine: Machine, pc: int) -> bool:
        """An instruction comes next at which the run is looked at."""
        return pc in self.places

    def happened(self, event: str, number: int | None) -> bool:
        """An event has happened; number: its own, see `Stop`."""
        return False

    def is_late(self, clock: int) -> bool:
        """So many clocks have passed since power-on."""
        return False

    def act(self, machine: Machine, stop: Stop) -> bool:
        """Do at a hit what it does; return whether a debugged run ends."""
        return True

    # what it says

    @property
    def reason(self) -> str:
        """The reason of its stops."""
        return self.kind

    @property
    def about(self) -> str:
        """What it reacts to, in words."""
        return self.where

    @property
    def command(self) -> str:
        """The command of `retrosim debug` that makes it, without its condition; "" for none."""
        return ""

    @property
    def marks(self) -> Collection[int]:
        """Addresses of the instructions that listings mark."""
        return ()

    def __str__(self) -> str:
        parts = [f"{self.kind} {self.number}: {self.about}"]
        parts += [f"if {self.condition.text}"] if self.condition else []
        parts += [f"{self.hits} hits"] if self.hits else []
        parts += ["disabled"] if not self.enabled else []
        return ", ".join(parts)


class Breakpoint(Point):
    """Stops before instructions: of a line that is compiled into several functions each one's."""

    kind = "breakpoint"

    @property
    def command(self) -> str:
        return f"{'tbreak' if self.temporary else 'break'} {self.where}"

    @property
    def marks(self) -> Collection[int]:
        return self.addresses


class Watchpoint(Point):
    """Stops after an instruction that touches the watched memory."""

    kind = "watchpoint"

    @property
    def about(self) -> str:
        return f"{self.access} of {self.size} bytes at {self.where}"

    @property
    def command(self) -> str:
        return f"{WATCHES[self.access]} {self.where}, {self.size}"


@dataclass(eq=False, kw_only=True)
class Event(Point):
    """Stops when something happens. Errors: ValueError."""

    kind = "event"
    event: str

    def __post_init__(self) -> None:
        check_choice("event", self.event, EVENTS)
        if self.parameter is not None:
            check_integer("number", self.parameter, 1 if self.event == "frame" else 0, 0xFFFFFFFF)

    @property
    def needs_exceptions(self) -> bool:
        return self.event == "exception"

    def happened(self, event: str, number: int | None) -> bool:
        if event != self.event or self.parameter is None:
            return event == self.event
        return (number or 0) % self.parameter == 0 if event == "frame" else number == self.parameter

    @property
    def reason(self) -> str:
        return self.event

    @property
    def about(self) -> str:
        return self.event if self.parameter is None else f"{self.event} {self.parameter}"

    @property
    def command(self) -> str:
        return f"catch {self.about}"


@dataclass
class LimitedCall:
    """A call of a routine that has not returned yet.

    back, sp  where it returns to, and the stack pointer at its first instruction
    due       clock after which it has run too long; None once that was told
    """

    back: int
    sp: int
    due: int | None


@dataclass(eq=False, kw_only=True)
class Limit(Point):
    """Stops when a routine runs too long: follows its calls, from its first instruction to where they return."""

    kind, is_searched = "limit", False
    parameter: int
    _calls: list[LimitedCall] = field(default_factory=list, init=False, repr=False)
    _returns: set[int] = field(default_factory=set, init=False, repr=False)

    @property
    def places(self) -> Collection[int]:
        return {*self.addresses, *self._returns}

    @property
    def due(self) -> int | None:
        return min((call.due + 1 for call in self._calls if call.due is not None), default=None)

    def moved(self, machine: Machine) -> None:
        self._calls.clear()

    def reached(self, machine: Machine, pc: int) -> bool:
        sp = stack_pointer(machine)
        self._calls = [call for call in self._calls if call.back != pc or sp < call.sp]
        if pc in self.addresses and self.enabled:
            back = return_address(machine)
            self._calls.append(LimitedCall(back, sp, machine.cycles + self.parameter))
            self._returns.add(back)
        return False

    def is_late(self, clock: int) -> bool:
        for call in self._calls:
            if call.due is not None and clock > call.due:
                call.due = None
                return True
        return False

    @property
    def about(self) -> str:
        return f"more than {self.parameter} clocks in {self.where}"

    @property
    def command(self) -> str:
        return f"limit {self.where}, {self.parameter}"


@dataclass(eq=False, kw_only=True)
class Hook(Point):
    """Calls a function with the machine before instructions, or with machine and `Stop` after memory was touched."""

    kind, acts, is_searched = "hook", True, False
    function: Callable[..., Any]

    def act(self, machine: Machine, stop: Stop) -> bool:
        return self.function(*([machine, stop] if self.watched else [machine])) is True


@dataclass(frozen=True)
class Stop:
    """Why and where a debugged run stopped.

    reason   the kind of point ("breakpoint", "watchpoint", "limit", "hook"), an event's name, what was asked for
             ("step", "until", "instructions", "clocks", "frames"), or "exit", "fault", "budget", "interrupted", "error"
             (a condition cannot be computed), "beginning" or "end" (of history)
    pc       address of the next instruction
    time     when
    point    which one
    access   of a watchpoint: "read" or "write"
    address, size  what was touched of the watched memory
    old, new what it held before and after
    by       address of the instruction that did it or took the exception; None: an interrupt, or nobody
    number   exception vector, number of the service, or frame
    fault    what the CPU could not do
    text     more words
    """

    reason: str
    pc: int
    time: Time
    point: Point | None = None
    access: str = ""
    address: int | None = None
    size: int = 0
    old: bytes = b""
    new: bytes = b""
    by: int | None = None
    number: int | None = None
    fault: CpuFault | None = None
    text: str = ""

    def __str__(self) -> str:
        parts = [f"{self.reason}{f' {self.point.number}' if self.point else ''} at {self.pc:#x}"]
        if self.access:
            by = "an interrupt" if self.by is None else f"{self.by:#x}"
            change = self.new.hex(" ") if self.access == "read" else f"{self.old.hex(' ')} -> {self.new.hex(' ')}"
            parts.append(f"{self.access} of {self.size} bytes at {self.address:#x} by {by}: {change}")
        elif self.number is not None:
            parts.append(f"number {self.number}")
        parts += [self.text] if self.text else []
        parts.append(f"instruction {self.time.instructions:,}, clock {self.time.clocks:,}, frame {self.time.frame:,}")
        return "; ".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """Return what can be written as JSON."""
        numbers = {name: getattr(self, name) for name in ("reason", "pc", "access", "address", "size", "by", "number")}
        return numbers | {
            "time": self.time._asdict(),
            "point": self.point.number if self.point else None,
            "old": self.old.hex(),
            "new": self.new.hex(),
            "fault": str(self.fault) if self.fault else None,
            "text": self.text,
        }


@dataclass(frozen=True)
class Write:
    """Who wrote some memory last.

    pc       address of the instruction; None: the host, or an interrupt
    text     its listing, or who else it was
    time     just before
    address, size  what it wrote of the memory that was asked for
    old, new what that held before and after
    where    function and source line
    """

    pc: int | None
    text: str
    time: Time
    address: int
    size: int
    old: bytes
    new: bytes
    where: str
