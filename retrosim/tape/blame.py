"""Who is to blame when a tape diverges: the instructions that make the difference, on both sides.

Two machines of one name play the tape, one with what is under test, one with the ROM that the tape was recorded with.
As long as both execute the same instructions, the number of executed instructions is a place in both runs; the last
place where registers and memory are the same is found by bisection, and the instruction there is the *origin*. The
field that differs at the end of the first bad frame is looked up too, with the instruction that wrote it last on each
side: for a fault whose effect shows later, or elsewhere, that is another one.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .format import Tape
from .play import Player

if TYPE_CHECKING:
    from retrosim.debug import Debugger
    from retrosim.machine.machine import Machine


@dataclass(frozen=True)
class Side:
    """What one of the two machines did.

    machine    which one: "failing" or "trusted"
    pc         address of the instruction, None if no instruction did it
    text       its listing, or who else it was
    function, file, line  as far as they are known
    value      what it left
    """

    machine: str
    pc: int | None
    text: str
    function: str | None
    file: str | None
    line: int | None
    value: str


@dataclass(frozen=True)
class Blame:
    """What is known of a divergence.

    frame     the first bad one
    field, index  the first world entry that differs after it, None where the program stopped before
    function  that is to blame, None if nothing is known
    origin    the instruction after which the two first differ: on the failing side, on the trusted one
    instructions  executed before the origin
    writers   who wrote the field last on each side
    note      why something is not known, or ""
    """

    frame: int
    field: str | None
    index: int | None
    function: str | None
    origin: tuple[Side, Side] | None
    instructions: int | None
    writers: tuple[Side, ...]
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return what can be written as JSON."""
        return asdict(self)


def blame_lines(report: dict[str, Any]) -> list[str]:
    """Return a blame as lines of text for people, the answer first. report: what `Blame.as_dict` has returned."""
    origin, writers, text = report["origin"], report["writers"], []
    if report["function"] is not None:
        text.append(f"to blame: {_named((origin or writers)[0])}")
    if origin is not None:
        text.append(f"the runs part after {report['instructions']:,} instructions:")
        text += [f"  {side['machine']:8} {side['text'].strip()}: {side['value']}" for side in origin]
    if report["field"] is not None and writers:
        text.append(f"{report['field']}[{report['index']}] of frame {report['frame']} was written last by")
        text += [f"  {side['machine']:8} {_named(side)}: {side['value']}" for side in writers]
    return [*text, *([report["note"]] if report["note"] else [])]


def _named(side: dict[str, Any]) -> str:
    where = f" ({side['file'].rpartition('/')[2]}:{side['line']})" if side["file"] else ""
    return f"{side['function'] + where + ': ' if side['function'] else ''}{side['text'].strip()}"


def blame(tape: Tape, failing: Machine, trusted: Machine, frame: int) -> Blame:
    """Find out which instruction makes a tape diverge.

    failing   a machine that diverges; both are reset
    trusted   another one of the same name, with the ROM image of the tape, or another engine
    frame     the first bad one, or that in which the program stopped
    Errors    those of `Player`; BudgetUsedUp is not raised: a machine stops where its budget ends
    """
    allowed = _differing(failing, trusted, tape)
    sides = [_played(tape, machine, frame) for machine in (failing, trusted)]
    ours, theirs = sides
    difference = None
    if failing.frame_number > frame and trusted.frame_number > frame:
        difference = trusted.world().difference(failing.world())
    writers: tuple[Side, ...] = ()
    if difference is not None:
        found = [_writer(side, name, difference.column, difference.index) for side, name in _both(sides)]
        writers = tuple(each for each in found if each is not None)
    origin, instructions, note = None, None, ""
    if allowed is None:
        note = "the two programs do not begin the same way: the runs cannot be compared by instructions"
    else:
        instructions = _last_same(ours, theirs, allowed)
        if instructions is None:
            note = "the two runs execute the same instructions with the same results"
        else:
            origin = _origin(sides, instructions, allowed)
    first = origin or writers
    return Blame(
        frame=frame,
        field=difference.column if difference else None,
        index=difference.index if difference else None,
        function=first[0].function if first else None,
        origin=origin,
        instructions=instructions,
        writers=writers,
        note=note,
    )


