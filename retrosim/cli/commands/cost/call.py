"""What a routine is called with: the options that say so, and the machine as it is before the call."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrosim.errors import BudgetUsedUp

from ... import values
from ...opening import Chosen, choose
from ...parser import Parser
from ...progress import Progress
from ...settings import BudgetSettings, MachineSettings, check_simulated, refuse
from ...values import bad_arguments

if TYPE_CHECKING:
    from retrosim.machine import Machine

MAX_MEMORY_BYTES = 4096  # of --mem


def add_call(parser: Parser) -> None:
    """Add the options."""
    parser.add_repeatable(
        "--arg", "N", "an argument of the call, decimal, 0x... or a symbol for its address", type=argument
    )
    parser.add_repeatable(
        "--reg",
        "NAME=N",
        "what is in a register at the call, such as a0=screen or d0=100, for code that takes its arguments there",
        type=_register,
    )
    parser.add_repeatable(
        "--mem", "ADDRESS=HEX", "write bytes before the call, such as 0x3000=00ff01 or table=0102", type=_memory
    )
    parser.add_repeatable(
        "--load", "FILE@ADDRESS", "write a file into memory before the call, at an address or a symbol", type=_file
    )
    parser.add_repeatable("--before", "SYMBOL", "call this routine first, without arguments, and keep what it wrote")
    help = "calling convention: c; 68K and real mode pascal; x86 regparm; for registers as on the Amiga use --reg"
    parser.add_argument("--convention", metavar="NAME", help=help)


def argument(text: str) -> int | str | None:
    """Return an argument: a word, the name of a symbol, or None for one that may be any. Errors: ArgumentTypeError."""
    if text == "?":
        return None
    try:
        is_real = not math.isnan(float(text)) and not text.lstrip("+-").isdigit()
    except ValueError:
        is_real = False
    if is_real:
        reason = "a whole number: no machine here has an FPU, and a double is two words of 32 bits in memory order"
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: allowed {reason}")
    if text[:1].isalpha() or text[:1] in "_.@":
        return text
    return values.whole(-(2**31), 2**32 - 1)(text)


def _register(text: str) -> tuple[str, int | str]:
    name, value = values.choice(text, "REGISTER=N, or a symbol for its address, such as d0=100 or a0=screen")
    word = argument(value)
    if word is None:
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: allowed NAME=N")
    return name.lower(), word


def place(text: str) -> int | str:
    """Return an address, or the name of a symbol. Errors: ArgumentTypeError."""
    return values.whole(0, 2**24 - 1)(text) if text[:1].isdigit() else text


def _memory(text: str) -> tuple[int | str, bytes]:
    where, _, digits = text.rpartition("=")
    try:
        content = bytes.fromhex(digits)
    except ValueError:
        content = b""
    if not where or not 0 < len(content) <= MAX_MEMORY_BYTES:
        allowed = f"ADDRESS=HEX, 1..{MAX_MEMORY_BYTES} bytes of two hexadecimal digits; --load for files"
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: allowed {allowed}")
    return place(where), content


def _file(text: str) -> tuple[Path, int | str]:
    name, _, where = text.rpartition("@")
    if not name or not where:
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: allowed FILE@ADDRESS or FILE@SYMBOL")
    return Path(name), place(where)


Word = int | str


@dataclass(frozen=True)
class CallSettings:
    """What is called, and how.

    entry       symbol or address; None: the only routine there is
    arguments   words, symbols for their addresses, and None for any
    registers   name -> word or symbol
    memory, files  (address or symbol, bytes) and (path, address or symbol), written before the call
    before      routines that are called first
    warm        calls before the one that counts; interval: whether the other answers to open questions are run
    """

    entry: str | None
    arguments: tuple[Word | None, ...]
    registers: Mapping[str, Word]
    memory: tuple[tuple[Word, bytes], ...]
    files: tuple[tuple[Path, Word], ...]
    before: tuple[str, ...]
    convention: str
    warm: int
    interval: bool
    max_instructions: int

    @classmethod
    def of(cls, options: argparse.Namespace) -> CallSettings:
        """Return what was given."""
        return cls(
            entry=options.entry,
            arguments=tuple(options.arg),
            registers=dict(options.reg),
            memory=tuple(options.mem),
            files=tuple(options.load),
            before=tuple(options.before),
            convention=options.convention or "c",
            warm=options.warm,
            interval=options.interval,
            max_instructions=options.max_instructions,
        )

    def keywords(self) -> dict[str, Any]:
        """Return what `Machine.measure` takes beside routine and arguments."""
        more = {"warm": self.warm, "interval": self.interval, "max_instructions": self.max_instructions}
        return self.convention_and_registers() | more

    def convention_and_registers(self) -> dict[str, Any]:
        """Return what `Machine.enter` takes beside them."""
        return {"convention": self.convention, "registers": dict(self.registers)}

    def set_up(self, machine: Machine) -> None:
        """Write files and bytes, then call the routines of --before.

        Errors   RomError for a file; ValueError for an unknown symbol, and beyond memory; CpuFault, RetrosimError
        """
        from retrosim.cost.cost import prepare

        before, limit = map(place, self.before), self.max_instructions
        prepare(machine, files=self.files, memory=self.memory, before=before, max_instructions=limit)


@dataclass(frozen=True)
class CostSettings:
    """A call on a machine.

    can_have_causes  whether clocks are counted by cause where the machine does it
    command          the command line
    """

    machine: MachineSettings
    limits: BudgetSettings
    call: CallSettings
    can_have_causes: bool = True
    command: str = ""

    @property
    def program(self) -> str:
        """What the program was given as."""
        return " ".join([self.machine.rom or "", *self.machine.others])


@dataclass(frozen=True)
class Prepared:
    """A machine before the call, and what is called: name or address of the routine, and arguments."""

    machine: Machine
    entry: str | int
    arguments: list[int | None]
    chosen: Chosen


def prepare_call(settings: CostSettings, progress: Progress) -> Prepared:
    """Open what settings name, run a ROM's first frame, and set memory up.

    Errors   ArgumentError, RomError, AssemblyError; BudgetUsedUp, RetrosimError
    """
    from retrosim.checks import check_integer
    from retrosim.cost.cost import find_routine, only_routine, routines_of, the_only
    from retrosim.cost.counting import has_causes
    from retrosim.machine import PRESETS, Machine
    from retrosim.rom import Rom

    chosen, call = choose(settings.machine), settings.call
    check_simulated([chosen.machine])
    timing, build = chosen.settings.timing, chosen.settings.build
    if not isinstance(chosen.program, Rom) and build is not None:
        raise refuse(f"--build {build}: a program's file has no builds")
    if timing in (None, "full") and settings.can_have_causes and has_causes(chosen.machine):
        chosen = chosen.with_causes()
    chosen.check()
    if isinstance(chosen.program, Rom):  # before anything is compiled
        image = chosen.program.image(PRESETS[chosen.machine].isa, build)
        with bad_arguments():
            find_routine(image, the_only(routines_of(image)) if call.entry is None else _entry(call.entry))
    budget = settings.limits.budget()
    machine = chosen.open(budget.before(progress.note))
    assert isinstance(machine, Machine)  # `check_simulated` has refused the other
    with bad_arguments():
        entry = only_routine(machine) if call.entry is None else _entry(call.entry)
        find_routine(machine.image, entry)
        bits = machine.argument_bits(call.convention)
        words = [machine.address(word) if isinstance(word, str) else word for word in call.arguments]
        for word in filter(None, words):
            check_integer("argument", word, -(1 << bits - 1), (1 << bits) - 1)
        machine.register_values(dict(call.registers))
    machine.budget = budget
    if isinstance(chosen.program, Rom) and machine.run(frames=1).reason == "budget":
        raise BudgetUsedUp(machine.budget.spent)
    with bad_arguments():
        call.set_up(machine)
    return Prepared(machine, entry, words, chosen)


def _entry(text: str) -> str | int:
    """Return a symbol, or the address given instead of one. Errors: ValueError."""
    try:
        return int(text, 16) if text.startswith("0x") else text
    except ValueError:
        raise ValueError(f"address {text!r}: allowed 0x and hexadecimal digits") from None
