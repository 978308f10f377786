"""Machines by name: CPU, clock and ticks, each figure with its source; and checks of what is changed of them.

A new machine is one row of PRESETS; what is around its CPU is described in `boards`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

from retrosim.checks import check_choice, check_integer, did_you_mean
from retrosim.cpu import m68k, ppc, x86
from retrosim.cpu.ppc import mpc601_clocks
from retrosim.cpu.spec.cpu import Cpu

from . import boards
from .boards import BoardParameter
from .choices import NATIVE

MACINTOSH_TICK_HZ = Fraction(2 * boards.MACINTOSH_CLOCK_HZ, 704 * 370)
"""60.147 Hz: pixel clock over pixels in a frame of the compact Macintosh."""
PC_TICK_HZ = Fraction(14_318_180, 12 * 65536)
"""18.2065 Hz: 14.31818 MHz crystal / 12, the timer's divisor 65536."""
VGA_RETRACE_HZ = Fraction(25_175_000, 800 * 449)
"""70.086 Hz: dot clock over a frame of 800 x 449 dots."""
# changes whenever the same program takes other clocks
PC_TIMING = {"i286": "i286 3", "i386": "i386 3", "i486": "i486 5"}
M68K_SPEC = "m68k 4"  # changes whenever the same program does something else


@dataclass(frozen=True, repr=False)
class Preset:
    """A machine that can be chosen by name.

    name            for example "mc68040-25"
    title           what it stands for
    isa             the ROM image it runs
    cpus            what an image may start in -> the CPU description; the first is what unmarked ones start in
    clock_hz        CPU clock
    tick_hz         timer interrupts per second, an exact ratio
    frame_hz        frames per second at most, an exact ratio: the clock that the end of a frame is waited for
    frame_period    what a period of that clock is called
    tick_level      interrupt level of the tick
    service         clocks of a service beyond the trap instruction
    memory          parameters of caches and bus by name, for models that have them: the state field of that name
    timing_revision changes whenever the same program takes other cycles
    """

    name: str
    title: str
    isa: str
    cpus: dict[str, Callable[[], Cpu]]
    clock_hz: int
    tick_hz: Fraction
    frame_hz: Fraction
    service: BoardParameter
    spec_revision: str
    timing_revision: str
    memory: dict[str, BoardParameter] = field(default_factory=dict)
    frame_period: str = "tick"
    tick_level: int = 1

    def __repr__(self) -> str:
        return f"<Preset {self.name}: {self.title}>"

    def cpu(self, boot: str = "") -> Cpu:
        """Return the CPU as it starts an image."""
        return self.cpus[boot or next(iter(self.cpus))]()

    @property
    def service_clocks(self) -> int:
        return self.service.value

    @property
    def parameters(self) -> dict[str, BoardParameter]:
        """Everything adjustable, by name."""
        return {"service_clocks": self.service, **self.memory}


def _mc68000(name: str, title: str, clock_hz: int) -> Preset:
    return Preset(
        name=name,
        title=title,
        isa="m68000",
        cpus={"": partial(m68k.cpu, "MC68000")},
        clock_hz=clock_hz,
        tick_hz=MACINTOSH_TICK_HZ,
        frame_hz=MACINTOSH_TICK_HZ,
        service=boards.MC68000_DISPATCH,
        spec_revision=M68K_SPEC,
        timing_revision="mc68000 2",
    )


def _mc68040(name: str, title: str, clock_hz: int) -> Preset:
    return Preset(
        name=name,
        title=title,
        isa="m68040",
        cpus={"": partial(m68k.cpu, "MC68040")},
        clock_hz=clock_hz,
        tick_hz=MACINTOSH_TICK_HZ,
        frame_hz=MACINTOSH_TICK_HZ,
        service=boards.MC68040_DISPATCH,
        spec_revision=M68K_SPEC,
        timing_revision="mc68040 5",
        memory=boards.quadra_700(clock_hz),
    )


def _mpc601(name: str, title: str, clock_hz: int) -> Preset:
    figures = [
        (each.name, (each.low, each.clocks, each.high), each.meaning, each.source, each.confidence)
        for each in mpc601_clocks.memory_parameters()
    ]
    return Preset(
        name=name,
        title=title,
        isa="ppc601",
        cpus={"": partial(ppc.cpu, "MPC601")},
        clock_hz=clock_hz,
        tick_hz=MACINTOSH_TICK_HZ,
        frame_hz=MACINTOSH_TICK_HZ,
        service=boards.POWERPC_GLUE,
        spec_revision="ppc 3",
        timing_revision="mpc601 5",
        memory=boards.power_macintosh(clock_hz, figures),
    )


