"""What gdb's packets mean: one client, one thread, one machine, which stands still but for `c`, `s`, `bc` and `bs`.

Source: Debugging with GDB, appendix E (Remote Serial Protocol)
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from retrosim.console.commands import Monitor
from retrosim.console.target import EVERYWHERE, TAPE_ENDS
from retrosim.errors import BusError, IllegalInstruction, RetrosimError, SystemCall

if TYPE_CHECKING:
    from retrosim.console.target import Target
    from retrosim.debug import Point, Stop
    from retrosim.rom import Image

    from .stream import Stream


# The registers of a machine as gdb knows them: its target description, and values in its order.
#
# gdb asks for some registers by its own names, in its own order; which of the CPU's they are is said here, for each
# family. Whatever else the CPU's description names follows in a feature of ours, so gdb's `info registers` shows it.
#
# Source: Debugging with GDB, appendix G.5 (Standard Target Features: i386, M68K, PowerPC)

CODE, DATA = "code_ptr", "data_ptr"


@dataclass(frozen=True)
class GdbCore:
    """What gdb must have of a family.

    feature   its name
    names     gdb's names in its order
    ours      gdb's name -> the CPU's, where that is another
    types     gdb's name -> type, where it is not a number
    traps_before  does gdb expect a watchpoint to stop before the instruction that touches the memory?
    absent    (name, bits) of registers that gdb insists on and no machine here has: they are sent as unavailable
    """

    feature: str
    names: Sequence[str]
    ours: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    absent: Sequence[tuple[str, int]] = ()
    traps_before: bool = False


_FPU = tuple((f"st{i}", 80) for i in range(8)) + tuple(
    (name, 32) for name in ("fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop")
)

CORES = {
    "EM_68K": GdbCore(
        "org.gnu.gdb.m68k.core",
        (*(f"d{i}" for i in range(8)), *(f"a{i}" for i in range(6)), "fp", "sp", "ps", "pc"),
        ours={"fp": "a6", "sp": "a7", "ps": "sr"},
        types={**{f"a{i}": DATA for i in range(6)}, "fp": DATA, "sp": DATA, "pc": CODE},
    ),
    "EM_386": GdbCore(
        "org.gnu.gdb.i386.core",
        ("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip", "eflags", "cs", "ss", "ds", "es", "fs", "gs"),
        ours={"eip": "pc"},
        types={"esp": DATA, "ebp": DATA, "eip": CODE},
        absent=_FPU,
    ),
    "EM_PPC": GdbCore(
        "org.gnu.gdb.power.core",
        (*(f"r{i}" for i in range(32)), "pc", "msr", "cr", "lr", "ctr", "xer", "mq"),
        types={"pc": CODE, "lr": CODE},
        traps_before=True,  # as the DABR of the 604 and later does
    ),
}
ARCHITECTURES = {
    "m68000": "m68k:68000", "m68040": "m68k:68040", "i286": "i8086", "i386": "i386", "i486": "i386",
    "ppc601": "powerpc:601",
}  # fmt: skip
REAL_MODE = "i8086"
OTHERS = "org.retrosim.others"


def architecture(image: Image) -> str:
    """Return what gdb calls the processor that an image is for."""
    return REAL_MODE if image.boot == "real" else ARCHITECTURES[image.isa]


@dataclass(frozen=True)
class Slot:
    """A register of the target description; `ours` is None for one that no machine has."""

    name: str
    bytes: int
    ours: str | None
    feature: str
    type: str


class RegisterFile:
    """All registers of a machine in gdb's order."""

    def __init__(self, target: Target) -> None:
        machine = target.machine
        core, host = CORES[machine.image.family.machine], machine.core.cpu.host
        self.traps_before = core.traps_before
        self._regs, self._set = target.machine.regs, target.set_register
        self._order: Literal["big", "little"] = machine.image.byte_order
        self._architecture = architecture(machine.image)
        self.slots: list[Slot] = []
        for name in core.names:
            known = core.ours.get(name, name)
            ours = known if known in host.registers else host.aliases.get(known)
            self.slots.append(Slot(name, 4, ours, core.feature, core.types.get(name, "int32")))
        for name, bits in core.absent:
            self.slots.append(Slot(name, bits // 8, None, core.feature, "i387_ext" if bits == 80 else "int32"))
        shown = {slot.ours for slot in self.slots}
        for name, register in host.registers.items():
            if name not in shown:
                self.slots.append(Slot(name, -(-register.bits // 8), name, OTHERS, f"uint{register.bits}"))

    def xml(self) -> bytes:
        """Return the target description."""
        lines = ['<?xml version="1.0"?>', '<!DOCTYPE target SYSTEM "gdb-target.dtd">', '<target version="1.0">']
        lines.append(f"  <architecture>{self._architecture}</architecture>")
        feature = ""
        for number, slot in enumerate(self.slots):
            if slot.feature != feature:
                lines += ["  </feature>"] if feature else []
                feature = slot.feature
                lines.append(f'  <feature name="{feature}">')
            bits = 8 * slot.bytes
            lines.append(f'    <reg name="{slot.name}" bitsize="{bits}" type="{slot.type}" regnum="{number}"/>')
        return "\n".join([*lines, "  </feature>", "</target>", ""]).encode()

    def read(self, number: int) -> str:
        """Return a register as hexadecimal digits, x for one that the machine does not have. Errors: IndexError."""
        slot = self.slots[number]
        if slot.ours is None:
            return "xx" * slot.bytes
        return self._regs[slot.ours].to_bytes(slot.bytes, self._order).hex()

    def write(self, number: int, digits: str) -> None:
        """Write a register. Errors: IndexError; ValueError for digits or a value that do not fit."""
        slot = self.slots[number]
        data = bytes.fromhex(digits)
        if len(data) != slot.bytes:
            raise ValueError(f"{slot.name}: {len(data)} bytes, it has {slot.bytes}")
        if slot.ours is not None:
            self._set(slot.ours, int.from_bytes(data, self._order))

    def read_all(self) -> str:
        """Return all registers as hexadecimal digits."""
        return "".join(map(self.read, range(len(self.slots))))

    def write_all(self, digits: str) -> None:
        """Write all registers; what is x stays as it is. Errors: ValueError."""
        if len(digits) != 2 * sum(slot.bytes for slot in self.slots):
            raise ValueError("not as many registers as there are")
        at = 0
        for number, slot in enumerate(self.slots):
            text = digits[at : at + 2 * slot.bytes]
            at += 2 * slot.bytes
            if slot.ours is not None and "x" not in text.lower() and text.lower() != self.read(number):
                self.write(number, text)


# The framing of gdb's remote protocol: `$payload#checksum`, acknowledged by `+`; an interrupt is the byte 3.
#
# Source: Debugging with GDB, appendix E.1 (Overview), E.10 (Interrupts)

MAX_PAYLOAD = 0x8000  # bytes of a packet, escapes included; gdb is told so
_ESCAPE, _FLIP = 0x7D, 0x20
_START, _END, _INTERRUPT = b"$", b"#", 3
_SPECIAL = b"$#}*"


@dataclass(frozen=True)
class Packet:
    """A packet; `payload` is without escapes, and None where the checksum or the length was wrong."""

    payload: bytes | None


class Interrupt:
    """The client wants the machine to stop."""


def packed(payload: bytes) -> bytes:
    """Return a payload as a packet."""
    escaped = b"".join(bytes((_ESCAPE, b ^ _FLIP)) if b in _SPECIAL else bytes((b,)) for b in payload)
    return b"$%b#%02x" % (escaped, sum(escaped) & 0xFF)


class Unpacker:
    """Takes bytes as they come and gives packets; what is between packets (acknowledgments, noise) is skipped."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Packet | Interrupt]:
        """Return what is complete now, in order."""
        self._buffer += data
        found: list[Packet | Interrupt] = []
        while (each := self._next()) is not None:
            found.append(each)
        return found

    def _next(self) -> Packet | Interrupt | None:
        buffer = self._buffer
        start = buffer.find(_START)
        interrupt = buffer.find(_INTERRUPT, 0, start if start >= 0 else len(buffer))
        if interrupt >= 0:
            del buffer[: interrupt + 1]
            return Interrupt()
        if start < 0:
            buffer.clear()
            return None
        del buffer[:start]
        end = buffer.find(_END, 1, MAX_PAYLOAD + 2)
        if end < 0:
            if len(buffer) < MAX_PAYLOAD + 2:
                return None
            del buffer[:1]  # not the beginning of a packet that anybody may send
            return Packet(None)
        if len(buffer) < end + 3:
            return None
        body, digits = bytes(buffer[1:end]), bytes(buffer[end + 1 : end + 3])
        del buffer[: end + 3]
        return Packet(_unescaped(body) if digits.lower() == b"%02x" % (sum(body) & 0xFF) else None)


def _unescaped(body: bytes) -> bytes:
    if _ESCAPE not in body:
        return body
    result, is_escaped = bytearray(), False
    for byte in body:
        if byte == _ESCAPE and not is_escaped:
            is_escaped = True
        else:
            result.append(byte ^ _FLIP if is_escaped else byte)
            is_escaped = False
    return bytes(result)


# The one file that gdb may read from the server: the program, so that it has symbols wherever it runs.
#
# Source: Debugging with GDB, appendix E.7 (Host I/O Packets), E.13 (File-I/O: struct stat)

NOT_FOUND, BAD_HANDLE, NOT_ALLOWED = 2, 9, 13
HANDLE = 3
READ_ONLY_FILE = 0o100444
STAT = struct.Struct(">IIIIIIIQQQIII")  # device .. rdev, size, block size, blocks, three times


class VFiles:
    """Answers vFile packets. `elf`: the file's contents, b"" for none."""

    NAME = b"/retrosim/program.elf"

    def __init__(self, elf: bytes) -> None:
        self.elf = elf

    def answer(self, text: str, max_bytes: int) -> bytes:
        """Return the answer to a packet; b"" for one that is not known. Errors: ValueError."""
        name, _, arguments = text.partition(":")
        parts = arguments.split(",")
        if name == "setfs":
            return b"F0"
        if name == "open":
            if bytes.fromhex(parts[0]) != self.NAME or not self.elf:
                return self._error(NOT_FOUND)
            return b"F%x" % HANDLE if int(parts[1], 16) == 0 else self._error(NOT_ALLOWED)
        if name not in ("close", "fstat", "pread"):
            return b""
        if int(parts[0], 16) != HANDLE:
            return self._error(BAD_HANDLE)
        if name == "close":
            return b"F0"
        if name == "fstat":
            size = len(self.elf)
            return self._data(STAT.pack(0, 0, READ_ONLY_FILE, 1, 0, 0, 0, size, 4096, -(-size // 512), 0, 0, 0))
        count, offset = int(parts[1], 16), int(parts[2], 16)
        if count < 0 or offset < 0:
            raise ValueError(f"{arguments[:40]!r}: allowed 0 or more")
        return self._data(self.elf[offset : offset + min(count, max_bytes)])

    @staticmethod
    def _data(data: bytes) -> bytes:
        return b"F%x;%b" % (len(data), data)

    @staticmethod
    def _error(number: int) -> bytes:
        return b"F-1,%x" % number


OPENINGS = b"$+-\x03"  # what a client may begin with: whoever begins otherwise (a browser) is no gdb
MAX_DATA = MAX_PAYLOAD // 2 - 16  # bytes in an answer, two digits each or escaped
MAX_OUTPUT = 256  # characters of the console in a packet
ERROR, NO_MEMORY = b"E01", b"E14"  # EPERM for want of a better one, EFAULT
TRAP, INTERRUPTED, SEGMENT = 5, 2, 11
SIGNALS = ((IllegalInstruction, 4), (BusError, 10), (SystemCall, 12))
ACCESSES = {2: "write", 3: "read", 4: "access"}  # kind of a watchpoint -> what it watches
WATCHES = {"write": b"watch", "read": b"rwatch", "access": b"awatch"}
IN_WORDS = ("fault", "budget", "error", TAPE_ENDS)  # reasons that gdb's user is told in words
MEMORY_MAP = b"""<?xml version="1.0"?>
<!DOCTYPE memory-map PUBLIC "+//IDN gnu.org//DTD GDB Memory Map V1.0//EN" "http://sourceware.org/gdb/gdb-memory-map.dtd">
<memory-map><memory type="ram" start="0x0" length="0x%x"/></memory-map>
""" % (EVERYWHERE + 1)


class Ended(Exception):
    """The client has ended the session; `is_killed` says whether it wants the server to end as well."""

    def __init__(self, is_killed: bool) -> None:
        super().__init__()
        self.is_killed = is_killed


class GdbSession:
    """A client's session, from its first byte to its last.

    target    the machine
    stream    the client
    elf       the program as an ELF file, for clients that have none; b"" for none
    attached  does the machine go on without the client?
    """

    def __init__(self, target: Target, stream: Stream, elf: bytes = b"", attached: bool = False) -> None:
        self.target, self.stream, self.attached = target, stream, attached
        self.registers = RegisterFile(target)
        self.files = VFiles(elf)
        self.monitor = Monitor(target, self._is_wanted)
        self._unpacker = Unpacker()
        self._pending: deque[Packet | Interrupt] = deque()
        self._acknowledges = True
        self._tells_breakpoints: dict[bytes, bool] = {}
        self._set: dict[tuple[int, int, int], Point] = {}  # (kind, address, size) of breakpoints -> the debugger's
        self._stop: Stop | None = None
        self._has_exited = False
        self._is_ending = False

    def serve(self) -> bool:
        """Serve the client until it goes; return whether another may come. Errors: OSError."""
        data = self.stream.receive()
        try:
            if data and data[0] not in OPENINGS:
                return True
            while data:
                self._pending += self._unpacker.feed(data)
                while self._pending:
                    self._take(self._pending.popleft())
                data = self.stream.receive()
        except Ended as end:
            return not end.is_killed
        finally:
            for key in list(self._set):
                self._remove(key)
        return True

    def _take(self, each: Packet | Interrupt) -> None:
        if isinstance(each, Interrupt):  # the machine stands still
            return
        if self._acknowledges:
            self.stream.send(b"-" if each.payload is None else b"+")
        if each.payload is not None:
            self.stream.send(packed(self.answer(each.payload)))

    def answer(self, payload: bytes) -> bytes:
        """Return the answer to a packet; b"" for one that is not known. Errors: Ended."""
        text = payload.decode("latin-1")
        try:
            for prefix, method in COMMANDS:
                if text.startswith(prefix):
                    return method(self, text[len(prefix) :])
        except (ValueError, IndexError, OverflowError):
            return ERROR
        return b""

    # What the server is and has

    def _supported(self, text: str) -> bytes:
        offered = text.lstrip(":").split(";")
        self._tells_breakpoints = {name: name.decode() + "+" in offered for name in (b"swbreak", b"hwbreak")}
        features = f"PacketSize={MAX_PAYLOAD:x};QStartNoAckMode+;qXfer:features:read+;qXfer:memory-map:read+;"
        features += "vContSupported+;swbreak+;hwbreak+;ReverseStep+;ReverseContinue+"
        return (features + (";qXfer:exec-file:read+" if self.files.elf else "")).encode()

    def _no_acknowledgments(self, _: str) -> bytes:
        self._acknowledges = False
        return b"OK"

    def _transfer(self, text: str) -> bytes:
        kind, operation, annex, span = text.split(":", 3)
        contents = {
            ("features", "target.xml"): self.registers.xml,
            ("memory-map", ""): lambda: MEMORY_MAP,
            ("exec-file", annex): lambda: self.files.NAME if self.files.elf else b"",
        }
        if operation != "read" or (kind, annex) not in contents:
            return b""
        offset, length = _numbers(span)
        content = contents[kind, annex]()
        part = content[offset : offset + min(length, MAX_DATA)]
        return (b"l" if offset + len(part) >= len(content) else b"m") + part

    # Registers and memory

    def _write_registers(self, text: str) -> bytes:
        self.registers.write_all(text)
        return b"OK"

    def _write_register(self, text: str) -> bytes:
        number, digits = text.split("=")
        self.registers.write(_number(number), digits)
        return b"OK"

    def _read_memory(self, text: str) -> bytes:
        address, size = _numbers(text)
        if address > EVERYWHERE:
            return NO_MEMORY
        return self.target.read(address, min(size, MAX_DATA)).hex().encode()

    def _write_memory(self, text: str) -> bytes:
        where, digits = text.split(":", 1)
        return self._write(where, bytes.fromhex(digits))

    def _write_binary(self, text: str) -> bytes:
        where, data = text.split(":", 1)
        return self._write(where, data.encode("latin-1"))

    def _write(self, where: str, data: bytes) -> bytes:
        address, size = _numbers(where)
        if size != len(data):
            return ERROR
        if address + size > EVERYWHERE + 1:
            return NO_MEMORY
        self.target.write(address, data)
        return b"OK"

    # Breakpoints

    def _insert(self, text: str) -> bytes:
        kind, address, size = key = self._breakpoint(text)
        if kind > 4:
            return b""
        if key not in self._set:
            debugger, access = self.target.debugger, ACCESSES.get(kind)
            self._set[key] = debugger.watchpoint(address, size, access) if access else debugger.breakpoint(address)
        return b"OK"

    def _take_out(self, text: str) -> bytes:
        key = self._breakpoint(text)
        if key[0] > 4:
            return b""
        if key in self._set:
            self._remove(key)
        return b"OK"

    def _breakpoint(self, text: str) -> tuple[int, int, int]:
        kind, address, size = _numbers(text.split(";")[0], 3)
        return kind, address, size

    def _remove(self, key: tuple[int, int, int]) -> None:
        point = self._set.pop(key)
        if point in self.target.debugger.points:  # `monitor delete` may have been asked for
            self.target.debugger.remove(point)

    # Running

    def _continue(self, text: str) -> bytes:
        self._go_to(text)
        return self._ran(lambda: self._as_gdb_expects(self.target.run(self._is_wanted)))

    def _as_gdb_expects(self, stop: Stop) -> Stop:
        """Undo the access that a watchpoint has seen, where gdb then executes it itself."""
        if self.registers.traps_before and stop.reason == "watchpoint" and stop.by is not None:
            self.target.step_back(self._is_wanted)
        return stop

    def _single_step(self, text: str) -> bytes:
        self._go_to(text)
        return self._ran(self.target.step)

    def _go_to(self, text: str) -> None:
        if text:
            self.target.set_register("pc", _number(text))

    def _actions(self, text: str) -> bytes:
        """vCont: the first action, because there is one thread."""
        action = text.split(";")[0].split(":")[0]
        if action[:1] in ("c", "C"):
            return self._continue("")
        if action[:1] in ("s", "S"):
            return self._single_step("")
        if action[:1] == "r":
            start, end = _numbers(action[1:])
            return self._ran(lambda: self.target.step_in_range(start, end, self._is_wanted))
        return ERROR

    def _ran(self, go: Callable[[], Stop]) -> bytes:
        stop = self._stop = go()
        if stop.reason in IN_WORDS:
            self._print(f"{stop.fault or stop.text or stop}\n")
        if stop.reason == "exit":
            if self._has_exited:  # it has been told, and gone on from
                return b"W%02x" % ((self.target.machine.exit_status or 0) & 0xFF)
            status = self.target.machine.exit_status
            self._print(f"the program has exited, status {status}; `continue` ends gdb's session as well\n")
        self._has_exited = stop.reason == "exit"
        return self._stop_reply("")

    def _is_wanted(self) -> bool:
        """Look whether the client has sent something: an interrupt, or its end."""
        if not self._is_ending and self.stream.is_ready():
            data = self.stream.receive()
            self._is_ending = not data
            self._pending += self._unpacker.feed(data)
        return bool(self._pending) or self._is_ending

    def _stop_reply(self, _: str) -> bytes:
        stop = self._stop
        if stop is None:
            return b"T%02xthread:1;" % TRAP
        if stop.reason == "fault":
            signal = next((number for kind, number in SIGNALS if isinstance(stop.fault, kind)), SEGMENT)
        else:
            signal = INTERRUPTED if stop.reason == "interrupted" else TRAP
        return b"T%02x%bthread:1;" % (signal, self._why(stop))

    def _why(self, stop: Stop) -> bytes:
        if stop.reason == "watchpoint" and stop.point is not None:
            return b"%b:%x;" % (WATCHES.get(stop.point.access, b"watch"), stop.address or 0)
        if stop.reason == "beginning":
            return b"replaylog:begin;"
        if stop.reason == "breakpoint":
            here = {kind for kind, address, _ in self._set if address == stop.pc}
            name = b"hwbreak" if here == {1} else b"swbreak"
            return name + b":;" if self._tells_breakpoints.get(name) else b""
        return b""

    def _print(self, text: str) -> None:
        """Show text on the client's console, while it waits for a command to end."""
        for start in range(0, len(text), MAX_OUTPUT):
            part = text[start : start + MAX_OUTPUT].encode("utf-8", "replace")
            self.stream.send(packed(b"O" + part.hex().encode()))

    # The rest

    def _command(self, text: str) -> bytes:
        line = bytes.fromhex(text).decode("utf-8", "replace")
        try:
            self._print(self.monitor.answer(line))
        except (RetrosimError, ValueError) as error:
            self._print(f"{error}\n")
        return b"OK"

    def _end(self, is_killed: bool) -> bytes:
        self.stream.send(packed(b"OK"))
        raise Ended(is_killed)


def _number(text: str) -> int:
    return int(text, 16)


def _numbers(text: str, count: int = 2) -> list[int]:
    """Return hexadecimal numbers between commas. Errors: ValueError for another count, and for negative ones."""
    numbers = [int(part, 16) for part in text.split(",")]
    if len(numbers) != count or min(numbers) < 0:
        raise ValueError(f"{text[:40]!r}: allowed {count} numbers")
    return numbers


# what a packet begins with -> what answers the rest of it; longer ones first
COMMANDS: tuple[tuple[str, Callable[[GdbSession, str], bytes]], ...] = (
    ("qSupported", GdbSession._supported),
    ("QStartNoAckMode", GdbSession._no_acknowledgments),
    ("qXfer:", GdbSession._transfer),
    ("qfThreadInfo", lambda session, _: b"m1"),
    ("qsThreadInfo", lambda session, _: b"l"),
    ("qAttached", lambda session, _: b"1" if session.attached else b"0"),
    ("qSymbol", lambda session, _: b"OK"),
    ("qRcmd,", GdbSession._command),
    ("qC", lambda session, _: b"QC1"),
    ("vCont?", lambda session, _: b"vCont;c;C;s;S;r"),
    ("vCont;", GdbSession._actions),
    ("vFile:", lambda session, text: session.files.answer(text, MAX_DATA)),
    ("vKill", lambda session, _: session._end(is_killed=True)),
    ("bs", lambda session, _: session._ran(lambda: session.target.step_back(session._is_wanted))),
    ("bc", lambda session, _: session._ran(lambda: session.target.run_back(session._is_wanted))),
    ("H", lambda session, _: b"OK"),
    ("T", lambda session, _: b"OK"),
    ("?", GdbSession._stop_reply),
    ("g", lambda session, _: session.registers.read_all().encode()),
    ("G", GdbSession._write_registers),
    ("p", lambda session, text: session.registers.read(_number(text)).encode()),
    ("P", GdbSession._write_register),
    ("m", GdbSession._read_memory),
    ("M", GdbSession._write_memory),
    ("X", GdbSession._write_binary),
    ("Z", GdbSession._insert),
    ("z", GdbSession._take_out),
    ("c", GdbSession._continue),
    # C and S give a signal, which is nothing that a machine could get
    ("C", lambda session, text: session._continue(text.partition(";")[2])),
    ("s", GdbSession._single_step),
    ("S", lambda session, text: session._single_step(text.partition(";")[2])),
    ("D", lambda session, _: session._end(is_killed=False)),
    ("k", lambda session, _: session._end(is_killed=True)),
)
