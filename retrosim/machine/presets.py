"""Machines by name: CPU, clock and ticks, each figure with its source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from retrosim.checks import check_choice
from retrosim.cpu import m68k, ppc, x86
from retrosim.cpu.ppc import mpc601_clocks
from retrosim.cpu.spec.cpu import Cpu

MACINTOSH_TICK_HZ = Fraction(
    15_667_200, 704 * 370
)  # 60.147 Hz: pixel clock over pixels in a frame of the compact Macintosh
PC_TICK_HZ = Fraction(14_318_180, 12 * 65536)  # 18.2065 Hz: 14.31818 MHz crystal / 12, the timer's divisor 65536
VGA_RETRACE_HZ = Fraction(25_175_000, 800 * 449)  # 70.086 Hz: dot clock over a frame of 800 x 449 dots
MAX_MEMORY_CLOCKS = 1000
MAX_SERVICE_CLOCKS = 1_000_000
MAX_TIMER_CLOCKS = 100_000_000


@dataclass(frozen=True)
class Parameter:
    """An adjustable figure of a machine.

    value             the preset's
    minimum, maximum  what it may be set to
    meaning           what it counts
    source            where the value is from
    not_below         another parameter that it must not be less than, or ""
    """

    value: int
    minimum: int
    maximum: int
    meaning: str
    source: str
    not_below: str = ""


def _service_clocks(value: int, source: str) -> Parameter:
    return Parameter(value, 0, MAX_SERVICE_CLOCKS, "CPU clocks of a service beyond its trap", source)


MACINTOSH_DISPATCH = _service_clocks(65, "estimate: Toolbox dispatcher of 40-60 instructions, 50-80 clocks cached")
MC68000_DISPATCH = _service_clocks(450, "estimate: the same dispatcher at about 9 clocks an instruction; 360-540")


def _memory_clocks(value: int, meaning: str, source: str, not_below: str = "") -> Parameter:
    return Parameter(value, 0, MAX_MEMORY_CLOCKS, f"bus clocks (40 ns) {meaning}", source, not_below)


# Apple prints no clocks an access; the memory controller of the Quadra 700 is set for 80 ns DRAM without interleave.
QUADRA_MEMORY = {
    "first_read": _memory_clocks(
        5, "until the first long word of a read is there", "estimate: 80 ns DRAM behind the controller; 5 to 6"
    ),
    "line_read": _memory_clocks(
        11,
        "of a burst that reads or writes a line",
        "estimate: page mode 5-2-2-2; 10 to 13, interleaved 8 to 10",
        not_below="first_read",
    ),
    "write": _memory_clocks(4, "of a single write", "estimate: 80 ns DRAM; 3 to 4"),
    "video_write": _memory_clocks(5, "of a write to video memory", "estimate: posted writes to VRAM; 4 to 6"),
    "copyback": Parameter(
        1, 0, 1, "mode of the data cache: 1 copyback, 0 write-through", "Mac OS 7.1 and later, 040 cache switched on"
    ),
}


PC_SERVICE = "estimate: a handler of about 20 instructions, and three accesses to the timer's ports of about 1 us each"


def _wait_states(value: int, meaning: str, source: str) -> Parameter:
    return Parameter(value, 0, MAX_MEMORY_CLOCKS, f"CPU clocks (30 ns) beyond the two of {meaning}", source)


# A board of 1993 with 64-128 KiB of write-through cache in SRAM, which holds all that small programs use.
I386_MEMORY = {
    "code": _wait_states(0, "fetching four bytes of code", "estimate: hit in the board's cache; 0 to 1, misses 4 to 8"),
    "read": _wait_states(0, "reading an operand", "estimate: hit in the board's cache; 0 to 1, misses 4 to 8"),
    "write": _wait_states(1, "a write", "estimate: into a buffer for one, which DRAM empties in 4 to 8; 0 to 4"),
    "video_read": _wait_states(22, "reading video memory", "estimate: as writing, at least: cards read slower"),
    "video_write": _wait_states(22, "writing video memory", "estimate: 16-bit ISA card, 2 x 360 ns a double word"),
}


def _dx2_clocks(value: int, meaning: str, source: str, not_below: str = "") -> Parameter:
    meaning = f"CPU clocks (15 ns, two a bus clock) {meaning}"
    return Parameter(value, 0, MAX_MEMORY_CLOCKS, meaning, source, not_below)


# A VESA local bus board of 1994 with 256 KiB of second-level cache.
I486_MEMORY = {
    "first_read": _dx2_clocks(
        4, "until the first double word of a line is there", "estimate: second-level hit 2-1-1-1; DRAM 5-2-2-2 is 10"
    ),
    "line_read": _dx2_clocks(
        10, "until a whole line is there", "estimate: second-level hit 2-1-1-1; DRAM 22", not_below="first_read"
    ),
    "write": _dx2_clocks(4, "of a write", "estimate: 2 bus clocks into the second-level cache or a buffer"),
    "video_read": _dx2_clocks(8, "of reading video memory", "estimate: local bus card, as writing at its slowest"),
    "video_write": _dx2_clocks(6, "of writing video memory", "estimate: local bus card, posted; 2 to 4 bus clocks"),
}


POWERPC_GLUE = _service_clocks(25, "estimate: a cross-TOC call through library glue, 20-30 clocks; sc is 16 more")

_601_MAXIMA = {"l2": 1, "timer": MAX_TIMER_CLOCKS}
_601_NOT_BELOW = {"sector_read": "first_read", "l2_sector": "l2_first"}
# The second-level cache and the DRAM of a Power Macintosh 8100/80.
PPC601_MEMORY = {
    each.name: Parameter(
        each.clocks,
        0,
        _601_MAXIMA.get(each.name, MAX_MEMORY_CLOCKS),
        each.meaning if each.name in _601_MAXIMA else f"CPU clocks (12.5 ns): {each.meaning}",
        f"{each.confidence}: {each.source}",
        _601_NOT_BELOW.get(each.name, ""),
    )
    for each in mpc601_clocks.memory_parameters()
}


@dataclass(frozen=True)
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
    service: Parameter
    tick_level: int
    spec_revision: str
    timing_revision: str
    memory: dict[str, Parameter] = field(default_factory=dict)
    frame_period: str = "tick"

    def cpu(self, boot: str = "") -> Cpu:
        """Return the CPU as it starts an image."""
        return self.cpus[boot or next(iter(self.cpus))]()

    @property
    def service_clocks(self) -> int:
        return self.service.value

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Everything adjustable, by name."""
        return {"service_clocks": self.service, **self.memory}


