"""Calls of a machine's routines from outside, by the calling conventions of its CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakMethod

from retrosim.checks import check_choice, check_integer
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.regions.liveness import register_use
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.cpu.spec.host import Call
from retrosim.cpu.spec.rows import Insn
from retrosim.errors import BudgetUsedUp, RetrosimError

from . import memory
from .choices import MAX_WARM_CALLS, WARM_CALLS
from .clockwork import Clockwork
from .interval import intervals
from .result import Measurement, RunResult

if TYPE_CHECKING:
    from .machine import Machine


# Registers that point to a program's data: those that a routine uses and that nobody has set.

MAX_FOLLOWED = 20_000  # instructions of a routine and what it calls


class FirstUses:
    """Remembers what `first_use` found in the code of a core, until any of it is forgotten."""

    def __init__(self, core: Core, is_data: Callable[[int], bool]) -> None:
        self._core, self._is_data = core, is_data
        self._found: dict[tuple[int, int], Insn | None] = {}
        core.on_invalidate.append(WeakMethod(self._forget))

    def _forget(self, pc: int) -> None:
        self._found.clear()

    def find(self, entry: int, number: int) -> Insn | None:
        """Return what `first_use` does."""
        if self._core.unsteady or (entry, number) not in self._found:
            self._found[entry, number] = first_use(self._core, entry, number, self._is_data)
        return self._found[entry, number]


def first_use(core: Core, entry: int, number: int, is_data: Callable[[int], bool]) -> Insn | None:
    """Return an instruction of a routine that uses a register before it is changed, None if there is none.

    What is reached by computed jumps and calls is not seen.

    entry    address of the routine
    number   of the register
    is_data  does the program have something at an address? An instruction that makes only such addresses of a register
             that holds 0 was linked to do so, and does not count
    """
    seen: set[int] = set()
    todo = [entry]
    while todo and len(seen) < MAX_FOLLOWED:
        pc = todo.pop()
        if pc in seen:
            continue
        seen.add(pc)
        insn = core.decode(pc)
        if number in insn.fields:
            use = register_use(core.cpu, insn, number)
            if use.is_used and not (use.results and all(map(is_data, use.results))):
                return insn
            if use.is_changed:
                continue
        if insn.target is not None:
            todo.append(insn.target)
        if insn.row.pattern and not insn.row.options.get("ends"):
            todo.append(insn.end)
    return None


MAX_INSTRUCTIONS = 1_000_000_000  # of a call, unless given
NO_REGISTERS: Mapping[str, int | str] = {}
RESULT_TYPES = ("u8", "s8", "u16", "s16", "u32", "s32")


class Calls(Clockwork):
    """The part of a machine that calls routines; `Machine` sets it up."""

    _first_uses: FirstUses

    def set_stack(self, top: int) -> None:
        """Put an empty stack below an address. Errors: ValueError where the CPU cannot have one."""
        self._host.set_stack(self.core.state, top)

    def argument_bits(self, convention: str = "c") -> int:
        """Return the width of an argument. Errors: ValueError for a convention that the CPU does not have."""
        check_choice("convention", convention, tuple(self._host.call))
        return self._host.call[convention].argument_bits

    def enter(
        self,
        symbol: str | int,
        *arguments: int | str,
        convention: str = "c",
        registers: Mapping[str, int | str] = NO_REGISTERS,
    ) -> None:
        """Begin a call of a routine, to return to `return_address`; arguments as for `call`. Errors: ValueError."""
        bits, entry = self.argument_bits(convention), self.address(symbol)
        words = [self._word("argument", word, bits) for word in arguments]
        values = self.register_values(registers)

        def write(address: int, data: bytes) -> None:
            self.core.write(address & ADDRESS_MASK, data)

        self.regs.update(values)
        self._set_bases(symbol, entry)
        self._host.call[convention].enter(Call(self.core.state, write, entry, self.return_address, words))
        self.regs.update(values)  # also what the convention has taken
        self._wait_until(self.cycles)

    def _word(self, what: str, given: int | str, bits: int) -> int:
        """Return a word, or the address of a symbol. Errors: ValueError."""
        value = self.address(given) if isinstance(given, str) else given
        return check_integer(what, value, -(1 << bits - 1), (1 << bits) - 1)

    def register_values(self, given: Mapping[str, int | str]) -> dict[str, int]:
        """Return register -> value; symbols become addresses, negative words their bits. Errors: ValueError."""
        values = {}
        known = self._host.registers
        for alias, value in given.items():
            name = self._host.aliases.get(alias, alias)
            check_choice("register", name, [each for each in known if each != "pc"])
            bits = known[name].bits
            values[name] = self._word(f"register {name}", value, bits) & ((1 << bits) - 1)
        return values

    def begin_call(self, entry: int, back: int) -> None:
        """Enter a routine without arguments by the C convention, to return to `back`."""
        self._host.call["c"].enter(Call(self.core.state, self.core.write, entry, back, ()))

    @property
    def return_address(self) -> int:
        """Where a routine returns to that is called from outside."""
        own = self.image.return_address
        return memory.RETURN_ADDRESS if own is None else own

    def _set_bases(self, symbol: str | int, entry: int) -> None:
        """Give the registers that point to the program's data their values, where the program has not done so yet.

        Errors  RetrosimError where the image does not say what a register that the routine uses points to
        """
        symbols = self.image.symbols
        for register, base in self._host.bases.items():
            if self.regs[register]:
                continue
            found = next((symbols[name].address for name in base.symbols if name in symbols), None)
            if found is not None:
                self.regs[register] = found
            elif insn := self._first_uses.find(entry, base.number):
                where = f"{symbol if isinstance(symbol, str) else f'{symbol:#x}'}: {insn.text} at {insn.pc:#x}"
                link = f"link the program with {' or '.join(base.symbols)}"
                raise RetrosimError(
                    f"{where} uses {register}, which nothing has set; {link}, "
                    f"or set machine.regs[{register!r}] (`retrosim cost --reg {register}=ADDRESS`)"
                )

    def _run_routine(
        self,
        symbol: str | int,
        arguments: tuple[int | str, ...],
        convention: str,
        registers: Mapping[str, int | str],
        max_instructions: int,
    ) -> tuple[RunResult, list[int]]:
        """Run a routine to its return; return how, and the registers of a result. All registers are as before.

        So is the pipeline, which is empty. Caches stay: a call fills them for whatever runs next.
        """
        saved = self.core.state.copy()
        self.enter(symbol, *arguments, convention=convention, registers=registers)
        result = self.run(instructions=max_instructions, until=self.return_address)
        values = [self.regs[name] for name in self._host.result]
        cpu = self.core.cpu
        for field in {*cpu.layout.registers, *cpu.in_registers, "pc", "stopped", "reason", "detail", "access"}:
            self.core.state[field] = saved[field]
        self._wait_until(self.cycles)
        if result.reason == "budget":
            raise BudgetUsedUp(self.budget.spent)
        if result.reason != "until":
            raise result.fault or RetrosimError(
                f"{symbol} did not return within {max_instructions} instructions"
                + (f" ({result.reason})" if result.reason != "instructions" else "")
            )
        return result, values

    def warm_up(
        self,
        symbol: str | int,
        *arguments: int | str,
        calls: int = WARM_CALLS,
        convention: str = "c",
        registers: Mapping[str, int | str] = NO_REGISTERS,
        max_instructions: int = MAX_INSTRUCTIONS,
    ) -> None:
        """Call a routine and undo what it did to memory and frames: caches and the like stay as it has left them.

        calls   how often, 0 or more, each from the same memory
        Errors  as for `measure`
        """
        for _ in range(check_integer("warm", calls, 0, MAX_WARM_CALLS)):
            with self._undone():
                self._run_routine(symbol, arguments, convention, registers, max_instructions)

    @contextmanager
    def _undone(self) -> Iterator[None]:
        """Put memory, frames and counted instructions back at the end; time goes on."""
        names = ("frame_number", "frame_cycles", "frame_instructions", "instructions", "exit_status")
        contents, counters = self.mem.copy(), {name: getattr(self, name) for name in names}
        try:
            yield
        finally:
            self.core.replace([contents])
            for name, value in counters.items():
                setattr(self, name, value)

    def call(
        self,
        symbol: str | int,
        *arguments: int | str,
        returns: str = "int",
        convention: str = "c",
        registers: Mapping[str, int | str] = NO_REGISTERS,
        max_instructions: int = MAX_INSTRUCTIONS,
    ) -> int:
        """Call a routine as C would and return its result.

        What it writes into memory stays, and its time has passed; registers and program counter are as before, so that
        the program can go on. `measure` says what a call costs.

        symbol      name or address of the routine
        arguments   words of 32 bits, in real mode of 16 bits; for pointers addresses, or symbols
        returns     type of the result: "int" is a signed word as wide as an argument; or u8, s8, u16, s16, u32, s32
        convention  "c", or another that the CPU has: "pascal" (68K; real mode: a far call), "regparm" (x86)
        registers   name -> word or symbol: what the routine finds in registers, as hand-written code expects it
        max_instructions  after which the call is given up
        Errors      ValueError; CpuFault, RetrosimError when the routine does not return
        """
        check_choice("returns", returns, ("int", *RESULT_TYPES))
        word = self.argument_bits(convention)
        bits, is_signed = (word, True) if returns == "int" else (int(returns[1:]), returns[0] == "s")
        low, high = self._run_routine(symbol, arguments, convention, registers, max_instructions)[1]
        value = ((low & ((1 << word) - 1)) | high << word) & ((1 << bits) - 1)
        return value - (1 << bits) if is_signed and value >> bits - 1 else value

    def measure(
        self,
        symbol: str | int,
        *arguments: int | str,
        warm: int = WARM_CALLS,
        interval: bool = False,
        convention: str = "c",
        registers: Mapping[str, int | str] = NO_REGISTERS,
        max_instructions: int = MAX_INSTRUCTIONS,
    ) -> Measurement:
        """Call a routine and return what it cost; arguments and effects are those of one `call`.

        warm      calls before the one that counts, see `warm_up`: caches are then as a routine finds them that is
                  called every frame. 0: as they are now, empty after power-on
        interval  also return `low` and `high`, for which the routine runs again on every alternative (see `interval`)
        Errors    ValueError; CpuFault, RetrosimError when the routine does not return
        """
        given: dict[str, Any] = {"convention": convention, "registers": registers}
        given["max_instructions"] = max_instructions

        def count(machine: Machine) -> list[int]:
            return [machine.measure(symbol, *arguments, warm=0, **given).cycles]

        self.warm_up(symbol, *arguments, calls=warm, **given)
        found = intervals(cast("Machine", self), count)[0] if interval else None
        result, values = self._run_routine(symbol, arguments, convention, registers, max_instructions)
        low, high = found.around(result.cycles) if found else (None, None)
        return Measurement(result.cycles, result.instructions, values[0], warm, low, high)
