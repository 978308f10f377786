"""A random program as one recompiled region, beside the evaluator and the interpreter, for any instruction set."""

from __future__ import annotations

import random
from collections.abc import Callable

from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.handlers.handler_cache import HandlerCache, handler_cache
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.engines.regions.compiled_region import CompiledRegion
from retrosim.cpu.engines.regions.regions import Region
from retrosim.cpu.spec.cpu import FAULT, Cpu
from retrosim.cpu.spec.values import Word
from tests.helpers.cpu.agreement import IS_LONG, assert_same

MAX_RUN = 2000 if IS_LONG else 500  # instructions of one run
LENGTHS = (1, 2, 3, 7, 1000)  # of slices
FAR = 1 << 62


def run(engine, core: Core, slices: list[int], period: int = FAR) -> tuple[int, list[int]]:
    """Run slice after slice, serving nothing, up to a fault; return (instructions, where the clock passed a period)."""
    done, passed = 0, []
    for count in slices:
        left = count
        while left:
            limit = core.state["limit"] = (int(core.state["cycles"]) // period + 1) * period
            executed = engine.run(left)
            left -= executed
            done += executed
            core.notice_writes()
            if core.state["cycles"] >= limit:
                passed.append(done)
            if core.state["reason"] == FAULT:
                return done, passed
    return done, passed


def cut(choice: random.Random, count: int) -> list[int]:
    """Cut a run into slices: one, all of a length, or any."""
    kind = choice.choice(("one", "one", "one", "any", "any", choice.choice(LENGTHS)))
    slices: list[int] = []
    left = count
    while left:
        length = {"one": count, "any": choice.randint(1, MAX_RUN)}.get(kind, kind)
        slices.append(min(length, left))
        left -= slices[-1]
    return slices


class Looking(Evaluator):
    """Looks every line up, and takes no use of memory for a plain hit without that."""

    def hits_at(self, address: Word, bits: int) -> Word:
        return Word(bits, 0)


class ThreeEngines:
    """A core for each engine; the evaluator's looks every line up.

    alone       no handlers beside the region: the evaluator bridges what it does not run, and that is counted
    recompiled  instructions that the region has run, where that is counted
    """

    def __init__(
        self, cpu: Cpu, timing: str, find: Callable[[Core], Region], handlers: HandlerCache, alone: bool, quick: bool
    ) -> None:
        """Compile the region; `find` loads the program into a core and returns it."""
        self.cores = [Core(cpu, timing) for _ in range(3)]
        self.region = find(self.cores[2])
        self.recompiler = Interpreter(self.cores[2], handler_cache(cpu, timing, []) if alone else handlers)
        self.recompiler.install(CompiledRegion(cpu, timing, self.region, quick))
        self.engines = Looking(self.cores[0]), Interpreter(self.cores[1], handlers), self.recompiler
        self.recompiled = 0
        self.alone = alone

    def compare(self, load: Callable[[Core], None], choice: random.Random, where: str, longest: int = MAX_RUN) -> int:
        """Run all engines on the same program and data in different slices; return how many instructions."""
        count, period = choice.randint(1, longest), choice.choice((1000, 100_000, FAR, FAR, FAR))
        ends, bridged = [], self.recompiler.bridged
        for core, engine in zip(self.cores, self.engines, strict=True):
            load(core)
            ends.append(run(engine, core, [count] if engine is self.engines[0] else cut(choice, count), period))
        assert ends[0] == ends[1] == ends[2], where
        for core in self.cores[1:]:
            assert_same(self.cores[0], core, f"{where}, {ends[0][0]} instructions")
        if self.alone:
            self.recompiled += ends[0][0] - (self.recompiler.bridged - bridged)
        return ends[0][0]
