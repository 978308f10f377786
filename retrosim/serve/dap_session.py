"""A session of the Debug Adapter Protocol: one editor, one machine, one thread.

Source: Debug Adapter Protocol, specification; the requests are named there
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any, TypeVar

from retrosim.checks import shortened
from retrosim.console.commands import PASSED_ON, Monitor
from retrosim.console.target import EVERYWHERE, TAPE_ENDS
from retrosim.errors import RetrosimError

from .dap_messages import Arguments, BadStream, Unpacker, packed
from .dap_views import Views

if TYPE_CHECKING:
    from retrosim.console.target import IsWanted, Target
    from retrosim.debug import Point, Stop

    from .stream import Stream


# Breakpoints of editors: on source lines, functions, instructions, data and events.

MAX_HITS = 1 << 31
FILTERS = {
    "exception": "Exceptions of the processor",
    "frame": "The end of each frame",
    "divergence": "Divergence from the tape",
}
ACCESSES = {"read": "read", "write": "change", "readWrite": "access"}
Given = TypeVar("Given")
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

        def made(given: Arguments) -> Point:
            address, size = (int(part[:12], 16) for part in given.text("dataId").split("+"))
            access = ACCESSES[given.text("accessType", "write")]
            return self._target.debugger.watchpoint(address, size, access, _condition(given), ignore=_ignored(given))

        self._replace("data")
        return [self._made("data", "data breakpoint", made, each) for each in arguments.parts("breakpoints")]

    def events(self, arguments: Arguments) -> Sequence[dict[str, Any]]:
        """setExceptionBreakpoints. Errors: ValueError."""

        def made(name: str) -> Point:
            if name not in FILTERS:
                raise ValueError(f"{shortened(name)!r}: allowed {', '.join(FILTERS)}")
            return self._target.debugger.break_on(name)

        self._replace("event")
        return [self._made("event", "exception", made, name) for name in arguments.texts("filters")]

    def _replace(self, group: str) -> None:
        for point in self._set.pop(group, []):
            if point in self._target.debugger.points:  # the console's `delete` may have been asked for
                self._target.debugger.remove(point)
            self.messages.pop(point.number, None)
            self.kinds.pop(point.number, None)

    def _add(self, group: str, where: int | str, given: Arguments, kind: str) -> dict[str, Any]:
        def made(given: Arguments) -> Point:
            return self._target.debugger.breakpoint(where, _condition(given), ignore=_ignored(given))

        return self._made(group, kind, made, given)

    def _made(self, group: str, kind: str, make: Callable[[Given], Point], given: Given) -> dict[str, Any]:
        """Return what the client is told of a breakpoint that it asks for."""
        try:
            point = make(given)
        except (ValueError, KeyError) as error:
            return _refused(str(error))
        self._set.setdefault(group, []).append(point)
        self.kinds[point.number] = kind
        if isinstance(given, Arguments) and (message := given.text("logMessage", "")):
            self.messages[point.number] = message
        said: dict[str, Any] = {"id": point.number, "verified": True}
        return said | ({"instructionReference": f"{point.address:#x}"} if point.marks else {})


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


THREAD = 1
MAX_PENDING = 1000  # requests that wait while the machine runs
URGENT = ("pause", "disconnect", "terminate", "restart")  # they end a step
SUPPORTED = (
    "ConfigurationDoneRequest FunctionBreakpoints ConditionalBreakpoints HitConditionalBreakpoints LogPoints "
    "EvaluateForHovers StepBack SetVariable DataBreakpoints InstructionBreakpoints ReadMemoryRequest "
    "WriteMemoryRequest DisassembleRequest SteppingGranularity TerminateRequest RestartRequest"
)
CAPABILITIES = {
    **{f"supports{name}": True for name in SUPPORTED.split()},
    "exceptionBreakpointFilters": [{"filter": name, "label": label} for name, label in FILTERS.items()],
}
REASONS = {"watchpoint": "data breakpoint", "interrupted": "pause", "fault": "exception"}
_INSERTED = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Opened:
    """What a session debugs: the machine, and folders with its sources."""

    target: Target
    folders: Sequence[Path]


Going = Callable[["IsWanted"], "Stop"]
"""Runs the machine until something stops it, or the client wants it back."""
Opener = Callable[[Mapping[str, Any], Callable[[str], None]], Opened]
"""Opens what the arguments of a launch request name; gets a function that shows a line of text. Errors: ValueError,
RetrosimError, with a line of text."""


class DapSession:
    """A client's session, from its first byte to its last.

    stream    the client
    launch    opens what the client wants to launch
    opened    what it can attach to, None for nothing
    """

    def __init__(self, stream: Stream, launch: Opener, opened: Opened | None = None) -> None:
        self.stream, self._launch, self._attachable = stream, launch, opened
        self._unpacker = Unpacker()
        self._pending: deque[dict[str, Any]] = deque()
        self._sequence = 0
        self._target: Target | None = None
        self._stops_on_entry = False
        self._going: Going | None = None
        self._has_exited = False
        self._is_ending = self._is_terminated = self._is_attached = False
        self._after: list[Callable[[], None]] = []  # to do when the answer has been sent

    def serve(self) -> bool:
        """Serve the client until it goes; return whether another may come. Errors: OSError.

        None may when the client has ended what it attached to: there is nothing left to serve.
        """
        try:
            while not self._is_ending:
                if self._pending:
                    self._handle(self._pending.popleft())
                elif self._going is not None:
                    self._go()
                else:
                    self._receive()
        except BadStream as error:
            self._output(f"{error}\n")
        finally:
            if self._target is not None:
                self._points.clear()
        return not (self._is_terminated and self._is_attached)

    # Messages

    def _receive(self) -> None:
        data = self.stream.receive()
        self._is_ending = self._is_ending or not data
        self._pending += self._unpacker.feed(data)

    def _send(self, kind: str, **fields: Any) -> None:
        self._sequence += 1
        self.stream.send(packed({"seq": self._sequence, "type": kind, **fields}))

    def _event(self, name: str, **body: Any) -> None:
        self._send("event", event=name, body=body)

    def _output(self, text: str) -> None:
        self._event("output", category="console", output=text)

    def _handle(self, message: dict[str, Any]) -> None:
        """Answer a request; whatever else a client may send needs no answer."""
        command, sequence = message.get("command"), message.get("seq")
        if message.get("type") != "request" or not isinstance(command, str):
            return
        command = command[:64]
        said: dict[str, Any] = {"request_seq": sequence if isinstance(sequence, int) else 0, "command": command}
        try:
            body = self._answer(command, Arguments(message.get("arguments")))
        except (ValueError, RetrosimError) as error:
            text = str(error)
            body = {"error": {"id": 1, "format": text.replace("{", "(").replace("}", ")"), "showUser": True}}
            self._send("response", **said, success=False, message=text, body=body)
        else:
            self._send("response", **said, success=True, **({} if body is None else {"body": body}))
        after, self._after = self._after, []
        for act in after:
            act()

    def _answer(self, command: str, arguments: Arguments) -> dict[str, Any] | None:
        if command in ("launch", "attach") and self._target is not None:
            raise ValueError(f"{command}: something is being debugged already")
        if command in FREE:
            return FREE[command](self, arguments)
        if command not in BOUND:
            raise ValueError(f"{command}: not supported")
        if self._target is None:
            raise ValueError(f"{command}: launch or attach comes first")
        if self._going is not None and command in STANDING:
            raise ValueError("notStopped")
        return BOUND[command](self, arguments)

    # The life of a session

    def _do_launch(self, arguments: Arguments) -> None:
        self._begin(self._launch(arguments.given, lambda text: self._output(f"{text}\n")), arguments)

    def _attach(self, arguments: Arguments) -> None:
        if self._attachable is None:
            raise ValueError("attach: nothing to attach to; start the server with a program (`retrosim dap PROGRAM`)")
        self._is_attached = True
        self._begin(self._attachable, arguments)

    def _begin(self, opened: Opened, arguments: Arguments) -> None:
        self._target = opened.target
        self._points = Breakpoints(opened.target)
        self._views = Views(opened.target, opened.folders)
        self._monitor = Monitor(opened.target, lambda: self._is_wanted(is_step=True))
        self._stops_on_entry = arguments.given.get("stopOnEntry") is not False
        self._after.append(lambda: self._event("initialized"))

    def _configured(self, _: Arguments) -> None:
        if self._stops_on_entry:
            self._after.append(lambda: self._stopped("entry"))
        else:
            self._going = self._machine.run

    @property
    def _machine(self) -> Target:
        assert self._target is not None
        return self._target

    def _restart(self, _: Arguments) -> None:
        self._machine.reset()
        self._has_exited = False
        self._going = None
        self._views.mark()
        self._configured(_)

    def _disconnect(self, arguments: Arguments) -> None:
        self._is_ending = True
        self._is_terminated = arguments.flag("terminateDebuggee")

    def _terminate(self, _: Arguments) -> None:
        self._going = None
        self._is_terminated = True
        self._after.append(lambda: self._event("terminated"))

    # Running

    def _go(self) -> None:
        """Run until something stops the machine, or a request comes."""
        going = self._going
        assert going is not None
        is_step = going != self._machine.run and going != self._machine.run_back
        try:
            stop = going(lambda: self._is_wanted(is_step))
        except (ValueError, RetrosimError) as error:  # a step out of a routine without a caller
            self._going = None
            self._output(f"{error}\n")
            self._stopped("step")
            return
        if self._is_ending or (stop.reason == "interrupted" and self._pending):
            return  # what the client sent comes first; `pause` is among it, or the machine goes on
        if stop.point is not None and (message := self._points.messages.get(stop.point.number)):
            self._output(self._inserted(message) + "\n")
            return
        self._going = None
        if stop.reason == "exit" and self._has_exited:
            self._event("exited", exitCode=self._machine.machine.exit_status or 0)
            self._event("terminated")
            return
        self._has_exited = stop.reason == "exit"
        self._tell(stop)

    def _is_wanted(self, is_step: bool) -> bool:
        if not self._is_ending and len(self._pending) < MAX_PENDING and self.stream.is_ready():
            try:
                self._receive()
            except BadStream:
                self._is_ending = True
        if is_step and len(self._pending) < MAX_PENDING:
            return self._is_ending or any(each.get("command") in URGENT for each in self._pending)
        return self._is_ending or bool(self._pending)

    def _inserted(self, message: str) -> str:
        """Return the text of a log point, with the values of the expressions in braces."""

        def value(match: re.Match[str]) -> str:
            try:
                return str(self._machine.debugger.evaluate(match[1]))
            except ValueError as error:
                return f"<{error}>"

        return _INSERTED.sub(value, message)

    def _tell(self, stop: Stop) -> None:
        """Say why the machine stands still."""
        number = None if stop.point is None else stop.point.number
        reason = REASONS.get(stop.reason, stop.reason)
        if number is not None:
            reason = self._points.kinds.get(number, reason)
        if reason in ("beginning", TAPE_ENDS, "exit", "budget"):
            self._output(f"{stop}\n")
            reason = "pause"
        elif reason == "until":
            reason = "step"
        self._stopped(reason, str(stop), [] if number is None else [number])

    def _stopped(self, reason: str, text: str = "", points: Sequence[int] = ()) -> None:
        body: dict[str, Any] = {"reason": reason, "threadId": THREAD, "allThreadsStopped": True}
        if text:
            body |= {"description": text, "text": text}
        if points:
            body["hitBreakpointIds"] = list(points)
        self._event("stopped", **body)

    def _start(self, go: Going) -> None:
        self._views.mark()
        self._going = go

    def _step(self, arguments: Arguments, by_instruction: Going, by_line: Going) -> None:
        is_fine = arguments.text("granularity", "line") == "instruction"
        self._start(by_instruction if is_fine else by_line)

    def _continue(self, _: Arguments) -> dict[str, Any]:
        self._start(self._machine.run)
        return {"allThreadsContinued": True}

    def _pause(self, _: Arguments) -> None:
        if self._going is not None:
            self._going = None
            self._after.append(lambda: self._stopped("pause"))

    # Looking

    def _evaluate(self, arguments: Arguments) -> dict[str, Any]:
        text = arguments.text("expression")
        words = text.split()
        is_console, symbols = arguments.text("context", "") == "repl", self._machine.machine.image.symbols
        if is_console and words and words[0] in PASSED_ON and words[0] not in symbols:
            return {"result": self._monitor.answer(text).rstrip("\n"), "variablesReference": 0}
        return self._views.evaluate(text)


Answer = Callable[[DapSession, Arguments], "dict[str, Any] | None"]

# requests that may come at any time
FREE: dict[str, Answer] = {
    "initialize": lambda self, a: CAPABILITIES,
    "launch": DapSession._do_launch,
    "attach": DapSession._attach,
    "disconnect": DapSession._disconnect,
}
# requests about the machine
BOUND: dict[str, Answer] = {
    "configurationDone": DapSession._configured,
    "restart": DapSession._restart,
    "terminate": DapSession._terminate,
    "threads": lambda self, a: {"threads": [{"id": THREAD, "name": self._machine.machine.name}]},
    "pause": DapSession._pause,
    "setBreakpoints": lambda self, a: {"breakpoints": self._points.lines(a)},
    "setFunctionBreakpoints": lambda self, a: {"breakpoints": self._points.functions(a)},
    "setInstructionBreakpoints": lambda self, a: {"breakpoints": self._points.instructions(a)},
    "setDataBreakpoints": lambda self, a: {"breakpoints": self._points.data(a)},
    "setExceptionBreakpoints": lambda self, a: {"breakpoints": self._points.events(a)},
    "dataBreakpointInfo": lambda self, a: self._views.data_info(a),
    "source": lambda self, a: self._views.source(a),
    "continue": DapSession._continue,
    "reverseContinue": lambda self, a: self._start(self._machine.run_back),
    "next": lambda self, a: self._step(a, self._machine.over, self._machine.line_over),
    "stepIn": lambda self, a: self._step(a, lambda _: self._machine.step(), self._machine.line_into),
    "stepOut": lambda self, a: self._start(self._machine.out),
    "stepBack": lambda self, a: self._step(a, self._machine.step_back, self._machine.line_back),
    "stackTrace": lambda self, a: self._views.stack(a),
    "scopes": lambda self, a: self._views.scopes(a),
    "variables": lambda self, a: self._views.variables(a),
    "setVariable": lambda self, a: self._views.set_variable(a),
    "evaluate": DapSession._evaluate,
    "readMemory": lambda self, a: self._views.read_memory(a),
    "writeMemory": lambda self, a: self._views.write_memory(a),
    "disassemble": lambda self, a: self._views.disassemble(a),
}
# those of them that need a machine that stands still
STANDING = frozenset(BOUND) - {
    "configurationDone", "restart", "terminate", "threads", "pause", "setBreakpoints", "setFunctionBreakpoints",
    "setInstructionBreakpoints", "setDataBreakpoints", "setExceptionBreakpoints", "dataBreakpointInfo", "source",
}  # fmt: skip
