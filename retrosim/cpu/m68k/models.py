"""The models of the Motorola 68K family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from retrosim.errors import BusError, IllegalInstruction

from ..spec.cpu import ADDRESS_MASK, NO_CODE, Cache, Cpu, Lines
from ..spec.host import Base, Call, Convention, Host, Register, Stack, go, in_field, push_words
from ..spec.rows import Insn
from ..spec.sources import ClockSources, averaged
from . import arith, bits, flow, logic, mc68000, mc68040, move, system  # noqa: F401  each adds its rows
from .exceptions import (
    ADDRESS_ERROR,
    ILLEGAL,
    LINE_A,
    LINE_F,
    TRACE,
    accepts,
    address_error,
    bad_stop,
    exception,
    interrupt,
    is_bad_stop,
    is_traced,
    vector_name,
)
from .flow import LINE_A_ROW, UNDEFINED_ROWS, undefined
from .hooks import M68kHooks
from .mc68000 import MC68000Timing
from .mc68040 import TableTiming
from .mc68040_cache import SHORTCUTS, UNCACHED_FROM, VALID
from .mc68040_pipeline import CAUSES, CausesTiming, PipelineTiming
from .state import IN_REGISTERS, LAYOUT, M68K, SP, ZERO, reset

# Base clocks of 68K instructions in reports: MC68000, what the encoding fixes; MC68040, the slowest stage.

MC68000_LEGEND = (
    "base: clocks that the encoding fixes ({source}), of branches those of the way they went; stalls: what was added "
    "on average, which depends on data: shift counts, multipliers."
)
MC68040_LEGEND = (
    "base: clocks of the manual's entry alone ({source}); stalls: what was added on average, below 0 where "
    "instructions overlapped. Clocks count for the instruction at whose end they have passed."
)

OPERANDS = {
    "c": "cc", "d": "Dn", "y": "Dn", "how": "Dn", "a": "An", "b": "An", "imm": "#imm", "imm16": "#imm", "n": "#n",
    "i": "#i", "mask": "list", "t": "#n", "disp": "d16", "target": "label",
}  # fmt: skip


class _Operands(dict):
    """Names of operands as the manual writes them; another is shown by its own."""

    def __missing__(self, name: str) -> str:
        return name


def explain_mc68000(insn: Insn, visits: int, departures: int, choices: Mapping[str, str]) -> ClockSources:
    """Explain an instruction. Arguments as of `averaged`."""
    entry = insn.row.syntax.format_map(_Operands(OPERANDS | insn.forms))
    costs, source = mc68000.outcomes(insn.row, insn.forms), mc68000.source(insn.row, insn.forms)
    if len(costs) == 2 and insn.row.options.get("flow"):
        return replace(averaged([(cost.base, "") for cost in costs], visits, departures, source), entry=entry)
    return ClockSources(costs[0].base, entry, source)


def explain_mc68040(insn: Insn, visits: int, departures: int, choices: Mapping[str, str]) -> ClockSources:
    """Explain an instruction; one of two outcomes that do not show in the flow has the first entry."""
    costs = mc68040.outcomes(insn.row, insn.forms, choices)
    if len(costs) == 2 and insn.row.options.get("flow"):
        return averaged([(cost.alone, cost.entry) for cost in costs], visits, departures, costs[0].source)
    return ClockSources(costs[0].alone, costs[0].entry, costs[0].source)


# Timing models of the 68K, written in the value layer: the same code runs in every engine.
#
# off     nothing is counted
# table   MC68040: each instruction takes the slowest of its stages, nothing overlaps and nothing waits
# full    MC68040: the pipeline as an event model. The MC68000 has no pipeline to speak of: table and full are one
# causes  MC68040: full, and the clocks are counted by what they went to

MC68000_MODES = {"off": M68kHooks, "table": MC68000Timing, "full": MC68000Timing}
MC68040_MODES = {"off": M68kHooks, "table": TableTiming, "full": PipelineTiming, "causes": CausesTiming}


# The 68K family as the machine sees it: registers by name, the C convention of calls, faults, tracing.

_CCR = "cvznx"


def _active(state: np.ndarray) -> str:
    return ("msp" if state["m"] else "isp") if state["s"] else "usp"


def _get_sr(state: np.ndarray) -> int:
    high = int(state["trace"]) << 14 | int(state["s"]) << 13 | int(state["m"]) << 12 | int(state["ipl"]) << 8
    return high | sum(int(state[flag]) << bit for bit, flag in enumerate(_CCR))


def _put_sr(state: np.ndarray, value: int) -> None:
    """Write the status register; a7 becomes the stack pointer that the new S and M name."""
    state[_active(state)] = state["r"][SP]
    state["trace"], state["s"] = value >> 14 & 3, value >> 13 & 1
    state["m"], state["ipl"] = value >> 12 & 1, value >> 8 & 7
    for bit, flag in enumerate(_CCR):
        state[flag] = value >> bit & 1
    state["r"][SP] = state[_active(state)]


REGISTERS = {
    **{f"d{i}": in_field("r", i) for i in range(8)},
    **{f"a{i}": in_field("r", 8 + i) for i in range(8)},
    "sr": Register(16, _get_sr, _put_sr),
    "pc": in_field("pc", mask=ADDRESS_MASK),
    **{name: in_field(name) for name in ("usp", "isp", "msp", "vbr")},
}


def _enter(call: Call) -> None:
    """Push the arguments from right to left as long words, and the return address."""
    words = (call.back, *call.arguments)
    call.state["r"][SP] = push_words(call, words, 4, "big", int(call.state["r"][SP]))
    go(call.state, call.entry)


def _enter_pascal(call: Call) -> None:
    """Push the arguments from left to right as long words; the routine removes them."""
    _enter(replace(call, arguments=tuple(reversed(call.arguments))))


def _set_stack(state: np.ndarray, top: int) -> None:
    state["r"][SP] = top


HOST = Host(
    registers=REGISTERS,
    aliases={"sp": "a7", "fp": "a6"},
    result=("d0", "d1"),
    call={"c": Convention(32, _enter), "pascal": Convention(32, _enter_pascal)},
    go=go,
    set_stack=_set_stack,
    stack=Stack(lambda state: int(state["r"][SP]) & ADDRESS_MASK),
    bases={
        "a4": Base(12, ("_LinkerDB", "___a4_init")),
        "a5": Base(13, ("_GLOBAL_OFFSET_TABLE_",)),
    },  # SAS/C, -msep-data
    faults={2: BusError, ADDRESS_ERROR: BusError} | dict.fromkeys((ILLEGAL, LINE_A, LINE_F), IllegalInstruction),
    tracing="trace",
    is_bad_stop=is_bad_stop,
    bad_stop=bad_stop,
    traced=is_traced,
    trace=lambda m: exception(m, TRACE),
)


# Hits of the data cache are known only where every miss allocates a line.
_SHAPE: dict[str, Any] = {"unit_bytes": 16, "sets": 64, "ways": 4, "survives": 0, "arriving": "filling"}
_SHAPE["tag"] = lambda line, units: (line | VALID, 0)
# Any line of a set may be replaced next. A miss reads a line, and writes out the one that it replaces.
_DATA = Lines(**_SHAPE, end=UNCACHED_FROM, fetches=(), missing=("line_read", "line_read"))
_CODE = Lines(**_SHAPE, end=ADDRESS_MASK + 1, operands=())
MC68040_CACHES = {
    "data": Cache("dtag", "dcount", dirty="dirty", allocates="copyback", lines=_DATA, shortcuts=SHORTCUTS["dtag"]),
    "instruction": Cache("itag", "icount", lines=_CODE, shortcuts=SHORTCUTS["itag"]),
}
BY_MODEL: dict[str, dict[str, Any]] = {
    "MC68000": {
        "timing": MC68000_MODES,
        "price": mc68000.has_data_clocks,
        "explain": explain_mc68000,
        "legend": MC68000_LEGEND,
        "aligned": True,
    },
    "MC68040": {
        "timing": MC68040_MODES,
        "price": mc68040.has_data_clocks,
        "explain": explain_mc68040,
        "legend": MC68040_LEGEND,
        "readings": mc68040.READINGS,
        "causes": CAUSES,
        "caches": MC68040_CACHES,
    },
}


@cache
def cpu(model: str) -> Cpu:
    """Return the description of one model of the family, for example "MC68040"."""
    own = dict(BY_MODEL[model])
    return Cpu(
        model,
        M68K,
        M68K.table(model, own.pop("price"), own["timing"].values(), UNDEFINED_ROWS),
        LAYOUT,
        big_endian=True,
        undefined=undefined,
        unserved=LINE_A_ROW,
        service_bytes=2,
        misaligned=address_error,
        exception=exception,
        interrupt=interrupt,
        reset=reset,
        accepts=accepts,
        vector_name=vector_name,
        host=HOST,
        stage_fields=("ea_end", "fetch_end"),
        busy_fields=("bus_free", "filled_by", "stored_by", "ready"),
        blank=dict.fromkeys(("fetch_line", "fetch_word"), NO_CODE),
        in_registers=IN_REGISTERS,
        derived=frozenset(name for names in SHORTCUTS.values() for name in names),
        zero_register=ZERO,
        **own,
    )
