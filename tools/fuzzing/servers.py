"""What clients of the servers for debuggers send: sessions of packets and messages, valid, changed, and noise."""

from __future__ import annotations

import gc
import json
import os
from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from random import Random
from typing import Any

from .loaders import scratch_folder
from .mutations import NUMBERS, TEXTS, changed_bytes, changed_json
from .target import Find, Target

PACKETS = (4, 40, 400, 2000)  # of a session
MACHINES = ("mc68000-8", "mc68040-25", "i386dx-33", "i486dx2-66", "ppc601-80")
ADDRESSES = (
    0,
    0x1000,
    0x1002,
    0x2000,
    0x7FFFFF,
    0x800000,
    0xF00000,
    0xFFFFFE,
    0xFFFFFF,
    0x1000000,
    0xFFFFFFFF,
    1 << 64,
)
SYMBOLS = ("gFrame", "DetermineCollisions", "sectors.c:50", "gObjects+4", "nowhere", "0x1000", "d0", "eax", "r3")
CHUNKS = (1, 3, 100, 4096)
LOOK_SECONDS = 0.0005
KEPT = 8  # machines of sessions that have ended, at most


class Feed:
    """A client that has said all it will say, and does not listen."""

    def __init__(self, data: bytes, chunk: int) -> None:
        self._parts = [data[at : at + chunk] for at in range(0, len(data), chunk)]
        self.sent = 0

    def is_ready(self) -> bool:
        return True

    def receive(self) -> bytes:
        return self._parts.pop(0) if self._parts else b""

    def send(self, data: bytes) -> None:
        self.sent += len(data)


class Server(Target):
    """A server, and a new machine for each session."""

    ci_inputs = 30
    _sessions = 0

    @cached_property
    def rom(self) -> Any:
        from retrosim.console import target
        from retrosim.rom import load_rom

        target.LOOK_SECONDS = LOOK_SECONDS
        folder = scratch_folder() / "sessions"  # of files that clients save
        folder.mkdir(exist_ok=True)
        os.chdir(folder)
        return load_rom("sectors")

    def machine(self, name: str) -> Any:
        from retrosim.machine import Machine

        return Machine(name, self.rom, engine="interpret")

    def make(self, chance: Random) -> bytes:
        parts = [self.part(chance) for _ in range(chance.randrange(chance.choice(PACKETS)) + 1)]
        if chance.random() < 0.3:
            parts[chance.randrange(len(parts))] = chance.choice(
                (chance.randbytes(20), b"", b"\x03", b"$" * 50, b"[" * 3000)
            )
        head = {"machine": chance.choice(MACHINES), "chunk": chance.choice(CHUNKS)}
        return json.dumps(head).encode() + b"\n" + self.opening + b"".join(parts)

    def is_limited(self, accepted: bool) -> bool:
        return False  # a session takes as long as the client lets the machine run

    @property
    @abstractmethod
    def opening(self) -> bytes:
        """What a session begins with."""

    @abstractmethod
    def part(self, chance: Random) -> bytes:
        """Return one packet or message."""

    @abstractmethod
    def serve(self, machine: Any, feed: Feed) -> None:
        """Serve a session."""

    def attempt(self, data: bytes) -> bool:
        head, _, content = data.partition(b"\n")
        rom = self.rom
        given = json.loads(head)
        machine = self.machine(given["machine"])
        self._sessions += 1
        if self._sessions % KEPT == 0:
            gc.collect()  # machines are in reference cycles
        feed = Feed(content, given["chunk"])
        self.serve(machine, feed)
        if machine.rom is not rom or int(machine.core.state["pc"]) >> 24:
            raise Find("a program counter of more than 24 bits")
        for path in os.listdir():
            os.unlink(path)
        return feed.sent > 0


