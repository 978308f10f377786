"""Searches for an input on which a routine takes many clocks: random ones (search.py), then changes of the best.

Of each number of instructions that calls have taken, the longest call is kept, so that the search goes on from all of
the longer ways through the routine, and not only from what is the best so far.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from retrosim.cpu.engines.core import Core
from retrosim.errors import RetrosimError
from retrosim.machine import Machine

from .state import ALIGNMENT
from .words import MASKS

# Inputs of a routine for the search of search.py: arguments, memory, what the caches hold; and changes of them.
#
# A call finds the caches as the call before left them ("left"), as they were before the first one ("given"), empty
# ("empty"), full of lines that it does not use, to be written out before they are replaced ("dirty"), or each line one
# of that kind, one that need not be written, or none ("mixed").

AREA, AREA_BYTES = 0x200000, 0x3000  # free memory of every ROM: what arguments point to
BLOCK = 128  # bytes of memory that are of one kind
CACHES = ("left", "given", "empty", "dirty", "dirty", "mixed")
ALIEN = 0x600000  # address from which on there are lines that no routine uses
SMALL = 16  # arguments that are small, as counts; times 4, since they may be addresses
NO_POINTER = 0x800003  # bits that arguments do not have: as addresses they would be odd, or not in RAM
OBJECT_BYTES = 32  # behind a pointer: what is changed, and what moves with it
FEW = bytes((0, 0, 0, 1, 2, 0xFF)) * 43  # bytes of small numbers
EDGES = bytes((0x55, 0xAA, 0xFF, 0x7F, 0x80)) * 52  # bytes that make multiplications long, and extremes


@dataclass(frozen=True)
class RandomCall:
    """What a call finds; `contents` is the seed of what is random in the caches."""

    words: tuple[int, ...]
    memory: bytes
    caches: str
    contents: int


class RandomCalls:
    """Random inputs of a routine.

    given   arguments; those that are None are chosen
    core    for the sizes of its caches
    bits    of an argument
    stack   stack pointer of the call
    """

    def __init__(self, seed: int, given: Sequence[int | None], core: Core, bits: int, stack: int) -> None:
        self.chance, self.given, self.bits, self.stack = random.Random(seed), given, bits, stack
        self.is_big_endian = core.cpu.big_endian
        self.alignment = ALIGNMENT[core.cpu.isa.word_bytes]
        lines = [cache.lines for cache in core.cpu.caches.values() if cache.lines]
        self.periods = sorted({each.sets * each.units * each.unit_bytes for each in lines})

    def fresh(self) -> RandomCall:
        """Return an input that nothing is known of."""
        words = tuple(self._argument() if word is None else word for word in self.given)
        memory = b"".join(self._bytes(BLOCK) for _ in range(AREA_BYTES // BLOCK))
        return RandomCall(words, memory, *self._caches())

    def changed(self, old: RandomCall) -> RandomCall:
        """Return an input that differs from another in a few places."""
        kind, new = self.chance.random(), old
        if kind < 0.1:
            new = replace(new, words=self._words(new.words))
        if 0.05 < kind < 0.2:
            new = self._moved(new)
        if kind > 0.15:
            new = replace(new, memory=self._memory(new))
        if self.chance.random() < 0.2:
            caches, contents = self._caches()
            new = replace(new, caches=caches, contents=contents)
        return new

    def _caches(self) -> tuple[str, int]:
        return self.chance.choice(CACHES), self.chance.getrandbits(16)

    def _words(self, old: Sequence[int]) -> tuple[int, ...]:
        return tuple(
            self._argument() if given is None and self.chance.random() < 0.3 else word
            for given, word in zip(self.given, old, strict=True)
        )

    def _argument(self) -> int:
        chance = self.chance
        kind = chance.random()
        if kind < 0.6 and self.bits == 32:
            step = 16 if kind < 0.2 else self.alignment
            return AREA + step * chance.randrange(AREA_BYTES // 2 // step)
        if kind < 0.8:
            return chance.randrange(SMALL) * 4
        if kind < 0.85:
            extreme = chance.choice((-1, -2, 1 << self.bits - 1, (1 << self.bits - 1) - 1, 1)) & MASKS[self.bits]
            return extreme & ~(NO_POINTER | 2 * OBJECT_BYTES - 1)  # as an address it would be at the end of RAM
        return chance.getrandbits(self.bits) & ~NO_POINTER

    def _bytes(self, size: int) -> bytes:
        """Return random bytes: any, small ones, those that have many ones, or words of any size."""
        kind, data = self.chance.random(), self.chance.randbytes(size)
        if kind < 0.4:
            return data.translate(FEW[:256] if kind < 0.2 else EDGES[:256])
        if kind < 0.6:
            return data
        words = np.frombuffer(data, "<i2") >> np.frombuffer(self.chance.randbytes(size // 2), np.uint8) % 16
        return words.astype(">i2" if self.is_big_endian else "<i2").tobytes()

    def _pointers(self, words: Sequence[int]) -> list[int]:
        """Return the places of arguments that point into the memory, and may be changed."""
        return [
            n
            for n, word in enumerate(words)
            if self.given[n] is None and AREA <= word < AREA + AREA_BYTES - OBJECT_BYTES
        ]

    def _moved(self, old: RandomCall) -> RandomCall:
        """Move an object to where its lines share sets of a cache with another one, or with the stack."""
        places = self._pointers(old.words)
        if not places or not self.periods:
            return old
        place = self.chance.choice(places)
        period = self.chance.choice(self.periods)
        near = self.chance.choice([*(old.words[other] for other in places if other != place), self.stack])
        offset = self.alignment * self.chance.randrange(-OBJECT_BYTES, OBJECT_BYTES)
        turns = self.chance.randrange(max(1, AREA_BYTES // period))
        start, end = old.words[place] - AREA, (near + offset - AREA) % period + period * turns
        if not 0 <= end < AREA_BYTES - OBJECT_BYTES:
            return old
        memory = bytearray(old.memory)
        memory[end : end + OBJECT_BYTES] = old.memory[start : start + OBJECT_BYTES]
        words = (*old.words[:place], AREA + end, *old.words[place + 1 :])
        return replace(old, words=words, memory=bytes(memory))

    def _memory(self, old: RandomCall) -> bytes:
        """Change a few words, most of them of objects that arguments point to."""
        chance, memory = self.chance, bytearray(old.memory)
        places = self._pointers(old.words)
        for _ in range(chance.choice((1, 1, 2, 3, 4, 8))):
            at = other = chance.randrange(0, AREA_BYTES, 2)
            if places and chance.random() < 0.95:
                offset = 2 * chance.randrange(OBJECT_BYTES // 2) - AREA
                at, other = (old.words[chance.choice(places)] + offset for _ in range(2))
            memory[at : at + 2] = self._word(bytes(memory[other : other + 2]))
        return bytes(memory)

    def _word(self, old: bytes) -> bytes:
        """Return a word near another one, with a bit that differs, or any."""
        order: Literal["big", "little"] = "big" if self.is_big_endian else "little"
        kind, number = self.chance.random(), int.from_bytes(old, order)
        if kind < 0.4:
            number += self.chance.randrange(-4, 5) << self.chance.randrange(12)
        elif kind < 0.6:
            number ^= 1 << self.chance.randrange(16)
        else:
            return self._bytes(2)
        return (number & 0xFFFF).to_bytes(2, order)


def fill_caches(core: Core, tried: RandomCall) -> None:
    """Have all caches hold what an input says, and the caches behind them nothing."""
    if tried.caches in ("left", "given"):
        return
    chance = np.random.Generator(np.random.PCG64(tried.contents))
    for cache in core.cpu.caches.values():
        tags, lines = core.state[cache.tags], cache.lines
        tags[:] = 0
        for name in (*cache.shortcuts, *cache.behind):
            core.state[name] = 0
        if tried.caches == "empty" or lines is None:
            continue
        first = ALIEN // (lines.unit_bytes * lines.units)
        groups, ways = np.divmod(np.arange(len(tags)), lines.ways)
        numbers = first + groups - first % lines.sets + lines.sets * ways
        filled = np.array([lines.tag(int(number), MASKS[lines.units])[0] for number in numbers], tags.dtype)
        is_there, is_dirty = chance.random((2, len(tags))) < (1.1 if tried.caches == "dirty" else 0.7)
        tags[:] = np.where(is_there, filled | np.where(is_dirty, cache.status_bits, 0).astype(tags.dtype), 0)
        if cache.dirty:
            core.state[cache.dirty] = is_there & is_dirty
        if cache.accesses:
            core.state[cache.accesses] = int(chance.integers(256))


MAX_INSTRUCTIONS = 20_000  # of one call
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
    caches       what they held; see the head of search.py
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
        self._calls: dict[int, tuple[int, RandomCall]] = {}

    def note(self, instructions: int, cycles: int, tried: RandomCall) -> None:
        """Keep a call if it is longer than others."""
        old = self._calls.get(instructions)
        if old is None or cycles >= old[0]:  # of equal ones the newer: the search goes on from there
            self._calls[instructions] = cycles, tried
        if len(self._calls) > KEPT:
            del self._calls[min(self._calls, key=lambda each: self._calls[each][0])]

    def some(self, chance: random.Random) -> RandomCall | None:
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
    inputs = RandomCalls(seed, arguments, core, machine.argument_bits(convention), stack)
    kept, best = _Kept(), RandomCall((), b"", "given", 0)
    minimum = maximum = None
    returned, failure = 0, ""
    for number in range(tries):
        progress(number)
        old = kept.some(inputs.chance) if number > FIRST * tries and inputs.chance.random() > FRESH else None
        tried = inputs.fresh() if old is None else inputs.changed(old)
        if tried.caches != "left":
            core.state[()] = start
        fill_caches(core, tried)
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
