"""Machines by name: CPU, clock and ticks, each figure with its source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from retrosim.cpu import m68k
from retrosim.cpu.core import Cpu

MACINTOSH_TICK_HZ = Fraction(
    15_667_200, 704 * 370
)  # 60.147 Hz: pixel clock over pixels in a frame of the compact Macintosh
MACINTOSH_DISPATCH_CLOCKS = (
    65  # a Toolbox call beyond its A-line trap: dispatcher of 40-60 instructions, 50-80 clocks cached
)


# Memory of a 25 MHz 68040 Macintosh (Quadra 700: 80 ns DRAM, no interleave), in bus clocks of 40 ns: estimates from the
# parts, Apple prints none. Burst 5-2-2-2; single write 3-4; posted write to video memory 4-6. Mac OS runs copyback.
QUADRA_MEMORY = {"first_read": 5, "line_read": 11, "write": 4, "video_write": 5, "copyback": 1}


@dataclass(frozen=True)
class Preset:
    """A machine that can be chosen by name.

    name            for example "mc68040-25"
    title           what it stands for
    isa             the ROM image it runs
    cpu             -> the CPU description
    clock_hz        CPU clock
    tick_hz         timer interrupts per second, an exact ratio
    tick_level      interrupt level of the tick
    service_clocks  clocks of a service beyond the trap instruction (estimated, adjustable)
    memory          parameters of caches and bus, for models that have them (mc68040_cache.py)
    timing_revision changes whenever the same program takes other cycles
    """

    name: str
    title: str
    isa: str
    cpu: Callable[[], Cpu]
    clock_hz: int
    tick_hz: Fraction
    service_clocks: int
    tick_level: int
    spec_revision: str
    timing_revision: str
    memory: dict[str, int] = field(default_factory=dict)


MC68000_DISPATCH_CLOCKS = 450  # the same dispatcher at about 9 clocks an instruction (estimate, 360-540)


def _mc68000(name: str, title: str, clock_hz: int) -> Preset:
    return Preset(
        name=name,
        title=title,
        isa="m68000",
        cpu=lambda: m68k.cpu("MC68000"),
        clock_hz=clock_hz,
        tick_hz=MACINTOSH_TICK_HZ,
        service_clocks=MC68000_DISPATCH_CLOCKS,
        tick_level=1,
        spec_revision="m68k 1",
        timing_revision="mc68000 1",
    )


PRESETS = {
    preset.name: preset
    for preset in (
        _mc68000("mc68000-8", "8 MHz 68000, no wait states", 8_000_000),
        _mc68000("mc68000-mac", "68000 at 7.8336 MHz as in the compact Macintosh, no wait states", 7_833_600),
        Preset(
            name="mc68040-25",
            title="25 MHz 68040 Macintosh (Quadra 700 class)",
            isa="m68040",
            cpu=lambda: m68k.cpu("MC68040"),
            clock_hz=25_000_000,
            tick_hz=MACINTOSH_TICK_HZ,
            service_clocks=MACINTOSH_DISPATCH_CLOCKS,
            tick_level=1,
            spec_revision="m68k 1",
            timing_revision="mc68040 2",
            memory=QUADRA_MEMORY,
        ),
    )
}


def preset(name: str) -> Preset:
    """Return a preset. Errors: ValueError that lists the names."""
    if name not in PRESETS:
        raise ValueError(f"machine {name!r}: allowed {', '.join([*PRESETS, 'native'])}")
    return PRESETS[name]
