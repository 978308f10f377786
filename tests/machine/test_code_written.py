"""Programs that write code: what they have written runs next, in every engine, clock for clock as on the evaluator.

Recompiled and with the simpler timings by default each on one machine, with --full on both.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from retrosim.machine import Machine
from tests.helpers.amount import FULL
from tests.helpers.machine import programs, wild
from tests.helpers.machine.programs import COMPILED, ENGINES, MACHINES, TIMINGS

BOTH, LATER = tuple(MACHINES), ("mc68040-25",)
END = 0xFFFFFE  # the last word of memory: what follows lies at address 0


@dataclass(frozen=True)
class Case:
    """A program at ENTRY, more of it elsewhere, and d0 after so many instructions."""

    code: str
    instructions: int
    d0: int
    more: tuple[tuple[int, str], ...] = ()
    machines: tuple[str, ...] = BOTH
    d1: int = 0


TRAPPED = ((0x80, "0000 1100"), (0x1100, "4ef8 1014"))  # the handler of trap #0: jmp $1014

# addq.l #1,d0 is 5280, addq.l #2,d0 is 5480, addq.l #4,d0 is 5880; bra self is 60fe
CASES = {
    # 1000 move.w #$5480,$1008  1006 nop  1008 addq.l #1,d0  100a bra self
    "two instructions ahead": Case("31fc 5480 1008 4e71 5280 60fe", 4, 2),
    # 1000 move.w #$5480,$1006  1006 addq.l #1,d0
    "the next instruction": Case("31fc 5480 1006 5280 60fe", 3, 2),
    # 1000 addq.l #1,d0  1002 move.w #$5480,$1000  1008 bra 1000
    "the start of its own block": Case("5280 31fc 5480 1000 60f6", 6, 3),
    # 1000 addq.l #1,d0  1002 lea $1006,a0  1006 move.w #$5280,(a0): addq.l #1,d0 twice from now on  100a bra 1000
    "itself": Case("5280 41f8 1006 30bc 5280 60f4", 9, 4),
    # 1000 move.l #$52805280,d0  1006 bra 1002: the immediate is addq.l #1,d0 twice
    "the middle of an instruction": Case("203c 5280 5280 60fa", 4, 0x52805282),
    # 1000 move.l #$52805280,d0  1006 addq.w #1,d1  1008 cmpi.w #2,d1  100c beq 1000
    # 100e move.w #$5480,$1002  1014 cmpi.w #4,d1  1018 blt 1002  101a bra self: 1002 is both immediate and addq
    "an instruction inside another": Case(
        "203c 5280 5280 5241 0c41 0002 67f2 31fc 5480 1002 0c41 0004 6de8 60fe", 40, 0x54805283, d1=4
    ),
    # 1000 move.b #$54,$1006  1006 addq.l #1,d0
    "one byte": Case("11fc 0054 1006 5280 60fe", 3, 2),
    # 1000 move.l #$54805480,$100a  1008 addq.l #1,d0  100a addq.l #1,d0  100c addq.l #1,d0
    "a long word over two instructions": Case("21fc 5480 5480 100a 5280 5280 5280 60fe", 5, 5),
    # 1000 move.l #$60045280,$1008 1008 addq.l #1,d0 100a addq.l #1,d0 ... 100e addq.l #4: a branch where none was
    "a branch": Case("21fc 6004 5280 1008 5280 5280 5280 5880 60fe", 4, 4),
    # 1000 move.w #$0680,$1008 1008 addq.l #1,d0 -> addi.l #$00000007,d0: longer than what was there
    "a longer instruction": Case("31fc 0680 1006 5280 0000 0007 60fe", 3, 7),
    # 1000 jsr $1010  1004 move.w #$5480,$1010  100a bra 1000  1010 addq.l #1,d0  1012 rts
    "a routine, called again": Case("4eb8 1010 31fc 5480 1010 60f4 4e71 4e71 5280 4e75", 8, 3),
    # 1000 move.w #$5480,$ff001006: an address beyond 24 bits
    "an address beyond memory": Case("33fc 5480 ff00 1008 5280 60fe", 3, 2),
    # 1000 movem.l d2/d3,$1010 (d2 = 54805480)  1010 addq.l #1,d0 four times
    "movem": Case("243c 5480 5480 2602 48f8 000c 1010 4e71 5280 5280 5280 5280 60fe", 9, 8),
    # 1000 moveq #$54,d1; movep.w d1,.. 8 bits apart: the high bytes of 100c and 100e
    "movep": Case("323c 5454 41f8 1010 0388 0000 4e71 4e71 5280 5280 60fe", 8, 4, d1=0x5454),
    # 1000 bset #2,$1008 (5280 -> 5680 is addq #3)
    "a bit": Case("08f8 0002 1006 5280 60fe", 3, 3),
    # 1000 lea $1010,sp  1004 pea 0: pushed over the two addq.l #1,d0 at 100c, which become ori.b #0,d0
    "the stack": Case("4ff8 1010 4878 0000 4e71 4e71 5280 5280 60fe", 6, 0, d1=0),
    # code made on the stack: 1000 move.w #$4e75,-(sp)  1004 move.w #$5880,-(sp)  1008 jsr (sp)  100a bra self
    "code on the stack": Case("3f3c 4e75 3f3c 5880 4e97 60fe", 6, 4),
    # and again with other code at the same place
    "other code on the stack": Case("3f3c 4e75 3f3c 5880 4e97 588f 3f3c 4e75 3f3c 5280 4e97 60fe", 13, 5),
    # 1000 lea $1018 or $101a,sp  1004 jmp $1014  1014 addq.l #1,d0 twice  1018 trap #0, whose frame has its program
    # counter at 1014: 0000 101a is ori.b #$1a,d0, and the handler jumps there
    "an exception frame": Case(
        "4ff8 1018 4ef8 1014 4e71 4e71 4e71 4e71 4e71 4e71 5280 5280 4e40", 7, 0x1A, TRAPPED, BOTH[:1]
    ),
    "a longer exception frame": Case(
        "4ff8 101a 4ef8 1014 4e71 4e71 4e71 4e71 4e71 4e71 5280 5280 4e40", 7, 0x1A, TRAPPED, LATER
    ),
    "move16": Case(
        # 1000 lea $1040,a0  1004 lea $1020,a1  1008 move16 (a0)+,(a1)+  100c jmp $1020
        "41f8 1040 43f8 1020 f620 9000 4ef8 1020",
        9,
        8,
        ((0x1020, "5280 5280 5280 5280 60fe"), (0x1040, "5480 5480 5480 5480 60fe")),
        LATER,
    ),
    # 1000 move.w #$5280,d1  1004 move.w #$5480,d2  1008 cas.w d1,d2,$1010  100e nop  1010 addq.l #1,d0
    "cas": Case("323c 5280 343c 5480 0cf8 0081 1010 4e71 5280 60fe", 6, 2, machines=LATER, d1=0x5280),
    # cas2.w with both operands code, far apart: lea $101c,a0  lea $fff000,a1  move.l #$5280,d1  move.w #$5480,d2
    # 1014 cas2.w d1:d1,d2:d2,(a0):(a1)  101a nop  101c addq.l #1,d0  101e jmp $fff000, where another addq.l #1,d0 is
    "cas2": Case(
        "41f8 101c 43f9 00ff f000 223c 0000 5280 343c 5480 0cfc 8081 9081 4e71 5280 4ef9 00ff f000",
        10,
        4,
        ((0xFFF000, "5280 60fe"),),
        LATER,
        0x5280,
    ),
    # an instruction across the end of memory: move.w #1,d1 at the last word, its immediate at address 0
    # fffffe move.w #$0001,d1  2 add.w d1,d0  4 move.w #$0010,0  a jmp $fffffe
    "behind the end of memory": Case(
        "4ef9 00ff fffe",
        8,
        0x11,
        ((END, "323c"), (0, "0001 d041 31fc 0010 0000 4ef9 00ff fffe")),
        d1=0x10,
    ),
    # fffff8 addq.l #1,d0 three times, then move.l #...,d1 with its long at address 0, rewritten by a long store there
    "a long word behind the end": Case(
        "4ef9 00ff fff8",
        11,
        6,
        ((END - 6, "5280 5280 5280 223c"), (0, "0000 0001 21fc 0000 0023 0000 4ef9 00ff fff8")),
        d1=0x23,
    ),
    # the last word itself: move.w #$5480,$fffffe, which runs then and goes on at address 0
    "the last word": Case("4ef9 00ff fff8", 4, 2, ((0xFFFFF8, "31fc 5480 fffe 5280"), (0, "60fe"))),
}


def machine(case: Case, name: str, engine: str, timing: str) -> Machine:
    ours = programs.complete(name, programs.image(case.code, isa=MACHINES[name]), engine=engine, timing=timing)
    for address, code in case.more:
        ours.write(address, bytes.fromhex(code))
    return ours


@pytest.fixture(params=[(label, name) for label, case in CASES.items() for name in case.machines], ids=" on ".join)
def case(request) -> tuple[Case, str]:
    return CASES[request.param[0]], request.param[1]


@pytest.mark.first_case
@pytest.mark.parametrize("engine", ENGINES)
def test_what_was_written_runs(case: tuple[Case, str], engine: str) -> None:
    """At once and instruction by instruction."""
    program, name = case
    whole, steps = (machine(program, name, engine, "off") for _ in range(2))
    assert whole.run(instructions=program.instructions).instructions == program.instructions
    for _ in range(program.instructions):
        steps.run(instructions=1)
    for each in (whole, steps):
        assert (hex(each.regs["d0"]), hex(each.regs["d1"])) == (hex(program.d0), hex(program.d1))
    assert not wild.differences(whole.core, steps.core)


@pytest.mark.first_case
@pytest.mark.parametrize("timing", TIMINGS)
@pytest.mark.parametrize("engine", COMPILED)
def test_engines_agree_on_written_code(engine: str, timing: str) -> None:
    """All of them, run and run again with other pieces: every register, byte and clock."""
    for number, (label, program) in enumerate(CASES.items()):
        one = program.machines[number % len(program.machines)]
        for name in program.machines if FULL else (one,):
            r = random.Random(label)
            first, second = (machine(program, name, each, timing) for each in ("evaluate", engine))
            for _ in range(3):
                piece = r.randrange(1, 2 * program.instructions)
                assert first.run(instructions=piece) == second.run(instructions=piece), f"{label} on {name}"
                assert not wild.differences(first.core, second.core), f"{label} on {name}"
