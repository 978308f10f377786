"""What one call of a routine costs, and which of its instructions, lines and functions the clocks go to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from retrosim.checks import did_you_mean
from retrosim.errors import RetrosimError, RomError
from retrosim.machine import Machine, memory
from retrosim.machine.choices import MAX_STEPPED, NO_REGISTERS, WARM_CALLS
from retrosim.reading import read_file
from retrosim.rom import Image
from retrosim.rom.symbols import SOME_NAMES

from .counting import Counted, Progress, SteppingCounter
from .report import CacheCounts, CalledRoutine, CallTotals, CostReport, breakdown_of, clocks_of, origin_of, timing_of
from .routines import routines
from .unset import FirstReads, result_registers, unset_registers

MAX_FILE_BYTES = 8 << 20  # all RAM
STACK_BYTES = 0x10000  # kept free below the stack pointer that a user's program starts with


def cost_report(
    machine: Machine,
    symbol: str | int,
    *arguments: int | str,
    warm: int = WARM_CALLS,
    interval: bool = True,
    convention: str = "c",
    registers: Mapping[str, int | str] = NO_REGISTERS,
    max_instructions: int = MAX_STEPPED,
    progress: Progress = lambda done, total, text: None,
    sources: Sequence[Path] = (),
    program: str = "",
    command: str = "",
) -> CostReport:
    """Call a routine as a whole and once more instruction by instruction; return what it cost.

    The clocks of an instruction are those between its predecessor's end and its own. In a pipeline several are under
    way at once, so clocks in which an earlier instruction is still under way are the earlier one's, and a wait is
    charged to the instruction that waits, not to the one that causes it. The machine is left as it was.

    machine    simulated, with timing "table", "full" or "causes"; memory as it is now
    symbol     name or address of the routine
    arguments  words of 32 bits, in real mode of 16 bits; negative ones as those bits; addresses as symbols
    registers  name -> word or symbol, see `Machine.call`
    warm       calls before the one that counts, see `Machine.warm_up`
    interval   run it on every alternative as well, see `machine.interval`
    convention how it is called, see `Machine.measure`
    max_instructions  after which the call is given up
    progress   called with instructions done, of how many, and a text
    sources    folders in which the text of source files is looked for
    program, command  see `report.Origin`
    Errors     ValueError; CpuFault, RetrosimError when the routine does not return
    """
    if machine.timing == "off":
        raise ValueError("timing 'off': allowed table, full, causes")
    entry = find_routine(machine.image, symbol)
    bits = machine.argument_bits(convention)
    values = [machine.address(word) if isinstance(word, str) else word for word in arguments]
    words = tuple(word & ((1 << bits) - 1) if -(1 << bits - 1) <= word < 0 else word for word in values)
    in_registers = machine.register_values(registers)
    before = machine.snapshot()
    try:
        place_stack(machine)
        progress(0, max_instructions, "running the routine")
        call = (symbol if isinstance(symbol, str) else entry, *words)
        called: dict[str, Any] = {"convention": convention, "registers": in_registers}
        limited = {**called, "max_instructions": max_instructions}
        start = machine.snapshot()
        measured = machine.measure(*call, warm=warm, interval=interval, **limited)
        machine.restore(start)
        machine.warm_up(*call, calls=warm, **limited)
        unset = unset_registers(machine, entry, words, called)
        machine.enter(entry, *words, **called)
        reads = FirstReads(machine.core, unset)
        counter = SteppingCounter(machine, reads.look)
        counter.run(measured.instructions, progress)
        counted = counter.counted()
    finally:
        machine.restore(before)
    return CostReport(
        origin=origin_of(machine, program, command),
        machine=machine.name,
        model=machine.core.cpu.model,
        clock_hz=machine.clock_hz,
        timing=timing_of(machine),
        engine=machine.engine,
        build=machine.image.build,
        entry=CalledRoutine(symbol if isinstance(symbol, str) else None, entry),
        arguments=list(words),
        registers=in_registers,
        unset_registers=reads.read,
        warm=warm,
        clocks=clocks_of(machine),
        totals=CallTotals(
            cycles=measured.cycles,
            low=measured.low,
            high=measured.high,
            instructions=measured.instructions,
            cycles_per_instruction=measured.cycles / measured.instructions,
            microseconds=measured.cycles * 1e6 / machine.clock_hz,
            result=measured.result,
            result_signed=(measured.result & ((1 << bits) - 1) ^ 1 << bits - 1) - (1 << bits - 1),
            has_result=result_registers(machine.core)[0] in reads.written,
            causes=counted.causes,
        ),
        caches=_caches(machine, counted) or None,
        breakdown=breakdown_of(machine, counted, sources),
    )


def _caches(machine: Machine, counted: Counted) -> dict[str, CacheCounts]:
    report = {}
    for name, count in counted.accesses.items():
        misses = sum(row.misses[name] for row in counted.executed)
        allocates = machine.core.cpu.caches[name].allocates
        is_exact = count is not None and (not allocates or machine.memory_clocks[allocates])
        report[name] = CacheCounts(count, count - misses if count is not None and is_exact else None, misses)
    return report


def find_routine(image: Image, symbol: str | int) -> int:
    """Return the address of a routine. Errors: ValueError."""
    if isinstance(symbol, str):
        if symbol not in image.symbols:
            names = routines_of(image)
            some = ", ".join(names[:SOME_NAMES]) or "none"
            raise ValueError(f"symbol {symbol!r}: not in the image{did_you_mean(symbol, names) or f'; it has {some}'}")
        if image.symbols[symbol].kind != "function":
            raise ValueError(f"symbol {symbol!r}: is data, allowed a routine")
        return find_routine(image, image.symbols[symbol].address)
    unit = image.family.unit
    if symbol % unit or not any(start <= symbol < start + len(data) for start, data in image.segments):
        multiple = {1: "an address", 2: "an even address"}.get(unit, f"a multiple of {unit}")
        raise ValueError(f"address {symbol:#x}: allowed {multiple} in the image")
    return symbol


def routines_of(image: Image) -> list[str]:
    """Return the names of the routines of an image, sorted."""
    return sorted(name for name, symbol in image.symbols.items() if symbol.kind == "function")


def only_routine(machine: Machine) -> str:
    """Return the name of the only routine of a program. Errors: ValueError where there are several, or none."""
    return the_only(sorted(name for name, symbol in routines(machine).by_name.items() if symbol.kind == "function"))


def the_only(names: Sequence[str]) -> str:
    """Return the only one of some routines. Errors: ValueError where there are several, or none."""
    if len(names) == 1:
        return names[0]
    if not names:
        raise ValueError("--entry: the file names no routine; give its address as 0x...")
    more = f" and {len(names) - SOME_NAMES} more" if len(names) > SOME_NAMES else ""
    raise ValueError(f"--entry: which routine? There are {', '.join(names[:SOME_NAMES])}{more}")


def place_stack(machine: Machine) -> None:
    """Give a program that has not run a stack apart from its image. Errors: RetrosimError where there is none."""
    image = machine.image
    taken = [(start, start + len(data)) for start, data in image.segments]
    taken += [(start, start + size) for start, size in image.bss]
    if machine.instructions or image.has_stack:
        return
    lowest = memory.RETURN_ADDRESS + 4
    tops = (memory.STACK_START, memory.RAM_END, *(start & ~3 for start, _ in taken))
    for top in tops:
        bottom = top - STACK_BYTES
        if bottom >= lowest and all(top <= first or last <= bottom for first, last in taken):
            machine.set_stack(top)
            return
    raise RetrosimError(f"the image leaves no {STACK_BYTES >> 10} KiB of RAM free for a stack")


def prepare(
    machine: Machine,
    *,
    files: Iterable[tuple[str | Path, int | str]] = (),
    memory: Iterable[tuple[int | str, bytes]] = (),
    before: Iterable[int | str] = (),
    max_instructions: int = MAX_STEPPED,
) -> None:
    """Make what a routine finds in memory: load files, then write bytes, then call routines.

    files    (path, address or symbol)
    memory   (address or symbol, bytes)
    before   routines without arguments; what they write stays
    max_instructions  after which a routine is given up
    Errors   RomError for a file; ValueError for an unknown symbol, and beyond memory; CpuFault, RetrosimError
    """
    for path, where in files:
        machine.write(machine.address(where), read_file(path, MAX_FILE_BYTES, RomError))
    for where, content in memory:
        machine.write(machine.address(where), content)
    for routine in before:
        place_stack(machine)
        machine.call(find_routine(machine.image, routine), max_instructions=max_instructions)
