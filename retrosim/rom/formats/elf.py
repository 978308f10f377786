"""ELF files of every kind: linked executables, position-independent ones, objects and archives, linked in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from retrosim.errors import RomError
from retrosim.reading import digest_of, read_file

from ..image import (
    LOAD_ADDRESS,
    MAX_IMAGE_BYTES,
    MAX_MISSING,
    MISSING_BYTES,
    MISSING_START,
    Family,
    Image,
    Stretch,
    checked,
    isa_of,
    placed,
    read_image,
)
from ..lines import LineTable, read_lines
from ..symbols import MAX_SYMBOLS, Symbol, SymbolTable
from .objects import (
    ABSOLUTE,
    ALLOC,
    COMMON,
    EXECUTE,
    FUNCTION,
    LINE_SECTIONS,
    LOCAL,
    NOBITS,
    OBJECT,
    SECTION,
    UNDEFINED,
    WEAK,
    WRITE,
    LinkedSection,
    Object,
    ObjectSymbol,
    Relocation,
    elf_family,
    read_archive,
    read_object,
)
from .rebase import needs_moving, rebased
from .relocations import (
    FROM_GOT,
    GOT_ENTRY,
    GOT_ITSELF,
    GOT_RELATIVE,
    MAX_PLT_ADDEND,
    PLTREL24,
    RELATIVE,
    RULES,
    SMALL_DATA,
    Rule,
    write,
)

# Links ELF objects in memory: what a compiler makes of one source file can be run as it is.
#
# All objects are linked, sections of a kind together: code, constants, data, small data, zeros. Functions that the
# compiler calls by itself come from the kit, an archive for each family in roms/common/kit. A routine that is called
# and defined nowhere gets an address of its own, and a run that calls it ends with its name; other names that are
# defined nowhere are refused.

PAGE = 256  # bytes: data begin on a page of their own, where stores into code are not looked for
SMALL = ((".sdata", ".sbss"), (".sdata2", ".sbss2"))
SMALL_BASES = ("_SDA_BASE_", "_SDA2_BASE_")
SMALL_OFFSET, SMALL_REGISTERS = 0x8000, (13, 2)  # of the PowerPC
GOT = "_GLOBAL_OFFSET_TABLE_"
STARTS = ("_start", "start", "main", "_main")  # where a program may begin
MAX_NAMED = 8  # names in a message


def link(
    objects: list[Object], kit: Iterable[Object], content: bytes, isa: str | None, start: int = LOAD_ADDRESS
) -> Image:
    """Return the image that objects make.

    objects  of one family, in link order
    kit      of which those are added that define what is missing
    content  of the file, for its hash
    isa      what it is to run on, None for what the objects say
    start    lowest address that it may take
    Errors   ValueError
    """
    return _Link(objects, list(kit), start).image(content, isa)


def _small(name: str) -> int | None:
    """Return the number of the area of small data that a section belongs to."""
    base = "." + name.split(".")[1] if name.count(".") else name
    return next((number for number, names in enumerate(SMALL) if base in names), None)


CODE, CONSTANTS, DATA, SMALL_CONSTANTS, SMALL_VARIABLES, ZEROS, MORE_ZEROS = range(7)  # one behind the other


def _order(section: LinkedSection) -> int:
    """Return where sections of a kind lie."""
    small, is_zeros = _small(section.name), section.kind == NOBITS
    if small is not None:
        return SMALL_CONSTANTS if small else ZEROS if is_zeros else SMALL_VARIABLES
    if not section.flags & WRITE:
        return CODE if section.flags & EXECUTE else CONSTANTS
    return MORE_ZEROS if is_zeros else DATA


class _Link:
    """The state of one link; all errors are ValueErrors."""

    def __init__(self, objects: list[Object], kit: list[Object], start: int) -> None:
        self.start = start
        self.objects = objects
        self.family = objects[0].family
        if any(each.family is not self.family for each in objects):
            raise ValueError("has objects for several processors")
        self.rules = RULES[self.family.machine]
        self.globals: dict[str, tuple[Object, ObjectSymbol]] = {}
        for each in objects:
            self._define(each)
        self._add(kit)
        self.bases: dict[int, int] = {}  # id of a section -> address
        self.got: dict[object, int] = {}  # key of a symbol -> offset
        self.missing: dict[str, int] = {}
        self.unknown: set[str] = set()
        self.owners = {id(s): each for each in self.objects for s in each.sections if s is not None}
        self._lay_out()

    def _define(self, each: Object) -> None:
        for symbol in each.symbols:
            if symbol.binding == LOCAL or symbol.section == UNDEFINED or not symbol.name:
                continue
            known = self.globals.get(symbol.name)
            if known is None or _strength(symbol) > _strength(known[1]):
                self.globals[symbol.name] = each, symbol

    def _wanted(self, each: Object) -> set[str]:
        return {s.name for s in each.symbols if s.section == UNDEFINED and s.binding != LOCAL and s.name}

    def _add(self, kit: list[Object]) -> None:
        """Add the objects of the kit that define what is missing, and what those need."""
        self.own = len(self.objects)
        self.objects = list(self.objects)
        wanted = {name for each in self.objects for name in self._wanted(each)}
        while missing := wanted - self.globals.keys():
            found = [each for each in kit if any(_defines(each, name) for name in missing)]
            if not found:
                return
            for each in found:
                kit.remove(each)
                self.objects.append(each)
                self._define(each)
                wanted |= self._wanted(each)

    def _lay_out(self) -> None:
        sections = [s for each in self.objects for s in each.sections if s is not None and s.flags & ALLOC]
        sections.sort(key=_order)
        common = [(each, symbol) for each, symbol in self.globals.values() if symbol.section == COMMON]
        at, is_constant, offsets, got = 0, True, {}, 4 * len(self._got_symbols())
        got_at: int | None = None
        for section in [*sections, None]:
            order = ZEROS if section is None else _order(section)
            if is_constant and order >= DATA:
                at += -at % PAGE
                is_constant = False
            if order >= ZEROS and got_at is None:
                at += -at % 4
                got_at = at
                at += got
            if section is not None:
                at += -at % section.align
                offsets[id(section)] = at
                at += section.size
        self.common = {}
        for _, symbol in common:
            at += -at % min(max(symbol.value, 1), PAGE)
            self.common[symbol.name] = at
            at += symbol.size
        (base,) = placed([at], PAGE, self.start)
        self.sections, self.base, self.end = sections, base, base + at
        self.bases = {key: base + offset for key, offset in offsets.items()}
        self.common = {name: base + offset for name, offset in self.common.items()}
        self.got_at, self.got_bytes = base + (got_at or 0), got
        self.small = [self._small_base(number) for number in range(2)]

    def _small_base(self, number: int) -> int:
        starts = [self.bases[id(section)] for section in self.sections if _small(section.name) == number]
        return min(starts, default=self.base) + SMALL_OFFSET

    def _got_symbols(self) -> dict[object, int]:
        for each in self.objects:
            for section in each.sections:
                for relocation in section.relocations if section is not None else ():
                    rule = self.rules.get(relocation.kind)
                    symbol = each.symbols[relocation.symbol]
                    if rule and rule.value in (GOT_ENTRY, GOT_RELATIVE) and symbol.name != GOT:
                        self.got.setdefault(self._key(each, relocation.symbol), 4 * len(self.got))
        return self.got

    def _key(self, each: Object, number: int) -> object:
        symbol = each.symbols[number]
        return (id(each), number) if symbol.binding == LOCAL else symbol.name

    def _value(self, each: Object, symbol: ObjectSymbol) -> int | None:
        """Return the address of a symbol, None for one that is defined nowhere."""
        if symbol.binding != LOCAL and symbol.name:
            found = self.globals.get(symbol.name)
            if found is None:
                return self._special(symbol)
            each, symbol = found
        if symbol.section == ABSOLUTE:
            return symbol.value
        if symbol.section == COMMON:
            return self.common.get(symbol.name)
        if symbol.section >= len(each.sections):
            raise ValueError(f"symbol {symbol.name[:40]!r} lies in a section that does not exist")
        section = each.sections[symbol.section]
        offset = 0 if symbol.kind == SECTION else symbol.value
        return 0 if section is None else self.bases.get(id(section), 0) + offset

    def _special(self, symbol: ObjectSymbol) -> int | None:
        """Return the address of a symbol that linkers define."""
        ends = dict.fromkeys(("_end", "end", "__end__"), self.end)
        known = {GOT: self.got_at, **dict(zip(SMALL_BASES, self.small)), **ends}
        return known.get(symbol.name, 0 if symbol.binding == WEAK or not symbol.name else None)

    def image(self, content: bytes, isa: str | None) -> Image:
        """Relocate everything and put the image together."""
        parts = [Stretch(self.bases[id(s)], self._content(s), s.size) for s in self.sections]
        if self.got:
            parts.append(Stretch(self.got_at, self._got_content(), self.got_bytes))
        common = [(self.common[name], self.globals[name][1].size) for name in self.common]
        parts += [Stretch(at, b"", size) for at, size in common]
        lines = self._line_sections()
        if self.unknown:
            names = sorted(self.unknown)
            more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
            raise ValueError(
                f"refers to {', '.join(names[:MAX_NAMED])}{more}, defined nowhere in it; link it with what defines "
                "them (ld -r) and give the result"
            )
        segments, bss = checked(_joined(parts))
        symbols = self._symbols()
        return Image(
            isa=isa_of(self.family, [each.flags for each in self.objects[: self.own]], isa),
            build="",
            entry=self._entry(symbols, segments),
            segments=segments,
            bss=bss,
            sha256=digest_of(content),
            symbol_table=SymbolTable(symbols),
            line_table=read_lines(lines, self.family.byte_order),
            returns=True,
            missing={address: name for name, address in self.missing.items()},
        )

    def _entry(self, symbols: dict[str, Symbol], segments: list[tuple[int, bytes]]) -> int:
        found = next((symbols[name].address for name in STARTS if name in symbols), None)
        code = [self.bases[id(s)] for s in self.sections if s.flags & EXECUTE and s.size]
        if not code and all(each.sections for each in self.objects):  # one without sections was assembled elsewhere
            raise ValueError("has no code")
        return found if found is not None else next(iter(code), self.base)

    def _content(self, section: LinkedSection) -> bytes:
        """Return the contents of a section in memory; of zeros only those that others lie behind."""
        if section.kind == NOBITS:
            return bytes(section.size) if _order(section) < ZEROS else b""
        return self._relocated(section)

    def _relocated(self, section: LinkedSection) -> bytes:
        """Return the contents of a section with its relocations carried out."""
        if not section.relocations:
            return section.content
        each = self.owners[id(section)]
        content = bytearray(section.content)
        start = self.bases[id(section)]
        for relocation in section.relocations:
            if relocation.kind:
                self._relocate(each, content, start, relocation, section)
        return bytes(content)

    def _relocate(
        self, each: Object, content: bytearray, start: int, relocation: Relocation, section: LinkedSection
    ) -> None:
        rule = self.rules.get(relocation.kind)
        if rule is None:
            raise ValueError(f"{each.name}: has relocation type {relocation.kind}, which is not supported")
        symbol, offset = each.symbols[relocation.symbol], relocation.offset
        target = self._value(each, symbol)
        if target is None:
            target = self._stub(symbol.name, rule, content, offset)
        addend = relocation.addend
        if addend is None:
            addend = int.from_bytes(content[offset : offset + rule.size], self.family.byte_order, signed=True)
        elif relocation.kind == PLTREL24 and self.family.machine == "EM_PPC" and addend >= MAX_PLT_ADDEND:
            addend = 0
        place, got = start + offset, self.got_at
        if rule.value in (GOT_ENTRY, GOT_RELATIVE):
            entry = got + (0 if symbol.name == GOT else self.got[self._key(each, relocation.symbol)])
            is_direct = self.family.machine == "EM_386" and offset and content[offset - 1] & 0xC7 == 5
            value = entry + addend - (place if rule.value == GOT_RELATIVE else 0 if is_direct else got)
        elif rule.value == SMALL_DATA:
            self._small_data(each, symbol, rule, content, offset, target + addend)
            return
        else:
            origin = {RELATIVE: place, FROM_GOT: got, GOT_ITSELF: place}.get(rule.value, 0)
            value = (got if rule.value == GOT_ITSELF else target) + addend - origin
        try:
            write(rule, content, offset, value, self.family.byte_order)
        except ValueError as error:
            raise ValueError(f"{each.name}, {section.name} + {offset:#x}, {symbol.name[:40]}: {error}") from None

    def _small_data(
        self, each: Object, symbol: ObjectSymbol, rule: Rule, content: bytearray, offset: int, address: int
    ) -> None:
        """Write the distance from the base of small data, and the register that points there if the place has one."""
        owner, found = self.globals.get(symbol.name, (each, symbol)) if symbol.binding != LOCAL else (each, symbol)
        section = owner.sections[found.section] if found.section < len(owner.sections) else None
        number = _small(section.name) if section is not None else None
        if number is None:
            raise ValueError(f"{symbol.name[:40]} is not in small data")
        value = address - self.small[number]
        if not -0x8000 <= value < 0x8000:
            raise ValueError(f"{symbol.name[:40]} lies beyond the 64 KiB of small data")
        if rule.size == 4:
            value = value & 0xFFFF | SMALL_REGISTERS[number] << 16
        write(Rule(rule.value, rule.size, rule.bits, part=0), content, offset, value, self.family.byte_order)

    def _stub(self, name: str, rule: Rule, content: bytearray, offset: int) -> int:
        """Return an address for a routine that is defined nowhere; a name that is no routine is noted as unknown."""
        is_call = rule.is_call or any(content[:offset].endswith(each) for each in rule.opens)
        if not is_call or len(self.missing) >= MAX_MISSING:
            self.unknown.add(name[:80])
        return self.missing.setdefault(name, MISSING_START + MISSING_BYTES * (len(self.missing) % MAX_MISSING))

    def _got_content(self) -> bytes:
        values = {}
        for each in self.objects:
            for number in range(len(each.symbols)):
                key = self._key(each, number)
                if key in self.got and key not in values:
                    address = self._value(each, each.symbols[number])
                    if address is None:
                        self.unknown.add(each.symbols[number].name[:80])
                    values[key] = address or 0
        return b"".join((values[key] & 0xFFFFFFFF).to_bytes(4, self.family.byte_order) for key in self.got)

    def _line_sections(self) -> dict[str, bytes]:
        """Return the sections with source lines, each one behind the other, of the user's own objects."""
        found = {}
        own = [s for each in self.objects[: self.own] for s in each.sections if s is not None]
        for name in LINE_SECTIONS:
            at = 0
            for section in own:
                if section.name == name:
                    self.bases[id(section)] = at
                    at += section.size
        for name in LINE_SECTIONS:
            found[name] = b"".join(self._relocated(section) for section in own if section.name == name)
        return {name: content for name, content in found.items() if content}

    def _symbols(self) -> dict[str, Symbol]:
        symbols: dict[str, tuple[bool, Symbol]] = {}
        for each in self.objects:
            for symbol in each.symbols:
                if symbol.kind > FUNCTION or symbol.section == UNDEFINED or not symbol.name:
                    continue
                section = each.sections[symbol.section] if symbol.section < len(each.sections) else None
                if section is None and symbol.section != COMMON:
                    continue
                if section is not None and not section.flags & ALLOC:
                    continue
                is_code = section is not None and bool(section.flags & EXECUTE) and symbol.kind != OBJECT
                is_global = symbol.binding != LOCAL
                if symbol.name.startswith(".L") or (not is_global and symbol.name in symbols):
                    continue
                address = self._value(each, symbol)
                if address is not None and self.base <= address and address + symbol.size <= self.end:
                    kind = "function" if is_code else "object"
                    if symbol.name not in symbols or (is_global and not symbols[symbol.name][0]):
                        symbols[symbol.name] = is_global, Symbol(address, symbol.size, kind)
                if len(symbols) > MAX_SYMBOLS:
                    raise ValueError(f"more than {MAX_SYMBOLS} symbols")
        found = {name: symbol for name, (_, symbol) in symbols.items()}
        used = {_small(section.name) for section in self.sections}
        bases = {name: Symbol(self.small[n], 0, "object") for n, name in enumerate(SMALL_BASES) if n in used}
        return bases | found  # for the registers that point there


