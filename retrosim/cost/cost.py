"""What one call of a routine costs, and which of its instructions, lines and functions the clocks go to.

The shape that `retrosim cost --json` prints:

    machine, model, clock_hz, timing, build
    warm        calls before the one that counts, after which memory is as before and caches are warm; with 0 caches are
                as the program has left them, empty in a program that has not run
    memory, memory_changed, readings, readings_changed
                parameters of caches and bus, how open questions of the clocks are answered, and what of both differs
    entry       {symbol (None for an address), address}
    arguments   [words]
    registers   {name: word}, what the routine found in registers beside them
    totals      {cycles, low, high, instructions, cycles_per_instruction, microseconds, result, result_signed, causes}
                low, high: between which the cycles plausibly are, None without an interval; result: what it returned,
                and the same as a signed word
    caches      None where none are modelled, or {data, instruction} or {unified}: each {accesses, hits, misses};
                accesses and hits are None where the model does not count them; misses are lines, or sectors of lines,
                that have come into the cache, those that it reads ahead included
    functions   [{function, cycles, percent, instructions, visits, inclusive, inclusive_percent}], most cycles first;
                visits: calls and jumps to its first address; inclusive: cycles with all that it calls, of recursive
                calls once; function None: outside all functions
    lines       [{file, line, cycles, percent, instructions, visits, text}], most cycles first; visits: those of the
                line's busiest instruction; text: None where the file was not found; empty for an ELF without lines
    calls       the call tree, see `profile.report.call_rows`
    sources     file -> lines of its text, where it was found; timeline: [[number of a node, cycles]] in order of
                time. Both are for pages and files, and not in --json
    listing     [{address, code, text, function, offset, file, line, visits, cycles, average, base, stalls, entry,
                source, reference, misses, causes}], by address, executed instructions only; misses of a cache NAME
                are the keys NAME_misses; without caches those of data and instruction are there, and 0

base     clocks from the manual, alone, as the CPU's `legend` says; averaged over the two outcomes of a branch where the
         outcome shows in the flow
entry    the row of the manual's table that they come from; source: that table; reference: the instruction's description
stalls   average - base: what the CPU's `legend` says, below 0 where instructions overlapped. Of a service: the time it
         takes
causes   what the clocks went to (see `causes`), name -> clocks, whose sum is `cycles`; None unless the machine's timing
         is "causes", whose clocks are those of "full"
accesses operands (each line that one touches), and lines of code entered: the model looks code up once a line. Memory
         that is not cached is not counted. With write-through caches, data misses are those of reads and hits unknown
         (None)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from retrosim.checks import did_you_mean
from retrosim.cpu.spec.readings import changed_readings
from retrosim.errors import RetrosimError
from retrosim.machine import Machine, memory
from retrosim.machine.calls import NO_REGISTERS
from retrosim.machine.options import changed_memory
from retrosim.machine.result import WARM_CALLS
from retrosim.rom import Image
from retrosim.rom.fields import read_bytes

from .causes import MODE, named
from .report import call_rows, function_rows, line_rows
from .sources import source_texts
from .stepping import Executed, Progress, step_through

MAX_INSTRUCTIONS = 2_000_000  # about a minute, one by one
SOME_NAMES = 5  # of an image's routines, in an error
STACK_BYTES = 0x10000  # kept free below the stack pointer that a user's program starts with


def cost_report(
    machine: Machine,
    symbol: str | int,
    *arguments: int | str,
    warm: int = WARM_CALLS,
    interval: bool = True,
    convention: str = "c",
    registers: Mapping[str, int | str] = NO_REGISTERS,
    max_instructions: int = MAX_INSTRUCTIONS,
    progress: Progress = lambda done, total, text: None,
    sources: Sequence[Path] = (),
) -> dict[str, Any]:
    """Call a routine as a whole and once more instruction by instruction; return what it cost, as described above.

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
        given = {**called, "max_instructions": max_instructions}
        start = machine.snapshot()
        measured = machine.measure(*call, warm=warm, interval=interval, **given)
        machine.restore(start)
        machine.warm_up(*call, calls=warm, **given)
        machine.enter(entry, *words, **called)
        stepped = step_through(machine, measured.instructions, progress)
    finally:
        machine.restore(before)
    executed = sorted(stepped.executed, key=lambda each: each.insn.pc)
    listing = [_described(machine, each) for each in executed]
    calls = call_rows(stepped.tree, stepped.columns, machine.image)
    texts = source_texts((row["file"] for row in listing), sources)
    return {
        "machine": machine.name,
        "model": machine.core.cpu.model,
        "clock_hz": machine.clock_hz,
        "timing": "full" if machine.timing == MODE else machine.timing,
        "engine": machine.engine,
        "build": machine.image.build,
        "entry": {"symbol": symbol if isinstance(symbol, str) else None, "address": entry},
        "arguments": list(words),
        "registers": in_registers,
        "warm": warm,
        "memory": machine.memory_clocks,
        "memory_changed": changed_memory(machine.preset, machine.memory_clocks),
        "readings": machine.readings,
        "readings_changed": changed_readings(machine.core.cpu.readings, machine.readings),
        "totals": {
            "cycles": measured.cycles,
            "low": measured.low,
            "high": measured.high,
            "instructions": measured.instructions,
            "cycles_per_instruction": measured.cycles / measured.instructions,
            "microseconds": measured.cycles * 1e6 / machine.clock_hz,
            "result": measured.result,
            "result_signed": (measured.result & ((1 << bits) - 1) ^ 1 << bits - 1) - (1 << bits - 1),
            "causes": named(machine.name, sum(each.causes for each in executed)) if machine.timing == MODE else None,
        },
        "caches": _caches(machine, executed, stepped.accesses),
        "functions": function_rows(listing, calls),
        "lines": line_rows(listing, texts),
        "calls": calls,
        "listing": listing,
        "sources": texts,
        "timeline": stepped.tree.stretches(),
    }


