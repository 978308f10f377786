"""What the rows say of an instruction: encodings, operand forms, flags, clocks with their sources, examples.

Of this is also a page of the guide for each instruction set, made from the rows when it is asked for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Literal

from retrosim.checks import did_you_mean
from retrosim.cpu.assembly.assembler import InstructionAssembler
from retrosim.cpu.engines.regions.liveness import dead_fields
from retrosim.cpu.spec.cpu import Cpu
from retrosim.cpu.spec.decoding import IllegalEncoding, fixed_bits
from retrosim.cpu.spec.rows import Insn, Row
from retrosim.machine import Machine
from retrosim.machine.presets import PRESETS
from retrosim.rom import Image
from retrosim.rom.lines import LineTable
from retrosim.rom.symbols import SymbolTable

# An instruction executed once, from a state that is always the same: what it reads, what it changes.

CODE, DATA, END = 0x2000, 0x3000, 0x5000
STEP = 0x100  # between what two address registers point to
STACK = 0x4800
INDEXES = ("ebx", "esi", "edi", "ebp", "bx", "si", "di", "bp")
PATTERN = bytes((at * 37 + 11) & 0xFF for at in range(END - DATA))
SHOWN = 6  # changes


class InstructionRunner:
    """Executes single instructions on a machine."""

    def __init__(self, name: str, boot: str = "") -> None:
        isa = PRESETS[name].isa
        image = Image(isa, "", CODE, [(CODE, bytes(64))], [], "", SymbolTable({}), LineTable([], []), boot)
        self.machine = Machine(name, image, engine="evaluate", timing="off")
        self._start = {name: self._value(name, place) for place, name in enumerate(self._names())}
        self._before = self.machine.snapshot()

    def _names(self) -> list[str]:
        return [name for name in self.machine.regs if name != "pc"]

    def _value(self, name: str, place: int) -> int:
        """Return what a register holds before: addresses in those that usually do, small numbers in the others."""
        if name in ("a7", "esp", "sp", "r1"):
            return STACK
        if name in INDEXES or (name[1:].isdigit() and (name[0] == "a" or (name[0] == "r" and int(name[1:]) % 2 == 0))):
            return DATA + STEP * (place % 16)
        if name[0] in "dr" and name[1:].isdigit():
            return 3 + 2 * place
        return 3 + place if name in ("eax", "ecx", "edx", "ax", "cx", "dx") else self.machine.regs[name]

    def run(self, insn: Insn, code: bytes) -> str:
        """Return what changed, in words: registers, memory, an exception."""
        machine = self.machine
        machine.restore(self._before)
        machine.regs.update(self._start)
        machine.write(CODE, code + bytes(64 - len(code)))
        machine.write(DATA, PATTERN)
        machine.regs["pc"] = CODE
        before = dict(machine.regs)
        result = machine.run(instructions=1)
        if result.fault:
            return f"raises an exception: {result.fault.reason}"
        changed = [
            f"{name} {before[name]:#x} -> {value:#x}"
            for name, value in machine.regs.items()
            if value != before[name] and (name != "pc" or value != insn.end)
        ]
        memory = machine.mem[DATA:END].tobytes()
        places = [at for at in range(len(memory)) if memory[at] != PATTERN[at]]
        if places:
            first, last = places[0], places[-1] + 1
            changed.append(f"memory {DATA + first:#x} = {memory[first : min(last, first + 16)].hex(' ', 2)}")
        if result.reason in ("frames", "exit"):
            changed.append("a service of the machine")
        more = [f"{len(changed) - SHOWN} more"] if len(changed) > SHOWN else []
        return ", ".join(changed[:SHOWN] + more) or "nothing changes"


@cache
def runner(machine: str, boot: str = "") -> InstructionRunner:
    """Return the runner of a machine, made once."""
    return InstructionRunner(machine, boot)


ADDRESS = 0x2000  # of the examples
TRIES, EXAMPLES = 200, 4  # encodings that are tried for a row, and shown of it
SEED = 1994


@dataclass(frozen=True)
class Example:
    """An instruction of a row; clocks with nothing in the way, and where the manual has them."""

    text: str
    bytes: int
    clocks: float
    entry: str
    source: str


@dataclass(frozen=True)
class ExampleRun:
    """An example, and what running it changes."""

    text: str
    effect: str


@dataclass(frozen=True)
class RowReport:
    """A row on a machine; overwrites: flags that it gives a value whatever they were."""

    machine: str
    model: str
    syntax: str
    pattern: str
    reference: str
    does: str
    forms: dict[str, list[str]]
    overwrites: list[str]
    examples: list[Example]
    run: ExampleRun | None


@dataclass(frozen=True)
class InstructionReport:
    """What is known of a mnemonic: `retrosim insn --json`."""

    name: str
    rows: list[RowReport]


def instruction_report(name: str, machines: list[str]) -> InstructionReport:
    """Return what is known of a mnemonic on some machines.

    name      a mnemonic, with or without a size
    machines  names of presets
    Errors    ValueError if none of them has it
    """
    reports: list[RowReport] = []
    names: set[str] = set()
    for machine in machines:
        cpu = PRESETS[machine].cpu()
        assembler = InstructionAssembler(cpu.table)
        names |= {form.rstrip(".") for form in assembler.forms}
        reports += [_row_report(machine, cpu, row) for row in _rows(assembler, name)]
    if not reports:
        raise ValueError(f"no instruction {name!r} on {', '.join(machines)}{did_you_mean(name.lower(), names)}")
    return InstructionReport(name, reports)


def _rows(assembler: InstructionAssembler, name: str) -> list[Row]:
    """Return the rows that a mnemonic may mean, in the order of their declaration."""
    lower = name.lower()
    keys = [key for key in assembler.forms if key == lower or key.startswith(lower + ".")]
    meant = {form.row.key for key in keys for form in assembler.forms[key]}
    return [row for row in assembler.table.rows if row.key in meant or row.name.lower() == lower]


def _row_report(machine: str, cpu: Cpu, row: Row) -> RowReport:
    examples = list(encodings(cpu, row))
    return RowReport(
        machine,
        cpu.model,
        row.syntax,
        row.pattern,
        row.ref,
        meanings(cpu)[row.name],
        operand_forms(cpu, row),
        overwritten(cpu, examples),
        [_example(cpu, insn) for insn, _ in examples],
        ExampleRun(examples[0][0].text, runner(machine).run(*examples[0])) if examples else None,
    )


def overwritten(cpu: Cpu, examples: list[tuple[Insn, bytes]]) -> list[str]:
    """Return the flags that the first example gives a value whatever they were; its row does so in all forms."""
    written = {name for name, _ in dead_fields(cpu, [examples[0][0]])[0]} if examples else set()
    return sorted(written & set(_flags(cpu)))


def meanings(cpu: Cpu) -> dict[str, str]:
    """Return name of a row -> what it does, in a line: meanings.txt beside the rows."""
    return _meanings(Path(cpu.table.rows[0].function.__code__.co_filename).parent)


@cache
def _meanings(folder: Path) -> dict[str, str]:
    lines = (folder / "meanings.txt").read_text(encoding="utf-8").splitlines()
    return {name: text.strip() for name, _, text in (line.partition(" ") for line in lines)}


def operand_forms(cpu: Cpu, row: Row) -> dict[str, list[str]]:
    """Return operand -> the forms that clocks tell apart, as the manuals write them."""
    found: dict[str, dict[str, None]] = {}
    for forms in row.forms(cpu.model):
        for name, form in forms.items():
            if isinstance(form, str):
                found.setdefault(name, {})[form] = None
    return {name: list(forms) for name, forms in found.items()}


def _flags(cpu: Cpu) -> list[str]:
    return [name for name in cpu.layout.registers if cpu.layout.fields[name] == (1, 1)]


def _word_at(words: Sequence[int], word_bytes: int, address: int) -> int:
    return words[(address - ADDRESS) // word_bytes]


def encodings(cpu: Cpu, row: Row, count: int = EXAMPLES) -> Iterator[tuple[Insn, bytes]]:
    """Yield instructions of a row that differ in what their clocks depend on, decoded and as bytes."""
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
            insn = cpu.table.decode(ADDRESS, partial(_word_at, words, cpu.isa.word_bytes))
        except IllegalEncoding:
            continue
        key = (*insn.statics, *(str(value) for value in insn.forms.values() if isinstance(value, str)))
        if insn.row is row and key not in seen:
            seen.add(key)
            order: Literal["big", "little"] = "big" if cpu.big_endian else "little"
            yield insn, b"".join(word.to_bytes(cpu.isa.word_bytes, order) for word in words)[: insn.length]
        if len(seen) == count:
            return


def _example(cpu: Cpu, insn: Insn) -> Example:
    explained = cpu.explain(insn, 1, 1, cpu.choices)
    return Example(insn.text, insn.length, explained.clocks, explained.entry, explained.source)


def instruction_lines(report: InstructionReport) -> list[str]:
    """Return the report as lines of text."""
    lines: list[str] = []
    for row in report.rows:
        lines += [f"{row.machine}, {row.model}: {row.syntax}", f"  encoding    {row.pattern}"]
        lines.append(f"  does        {row.does}")
        for name, forms in row.forms.items():
            lines.append(f"  {name:<10}  {'  '.join(forms)}")
        lines.append(f"  reference   {row.reference}")
        lines.append(f"  overwrites  {' '.join(row.overwrites) or 'no flag for certain'}")
        for example in row.examples:
            numbers = f"{example.bytes} B, clocks {example.clocks:g}"
            lines.append(f"  {example.text:<34}  {numbers:<16}  {example.entry} ({example.source})")
        if row.run:
            lines.append(f"  run         {row.run.text}: {row.run.effect}")
        lines.append("")
    return lines[:-1]


# A page of the guide for each instruction set, made from the rows when it is asked for: every row, on every model.

FOLDER = "instructions"
PAGES = {"m68k": "68K", "x86": "x86, flat mode", "ppc": "PowerPC"}
"""Name of the instruction set, as its table of rows has it -> title of its page."""
PAGE_EXAMPLES = 3


@dataclass(frozen=True)
class _Model:
    machine: str
    cpu: Cpu


def page_names() -> list[str]:
    """Return the names of the pages."""
    return [f"{FOLDER}/{name}" for name in PAGES]


def instruction_page(name: str, progress: Callable[[int, int, str], None] = lambda done, total, text: None) -> str:
    """Return the page of an instruction set as Markdown.

    name      one of `page_names()`
    progress  called with rows done, of how many, and a text
    Errors    KeyError for another name
    """
    family = name.removeprefix(f"{FOLDER}/")
    title = PAGES[family]
    models = _models(family)
    rows = {row.key: row for model in models for row in model.cpu.table.rows}
    named = sorted(rows.values(), key=lambda row: row.name.lower())
    names = {row.name: meanings(models[-1].cpu)[row.name] for row in named}
    lines = [f"# Instructions: {title}", ""]
    lines += [f"{len(rows)} rows, {len(names)} mnemonics, on {', '.join(model.cpu.model for model in models)}.", ""]
    lines += ["| mnemonic | does |", "|---|---|", *(f"| {name} | {text} |" for name, text in names.items()), ""]
    last = ""
    for done, row in enumerate(named):
        progress(done, len(named), f"instructions of the {title}")
        if row.name != last:
            lines += [f"## {row.name}", "", f"{names[row.name][0].upper()}{names[row.name][1:]}.", ""]
            last = row.name
        lines += [*_row(row, models), ""]
    lines += ["## Not covered", ""]
    lines += ["Encodings that no manual documents; what a row's flags depend on: see the manual.", ""]
    return "\n".join(lines)


def _models(family: str) -> list[_Model]:
    """Return a machine for each model of an instruction set."""
    found: dict[str, _Model] = {}
    for name, preset in PRESETS.items():
        cpu = preset.cpu()
        if cpu.isa.name == family:
            found.setdefault(cpu.model, _Model(name, cpu))
    return list(found.values())


def _row(row: Row, models: list[_Model]) -> Iterator[str]:
    having = [model for model in models if any(each.key == row.key for each in model.cpu.table.rows)]
    first = having[0]
    examples = list(encodings(first.cpu, row, PAGE_EXAMPLES))
    flags = overwritten(first.cpu, examples)
    yield f"### `{row.syntax}`"
    yield ""
    yield f"* encoding `{row.pattern or 'all that are no instruction'}`; {row.ref}"
    if len(having) < len(models):
        yield f"* only on {', '.join(model.cpu.model for model in having)}"
    yield f"* always overwrites: {' '.join(flags) or 'no flag'}"
    for name, forms in operand_forms(having[-1].cpu, row).items():
        yield f"* {name}: {', '.join(f'`{form}`' for form in forms)}"
    if not examples:
        return
    insn, code = examples[0]
    yield f"* run on the {first.cpu.model}: `{insn.text}`: {runner(first.machine).run(insn, code)}"
    yield ""
    yield f"| clocks | {' | '.join(model.cpu.model for model in having)} |"
    yield f"|---{'|---:' * len(having)}|"
    sources: dict[str, None] = {}
    for insn, code in examples:
        cells = []
        for model in having:
            found = decoded(model.cpu, code)
            said = None if found is None else model.cpu.explain(found, 1, 1, model.cpu.choices)
            cells.append("-" if said is None else f"{said.clocks:g}")
            if said is not None:
                sources[f"{model.cpu.model}: {said.source}"] = None
        yield f"| `{insn.text}` | {' | '.join(cells)} |"
    yield ""
    yield f"Clocks from {'; '.join(sources)}."


def decoded(cpu: Cpu, code: bytes) -> Insn | None:
    """Return what a model takes some bytes for, None if for no instruction."""
    size = cpu.isa.word_bytes
    padded = code + bytes(16)

    def word(address: int) -> int:
        return int.from_bytes(padded[address - CODE : address - CODE + size], "big" if cpu.big_endian else "little")

    try:
        return cpu.table.decode(CODE, word)
    except IllegalEncoding:
        return None
