"""Runs the user's own compilers, for `cost FILE.c` and the C preprocessor of assembly sources; nothing else does."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

SECONDS = 60  # what a compiler may take
FLAGS = ("-O2", "-g1", "-ffreestanding", "-fno-builtin", "-fno-pic", "-fno-stack-protector", "-fno-common")
HEADERS = "include"  # folder of the kit
CUT = 300  # characters of a compiler's message
DEFAULT_ISA = "m68040"  # of the default machine


@dataclass(frozen=True)
class Compiler:
    """What compiles C for one instruction set.

    commands  drivers, the first that is installed is taken; with what they need to be told
    flags     for the instruction set, of GCC
    package   in Debian
    macros    that name the instruction set to the C preprocessor
    """

    commands: tuple[tuple[str, ...], ...]
    flags: tuple[str, ...]
    package: str
    macros: tuple[str, ...]


_M68K = (("m68k-linux-gnu-gcc",), ("m68k-elf-gcc",), ("m68k-unknown-elf-gcc",))
_X86 = (("i686-linux-gnu-gcc",), ("i686-elf-gcc",), ("i386-elf-gcc",), ("x86_64-linux-gnu-gcc", "-m32"))
_PPC = (("powerpc-linux-gnu-gcc",), ("powerpc-eabi-gcc",), ("powerpc-elf-gcc",))
_FLOATING = ("-msoft-float", "-mlong-double-64")  # the kit has no wider format
_X86_FLAGS = ("-fno-pie", *_FLOATING, "-mno-sse", "-fno-asynchronous-unwind-tables", "-mpreferred-stack-boundary=2")
_PPC_FLAGS = ("-mcpu=601", *_FLOATING, "-msdata=none", "-mno-eabi")
COMPILERS = {
    "m68000": Compiler(_M68K, ("-m68000", "-fno-store-merging"), "gcc-m68k-linux-gnu", ("__m68k__", "__mc68000__")),
    "m68040": Compiler(_M68K, ("-m68040", "-msoft-float"), "gcc-m68k-linux-gnu", ("__m68k__", "__mc68040__")),
    "i386": Compiler(_X86, ("-march=i386", *_X86_FLAGS), "gcc-i686-linux-gnu", ("__i386__",)),
    "i486": Compiler(_X86, ("-march=i486", *_X86_FLAGS), "gcc-i686-linux-gnu", ("__i386__", "__i486__")),
    "ppc601": Compiler(_PPC, _PPC_FLAGS, "gcc-powerpc-linux-gnu", ("__powerpc__", "__PPC__")),
}


def compiled(
    path: Path, isa: str | None, kit: Path | None, note: Callable[[str], None], flags: tuple[str, ...] = ()
) -> bytes:
    """Return the object that a compiler makes of a C file.

    isa      what for, None for the default machine's
    kit      folder with headers of the C library, None for none
    note     gets the command, as a shell takes it
    flags    of the user's, which come last
    Errors   ValueError: no compiler is installed, or it refuses the file
    """
    compiler = COMPILERS.get(isa or DEFAULT_ISA)
    if compiler is None:
        raise ValueError(f"there is no C compiler for the 16-bit code of the {isa}; give an assembly source")
    found = next((each for each in compiler.commands if shutil.which(each[0])), None)
    headers = _headers(found, kit / HEADERS) if kit else ()
    chosen = (*compiler.flags, *FLAGS, *headers, *flags)
    command = [*(found or compiler.commands[0]), *chosen, "-c", str(path.resolve()), "-o"]
    if found is None:
        raise ValueError(
            f"needs a compiler for {isa or DEFAULT_ISA}, and none is installed: apt-get install {compiler.package}; "
            f"or compile it elsewhere and give the object: {shlex.join([*command[:-3], '-c', path.name])}"
        )
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "program.o"
        note(shlex.join([*command, target.name]))
        try:
            run_compiler([*command, str(target)])
        except ValueError as error:
            raise ValueError(_with_headers(str(error), kit)) from None
        return target.read_bytes()


def _headers(command: tuple[str, ...] | None, folder: Path) -> tuple[str, ...]:
    """Return the flags for the kit's headers and the compiler's own, without those of this computer's C library."""
    flags = ("-isystem", str(folder))
    own = run_compiler([*command, "-print-file-name=include"]).decode().strip() if command else ""
    return ("-nostdinc", *flags, "-isystem", own) if Path(own).is_absolute() else flags


def _with_headers(message: str, kit: Path | None) -> str:
    """Add to a message about a header that is missing, which the kit has."""
    if kit is None or "No such file or directory" not in message or ".h" not in message:
        return message
    names = sorted(path.name for path in (kit / HEADERS).iterdir())
    return (
        f"{message}. There is no operating system; of a C library there are {', '.join(names)}, and the compiler's own"
    )


DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(include|define|undef|if|ifdef|ifndef|else|elif|endif|error|pragma)\b", re.M)
PREPROCESSORS = (("cpp",), ("gcc",), ("clang",))  # what will do where no cross compiler is installed


def preprocessed(path: Path, content: bytes, isa: str, defined: Mapping[str, int]) -> str:
    """Return an assembly source (.S) as the C preprocessor leaves it, with lines that say what came from where.

    content  of the file; one without directives of the preprocessor is left as it is
    defined  macros to define
    Errors   ValueError: no preprocessor is installed, or it refuses the file
    """
    if not DIRECTIVE.search(content):
        return content.decode("utf-8", "replace")
    compiler = COMPILERS.get(isa, Compiler((), (), "gcc", ()))
    commands = (*compiler.commands, *PREPROCESSORS)
    found = next((each for each in commands if shutil.which(each[0])), None)
    macros = [f"-D{name}=1" for name in (*compiler.macros, "__ASSEMBLER__")]
    macros += [f"-D{name}={number}" for name, number in defined.items()]
    if found is None:
        raise ValueError(f"needs a C preprocessor, and none is installed: apt-get install cpp, or {compiler.package}")
    name = f"./{path}" if str(path).startswith("-") else str(path)
    command = [*found, "-E", "-undef", *macros, "-x", "assembler-with-cpp", name]
    return run_compiler(command).decode("utf-8", "replace")


def run_compiler(command: list[str], folder: Path = Path()) -> bytes:
    """Run a compiler and return what it prints. Errors: ValueError."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, cwd=folder)
    except subprocess.TimeoutExpired:
        raise ValueError(f"{command[0]} did not finish within {SECONDS} seconds") from None
    if done.returncode:
        lines = (done.stderr + done.stdout).decode("utf-8", "replace").splitlines()
        errors = [line for line in lines if re.search("error|fatal", line, re.I)] or lines
        raise ValueError(f"{command[0]}: {' '.join(errors[:1])[:CUT]}")
    return done.stdout
