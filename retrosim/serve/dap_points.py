"""Breakpoints of editors: on source lines, functions, instructions, data and events."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any

from retrosim.checks import shortened
from retrosim.console.target import EVERYWHERE

if TYPE_CHECKING:
    from retrosim.console.target import Target
    from retrosim.debug import Point

    from .dap_messages import Arguments

MAX_HITS = 1 << 31
FILTERS = {
    "exception": "Exceptions of the processor",
    "frame": "The end of each frame",
    "divergence": "Divergence from the tape",
}
ACCESSES = {"read": "read", "write": "change", "readWrite": "access"}
_HITS = re.compile(r"\s*(>=|>|==?)?\s*(\d{1,9})\s*")


class Breakpoints:
    """What the client has set, by kind; each request replaces all that it had set before."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._set: dict[str, list[Point]] = {}
        self.messages: dict[int, str] = {}  # number of a point -> what to write instead of stopping
        self.kinds: dict[int, str] = {}  # number of a point -> what the protocol calls its kind

    def clear(self) -> None:
        """Forget all."""
        for group in list(self._set):
            self._replace(group)

    def lines(self, arguments: Arguments) -> Sequence[dict[str, Any]]:
        """setBreakpoints. Errors: ValueError."""
        source = arguments.part("source")
        path = source.text("path", source.text("name", ""))
        name = _last(path)
        self._replace(f"line {path}")
        rows = sorted({(line, file) for _, file, line in self._target.machine.image.lines if _last(file) == name})
        found = []
        for each in arguments.parts("breakpoints"):
            wanted = each.integer("line", 0, 1 << 31)
            line = next((line for line, _ in rows if line >= wanted), None)
            if line is None:
                found.append(_refused(f"no code at or after line {wanted} of {name or 'this file'}"))
            else:
                found.append({"line": line} | self._add(f"line {path}", f"{name}:{line}", each, "breakpoint"))
        return found

    def functions(self, arguments: Arguments) -> Sequence[dict[str, Any]]:
        """setFunctionBreakpoints. Errors: ValueError."""
        self._replace("function")
        return [
            self._add("function", each.text("name"), each, "function breakpoint")
            for each in arguments.parts("breakpoints")
        ]

    def instructions(self, arguments: Arguments) -> Sequence[dict[str, Any]]:
        """setInstructionBreakpoints. Errors: ValueError."""
        self._replace("instruction")
        found = []
        for each in arguments.parts("breakpoints"):
            address = each.place("instructionReference", EVERYWHERE)
            found.append(self._add("instruction", address, each, "instruction breakpoint"))
        return found

    def data(self, arguments: Arguments) -> Sequence[dict[str, Any]]:
        """setDataBreakpoints. Errors: ValueError."""
        self._replace("data")
        found = []
        for each in arguments.parts("breakpoints"):
            try:
                address, size = (int(part[:12], 16) for part in each.text("dataId").split("+"))
                access = ACCESSES[each.text("accessType", "write")]
                ignore = _ignored(each)
                point = self._target.debugger.watchpoint(address, size, access, _condition(each), ignore=ignore)
            except (ValueError, KeyError) as error:
                found.append(_refused(str(error)))
            else:
                found.append(self._added("data", point, each, "data breakpoint"))
        return found

    def events(self, arguments: Arguments) -> Sequence[dict[str, Any]]:
        """setExceptionBreakpoints. Errors: ValueError."""
        self._replace("event")
        found = []
        for name in arguments.texts("filters"):
            if name not in FILTERS:
                found.append(_refused(f"{shortened(name)!r}: allowed {', '.join(FILTERS)}"))
                continue
            try:
                point = self._target.debugger.break_on(name)
            except ValueError as error:
                found.append(_refused(str(error)))
                continue
            found.append(self._added("event", point, None, "exception"))
        return found

    def _replace(self, group: str) -> None:
        for point in self._set.pop(group, []):
            if point in self._target.debugger.points:  # the console's `delete` may have been asked for
                self._target.debugger.remove(point)
            self.messages.pop(point.number, None)
            self.kinds.pop(point.number, None)

    def _add(self, group: str, where: int | str, given: Arguments, kind: str) -> dict[str, Any]:
        try:
            point = self._target.debugger.breakpoint(where, _condition(given), ignore=_ignored(given))
        except ValueError as error:
            return _refused(str(error))
        return self._added(group, point, given, kind)

    def _added(self, group: str, point: Point, given: Arguments | None, kind: str) -> dict[str, Any]:
        self._set.setdefault(group, []).append(point)
        self.kinds[point.number] = kind
        if given is not None and (message := given.text("logMessage", "")):
            self.messages[point.number] = message
        said: dict[str, Any] = {"id": point.number, "verified": True}
        if point.marks:
            said["instructionReference"] = f"{point.address:#x}"
        return said


def _condition(given: Arguments) -> str | None:
    return given.text("condition", "") or None


def _ignored(given: Arguments) -> int:
    """Return how many hits do not stop. Errors: ValueError."""
    text = given.text("hitCondition", "")
    if not text.strip():
        return 0
    match = _HITS.fullmatch(text)
    if match is None or not 0 < int(match[2]) < MAX_HITS:
        raise ValueError(f"hit condition {shortened(text)!r}: allowed N or >= N, from the Nth hit on; > N, after it")
    return int(match[2]) - (match[1] != ">")


def _refused(reason: str) -> dict[str, Any]:
    return {"verified": False, "message": reason}


def _last(path: str) -> str:
    """Return the last part of a path of any system."""
    return PurePosixPath(PureWindowsPath(path).as_posix()).name
