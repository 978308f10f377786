"""A page of the guide for each instruction set, made from the rows when it is asked for: every row, on every model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from retrosim.cpu.spec.cpu import Cpu
from retrosim.cpu.spec.decoding import IllegalEncoding
from retrosim.cpu.spec.rows import Insn, Row
from retrosim.machine.presets import PRESETS

from .instructions import CODE, encodings, meanings, operand_forms, overwritten, runner

FOLDER = "instructions"
PAGES = {"m68k": "68K", "x86": "x86, flat mode", "ppc": "PowerPC"}
"""Name of the instruction set, as its table of rows has it -> title of its page."""
EXAMPLES = 3


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
    lines += [
        "## Not covered",
        "",
        "Encodings that no manual documents; what a row's flags depend on: see the manual.",
        "",
    ]
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
    examples = list(encodings(first.cpu, row, EXAMPLES))
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
            found = _decoded(model.cpu, code)
            said = None if found is None else model.cpu.explain(found, 1, 1, model.cpu.choices)
            cells.append("-" if said is None else f"{said.clocks:g}")
            if said is not None:
                sources[f"{model.cpu.model}: {said.source}"] = None
        yield f"| `{insn.text}` | {' | '.join(cells)} |"
    yield ""
    yield f"Clocks from {'; '.join(sources)}."


def _decoded(cpu: Cpu, code: bytes) -> Insn | None:
    """Return what a model takes some bytes for, None if for no instruction."""
    size = cpu.isa.word_bytes
    padded = code + bytes(16)

    def word(address: int) -> int:
        return int.from_bytes(padded[address - CODE : address - CODE + size], "big" if cpu.big_endian else "little")

    try:
        return cpu.table.decode(CODE, word)
    except IllegalEncoding:
        return None
