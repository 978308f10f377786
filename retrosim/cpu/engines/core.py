"""What the engines of one CPU share: memory, state, decoded instructions.

Memory is one flat array; a second one of the same size marks the bytes that have been decoded as instructions, so that
every engine notices a store into code.

After the last address comes the first: MIRROR_BYTES of each end of memory are mirrored behind the other end, so that
an access that begins so near to a boundary needs no check. The mirrors and what they mirror are marked as code too:
stores there are noticed, and the mirrors brought up to date.
"""

from __future__ import annotations

import mmap
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from weakref import WeakMethod

import numpy as np

from ..spec.cpu import ADDRESS_BITS, ADDRESS_MASK, Cpu
from ..spec.decoding import IllegalEncoding, TooLong
from ..spec.hits import FIELD as HITS
from ..spec.rows import Insn, undefined_insn
from ..spec.timing import OBSERVING

MIRROR_BYTES = 1024  # as many as exception vectors take: no program lies there
MAX_DECODED = 1 << 16  # instructions that stay decoded, about 0.65 KB each, besides those of compiled regions
CROWDED = MAX_DECODED // 2  # from so many on, their order tells when each was last asked for
MAX_RECALLED = 1 << 14  # instructions that are recalled by a model, whoever decoded them
UNSTEADY_AFTER = 8  # times that a program overwrites an instruction before stores into it are not noticed any more
MAX_UNSTEADY = 1 << 12
CHUNK_BYTES = 1 << 16  # of memory that are compared and replaced at once
_RUNS = count(1)  # of all cores
DECODED = 1  # mark of a byte that an instruction has; the others are WATCH_...


