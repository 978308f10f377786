"""The models of the Intel 286, 386 and 486."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from retrosim.errors import SpecError

from ..spec.cpu import Cache, Cpu, Lines
from ..spec.explain import Explanation, averaged
from ..spec.readings import Reading
from ..spec.rows import Insn
from ..spec.timing import Timing
from . import arith, bits, flow, logic, move, string, system  # noqa: F401  each import adds its rows
from .clocks import clocks, has_data_clocks, keys, table
from .exceptions import accepts, exception, interrupt, take_fault, vector_name
from .flow import INTERRUPT_ROW, UNDEFINED_ROWS, undefined
from .hooks import X86Hooks
from .host import host, host_286
from .i286_bus import WordPrefetchTiming
from .i486_cache import SHORTCUTS, UNCACHED_FROM, VALID
from .i486_pipeline import CacheTiming
from .modes import MODEL_NAMES, is_286, is_real
from .modrm import ZERO
from .prefetch import PrefetchTiming
from .state import IN_REGISTERS, LAYOUTS, X86, reset, reset_286
from .timing import TableTiming

# Base clocks of x86 instructions as reports show them: the manual's entry, the least where it depends on data.

LEGENDS = {
    "i286": "base: clocks of the manual's entry ({source}), without m, those of no shift; stalls: what was added on "
    "average: m after a jump, shift counts, repeats, fetching of code, operands at odd addresses, wait states.",
    "i386": "base: clocks of the manual's entry ({source}), without m, least of a range; stalls: what was added "
    "on average: m after a jump, multipliers, repeats, fetching of code, wait states.",
    "i486": "base: clocks of the manual's entry ({source}), least of a range; stalls: what was added on average: "
    "multipliers, repeats, prefixes, address generation, cache, write buffers.",
}


def explain(model: str, insn: Insn, visits: int, departures: int, choices: Mapping[str, str]) -> Explanation:
    """Explain an instruction on a model; the other arguments are those of `averaged`."""
    row, forms, form = insn.row, insn.forms, " mem" if insn.forms.get("ea") == "mem" else ""
    names = keys(row, forms, choices)
    costs = [(cost.base, name + form) for name, cost in zip(names, clocks(row, forms, model, choices), strict=True)]
    sources = [table()[name][f"{model[:4]} source"] for name in names]
    if len(costs) == 2 and row.options.get("flow"):
        return averaged(costs, visits, departures, sources[0])
    level = min(insn.fields[1] & 31, 2) if row.varies == "level" else 0
    return Explanation(*costs[level], sources[level])


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


FULL = {"i286": WordPrefetchTiming, "i386": PrefetchTiming, "i486": CacheTiming}
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
        in_registers=IN_REGISTERS[part],
        derived=frozenset(SHORTCUTS) & LAYOUTS[part].fields.keys(),
        zero_register=ZERO,
    )