def _strength(symbol: ObjectSymbol) -> int:
    return 0 if symbol.binding == WEAK else 1 if symbol.section == COMMON else 2


def _defines(each: Object, name: str) -> bool:
    return any(s.name == name and s.section != UNDEFINED and s.binding != LOCAL for s in each.symbols)


def _joined(parts: list[Stretch]) -> list[Stretch]:
    """Return parts that have contents as few parts, small gaps between them filled with zeros."""
    joined: list[tuple[int, bytearray]] = []
    zeros = [part for part in parts if part.size and not part.content]
    for part in sorted((part for part in parts if part.content), key=lambda part: part.address):
        start, content = joined[-1] if joined else (0, bytearray())
        gap = part.address - start - len(content)
        if content and 0 <= gap < PAGE:
            content += bytes(gap) + part.content
        else:
            joined.append((part.address, bytearray(part.content)))
        if part.size > len(part.content):
            zeros.append(Stretch(part.address + len(part.content), b"", part.size - len(part.content)))
    return [Stretch(start, bytes(content), len(content)) for start, content in joined] + zeros


RELOCATABLE = 1  # e_type
KIT = {"EM_68K": "m68k.a", "EM_386": "i386.a", "EM_PPC": "ppc.a"}


def load(path: Path, content: bytes, isa: str | None, kit: Path | None) -> Image:
    """Load an ELF file or an archive of them.

    path     for messages
    isa      what it is to run on if its processor is of that family, None: what the file itself says
    kit      folder with the archives of what compilers call by themselves, None for none
    Errors   ValueError, RomError
    """
    if objects := objects_of(path, content):
        family = objects[0].family
        return link(objects, kit_objects(kit, family), content, isa if isa in family.isas else None)
    family = elf_family(content)
    isa = isa if isa in family.isas else None
    if not needs_moving(content):
        return read_image(path, content, isa, "")
    moved = rebased(content)
    image = read_image(path, moved.content, isa, "")
    lines = image.line_table.moved(moved.distance) if image.lines else LineTable([], [])
    return replace(image, line_table=lines, missing=moved.missing)


def objects_of(path: Path, content: bytes) -> list[Object]:
    """Return what an object or an archive holds, nothing of a linked ELF file. Errors: ValueError."""
    if content[:4] == b"!<ar":
        return read_archive(content)
    order = elf_family(content).byte_order
    is_object = int.from_bytes(content[16:18], order) == RELOCATABLE
    return [read_object(path.name, content)] if is_object else []


def kit_objects(folder: Path | None, family: Family) -> list[Object]:
    """Return what compilers call by themselves, nothing without a kit. Errors: RomError."""
    return list(_objects(folder / KIT[family.machine])) if folder is not None else []


@cache
def _objects(path: Path) -> tuple[Object, ...]:
    return tuple(read_archive(read_file(path, MAX_IMAGE_BYTES, RomError)))
