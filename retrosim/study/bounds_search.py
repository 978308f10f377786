"""Searches for an input on which a routine takes many clocks: random ones (bounds_inputs.py), then changes of the best.

Of each number of instructions that calls have taken, the longest call is kept, so that the search goes on from all of
the longer ways through the routine, and not only from what is the best so far.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrosim.errors import RetrosimError
from retrosim.machine import Machine

from .bounds_inputs import AREA, Input, Inputs, fill_caches

MAX_INSTRUCTIONS = 20_000  # of one call
PAUSE = 1 << 14  # clocks between two calls: the bus is idle when one begins
FRESH = 0.1  # of the tries do not go on from another, and as many at first
FIRST = 0.1
KEPT = 40  # calls to go on from
ARGUMENTS = 8  # that are tried where they are not given: more do no harm


@dataclass(frozen=True)
class Found:
    """The most and the least clocks that were found.

    maximum, minimum  clocks; None when no call returned
    arguments    of the call that took the most
    memory       hexadecimal digits of the bytes from bounds_inputs.AREA on, in that call
    caches       what they held; see the head of bounds_inputs.py
    contents     seed of what is random in them
    returned     calls that returned, of so many tries
    failure      why the last one did not that did not
    """

    seed: int
    tries: int
    returned: int
    failure: str
    minimum: int | None
    maximum: int | None
    arguments: tuple[int, ...]
    memory: str
    caches: str
    contents: int


class _Kept:
    """The longest calls, of each number of instructions one."""

    def __init__(self) -> None:
        self._calls: dict[int, tuple[int, Input]] = {}

    def note(self, instructions: int, cycles: int, tried: Input) -> None:
        """Keep a call if it is longer than others."""
        old = self._calls.get(instructions)
        if old is None or cycles >= old[0]:  # of equal ones the newer: the search goes on from there
            self._calls[instructions] = cycles, tried
        if len(self._calls) > KEPT:
            del self._calls[min(self._calls, key=lambda each: self._calls[each][0])]

    def some(self, chance: random.Random) -> Input | None:
        """Return one of them, the longest as often as all others together."""
        if not self._calls:
            return None
        if chance.random() < 0.5:
            return max(self._calls.values(), key=lambda each: each[0])[1]
        return chance.choice(list(self._calls.values()))[1]


def search(
    machine: Machine,
    entry: int,
    arguments: Sequence[int | None],
    *,
    stack: int,
    convention: str = "c",
    tries: int,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> Found:
    """Call a routine with random inputs. Memory and registers of the machine are not restored.

    arguments  those that are None are searched for
    stack      stack pointer of the call
    """
    core, start = machine.core, machine.core.state.copy()
    inputs = Inputs(seed, arguments, core, machine.argument_bits(convention), stack)
    kept, best = _Kept(), Input((), b"", "given", 0)
    minimum = maximum = None
    returned, failure = 0, ""
    for number in range(tries):
        progress(number)
        old = kept.some(inputs.chance) if number > FIRST * tries and inputs.chance.random() > FRESH else None
        tried = inputs.fresh() if old is None else inputs.changed(old)
        if tried.caches != "left":
            core.state[()] = start
        fill_caches(core, tried)
        for field in ("cycles", *core.cpu.stage_fields):
            core.state[field] = int(core.state["cycles"]) + PAUSE
        machine.write(AREA, tried.memory)
        try:
            cost = machine.measure(
                entry, *tried.words, convention=convention, warm=0, max_instructions=MAX_INSTRUCTIONS
            )
        except RetrosimError as error:
            failure = str(error)
            core.state[()] = start
            continue
        returned += 1
        minimum = cost.cycles if minimum is None else min(minimum, cost.cycles)
        kept.note(cost.instructions, cost.cycles, tried)
        if maximum is None or cost.cycles > maximum:
            maximum, best = cost.cycles, tried
    return Found(
        seed, tries, returned, failure, minimum, maximum, best.words, best.memory.hex(), best.caches, best.contents
    )
