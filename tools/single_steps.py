"""One core that runs single-instruction tests one after the other."""

from __future__ import annotations

import numpy as np
from vectors import ADDRESS_MASK

from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.handlers.handler_cache import full_handler_cache
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.spec.cpu import FAULT, SERVICE, Cpu
from retrosim.cpu.spec.rows import undefined_insn

FOREVER = (1 << 63) - 1  # clocks: no limit
MAX_SHOWN = 6  # differences of one test


class Bench:
    """One core that runs test after test; a suite loads it and reads it.

    `listing` is the first instruction of the last test.
    Every byte of its memory counts as watched code, so that the core itself tells where an instruction stored.
    """

    def __init__(self, cpu: Cpu, engine: str, timing: str = "table") -> None:
        self.core = Core(cpu, timing)
        self.core.code[:] = 1
        self.core.state["limit"] = FOREVER
        self.state = self.core.state
        self.memory = memoryview(self.core.ram)
        self._blank = self.state.copy()
        self.listing = ""
        self._stored: list[tuple[int, int]] = []
        self.evaluator = Evaluator(self.core)
        self.engine = self.evaluator
        if engine != "evaluate":
            self.engine = Interpreter(self.core, full_handler_cache(cpu, timing, quick=True))

    def begin(self) -> None:
        """Return to the state at power-on and forget all code; memory is cleared by `end`."""
        core = self.core
        for pc in list(core.insns):
            core.forget(pc)
        self.listing = ""
        self.state[()] = self._blank

    def step(self) -> None:
        """Execute one instruction, the exception included that it may raise."""
        core, state = self.core, self.state
        self.listing = self.listing or core.decode(int(state["pc"])).text
        if self.engine is not self.evaluator:
            end = core.decode(int(state["pc"])).end  # what lies behind is not decoded ahead: a row without a handler
            core.insns[end] = undefined_insn(core.cpu.unserved, end, core.cpu.isa.word_bytes, 0)
        before = state["cycles"].item()
        self.engine.run(1)
        if state["reason"] == SERVICE:  # nothing serves it here
            state["cycles"] = before
            self.evaluator.refuse_service()
        if state["written_high"]:
            core.sync_mirrors()
            self._stored.append((int(state["written_low"]), int(state["written_high"])))
            state["written_low"], state["written_high"] = 0xFFFFFFFF, 0

    def end(self, listed: list[int], unit: int) -> str:
        """Clear the listed cells; return what else was changed, and clear that too."""
        memory, zero = self.memory, bytes(unit)
        for address in listed:
            memory[address : address + unit] = zero
        wrong = []
        for low, high in self._stored:
            places = np.arange(low, high) & ADDRESS_MASK
            if self.core.ram[places].any():
                changed = places[self.core.ram[places] != 0].tolist()
                wrong += [f"memory {address:06X} is {memory[address]:02X}, expected unchanged" for address in changed]
                self.core.ram[places] = 0
        self._stored.clear()
        return "; ".join(wrong[:MAX_SHOWN])

    def findings(self, wrong: list[str], listed: list[int], unit: int) -> str:
        """Return what differs, "" when nothing, and clear the listed cells; wrong: what has been found so far."""
        unlisted = self.end(listed, unit)
        if self.state["reason"] == FAULT:
            wrong = [f"fault, vector {int(self.state['detail'])}", *wrong]
        more = [f"and {len(wrong) - MAX_SHOWN} more"] if len(wrong) > MAX_SHOWN else []
        return "; ".join(wrong[:MAX_SHOWN] + more + ([unlisted] if unlisted else []))
