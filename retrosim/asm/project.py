"""Projects: a folder with retrosim.toml, which names the sources of a program; and new ones, from the templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrosim.checks import check_choice
from retrosim.errors import RetrosimError, RomError
from retrosim.machine.presets import PRESETS
from retrosim.rom import Rom, load_program
from retrosim.rom.elf_write import image_elf
from retrosim.rom.fields import ALLOWED, FILE_PATH, MACRO, SOURCE_PATH, read_toml
from retrosim.rom.formats.sources import COMPILERS, FLAGS
from retrosim.rom.image import Image, family_of
from retrosim.rom.library import in_boot

from .linking import ASSEMBLY, COMPILED, OBJECTS, PASCAL, link_sources
from .processors import BITS, CPU_NAMES, FLAT, REAL, isa_of_cpu, plain_name

PROJECT = "retrosim.toml"
TEMPLATES = Path(__file__).parent / "templates"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}", re.ASCII)
FAMILIES = {"EM_68K": "m68k", "EM_386": "i386", "EM_PPC": "ppc"}  # in names of templates
LIMITS = {"m68k": 150, "i386": 80, "ppc": 40}  # cycles of the assembly template's routine, rounded up
LIMIT_COMPILED = 500


@dataclass(frozen=True)
class Project:
    """What retrosim.toml says.

    name     of the program
    machine  that it is made for
    sources  in the order in which they are linked
    flags    for the compiler of C: folders where it looks for headers, the project's first, and macros
    """

    name: str
    machine: str
    sources: tuple[Path, ...]
    flags: tuple[str, ...]


def project_file(path: str | Path) -> Path | None:
    """Return the project file that a path means: itself, or the one in that folder; None if it means none."""
    path = Path(path)
    try:
        found = path / PROJECT if path.is_dir() else path
        return found if found.name == PROJECT and found.is_file() else None
    except (OSError, ValueError):  # too long, or with a zero byte
        return None


def read_project(path: Path) -> Project:
    """Read a project file. Errors: RomError."""
    fields = read_toml(path)
    name, machine = fields.text("name"), fields.text("machine")
    if not NAME.fullmatch(name):
        raise fields.error(f"{name!r} is not allowed: a letter, then up to 39 letters, digits, _ and -", "name")
    if machine not in PRESETS:
        raise fields.error(f"{machine!r} is not allowed: {', '.join(PRESETS)}", "machine")
    sources = tuple(path.parent / each for each in fields.texts("sources", SOURCE_PATH))
    if not sources:
        raise fields.error(f"names no file: {ALLOWED[SOURCE_PATH]}", "sources")
    folders = [path.parent, *(path.parent / each for each in fields.texts("include", FILE_PATH, []))]
    macros = fields.texts("define", MACRO, [])
    fields.end()
    flags = *(f"-I{each.resolve()}" for each in folders), *(f"-D{each}" for each in macros)
    return Project(name, machine, sources, flags)


def elf_of(image: Image) -> bytes:
    """Return an image as an ELF file, with its symbols and source lines.

    Errors   RetrosimError for one that calls what it does not have
    """
    if image.missing:
        raise RetrosimError(f"calls {', '.join(sorted(image.missing.values()))}, defined nowhere")
    return image_elf(image)


def machine_of_cpu(cpu: str) -> str:
    """Return a machine by its name, or the first with a processor. Errors: ValueError."""
    machines = {name: each.isa for name, each in PRESETS.items() if each.isa not in family_of(each.isa).only}
    allowed = [*dict.fromkeys(machines.values()), *machines]
    if cpu not in CPU_NAMES:
        check_choice("cpu", plain_name(cpu), allowed)
    isa = isa_of_cpu(cpu)
    if cpu.endswith(f"-{REAL}") or isa in family_of(isa).only:
        raise ValueError(f"cpu {cpu!r}: new projects are for flat mode; allowed {', '.join(allowed)}")
    return cpu if cpu in PRESETS else next(name for name, preset in PRESETS.items() if preset.isa == isa)


LANGUAGES = {"asm": ("asm",), "c": ("start", "c"), "pascal": ("start", "pascal")}
"""Language -> folders of the templates."""


def new_files(name: str, cpu: str, language: str) -> dict[str, str]:
    """Return the files of a new project: name -> text.

    name      of the program
    cpu       a processor or a machine
    language  of LANGUAGES
    Errors    ValueError
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"name {name!r}: allowed a letter, then up to 39 letters, digits, _ and -")
    check_choice("language", language, tuple(LANGUAGES))
    machine = machine_of_cpu(cpu)
    isa = PRESETS[machine].isa
    family = FAMILIES[family_of(isa).machine]
    given = {"m68k": "regs=dict(zip(('d0', 'd1', 'd2', 'd3'), given))"}
    given["i386"] = "regs=dict(zip(('eax', 'ebx', 'ecx', 'edx'), given))"
    is_assembly = language == "asm"
    words = {
        "NAME": name,
        "GCC": " ".join((COMPILERS[isa].commands[0][0], *COMPILERS[isa].flags, *FLAGS)),
        "OVERLAPPING": "(0, 0, 31, 0)",
        "APART": "(0, 0, 32, 0)",
        "LIMIT": str(LIMITS[family] if is_assembly else LIMIT_COMPILED),
        "GIVEN": given.get(family, "*given") if is_assembly else "*given",
    }
    found = [path for folder in LANGUAGES[language] for path in sorted((TEMPLATES / folder).iterdir())]
    templates = [path for path in found if path.stem.rpartition("_")[2] in (family, path.stem)]
    files = {path.name.replace(f"_{family}.", "."): path.read_text(encoding="utf-8") for path in templates}
    files["test_program.py"] = (TEMPLATES / "test_program.txt").read_text(encoding="utf-8")
    sources = [each for each in ("start.s", "main.s", "main.c", "main.pas") if each in files]
    files[PROJECT] = _project_text(name, machine, sources)
    return {file: re.sub(r"@([A-Z]+)@", lambda word: words[word[1]], text) for file, text in files.items()}


