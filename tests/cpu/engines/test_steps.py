"""The compiled steps do what the timing models do in known numbers, for every row and in any state of the pipeline."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from retrosim.cpu.engines.clock_table.segments import INPUTS, RegionPlan, Segment
from retrosim.cpu.engines.clock_table.steps import CompiledSteps, StepRunner
from retrosim.cpu.engines.clock_table.traces import KIND_SHIFT, NEVER, NOW, Replay, TraceEvent, Unpredictable
from tests.helpers.cpu.emitted_code import apart, cpu_of
from tests.helpers.cpu.field_ranges import insns_of

MODELS = "MC68040", "i386_flat", "i486_flat", "MPC601"
STATES = 6  # of the pipeline, for each segment
NEAR = 40  # clocks around now
MASK64 = (1 << 64) - 1


def some_plan(model: str) -> tuple[object, RegionPlan]:
    """Return a CPU, and a plan of an instruction of each row."""
    cpu = cpu_of(model)
    insns = {insn.row.key: insn for insn in insns_of(cpu)}
    return cpu, RegionPlan(cpu, cpu.timing_class("full"), apart(insns.values()))


def random_state(cpu, model: type, segment: Segment, chance: random.Random) -> dict[str, list[int]]:
    """Return values of the fields: times around now, marks that are near the code or nothing."""
    pc = segment.steps[0].insn.pc
    values = {"cycles": [NOW]}
    for name in (*model.times, *model.marks):
        bits, count = cpu.layout.fields[name]
        marks = [0, 1, pc, pc >> 2, pc >> 4, chance.getrandbits(bits)]
        values[name] = [
            NOW + chance.randint(-NEAR, NEAR) if name in model.times else chance.choice(marks) & (1 << bits) - 1
            for _ in range(count)
        ]
    return values


def random_inputs(segment: Segment, chance: random.Random) -> dict[int, int]:
    """Return inputs that are not 0: clocks and kinds of uses of memory, numbers that hooks are told, and conditions."""

    def of(events: list[TraceEvent]) -> Iterator[int]:
        for event in events:
            if event.name == "when":
                yield chance.randrange(2)
                for part in event.details:
                    yield from of(part)
            elif event.name == "memory":
                yield chance.choice([0, 1, chance.randrange(30)]) | chance.randrange(2) << KIND_SHIFT
            elif event.points:
                yield chance.randrange(INPUTS if event.name == "vary" else 2)

    inputs = []
    for step in segment.steps:
        inputs += [chance.choice([0, 0, 7]) for _ in step.fetches] + list(of(step.trace.events))
    assert len(inputs) == segment.steps[-1].end
    return {point: number for point, number in enumerate(inputs) if number}


def words_of(model: type, values: dict[str, list[int]]) -> list[int]:
    now = values["cycles"][0]
    times = [each - now & MASK64 for name in model.times for each in values[name]]
    return times + [each for name in model.marks for each in values[name]]


def replayed(replay: Replay, segment: Segment, values: dict, inputs: dict[int, int], taken: bool) -> object:
    """Return what the model makes of a segment in known numbers: clocks, state, points; None if it is unpredictable."""
    replay.begin(values, inputs)
    try:
        for step in segment.steps:
            replay.step(step.trace, taken and step is segment.steps[-1], step.fetches)
    except Unpredictable:
        return None
    replay.timing.forget()
    points = [NEVER if point.now == NEVER else point.now - NOW & MASK64 for point in replay.points]
    return replay.values["cycles"][0] - NOW, words_of(replay.model, replay.values), points


def run(runner: StepRunner, segment: Segment, words: list[int], inputs: dict[int, int], taken: bool) -> object:
    """Return what the steps make of it."""
    runner.begin(np.array(words, np.uint64).tobytes(), inputs.items())
    try:
        runner.run(segment, 0, len(segment.steps), taken)
    except Unpredictable:
        return None
    clocks, values = runner.end()
    return clocks, np.frombuffer(values, np.uint64).tolist(), runner.points[: segment.steps[-1].end].tolist()


@pytest.mark.full
@pytest.mark.parametrize("model", MODELS)
def test_every_row_in_any_state(model: str) -> None:
    cpu, plan = some_plan(model)
    timing, chance = cpu.timing_class("full"), random.Random(1994)
    replay, runner = Replay(cpu, timing), StepRunner(cpu, timing)
    runner.add(plan, CompiledSteps(cpu, "full", plan))
    memory = [chance.randint(1, 12) for _ in replay.parameters["memory"]]
    replay.parameters["memory"] = memory
    assert runner.set_memory(np.array(memory, np.uint64)) and not runner.set_memory(np.array(memory, np.uint64))
    rows, compared = set(), 0
    for segments in plan.segments.values():
        for segment in segments:
            for _ in range(STATES):
                values = random_state(cpu, timing, segment, chance)
                words, inputs = words_of(timing, values), random_inputs(segment, chance)
                taken = bool(segment.steps[-1].branches and chance.randrange(2))
                expected = replayed(replay, segment, values, inputs, taken)
                assert run(runner, segment, words, inputs, taken) == expected, segment.steps
                compared += expected is not None
                rows |= {step.insn.row.key for step in segment.steps if expected is not None}
    assert len(rows) > 0.6 * len({insn.row.key for insn in plan.region.insns}) and compared > STATES * 20


def test_a_number_out_of_its_field_is_refused() -> None:
    cpu, plan = some_plan("MPC601")
    runner = StepRunner(cpu, cpu.timing_class("full"))
    runner.add(plan, CompiledSteps(cpu, "full", plan))
    segment = next(each[0] for each in plan.segments.values() if each[0].steps[0].insn.row.name == "add")
    words = words_of(runner.model, random_state(cpu, runner.model, segment, random.Random(1)))
    assert run(runner, segment, words, {}, False) is not None
    step = segment.steps[0]
    step.numbers[:] = [1000 if number < 32 else number for number in step.numbers]
    runner.add(plan, CompiledSteps(cpu, "full", plan))
    other = StepRunner(cpu, runner.model)
    other.add(plan, CompiledSteps(cpu, "full", plan))
    assert run(other, segment, words, {}, False) is None