def _pc(
    part: str, name: str, title: str, clock_hz: int, service: BoardParameter, memory: dict[str, BoardParameter]
) -> Preset:
    cpus: dict[str, Callable[[], Cpu]] = {"real": partial(x86.cpu, f"{part}_real")}
    if f"{part}_flat" in x86.MODEL_NAMES:
        real = partial(x86.cpu, f"{part}_real", unreal=True)
        cpus = {"flat": partial(x86.cpu, f"{part}_flat"), "real": real}
    return Preset(
        name=name,
        title=title,
        isa=part,
        cpus=cpus,
        clock_hz=clock_hz,
        tick_hz=PC_TICK_HZ,
        frame_hz=VGA_RETRACE_HZ,
        frame_period="retrace",
        service=service,
        spec_revision="x86 4",
        timing_revision=PC_TIMING[part],
        memory=memory,
    )


def _i286(name: str, title: str, clock_hz: int) -> Preset:
    return _pc("i286", name, title, clock_hz, boards.pc_service(clock_hz, 110), boards.at_board(clock_hz))


def _i386(name: str, title: str, clock_hz: int) -> Preset:
    return _pc("i386", name, title, clock_hz, boards.pc_service(clock_hz, 81), boards.cached_isa_board(clock_hz))


def _i486(name: str, title: str, clock_hz: int, multiplier: int = 1) -> Preset:
    """Return a PC. `multiplier`: CPU clocks to a bus clock."""
    memory = boards.local_bus_board(clock_hz, multiplier)
    return _pc("i486", name, title, clock_hz, boards.pc_service(clock_hz, 42), memory)


PRESETS = {
    preset.name: preset
    for preset in (
        _mc68000("mc68000-8", "8 MHz 68000, no wait states", 8_000_000),
        _mc68000("mc68000-mac", "68000 at 7.8336 MHz as in the compact Macintosh, no wait states", 7_833_600),
        _mc68040("mc68040-25", "25 MHz 68040 Macintosh (Quadra 700 class)", 25_000_000),
        _mpc601("ppc601-80", "80 MHz PowerPC 601 Macintosh (Power Macintosh 8100/80 class)", 80_000_000),
        _i286("i80286-12", "12 MHz 80286 PC, AT class, one wait state, ISA video; real mode", 12_000_000),
        _i386("i386dx-33", "33 MHz 386DX PC, cache on the board, ISA video", 33_000_000),
        _i486("i486dx2-66", "66 MHz 486DX2 PC, VESA local bus video", 66_000_000, multiplier=2),
    )
}

MACHINE_NAMES = (*PRESETS, NATIVE)


def machines_for(isas: Collection[str]) -> list[str]:
    """Return the machines that run images for some ISAs."""
    return [name for name, each in PRESETS.items() if each.isa in isas]


def preset(name: str) -> Preset:
    """Return a preset. Errors: ValueError that lists the names."""
    check_choice("machine", name, PRESETS)
    return PRESETS[name]


def chosen_service_clocks(preset: Preset, given: int | None) -> int:
    """Return the clocks of a service. Errors: ValueError."""
    each = preset.service
    return each.value if given is None else check_integer("service_clocks", given, each.minimum, each.maximum)


def memory_parameters(preset: Preset, given: Mapping[str, int] | None) -> dict[str, int]:
    """Return the parameters of caches and bus, those given in place of the preset's. Errors: ValueError."""
    known = preset.memory
    values = {name: each.value for name, each in known.items()}
    for name, value in (given or {}).items():
        if name not in known:
            ranges = ", ".join(f"{each} {p.minimum}..{p.maximum}" for each, p in known.items())
            allowed = f"{ranges or f'none on {preset.name}'}{did_you_mean(name, known)}"
            raise ValueError(f"memory parameter {name!r}: allowed {allowed}")
        values[name] = check_integer(name, value, known[name].minimum, known[name].maximum)
    for name, each in known.items():
        if each.not_below:
            below, minimum = each.not_below, values[each.not_below]
            if values[name] < minimum:
                raise ValueError(f"{name} {values[name]}: allowed {minimum}..{each.maximum} with {below} {minimum}")
    return values


def revision(preset: Preset, timing: str, services: int, memory: Mapping[str, int], readings: Mapping[str, str]) -> str:
    """Return everything that the clocks of a program depend on, as saved states and tapes name it.

    services  clocks of a service
    memory    parameters of caches and bus
    readings  reading -> option, those that are not the default
    """
    clocks = "-".join(str(each) for each in memory.values())
    parts = [preset.timing_revision, timing, f"services {services}", clocks]
    return " ".join([part for part in parts if part] + [f"{name}={option}" for name, option in readings.items()])


def changed_memory(preset: Preset, values: Mapping[str, int]) -> dict[str, int]:
    """Return those of the parameters of caches and bus that are not the preset's."""
    return {name: value for name, value in values.items() if value != preset.memory[name].value}