def _pc(part: str, name: str, title: str, clock_hz: int, memory: dict[str, Parameter], service_clocks: int) -> Preset:
    return Preset(
        name=name,
        title=title,
        isa=part,
        cpus={"flat": lambda: x86.cpu(f"{part}_flat"), "real": lambda: x86.cpu(f"{part}_real", unreal=True)},
        clock_hz=clock_hz,
        tick_hz=PC_TICK_HZ,
        frame_hz=VGA_RETRACE_HZ,
        frame_period="retrace",
        service=_service_clocks(service_clocks, PC_SERVICE),
        tick_level=1,
        spec_revision="x86 3",
        timing_revision=f"{part} 2",
        memory=memory,
    )


def _mc68000(name: str, title: str, clock_hz: int) -> Preset:
    return Preset(
        name=name,
        title=title,
        isa="m68000",
        cpus={"": lambda: m68k.cpu("MC68000")},
        clock_hz=clock_hz,
        tick_hz=MACINTOSH_TICK_HZ,
        frame_hz=MACINTOSH_TICK_HZ,
        service=MC68000_DISPATCH,
        tick_level=1,
        spec_revision="m68k 3",
        timing_revision="mc68000 2",
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
            cpus={"": lambda: m68k.cpu("MC68040")},
            clock_hz=25_000_000,
            tick_hz=MACINTOSH_TICK_HZ,
            frame_hz=MACINTOSH_TICK_HZ,
            service=MACINTOSH_DISPATCH,
            tick_level=1,
            spec_revision="m68k 3",
            timing_revision="mc68040 3",
            memory=QUADRA_MEMORY,
        ),
        Preset(
            name="ppc601-80",
            title="80 MHz PowerPC 601 Macintosh (Power Macintosh 8100/80 class)",
            isa="ppc601",
            cpus={"": lambda: ppc.cpu("MPC601")},
            clock_hz=80_000_000,
            tick_hz=MACINTOSH_TICK_HZ,
            frame_hz=MACINTOSH_TICK_HZ,
            service=POWERPC_GLUE,
            tick_level=1,
            spec_revision="ppc 2",
            timing_revision="mpc601 1",
            memory=PPC601_MEMORY,
        ),
        _pc("i386", "i386dx-33", "33 MHz 386DX PC, cache on the board, ISA video", 33_000_000, I386_MEMORY, 180),
        _pc("i486", "i486dx2-66", "66 MHz 486DX2 PC, VESA local bus video", 66_000_000, I486_MEMORY, 240),
    )
}

NATIVE = "native"
MACHINE_NAMES = (*PRESETS, NATIVE)


def preset(name: str) -> Preset:
    """Return a preset. Errors: ValueError that lists the names."""
    check_choice("machine", name, MACHINE_NAMES)
    return PRESETS[name]
