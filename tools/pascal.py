#!/usr/bin/env python3
"""Free Pascal's cross compilers, built from Debian's source package; Pascal units for real mode, with NASM.

  python tools/pascal.py m68k ~/bin       for projects in Pascal (`retrosim new NAME --language pascal`)

The compiler writes NASM source for object files of DOS. The code goes into section .text of an ELF object, routines
keep the names they have in the source, and type information for use at run time is left out: nothing here asks for it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

VERSION = "3.2.2"
SOURCES = Path("/usr/share/fpcsrc") / VERSION / "compiler"
LIBRARY = Path("/usr/lib/x86_64-linux-gnu/fpc") / VERSION
UNITS = LIBRARY / "units" / "x86_64-linux"
SYSTEM = "system.pp"  # the unit that the compiler puts below all others

COMPILERS = {  # processor -> (name of its compiler, folders of its sources, defines beside the processor's)
    "i8086": ("ppcross8086", ("i8086", "x86"), ()),
    "i386": ("ppcross386", ("i386", "x86"), ("FPC_SOFT_FPUX80",)),
    "m68k": ("ppcross68k", ("m68k",), ()),
    "powerpc": ("ppcrossppc", ("powerpc", "ppcgen"), ()),
}

CODE_LISTS = {"al_pure_assembler", "al_procedures"}
OTHER_LISTS = {"al_rtti", "al_indirectglobals", "al_dwarf_frame"}

Run = Callable[[list[str], Path], str]
"""(command, folder) -> what it prints"""


def find_versions(run: Run, folder: Path) -> tuple[str, str]:
    """Return what the installed Free Pascal and NASM call themselves."""
    compiler = run(["fpc", "-iV"], folder).strip()
    return f"Free Pascal {compiler}", run(["nasm", "--version"], folder).split(" compiled")[0].strip()


def build_compiler(run: Run, folder: Path, cpu: str = "i8086") -> Path:
    """Build the cross compiler for a processor in an empty folder, which takes some 10 seconds; return its path."""
    name, parts, defines = COMPILERS[cpu]
    run(["fpc", "-FE.", "-FU.", str(SOURCES / "utils" / "msg2inc.pp")], folder)
    run([str(folder / "msg2inc"), str(LIBRARY / "msg" / "errore.msg"), "msg", "msg"], folder)
    compiler = folder / name
    paths = [f"-Fu{UNITS / 'rtl'}", f"-Fu{UNITS}/*", f"-Fi{folder}", *(f"-Fu{part}" for part in (*parts, "systems"))]
    paths += [*(f"-Fi{part}" for part in parts), f"-FE{folder}", f"-FU{folder}", f"-o{compiler}"]
    defined = [f"-d{define}" for define in (cpu, *defines)]
    run(["fpc", "-n", *defined, "-Sgic", "-O1", "-Xs", *paths, "pp.pas"], SOURCES)
    return compiler


def compile_unit(run: Run, compiler: Path, source: Path, system: Path, flags: tuple[str, ...], target: str) -> None:
    """Compile a unit in the dialect of Turbo Pascal into an ELF object.

    compiler  from `build_compiler`
    source    the unit; all is compiled in its folder
    system    the unit system.pp
    target    name of the object
    Errors    those of `run`; ValueError for a unit that has data
    """
    folder, assembly = source.parent, source.with_suffix(".s")
    run([str(compiler), "-n", "-s", *flags, "-FU.", "-Us", str(system)], folder)
    run([str(compiler), "-n", "-s", "-al", "-Mtp", *flags, "-Fu.", source.name], folder)
    assembly.write_text(for_elf(assembly.read_text()))
    run(["nasm", "-f", "elf32", "-g", "-F", "dwarf", assembly.name, "-o", target], folder)


def for_elf(text: str) -> str:
    """Return the compiler's output as NASM takes it for ELF: code only. Errors: ValueError for a unit that has data."""
    head, *lists = re.split(r"(?m)^; Begin asmlist (?=\w+$)", text)
    names = {each.split("\n", 1)[0] for each in lists}
    if names - CODE_LISTS - OTHER_LISTS:
        raise ValueError(f"{', '.join(sorted(names - CODE_LISTS - OTHER_LISTS))}: a unit may not have data")
    parts = ["".join(line for line in head.splitlines(keepends=True) if not line.startswith("EXTERN"))]
    parts += [each.split("\n", 1)[1] for each in lists if each.split("\n", 1)[0] in CODE_LISTS]
    code = re.sub(r"(?m)^SECTION \w+_TEXT\b.*$", "SECTION .text", "".join(parts))
    return with_own_names(code)


def with_own_names(code: str) -> str:
    """Return assembly language in which a routine has its alias for the only name, marked as a function."""
    renamed: dict[str, str] = {}

    def note(found: re.Match[str]) -> str:
        renamed[found["long"]] = found["alias"]
        return f"\tGLOBAL {found['alias']}:function\n{found['alias']}:\n"

    label = r"(?:\tGLOBAL \S+\n)?(?P<long>\S+):\n\tGLOBAL (?P<alias>\w+)\n(?P=alias):\n"
    code = re.sub(rf"(?m)^{label}", note, code)
    return re.sub(r"[\w$]+", lambda word: renamed.get(word[0], word[0]), code)


def main() -> int:
    """Build a cross compiler into a folder."""
    if len(sys.argv) != 3 or sys.argv[1] not in COMPILERS:
        print(f"usage: {sys.argv[0]} {{{','.join(COMPILERS)}}} FOLDER", file=sys.stderr)
        return 2
    if shutil.which("fpc") is None or not SOURCES.is_dir():
        packages = "fp-compiler-3.2.2 fp-units-rtl-3.2.2 fp-utils-3.2.2 fpc-source-3.2.2"
        print(f"Free Pascal or its source is not installed: apt-get install {packages}", file=sys.stderr)
        return 1

    def run(command: list[str], folder: Path) -> str:
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout

    target = Path(sys.argv[2]).expanduser()
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        print(shutil.copy2(build_compiler(run, Path(folder), sys.argv[1]), target))
    return 0


if __name__ == "__main__":
    sys.exit(main())
