"""One instruction as it is written: its encoding, size and clocks on each machine whose assembler takes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from retrosim.asm import assemble
from retrosim.errors import AssemblyError
from retrosim.machine.presets import PRESETS
from retrosim.report.tables import number_table

from .instructions import CODE, decoded

ELSEWHERE = CODE + 0x40  # of names that the text uses


@dataclass(frozen=True)
class SingleInstruction:
    """An instruction on a machine.

    text       as the disassembler writes it
    code       its bytes, in hexadecimal
    least, most  clocks with nothing in the way: caches hit, nothing to wait for. They differ if there are two costs, as
               of a branch that is taken or not
    varies     what more clocks depend on, "" for nothing
    entry, source  the row of the manual's table, and that table
    """

    machine: str
    model: str
    text: str
    code: str
    bytes: int
    minimum: float
    maximum: float
    varies: str
    entry: str
    source: str


@dataclass(frozen=True)
class SingleReport:
    """An instruction on the machines that have it: `retrosim insn "TEXT" --json`."""

    instruction: str
    machines: list[SingleInstruction]


def single_report(text: str, machines: Sequence[str]) -> SingleReport:
    """Return what an instruction is on some machines.

    text      one instruction with its operands
    machines  names of presets
    Errors    ValueError if no assembler of theirs takes it, or if it is more than one instruction
    """
    found, refusals = list[SingleInstruction](), list[str]()
    for machine in machines:
        try:
            code = assemble(f" {text}\n", machine, origin=CODE, elsewhere=ELSEWHERE).code
        except AssemblyError as error:
            refusals.append(error.messages[0][2])
            continue
        cpu = PRESETS[machine].cpu()
        insn = decoded(cpu, code)
        if insn is None or insn.length != len(code):
            raise ValueError(f"{text!r}: is not one instruction")
        costs = [cpu.explain(insn, 1, departures, cpu.choices) for departures in (0, 1)]
        minimum, maximum = sorted(costs, key=lambda cost: cost.clocks)
        numbers = insn.length, minimum.clocks, maximum.clocks
        about = insn.row.varies.replace("_", " ") if insn.row.varies else "", maximum.entry, maximum.source
        found.append(SingleInstruction(machine, cpu.model, insn.text, code.hex(" ", 2), *numbers, *about))
    if not found:
        known = [refusal for refusal in refusals if not refusal.startswith("unknown instruction")]
        raise ValueError(f"{text!r}: no assembler takes it: {(known or refusals)[0]}")
    return SingleReport(text, found)


def render_single(report: SingleReport) -> RenderableType:
    """Return a table of the machines, and where the clocks are from."""
    table = number_table("machine", "code", "bytes", "clocks", "us")
    table.columns[1].justify = "left"
    table.columns[1].no_wrap = False
    for row in report.machines:
        hz = PRESETS[row.machine].clock_hz
        times = (
            f"{row.maximum * 1e6 / hz:.2f}"
            if row.minimum == row.maximum
            else f"{row.minimum * 1e6 / hz:.2f} .. {row.maximum * 1e6 / hz:.2f}"
        )
        table.add_row(row.machine, row.code, str(row.bytes), _clocks(row), times)
    origins: dict[str, list[str]] = {}
    for row in report.machines:
        origins.setdefault(f"{row.text}: {row.entry} ({row.source})", []).append(row.machine)
    lines = [f"{', '.join(machines)}: {origin}" for origin, machines in origins.items()]
    varying = dict.fromkeys(row.varies for row in report.machines if row.varies)
    notes = [f"+: more by the {' and the '.join(varying)}"] if varying else []
    notes.append("Clocks with nothing in the way: caches hit, nothing to wait for.")
    parts: list[RenderableType] = [
        Text(report.instruction, style="bold"),
        table,
        Text(),
        *map(Text, [*notes, "", *lines]),
    ]
    return Group(*parts)


def _clocks(row: SingleInstruction) -> str:
    numbers = f"{row.maximum:g}" if row.minimum == row.maximum else f"{row.minimum:g} .. {row.maximum:g}"
    return f"{numbers}{' +' if row.varies else ''}"
