"""Several sources and objects into one program: assembly is assembled here, everything else linked behind it.

An assembly source has no relocations: it is assembled anew as soon as the addresses of what it uses are known, until
they no longer change.
"""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from retrosim.errors import RomError
from retrosim.machine.presets import PRESETS
from retrosim.reading import digest_of, read_file
from retrosim.rom import Image
from retrosim.rom.formats import File, load_file
from retrosim.rom.formats.elf import STARTS, kit_objects, link, objects_of
from retrosim.rom.formats.objects import ABSOLUTE, FUNCTION, GLOBAL, LOCAL, UNDEFINED, Object, ObjectSymbol, read_object
from retrosim.rom.formats.sources import compiled, run_compiler
from retrosim.rom.image import LOAD_ADDRESS, MAX_IMAGE_BYTES, Family, family_of
from retrosim.rom.library import kit_folder
from retrosim.rom.lines import LineTable
from retrosim.rom.symbols import Symbol, SymbolTable

from .assembling import Assembly, assemble_file
from .processors import BITS, FLAT, REAL

# Compiles a Pascal unit with a Free Pascal of the user's for that processor, and with the unit system.pp beside it.

SYSTEM = "system.pp"
FLAGS = ("-n", "-v0e", "-Tlinux", "-Cn", "-O2")
LINES = "-gw2"


@dataclass(frozen=True)
class PascalCompiler:
    """A Free Pascal for one instruction set.

    commands  the first that is installed is taken
    flags     for the instruction set
    """

    commands: tuple[str, ...]
    flags: tuple[str, ...]


_M68K, _I386, _PPC = ("ppcross68k", "ppc68k"), ("ppcross386", "ppc386"), ("ppcrossppc", "ppcppc")
COMPILERS = {
    "m68000": PascalCompiler(_M68K, ("-Cp68000", "-XPm68k-linux-gnu-")),
    "m68040": PascalCompiler(_M68K, ("-Cp68040", "-CfSOFT", "-XPm68k-linux-gnu-")),
    "i386": PascalCompiler(_I386, ("-Cp80386",)),
    "i486": PascalCompiler(_I386, ("-Cp80486",)),
    "ppc601": PascalCompiler(_PPC, ("-XPpowerpc-linux-gnu-",)),
}


def compiled_units(path: Path, isa: str, note: Callable[[str], None]) -> dict[str, bytes]:
    """Return the objects of a unit and of those that it uses: name -> content; SYSTEM names that of system.pp.

    note     gets the command, as a shell takes it
    Errors   ValueError: no compiler is installed, system.pp is missing, or the compiler refuses a file
    """
    if isa not in COMPILERS:
        raise ValueError(f"no Free Pascal is known for the 16-bit code of the {isa}; give an assembly source")
    compiler, system = COMPILERS[isa], path.parent / SYSTEM
    found = next(filter(shutil.which, compiler.commands), None)
    if found is None:
        raise ValueError(
            f"needs Free Pascal for {isa} ({' or '.join(compiler.commands)}), and none is installed; "
            "`retrosim guide programs` says how to build it"
        )
    if not system.is_file():
        raise ValueError(f"needs {SYSTEM} beside it; `retrosim new NAME --language pascal` makes one")
    words = [found, *FLAGS, *compiler.flags]
    with tempfile.TemporaryDirectory() as folder:
        command = [*words, f"-Fu{folder}", f"-FU{folder}", f"-FE{folder}"]
        run_compiler([*command, "-Us", str(system.resolve())], Path(folder))
        note(shlex.join([*words, LINES, path.name]))
        run_compiler([*command, LINES, f"-Fu{path.parent.resolve()}", str(path.resolve())], Path(folder))
        objects = {each.stem: each.read_bytes() for each in sorted(Path(folder).glob("*.o"))}
    return {SYSTEM if name == Path(SYSTEM).stem else f"{name}.o": content for name, content in objects.items()}


