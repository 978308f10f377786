"""Where a debugged run stops, and how it stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from retrosim.errors import CpuFault

from .conditions import Condition

ACCESSES = ("read", "write", "access", "change")
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
class Point:
    """A breakpoint, watchpoint, event, limit or hook.

    number     1, 2, ... in the order of their making
    kind       "breakpoint", "watchpoint", "event", "limit" or "hook"
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
    """

    number: int
    kind: str
    where: str
    addresses: tuple[int, ...] = ()
    size: int = 0
    access: str = ""
    event: str = ""
    parameter: int | None = None
    condition: Condition | None = None
    ignore: int = 0
    temporary: bool = False
    function: Callable[..., Any] | None = None
    enabled: bool = True
    hits: int = 0
    before: bytes = field(default=b"", repr=False)  # what a watchpoint's memory held at the last look

    @property
    def address(self) -> int | None:
        """The first of its addresses, None for an event."""
        return self.addresses[0] if self.addresses else None

    @property
    def stop(self) -> int:
        """Address after what a watchpoint watches."""
        return self.addresses[0] + self.size

    def __str__(self) -> str:
        what = {
            "watchpoint": f"{self.access} of {self.size} bytes at ",
            "limit": f"more than {self.parameter} clocks in ",
        }
        name = f"{self.event}{'' if self.parameter is None else f' {self.parameter}'}" if self.event else self.where
        parts = [f"{self.kind} {self.number}: {what.get(self.kind, '')}{name}"]
        parts += [f"if {self.condition.text}"] if self.condition else []
        parts += [f"{self.hits} hits"] if self.hits else []
        parts += ["disabled"] if not self.enabled else []
        return ", ".join(parts)


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