def memory_chunks(parts: Iterable[tuple[int, bytes | memoryview]]) -> Iterator[np.ndarray]:
    """Yield all memory in chunks for `replace`, of zeros but for parts at their addresses.

    There is one chunk, filled again: arrays of the size of memory leave holes in the heap that other things settle in.
    """
    placed: defaultdict[int, list[tuple[int, bytes | memoryview]]] = defaultdict(list)
    for address, data in parts:
        start = 0
        while start < len(data):
            number, offset = divmod(address + start, CHUNK_BYTES)
            piece = data[start : start + CHUNK_BYTES - offset]
            placed[number].append((offset, piece))
            start += len(piece)
    chunk = np.zeros(CHUNK_BYTES, np.uint8)
    for number in range((1 << ADDRESS_BITS) // CHUNK_BYTES):
        chunk[:] = 0
        for offset, piece in placed.get(number, ()):
            chunk[offset : offset + len(piece)] = np.frombuffer(piece, np.uint8)
        yield chunk


class Core:
    """Memory, state and decoded instructions of one simulated CPU."""

    def __init__(self, cpu: Cpu, timing: str) -> None:
        self.cpu = cpu
        self.timing_mode = timing
        self.observe_reads(False)
        n = MIRROR_BYTES
        whole = np.zeros((2, n + (1 << ADDRESS_BITS) + n), np.uint8)
        self.ram, self.code = whole[:, n:]  # from address 0 on
        self._hit_pages = mmap.mmap(-1, whole.shape[1], mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._all_hits = np.frombuffer(self._hit_pages, np.uint8)
        self.hits = self._all_hits[n:]  # likewise; what they say: hits.py
        self._hits_of = 0  # what the state held at the last run
        mirrors = [(whole[0, :n], whole[0, -2 * n : -n]), (whole[0, -n:], whole[0, n : 2 * n])]
        self._ends = [(mirror.data, original.data, bytearray(n)) for mirror, original in mirrors]  # and before
        self._marks = whole[1]
        self._watched_boundaries = whole[1, : 2 * n], whole[1, -2 * n :]
        self.state = np.zeros((), cpu.layout.dtype)
        self.state["written_low"] = self.state["read_low"] = 0xFFFFFFFF
        self.observed: dict[tuple[int, int], int] = {}  # (start, stop) of memory -> WATCH_...: what is noticed there
        self.on_write: Callable[[int, bytes], None] | None = None  # called before memory is written from outside
        self.on_replace: Callable[[], None] | None = None  # called before it is replaced as a whole
        self.insns: dict[int, Insn] = {}
        self.unsteady: set[int] = set()  # addresses whose instructions are decoded anew each time they are asked for
        self._overwritten: dict[int, int] = {}  # address -> times that the program has overwritten the instruction
        self.retained: set[int] = set()  # addresses of instructions that an engine relies on: they stay decoded
        self.on_invalidate: list[WeakMethod] = []  # called with the address of an instruction that is forgotten
        self._bytes, self._watched = memoryview(self.ram), memoryview(self.code)
        self._watch_boundaries()

    def _watch_boundaries(self) -> None:
        for watched in self._watched_boundaries:
            watched[:] = 1
        for (start, stop), what in self.observed.items():
            for marks in self._marks_of(start, stop):
                marks |= what

    def observe(self, places: Mapping[tuple[int, int], int]) -> None:
        """Have stores into some memory noticed as stores into code are, and loads too where reads are observed.

        places  (start, stop) -> WATCH_WRITES, WATCH_READS or both; they take the place of those before
        """
        for start, stop in self.observed:
            for marks in self._marks_of(start, stop):
                marks &= DECODED
        self.observed = dict(places)
        self._watch_boundaries()

    def _marks_of(self, start: int, stop: int) -> list[np.ndarray]:
        """Return the marks of some memory, and of what mirrors it."""
        size = ADDRESS_MASK + 1
        low, high = range(start, min(stop, MIRROR_BYTES)), range(max(start, size - MIRROR_BYTES), stop)
        places = [(start, stop), (low.start + size, low.stop + size), (high.start - size, high.stop - size)]
        return [self._marks[MIRROR_BYTES + first : MIRROR_BYTES + last] for first, last in places if first < last]

    def observe_reads(self, on: bool) -> None:
        """Choose the timing model of engines made from now on: one that notices loads and exceptions too, or not."""
        mode = self.timing_mode.removesuffix(OBSERVING) + (OBSERVING if on else "")
        self.timing_mode, self.timing = mode, self.cpu.timing_class(mode)
        self.untimed = self.cpu.timing_class("off" + (OBSERVING if on else ""))

    def begin_run(self) -> None:
        """Bring up to date what goes with memory and state, which the host may have changed."""
        self.sync_mirrors()
        self.check_hits()

    def check_hits(self) -> None:
        """Clear what is known of the data cache if any other state has replaced this one since the last run."""
        if int(self.state[HITS]) != self._hits_of:
            self._clear_hits()
        self._hits_of = self.state[HITS] = next(_RUNS)

    def _clear_hits(self) -> None:
        """Clear all bits; their pages are given back."""
        if sys.platform == "linux":
            self._hit_pages.madvise(mmap.MADV_DONTNEED)
        else:
            self._all_hits[:] = 0

    def sync_mirrors(self) -> None:
        """Make the mirrors equal to what they mirror, after stores into either."""
        for mirror, original, before in self._ends:
            stored, known = bytes(mirror), bytes(before)
            if stored == known == bytes(original):
                continue
            if stored != known:
                new, old = np.frombuffer(stored, np.uint8), np.frombuffer(known, np.uint8)
                np.copyto(np.asarray(original), new, where=new != old)
            mirror[:] = before[:] = original

    def word(self, address: int) -> int:
        """Read one code word."""
        address &= ADDRESS_MASK
        size = self.cpu.isa.word_bytes
        return int.from_bytes(self._bytes[address : address + size], "big" if self.cpu.big_endian else "little")

    def decode(self, pc: int) -> Insn:
        """Return the instruction at `pc`; undefined encodings get the model's row for them.

        It is decoded once, and again after others have taken its place: those that were asked for least recently leave.
        What the program overwrites again and again is compared with what was decoded before each time.
        """
        insn = self.insns.get(pc)
        if insn is not None:
            if len(self.insns) > CROWDED:
                self.insns[pc] = self.insns.pop(pc)
            return insn
        if pc in self.unsteady:
            return self._present(pc)
        if len(self.insns) - len(self.retained) > MAX_DECODED:
            self._evict()
        self.insns[pc] = insn = self._present(pc)
        for address in self.bytes_of(insn):
            self._watched[address] |= DECODED
        return insn

    def _present(self, pc: int) -> Insn:
        """Return the instruction that lies at `pc` now."""
        try:
            if pc % self.cpu.isa.word_bytes:
                raise IllegalEncoding
            return self._decoded(pc)
        except IllegalEncoding as error:
            opcode = self.word(pc)
            row = self.cpu.undefined(opcode, pc, isinstance(error, TooLong))
            return undefined_insn(row, pc, self.cpu.isa.word_bytes, opcode)

    def bytes_of(self, insn: Insn) -> list[int]:
        """Return the addresses of an instruction's bytes, which wrap at the end of memory.

        Those of an undefined one are all that it may be undefined because of, more than it has.
        """
        count = insn.length if insn.row.pattern else self.cpu.isa.max_bytes
        return [(insn.pc + number) & ADDRESS_MASK for number in range(count)]

    def _decoded(self, pc: int) -> Insn:
        """Decode what lies at `pc`, or recall it from the last time: the same program is often opened again."""
        table, end = self.cpu.table, pc + self.cpu.isa.max_bytes
        if end > ADDRESS_MASK:  # it may go on at address 0
            return table.decode(pc, self.word)
        place = pc, bytes(self._bytes[pc:end])
        insn = table.recalled.get(place)
        if insn is None:
            insn = table.decode(pc, self.word)
            if len(table.recalled) >= MAX_RECALLED:
                table.recalled.clear()
            table.recalled[place] = insn
        return insn

    def _evict(self) -> None:
        """Forget the quarter of the decoded instructions that was asked for least recently."""
        for pc in [pc for pc in self.insns if pc not in self.retained][: MAX_DECODED // 4]:
            self.forget(pc)

    def forget(self, pc: int) -> None:
        """Drop the decoded instruction at an address."""
        del self.insns[pc]
        for method in self.on_invalidate:
            forget = method()
            if forget is not None:
                forget(pc)

    def invalidate(self, start: int, stop: int) -> list[int]:
        """Forget every instruction with a byte in start..stop-1, which were written; return their addresses."""
        max_bytes, found = self.cpu.isa.max_bytes, []
        size = stop - start
        near = (pc & ADDRESS_MASK for pc in range(start - max_bytes, stop))
        for pc in near if size + max_bytes < len(self.insns) else list(self.insns):
            insn = self.insns.get(pc)
            if insn and ((pc - start) & ADDRESS_MASK < size or start & ADDRESS_MASK in self.bytes_of(insn)):
                self.forget(pc)
                self._unmark(insn)
                found.append(pc)
        self.code[start:stop] = 0
        self._watch_boundaries()
        return found

    def _unmark(self, insn: Insn) -> None:
        """Let stores into an instruction that is forgotten go unnoticed, but for bytes of others."""
        for address in self.bytes_of(insn):
            self._watched[address] &= ~DECODED
        for pc in range(insn.pc - self.cpu.isa.max_bytes + 1, insn.pc + self.cpu.isa.max_bytes):
            other = self.insns.get(pc & ADDRESS_MASK)
            for address in self.bytes_of(other) if other else ():
                self._watched[address] |= DECODED

    def notice_writes(self) -> None:
        """Forget the instructions that the program itself has overwritten."""
        if self.state["written_high"]:
            self.sync_mirrors()
            for pc in self.invalidate(int(self.state["written_low"]), int(self.state["written_high"])):
                self._count_overwritten(pc)
        self.state["written_low"], self.state["written_high"] = 0xFFFFFFFF, 0

    def _count_overwritten(self, pc: int) -> None:
        """Count that the program has overwritten an instruction; at the ends of memory stores are noticed anyway."""
        count = self._overwritten[pc] = self._overwritten.get(pc, 0) + 1
        is_inside = MIRROR_BYTES <= pc <= ADDRESS_MASK - 2 * MIRROR_BYTES and not pc % self.cpu.isa.word_bytes
        if count == UNSTEADY_AFTER and is_inside and len(self.unsteady) < MAX_UNSTEADY:
            self.unsteady.add(pc)
        if len(self._overwritten) > MAX_DECODED:
            self._overwritten.clear()

    def write(self, address: int, data: bytes) -> None:
        """Write memory from outside (loader, debugger): decoded code in the range is forgotten."""
        if self.on_write is not None:
            self.on_write(address, data)
        self.ram[address : address + len(data)] = np.frombuffer(data, np.uint8)
        if self.code[address : address + len(data)].any():
            self.invalidate(address, address + len(data))

    def replace(self, chunks: Iterable[np.ndarray]) -> None:
        """Replace memory as a whole; instructions whose bytes stay the same stay decoded.

        chunks  uint8[n] one after the other, each n a multiple of 8, from address 0 on
        """
        if self.on_replace is not None:
            self.on_replace()
        overwritten, start = [np.zeros(0, np.int64)], 0
        size = CHUNK_BYTES
        for new in (chunk[place : place + size] for chunk in chunks for place in range(0, len(chunk), size)):
            old, code = (memory[start : start + len(new)] for memory in (self.ram, self.code))
            if not np.array_equal(old.view(np.uint64), new.view(np.uint64)):
                overwritten.append(start + np.flatnonzero((old != new) & (code != 0)))
                old[:] = new
            start += len(new)
        addresses = np.concatenate(overwritten)
        if len(addresses):
            for stretch in np.split(addresses, np.flatnonzero(np.diff(addresses) > 1) + 1):
                self.invalidate(int(stretch[0]), int(stretch[-1]) + 1)
