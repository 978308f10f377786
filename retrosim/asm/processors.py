"""Names of processors as users give them, and the assembler of each."""

from __future__ import annotations

from retrosim.checks import check_choice
from retrosim.cpu.assembly.assembler import InstructionAssembler
from retrosim.machine.presets import PRESETS, Preset
from retrosim.rom.image import family_of

FLAT, REAL = "flat", "real"
BITS = {REAL: 16, FLAT: 32}
_OF_ISA: dict[str, Preset] = {preset.isa: preset for preset in PRESETS.values()}
CPU_NAMES = (*_OF_ISA, *(f"{isa}-{REAL}" for isa in _OF_ISA if REAL in family_of(isa).boots_of(isa)), *PRESETS)
_ALSO = {
    "68000": "m68000", "mc68000": "m68000", "68040": "m68040", "mc68040": "m68040", "601": "ppc601", "mpc601": "ppc601",
    "286": "i286", "80286": "i286", "386": "i386", "80386": "i386", "486": "i486", "80486": "i486",
}  # fmt: skip
"""What people also call a processor, in any case of the letters."""


def plain_name(name: str) -> str:
    """Return our name for what people also call a processor; any other name as it is."""
    return _ALSO.get(name.lower(), name)


def known_cpu(name: str) -> str:
    """Return the name that CPU_NAMES has for a processor or a machine. Errors: ValueError for an unknown one."""
    cpu = plain_name(name)
    check_choice("cpu", cpu, CPU_NAMES)
    return cpu


def preset_of_cpu(cpu: str) -> tuple[Preset, str]:
    """Return the first machine with a processor of CPU_NAMES, and the mode that the name says, "" for none."""
    isa, _, mode = (PRESETS[cpu].isa, "", "") if cpu in PRESETS else cpu.partition("-")
    return _OF_ISA[isa], mode


def isa_of_cpu(name: str) -> str:
    """Return the instruction set of a processor or a machine. Errors: ValueError for an unknown one."""
    return preset_of_cpu(known_cpu(name))[0].isa


_CACHE: dict[tuple[str, str], InstructionAssembler] = {}


def assembler_of(preset: str, boot: str) -> InstructionAssembler:
    """Return the assembler of a machine's processor, made once."""
    if (preset, boot) not in _CACHE:
        _CACHE[preset, boot] = InstructionAssembler(PRESETS[preset].cpu(boot).table)
    return _CACHE[preset, boot]
