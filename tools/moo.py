"""MOO files: single-instruction tests recorded from x86 processors.

The format is version 1.1 of that described in the repository dbalsom/moo on GitHub: chunks of a name of four letters, a
length and content, all numbers little-endian. Files are NAME.MOO, or NAME.MOO.gz as github.com/SingleStepTests/80286
and /80386 have them. Chunks that are not needed here, or not known, are passed over.

Whatever is wrong with a file, truncated or hostile, is an InputFileError.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from retrosim.errors import InputFileError

MAX_PACKED, MAX_BYTES = 64 << 20, 256 << 20  # of a file, and of what a packed one unpacks to
MAX_ADDRESS = 0xFFFFFF
FILE, TEST = b"MOO ", b"TEST"
WIDTHS = {b"REGS": 2, b"RG32": 4, b"RMSK": 2, b"RM32": 4}  # registers and their masks: bytes of each, and of the list
REGISTERS = {2: 14, 4: 20}  # ax bx cx dx cs ss ds es sp bp si di ip flags; cr0 cr3 eax .. eip eflags dr6 dr7
CELL, HEADER = struct.Struct("<IB"), 12
CYCLE_BYTES, HASH_BYTES = 15, 20

Cells = list[tuple[int, int]]
Chunk = tuple[bytes, memoryview]


@dataclass(slots=True)
class MooTest:
    """One test.

    index      position in the file
    code       the instruction's bytes, with the HALT behind it where the file has it
    before     all registers, in the order of `REGISTERS`
    after      the same, after the instruction
    masks      bits of each register that are defined after it
    ram, out   (address, byte) before, and after where it differs
    clocks     bus states from the jump to the instruction to the HALT behind it, None where the file has none
    exception  number of the exception or interrupt taken, None without one
    flags_at   address of the flags that it pushed
    digest     the test's hash in hexadecimal, "" without one
    """

    index: int
    code: bytes = b""
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    masks: list[int] = field(default_factory=list)
    ram: Cells = field(default_factory=list)
    out: Cells = field(default_factory=list)
    clocks: int | None = None
    exception: int | None = None
    flags_at: int | None = None
    digest: str = ""


def read_moo(path: Path, cpus: dict[str, int]) -> list[MooTest]:
    """Read the tests of a file.

    cpus     processors that the file may be of, and the bytes of their registers: {"C286": 2}
    Errors   InputFileError
    """
    return _File(path).tests(cpus)


class _File:
    """The bytes of a file, and what is said of them when something is wrong."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data = memoryview(self._read())

    def _read(self) -> bytes:
        try:
            if self.path.stat().st_size > MAX_PACKED:
                raise self.fail(f"longer than {MAX_PACKED} bytes")
            if self.path.suffix != ".gz":
                return self.path.read_bytes()
            with gzip.open(self.path) as packed:
                data = packed.read(MAX_BYTES + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise self.fail(f"not a gzip file: {error}") from None
        except OSError as error:
            raise self.fail(error.strerror or str(error)) from None
        if len(data) > MAX_BYTES:
            raise self.fail(f"unpacks to more than {MAX_BYTES} bytes")
        return data

    def fail(self, reason: str) -> InputFileError:
        return InputFileError(self.path, reason)

    def chunks(self, data: memoryview) -> Iterator[Chunk]:
        """Yield the chunks that content consists of."""
        place = 0
        while place < len(data):
            name = bytes(data[place : place + 4])
            size = self.number(data[place + 4 :], 4, f"the length of a chunk {_shown(name)}")
            content = data[place + 8 : place + 8 + size]
            if len(content) < size:
                raise self.fail(f"ends within a chunk {_shown(name)}: {size - len(content)} bytes are missing")
            yield name, content
            place += 8 + size

    def number(self, data: memoryview, size: int, what: str) -> int:
        """Return the number that content begins with."""
        if len(data) < size:
            raise self.fail(f"ends within {what}")
        return int.from_bytes(data[:size], "little")

    def tests(self, cpus: dict[str, int]) -> list[MooTest]:
        if self.data[:4] != FILE:
            raise self.fail("not a MOO file")
        tests: list[MooTest] = []
        shared: dict[int, int] = {}
        width = count = 0
        for name, content in self.chunks(self.data):
            if name == FILE:
                cpu = bytes(content[8:HEADER]).decode("ascii", "replace").strip()
                if cpu not in cpus:
                    raise self.fail(f"tests of a processor {cpu!r}: allowed {', '.join(cpus)}")
                width, count = cpus[cpu], self.number(content[4:], 4, "the number of tests")
            elif name in (b"RMSK", b"RM32"):
                shared = self.registers(name, content)
            elif name == TEST:
                tests.append(self.test(content, shared, width))
        if len(tests) != count:
            raise self.fail(f"has {len(tests)} tests, not {count} as it says")
        return tests

    def test(self, data: memoryview, shared: dict[int, int], width: int) -> MooTest:
        test = MooTest(self.number(data, 4, "the index of a test"))
        changed, masks = {}, dict(shared)
        for name, content in self.chunks(data[4:]):
            what = f"{_shown(name)} of test {test.index}"
            match name:
                case b"BYTS":
                    test.code = bytes(content[4 : 4 + self.number(content, 4, what)])
                case b"INIT":
                    registers, _, test.ram = self.state(content, what)
                    test.before = [registers[n] for n in sorted(registers)]
                case b"FINA":
                    changed, more, test.out = self.state(content, what)
                    masks |= more
                case b"CYCL":
                    test.clocks = self.number(content, 4, what)
                    if len(content) < 4 + test.clocks * CYCLE_BYTES:
                        raise self.fail(f"ends within {what}")
                case b"EXCP":
                    test.exception = self.number(content, 1, what)
                    test.flags_at = self.number(content[1:], 4, what)
                case b"HASH":
                    test.digest = bytes(content[:HASH_BYTES]).hex()
        if len(test.before) != REGISTERS[width]:
            raise self.fail(f"test {test.index} does not begin with {REGISTERS[width]} registers")
        if max((*changed, *masks), default=0) >= REGISTERS[width]:
            raise self.fail(f"test {test.index} ends with registers of another processor")
        test.after = [changed.get(n, value) for n, value in enumerate(test.before)]
        test.masks = [masks.get(n, (1 << 8 * width) - 1) for n in range(REGISTERS[width])]
        return test

    def state(self, data: memoryview, what: str) -> tuple[dict[int, int], dict[int, int], Cells]:
        """Return registers and masks by number, and the listed memory."""
        registers, masks, cells = {}, {}, []
        for name, content in self.chunks(data):
            match name:
                case b"REGS" | b"RG32":
                    registers = self.registers(name, content)
                case b"RMSK" | b"RM32":
                    masks = self.registers(name, content)
                case b"RAM ":
                    count = self.number(content, 4, what)
                    if len(content) < 4 + count * CELL.size:
                        raise self.fail(f"ends within the memory in {what}")
                    cells = list(CELL.iter_unpack(content[4 : 4 + count * CELL.size]))
        if any(address > MAX_ADDRESS for address, _ in cells):
            raise self.fail(f"an address in {what} is over {MAX_ADDRESS:X}h")
        return registers, masks, cells

    def registers(self, name: bytes, data: memoryview) -> dict[int, int]:
        """Return register number -> value of those that are listed."""
        width = WIDTHS[name]
        listed = self.number(data, width, _shown(name))
        numbers = [n for n in range(8 * width) if listed >> n & 1]
        if numbers and numbers[-1] >= REGISTERS[width]:
            raise self.fail(f"{_shown(name)} has a register {numbers[-1]}: allowed 0 to {REGISTERS[width] - 1}")
        values = data[width:]
        return {n: self.number(values[width * k :], width, _shown(name)) for k, n in enumerate(numbers)}


def _shown(name: bytes) -> str:
    return name.decode("ascii", "backslashreplace").strip()