ASSEMBLY, OBJECTS, COMPILED, PASCAL = (".s", ".asm", ".S"), (".o", ".a"), (".c",), (".pas", ".pp")
LINKED = (*ASSEMBLY, *OBJECTS, *COMPILED, *PASCAL)
PAGE = 256  # bytes: each source begins on a page of its own
MAX_ROUNDS = 12


def link_sources(
    paths: Sequence[Path],
    machine: str,
    note: Callable[[str], None] = lambda text: None,
    flags: tuple[str, ...] = (),
    boot: str = "",
) -> Image:
    """Return the program that sources and objects make together.

    paths    assembly (.s, .asm, .S), objects and archives (.o, .a), C (.c), Pascal (.pas), in the order in which they
             lie in memory, assembly first
    machine  a preset's name
    note     gets the commands of compilers
    flags    for the compiler of C
    boot     mode that the program is started in, and so that of assembly until it says another; "" for the usual one
    Errors   RomError, AssemblyError; ValueError
    """
    for path in paths:
        if path.suffix not in LINKED:
            raise RomError(path, f"cannot be linked with others; allowed {', '.join(LINKED)}")
        if not path.is_file():
            raise RomError(path, "no such file")
    isa = PRESETS[machine].isa
    objects, system = list[Object](), dict[str, Object]()
    for path in paths:
        if path.suffix in PASCAL:
            units = _units(path, isa, note)
            system |= {name: units.pop(name) for name in [SYSTEM] if name in units}
            objects += [unit for name, unit in units.items() if name not in {each.name for each in objects}]
        elif path.suffix not in ASSEMBLY:
            objects += _read(path, isa, note, flags)
    return _Linking(
        [path for path in paths if path.suffix in ASSEMBLY], objects, [*system.values()], machine, boot
    ).image()


def _read(path: Path, isa: str, note: Callable[[str], None], flags: tuple[str, ...]) -> list[Object]:
    """Return the objects of a file. Errors: RomError."""
    try:
        is_c = path.suffix in COMPILED
        content = compiled(path, isa, kit_folder(), note, flags) if is_c else read_file(path, MAX_IMAGE_BYTES, RomError)
        found = objects_of(path, content)
    except ValueError as error:
        raise RomError(path, str(error)) from None
    if not found:
        raise RomError(path, "is a linked executable; others can be linked with objects only")
    if found[0].family is not family_of(isa):
        raise RomError(path, f"is for {found[0].family.isas[0]}, the machine runs {isa}")
    return found


def _units(path: Path, isa: str, note: Callable[[str], None]) -> dict[str, Object]:
    """Return the objects of a Pascal unit and of those that it uses, by name. Errors: RomError."""
    try:
        return {name: read_object(name, content) for name, content in compiled_units(path, isa, note).items()}
    except ValueError as error:
        raise RomError(path, str(error)) from None


