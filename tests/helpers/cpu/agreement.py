"""Evaluator and interpreter side by side on random programs of any instruction set, and bounds of their clocks."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.handlers.handlers import HANDLER
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.engines.regions.recompile import RegionEmitter
from retrosim.cpu.engines.regions.regions import Block, region_of
from retrosim.cpu.spec.cpu import CODE_WRITTEN, FAULT, RUNNING, SERVICE, Cpu
from retrosim.cpu.spec.ir import Function, Module
from retrosim.cpu.spec.rows import Insn
from tests.helpers.amount import FULL
from tests.helpers.cpu.all_handlers import all_handlers
from tests.helpers.cpu.cores import differences

IS_LONG = FULL
PROGRAM = 150 if IS_LONG else 40  # instructions of one random program; most soon go round in a small loop
FOR_BOUNDS = 60 if IS_LONG else 30  # likewise
SEED = 1994


def assert_same(first: Core, second: Core, where: str) -> None:
    assert differences(first, second) == [], where


def run(engine, core: Core, slices: list[int], goes_on: tuple[int, ...] = (RUNNING, CODE_WRITTEN, SERVICE)) -> int:
    """Run slice after slice, serving nothing; stop early for reasons that are not in `goes_on`."""
    done = 0
    for count in slices:
        left = count
        while left:
            executed = engine.run(left)
            left -= executed
            done += executed
            core.notice_writes()
            if core.state["reason"] not in goes_on:
                return done
    return done


def agree(cpu: Cpu, timing: str, wanted: int, prepare: Callable[[], Callable[[Core], None]], **options) -> set[str]:
    """Run random programs on both engines and compare all state; return the patterns of the rows that ran.

    wanted    instructions
    prepare   makes the next program, returned as what loads it into a core
    options   of `run`
    """
    first, second = Core(cpu, timing), Core(cpu, timing)
    evaluator, interpreter = Evaluator(first), Interpreter(second, all_handlers(cpu, timing))
    cuts_of = random.Random(SEED)
    rows: set[str] = set()
    keys: set[tuple] = set()
    total = programs = 0
    while total < wanted:
        load = prepare()
        for core in (first, second):
            load(core)
        cuts = sorted(cuts_of.sample(range(1, PROGRAM), 3))
        slices = [b - a for a, b in zip([0, *cuts], [*cuts, PROGRAM], strict=True)]
        counts = run(evaluator, first, [PROGRAM], **options), run(interpreter, second, slices, **options)
        rows |= {insn.row.pattern for insn in first.insns.values()}
        keys |= {insn.key for insn in first.insns.values()}
        where = f"seed {SEED}, program {programs}, {counts} instructions"
        assert counts[0] == counts[1], where
        assert_same(first, second, where)
        total += counts[0]
        programs += 1
    print(
        f"{cpu.model} {timing}: {programs} programs, {total} instructions, {len(rows)} rows, "
        f"{len(keys)} of {len(list(cpu.handlers()))} handlers, seed {SEED}"
    )
    return rows


def bounds(cpu: Cpu, timing: str, insn: Insn) -> tuple[int, int]:
    """Return the most clocks of an instruction and how often it can wait, as the recompiler sees them."""
    code = Function(Module(), HANDLER, "bound_0")
    emitter = RegionEmitter(cpu, cpu.timing[timing], code, region_of({insn.pc: Block((insn,))}, set(), {}))
    emitter.emit()
    return emitter.timing.max_clocks, emitter.timing.max_waits


def stay_within_bounds(
    cpu: Cpu,
    timing: str,
    loads: Iterable[Callable[[Core], None]],
    is_for_host: Callable[[Evaluator, Insn], bool] = lambda evaluator, insn: False,
) -> set[str]:
    """Run some programs on the evaluator; no instruction may take more clocks than its bound. Returns the rows met.

    is_for_host   has the instruction been left to the host? Then a region has been left before
    """
    core = Core(cpu, timing)
    evaluator = Evaluator(core)
    known: dict[tuple, tuple[int, int]] = {}
    rows: set[str] = set()
    total = 0
    for number, load in enumerate(loads):
        load(core)
        evaluator.run(0)
        wait = evaluator.timing.max_wait_clocks().known
        for _ in range(FOR_BOUNDS):
            insn, before = core.decode(int(core.state["pc"])), int(core.state["cycles"])
            evaluator.run(1)
            core.notice_writes()
            if core.state["reason"] == FAULT:
                break
            if is_for_host(evaluator, insn):
                continue
            key = insn.length, insn.key, insn.fields
            if key not in known:
                known[key] = bounds(cpu, timing, insn)
            longest, waits = known[key]
            where = f"seed {SEED}, program {number}, memory {core.state['memory'].tolist()}: {insn.text}"
            assert int(core.state["cycles"]) - before <= longest + waits * wait, where
            rows.add(insn.row.pattern)
            total += 1
    print(f"{cpu.model} {timing}: {total} instructions of {len(rows)} rows, seed {SEED}")
    return rows