def _project_text(name: str, machine: str, sources: Iterable[str]) -> str:
    listed = ", ".join(f'"{each}"' for each in sources)
    return (
        "# What `retrosim build` puts together. `retrosim run .` and `retrosim cost . --entry SYMBOL` build it, too.\n"
        f'name = "{name}"\nmachine = "{machine}"\nsources = [{listed}]\n'
    )


# Loads whatever a user names: a ROM, a program's file, a source; and chooses the machine where none is named.

BOOTS: dict[int | None, str] = {None: "", **{bits: boot for boot, bits in BITS.items()}}
"""Bits that a user says the code has -> what the CPU starts in."""


@dataclass(frozen=True)
class Loaded:
    """A program, and the machine that is to run it."""

    program: Rom | Image
    machine: str


def load_for(
    name: str | Path,
    machine: str | None,
    default: str | None = None,
    *,
    others: Sequence[str | Path] = (),
    boot: str = "",
    at: int | None = None,
    note: Callable[[str], None] = lambda text: None,
    flags: tuple[str, ...] = (),
) -> Loaded:
    """Load a program for a machine.

    name     of a ROM, or the path of a project or of a file that `load_program` or the assembler takes
    machine  None: the first that can run the program
    default  machine of what runs on several: a ROM, an assembly source; None: one has to be named
    others   sources and objects that are linked with it
    boot, at, note, flags  as for `load_program`
    Errors   RomError, AssemblyError; ValueError for what does not fit the file, and where a machine has to be named
    """
    if found := project_file(name):
        _check_at(at)
        project = read_project(found)
        machine = machine or project.machine
        check_choice("machine", machine, tuple(PRESETS))
        _check_boot(boot, [*project.sources, *map(Path, others)])
        image = link_sources([*project.sources, *map(Path, others)], machine, note, (*project.flags, *flags), boot)
        return Loaded(in_boot(image, boot), machine)
    paths = [Path(name), *map(Path, others)]
    _check_boot(boot, paths)
    if others or (paths[0].suffix in (*ASSEMBLY, *PASCAL) and paths[0].is_file()):
        _check_at(at)
        machine = machine or _machine_of(paths) or _needed(name, default)
        check_choice("machine", machine, tuple(PRESETS))
        return Loaded(in_boot(link_sources(paths, machine, note, flags, boot), boot), machine)
    isa = PRESETS[machine].isa if machine in PRESETS else None
    program = load_program(name, isa, boot, at=at, note=note, flags=flags)
    if machine is None:
        runs = [each.name for each in PRESETS.values() if isinstance(program, Image) and each.isa == program.isa]
        machine = next(iter(runs), None) or _needed(name, default)
    return Loaded(program, machine)


def _check_at(at: int | None) -> None:
    if at is not None:
        raise ValueError(f"at {at:#x}: allowed for a flat binary only")


def _check_boot(boot: str, paths: Iterable[Path]) -> None:
    """Refuse to start what compilers make in real mode. Errors: RomError."""
    for path in paths:
        if boot == REAL and path.suffix in (*COMPILED, *PASCAL):
            raise RomError(path, f"is compiled to {BITS[FLAT]}-bit code, and {BITS[REAL]} bits are asked for")


def _machine_of(paths: Sequence[Path]) -> str | None:
    """Return the first machine that runs the first object among files, None where there is none."""
    found = next((path for path in paths if path.suffix in OBJECTS), None)
    return None if found is None else load_for(found, None).machine


def _needed(name: str | Path, default: str | None) -> str:
    if default is None:
        raise ValueError(f"{name} runs on several machines: name one of {', '.join(PRESETS)}")
    return default