def _both(sides: list[Debugger]) -> list[tuple[Debugger, str]]:
    return list(zip(sides, ("failing", "trusted"), strict=True))


def _played(tape: Tape, machine: Machine, frame: int) -> Debugger:
    """Play a tape to the end of a frame, or to where the program stops."""
    debugger = machine.debugger
    debugger.clear()
    debugger.play(Player(tape, machine, force=True))
    debugger.run(frames=frame + 1 - machine.frame_number)
    return debugger


def _differing(failing: Machine, trusted: Machine, tape: Tape) -> frozenset[int] | None:
    """Return the words of memory that differ at the start, None if the programs do not begin the same way."""
    for machine in (failing, trusted):
        Player(tape, machine, force=True)
    if failing.name != trusted.name or failing.regs["pc"] != trusted.regs["pc"]:
        return None
    words = _unequal(failing, trusted)
    symbols = [{name: each.address for name, each in m.image.symbols.items()} for m in (failing, trusted)]
    return frozenset(words) if symbols[0] == symbols[1] else None


def _unequal(ours: Machine, theirs: Machine) -> list[int]:
    """Return the numbers of the 8-byte words of memory that differ."""
    return np.flatnonzero(ours.mem.view(np.uint64) != theirs.mem.view(np.uint64)).tolist()


def _is_same(ours: Machine, theirs: Machine, allowed: frozenset[int]) -> bool:
    return dict(ours.regs) == dict(theirs.regs) and allowed.issuperset(_unequal(ours, theirs))


def _last_same(ours: Debugger, theirs: Debugger, allowed: frozenset[int]) -> int | None:
    """Return the number of instructions after which both are the same for the last time; None if they stay so."""
    low, high = ours.beginning.instructions, min(ours.end.instructions, theirs.end.instructions)

    def same(instructions: int) -> bool:
        for side in (ours, theirs):
            side.go_to(instructions)
        return _is_same(ours.machine, theirs.machine, allowed)

    if same(high):
        return high if ours.end.instructions != theirs.end.instructions else None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if same(middle) else (low, middle)
    return low


def _origin(sides: list[Debugger], instructions: int, allowed: frozenset[int]) -> tuple[Side, Side]:
    """Describe what the two do after so many instructions."""
    texts = []
    for side in sides:
        side.go_to(instructions)
        texts.append((side.machine.regs["pc"], side.listing(side.machine.regs["pc"])[0]))
        side.step()
    ours, theirs = (side.machine for side in sides)
    values = _first_difference(ours, theirs, allowed)
    made = [
        _side(side, name, pc, text, value)
        for (side, name), (pc, text), value in zip(_both(sides), texts, values, strict=True)
    ]
    return made[0], made[1]


def _first_difference(ours: Machine, theirs: Machine, allowed: frozenset[int]) -> tuple[str, str]:
    for name, value in dict(ours.regs).items():
        if theirs.regs[name] != value:
            return f"{name} = {value:#x}", f"{name} = {theirs.regs[name]:#x}"
    for word in _unequal(ours, theirs):
        if word not in allowed:
            first = 8 * word + int(np.flatnonzero(ours.mem[8 * word :][:8] != theirs.mem[8 * word :][:8])[0])
            return f"{first:#x}: {ours.mem[first]:#04x}", f"{first:#x}: {theirs.mem[first]:#04x}"
    return "the program stops", "the program goes on"


def _side(side: Debugger, name: str, pc: int | None, text: str, value: str) -> Side:
    image = side.machine.image
    found = None if pc is None else image.symbol_at(pc)
    file, line = (None if pc is None else image.source_line(pc)) or (None, None)
    return Side(name, pc, text, found[0] if found else None, file, line, value)


def _writer(side: Debugger, name: str, column: str, index: int) -> Side | None:
    """Find out who wrote an entry of the world last."""
    machine = side.machine
    rom = machine.rom
    each = next((each for each in rom.world if each.name == column), None) if rom else None
    if each is None or each.symbol not in machine.image.symbols:
        return None
    address = machine.address(each.symbol) + each.offset + index * each.stride
    found = side.last_write(address, int(each.type[1:]) // 8)
    value = str(machine.world().columns[column][index]) if index < len(machine.world().columns[column]) else "missing"
    if found is None:
        return _side(side, name, None, "nobody since power-on", value)
    return _side(side, name, found.pc, found.text, value)
