"""What surrounds a CPU: services, caches, memory and video of each board, as clocks that can be adjusted.

Each figure has its source. What a board does in nanoseconds is given in nanoseconds, so that it follows the clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

MAX_MEMORY_CLOCKS = 1000
MAX_SERVICE_CLOCKS = 1_000_000
MAX_TIMER_CLOCKS = 100_000_000
TIMER_PERIODS = 100_000
MACINTOSH_CLOCK_HZ = 7_833_600  # of the compact Macintosh, and of the timer of the Power Macintosh


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


def _clocks_in(nanoseconds: int, clock_hz: int) -> int:
    """Return the clocks that begin in a time."""
    return -(-nanoseconds * clock_hz // 1_000_000_000)


def _period(clock_hz: int) -> str:
    return f"{1e9 / clock_hz:.3g} ns"


def _service(value: int, source: str) -> Parameter:
    return Parameter(value, 0, MAX_SERVICE_CLOCKS, "CPU clocks of a service beyond its trap", source)


MC68000_DISPATCH = _service(450, "estimate: Toolbox dispatcher of 40-60 instructions at about 9 clocks each; 360-540")
MC68040_DISPATCH = _service(65, "estimate: Toolbox dispatcher of 40-60 instructions, 50-80 clocks cached")
POWERPC_GLUE = _service(25, "estimate: a cross-TOC call through library glue, 20-30 clocks; sc is 16 more")


def pc_service(clock_hz: int, handler_clocks: int) -> Parameter:
    """Return the clocks of a service on a PC. `handler_clocks`: of the handler, without its accesses to ports."""
    source = "estimate: a handler of about 20 instructions, and three accesses to the timer's ports of about 1 us each"
    return _service(handler_clocks + _clocks_in(3000, clock_hz), source)


def _clocks(unit: str, value: int, meaning: str, source: str, not_below: str = "") -> Parameter:
    return Parameter(value, 0, MAX_MEMORY_CLOCKS, f"{unit} {meaning}", source, not_below)


def quadra_700(clock_hz: int) -> dict[str, Parameter]:
    """Return the memory of a Quadra 700: DRAM of 80 ns without interleave, whose clocks an access Apple does not print.

    clock_hz  of the bus, which is the CPU's
    """
    unit = f"bus clocks ({_period(clock_hz)})"
    copyback = "mode of the data cache: 1 copyback, 0 write-through"
    return {
        "first_read": _clocks(
            unit,
            5,
            "until the first long word of a read has arrived",
            "estimate: 80 ns DRAM behind the controller; 5 to 6",
        ),
        "line_read": _clocks(
            unit,
            11,
            "of a burst that reads or writes a line",
            "estimate: page mode 5-2-2-2; 10 to 13, interleaved 8 to 10",
            not_below="first_read",
        ),
        "write": _clocks(unit, 4, "of a single write", "estimate: 80 ns DRAM; 3 to 4"),
        "video_write": _clocks(unit, 5, "of a write to video memory", "estimate: posted writes to VRAM; 4 to 6"),
        "copyback": Parameter(1, 0, 1, copyback, "Mac OS 7.1 and later, 040 cache switched on"),
    }


def cached_isa_board(clock_hz: int) -> dict[str, Parameter]:
    """Return the memory of a PC of 1993: 64-128 KiB of write-through cache, which holds small programs; ISA video.

    clock_hz  of the CPU; two clocks of each access are the CPU's own
    """
    unit, video = f"CPU clocks ({_period(clock_hz)}) beyond the two of", max(0, _clocks_in(2 * 360, clock_hz) - 2)
    hit = "estimate: hit in the board's cache; 0 to 1, misses 4 to 8"
    return {
        "code": _clocks(unit, 0, "fetching four bytes of code", hit),
        "read": _clocks(unit, 0, "reading an operand", hit),
        "write": _clocks(unit, 1, "a write", "estimate: into a one-write buffer, emptied into DRAM in 4 to 8; 0 to 4"),
        "video_read": _clocks(unit, video, "reading video memory", "estimate: as writing; cards read no faster"),
        "video_write": _clocks(
            unit, video, "writing video memory", "estimate: 16-bit ISA card, 2 x 360 ns a double word"
        ),
    }


def local_bus_board(clock_hz: int, multiplier: int) -> dict[str, Parameter]:
    """Return the memory of a PC of 1994 with 256 KiB of second-level cache and VESA local bus video.

    clock_hz    of the CPU
    multiplier  CPU clocks to a bus clock
    """
    unit = f"CPU clocks ({_period(clock_hz)}, {multiplier} to a bus clock)"
    return {
        "first_read": _clocks(
            unit,
            2 * multiplier,
            "until the first double word of a line has arrived",
            "estimate: second-level hit 2-1-1-1 bus clocks; DRAM 5-2-2-2",
        ),
        "line_read": _clocks(
            unit,
            5 * multiplier,
            "until a whole line has arrived",
            "estimate: second-level hit 2-1-1-1 bus clocks; DRAM 5-2-2-2",
            not_below="first_read",
        ),
        "write": _clocks(
            unit, 2 * multiplier, "of a write", "estimate: 2 bus clocks into the second-level cache or a buffer"
        ),
        "video_read": _clocks(
            unit, 4 * multiplier, "of reading video memory", "estimate: local bus card, as its slowest write"
        ),
        "video_write": _clocks(
            unit, 3 * multiplier, "of writing video memory", "estimate: local bus card, posted; 2 to 4 bus clocks"
        ),
    }


def power_macintosh(clock_hz: int, figures: Iterable[tuple[str, int, str, str]]) -> dict[str, Parameter]:
    """Return the second-level cache and the DRAM of a Power Macintosh 8100/80, and its timer.

    clock_hz  of the CPU; the bus has half of it
    figures   name, clocks, meaning, source of each parameter, as the CPU's tables have them
    """
    unit, not_below = f"CPU clocks ({_period(clock_hz)}):", {"sector_read": "first_read", "l2_sector": "l2_first"}
    memory = {
        name: _clocks(unit, clocks, meaning, source, not_below.get(name, ""))
        for name, clocks, meaning, source in figures
    }
    memory["l2"] = replace(memory["l2"], maximum=1, meaning=memory["l2"].meaning.removeprefix(f"{unit} "))
    memory["timer"] = replace(
        memory["timer"],
        value=round(TIMER_PERIODS * clock_hz / MACINTOSH_CLOCK_HZ),
        maximum=MAX_TIMER_CLOCKS,
        meaning=f"CPU clocks of {TIMER_PERIODS} periods of the {MACINTOSH_CLOCK_HZ / 1e6:g} MHz timer",
    )
    return memory
