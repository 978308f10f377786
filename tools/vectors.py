"""Single-instruction test vectors: their files, and what the m68000 set leaves to its readers to know.

Two forms are read. A *sample* is a NumPy archive NAME.npz without pickles: `regs` u32[n, 2, registers] before and
after, memory as addresses and bytes or words with offsets per test, and where known `index`, `cycles`, `skip` and a
mask of flags, `ccr_mask` (68K) or `flags_mask` (80286). An *upstream* file is NAME.json.bin of
github.com/SingleStepTests/m68000; it has neither masks nor classes, so `classify` finds them from each test by the
rules below.

PowerPC vectors are one such archive: `opcode`, `ra` (r3 before), `rb` (r4 before), `rd` (r3 after) where `has_rd`, and
`xer` and `cr` after, which begin as 0; uint32[n] and bool[n].

Classes of m68000 tests (bits of `skip`), and the flags that are compared:

    1   address error: the test ends at the handler of vector 3 with a 14-byte frame on the supervisor stack
    2   ABCD, SBCD, NBCD with an operand digit above 9: the manual leaves the result undefined
    4   LINK A7: models differ in the word they push
    8   STOP: the pc after one that succeeds is that before it
    16  TAS: the source calls the clocks of its memory forms wrong, so `Vector.cycles` is None there
    N and V are undefined after the decimal instructions, N and Z after a division that overflows,
    all but X after CHK, all but X and N when it traps (M68000PRM section 4).

Whatever is wrong with a file, truncated or hostile, is an InputFileError.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from retrosim.errors import InputFileError

MAX_BYTES = 64 << 20  # of one file, packed and unpacked; the longest known has about a tenth of that
ADDRESS_MASK = 0xFFFFFF
REGISTERS = 19  # d0-d7 a0-a6 usp ssp sr pc
A7, SSP, SR, PC = 15, 16, 17, 18
ALL_FLAGS = 0x1F
SUPERVISOR = 0x2000

ADDRESS_ERROR, BCD, LINK_A7, STOP, TAS = 1, 2, 4, 8, 16
CLASSES = {"address-errors": ADDRESS_ERROR, "bcd": BCD, "link": LINK_A7, "stop": STOP, "tas": TAS}

Cells = list[tuple[int, int]]


@dataclass(slots=True)
class Vector:
    """One test: a state, one instruction, the state after it.

    index    position in the file
    before   68K: d0-d7 a0-a6 usp ssp sr pc; 80286: ax bx cx dx cs ss ds es sp bp si di ip flags; PowerPC: the
             instruction, r3, r4
    after    the same, after the instruction; PowerPC: xer, cr, and r3 where it is known
    ram      (address, byte or word) before; everything else reads as zero
    out      (address, byte or word) after, where it differs from before
    cycles   clocks of the instruction, None where the suite does not say
    mask     condition codes that are compared
    masks    bits of each register that are compared, [] for all
    skip     class of tests it belongs to, 0 for a plain one
    flags_at address of the FLAGS that an exception has pushed (80286), else None
    """

    index: int
    before: list[int]
    after: list[int]
    ram: Cells
    out: Cells
    cycles: int | None = None
    mask: int = ALL_FLAGS
    skip: int = 0
    flags_at: int | None = None
    masks: list[int] = field(default_factory=list)


def read_vectors(path: Path, unit: int) -> list[Vector]:
    """Read a file of 68K vectors in either form.

    path     NAME.npz or NAME.json.bin
    unit     bytes of a memory cell: 2 words, 1 bytes (samples only)
    Errors   InputFileError
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputFileError(path, f"longer than {MAX_BYTES} bytes")
        return read_sample(path, unit) if unit == 1 or path.suffix == ".npz" else read_upstream(path)
    except OSError as error:
        raise InputFileError(path, error.strerror or str(error)) from None