class Gdb(Server):
    name, about = "gdb", "sessions of gdb's remote protocol, with a machine of each processor"

    opening = b""

    def part(self, chance: Random) -> bytes:
        from retrosim.serve.gdb_session import packed

        payload = _payload(chance).encode("latin-1", "replace")
        if chance.random() < 0.3:
            payload = changed_bytes(chance, payload, (b",:;", b"fffffff"))
        whole = packed(payload)
        return changed_bytes(chance, whole) if chance.random() < 0.05 else whole

    def serve(self, machine: Any, feed: Feed) -> None:
        from retrosim.console.target import Target as Debugged
        from retrosim.serve.gdb_session import GdbSession

        GdbSession(Debugged(machine), feed, b"\x7fELF" * 5000).serve()


def _address(chance: Random) -> str:
    return f"{chance.choice((chance.choice(ADDRESSES), chance.randrange(1 << 24))):x}"


def _size(chance: Random) -> str:
    return f"{abs(chance.choice(NUMBERS)):x}" if chance.random() < 0.3 else f"{chance.randrange(70):x}"


def _monitor(chance: Random) -> str:
    from retrosim.console.commands import PASSED_ON

    words = [chance.choice((*sorted(PASSED_ON), *TEXTS))]
    words += [
        chance.choice((*SYMBOLS, *TEXTS, "state", "state", "picture.png")) for _ in range(chance.choice((0, 1, 1, 2)))
    ]
    return "qRcmd," + " ".join(words).encode("utf-8", "replace").hex()


def _data(chance: Random) -> str:
    return chance.randbytes(chance.choice((0, 1, 4, 16))).hex()


QUESTIONS = [
    "?",
    "g",
    "qC",
    "qfThreadInfo",
    "qsThreadInfo",
    "vCont?",
    "QStartNoAckMode",
    "qSupported:swbreak+;hwbreak+",
    "qAttached",
    "qSymbol::",
    "Hg0",
    "T1",
    "!",
    "R00",
    "qTStatus",
    "vMustReplyEmpty",
]
OBJECTS = ("features", "memory-map", "exec-file", "auxv")
FILES = ("setfs", "open", "pread", "fstat", "close", "unlink")
HANDLES = ("3", "0", b"/retrosim/program.elf".hex())


def _run(chance: Random) -> str:
    where = _address(chance) if chance.random() < 0.1 else "1000"
    return chance.choice(
        ("s", "bs", "vCont;s:1", "vCont;c", f"vCont;r{where},{where}", "c", "bc", f"C05;{where}", f"s{where}")
    )


def _end(chance: Random) -> str:
    return chance.choice(("D", "k", "vKill;1")) if chance.random() < 0.1 else "?"


READS: tuple[Callable[[Random], str], ...] = (
    lambda c: c.choice(QUESTIONS),
    lambda c: f"m{_address(c)},{_size(c)}",
    lambda c: f"M{_address(c)},{_size(c)}:{_data(c)}",
    lambda c: f"X{_address(c)},4:{c.randbytes(4).decode('latin-1')}",
    lambda c: f"p{c.randrange(60):x}",
    lambda c: f"P{c.randrange(60):x}={_data(c)}",
    lambda c: f"G{c.randbytes(c.choice((4, 84, 160, 200))).hex()}",
    lambda c: f"{c.choice('Zz')}{c.randrange(6)},{_address(c)},{_size(c)}",
    lambda c: f"qXfer:{c.choice(OBJECTS)}:read:{c.choice(('target.xml', '', '1'))}:{_size(c)},{_size(c)}",
    lambda c: f"vFile:{c.choice(FILES)}:{c.choice(HANDLES)},{_size(c)},{_size(c)}",
)
RARE = (_run, _monitor, _monitor, _end)


def _payload(chance: Random) -> str:
    return chance.choice(RARE if chance.random() < 0.03 else READS)(chance)


