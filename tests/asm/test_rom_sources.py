"""The hand-written assembly among the ROM sources: our assembler makes byte for byte what GNU as makes of it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from retrosim.asm import assemble
from tests.helpers.pages import ROOT

ROMS = ROOT / "roms"
TOOLS = {  # processor -> (prefix, options)
    "m68040": ("m68k-linux-gnu", ["-m68040"]),
    "m68000": ("m68k-linux-gnu", ["-m68000"]),
    "ppc601": ("powerpc-linux-gnu", ["-mcpu=601"]),
    "i386": ("i686-linux-gnu", ["-m32"]),
    "i386-real": ("i686-linux-gnu", ["-m32"]),
}
ORIGINS = {".text.start": 0x1000, ".text": 0x2000, ".bss": 0x4000, ".data": 0x7000}
ELSEWHERE = 0x6000  # where symbols of other files are put
SOURCES = [
    ("m68040", "sectors/src/sectors_fast.S", []),
    *(("m68040", "sectors/src/sectors_period.S", defined) for defined in ([], ["PERIOD_CALLS"])),
    *(
        ("m68000", "sectors/src/sectors_period.S", ["PERIOD_68000", *more])
        for more in ([], ["PERIOD_REGISTERS"], ["PERIOD_CALLS"])
    ),
    *(
        ("ppc601", "sectors/src/sectors_period_ppc.S", defined)
        for defined in ([], ["PERIOD_CALLS"], ["PERIOD_DIVIDE"], ["PERIOD_LEVEL0"])
    ),
    ("m68000", "common/runtime/division_m68000.S", []),
    ("m68000", "common/runtime/arithmetic_m68000.S", []),
    ("m68040", "common/program/start_m68k.S", []),
    ("m68040", "common/library/start_m68k.S", []),
    ("m68000", "common/library/start_m68k.S", []),
    ("ppc601", "common/runtime/registers_ppc.S", []),
    ("m68000", "common/libc/jumps_m68k.S", []),
    ("ppc601", "common/libc/jumps_ppc.S", []),
    ("i386", "common/libc/jumps_i386.S", []),
    ("ppc601", "common/program/start_ppc.S", []),
    ("ppc601", "common/library/start_ppc.S", []),
    ("i386", "common/program/start_i386.S", []),
    ("i386", "common/library/start_i386.S", []),
    ("i386-real", "common/library/start_real.S", []),
    ("m68040", "masks/src/mask_m68k.S", []),
    ("ppc601", "masks/src/mask_ppc.S", []),
    ("i386", "masks/src/mask_i386.S", []),
    ("m68000", "bench/src/idioms_m68k.S", []),
    ("ppc601", "bench/src/idioms_ppc.S", []),
    ("i386", "bench/src/idioms_i386.S", []),
]


def run(*command: object) -> str:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout


def test_every_source_is_compared() -> None:
    """Those that others include are compared with them."""
    found = {path.relative_to(ROMS).as_posix() for path in ROMS.rglob("*.S")}
    assert found == {name for _, name, _ in SOURCES} | {"sectors/src/sectors_period_library.S"}


@pytest.mark.first_case
@pytest.mark.parametrize(("cpu", "name", "defined"), SOURCES, ids=lambda each: "-".join(each) if each else "")
def test_gnu_as_makes_the_same(cpu: str, name: str, defined: list[str], tmp_path: Path) -> None:
    prefix, options = TOOLS[cpu]
    if shutil.which(f"{prefix}-gcc") is None:
        pytest.skip(f"{prefix}-gcc (Debian: gcc-{prefix}) is not installed")
    flags = [*options, *(f"-D{each}" for each in defined)]
    built, linked, script = tmp_path / "a.o", tmp_path / "a.elf", tmp_path / "a.ld"
    run(f"{prefix}-gcc", *flags, "-c", ROMS / name, "-o", built)
    missing = [line.split()[-1] for line in run(f"{prefix}-nm", "-u", built).splitlines()]
    labels = {symbol: ELSEWHERE + 0x40 * number for number, symbol in enumerate(missing)}
    script.write_text("SECTIONS { " + " ".join(f"{s} {at:#x} : {{ *({s}) }}" for s, at in ORIGINS.items()) + " }")
    symbols = [f"--defsym={symbol}={address}" for symbol, address in labels.items()]
    run(f"{prefix}-ld", "-T", script, *symbols, "-e", "0x1000", "-o", linked, built)
    text = run(f"{prefix}-gcc", *flags, "-E", "-P", ROMS / name)
    made = assemble(text, cpu, origins=ORIGINS, labels=labels)
    sections = [section for section in made.sections if section.kind != "zeros"]
    assert sections
    for section in sections:
        path = tmp_path / "section.bin"
        run(f"{prefix}-objcopy", "-O", "binary", "-j", section.name, linked, path)
        assert section.content == path.read_bytes().rstrip(b"\0").ljust(section.bytes, b"\0"), section.name
