"""The models of the Intel 286, 386 and 486."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial

import numpy as np

from retrosim.errors import IllegalInstruction, SpecError

from ..spec.cpu import ADDRESS_MASK, NO_CODE, Cache, Cpu, Lines
from ..spec.host import Call, Convention, Host, Register, Stack, go, in_field, push_words
from ..spec.rows import Insn
from ..spec.semantics import ExecutionContext
from ..spec.sources import ClockSources, Reading, averaged
from ..spec.timing import Timing
from . import arith, bits, flow, logic, move, string, system  # noqa: F401  each import adds its rows
from .clocks import clocks, has_data_clocks, keys, table
from .exceptions import DEBUG, INVALID, NO_FPU, accepts, exception, interrupt, take_fault, trap, vector_name
from .flow import INTERRUPT_ROW, UNDEFINED_ROWS, undefined
from .hooks import X86Hooks
from .i486_cache import SHORTCUTS, UNCACHED_FROM, VALID
from .i486_pipeline import CacheTiming
from .modes import MODEL_NAMES, is_286, is_real
from .modrm import EAX, ECX, EDX, ESP, NAMES, ZERO
from .prefetch import PrefetchTiming, WordPrefetchTiming
from .segments import CS, SEGMENT_NAMES, SS
from .state import IN_REGISTERS, LAYOUTS, X86, flags_of, put_flags, reset, reset_286
from .timing import TableTiming

# The x86 as the machine sees it: registers by name, conventions of calls in both modes, faults, single steps.
#
# Conventions of calls, the return address in a word of the argument's width:
#
#     c       arguments from right to left, near; words of 32 bits in flat mode, of 16 bits in real mode
#     regparm flat mode: the first three in EAX, EDX and ECX, the rest as in c (GCC, -mregparm=3)
#     pascal  real mode: arguments from left to right in words of 16 bits, a far call (Turbo Pascal)
#
# A near routine of real mode is entered with CS as it is, so it has to lie in that segment.

SPAN = 1 << 16  # of a real-mode segment
LOW_END = 1 << 20  # what segments can begin in
REGPARM = (EAX, EDX, ECX)
FLAG_BITS = 0xFFF  # of the 286's FLAGS in real mode


def _selector(number: int, real: bool) -> Register:
    def put(state: np.ndarray, value: int) -> None:
        state["seg"][number] = value
        if real:
            state["seg_base"][number] = value << 4

    return Register(16, lambda state: int(state["seg"][number]), put)


def _enter_flat(call: Call) -> None:
    call.state["r"][ESP] = push_words(call, (call.back, *call.arguments), 4, "little", int(call.state["r"][ESP]))
    go(call.state, call.entry)


def _enter_regparm(call: Call) -> None:
    for number, word in zip(REGPARM, call.arguments):
        call.state["r"][number] = word & 0xFFFFFFFF
    _enter_flat(replace(call, arguments=call.arguments[len(REGPARM) :]))


def _enter_real(far: bool) -> Callable[[Call], None]:
    def enter(call: Call) -> None:
        state = call.state
        base, selector = int(state["seg_base"][CS]), int(state["seg"][CS])
        back = [(call.back - base) % SPAN, *([selector] if far else [])]
        words = [*back, *(reversed(call.arguments) if far else call.arguments)]
        sp = int(state["r"][ESP])
        new = push_words(call, words, 2, "little", sp & 0xFFFF, int(state["seg_base"][SS]), SPAN)
        state["r"][ESP] = sp & ~0xFFFF | new
        (_go_real if far else go)(state, call.entry)

    return enter


def _go_real(state: np.ndarray, address: int) -> None:
    """Keep the code segment if it has an address, else take a multiple of 64 KiB. Errors: ValueError above 1 MiB."""
    if not 0 <= address < LOW_END:
        raise ValueError(f"code at {address:#x}: allowed 0..{LOW_END - 1:#x} in real mode")
    base = int(state["seg_base"][CS])
    if not 0 <= address - base < SPAN:
        base = address - address % SPAN
    state["seg"][CS], state["seg_base"][CS], state["pc"] = base >> 4, base, address


def _set_stack_flat(state: np.ndarray, top: int) -> None:
    state["r"][ESP] = top


def _set_stack_real(state: np.ndarray, top: int) -> None:
    """Put the stack into the 64 KiB below `top`, a multiple of 16 up to 1 MiB. Errors: ValueError."""
    if top % 16 or not SPAN <= top <= LOW_END:
        raise ValueError(f"stack below {top:#x}: allowed {SPAN:#x}..{LOW_END:#x} in real mode, a multiple of 16")
    state["seg"][SS], state["seg_base"][SS] = (top - SPAN) >> 4, top - SPAN
    state["r"][ESP] = 0


def _flat_top(state: np.ndarray) -> int:
    return int(state["r"][ESP]) & ADDRESS_MASK


def _real_top(state: np.ndarray) -> int:
    return (int(state["seg_base"][SS]) + (int(state["r"][ESP]) & 0xFFFF)) & ADDRESS_MASK


def _is_traced(m: ExecutionContext, trace: int, insn: Insn) -> bool:
    """Tell whether an instruction that began with TF set ends in a single-step trap: not if it was an exception or INT.

    Behind a load of SS the trap waits for the next instruction (Intel 386 PRM 12.3.1.4, 9.2.4).
    """
    return m.raised is None and m.get("shadow").number != m.get("pc").number + 1


STATUS, SINGLE_STEP = 6, 1 << 14  # number of the debug status register, its bit BS


def _single_step(m: ExecutionContext) -> None:
    """Take the single-step trap; DR6 tells the handler what it was (Intel 386 PRM 12.2.3)."""
    if not is_286(m.cpu.model):
        status = m.const(32, STATUS)
        m.set_element("dr", status, m.element("dr", status) | SINGLE_STEP)
    trap(m, DEBUG)


def _in_shadow(state: np.ndarray) -> bool:
    return int(state["pc"]) + 1 == int(state["shadow"])


def _end_shadow(state: np.ndarray) -> None:
    state["shadow"] = 0


def host_286() -> Host:
    """Return the description of the 286: real mode, registers of 16 bits, for which the names of 32 bits stand too."""
    of_386 = host(real=True)
    names = dict(zip(NAMES[32][:8], NAMES[16][:8]))
    registers = {
        names.get(name, name): in_field("r", NAMES[32].index(name), 16) if name in names else register
        for name, register in of_386.registers.items()
        if name not in ("fs", "gs", "eflags")
    }
    registers["flags"] = Register(16, flags_of, lambda state, word: put_flags(state, word & FLAG_BITS))
    return replace(of_386, registers=registers, aliases=names | {"eflags": "flags"}, result=("ax", "dx"))


def host(real: bool) -> Host:
    """Return the description of a mode."""
    registers = {name: in_field("r", number) for number, name in enumerate(NAMES[32][:8])}
    registers |= {name: _selector(number, real) for number, name in enumerate(SEGMENT_NAMES)}
    registers |= {"pc": in_field("pc", mask=ADDRESS_MASK), "eflags": Register(32, flags_of, put_flags)}
    flat = {"c": Convention(32, _enter_flat), "regparm": Convention(32, _enter_regparm)}
    segmented = {"c": Convention(16, _enter_real(far=False)), "pascal": Convention(16, _enter_real(far=True))}
    return Host(
        registers=registers,
        aliases={name[1:]: name for name in NAMES[32][:8]},
        result=("eax", "edx"),
        call=segmented if real else flat,
        go=_go_real if real else go,
        set_stack=_set_stack_real if real else _set_stack_flat,
        stack=Stack(_real_top, 2, code_base=lambda state: int(state["seg_base"][CS])) if real else Stack(_flat_top),
        faults=dict.fromkeys((INVALID, NO_FPU), IllegalInstruction),
        tracing="tf",
        traced=_is_traced,
        trace=_single_step,
        in_shadow=_in_shadow,
        end_shadow=_end_shadow,
    )


# Base clocks of x86 instructions as reports show them: the manual's entry, the least where it depends on data.

LEGENDS = {
    "i286": "base: clocks of the manual's entry ({source}), without m, those of no shift; stalls: what was added on "
    "average: m after a jump, shift counts, repeats, fetching of code, operands at odd addresses, wait states.",
    "i386": "base: clocks of the manual's entry ({source}), without m, least of a range; stalls: what was added "
    "on average: m after a jump, multipliers, repeats, fetching of code, wait states.",
    "i486": "base: clocks of the manual's entry ({source}), least of a range; stalls: what was added on average: "
    "multipliers, repeats, prefixes, address generation, cache, write buffers.",
}


def explain(model: str, insn: Insn, visits: int, departures: int, choices: Mapping[str, str]) -> ClockSources:
    """Explain an instruction on a model; the other arguments are those of `averaged`."""
    row, forms, form = insn.row, insn.forms, " mem" if insn.forms.get("ea") == "mem" else ""
    names = keys(row, forms, choices)
    costs = [(cost.base, name + form) for name, cost in zip(names, clocks(row, forms, model, choices), strict=True)]
    sources = [table()[name][f"{model[:4]} source"] for name in names]
    if len(costs) == 2 and row.options.get("flow"):
        return averaged(costs, visits, departures, sources[0])
    level = min(insn.fields[1] & 31, 2) if row.varies == "level" else 0
    return ClockSources(*costs[level], sources[level])


# What the sources of the clocks leave open, by model; guide/facts/x86_timing.md has the passages.

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
SEGMENT_LOAD = Reading(
    name="segment-load",
    question="MOV to a segment register, printed 3/9: in real and protected mode, or from a register and memory?",
    options=("modes", "operands"),
    reason="POP of one takes 3 and 9 by mode, LES 6 and 12: 9 in real mode were more than LES, which loads one too",
    source="i486 PRM (1990) appendix E, by a transcription that has 3/9 for either mode",
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
    "i486_real": (INDEX_CLOCK, INTERLOCK, _REAL, POP_MEMORY, SEGMENT_LOAD),
    "i486_flat": (INDEX_CLOCK, _FLAT, POP_MEMORY, SEGMENT_LOAD),
}


FULL = {"i286": WordPrefetchTiming, "i386": PrefetchTiming, "i486": CacheTiming}
_QUEUE = dict.fromkeys(("fetched", "refill", "repeating"), 0)
BLANK = {
    "i286": _QUEUE,
    "i386": _QUEUE,
    "i486": dict.fromkeys(("written", "held", "waiting", "expected", "repeating"), 0) | {"fetch_line": NO_CODE},
}
STAGES = {"i286": ("bus_free",), "i386": ("bus_free",), "i486": ("bus_free", "fill_end")}
_LINES = Lines(
    unit_bytes=16,
    sets=128,
    ways=4,
    survives=2,  # the three bits of a set point away from the line used last, and from the one before it
    end=UNCACHED_FROM,
    tag=lambda line, units: (line | VALID, 0),
    stores_allocate=False,
    arriving="filling",
    missing=("line_read",),
)
CACHES: dict[str, dict[str, Cache]] = {
    "i286": {},
    "i386": {},
    "i486": {"unified": Cache("tag", lines=_LINES, shortcuts=SHORTCUTS)},
}


def _timing(model: str) -> dict[str, type[Timing]]:
    """Return the timing models of a CPU model."""
    named = {"table": TableTiming, "full": FULL[model[:4]]}
    own: dict[str, object] = {"model": model, "refills": not model.startswith("i486")}
    if is_real(model):  # many an instruction may fault after a use of memory, which no table foresees
        own |= {"times": (), "marks": ()}
    return {"off": X86Hooks} | {mode: type(c.__name__, (c,), own) for mode, c in named.items()}


@cache
def cpu(model: str, unreal: bool = False) -> Cpu:
    """Return the description of one model of the family, for example "i386_real".

    unreal   real mode whose segments begin with limits of 4 GiB
    Errors   SpecError
    """
    if model not in MODEL_NAMES:
        raise SpecError(f"no x86 model {model!r}; there are {', '.join(MODEL_NAMES)}")
    part, timing = model[:4], _timing(model)
    return Cpu(
        model,
        X86,
        X86.table(model, partial(has_data_clocks, model=model), timing.values(), UNDEFINED_ROWS),
        LAYOUTS[part],
        big_endian=False,
        undefined=undefined,
        unserved=INTERRUPT_ROW,
        service_bytes=2,
        timing=timing,
        readings=READINGS[model],
        misaligned=take_fault,
        exception=exception,
        interrupt=interrupt,
        reset=reset_286 if is_286(model) else partial(reset, unreal=unreal),
        accepts=accepts,
        vector_name=vector_name,
        host=host_286() if is_286(model) else host(is_real(model)),
        explain=partial(explain, model),
        legend=LEGENDS[part],
        caches=CACHES[part],
        stage_fields=STAGES[part],
        busy_fields=STAGES[part],
        blank=BLANK[part],
        in_registers=IN_REGISTERS[part],
        derived=frozenset(SHORTCUTS) & LAYOUTS[part].fields.keys(),
        zero_register=ZERO,
    )