class Dap(Server):
    name, about = "dap", "sessions of the Debug Adapter Protocol, with a machine of each processor"

    @property
    def opening(self) -> bytes:
        return b"".join(
            map(_message, ({"command": "initialize"}, {"command": "attach"}, {"command": "configurationDone"}))
        )

    def part(self, chance: Random) -> bytes:
        request = chance.choice(REQUESTS)
        if chance.random() < 0.5:
            request = changed_json(chance, request)
        if isinstance(request, dict) and isinstance(request.get("arguments"), dict) and chance.random() < 0.5:
            request = {**request, "arguments": changed_json(chance, request["arguments"])}
        whole = _message(request)
        return changed_bytes(chance, whole) if chance.random() < 0.03 else whole

    def serve(self, machine: Any, feed: Feed) -> None:
        from retrosim.cli.commands.dap import words_of
        from retrosim.console.target import Target as Debugged
        from retrosim.serve.dap_session import DapSession, Opened

        opened = Opened(Debugged(machine), [self.rom.path / "src"])

        def launch(arguments: Any, note: Any) -> Opened:
            words_of(arguments)
            return opened

        DapSession(feed, launch, opened).serve()


def _message(request: Any) -> bytes:
    if isinstance(request, dict):
        request = {"seq": 1, "type": "request", **request}
    content = json.dumps(request).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(content), content)


def _request(command: str, **arguments: Any) -> dict[str, Any]:
    return {"command": command, "arguments": arguments}


STEPS = [(name, size) for name in ("next", "stepIn", "stepOut", "stepBack") for size in ("line", "instruction")]
SAID = ("help", "clocks", "wrote gFrame", "stack", "save x", "load x", "picture y", "reset")
REQUESTS: tuple[Any, ...] = (
    _request("launch", program="sectors", machine="mc68040-25", set={"objects": 5}, stopOnEntry=False),
    _request("attach"),
    _request(
        "setBreakpoints",
        source={"path": "sectors.c"},
        breakpoints=[{"line": 50, "condition": "frame > 1", "hitCondition": ">= 2", "logMessage": "{d0} {nothing}"}],
    ),
    _request(
        "setFunctionBreakpoints",
        breakpoints=[{"name": "DetermineCollisions"}, {"name": "Main", "condition": "long[0x1000] > 1"}],
    ),
    _request("setInstructionBreakpoints", breakpoints=[{"instructionReference": "0x1000", "offset": 4}]),
    _request("setDataBreakpoints", breakpoints=[{"dataId": "2000+4", "accessType": "readWrite"}]),
    _request("setExceptionBreakpoints", filters=["exception", "frame"]),
    _request("dataBreakpointInfo", name="gFrame", variablesReference=4),
    _request("dataBreakpointInfo", name="0x2000", bytes=16),
    _request("configurationDone"),
    _request("threads"),
    _request("pause", threadId=1),
    _request("continue", threadId=1),
    _request("reverseContinue", threadId=1),
    *(_request(name, threadId=1, granularity=size) for name, size in STEPS),
    _request("stackTrace", threadId=1, startFrame=0, levels=20),
    _request("scopes", frameId=1),
    *(_request("variables", variablesReference=number, start=0, count=10) for number in range(1, 6)),
    _request("setVariable", variablesReference=1, name="pc", value="0x1000 + 2"),
    _request("setVariable", variablesReference=4, name="gFrame", value="-1"),
    _request("evaluate", expression="byte[0x1000] + frame * 2", context="hover"),
    *(_request("evaluate", expression=text, context="repl") for text in SAID),
    _request("readMemory", memoryReference="0x1000", offset=-4, count=64),
    _request("writeMemory", memoryReference="0xfffff0", offset=4, data="AAAAAA==", allowPartial=True),
    _request(
        "disassemble",
        memoryReference="0x1000",
        offset=2,
        instructionOffset=-20,
        instructionCount=50,
        resolveSymbols=True,
    ),
    _request("source", sourceReference=0, source={"path": "/etc/passwd"}),
    _request("restart"),
    _request("unknown"),
    *(_request(name) for name in ("disconnect", "terminate")),
)


SERVERS = (Gdb(), Dap())
