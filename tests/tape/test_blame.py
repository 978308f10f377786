"""Who is to blame when a tape diverges: planted faults of one instruction, and the right function.

--full: twenty faults, in four programs on all five processors.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from statistics import median

from fuzzing.work import scaled

from retrosim.cpu.spec.decoding import IllegalEncoding
from retrosim.cpu.spec.rows import Insn
from retrosim.machine import Machine
from retrosim.machine.budget import Budget
from retrosim.rom import Image
from retrosim.tape import Player, Tape, load_tape, open_for
from retrosim.tape.blame import Blame, blame, blame_lines
from tests.helpers.amount import amount
from tests.helpers.machine.flat import MACHINES

FAULTS = amount(0, 20)
TAPES = ("first-wave", "crush-48", "gem-run", "twenty-five")
BUDGET = 8_000_000  # clocks without a frame: a fault may make the program hang, or run through all memory
SECONDS = 5  # of processor time that half of the faults may take


@cache
def machines(name: str, tape: str, engine: str) -> tuple[Tape, Machine, Machine, Image]:
    loaded = load_tape(tape)
    failing, trusted = (open_for(loaded, name, engine=engine) for _ in range(2))
    assert isinstance(failing, Machine) and isinstance(trusted, Machine)
    return loaded, failing, trusted, trusted.image


def insns_of(machine: Machine, image: Image, function: str) -> Iterator[Insn]:
    symbol = image.symbols[function]
    pc = symbol.address
    while pc < symbol.address + symbol.size:
        try:
            insn = machine.core.cpu.table.decode(pc, machine.core.word)
        except IllegalEncoding:
            return
        yield insn
        pc = insn.end


def with_bit_flipped(image: Image, insn: Insn, bit: int) -> Image:
    segments = []
    for address, data in image.segments:
        changed = bytearray(data)
        if address <= insn.pc < address + len(data):
            changed[insn.pc - address + bit // 8] ^= 1 << bit % 8
        segments.append((address, bytes(changed)))
    return replace(image, segments=segments)


def planted(r: random.Random, name: str, tape: str, engine: str) -> tuple[str, Blame, float] | None:
    """Change one instruction so that the tape diverges; return its function and who is blamed; None: it did not."""
    loaded, failing, trusted, image = machines(name, tape, engine)
    trusted.reset()
    function = r.choice(sorted(n for n, s in image.symbols.items() if s.kind == "function" and s.size > 8))
    insns = list(insns_of(trusted, image, function))
    if not insns:
        return None
    insn = r.choice(insns)
    failing.image = with_bit_flipped(image, insn, r.randrange(8 * insn.length))
    failing.budget = Budget(frame_seconds=BUDGET / failing.clock_hz)
    player = Player(loaded, failing, force=True)
    changed = failing.core.decode(insn.pc)
    if changed.length != insn.length or not changed.row.pattern:
        return None  # not another instruction
    player.run()
    if player.world_ok is not False and not player.spent:
        return None
    failing.budget, started = Budget(frame_seconds=BUDGET / failing.clock_hz), time.process_time()
    found = blame(loaded, failing, trusted, player.world_mismatch.frame if player.world_mismatch else player.frame)
    return function, found, time.process_time() - started


def test_the_right_function_is_blamed() -> None:
    r = random.Random(1994)
    pairs = [(name, r.choice(TAPES)) for name in MACHINES] if FAULTS else [("mc68000-8", "first-wave")]
    results: list[tuple[str, Blame, float]] = []
    for name, tape in pairs:
        wanted = FAULTS // len(pairs) if FAULTS else 1
        before = len(results)
        while len(results) < before + wanted:
            found = planted(r, name, tape, "recompile" if FAULTS else "interpret")
            results += [found] if found else []
        machines.cache_clear()
        right = sum(found.function == function for function, found, _ in results[before:])
        print(f"{name}, {tape}: {right} of {wanted} right", flush=True)  # what an interrupted run has found
    wrong = [(function, found.function, found.note) for function, found, _ in results if found.function != function]
    took = median(seconds for *_, seconds in results)
    print(f"{len(results)} faults, {len(wrong)} wrong {wrong}, median {took:.2f} s")
    assert len(wrong) <= 0.05 * len(results), wrong
    assert took < scaled(SECONDS)
    lines = blame_lines(results[0][1].as_dict())
    assert lines[0].startswith(f"to blame: {results[0][0]}") and "failing" in "\n".join(lines)


def test_the_same_program_has_nobody_to_blame() -> None:
    loaded, failing, trusted, image = machines("mc68000-8", "first-wave", "interpret")
    failing.image = image
    found = blame(loaded, failing, trusted, 3)
    assert found.function is None and "same results" in found.note
