"""What editors show of a machine that stands still: stack, registers, clocks, memory, disassembly, sources."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrosim.checks import shortened
from retrosim.console.target import EVERYWHERE
from retrosim.debug.conditions import symbol_text
from retrosim.debug.views import Decoder, base_clocks, causes, counted_causes
from retrosim.reading import read_regular

if TYPE_CHECKING:
    from retrosim.console.target import Target
    from retrosim.cpu.spec.rows import Insn

    from .dap_messages import Arguments

MAX_FRAMES = 256
MAX_BYTES = 1 << 20  # of memory in an answer
MAX_INSTRUCTIONS = 1024
MAX_SOURCE_BYTES = 1 << 20
MAX_VARIABLES = 5000
REGISTERS, CLOCKS, CAUSES, GLOBALS = 1, 2, 3, 4  # variable references
_NOWHERE = {"address": "0x0", "instruction": "(no memory)", "presentationHint": "invalid"}
SIZES = (1, 2, 4)  # bytes of variables that have a value


class Views:
    """Answers requests that change nothing but a register or memory. All errors are ValueErrors."""

    def __init__(self, target: Target, folders: Sequence[Path] = ()) -> None:
        self._target, self._folders = target, folders
        self._files: dict[str, Path | None] = {}
        self.mark()

    def mark(self) -> None:
        """Count clocks from here on, when the machine starts to run."""
        machine = self._target.machine
        self._since = (machine.cycles, machine.instructions)
        self._causes_before = counted_causes(machine)

    # Stack and sources

    def stack(self, arguments: Arguments) -> dict[str, Any]:
        """stackTrace."""
        start, levels = arguments.integer("startFrame", 0, MAX_FRAMES, 0), arguments.integer("levels", 0, 1 << 31, 0)
        frames = self._target.debugger.call_stack(MAX_FRAMES)
        shown = []
        for number, frame in enumerate(frames):
            said: dict[str, Any] = {
                "id": number + 1,
                "name": frame.name,
                "line": frame.line or 0,
                "column": 1 if frame.line else 0,
                "instructionPointerReference": f"{frame.pc:#x}",
            }
            if frame.file:
                said["source"] = self.source_of(frame.file)
            shown.append(said)
        end = start + levels if levels else None
        return {"stackFrames": shown[start:end], "totalFrames": len(shown)}

    def source_of(self, file: str) -> dict[str, Any]:
        """Return a source as the protocol has it; its path only where the file is found."""
        path = self.path_of(file)
        name = file.rpartition("/")[2]
        return {"name": name, "path": str(path)} if path else {"name": name, "presentationHint": "deemphasize"}

    def path_of(self, file: str) -> Path | None:
        """Return where a source file of the program is."""
        if file not in self._files:
            tries = [path for folder in self._folders for path in (folder / file, folder / Path(file).name)]
            self._files[file] = next((path.resolve() for path in tries if _is_file(path)), None)
        return self._files[file]

    def source(self, arguments: Arguments) -> dict[str, Any]:
        """Source: the text of a file of the program, and of no other."""
        wanted = arguments.part("source").text("path", "")
        for file in {file for _, file, _ in self._target.machine.image.lines}:
            path = self.path_of(file)
            if path is not None and str(path) == wanted:
                content = read_regular(path, MAX_SOURCE_BYTES)[:MAX_SOURCE_BYTES]
                return {"content": content.decode("utf-8", "replace")}
        raise ValueError(f"{shortened(wanted)!r} is no source file of the program, or is not here")

    # Variables

    def scopes(self, arguments: Arguments) -> dict[str, Any]:
        """scopes."""
        names = [("Registers", REGISTERS, "registers"), ("Clocks", CLOCKS, None)]
        if self._target.machine.timing == "causes":
            names.append(("Causes of clocks", CAUSES, None))
        names.append(("Globals", GLOBALS, "globals"))
        scopes = []
        for name, number, hint in names:
            scope: dict[str, Any] = {"name": name, "variablesReference": number, "expensive": number == GLOBALS}
            scopes.append(scope | ({"presentationHint": hint} if hint else {}))
        return {"scopes": scopes}

    def variables(self, arguments: Arguments) -> dict[str, Any]:
        """variables."""
        number = arguments.integer("variablesReference", 0, 1 << 31)
        groups: dict[int, Callable[[], list[dict[str, Any]]]] = {
            REGISTERS: self._registers,
            CLOCKS: self._clocks,
            CAUSES: self._causes,
            GLOBALS: self._globals,
        }
        if number not in groups:
            raise ValueError(f"variablesReference {number}: allowed {', '.join(map(str, groups))}")
        start = arguments.integer("start", 0, 1 << 31, 0)
        count = arguments.integer("count", 0, 1 << 31, 0) or MAX_VARIABLES
        return {"variables": groups[number]()[start : start + count]}

    def _registers(self) -> list[dict[str, Any]]:
        known = self._target.machine.core.cpu.host.registers
        shown = []
        for name, value in self._target.machine.regs.items():
            digits = -(-known[name].bits // 4)
            each = _variable(name, f"0x{value:0{digits}x}", f"{known[name].bits} bits")
            shown.append(each | ({"memoryReference": f"{value:#x}"} if value <= EVERYWHERE else {}))
        return shown

    def _clocks(self) -> list[dict[str, Any]]:
        machine, (cycles, instructions) = self._target.machine, self._since
        period = float(machine.clock_hz / machine.frame_hz)
        rows = {
            "since the last stop": f"{machine.cycles - cycles:,} clocks",
            "instructions since the last stop": f"{machine.instructions - instructions:,}",
            "since power-on": f"{machine.cycles:,} clocks",
            "instructions since power-on": f"{machine.instructions:,}",
            "time since power-on": f"{machine.cycles / machine.clock_hz:.6f} s",
            "frame": f"{machine.frame_number:,}",
            "in this frame": f"{machine.clocks_in_frame:,} clocks",
            "last frame": f"{machine.frame_cycles:,} clocks, {100 * machine.frame_cycles / period:.1f} % of a period",
        }
        return [_variable(name, value) for name, value in rows.items()]

    def _causes(self) -> list[dict[str, Any]]:
        rows = causes(self._target.machine, self._causes_before)
        return [_variable(row.cause, f"{row.clocks:,} clocks, {100 * row.share:.1f} %", row.about) for row in rows]

    def _globals(self) -> list[dict[str, Any]]:
        machine, shown = self._target.machine, []
        for name, symbol in sorted(machine.image.symbols.items()):
            if symbol.kind != "object":
                continue
            each = _variable(name, f"{symbol.size} bytes at {symbol.address:#x}", f"{symbol.size} bytes")
            if symbol.size in SIZES:
                value = int.from_bytes(self._target.read(symbol.address, symbol.size), machine.image.byte_order)
                each["value"] = f"{value} ({value:#x})"
            shown.append(each | {"memoryReference": f"{symbol.address:#x}"})
        return shown

    def set_variable(self, arguments: Arguments) -> dict[str, Any]:
        """setVariable: a register or a global variable; the value is an expression."""
        number, name = arguments.integer("variablesReference", 0, 1 << 31), arguments.text("name")
        value, machine = self._target.debugger.evaluate(arguments.text("value")), self._target.machine
        if number == REGISTERS and name in machine.regs:
            bits = machine.core.cpu.host.registers[name].bits
            self._target.set_register(name, value & ((1 << bits) - 1))
            return {"value": f"{machine.regs[name]:#x}"}
        symbol = machine.image.symbols.get(name)
        if number == GLOBALS and symbol is not None and symbol.kind == "object" and symbol.size in SIZES:
            value &= (1 << 8 * symbol.size) - 1
            self._target.write(symbol.address, value.to_bytes(symbol.size, machine.image.byte_order))
            return {"value": f"{value} ({value:#x})"}
        raise ValueError(f"{shortened(name)!r}: allowed a register, or a global variable of 1, 2 or 4 bytes")

    def evaluate(self, text: str) -> dict[str, Any]:
        """Evaluate: an expression of the debugger's language."""
        value = self._target.debugger.evaluate(text)
        said: dict[str, Any] = {"result": f"{value} ({value:#x})", "variablesReference": 0}
        return said | ({"memoryReference": f"{value:#x}"} if 0 <= value <= EVERYWHERE else {})

    def data_info(self, arguments: Arguments) -> dict[str, Any]:
        """dataBreakpointInfo: a global variable, or an expression that is an address."""
        name, machine = arguments.text("name"), self._target.machine
        reference = arguments.integer("variablesReference", 0, 1 << 31, 0)
        symbol = machine.image.symbols.get(name)
        if reference in (REGISTERS, CLOCKS, CAUSES):
            return {"dataId": None, "description": f"{shortened(name)} is not in memory"}
        if symbol is not None:
            address, size = symbol.address, max(1, symbol.size)
        else:
            address, size = self._target.debugger.evaluate(name), machine.image.family.unit and 4
        size = arguments.integer("bytes", 1, 65536, min(size, 65536))
        if not 0 <= address <= EVERYWHERE + 1 - size:
            return {"dataId": None, "description": f"{address:#x} is outside memory"}
        return {
            "dataId": f"{address:x}+{size:x}",
            "description": f"{size} bytes at {address:#x} ({shortened(name)})",
            "accessTypes": ["read", "write", "readWrite"],
            "canPersist": False,
        }

    # Memory and code

    def read_memory(self, arguments: Arguments) -> dict[str, Any]:
        """readMemory."""
        address = arguments.place("memoryReference", EVERYWHERE)
        count = arguments.integer("count", 0, 1 << 31)
        if not 0 <= address <= EVERYWHERE:
            return {"address": f"{max(0, address):#x}", "unreadableBytes": count}
        data = self._target.read(address, min(count, MAX_BYTES))
        said: dict[str, Any] = {"address": f"{address:#x}", "data": base64.b64encode(data).decode()}
        return said | ({"unreadableBytes": count - len(data)} if len(data) < count else {})

    def write_memory(self, arguments: Arguments) -> dict[str, Any]:
        """writeMemory."""
        address = arguments.place("memoryReference", EVERYWHERE)
        try:
            data = base64.b64decode(str(arguments.given.get("data")), validate=True)
        except binascii.Error as error:
            raise ValueError(f"data: {error}") from None
        if arguments.flag("allowPartial"):
            data = data[: max(0, EVERYWHERE + 1 - address)]
        self._target.write(address, data)
        return {"bytesWritten": len(data)}

    def disassemble(self, arguments: Arguments) -> dict[str, Any]:
        """Disassemble: with the base clocks of each instruction."""
        count = arguments.integer("instructionCount", 0, MAX_INSTRUCTIONS)
        skipped = arguments.integer("instructionOffset", -MAX_INSTRUCTIONS, MAX_INSTRUCTIONS, 0)
        address = arguments.place("memoryReference", EVERYWHERE)
        decoder = Decoder(self._target.machine)
        shown: list[dict[str, Any]] = []
        if skipped < 0:
            before = decoder.before(address, -skipped) if 0 <= address <= EVERYWHERE else []
            shown = [_NOWHERE] * (-skipped - len(before)) + [self._instruction(*each) for each in before]
        if address >= 0:
            following = decoder.following(address, max(0, count + skipped))[max(0, skipped) :]
            shown += [self._instruction(*each) for each in following]
        return {"instructions": (shown + [_NOWHERE] * count)[:count]}

    def _instruction(self, pc: int, insn: Insn | None) -> dict[str, Any]:
        machine = self._target.machine
        code = self._target.read(pc, insn.length if insn else machine.image.family.unit)
        clocks = f"{base_clocks(machine, insn)} clocks" if insn else ""
        text = insn.text if insn else "(no instruction)"
        said: dict[str, Any] = {
            "address": f"{pc:#x}",
            "instructionBytes": code.hex(" "),
            "instruction": f"{text:32} ; {clocks}" if clocks else text,
        }
        if symbol := symbol_text(machine.image, pc):
            said["symbol"] = symbol
        if line := machine.image.source_line(pc):
            said |= {"location": self.source_of(line[0]), "line": line[1]}
        return said


def _variable(name: str, value: str, type: str = "") -> dict[str, Any]:
    return {"name": name, "value": value, "variablesReference": 0} | ({"type": type} if type else {})


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