def find_routine(image: Image, symbol: str | int) -> int:
    """Return the address of a routine. Errors: ValueError."""
    if isinstance(symbol, str):
        if symbol not in image.symbols:
            names = sorted(name for name, found in image.symbols.items() if found.kind == "function")
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


def only_routine(image: Image) -> str:
    """Return the name of the only routine of an image. Errors: ValueError where there are several, or none."""
    names = sorted(name for name, found in image.symbols.items() if found.kind == "function")
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
        if top - STACK_BYTES >= lowest and _is_free(taken, top - STACK_BYTES, top):
            machine.set_stack(top)
            return
    raise RetrosimError(f"the image leaves no {STACK_BYTES >> 10} KiB of RAM free for a stack")


def _is_free(taken: list[tuple[int, int]], start: int, end: int) -> bool:
    return all(end <= first or last <= start for first, last in taken)


def _caches(
    machine: Machine, executed: list[Executed], accesses: dict[str, int | None]
) -> dict[str, dict[str, int | None]] | None:
    report = {}
    for name, count in accesses.items():
        misses = sum(each.misses[name] for each in executed)
        allocates = machine.core.cpu.caches[name].allocates
        is_exact = count is not None and (not allocates or machine.memory_clocks[allocates])
        report[name] = {"accesses": count, "hits": count - misses if is_exact else None, "misses": misses}
    return report or None


def _described(machine: Machine, each: Executed) -> dict[str, Any]:
    insn, image = each.insn, machine.image
    cpu = machine.core.cpu
    said = cpu.explain(insn, each.visits, each.departures, cpu.choices)
    function, offset = image.symbol_at(insn.pc) or (None, None)
    file, line = image.source_line(insn.pc) or (None, None)
    average = each.cycles / each.visits
    return {
        "address": insn.pc,
        "code": each.code.hex(" ", 2),
        "text": insn.text,
        "function": function,
        "offset": offset,
        "file": file,
        "line": line,
        "visits": each.visits,
        "cycles": each.cycles,
        "average": average,
        "base": said.clocks,
        "stalls": average - said.clocks,
        "entry": said.entry,
        "source": said.source,
        "reference": insn.row.ref,
        **{f"{name}_misses": count for name, count in each.misses.items()},
        "causes": named(machine.name, each.causes) if machine.timing == MODE else None,
    }


# What a routine finds in memory: files, bytes, and what routines that were called before have written.

MAX_FILE_BYTES = 8 << 20  # all RAM


def prepare(
    machine: Machine,
    *,
    files: Iterable[tuple[str | Path, int | str]] = (),
    memory: Iterable[tuple[int | str, bytes]] = (),
    before: Iterable[int | str] = (),
    max_instructions: int = MAX_INSTRUCTIONS,
) -> None:
    """Load files, then write bytes, then call routines.

    files    (path, address or symbol)
    memory   (address or symbol, bytes)
    before   routines without arguments; what they write stays
    max_instructions  after which a routine is given up
    Errors   RomError for a file; ValueError for an unknown symbol, and beyond memory; CpuFault, RetrosimError
    """
    for path, where in files:
        machine.write(machine.address(where), read_bytes(Path(path), MAX_FILE_BYTES))
    for where, content in memory:
        machine.write(machine.address(where), content)
    for routine in before:
        place_stack(machine)
        machine.call(find_routine(machine.image, routine), max_instructions=max_instructions)
