"""What can be asked beyond the protocols, as `monitor ...` in gdb and in the console of an editor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from retrosim.checks import did_you_mean, shortened
from retrosim.errors import RetrosimError
from retrosim.reading import read_regular
from retrosim.screen.png import png_bytes

if TYPE_CHECKING:
    from .target import Target

MAX_STATE_BYTES = 64 << 20
MAX_LINE = 4096  # characters


class Monitor:
    """Answers lines with text, and remembers when it was asked last."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._asked = (target.machine.cycles, target.machine.instructions)
        self._causes = self._counted()

    def answer(self, line: str) -> str:
        """Carry out a line; return text that ends with a line feed. Errors: RetrosimError, ValueError."""
        words = line[:MAX_LINE].split() or ["help"]
        if words[0] not in COMMANDS:
            near = did_you_mean(words[0], COMMANDS)
            raise ValueError(f"{shortened(words[0])!r}: allowed {', '.join(COMMANDS)}{near}")
        arguments, _, method = COMMANDS[words[0]]
        wanted = len(arguments.split())
        if len(words) - 1 != wanted:
            raise ValueError(f"allowed {words[0]} {arguments}".rstrip())
        return "".join(f"{text}\n" for text in method(self, *words[1:]))

    def _help(self) -> Sequence[str]:
        names = [(f"{name} {arguments}".rstrip(), about) for name, (arguments, about, _) in COMMANDS.items()]
        width = max(len(name) for name, _ in names)
        return [f"{name:{width}}  {about}" for name, about in names]

    def _clocks(self) -> Sequence[str]:
        machine, (cycles, instructions) = self.target.machine, self._asked
        self._asked = (machine.cycles, machine.instructions)
        seconds = machine.cycles / machine.clock_hz
        return [
            f"{machine.cycles:,} clocks, {machine.instructions:,} instructions, {seconds:.6f} s since power-on",
            f"{machine.cycles - cycles:,} clocks, {machine.instructions - instructions:,} instructions "
            "since the last question",
        ]

    def _frame(self) -> Sequence[str]:
        machine = self.target.machine
        period = float(machine.clock_hz / machine.frame_hz)
        into, last = machine.clocks_in_frame, machine.frame_cycles
        lines = [f"frame {machine.frame_number:,}: {into:,} clocks so far, {100 * into / period:.1f} % of a period"]
        if machine.frame_number:
            lines.append(f"the one before: {last:,} clocks, {100 * last / period:.1f} %")
        return lines

    def _counted(self) -> dict[str, int]:
        machine = self.target.machine
        if machine.timing != "causes":
            return {}
        return dict(zip(machine.core.cpu.causes, map(int, machine.core.state["causes"])))

    def _by_cause(self) -> Sequence[str]:
        machine = self.target.machine
        if "causes" not in machine.core.cpu.timing:
            raise ValueError(f"{machine.name} has no pipeline whose clocks have causes")
        if machine.timing != "causes":
            raise ValueError("clocks are not counted by cause: start retrosim with --causes")
        counted, before = self._counted(), self._causes
        self._causes = counted
        rows = [(name, count - before[name], about) for name, count in counted.items() for about in [self._about(name)]]
        rows = [row for row in sorted(rows, key=lambda row: -row[1]) if row[1]]
        return [f"{count:14,}  {name:12} {about}" for name, count, about in rows] or [
            "no clocks since the last question"
        ]

    def _about(self, cause: str) -> str:
        return self.target.machine.core.cpu.causes[cause]

    def _wrote(self, where: str) -> Sequence[str]:
        found = self.target.debugger.last_write(where)
        if found is None:
            return ["nothing wrote there since the machine is being debugged"]
        at = f"instruction {found.time.instructions:,}, clock {found.time.clocks:,}, frame {found.time.frame:,}"
        change = f"{found.old.hex(' ') or '?'} -> {found.new.hex(' ')}"
        return [f"{found.text}" + (f" in {found.where}" if found.where else ""), f"{change}; {at}"]

    def _stack(self) -> Sequence[str]:
        frames = self.target.debugger.call_stack()
        return [f"#{number} {self.target.debugger.describe(each.pc)}" for number, each in enumerate(frames)]

    def _evaluate(self, text: str) -> Sequence[str]:
        value = self.target.debugger.evaluate(text)
        return [f"{value} ({value:#x})"]

    def _save(self, name: str) -> Sequence[str]:
        return _write_new(name, self.target.machine.save())

    def _picture(self, name: str) -> Sequence[str]:
        return _write_new(name, png_bytes(self.target.machine.frame, self.target.machine.palette))

    def _load(self, name: str) -> Sequence[str]:
        try:
            state = read_regular(name, MAX_STATE_BYTES)
        except (OSError, ValueError) as error:
            raise RetrosimError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
        self.target.load(state)
        return [
            f"frame {self.target.machine.frame_number:,}; gdb: `maintenance flush register-cache` shows the registers"
        ]

    def _reset(self) -> Sequence[str]:
        self.target.reset()
        return ["switched off and on; gdb: `maintenance flush register-cache` shows the registers"]


def _write_new(name: str, content: bytes) -> Sequence[str]:
    """Write a new file. Errors: RetrosimError if it exists or cannot be written."""
    try:
        with Path(name).open("xb") as file:
            file.write(content)
    except FileExistsError:
        raise RetrosimError(f"{name}: exists already and is not overwritten") from None
    except (OSError, ValueError) as error:
        raise RetrosimError(f"{name}: cannot be written: {getattr(error, 'strerror', None) or error}") from None
    return [f"{name}: {len(content):,} bytes"]


# name -> arguments, what it does, the method
COMMANDS: dict[str, tuple[str, str, Callable[..., Sequence[str]]]] = {
    "help": ("", "this list", Monitor._help),
    "clocks": ("", "clocks and instructions, since power-on and since the last question", Monitor._clocks),
    "causes": ("", "what the clocks since the last question went to", Monitor._by_cause),
    "frame": ("", "the frame, and how much of its time is used", Monitor._frame),
    "save": ("FILE", "save the state of the machine in a new file", Monitor._save),
    "load": ("FILE", "go on from a saved state", Monitor._load),
    "wrote": ("ADDRESS", "which instruction wrote a byte last; ADDRESS may be a symbol", Monitor._wrote),
    "stack": ("", "the routines under way, as the machine's own stack tells", Monitor._stack),
    "evaluate": ("EXPRESSION", "an expression of the debugger, such as d0+word[gCount]", Monitor._evaluate),
    "picture": ("PNG", "write the screen to a new file", Monitor._picture),
    "reset": ("", "switch the machine off and on", Monitor._reset),
}
