"""What surrounds a CPU: services, caches, memory and video of each board, as clocks that can be adjusted.

Each figure has its source, and an estimate the range that is plausible. What a board does in nanoseconds is given in
nanoseconds, so that it follows the clock.
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
class BoardParameter:
    """An adjustable figure of a machine.

    value             the preset's
    low, high         what it plausibly is on such a machine; the value where it is certain
    minimum, maximum  what it may be set to
    meaning           what it counts
    source            where the value and the range are from
    confidence        a word of `cpu.spec.confidence`
    not_below         another parameter that it must not be less than, or ""
    """

    value: int
    low: int
    high: int
    minimum: int
    maximum: int
    meaning: str
    source: str
    confidence: str
    not_below: str = ""


def _clocks_in(nanoseconds: int, clock_hz: int) -> int:
    """Return the clocks that begin in a time."""
    return -(-nanoseconds * clock_hz // 1_000_000_000)


def _period(clock_hz: int) -> str:
    return f"{1e9 / clock_hz:.3g} ns"


def _service(value: int, low: int, high: int, source: str) -> BoardParameter:
    meaning = "CPU clocks of a service beyond its trap"
    return BoardParameter(value, low, high, 0, MAX_SERVICE_CLOCKS, meaning, source, "estimated")


MC68000_DISPATCH = _service(450, 360, 540, "Toolbox dispatcher of 40-60 instructions at about 9 clocks each")
MC68040_DISPATCH = _service(65, 50, 80, "Toolbox dispatcher of 40-60 instructions, cached")
POWERPC_GLUE = _service(25, 20, 30, "a cross-TOC call through library glue, 20-30 clocks; sc is 16 more")

PORT_NS = (720, 1000, 1440)  # an access to an 8-bit port of the ISA bus: 6 bus clocks of 120 ns, about 8, 12


def pc_service(clock_hz: int, handler_clocks: int) -> BoardParameter:
    """Return the clocks of a service on a PC. `handler_clocks`: of the handler, without its accesses to ports."""
    source = "a handler of 15-25 instructions, and three accesses to timer ports: about 1 us each, 6-12 bus clocks"
    handlers = (handler_clocks * 3 // 4, handler_clocks, handler_clocks * 5 // 4)
    low, value, high = (clocks + _clocks_in(3 * ns, clock_hz) for clocks, ns in zip(handlers, PORT_NS))
    return _service(value, low, high, source)


def _clocks(
    unit: str,
    values: tuple[int, int, int],
    meaning: str,
    source: str,
    confidence: str = "estimated",
    not_below: str = "",
) -> BoardParameter:
    """Return a parameter of the memory. `values`: the least plausible, the preset's, the most plausible."""
    low, value, high = values
    return BoardParameter(value, low, high, 0, MAX_MEMORY_CLOCKS, f"{unit} {meaning}", source, confidence, not_below)


def quadra_700(clock_hz: int) -> dict[str, BoardParameter]:
    """Return the memory of a Quadra 700: DRAM of 80 ns without interleave, whose clocks an access Apple does not print.

    clock_hz  of the bus, which is the CPU's
    """
    unit = f"bus clocks ({_period(clock_hz)})"
    copyback = "mode of the data cache: 1 copyback, 0 write-through"
    return {
        "first_read": _clocks(
            unit, (5, 5, 6), "until the first long word of a read has arrived", "80 ns DRAM behind the controller"
        ),
        "line_read": _clocks(
            unit,
            (10, 11, 13),
            "of a burst that reads or writes a line",
            "page mode 5-2-2-2; 6-2-2-3 at most; interleaved, as the Quadra 700 is not, 8 to 10",
            not_below="first_read",
        ),
        "write": _clocks(unit, (3, 4, 4), "of a single write", "80 ns DRAM; 3 where the page is open"),
        "video_write": _clocks(unit, (4, 5, 6), "of a write to video memory", "posted writes to VRAM"),
        "copyback": BoardParameter(1, 1, 1, 0, 1, copyback, "Mac OS 7.1 and later, 040 cache switched on", "recalled"),
    }


