"""What happens to a machine as time goes by: its engine runs in slices, ticks interrupt it, services are performed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np

from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.profiling import Profile
from retrosim.cpu.engines.tiers import Tiers
from retrosim.cpu.spec.cpu import ADDRESS_MASK, FAULT, RUNNING, SERVICE
from retrosim.cpu.spec.host import Host
from retrosim.errors import CpuFault, SystemCall
from retrosim.rom import Image
from retrosim.rom.placing import SYSTEM_START

from .budget import Budget
from .console import write_text
from .presets import Preset
from .registers import Registers
from .result import RunResult
from .systems import asked, call_of

if TYPE_CHECKING:
    from retrosim.debug.observer import Observer

    from .machine import Machine

FOREVER = (1 << 63) - 1  # clocks: no limit

YIELD_FRAME, MICROSECONDS, EXIT, WRITE_TEXT = range(4)
MAX_TEXT = 1 << 16
"""Characters of `text` that are kept, the last ones."""


class Clockwork:
    """The running part of a machine; `Machine` sets it up."""

    preset: Preset
    image: Image
    timing: str
    budget: Budget
    tick_hz: Fraction
    frame_hz: Fraction
    clock_hz: int
    service_clocks: int
    regs: Registers
    frame_number: int
    frame_cycles: int
    frame_instructions: int
    instructions: int
    exit_status: int | None
    text: str
    core: Core
    _host: Host
    _engine: Evaluator | Tiers
    _observer: Observer | None
    _frame_start: tuple[int, int]

    @property
    def mem(self) -> np.ndarray:
        """All memory: uint8[2**24], a view. Write code through `write`, so that decoded copies are dropped."""
        return self.core.ram[: ADDRESS_MASK + 1]

    @property
    def cycles(self) -> int:
        """CPU clocks since power-on, waiting for ticks included."""
        return int(self.core.state["cycles"])

    @property
    def ticks(self) -> int:
        """Timer ticks since power-on."""
        return math.floor(self.cycles * self.tick_hz / self.clock_hz)

    @property
    def retraces(self) -> int:
        """Periods of the frame clock since power-on."""
        return math.floor(self.cycles * self.frame_hz / self.clock_hz)

    def address(self, symbol: str | int) -> int:
        """Return the address of a symbol, or the address itself. Errors: ValueError."""
        if isinstance(symbol, str):
            if symbol not in self.image.symbols:
                raise ValueError(f"symbol {symbol!r}: not in the image; it has {', '.join(sorted(self.image.symbols))}")
            return self.image.symbols[symbol].address
        if not 0 <= symbol <= ADDRESS_MASK:
            raise ValueError(f"address {symbol}: allowed 0..{ADDRESS_MASK}")
        return symbol

    def run(
        self,
        frames: int | None = None,
        cycles: int | None = None,
        instructions: int | None = None,
        until: int | str | Iterable[int | str] | None = None,
    ) -> RunResult:
        """Run until the first of the given limits, the program's exit, a fault, or the end of the budget.

        frames, cycles, instructions  0 or more
        until     an address or a symbol, or several: stop before the instruction there
        Returns   RunResult, its numbers those of this call; its pc says which address was reached
        Errors    ValueError
        """
        limits = {"frames": frames, "cycles": cycles, "instructions": instructions}
        for limit, value in limits.items():
            if value is not None and (value < 0 or value % 1):
                raise ValueError(f"{limit} {value}: allowed 0 or more, a whole number")
        several = until if isinstance(until, Iterable) and not isinstance(until, str) else [until]
        stops = frozenset(self.address(each) for each in several if each is not None)
        if not stops and all(v is None for v in limits.values()):
            raise ValueError("run without a limit: allowed frames, cycles, instructions or until")
        return self._run(frames, cycles, instructions, stops)

    def _run(
        self, frames: int | None, cycles: int | None, instructions: int | None, stops: frozenset[int]
    ) -> RunResult:
        observer = self._observer
        if observer is not None:
            observer.begin()
        state, start = self.core.state, (self.frame_number, self.cycles, self.instructions)
        end_frame = None if frames is None else start[0] + frames
        end_cycle = FOREVER if cycles is None else min(FOREVER, start[1] + cycles)
        fault, engine, budget = None, self._engine, self.budget
        while True:
            left = engine.SLICE if instructions is None else instructions - (self.instructions - start[2])
            if self.exit_status is not None:
                reason = "exit"
            elif end_frame is not None and self.frame_number >= end_frame:
                reason = "frames"
            elif self.cycles >= end_cycle:
                reason = "cycles"
            elif left <= 0:
                reason = "instructions"
            elif stops and int(state["pc"]) in stops:
                reason = "until"
            elif state["stopped"] and self._ticks_masked:
                reason, fault = "fault", self._fault("stopped with all interrupts masked")
            elif budget.is_spent(self.cycles, self.clocks_in_frame, self.clock_hz, is_timed=self.timing != "off"):
                reason = "budget"
            else:
                last = budget.end_cycle(self._frame_start[0], self.clock_hz)
                stop = end_cycle if last is None else min(end_cycle, last)
                if observer is not None:
                    stop = min(stop, observer.due)
                if state["stopped"]:
                    self._wait_until(min(stop, self._next_tick))
                else:
                    held, masked = self._host.in_shadow(state), self._ticks_masked
                    self._host.end_shadow(state)  # also one that the program counter was taken away from
                    state["limit"] = stop if masked else min(stop, self._next_tick)
                    self.instructions += self._advance(1 if held else min(left, engine.SLICE), stops)
                    if observer is not None:
                        observer.note()
                    if state["reason"] == SERVICE:
                        self._serve(int(state["detail"]))
                self._tick()
                if observer is not None:
                    observer.note(is_between=True)
                self.core.notice_writes()
                if state["reason"] == FAULT and (fault := self._ended(int(state["detail"]))):
                    reason = "fault"
                    break
                if observer is not None and observer.is_stopped():
                    reason = "point"
                    break
                continue
            break
        done = (self.frame_number - start[0], self.cycles - start[1], self.instructions - start[2])
        if observer is not None:
            observer.end()
        return RunResult(reason, *done, int(state["pc"]), fault)

    @property
    def clocks_in_frame(self) -> int:
        """Clocks since the present frame began; where they are not counted, one for each instruction."""
        clocks, instructions = self.cycles - self._frame_start[0], self.instructions - self._frame_start[1]
        return instructions if self.timing == "off" else clocks

    def _advance(self, count: int, stops: frozenset[int]) -> int:
        """Run the engine; while the CPU traces, one instruction at a time on the evaluator."""
        state, host = self.core.state, self._host
        trace, pc = int(state[host.tracing]) if host.tracing else 0, int(state["pc"])
        if not trace:
            return self._engine.run(count, stops)
        insn = self.core.decode(pc)
        evaluator = Evaluator(self.core)
        done = evaluator.run(1)
        if state["reason"] not in (FAULT, SERVICE) and host.traced(evaluator, trace, insn):
            state["stopped"] = 0  # a traced STOP does not wait
            evaluator.between(host.trace, pc)
        return done

    def attach_profile(self, profile: Profile | None) -> None:
        """Count in a profile from now on; None: no more. Errors: ValueError for a machine on the evaluator."""
        if not isinstance(self._engine, Tiers):
            raise ValueError(f"engine {self._engine.name!r}: has no profile; allowed auto, interpret, recompile")
        self._engine.attach(profile)

    def profile_counts(self) -> dict[int, list[int]]:
        """Return address -> [visits, clocks] of the attached profile; -1: clocks that are no instruction's."""
        assert isinstance(self._engine, Tiers)
        return self._engine.counted()

    def restart_ticks(self, pending: bool) -> None:
        """Count ticks from the present clock on; `pending` tells that one has not interrupted the CPU yet."""
        self._tick_pending = pending
        self._next_tick = math.ceil((self.ticks + 1) * self.clock_hz / self.tick_hz)

    @property
    def _ticks_masked(self) -> bool:
        """Does the CPU ignore ticks now? Whatever changes that gives control back to the host."""
        return not self.core.cpu.accepts(self.core.state, self.preset.tick_level)

    def _tick(self) -> None:
        """Count the ticks that have passed, and interrupt the CPU for one when its mask allows."""
        if self.cycles >= self._next_tick:
            self.restart_ticks(pending=True)
        state = self.core.state
        ready = state["reason"] not in (FAULT, SERVICE) and self._tick_pending
        if ready and not self._ticks_masked and self.exit_status is None:
            self._tick_pending = False
            state["stopped"] = 0
            Evaluator(self.core).between(lambda m: m.cpu.interrupt(m, self.preset.tick_level))

    def _serve(self, number: int) -> None:
        """Perform a service; the trap instruction itself has been executed and counted."""
        self._wait_until(self.cycles + (0 if self.timing == "off" else self.service_clocks))
        if number == YIELD_FRAME:
            self.frame_number += 1
            self.frame_cycles = self.cycles - self._frame_start[0]
            self.frame_instructions = self.instructions - self._frame_start[1]
            self._wait_until(math.ceil((self.retraces + 1) * self.clock_hz / self.frame_hz))
            self._frame_start = (self.cycles, self.instructions)
            if self.frame_number == 1:
                self._end_first_frame()
        elif number == MICROSECONDS:
            now = self.cycles * 1_000_000 // self.clock_hz
            low, high = self._host.result
            self.regs[low], self.regs[high] = now & 0xFFFFFFFF, now >> 32 & 0xFFFFFFFF
        elif number == EXIT:
            self.exit_status = self.regs[self._host.result[0]]
        elif number == WRITE_TEXT:
            self.text = (self.text + write_text(self.core, *(self.regs[name] for name in self._host.result)))[
                -MAX_TEXT:
            ]
        else:
            Evaluator(self.core).refuse_service()

    def _end_first_frame(self) -> None:
        """Do what the host does once, when the first frame is complete."""

    def _wait_until(self, cycle: int) -> None:
        """Let clocks pass with nothing in the pipeline."""
        for field in ("cycles", *self.core.cpu.stage_fields):
            self.core.state[field] = cycle

    def _ended(self, vector: int) -> CpuFault | None:
        """Return why the program cannot go on after an exception without a handler; None if it asked for its end."""
        system = asked(cast("Machine", self), vector)
        if system is None:
            return self._fault(self.core.cpu.vector_name(vector))
        if system.exits is not None:
            self.exit_status = system.exits
            self.core.state["reason"] = RUNNING
            return None
        pc = self.regs["pc"]
        if pc >= SYSTEM_START:
            pc = call_of(cast("Machine", self))
        insn = self.core.decode(pc)
        code = self.mem[insn.pc : insn.pc + insn.length].tobytes()
        return SystemCall(system.what, self.core.cpu.model, insn.pc, code, insn.text)

    def _fault(self, reason: str) -> CpuFault:
        pc = int(self.core.state["pc"])
        insn = self.core.decode(pc)
        vector = int(self.core.state["detail"]) if self.core.state["reason"] == FAULT else None
        kind = CpuFault if vector is None else self._host.faults.get(vector, CpuFault)
        return kind(reason, self.core.cpu.model, pc, self.mem[pc : pc + insn.length].tobytes(), insn.text)
