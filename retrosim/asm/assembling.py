"""Assembles a text for a processor: sections, symbols, source lines, and the ELF file of them."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from retrosim.checks import check_integer, shortened
from retrosim.cpu.assembly.assembler import InstructionAssembler
from retrosim.cpu.assembly.expressions import Exhausted, Expression, Unfit, Value
from retrosim.errors import AssemblyError, RomError
from retrosim.machine.presets import PRESETS, Preset, machines_for
from retrosim.reading import read_file
from retrosim.rom.elf_write import CODE, ElfSection, ElfSymbol, write_elf
from retrosim.rom.formats.sources import preprocessed
from retrosim.rom.image import EF_M68000, MAX_SEGMENTS, Family, family_of

from .directives import Directives
from .files import MAX_FILE_BYTES, read_source
from .processors import BITS, REAL, assembler_of, isa_of_cpu, known_cpu, preset_of_cpu
from .program import (
    CHARACTERS_A_STEP,
    FORM_STEPS,
    MAX_ERRORS,
    MAX_STEPS,
    REPETITION_STEPS,
    TOKEN_STEPS,
    Action,
    Chunk,
    Instruction,
    Outside,
    Place,
    Program,
)  # fmt: skip
from .source import Reader, SourceStatement


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
    sections: tuple[ElfSection, ...]
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
    entry = start if start is not None else (code or sections or [ElfSection("", 0, CODE)])[0].address
    lines = tuple(sorted(program.lines, key=lambda row: row[0]))
    flags = EF_M68000 if preset.isa == "m68000" else 0
    named = _symbols(program, chunks)
    elf = write_elf(family.machine, family.byte_order, entry, sections, named, lines, flags)
    boot = "" if first_boot == family.boots[0] else first_boot
    exports = tuple(each.name for each in named if each.is_global) or tuple(
        each.name for each in named if each.section is not None
    )
    return Assembly(
        preset.isa, boot, entry, tuple(sections), symbols, lines, elf, exports, tuple(sorted(program.outside.used))
    )


def _sections(program: Program) -> tuple[list[ElfSection], list[tuple[ElfSection, str]]]:
    found: list[tuple[int, ElfSection, str]] = []
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


def _symbols(program: Program, chunks: list[tuple[ElfSection, str]]) -> list[ElfSymbol]:
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


def _written(name: str, kind: str, chunk: Chunk) -> ElfSection:
    return ElfSection(name, chunk.base, kind, bytes(chunk.content), chunk.zeros)


def _number_of(chunks: list[tuple[ElfSection, str]], value: Value) -> int | None:
    """Return the number of the chunk that an address lies in, or just behind."""
    for number, (section, name) in enumerate(chunks):
        if name == value.section and section.address <= value.number <= section.address + section.bytes:
            return number
    return None


DEFAULT_ORIGIN = 0x2000
MAX_FIXED = 20_000  # instructions that are kept to be met again
MAX_SENTENCE = 240  # characters of a message
_BITS = {str(bits): boot for boot, bits in BITS.items()}
_BITS_WORDS = {"code16": "16", "code32": "32", "use16": "16", "use32": "32", "code16gcc": "16"}


def assemble(
    text: str,
    cpu: str,
    *,
    origin: int = DEFAULT_ORIGIN,
    name: str = "text",
    folder: str | Path | None = None,
    symbols: Mapping[str, int] | None = None,
    origins: Mapping[str, int] | None = None,
    labels: Mapping[str, int] | None = None,
    elsewhere: int | None = None,
    max_steps: int = MAX_STEPS,
) -> Assembly:
    """Assemble a text.

    text     the source
    cpu      a processor ("m68040", "i386", "i386-real", also "68040", "80386") or a machine ("mc68040-25")
    origin   address of the code, until the text says another
    name     of the text, in messages and source lines
    folder   that include and incbin look in; without, a text may not use them
    symbols  numbers that the text may use by name
    origins  addresses of other sections, by name
    labels   addresses elsewhere that the text may use by name
    elsewhere  address of all other names that the text uses and does not define; None: they are errors
    max_steps  work that it may take, in steps of about a microsecond
    Errors   AssemblyError with all messages; ValueError for an unknown processor or an origin outside 32 bits
    """
    cpu = known_cpu(cpu)
    check_integer("origin", origin, 0, 0xFFFFFFFF)
    outside = Outside(dict(labels or {}), elsewhere)
    check_integer("max_steps", max_steps, 1)
    job = _Job(cpu, {".text": origin, **(origins or {})}, dict(symbols or {}), outside, max_steps)
    return job.assemble(text, name, None if folder is None else Path(folder))


def assemble_file(path: str | Path, cpu: str, **options: Any) -> Assembly:
    """Assemble a file; one whose name ends in .S goes through the C preprocessor of an installed compiler first.

    options  as for `assemble`
    Errors   AssemblyError, ValueError
    """
    path = Path(path)
    try:
        text = _preprocessed(path, cpu, options.get("symbols") or {}) if path.suffix == ".S" else read_source(path)
    except (Unfit, ValueError) as error:
        raise AssemblyError([(str(path), 0, str(error).removeprefix(f"{path.name}: "))]) from None

    def assembled(cpu: str) -> Assembly:
        return assemble(text, cpu, name=str(path), folder=path.parent, **options)

    try:
        return assembled(cpu)
    except AssemblyError as error:
        isa = isa_of_cpu(cpu)
        if (other := _meant_for(isa, assembled)) is None:
            raise
        choose = f"choose {' or '.join(machines_for({other}))}"
        raise AssemblyError([(str(path), 0, f"is assembly for {other}, not for {isa}; {choose}")]) from error


def _meant_for(isa: str, assembled: Callable[[str], Assembly]) -> str | None:
    """Return the ISA of another family for which a source has no errors, None where there is none."""
    for other in dict.fromkeys(preset.isa for preset in PRESETS.values()):
        if family_of(other) is family_of(isa):
            continue
        try:
            assembled(other)
        except AssemblyError:
            continue
        return other
    return None


def _preprocessed(path: Path, cpu: str, symbols: Mapping[str, int]) -> str:
    """Return the text of a source for the C preprocessor. Errors: ValueError."""
    content = read_file(path, MAX_FILE_BYTES, RomError)
    return preprocessed(path, content, isa_of_cpu(cpu), symbols)


class _Job:
    """One run of the assembler."""

    def __init__(
        self, cpu: str, origins: dict[str, int], symbols: dict[str, int], outside: Outside, max_steps: int
    ) -> None:
        self.preset, mode = preset_of_cpu(cpu)
        self.family: Family = family_of(self.preset.isa)
        self.boot = mode or next(iter(self.preset.cpus))
        self.first_boot = self.boot
        self._assemblers: dict[str, InstructionAssembler] = {}
        self.dialect = self.assembler.dialect
        self.directives = Directives(self.dialect, self.family.byte_order)
        self.program = Program(origins, symbols, outside, max(4, self.family.unit), max_steps)
        self.messages: list[tuple[str, int, str]] = []
        self._fixed: dict[tuple[str, str], Instruction] = {}  # whose code is always the same, by mode and text

    @property
    def assembler(self) -> InstructionAssembler:
        """The assembler of the mode that the text is in."""
        if self.boot not in self._assemblers:
            self._assemblers[self.boot] = assembler_of(self.preset.name, self.boot)
        return self._assemblers[self.boot]

    def assemble(self, text: str, name: str, folder: Path | None) -> Assembly:
        with _without_collection():
            return self._assemble(text, name, folder)

    def _assemble(self, text: str, name: str, folder: Path | None) -> Assembly:
        reader = Reader(self.dialect, self._evaluate, self._is_defined, self._is_known, self._fail)
        folders = {name: folder}
        self.name = name
        place: Place = (name, 0)
        try:
            for part in reader.read(text, name, folder):
                place = part.file, part.number
                if part.file not in folders:
                    folders[part.file] = folder and folder / Path(part.file).parent
                try:
                    self._add(part, place, folders[part.file])
                except Unfit as error:
                    self._fail(*place, str(error))
            self.program.run()
        except Exhausted as error:
            self._fail(*place, str(error))
        if self.program.exhausted:
            self._fail(name, 0, self.program.exhausted)
        for where, sentence in self.program.errors:
            self._fail(*where, sentence)
        if self.messages:
            raise self._refused()
        return finished(self.program, self.preset, self.first_boot)

    def _fail(self, file: str, line: int, sentence: str) -> None:
        """Keep a message. Errors: AssemblyError, when there are so many that it is no use to go on."""
        if len(sentence) > MAX_SENTENCE:  # both ends tell most: what is quoted, and what is wrong with it
            sentence = f"{sentence[: MAX_SENTENCE // 3]}...{sentence[-MAX_SENTENCE // 2 :]}"
        self.messages.append((file, line, " ".join(sentence.split())))
        if len(self.messages) >= MAX_ERRORS:
            raise self._refused()

    def _refused(self) -> AssemblyError:
        messages = sorted(self.messages, key=lambda m: (m[0] != self.name, m[0], m[1]))
        return AssemblyError(list(dict.fromkeys(messages)))

    def _is_known(self, word: str) -> bool:
        return self.directives.knows(word) or self.assembler.knows(word) or word in ("bits", "times", *_BITS_WORDS)

    def _evaluate(self, text: str) -> int:
        value = self.dialect.grammar.parse(text)(self.program)
        if value.section == "":
            raise Unfit(f"{text}: its symbols must be defined before this line")
        return value.number

    def _is_defined(self, name: str) -> bool:
        return name in self.program.symbols

    def _add(self, part: SourceStatement, place: Place, folder: Path | None) -> None:
        """Add what a statement does, and let it define its symbols at once: conditions may ask for them."""
        if part.label:
            label = part.label
            self.program.add(place, lambda program: program.define_label(label))
        if not part.word:
            return
        word = part.word.removeprefix(".")
        if word in ("bits", *_BITS_WORDS) and REAL in self.family.boots:
            bits = _BITS_WORDS.get(word, part.rest.strip())
            if bits not in _BITS:
                raise Unfit(f"bits {bits}: allowed 16, 32")
            if _BITS[bits] not in self.preset.cpus:
                raise Unfit(f"bits {bits}: not on the {self.preset.isa}")
            self.boot = _BITS[bits]
            if not self.program.lines:
                self.first_boot = self.boot
        elif word == "times":
            self._times(part, place, folder)
        elif self.directives.knows(part.word) and not (part.label and word == "set" and "," not in part.rest):
            self.program.add(place, self._directive(part.word, part.rest, folder))
        else:
            instruction = self._instruction(f"{part.word} {part.rest}" if part.rest else part.word)
            self.program.add(place, instruction)

    def _directive(self, word: str, rest: str, folder: Path | None) -> Action:
        """Return what a directive does, and count the work of reading it. Errors: Unfit, Exhausted."""
        kept = self.directives.kept(word, rest, folder)
        if kept is not None:
            return kept
        before = self.dialect.grammar.tokens_read
        self.program.count(len(rest) // CHARACTERS_A_STEP)
        made = self.directives.action(word, rest, folder)
        self.program.count((self.dialect.grammar.tokens_read - before) * TOKEN_STEPS)
        return made

    def _instruction(self, text: str) -> Instruction:
        """Read an instruction, once for all that are written alike and have the same code anywhere. Errors: Unfit."""
        key = self.boot, text
        found = self._fixed.get(key)
        if found is None or found.statement.code is None:
            assembler = self.assembler
            before = assembler.forms_tried
            self.program.count(len(text) // CHARACTERS_A_STEP)
            found = Instruction(assembler, assembler.read(text))
            self.program.count((assembler.forms_tried - before) * FORM_STEPS)
            if len(self._fixed) >= MAX_FIXED:
                self._fixed.clear()
            if not found.statement.has_names:
                self._fixed[key] = found
        return found

    def _times(self, part: SourceStatement, place: Place, folder: Path | None) -> None:
        words = part.rest.split(None, 1)
        for found in reversed(list(re.finditer(r"(?<=\s)\S+", part.rest))):
            word = found[0]
            if self._is_known(word.lower()):
                head, tail, rest = part.rest[: found.start()], part.rest[found.start() :], part.rest[found.end() :]
                count = self.dialect.grammar.parse(head)
                if self.directives.knows(word.lower()):
                    inner = self._directive(word.lower(), rest, folder)
                else:
                    inner = self._instruction(tail)
                self.program.add(place, _repeated(count, inner))
                return
        raise Unfit(f"times {words[0] if words else ''}: a number and a statement are expected")


@contextmanager
def _without_collection() -> Iterator[None]:
    """Leave the garbage collector out: it would go through what has been read again and again, a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _repeated(count: Expression, inner: Action) -> Action:
    def repeat(program: Program) -> None:
        number = count(program).number
        if not 0 <= number <= 1 << 20:
            raise Unfit(f"times {number}: allowed 0..{1 << 20}")
        for index in range(number):
            program.start = program.pc
            program.count(REPETITION_STEPS)
            inner(program)
            if not index:
                rows = len(program.lines)  # one is enough for all
            del program.lines[rows:]

    return repeat
