"""What a program has become: sections, symbols, source lines, and the ELF file of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from retrosim.checks import shortened
from retrosim.cpu.assembly.expressions import Value
from retrosim.errors import AssemblyError
from retrosim.machine.presets import Preset
from retrosim.rom.elf_write import CODE, ElfSymbol, Section, write_elf
from retrosim.rom.image import EF_M68000, MAX_SEGMENTS, family_of

from .program import Chunk, Program


@dataclass(frozen=True)
class Assembly:
    """What a text was assembled to.

    isa       that it is for
    entry     address of the first instruction: of _start, else of the code
    sections  in order of address
    symbols   name -> address or number
    lines     (address, file, line) where the code of each line begins
    elf       the bytes of an executable
    exports   names that other sources may use: those it exports, all labels where it exports none
    externals names that it uses and does not define
    """

    isa: str
    boot: str
    entry: int
    sections: tuple[Section, ...]
    symbols: dict[str, int]
    lines: tuple[tuple[int, str, int], ...]
    elf: bytes
    exports: tuple[str, ...] = ()
    externals: tuple[str, ...] = ()

    @property
    def code(self) -> bytes:
        """The contents of the first section."""
        return self.sections[0].content if self.sections else b""


def finished(program: Program, preset: Preset, first_boot: str) -> Assembly:
    """Return what a program has become.

    preset      a machine with the processor
    first_boot  what the CPU starts it in
    Errors      AssemblyError
    """
    family = family_of(preset.isa)
    sections, chunks = _sections(program)
    symbols = {name: value.number for name, value in program.symbols.items() if name not in program.given}
    code = [section for section in sections if section.kind == CODE]
    start = symbols.get("_start", symbols.get("start"))
    entry = start if start is not None else (code or sections or [Section("", 0, CODE)])[0].address
    lines = tuple(sorted(program.lines, key=lambda row: row[0]))
    flags = EF_M68000 if preset.isa == "m68000" else 0
    named = _symbols(program, chunks)
    elf = write_elf(family.machine, family.byte_order, entry, sections, named, lines, flags)
    boot = "" if first_boot == family.boots[0] else first_boot
    exports = tuple(each.name for each in named if each.is_global) or tuple(
        each.name for each in named if each.section is not None
    )
    return Assembly(
        preset.isa,
        boot,
        entry,
        tuple(sections),
        symbols,
        lines,
        elf,
        exports,
        tuple(sorted(program.outside.used)),
    )


def _sections(program: Program) -> tuple[list[Section], list[tuple[Section, str]]]:
    found: list[tuple[int, Section, str]] = []
    for section in program.sections.values():
        for number, chunk in enumerate(each for each in section.chunks if each.bytes):
            name = section.name if not number else f"{section.name}.{number}"
            found.append((chunk.base, _written(name, section.kind, chunk), section.name))
    found.sort(key=lambda each: each[0])
    if len(found) > MAX_SEGMENTS:
        raise _refusal(program, f"{len(found)} pieces of memory: allowed at most {MAX_SEGMENTS}")
    if found and found[-1][1].address + found[-1][1].bytes > 1 << 32:
        raise _refusal(program, f"section {shortened(found[-1][1].name)} ends behind address 0xffffffff")
    for (_, first, _), (_, second, _) in pairwise(found):
        if first.address + first.bytes > second.address:
            names = f"sections {shortened(first.name)} and {shortened(second.name)} overlap at {second.address:#x}"
            raise _refusal(program, names)
    return [section for _, section, _ in found], [(section, name) for _, section, name in found]


def _refusal(program: Program, sentence: str) -> AssemblyError:
    """Return an error of the whole text."""
    file = program.places[0][0] if program.places else "text"
    return AssemblyError([(file, 0, sentence)])


def _symbols(program: Program, chunks: list[tuple[Section, str]]) -> list[ElfSymbol]:
    """Return what the ELF file names: functions are labels of code that are exported or said to be such.

    Where a text says nothing of the kind, all its labels in code are, but for local ones.
    """
    says = any(known.kind == "function" or known.is_global for known in program.known.values())
    instructions = {address for address, _, _ in program.lines}
    found = []
    for name, value in program.symbols.items():
        if name in program.given or "." in name or "$" in name:
            continue
        known = program.known.get(name)
        section = _number_of(chunks, value)
        kind = known.kind if known else ""
        if not kind and section is not None:
            is_function = (bool(known and known.is_global) or not says) and value.number in instructions
            kind = "function" if is_function else "object"
        size = known.size(program).number if known and known.size else 0
        found.append(ElfSymbol(name, value.number, size, kind, bool(known and known.is_global), section))
    return found


def _written(name: str, kind: str, chunk: Chunk) -> Section:
    return Section(name, chunk.base, kind, bytes(chunk.content), chunk.zeros)


def _number_of(chunks: list[tuple[Section, str]], value: Value) -> int | None:
    """Return the number of the chunk that an address lies in, or just behind."""
    for number, (section, name) in enumerate(chunks):
        if name == value.section and section.address <= value.number <= section.address + section.bytes:
            return number
    return None
