"""Calls of a machine's routines from outside, by the calling conventions of its CPU."""

from __future__ import annotations

from retrosim.checks import check_choice, check_integer
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.cpu.spec.host import Call
from retrosim.errors import BudgetUsedUp, RetrosimError

from . import memory
from .clockwork import Clockwork
from .result import Measurement, RunResult

MAX_INSTRUCTIONS = 1_000_000_000  # of a call, unless given
RESULT_TYPES = ("u8", "s8", "u16", "s16", "u32", "s32")


class Calls(Clockwork):
    """The part of a machine that calls routines; `Machine` sets it up."""

    def set_stack(self, top: int) -> None:
        """Put an empty stack below an address. Errors: ValueError where the CPU cannot have one."""
        self._host.set_stack(self.core.state, top)

    def argument_bits(self, convention: str = "c") -> int:
        """Return the width of an argument. Errors: ValueError for a convention that the CPU does not have."""
        check_choice("convention", convention, tuple(self._host.call))
        return self._host.call[convention].argument_bits

    def enter(self, symbol: str | int, *arguments: int, convention: str = "c") -> None:
        """Begin a call of a routine, to return to RETURN_ADDRESS; arguments as for `call`. Errors: ValueError."""
        bits, entry = self.argument_bits(convention), self.address(symbol)
        words = [check_integer("argument", word, -(1 << bits - 1), (1 << bits) - 1) for word in arguments]

        def write(address: int, data: bytes) -> None:
            self.core.write(address & ADDRESS_MASK, data)

        self._set_bases()
        self._host.call[convention].enter(Call(self.core.state, write, entry, memory.RETURN_ADDRESS, words))
        self._wait_until(self.cycles)

    def _set_bases(self) -> None:
        """Give the registers that point to the program's data their values, where the program has not done so yet."""
        symbols = self.image.symbols
        for register, names in self._host.bases.items():
            found = next((symbols[name].address for name in names if name in symbols), None)
            if found is not None and not self.regs[register]:
                self.regs[register] = found

    def _run_routine(
        self, symbol: str | int, arguments: tuple[int, ...], convention: str, max_instructions: int
    ) -> tuple[RunResult, list[int]]:
        """Run a routine to its return; return how, and the registers of a result. All registers are as before."""
        saved = self.core.state.copy()
        self.enter(symbol, *arguments, convention=convention)
        result = self.run(instructions=max_instructions, until=memory.RETURN_ADDRESS)
        values = [self.regs[name] for name in self._host.result]
        clocks = {f: self.core.state[f] for f in ("cycles", *self.core.cpu.stage_fields)}
        self.core.state[()] = saved
        for field, clock in clocks.items():
            self.core.state[field] = clock
        if result.reason == "budget":
            raise BudgetUsedUp(self.budget.spent)
        if result.reason != "until":
            raise result.fault or RetrosimError(
                f"{symbol} did not return within {max_instructions} instructions ({result.reason})"
            )
        return result, values

    def call(
        self,
        symbol: str | int,
        *arguments: int,
        returns: str = "int",
        convention: str = "c",
        max_instructions: int = MAX_INSTRUCTIONS,
    ) -> int:
        """Call a routine as C would and return its result.

        What it writes into memory stays, and its time has passed; registers and program counter are as before, so that
        the program can go on. `measure` says what a call costs.

        symbol      name or address of the routine
        arguments   words of 32 bits, in real mode of 16 bits; addresses for pointers
        returns     type of the result: "int" is a signed word as wide as an argument; or u8, s8, u16, s16, u32, s32
        convention  "c", or in real mode "pascal": a far call
        max_instructions  after which the call is given up
        Errors      ValueError; CpuFault, RetrosimError when the routine does not return
        """
        check_choice("returns", returns, ("int", *RESULT_TYPES))
        word = self.argument_bits(convention)
        bits, is_signed = (word, True) if returns == "int" else (int(returns[1:]), returns[0] == "s")
        low, high = self._run_routine(symbol, arguments, convention, max_instructions)[1]
        value = ((low & ((1 << word) - 1)) | high << word) & ((1 << bits) - 1)
        return value - (1 << bits) if is_signed and value >> bits - 1 else value

    def measure(
        self, symbol: str | int, *arguments: int, convention: str = "c", max_instructions: int = MAX_INSTRUCTIONS
    ) -> Measurement:
        """Call a routine and return what it cost; arguments and effects as for `call`.

        Errors   ValueError; CpuFault, RetrosimError when the routine does not return
        """
        result, values = self._run_routine(symbol, arguments, convention, max_instructions)
        return Measurement(result.cycles, result.instructions, values[0])
