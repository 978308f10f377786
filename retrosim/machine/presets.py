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
MOST_MEMORY_CLOCKS = 1000
MOST_SERVICE_CLOCKS = 1_000_000


@dataclass(frozen=True)
class Parameter:
    """An adjustable figure of a machine.

    value             the preset's
    minimum, maximum  what it may be set to
    meaning           what it counts
    source            where the value is from
    """

    value: int
    minimum: int
    maximum: int
    meaning: str
    source: str


def _service_clocks(value: int, source: str) -> Parameter:
    return Parameter(value, 0, MOST_SERVICE_CLOCKS, "CPU clocks of a service beyond its trap", source)


MACINTOSH_DISPATCH = _service_clocks(65, "estimate: Toolbox dispatcher of 40-60 instructions, 50-80 clocks cached")
MC68000_DISPATCH = _service_clocks(450, "estimate: the same dispatcher at about 9 clocks an instruction; 360-540")


def _memory_clocks(value: int, meaning: str, source: str) -> Parameter:
    return Parameter(value, 0, MOST_MEMORY_CLOCKS, f"bus clocks (40 ns) {meaning}", source)


# Apple prints no clocks an access; the memory controller of the Quadra 700 is set for 80 ns DRAM without interleave.
QUADRA_MEMORY = {
    "first_read": _memory_clocks(
        5, "until the first long word of a read is there", "estimate: 80 ns DRAM behind the controller; 5 to 6"
    ),
    "line_read": _memory_clocks(
        11, "of a burst that reads or writes a line", "estimate: page mode 5-2-2-2; 10 to 13, interleaved 8 to 10"
    ),
    "write": _memory_clocks(4, "of a single write", "estimate: 80 ns DRAM; 3 to 4"),
    "video_write": _memory_clocks(5, "of a write to video memory", "estimate: posted writes to VRAM; 4 to 6"),
    "copyback": Parameter(
        1, 0, 1, "mode of the data cache: 1 copyback, 0 write-through", "Mac OS 7.1 and later, 040 cache switched on"
    ),
}


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
    service         clocks of a service beyond the trap instruction
    memory          parameters of caches and bus by name, for models that have them (mc68040_cache.MEMORY)
    timing_revision changes whenever the same program takes other cycles
    """

    name: str
    title: str
    isa: str
    cpu: Callable[[], Cpu]
    clock_hz: int
    tick_hz: Fraction
    service: Parameter
    tick_level: int
    spec_revision: str
    timing_revision: str
    memory: dict[str, Parameter] = field(default_factory=dict)

    @property
    def service_clocks(self) -> int:
        return self.service.value

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Everything adjustable, by name."""
        return {"service_clocks": self.service, **self.memory}



def _mc68000(name: str, title: str, clock_hz: int) -> Preset:
    return Preset(
        name=name,
        title=title,
        isa="m68000",
        cpu=lambda: m68k.cpu("MC68000"),
        clock_hz=clock_hz,
        tick_hz=MACINTOSH_TICK_HZ,
        service=MC68000_DISPATCH,
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
            service=MACINTOSH_DISPATCH,
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