def read_sample(path: Path, unit: int, registers: int = REGISTERS) -> list[Vector]:
    """Read a NumPy archive of vectors with that many registers. Errors: InputFileError."""
    arrays = _arrays(path)

    def get(name: str, bits: int, shape: tuple[int, ...]) -> list:
        array = arrays.get(name)
        if array is None:
            raise InputFileError(path, f"array {name} is missing")
        if array.dtype.kind != "u" or array.dtype.itemsize * 8 > bits or array.ndim != len(shape):
            raise InputFileError(path, f"array {name} is {array.dtype}{list(array.shape)}")
        if any(a != b for a, b in zip(array.shape, shape) if b >= 0):
            raise InputFileError(path, f"array {name} has the shape {list(array.shape)}, not {list(shape)}")
        return array.tolist()

    def memory(name: str) -> Callable[[int], Cells]:
        offsets = get(f"{name}_off", 32, (count + 1,))
        addresses = get(f"{name}_addr", 32, (-1,))
        values = get(f"{name}_{'word' if unit == 2 else 'byte'}", 8 * unit, (len(addresses),))
        if offsets != sorted(offsets) or offsets[-1] > len(addresses):
            raise InputFileError(path, f"array {name}_off does not ascend within {name}_addr")
        if any(a > ADDRESS_MASK or a % unit for a in addresses):
            raise InputFileError(path, f"array {name}_addr has an address out of range or misaligned")
        cells = list(zip(addresses, values))
        return lambda k: cells[offsets[k] : offsets[k + 1]]

    regs = get("regs", 32, (-1, 2, registers))
    count = len(regs)
    ram, out = memory("ram"), memory("out")
    cycles = get("cycles", 32, (count,)) if "cycles" in arrays else [None] * count
    mask, width = ("ccr_mask", 8) if registers == REGISTERS else ("flags_mask", 16)
    masks = get(mask, width, (count,)) if mask in arrays else [ALL_FLAGS] * count
    skips = get("skip", 8, (count,)) if "skip" in arrays else [0] * count
    pushed = get("exc_flag_addr", 32, (count,)) if "exc_flag_addr" in arrays else [None] * count
    vectors = [Vector(k, *regs[k], ram(k), out(k), cycles[k], masks[k], skips[k], pushed[k]) for k in range(count)]
    if unit == 2:
        for vector in vectors:
            _drop_wrong_cycles(vector)
    return vectors


def _arrays(path: Path) -> dict[str, np.ndarray]:
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > MAX_BYTES:
            raise InputFileError(path, f"unpacks to more than {MAX_BYTES} bytes")
        with np.load(path, allow_pickle=False) as archive:
            arrays = dict(archive)
    except InputFileError:
        raise
    except Exception as error:  # a damaged archive raises nearly anything
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputFileError(path, f"not a NumPy archive of vectors: {reason}") from None
    if not all(isinstance(array, np.ndarray) for array in arrays.values()):
        raise InputFileError(path, "not a NumPy archive of vectors: a member is no array")
    return arrays


def read_ppc(path: Path) -> list[Vector]:
    """Read an archive of PowerPC vectors. Errors: InputFileError."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputFileError(path, f"longer than {MAX_BYTES} bytes")
    except OSError as error:
        raise InputFileError(path, error.strerror or str(error)) from None
    arrays = _arrays(path)
    count = None
    for name, kind in (*dict.fromkeys(("opcode", "ra", "rb", "rd", "xer", "cr"), "uint32").items(), ("has_rd", "bool")):
        array = arrays.get(name)
        if array is None:
            raise InputFileError(path, f"array {name} is missing")
        count = len(array) if count is None and array.ndim == 1 else count
        if array.dtype != kind or array.shape != (count,):
            raise InputFileError(path, f"array {name} is {array.dtype}{list(array.shape)}, not {kind}[{count}]")
    columns = [arrays[name].tolist() for name in ("opcode", "ra", "rb", "xer", "cr", "rd", "has_rd")]
    return [
        Vector(k, [opcode, ra, rb], [xer, cr, *([rd] if has_rd else [])], [], [])
        for k, (opcode, ra, rb, xer, cr, rd, has_rd) in enumerate(zip(*columns))
    ]


# Upstream files: blocks of little-endian words, each led by its size and a magic number.
FILE, TEST, NAME, STATE, TRANSACTIONS = 0x1A3F5D71, 0xABC12367, 0x89ABCDEF, 0x01234567, 0x456789AB
_CELL, _PREFETCH = struct.Struct("<IH"), 2
_IDLE, _LAST_KIND = 0, 5  # idle, write, read, TAS, aborted accesses


class _Reader:
    """A position in the bytes of an upstream file."""

    def __init__(self, path: Path) -> None:
        self.path, self.data, self.position = path, path.read_bytes(), 0

    def fail(self, reason: str) -> InputFileError:
        return InputFileError(self.path, f"{reason} (near byte {self.position})")

    def take(self, size: int) -> bytes:
        if size > len(self.data) - self.position:
            raise self.fail(f"ends within a test: {size} bytes are missing from {len(self.data)}")
        self.position += size
        return self.data[self.position - size : self.position]

    def words(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}I", self.take(4 * count))

    def block(self, magic: int) -> None:
        found = self.words(2)[1]
        if found != magic:
            raise self.fail(f"a block {magic:08X}h was expected, {found:08X}h is there")

    def state(self) -> tuple[list[int], Cells]:
        self.block(STATE)
        *registers, count = self.words(REGISTERS + _PREFETCH + 1)
        cells = list(_CELL.iter_unpack(self.take(_CELL.size * count)))
        if any(address > ADDRESS_MASK or address & 1 for address, _ in cells):
            raise self.fail("an address is out of range or odd")
        return registers[:REGISTERS], cells

    def transactions(self) -> int:
        """Skip the bus log; return the clocks of the whole test."""
        self.block(TRANSACTIONS)
        cycles, count = self.words(2)
        for _ in range(count):
            kind = self.take(5)[0]
            if kind > _LAST_KIND:
                raise self.fail(f"transaction of unknown kind {kind}")
            if kind != _IDLE:
                self.take(16)
        return cycles


def read_upstream(path: Path) -> list[Vector]:
    """Read a file of SingleStepTests/m68000 v1; classes and masks are derived. Errors: InputFileError."""
    return list(_upstream(_Reader(path)))


def _upstream(reader: _Reader) -> Iterator[Vector]:
    magic, count = reader.words(2)
    if magic != FILE:
        raise reader.fail("not a file of SingleStepTests/m68000")
    for index in range(count):
        reader.block(TEST)
        reader.block(NAME)
        reader.take(reader.words(1)[0])
        before, ram = reader.state()
        after, out = reader.state()
        vector = Vector(index, before, after, ram, out, reader.transactions())
        vector.skip, vector.mask = classify(vector)
        _drop_wrong_cycles(vector)
        yield vector


def _opcode(vector: Vector, memory: dict[int, int]) -> int:
    return memory.get(vector.before[PC] - 4 & ADDRESS_MASK, 0)


def _drop_wrong_cycles(vector: Vector) -> None:
    if vector.skip & TAS and _opcode(vector, dict(vector.ram)) & 0x38:
        vector.cycles = None


def classify(vector: Vector) -> tuple[int, int]:
    """Return the class (`skip`) and the flags to compare of an m68000 test; the rules are in the module's text."""
    memory = dict(vector.ram)
    opcode = _opcode(vector, memory)
    if _taken(vector, memory, 3) and _has_group_0_frame(vector, memory):
        return ADDRESS_ERROR, ALL_FLAGS
    overflow = vector.after[SR] & 2
    if opcode & 0xF1F0 in (0xC100, 0x8100) or opcode & 0xFFC0 == 0x4800:
        digits = _decimal_operands(vector, memory, opcode)
        return BCD if any(d & 0xF > 9 or d >> 4 > 9 for d in digits) else 0, 0x15
    if opcode & 0xF0C0 == 0x80C0 and overflow:
        return 0, 0x13
    if opcode & 0xF1C0 == 0x4180:
        return 0, 0x18 if _taken(vector, memory, 6) else 0x10
    if opcode & 0xFFC0 == 0x4AC0 and opcode != 0x4AFC:
        return TAS, ALL_FLAGS
    return {0x4E57: LINK_A7, 0x4E72: STOP}.get(opcode, 0), ALL_FLAGS


