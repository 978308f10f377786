"""What the rows say of an instruction: encodings, operand forms, flags, clocks with their sources, examples."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from retrosim.checks import did_you_mean
from retrosim.cpu.engines.liveness import dead_fields
from retrosim.cpu.spec.assembler import InstructionAssembler
from retrosim.cpu.spec.cpu import Cpu
from retrosim.cpu.spec.decoding import IllegalEncoding, fixed_bits
from retrosim.cpu.spec.rows import Insn, Row
from retrosim.machine.presets import PRESETS

ADDRESS = 0x2000  # of the examples
TRIES, EXAMPLES = 200, 4  # encodings that are tried for a row, and shown of it
SEED = 1994


def instruction_report(name: str, machines: list[str]) -> dict[str, Any]:
    """Return what is known of a mnemonic on some machines.

    name      a mnemonic, with or without a size
    machines  names of presets
    Errors    ValueError if none of them has it
    """
    found, known = [], set()
    for machine in machines:
        preset = PRESETS[machine]
        cpu = preset.cpu()
        assembler = InstructionAssembler(cpu.table)
        known |= set(assembler.forms)
        rows = _rows(assembler, name)
        found += [{"machine": machine, "model": cpu.model} | _row_report(cpu, row) for row in rows]
    if not found:
        raise ValueError(f"no instruction {name!r} on {', '.join(machines)}{did_you_mean(name.lower(), known)}")
    return {"name": name, "rows": found}


def _rows(assembler: InstructionAssembler, name: str) -> list[Row]:
    """Return the rows that a mnemonic may mean, in the order of their declaration."""
    lower = name.lower()
    keys = [key for key in assembler.forms if key == lower or key.startswith(lower + ".")]
    meant = {form.row.key for key in keys for form in assembler.forms[key]}
    return [row for row in assembler.table.rows if row.key in meant or row.name.lower() == lower]


def _row_report(cpu: Cpu, row: Row) -> dict[str, Any]:
    examples = list(_examples(cpu, row))
    written = sorted({name for name, _ in dead_fields(cpu, [examples[0]])[0]} & set(_flags(cpu))) if examples else []
    return {
        "syntax": row.syntax,
        "pattern": row.pattern,
        "reference": row.ref,
        "does": (row.function.__doc__ or "").strip().partition("\n")[0],
        "overwrites": written,
        "examples": [_example_report(cpu, insn) for insn in examples],
    }


def _flags(cpu: Cpu) -> list[str]:
    return [name for name in cpu.layout.registers if cpu.layout.fields[name] == (1, 1)]


def _examples(cpu: Cpu, row: Row) -> Iterator[Insn]:
    """Yield decoded instructions of a row that differ in what their clocks depend on."""
    choose = random.Random(SEED)
    bits = 8 * cpu.isa.word_bytes
    seen = set()
    for _ in range(TRIES):
        words = []
        for pattern in row.pattern.split():
            free = sum(1 << bits - 1 - at for at, c in enumerate(pattern) if c.isalpha())
            words.append(fixed_bits(pattern)[1] | choose.getrandbits(bits) & free)
        words += [choose.choice((0, 4, 16)) for _ in range(12)]
        try:
            insn = cpu.table.decode(ADDRESS, lambda at, words=words: words[(at - ADDRESS) // cpu.isa.word_bytes])
        except IllegalEncoding:
            continue
        key = (*insn.statics, *(str(value) for value in insn.forms.values() if isinstance(value, str)))
        if insn.row is row and key not in seen:
            seen.add(key)
            yield insn
        if len(seen) == EXAMPLES:
            return


def _example_report(cpu: Cpu, insn: Insn) -> dict[str, Any]:
    found = cpu.explain(insn, 1, 1, cpu.choices)
    return {
        "text": insn.text,
        "bytes": insn.length,
        "clocks": found.clocks,
        "entry": found.entry,
        "source": found.source,
    }


def instruction_lines(report: dict[str, Any]) -> list[str]:
    """Return the report as lines of text."""
    lines: list[str] = []
    for row in report["rows"]:
        lines += [f"{row['machine']}, {row['model']}: {row['syntax']}", f"  encoding    {row['pattern']}"]
        if row["does"]:
            lines.append(f"  does        {row['does']}")
        lines.append(f"  reference   {row['reference']}")
        lines.append(f"  overwrites  {' '.join(row['overwrites']) or 'no flag for certain'}")
        for each in row["examples"]:
            numbers = f"{each['bytes']} B, clocks {each['clocks']:g}"
            lines.append(f"  {each['text']:<34}  {numbers:<16}  {each['entry']} ({each['source']})")
        lines.append("")
    return lines[:-1]
