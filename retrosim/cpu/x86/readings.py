"""What the sources of the clocks leave open, by model; guide/facts/x86_timing.md has the passages."""

from __future__ import annotations

from ..spec.readings import Reading

TWO_REGISTERS = Reading(
    name="two-registers",
    question="does an address of two registers cost a clock?",
    options=("free", "clock"),
    reason="the manual adds nothing; the sentence of the data sheet is recalled, its text was not found",
    source="80386 PRM (1986) 17.2.2.3; Intel386 DX data sheet, assumption 5 of the clock counts (recalled)",
)
FIRST_WORD = Reading(
    name="first-word",
    question="do the wait states of the first word behind a jump pass during m, or before it?",
    options=("before", "during"),
    reason="the vectors have no wait states and fit either; a timed loop asks for it, and nothing against it",
    source="Abrash 1997 chapter 11, loop on an AT clone (before); 80286 PRM (1985): m is a clock a byte (during)",
)
FIGURES = Reading(
    name="figures",
    question="where the clocks of an instruction are printed otherwise than they were recorded, which count?",
    options=("timed", "printed"),
    reason="recorded of each of them hundreds of times; printed, CMP has its two forms of memory the other way round",
    source="github.com/SingleStepTests/80286, a Harris 80C286 (timed); 80286 PRM (1985) appendix B (printed)",
)
STRING_MOVES = Reading(
    name="string-moves",
    question="what does REP MOVS take beside 4 clocks an iteration: 5 or 8?",
    options=("manual", "data-sheet"),
    reason="all other entries are the manual's",
    source="80386 PRM (1986) REP; Intel386 DX data sheet",
)
ROTATE_CARRY = Reading(
    name="rotate-carry",
    question="do RCL and RCR of a register take the printed 9 clocks, or 8, and 3 by one bit, as timed?",
    options=("manual", "timed"),
    reason="all other entries are the manual's, and the other lists repeat it; a single author timed it",
    source="80386 PRM (1986) RCL/RCR, HelpPC 2.10, MAME (manual); Abrash 1997 chapter 9, microcode of the 386 (timed)",
)
MULTIPLIER = Reading(
    name="multiplier",
    question="do MUL and IMUL take the 6 clocks that the manual adds to the bits of the multiplier, or 3 more?",
    options=("manual", "timed"),
    reason="all other entries are the manual's; the source that timed it says 3 to 4 more, not which",
    source="80386 PRM (1986) MUL, HelpPC 2.10 (manual); Abrash 1997 chapter 9, MAME, microcode of the 386 (timed)",
)
LOOP = Reading(
    name="loop",
    question="does a taken LOOP take the printed 11+m, or 9+m, as JCXZ, whose microcode has as many steps?",
    options=("manual", "microcode"),
    reason="all other entries are the manual's, and the other lists repeat it; 11+m fits the steps of one not taken",
    source="80386 PRM (1986) LOOP, HelpPC 2.10, MAME (manual); reenigne/x86_microcode 80386, 057-05E (microcode)",
)
FAR_JUMP = Reading(
    name="far-jump",
    question="does JMP m16:16 take the 43+m that the manual prints for real mode, or 17+m?",
    options=("manual", "listed"),
    reason="all other entries are the manual's; 43 was not seen where the jump was timed: 30 clocks at the fastest",
    source="80386 PRM (1986) JMP (manual); MAME, Abrash 1997 chapter 9 (listed)",
)
INDEX_CLOCK = Reading(
    name="index-clock",
    question="which index registers cost a clock: any, or those scaled or with a displacement?",
    options=("any", "scaled"),
    reason="timed in real mode, and the manual makes no difference",
    source="i486 PRM (1990) appendix E; Abrash 1997 chapter 12, rule 1; guide/facts/x86_timing.md (scaled)",
)
INTERLOCK = Reading(
    name="interlock",
    question="how long must an address wait for a register in real mode: 1 clock as printed, or 2?",
    options=("measured", "printed"),
    reason="timed on two 486s; in protected mode the same author found the printed clock",
    source="Abrash 1997 chapter 12, rule 2, and chapter 13 (T. Mathisen's loop); i486 PRM (1990) appendix E",
)
POP_MEMORY = Reading(
    name="pop-memory",
    question="does POP of memory take the 5 clocks that the manual prints, or the 6 that were timed?",
    options=("manual", "timed"),
    reason="all other entries are the manual's; 6 was timed by one author, and two lists have it",
    source="i486 PRM (1990) appendix E (manual); Abrash 1997 chapter 13, HelpPC 2.10, 86Box (timed)",
)


def _byte_writes(*options: str, reason: str) -> Reading:
    return Reading(
        name="byte-writes",
        question="does writing a byte hold up any address two clocks later, or only one from its own register?",
        options=options,
        reason=reason,
        source="Abrash 1997 chapter 12, rule 4 and listings 12.1 and 12.2; Toth 1998",
    )


_REAL = _byte_writes("any", "own", reason="timed on two 486s in real mode")
_FLAT = _byte_writes("own", "any", reason="any was timed in real mode only, where another penalty is longer too")

READINGS: dict[str, tuple[Reading, ...]] = {
    "i286_real": (FIRST_WORD, FIGURES),
    "i386_real": (TWO_REGISTERS, STRING_MOVES, ROTATE_CARRY, MULTIPLIER, LOOP, FAR_JUMP),
    "i386_flat": (TWO_REGISTERS, STRING_MOVES, ROTATE_CARRY, MULTIPLIER, LOOP),
    "i486_real": (INDEX_CLOCK, INTERLOCK, _REAL, POP_MEMORY),
    "i486_flat": (INDEX_CLOCK, _FLAT, POP_MEMORY),
}
