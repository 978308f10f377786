"""Build roms/common/kit: what compilers call by themselves and a small C library, an archive for each family.

`retrosim.rom.formats.elf` takes objects from it for programs of the user's own, on computers without any compiler. It
needs the cross compilers that roms/common/toolchains.toml names. Two builds are the same bytes.

usage: python tools/build_kit.py [--check]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

COMMON = Path(__file__).resolve().parent.parent / "roms" / "common"
FLAGS = (
    *("-O2", "-std=gnu11", "-Wall", "-Wextra", "-ffreestanding", "-fno-builtin", "-fno-pic", "-fno-stack-protector"),
    *("-fno-asynchronous-unwind-tables", "-fno-ident", "-fno-tree-loop-distribute-patterns", "-frandom-seed=0"),
)
LIBRARY = (
    *("ending.c", "heap.c", "zeroed.c", "text.c", "letters.c", "sorting.c", "integers.c", "clock.c", "files.c"),
    *("printing.c", "decimal.c", "floating_text.c", "rounding.c", "exponential.c", "circular.c", "single.c"),
)


@dataclass(frozen=True)
class Kit:
    """An archive of a family; code that all its processors run.

    sources  in roms/common/runtime, for what compilers call by themselves
    library  in roms/common/libc, beside LIBRARY
    """

    name: str
    command: str
    flags: tuple[str, ...]
    sources: tuple[str, ...]
    library: tuple[str, ...]


KITS = (
    Kit(
        "m68k.a",
        "m68k-linux-gnu",
        ("-m68000", "-fno-store-merging"),
        ("arithmetic_m68000.S", "division_m68000.S", "memory.c", "wide.c", "floating.c"),
        ("jumps_m68k.S",),
    ),
    Kit(
        "i386.a",
        "i686-linux-gnu",
        ("-march=i386", "-msoft-float", "-mno-sse", "-mpreferred-stack-boundary=2"),
        ("memory.c", "wide.c", "floating.c"),
        ("jumps_i386.S",),
    ),
    Kit(
        "ppc.a",
        "powerpc-linux-gnu",
        ("-mcpu=601", "-msoft-float", "-msdata=none", "-mno-eabi"),
        ("memory.c", "wide.c", "floating.c", "registers_ppc.S"),
        ("jumps_ppc.S",),
    ),
)


def build(kit: Kit) -> bytes:
    """Return an archive: one object a source, without dates, owners and anything that the linker here does not read."""
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        sources = [COMMON / "runtime" / source for source in kit.sources]
        sources += [COMMON / "libc" / source for source in (*LIBRARY, *kit.library)]
        headers = ("-isystem", str(COMMON / "kit" / "include"))
        for source in sources:
            target = f"{source.stem}.o"
            command = [f"{kit.command}-gcc", *FLAGS, *kit.flags, *headers, "-c", str(source), "-o", target]
            subprocess.run(command, cwd=folder, check=True)
            subprocess.run([f"{kit.command}-strip", "--strip-debug", target], cwd=folder, check=True)
            objects.append(target)
        subprocess.run([f"{kit.command}-ar", "rcsD", kit.name, *objects], cwd=folder, check=True)
        return (Path(folder) / kit.name).read_bytes()


def main() -> int:
    """Build all archives, or compare them with those that are there."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    is_check = parser.parse_args().check
    changed = []
    for kit in KITS:
        path, content = COMMON / "kit" / kit.name, build(kit)
        if not path.exists() or path.read_bytes() != content:
            changed.append(kit.name)
            if not is_check:
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content)
    print(f"{len(KITS)} archives, {len(changed)} changed: {', '.join(changed) or 'none'}")
    return 1 if is_check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
