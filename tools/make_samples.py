"""Make the samples in tests/rom/samples with the tool chains of their formats.

The tests read the samples, which are committed, on computers without any of these: GCC and binutils for m68k, i386 and
PowerPC, NASM. Formats whose tools Debian does not package are written by tests/helpers/rom/program_files.py instead.

usage: python tools/make_samples.py
"""

from __future__ import annotations

import subprocess
from pathlib import Path

SAMPLES = Path(__file__).resolve().parent.parent / "tests" / "rom" / "samples"
COMPILERS = {
    "m68k": ("m68k-linux-gnu", ("-m68000",)),
    "i386": ("i686-linux-gnu", ("-march=i386", "-fno-asynchronous-unwind-tables")),
    "ppc": ("powerpc-linux-gnu", ("-mcpu=601", "-msoft-float")),
}
FLAGS = ("-O2", "-g1", "-ffreestanding", "-fno-ident", "-frandom-seed=0", f"-ffile-prefix-map={SAMPLES}=.")
VARIANTS = {"": ("-fno-pic", "-fcommon"), "-pic": ("-fPIC", "-fno-common")}
LINK = ("-nostdlib", *FLAGS, "-Wl,--build-id=none", "-Wl,-e,both")
LINK += ("-Wl,-z,max-page-size=4096", "-Wl,-z,norelro", "-Wl,--hash-style=sysv", "-Wl,--unresolved-symbols=ignore-all")


def run(*command: str) -> None:
    """Run a command in the folder of the samples."""
    subprocess.run(command, cwd=SAMPLES, check=True)


def main() -> None:
    """Make all samples."""
    for name, (prefix, processor) in COMPILERS.items():
        gcc = (f"{prefix}-gcc", *processor)
        for variant, flags in VARIANTS.items():
            run(*gcc, *FLAGS, *flags, "-c", "count.c", "-o", f"count-{name}{variant}.o")
        run(f"{prefix}-ar", "rcsD", f"count-{name}.a", f"count-{name}.o")
        # linked elsewhere: with the relocations of its objects, and position-independent
        kit = f"../../../roms/common/kit/{name}.a"
        run(*gcc, *LINK, "-fno-pic", "-static", "-Wl,-q", "count.c", kit, "-o", f"count-{name}-relocs.elf")
        run(*gcc, *LINK, "-fPIC", "-shared", "count.c", kit, "-o", f"count-{name}-shared.elf")
        placed = "placed.elf"
        run(*gcc, *LINK, "-fno-pic", "-static", "-Wl,-N,-Ttext=0x2000", "count.c", kit, "-o", placed)
        for form in ("srec", "ihex"):
            run(f"{prefix}-objcopy", "-O", form, "-R", ".note*", "-R", ".eh_frame", placed, f"count-{name}.{form}")
        (SAMPLES / placed).unlink()
    small = ("-meabi", "-msdata=eabi", "-fno-pic", "-c", "count.c", "-o", "count-ppc-small.o")
    run("powerpc-linux-gnu-gcc", *COMPILERS["ppc"][1], *FLAGS, *small)
    run("nasm", "-f", "bin", "count.asm", "-o", "count.com")


if __name__ == "__main__":
    main()
