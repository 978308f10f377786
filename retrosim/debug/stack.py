"""The routines that are under way, innermost first: read from the stack, every caller checked against its call.

An address on the stack counts as a return address when the instruction before it is a call, of the routine that is to
return there or of one that only the run knows. With a link register, the frames are followed by their back chain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.cpu.spec.decoding import IllegalEncoding
from retrosim.cpu.spec.rows import Insn

if TYPE_CHECKING:
    from retrosim.machine.machine import Machine

MAX_FRAME_BYTES = 1 << 14  # of one routine's frame that are looked through


@dataclass(frozen=True)
class Frame:
    """A routine under way.

    pc        where it goes on
    function, offset  symbol that pc lies in, "" and 0 outside all
    file, line  source, None where unknown
    sp        stack pointer when it goes on there
    call_pc   address of the call that it is in, None for the innermost
    """

    pc: int
    function: str
    offset: int
    file: str | None
    line: int | None
    sp: int
    call_pc: int | None

    @property
    def name(self) -> str:
        """Return "function+0x10", outside all functions the address."""
        return (f"{self.function}+{self.offset:#x}" if self.offset else self.function) or f"{self.pc:#x}"

    def __str__(self) -> str:
        """Return "function+0x10 (file.c:12)", of a caller with the line of its call."""
        return f"{self.name} ({self.file.rpartition('/')[2]}:{self.line})" if self.file else self.name


def stack_pointer(machine: Machine) -> int:
    """Return the linear address of the top of the stack."""
    return machine.core.cpu.host.stack.pointer(machine.core.state)


def return_address(machine: Machine) -> int:
    """Return where the routine returns to whose first instruction comes next."""
    stack = machine.core.cpu.host.stack
    if stack.link:
        return int(machine.regs[stack.link]) & ADDRESS_MASK
    return _address_at(machine, stack.pointer(machine.core.state))


def argument(machine: Machine, number: int) -> int:
    """Return an argument, a word, of the routine whose first instruction comes next, by the C convention."""
    core, stack = machine.core, machine.core.cpu.host.stack
    if number < len(stack.arguments):
        return int(machine.regs[stack.arguments[number]])
    place = stack.pointer(core.state) + stack.word * (number - len(stack.arguments) + 1)
    return int.from_bytes(_bytes(machine, place, stack.word), "big" if core.cpu.big_endian else "little")


def _address_at(machine: Machine, place: int) -> int:
    """Return the return address that a place on the stack holds."""
    core, stack = machine.core, machine.core.cpu.host.stack
    word = int.from_bytes(_bytes(machine, place, stack.word), "big" if core.cpu.big_endian else "little")
    return (stack.code_base(core.state) + word) & ADDRESS_MASK


def _bytes(machine: Machine, address: int, size: int) -> bytes:
    return bytes(machine.core.ram[(address + i) & ADDRESS_MASK] for i in range(size))


def call_before(machine: Machine, address: int) -> Insn | None:
    """Return the call that returns to an address, None if what stands before it is none."""
    core = machine.core
    unit, largest = core.cpu.isa.word_bytes, core.cpu.isa.max_bytes
    for length in range(unit, min(largest, 8) + 1, unit):
        start = address - length
        if start < 0 or start % unit:
            continue
        try:
            insn = core.cpu.table.decode(start, core.word)
        except IllegalEncoding:
            continue
        if insn.end == address and insn.row.options.get("calls"):
            return insn
    return None


def call_stack(machine: Machine, limit: int) -> list[Frame]:
    """Return at most `limit` frames, the innermost first."""
    frames = [frame(machine, int(machine.core.state["pc"]), stack_pointer(machine), None)]
    walk = _linked if machine.core.cpu.host.stack.link else _pushed
    for pc, sp, call in walk(machine, frames[0]):
        if len(frames) >= limit:
            break
        frames.append(frame(machine, pc, sp, call))
    return frames


def frame(machine: Machine, pc: int, sp: int, call_pc: int | None) -> Frame:
    """Return a frame with its names. A caller is named by its call: what follows may be another routine's."""
    place = pc if call_pc is None else call_pc
    name, offset = machine.image.symbol_at(place) or ("", 0)
    file, line = machine.image.source_line(place) or (None, None)
    return Frame(pc, name, offset + pc - place if name else 0, file, line, sp, call_pc)


def _start(machine: Machine, pc: int) -> int | None:
    """Return where the function of an address begins, None outside all."""
    found = machine.image.symbol_at(pc)
    return pc - found[1] if found else None


def _calls(machine: Machine, back: int, callee: int) -> Insn | None:
    """Return the call that returns to `back` if it may have called the function of the address `callee`."""
    call = call_before(machine, back)
    if call is None or (call.target is not None and _start(machine, call.target) != _start(machine, callee)):
        return None
    if machine.image.symbols and _start(machine, call.pc) is None:
        return None  # data that looks like a call
    return call


def _pushed(machine: Machine, inner: Frame) -> Iterator[tuple[int, int, int]]:
    """Look for return addresses on the stack."""
    word, step = machine.core.cpu.host.stack.word, 2 if machine.core.cpu.isa.word_bytes == 2 else 4
    step = min(step, word)
    pc, place = inner.pc, inner.sp
    end = place + MAX_FRAME_BYTES
    refused: set[tuple[int, int]] = set()
    while place < min(end, ADDRESS_MASK):
        back = _address_at(machine, place)
        if (back, pc) not in refused:  # much of a stack is the same word
            call = _calls(machine, back, pc) if machine.image.has(back) else None
            refused |= set() if call else {(back, pc)}
        else:
            call = None
        place += word if call else step
        if call:
            yield back, place, call.pc
            pc, end = call.pc, place + MAX_FRAME_BYTES


def _linked(machine: Machine, inner: Frame) -> Iterator[tuple[int, int, int]]:
    """Follow the back chain; the innermost routine may have no frame, or its return address still in the register."""
    sp, pc, link = inner.sp, inner.pc, return_address(machine)
    chained = _address_at(machine, sp)
    is_saved = _address_at(machine, chained + machine.core.cpu.host.stack.word) == link
    call = _calls(machine, link, pc)
    if call is not None and (call.target is not None or _start(machine, link) != _start(machine, pc)):
        sp = chained if is_saved else sp
        yield link, sp, call.pc
        pc = call.pc
    for _ in range(MAX_FRAME_BYTES):
        for above in _chain(machine, sp):
            back = _address_at(machine, above + machine.core.cpu.host.stack.word)
            call = _calls(machine, back, pc)
            if call is not None:
                yield back, above, call.pc
                sp, pc = above, call.pc
                break
        else:
            return


def _chain(machine: Machine, sp: int) -> Iterator[int]:
    """Yield the next two frames: a routine that calls nothing saves no return address in the first."""
    for _ in range(2):
        above = _address_at(machine, sp)
        if above <= sp:
            return
        yield above
        sp = above
