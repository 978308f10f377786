"""Code that is overwritten again and again: the interpreter does what the evaluator does, and gets no slower."""

from __future__ import annotations

import numpy as np

from retrosim.asm import assemble
from retrosim.cpu.engines.handlers.handlers import GOTO, ORDINARY_WORD, PC_WORD, RECORD_BYTES, TARGET_WORD
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.engines.regions.compiled_region import CompiledRegion
from retrosim.cpu.engines.regions.regions import discover
from tests.helpers.machine import programs

ROUNDS = 60

# What is copied over `slot`: an addition, a branch back over others, a long one, one to skip a word, a nop.
SOURCE = """
_start: lea     forms,a0
        moveq   #4,d7
next:   move.l  (a0)+,slot
again:  addq.l  #1,d1
slot:   nop
        nop
behind: addq.l  #1,d2
        dbra    d7,next
        bra     _start
over:   addq.l  #3,d1
        bra     behind
forms:  addi.w  #5,d1
        bra.w   over-slot+forms+4
        moveq   #7,d3
        moveq   #9,d4
        bra.s   *+4
        nop
        nop
        nop
"""


def hops(interpreter: Interpreter, pc: int) -> int:
    """Return the greatest number of records that lead on from one of an address to where its instruction is."""
    records, goto = interpreter._records, interpreter._stubs[GOTO]
    longest = 0
    for slot in np.flatnonzero(records[: interpreter._used, PC_WORD] == pc).tolist():
        count = 0
        while records[slot].view(np.uint64)[ORDINARY_WORD // 2] == goto:
            slot += int(records[slot, TARGET_WORD].view(np.int32)) // RECORD_BYTES
            count += 1
        longest = max(longest, count)
    return longest


def test_what_is_overwritten_often() -> None:
    made = assemble(SOURCE, "68040", origin=programs.ENTRY)
    image = programs.image(made.code.hex())
    slow, fast = (programs.complete("mc68040-25", image, engine=engine) for engine in ("evaluate", "interpret"))
    longest = set()
    for number in range(ROUNDS):
        for each in (slow, fast):
            each.run(instructions=31)
        assert programs.content(fast) == programs.content(slow), number
        longest.add(hops(fast._engine, made.symbols["slot"]))
    assert 1 in longest and max(longest) <= 2


def test_a_region_whose_entry_was_overwritten_is_left_when_its_middle_is() -> None:
    """ADDQ.L #1,D1; ADDQ.L #1,D2, each of which becomes ADDQ.L #2 in turn."""
    made = assemble("_start: addq.l #1,d1\n addq.l #1,d2\n bra.s _start", "68040", origin=programs.ENTRY)
    image = programs.image(made.code.hex())
    slow, fast = (programs.complete("mc68040-25", image, engine=engine) for engine in ("evaluate", "interpret"))
    core = fast._engine.core
    (region,) = discover(core, [programs.ENTRY])
    fast._engine.install(CompiledRegion(core.cpu, core.timing_mode, region, quick=True))
    for offset, code in [(0, "5281"), (0, "5481"), (0, "5281"), (2, "5482"), (2, "5282"), (0, "5481")]:
        for each in (slow, fast):
            each.write(programs.ENTRY + offset, bytes.fromhex(code))
            each.run(instructions=30)
        assert programs.content(fast) == programs.content(slow), (offset, code)