def _taken(vector: Vector, memory: dict[int, int], number: int) -> bool:
    """Tell whether the test ends at the handler of an exception vector."""
    words = [memory.get(4 * number), memory.get(4 * number + 2)]
    if None in words or not vector.after[SR] & SUPERVISOR:
        return False
    return (vector.after[PC] - 4 ^ (words[0] << 16 | words[1])) & ADDRESS_MASK == 0


def _has_group_0_frame(vector: Vector, memory: dict[int, int]) -> bool:
    known = memory | dict(vector.out)
    return all(vector.after[SSP] + i & ADDRESS_MASK in known for i in range(0, 14, 2))


def _decimal_operands(vector: Vector, memory: dict[int, int], opcode: int) -> list[int]:
    """Return the bytes that ABCD, SBCD or NBCD works on."""
    registers = [*vector.before[:A7], vector.before[SSP if vector.before[SR] & SUPERVISOR else A7]]

    def byte(address: int) -> int:
        word = memory.get(address & ADDRESS_MASK & ~1, 0)
        return word & 0xFF if address & 1 else word >> 8

    def decremented(n: int) -> int:
        registers[n] -= 2 if n == A7 else 1
        return registers[n]

    if opcode & 0xFFC0 != 0x4800:
        y, x = opcode & 7, opcode >> 9 & 7
        if opcode & 8:
            return [byte(decremented(8 + y)), byte(decremented(8 + x))]
        return [registers[y] & 0xFF, registers[x] & 0xFF]
    mode, n = opcode >> 3 & 7, opcode & 7
    if mode == 0:
        return [registers[n] & 0xFF]
    extension = [memory.get(vector.before[PC] + 2 * i - 2 & ADDRESS_MASK, 0) for i in range(2)]
    base = registers[8 + n]
    match mode:
        case 4:
            base = decremented(8 + n)
        case 5:
            base += _signed(extension[0])
        case 6:
            index = registers[extension[0] >> 12]
            base += (extension[0] & 0x7F) - (extension[0] & 0x80)
            base += index if extension[0] & 0x800 else _signed(index & 0xFFFF)
        case 7:
            base = extension[0] << 16 | extension[1] if n else _signed(extension[0])
    return [byte(base)]


def _signed(word: int) -> int:
    return word - ((word & 0x8000) << 1)
