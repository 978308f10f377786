"""Searches for an input on which a routine takes many clocks: random arguments and memory, then changes of the best.

A call finds the caches as the call before left them ("left"), as they were before the first one ("given"), empty
("empty"), or full of lines that it does not use, to be written out before they are replaced ("dirty").
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrosim.cpu.engines.core import Core
from retrosim.errors import RetrosimError
from retrosim.machine import Machine

from .bounds_state import ALIGNMENT
from .bounds_words import MASKS

AREA, AREA_BYTES = 0x200000, 0x800  # free memory of every ROM: what arguments point to
MAX_INSTRUCTIONS = 20_000  # of one call
CACHES = ("left", "given", "empty", "dirty", "dirty")
ALIEN = 0x600000  # address from which on there are lines that no routine uses
PAUSE = 1 << 14  # clocks between two calls: the bus is idle when one begins
FRESH = 0.3  # of the tries do not go on from the best
SMALL = 16  # arguments that are small, as counts; times 4, since they may be addresses
NO_POINTER = 0x800003  # bits that arguments do not have: as addresses they would be odd, or not in RAM
ARGUMENTS = 8  # that are tried where they are not given: more do no harm
Input = tuple[tuple[int, ...], bytes, str]


@dataclass(frozen=True)
class Found:
    """The most and the least clocks that were found.

    maximum, minimum  clocks; None when no call returned
    arguments    of the call that took the most
    memory       hexadecimal digits of the bytes from AREA on, in that call
    caches       what they held; see the head of this module
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


def search(
    machine: Machine,
    entry: int,
    arguments: Sequence[int | None],
    *,
    convention: str = "c",
    tries: int,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> Found:
    """Call a routine with random inputs. Memory and registers of the machine are not restored.

    arguments  those that are None are searched for
    """
    chance = random.Random(seed)
    bits = machine.argument_bits(convention)
    core, start = machine.core, machine.core.state.copy()
    best: Input | None = None
    minimum = maximum = None
    returned, failure = 0, ""
    for number in range(tries):
        progress(number)
        words, memory, caches = tried = _next(chance, best, arguments, bits, core.cpu.isa.word_bytes)
        if caches != "left":
            core.state[()] = start
            _fill_caches(core, chance, caches)
        for field in ("cycles", *core.cpu.stage_fields):
            core.state[field] = int(core.state["cycles"]) + PAUSE
        machine.write(AREA, memory)
        try:
            cycles = machine.measure(
                entry, *words, convention=convention, warm=0, max_instructions=MAX_INSTRUCTIONS
            ).cycles
        except RetrosimError as error:
            failure = str(error)
            core.state[()] = start
            continue
        returned += 1
        minimum = cycles if minimum is None else min(minimum, cycles)
        if maximum is None or cycles > maximum:
            maximum, best = cycles, tried
    words, memory, caches = best or ((), b"", "given")
    return Found(seed, tries, returned, failure, minimum, maximum, words, memory.hex(), caches)


def _fill_caches(core: Core, chance: random.Random, how: str) -> None:
    """Empty all caches, or fill them with lines that are to be written out."""
    for cache in core.cpu.caches.values() if how in ("empty", "dirty") else ():
        tags, lines = core.state[cache.tags], cache.lines
        tags[:] = 0
        for name in cache.shortcuts:
            core.state[name] = 0
        if how == "empty" or lines is None:
            continue
        first = ALIEN // (lines.unit_bytes * lines.units)
        for entry in range(len(tags)):
            group, way = divmod(entry, lines.ways)
            number = first + group - first % lines.sets + lines.sets * way
            tags[entry] = lines.tag(number, MASKS[lines.units])[0] | cache.status_bits
        if cache.dirty:
            core.state[cache.dirty] = 1


def _next(chance: random.Random, best: Input | None, given: Sequence[int | None], bits: int, word_bytes: int) -> Input:
    """Return arguments, memory, and what the caches hold."""
    if best is None or chance.random() < FRESH:
        words = tuple(_argument(chance, bits, word_bytes) if word is None else word for word in given)
        return words, _memory(chance), chance.choice(CACHES)
    old, before, caches = best
    words = tuple(
        _argument(chance, bits, word_bytes) if word is None and chance.random() < 0.2 else known
        for word, known in zip(given, old, strict=True)
    )
    memory = bytearray(before)
    for _ in range(chance.randrange(1, 9)):
        at = chance.randrange(0, AREA_BYTES, 2)
        memory[at : at + 2] = _memory(chance, 2)
    return words, bytes(memory), chance.choice(CACHES) if chance.random() < 0.1 else caches


def _argument(chance: random.Random, bits: int, word_bytes: int) -> int:
    kind = chance.random()
    if kind < 0.6 and bits == 32:
        step = 16 if kind < 0.2 else ALIGNMENT[word_bytes]
        return AREA + step * chance.randrange(AREA_BYTES // 2 // step)
    if kind < 0.8:
        return chance.randrange(SMALL) * 4
    if kind < 0.85:
        return chance.choice((-1, -2, 1 << bits - 1, (1 << bits - 1) - 1, 1)) & (1 << bits) - 1
    return chance.getrandbits(bits) & ~NO_POINTER


def _memory(chance: random.Random, size: int = AREA_BYTES) -> bytes:
    """Return random bytes, of which many are small or have many ones."""
    kind = chance.random()
    if kind < 0.3:
        return bytes(chance.choice((0, 0, 0, 1, 2, 0xFF)) for _ in range(size))
    if kind < 0.5:
        return bytes(chance.choice((0x55, 0xAA, 0xFF, 0x7F, 0x80)) for _ in range(size))
    return chance.randbytes(size)