class _Linking:
    """The state of one link."""

    def __init__(self, texts: list[Path], objects: list[Object], system: list[Object], machine: str, boot: str) -> None:
        self.texts, self.objects, self.boot = texts, objects, boot
        self.isa = PRESETS[machine].isa
        self.family: Family = family_of(self.isa)
        is_real = boot == REAL and REAL in self.family.boots_of(self.isa)
        self.cpu = f"{self.isa}-{REAL}" if is_real else machine
        self.kit = [*system, *kit_objects(kit_folder(), self.family)]  # linked as far as they are asked for
        self.made: list[Assembly] = []
        self.linked: Image | None = None

    def image(self) -> Image:
        """Assemble and link until no address changes."""
        labels: dict[str, int] = {}
        for number in range(MAX_ROUNDS):
            before, self.made, at = labels, [], LOAD_ADDRESS
            elsewhere = None if number else LOAD_ADDRESS  # for a beginning, of all names that others define
            for path in self.texts:
                made = assemble_file(path, self.cpu, origin=at, labels=before, elsewhere=elsewhere)
                self._check_boot(path, made.boot or self.family.boots[0])
                self.made.append(made)
                at = max([at, *(each.address + each.bytes for each in made.sections)])
                at += -at % PAGE
            exported = self._exported()
            self.linked = self._link(exported, at)
            known = {name: symbol.address for name, symbol in self.linked.symbols.items()} if self.linked else {}
            labels = before | known | exported
            if number and labels == before:
                return self._joined()
        raise RomError(self.texts[0], f"the addresses do not settle in {MAX_ROUNDS} rounds")

    def _check_boot(self, path: Path, first: str) -> None:
        """Check the mode that a text begins in. Errors: RomError."""
        if self.boot in BITS and first in BITS and first != self.boot:
            raise RomError(path, f"begins with bits {BITS[first]}, and {BITS[self.boot]} bits are asked for")

    def _exported(self) -> dict[str, int]:
        """Return the symbols of the assembly sources. Errors: RomError for one that two define."""
        exported: dict[str, int] = {}
        owners: dict[str, str] = {name: each.name for each in self.objects for name in _names([each], is_weak=False)}
        for path, made in zip(self.texts, self.made):
            if made.boot not in ("", FLAT) and (self.objects or len(self.texts) > 1):
                raise RomError(path, "code for real mode cannot be linked with others")
            for name in made.exports:
                if name in owners:
                    raise RomError(path, f"defines {name}, which {owners[name]} defines too")
                owners[name] = path.name
                exported[name] = made.symbols[name]
        return exported

    def _link(self, exported: dict[str, int], start: int) -> Image | None:
        """Return the objects, linked behind the assembly; None where there is nothing to link."""
        used = {name for made in self.made for name in made.externals} - exported.keys()
        if not self.objects and not used:
            return None
        symbols = [ObjectSymbol("", 0, 0, LOCAL, 0, UNDEFINED)]
        symbols += [ObjectSymbol(name, at, 0, GLOBAL, FUNCTION, ABSOLUTE) for name, at in exported.items()]
        symbols += [ObjectSymbol(name, 0, 0, GLOBAL, 0, UNDEFINED) for name in sorted(used)]
        own = Object("assembly", self.family, 0, [], symbols)
        try:
            return link([*self.objects, own], self.kit, b"", self.isa, start)
        except ValueError as error:
            names = ", ".join(each.name for each in self.objects) or self.texts[0].name
            raise RomError(names, str(error)) from None

    def _joined(self) -> Image:
        """Return everything as one image."""
        texts = [(path, made) for path, made in zip(self.texts, self.made) if made.sections]
        images = [load_file(File(path, made.elf, made.isa)) for path, made in texts]
        images += [self.linked] if self.linked else []
        if not images:
            raise RomError(self.texts[0], "has neither code nor data")
        segments = sorted(segment for each in images for segment in each.segments)
        symbols: dict[str, Symbol] = {}
        for each in reversed(images):
            symbols |= each.symbols
        starts = [symbols[name].address for name in STARTS if name in symbols]
        return replace(
            images[0],
            entry=starts[0] if starts else images[0].entry,
            segments=segments,
            bss=sorted(zeros for each in images for zeros in each.bss),
            sha256=digest_of(b"".join(address.to_bytes(4, "big") + content for address, content in segments)),
            symbol_table=SymbolTable(symbols),
            line_table=LineTable.joined(each.line_table for each in images),
            boot=next((made.boot for made in self.made), ""),
            returns=True,
            missing={address: name for each in images for address, name in each.missing.items()},
        )


def _names(objects: list[Object], is_weak: bool = True) -> list[str]:
    """Return the names that objects define for others. `is_weak`: those too that another definition may replace."""
    return [
        symbol.name
        for each in objects
        for symbol in each.symbols
        if symbol.binding != LOCAL and symbol.section != UNDEFINED and symbol.name
        if is_weak or symbol.binding == GLOBAL
    ]