def at_board(clock_hz: int) -> dict[str, BoardParameter]:
    """Return the memory of an AT-class PC of about 1990: DRAM without a cache, 16-bit ISA video.

    clock_hz  of the CPU; two clocks of each access are the CPU's own
    """
    unit = f"CPU clocks ({_period(clock_hz)}) beyond the two of"
    low, value, high = (max(0, _clocks_in(ns, clock_hz) - 2) for ns in (240, 360, 600))
    dram = "DRAM of 100 ns: one wait state; none where it is interleaved or in page mode"
    card = "16-bit ISA card, 360 ns a word: 3 bus clocks, 2 without a wait state, 5 with two more"
    return {
        "code": _clocks(unit, (0, 1, 1), "fetching two bytes of code", dram),
        "read": _clocks(unit, (0, 1, 1), "reading a word of an operand", dram),
        "write": _clocks(unit, (0, 1, 1), "writing a word", dram),
        "video_read": _clocks(unit, (low, value, high), "reading video memory", "as writing; cards read no faster"),
        "video_write": _clocks(unit, (low, value, high), "writing video memory", card),
    }


def cached_isa_board(clock_hz: int) -> dict[str, BoardParameter]:
    """Return the memory of a PC of 1993: 64-128 KiB of write-through cache, which holds small programs; ISA video.

    clock_hz  of the CPU; two clocks of each access are the CPU's own
    """
    unit = f"CPU clocks ({_period(clock_hz)}) beyond the two of"
    low, value, high = (max(0, _clocks_in(2 * ns, clock_hz) - 2) for ns in (240, 360, 600))
    video = (low, value, high)
    hit = "hit in the board's cache, 0 to 1 by its SRAM; misses of 4 to 8 are rare in small programs"
    card = "16-bit ISA card, 2 x 360 ns a double word: 3 bus clocks, 2 without a wait state, 5 with two more"
    return {
        "code": _clocks(unit, (0, 0, 1), "fetching four bytes of code", hit),
        "read": _clocks(unit, (0, 0, 1), "reading an operand", hit),
        "write": _clocks(unit, (0, 1, 4), "a write", "into a one-write buffer, emptied into DRAM in 4 to 8"),
        "video_read": _clocks(unit, video, "reading video memory", "as writing; cards read no faster"),
        "video_write": _clocks(unit, video, "writing video memory", card),
    }


def local_bus_board(clock_hz: int, multiplier: int) -> dict[str, BoardParameter]:
    """Return the memory of a PC of 1994 with 256 KiB of second-level cache and VESA local bus video.

    clock_hz    of the CPU
    multiplier  CPU clocks to a bus clock
    """
    unit = f"CPU clocks ({_period(clock_hz)}, {multiplier} to a bus clock)"
    cache = "second-level hit 2-1-1-1 bus clocks, 3-2-2-2 with slow SRAM; DRAM 5-2-2-2, rare in small programs"

    def bus(low: int, value: int, high: int) -> tuple[int, int, int]:
        return low * multiplier, value * multiplier, high * multiplier

    return {
        "first_read": _clocks(unit, bus(2, 2, 3), "until the first double word of a line has arrived", cache),
        "line_read": _clocks(unit, bus(5, 5, 9), "until a whole line has arrived", cache, not_below="first_read"),
        "write": _clocks(
            unit, bus(2, 2, 3), "of a write", "2 bus clocks into the second-level cache or a buffer, 3 with slow SRAM"
        ),
        "video_read": _clocks(
            unit, bus(4, 4, 8), "of reading video memory", "local bus card, as its slowest write, twice that at most"
        ),
        "video_write": _clocks(
            unit, bus(2, 3, 4), "of writing video memory", "local bus card, posted; 2 to 4 bus clocks"
        ),
    }


def power_macintosh(
    clock_hz: int, figures: Iterable[tuple[str, tuple[int, int, int], str, str, str]]
) -> dict[str, BoardParameter]:
    """Return the second-level cache and the DRAM of a Power Macintosh 8100/80, and its timer.

    clock_hz  of the CPU; the bus has half of it
    figures   name; the least plausible, the preset's, the most plausible clocks; meaning, source, confidence
    """
    unit, not_below = f"CPU clocks ({_period(clock_hz)}):", {"sector_read": "first_read", "l2_sector": "l2_first"}
    memory = {
        name: _clocks(unit, clocks, meaning, source, confidence, not_below.get(name, ""))
        for name, clocks, meaning, source, confidence in figures
    }
    memory["l2"] = replace(memory["l2"], maximum=1, meaning=memory["l2"].meaning.removeprefix(f"{unit} "))
    periods = round(TIMER_PERIODS * clock_hz / MACINTOSH_CLOCK_HZ)
    memory["timer"] = replace(
        memory["timer"],
        value=periods,
        low=periods,
        high=periods,
        maximum=MAX_TIMER_CLOCKS,
        meaning=f"CPU clocks of {TIMER_PERIODS} periods of the {MACINTOSH_CLOCK_HZ / 1e6:g} MHz timer",
    )
    return memory
