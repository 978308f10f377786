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
from types import SimpleNamespace

import numpy as np
from fuzzing.work import scaled

from retrosim.cpu.spec.decoding import IllegalEncoding
from retrosim.cpu.spec.rows import Insn
from retrosim.machine import Machine
from retrosim.machine.budget import Budget
from retrosim.rom import Image
from retrosim.tape import Player, Tape, load_tape, open_for
from retrosim.tape import blame as blaming
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


def test_what_differs_first() -> None:
    """A register before memory; of memory the first byte outside what may differ."""

    def machine(d0: int = 5, **memory: int) -> SimpleNamespace:
        found = np.zeros(64, np.uint8)
        for place, value in memory.items():
            found[int(place[1:])] = value
        return SimpleNamespace(regs={"d0": d0, "d1": 7}, mem=found)

    def said(ours: SimpleNamespace, theirs: SimpleNamespace, *words: int) -> tuple[str, str]:
        return blaming._first_difference(ours, theirs, frozenset(words))

    assert said(machine(6, _9=1), machine(5)) == ("d0 = 0x6", "d0 = 0x5")
    assert said(machine(_19=1, _42=2), machine(_19=0x80)) == ("0x13: 0x01", "0x13: 0x80")
    assert said(machine(_19=1, _42=2), machine(), 2) == ("0x2a: 0x02", "0x2a: 0x00")
    assert said(machine(_19=1), machine(), 2) == ("the program stops", "the program goes on")


def test_who_wrote_an_entry() -> None:
    """An entry of the world by its place; nobody where the program has no such column, or nobody wrote it."""
    column = SimpleNamespace(name="px", symbol="gX", offset=4, stride=2, type="i16")
    asked: list[tuple[int, int]] = []
    stop = SimpleNamespace(pc=0x2002, text="MOVE.w d0,(a0)")
    image = SimpleNamespace(
        symbols={"gX": 0}, symbol_at=lambda pc: ("Move", pc - 0x2000), source_line=lambda pc: ("a.c", 12)
    )
    machine = SimpleNamespace(
        rom=SimpleNamespace(world=[column]),
        image=image,
        address=lambda name: 0x3000,
        world=lambda: SimpleNamespace(columns={"px": [7, 8, 9]}),
    )
    side = SimpleNamespace(machine=machine, last_write=lambda *what: asked.append(what) or stop)
    found = blaming._writer(side, "ours", "px", 2)
    assert asked == [(0x3008, 2)]
    assert (found.pc, found.text, found.function, found.file, found.line, found.value) == (
        0x2002, "MOVE.w d0,(a0)", "Move", "a.c", 12, "9",
    )  # fmt: skip
    assert blaming._writer(side, "ours", "px", 3).value == "missing"
    side.last_write = lambda *what: None
    nobody = blaming._writer(side, "ours", "px", 0)
    assert (nobody.pc, nobody.text, nobody.function, nobody.value) == (None, "nobody since power-on", None, "7")
    assert blaming._writer(side, "ours", "py", 0) is None
    image.symbols.clear()
    assert blaming._writer(side, "ours", "px", 0) is None
    machine.rom = None
    assert blaming._writer(side, "ours", "px", 0) is None
