"""roms/common/toolchains.toml: how each image is built, and every way the file can be wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from retrosim.errors import RomError
from retrosim.rom import load_rom, load_toolchains, rom_names
from retrosim.rom.toolchains import BuildPlan, read_toolchains

SHARED = load_toolchains()
COMMON = SHARED.path.parent


def plan_of(name: str, isa: str, build: str | None = None, **changes: object) -> BuildPlan:
    rom = load_rom(name)
    info = rom.image_info(isa, build)
    return SHARED.plan(replace(rom, recipe=replace(rom.recipe, **changes)), info)


@pytest.mark.parametrize("name", rom_names())
def test_every_image_can_be_planned(name: str) -> None:
    rom = load_rom(name)
    commands = {"m68040": "m68k", "m68000": "m68k", "i286": "i686", "i386": "i686", "i486": "i686"}
    commands["ppc601"] = "powerpc"
    processors = {"i386": "-march=i386", "i486": "-march=i486", "ppc601": "-mcpu=601"}
    for info in rom.images:
        plan = SHARED.plan(rom, info)
        compiler, flags = SHARED.made_by(rom, info)
        assert plan.toolchain.command == f"{commands[info.isa]}-linux-gnu-gcc" and flags == plan.flags
        assert info.boot == "real" or processors.get(info.isa, f"-{info.isa}") in flags
        assert compiler.endswith(plan.toolchain.version)
        assert (COMMON / ("library" if rom.is_library else "program") / plan.toolchain.start).is_file()
        assert all((COMMON / "runtime" / file).is_file() for file in plan.toolchain.runtime)


def test_shared_files_lie_where_line_tables_name_them() -> None:
    assert plan_of("sectors", "m68000", "O2").start == "src/start_m68k.S"
    assert plan_of("tanks", "ppc601").start == "../sectors/src/start_ppc.S"
    assert plan_of("objects", "i386").start == "../masks/src/start_i386.S"
    assert plan_of("masks", "i486", "real").start == "src/start_real.S"
    arithmetic = ["../sectors/src/arithmetic_m68000.S", "../common/runtime/division_m68000.S"]
    assert plan_of("shapes", "m68000").runtime == ("../common/runtime/memory.c", *arithmetic)
    assert all((COMMON / place).exists() for place in SHARED.places)


def test_scripts() -> None:
    assert plan_of("objects", "i386").script == "../common/rom.ld"
    assert plan_of("shapes", "i386").script == plan_of("masks", "i386", "real", script="").script == "../common/code.ld"


def test_flags() -> None:
    """A build named after a level is compiled at it, any other at -O2 unless it says more."""
    levels = {
        build: [flag for flag in plan_of("sectors", "m68040", build).flags if flag.startswith("-O")]
        for build in ("O0", "O1", "O2", "fast", "period")
    }
    assert levels == {"O0": ["-O0"], "O1": ["-O1"], "O2": ["-O2"], "fast": ["-O2"], "period": ["-O0"]}
    assert "-fno-store-merging" in plan_of("tanks", "m68000").flags  # no words on odd addresses
    assert "-fno-store-merging" not in plan_of("sectors", "m68000").flags
    trim, gc = {"-ffunction-sections", "-fdata-sections"}, "-Wl,--gc-sections"
    for name, is_trimmed in (("tanks", True), ("sectors", False)):
        plan = plan_of(name, "i386")
        assert trim.issubset(plan.flags) == (gc in plan.link_flags) == is_trimmed
    assert plan_of("tanks", "i386", flags=("-Os", "-DX")).flags[-2:] == ("-Os", "-DX")
    assert gc not in plan_of("tanks", "i386", without=(gc,)).link_flags
    with pytest.raises(RomError, match=r"build\.without: '-x' is not among the flags in "):
        plan_of("tanks", "i386", without=("-x",))


def test_images_that_no_tool_chain_builds() -> None:
    rom = load_rom("masks")
    info = replace(rom.image_info("i386", "real"), compiler="by hand", flags=("-x",))
    assert SHARED.plan(rom, info) is None and SHARED.made_by(rom, info) == ("by hand", ("-x",))
    without_real = replace(SHARED, by_name={name: each for name, each in SHARED.by_name.items() if not each.pascal})
    with pytest.raises(RomError, match=r"no tool chain of .*toolchains\.toml is for i386 real"):
        without_real.plan(rom, rom.image_info("i386", "real"))
    assert (
        without_real.plan(rom, replace(rom.image_info("i386", "flat"), boot="flat")).toolchain.start == "start_i386.S"
    )


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("format = 1", "format = 2", "format: must be a whole number 1..1"),
        ("format = 1", "format = 1\nextra = 1", "extra: unknown key"),
        ("[flags]", "[flags]\nmore = []", "flags.more: unknown key"),
        ('"-Wall"', '"Wall"', "flags.code: 'Wall' is not allowed: an option"),
        ("\ntrim = ", "\ntrimmed = ", "flags.trim: is missing"),
        ('"isa.h" = ', '"../isa.h" = ', "places: the name '../isa.h' is not allowed"),
        ('program = "sectors/src"', 'program = "/tmp"', "places.program: '/tmp' is not allowed"),
        ('"m68k-linux-gnu-gcc"', '"../gcc"', "toolchains.m68k.command: '../gcc' is not allowed"),
        ('start = "start_m68k.S"', "", "toolchains.m68k.start: is missing"),
        ("[toolchains.m68k.isas.m68040]", "[toolchains.m68k.isas.68040]", "toolchains.m68k.isas: the name '68040'"),
        ('assembler = "NASM', 'linker = "NASM', "toolchains.real.pascal.assembler: is missing"),
    ],
)
def test_wrong_files(tmp_path: Path, old: str, new: str, reason: str) -> None:
    text = SHARED.path.read_text()
    assert old in text
    (tmp_path / "toolchains.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(RomError, match=reason):
        read_toolchains(tmp_path / "toolchains.toml")
