"""The model of the PowerPC 601."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from retrosim.errors import IllegalInstruction

from ..spec.cpu import ADDRESS_MASK, Cache, Cpu, Lines
from ..spec.host import Base, Call, Convention, Host, Register, Stack, go, in_field, push_words
from ..spec.rows import Insn
from ..spec.sources import ClockSources, Reading, averaged
from . import arith, floating, flow, logic, move, power, system  # noqa: F401  each adds its rows
from .exceptions import NO_FLOATING_POINT, PROGRAM, accepts, exception, interrupt, vector_name
from .flow import SYSTEM_CALL_ROW, UNDEFINED_ROWS, undefined
from .hooks import PpcHooks
from .mpc601_cache import NONE, SETS, SHORTCUTS, STATUS_BITS, UNCACHED_FROM, WAYS
from .mpc601_clocks import TableTiming, has_data_clocks, outcomes
from .mpc601_pipeline import CAUSES, READY, STAGES, CausesTiming, PipelineTiming
from .state import IN_REGISTERS, LAYOUT, PPC, SP, ZERO, reset

# Base clocks of PowerPC 601 instructions as reports show them: those in the execute stage, the least of a range.

LEGEND = (
    "base: clocks in the execute stage (sources: --csv and --json), least of a range, one of several words; "
    "stalls: what was added on average: operands, fetching, caches, words moved; below 0: a branch was folded."
)


def explain(insn: Insn, visits: int, departures: int, choices: Mapping[str, str]) -> ClockSources:
    """Explain an instruction; the other arguments are those of `averaged`. A taken branch has what it costs alone."""
    found = outcomes(insn.row, choices)
    clocks = [cost.execute[0] if cost.execute else 1 for cost in found]
    costs, source = list(zip(clocks, insn.row.cost, strict=True)), found[0].source
    return averaged(costs, visits, departures, source) if len(costs) == 2 else ClockSources(*costs[0], source)


# The PowerPC 601 as the machine sees it: registers by name, the C convention of calls, faults.
#
# The convention is that of System V (PowerPC Processor Supplement, chapter 3): a back chain from a stack pointer that
# is a multiple of 16, above it the word where the routine saves LR, and the arguments that do not fit into r3-r10. r2
# is the base of the TOC (Apple, Mac OS Runtime Architectures, chapter 4) or of constant small data, r13 of small data
# (PowerPC Embedded ABI, chapter 3).

FRAME = 16  # bytes: the stack pointer is a multiple
ARGUMENTS = range(3, 11)  # registers
FLAGS = {"so": 31, "ov": 30, "ca": 29}  # bits of XER


def _get_cr(state: np.ndarray) -> int:
    return int("".join(str(bit) for bit in state["cr"].tolist()), 2)


def _put_cr(state: np.ndarray, value: int) -> None:
    state["cr"] = [value >> 31 - n & 1 for n in range(32)]


def _get_xer(state: np.ndarray) -> int:
    strings = int(state["compare_byte"]) << 8 | int(state["byte_count"])
    return strings | sum(int(state[flag]) << bit for flag, bit in FLAGS.items())


def _put_xer(state: np.ndarray, value: int) -> None:
    for flag, bit in FLAGS.items():
        state[flag] = value >> bit & 1
    state["compare_byte"], state["byte_count"] = value >> 8 & 0xFF, value & 0x7F


REGISTERS = {
    **{f"r{i}": in_field("r", i) for i in range(32)},
    "cr": Register(32, _get_cr, _put_cr),
    "xer": Register(32, _get_xer, _put_xer),
    **{name: in_field(name) for name in ("lr", "ctr", "mq")},
    "msr": in_field("msr", mask=0xFFFF),
    **{name: in_field(name) for name in ("srr0", "srr1", "dar", "dsisr")},
    "pc": in_field("pc", mask=ADDRESS_MASK & -4),
}


def _enter(call: Call) -> None:
    """Make the caller's frame, put the arguments into registers and after the frame's head, and go to the routine."""
    r = call.state["r"]
    rest = call.arguments[len(ARGUMENTS) :]
    words = (int(r[SP]), 0, *rest)
    padding = (0,) * ((int(r[SP]) // 4 - len(words)) % (FRAME // 4))
    r[SP] = push_words(call, (*words, *padding), 4, "big", int(r[SP]) & -4)
    for number, word in zip(ARGUMENTS, call.arguments):
        r[number] = word & 0xFFFFFFFF
    call.state["lr"] = call.back
    go(call.state, call.entry)


def _set_stack(state: np.ndarray, top: int) -> None:
    """Leave space for the head of the first frame, whose back chain ends: memory there is 0 unless written to."""
    state["r"][SP] = top - FRAME & -FRAME


HOST = Host(
    registers=REGISTERS,
    aliases={"sp": "r1"},
    result=("r3", "r4"),
    call={"c": Convention(32, _enter)},
    go=go,
    set_stack=_set_stack,
    stack=Stack(
        lambda state: int(state["r"][SP]) & ADDRESS_MASK,
        link="lr",
        arguments=tuple(f"r{number}" for number in ARGUMENTS),
    ),
    bases={"r2": Base(2, ("TOC", ".TOC.", "_SDA2_BASE_")), "r13": Base(13, ("_SDA_BASE_",))},
    faults=dict.fromkeys((PROGRAM, NO_FLOATING_POINT), IllegalInstruction),
)


# What the sources of the clocks leave open, by model; mpc601_clocks.csv has the figures of each answer.

GCC = "GCC rs6000: 601 pipeline description"

READINGS = (
    Reading(
        name="condition",
        question="when does a branch know its condition: as the compare leaves the execute stage, or a clock later?",
        options=("execute", "latency"),
        reason="an adjacent wrong prediction loses 3 clocks with it, of the recalled 2 to 4; with the other one 4",
        source=f"guide/facts/ppc601_timing.md section 2 (recalled); {GCC}: latency 3",
    ),
    Reading(
        name="cr-moves",
        question="do results of mfcr and mtcrf come a clock later than those of additions and compares?",
        options=("revised", "first"),
        reason="the revised file has entries of their own, the first one counted them among the integer instructions",
        source=f"{GCC}, the file of 2004 and the first one",
    ),
    Reading(
        name="cr-logic",
        question="which unit executes condition-register logic, and how long does a branch wait for it?",
        options=("integer", "branch-unit"),
        reason="the manual's table lists it with the integer unit, 1 clock",
        source=f"601UM table 7-81 (page 7-85); {GCC}: branch unit, latency 4",
    ),
    Reading(
        name="cache-port",
        question="what does a fetch lose to data that took the cache in every clock since the last one?",
        options=("once", "drained", "two"),
        reason="a lost clock for 8 loads and stores is what is recalled of the manual; no source has been seen",
        source="guide/facts/ppc601_timing.md section 3: 1 clock; 3 if the queue drains; 0 with a port of its own",
    ),
)

TIMINGS = {"off": PpcHooks, "table": TableTiming, "full": PipelineTiming, "causes": CausesTiming}
_LINES = Lines(
    unit_bytes=32,
    units=2,
    sets=SETS,
    ways=WAYS,
    survives=WAYS - 1,
    end=UNCACHED_FROM,
    tag=lambda line, sectors: (line << 4 | sectors, 15 & ~sectors),
    order="order",
    arriving="filling",
    missing=("sector_read", "sector_write", "sector_write"),
)


@cache
def cpu(model: str) -> Cpu:
    """Return the description of a model: "MPC601"."""
    return Cpu(
        model,
        PPC,
        PPC.table(model, has_data_clocks, TIMINGS.values(), UNDEFINED_ROWS),
        LAYOUT,
        big_endian=True,
        undefined=undefined,
        unserved=SYSTEM_CALL_ROW,
        service_bytes=4,
        timing=TIMINGS,
        readings=READINGS,
        causes=CAUSES,
        caches={"unified": Cache("tag", status_bits=STATUS_BITS, lines=_LINES, shortcuts=SHORTCUTS, behind=("l2",))},
        explain=explain,
        legend=LEGEND,
        exception=exception,
        interrupt=interrupt,
        reset=reset,
        accepts=accepts,
        vector_name=vector_name,
        host=HOST,
        stage_fields=STAGES,
        busy_fields=("bus_free", "filled", "other_start", "other_end", "missing", *READY),
        blank={"sector": NONE, "accesses": 0},
        derived=frozenset(SHORTCUTS),
        in_registers=IN_REGISTERS,
        zero_register=ZERO,
    )
