"""Compiles a Pascal unit with a Free Pascal of the user's for that processor, and with the unit system.pp beside it."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .sources import run_compiler

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
