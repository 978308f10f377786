"""Single-instruction test vectors of the 80286 and the 80386, and what their files leave to their readers to know.

A *sample* is a NumPy archive with masks and classes (see `vectors`). An *upstream* file is one of
github.com/SingleStepTests/80286, v1_real_mode, or /80386, v1_ex_real_mode: NAME.MOO.gz (see `moo`). Those of the 80386
have masks, and of their tests `system` are those that move control, debug and test registers or descriptors: most of
them leave real mode. Those of the 80286 have neither masks nor classes: `classify` finds both.

Flags that Intel's manuals leave undefined, and that are not compared on another processor than the 286:

    AF                after AND, OR, XOR, TEST, and after shifts
    OF                after shifts and rotates by more than 1
    CF                after SHL and SHR by more than the size of the operand
    SF ZF AF PF       after a multiplication
    all six           after a division
    OF CF AF          after AAM, AAD
    OF                after DAA, DAS
    OF SF ZF PF       after AAA, AAS

Tests whose hash is in `revocation_list.txt`, beside the file or one folder above, are of the class `revoked`.
"""

from __future__ import annotations

import re
from pathlib import Path

from moo import MooTest, read_moo
from vectors import Vector, read_sample

from retrosim.errors import InputFileError

REGISTERS = 14
CLASSES = {"lock": 1, "limits": 2, "long": 4, "fs-gs": 8, "escapes": 16, "revoked": 32}  # no test of a 386 among them
REVOKED = CLASSES["revoked"]
CLASSES_80386 = {"system": 1, "revoked": 32}
CPUS, CPUS_80386 = {"C286": 2}, {"386E": 4}  # the processor that files are of, and the bytes of its registers
PREFIXES_80386, TWO_BYTES, SYSTEM = b"\x64\x65\x66\x67", 0x0F, (*range(8), *range(0x20, 0x28))
LONGEST = 10  # bytes of an instruction of the 286
LIMITS = (12, 13)  # exceptions of an operand beyond the end of a segment
PREFIXES, LOCK = b"\x26\x2e\x36\x3e\xf0\xf2\xf3", 0xF0
CX = 2  # its place among the registers

CF, PF, AF, ZF, SF, OF = 1, 4, 0x10, 0x40, 0x80, 0x800
UNDEFINED_UNARY = {0: AF, 1: AF, 4: SF | ZF | AF | PF, 5: SF | ZF | AF | PF}  # F6, F7: TEST, MUL, IMUL
UNDEFINED = {
    **dict.fromkeys((0x84, 0x85, 0xA8, 0xA9), AF),
    **dict.fromkeys((0x69, 0x6B), SF | ZF | AF | PF),
    **dict.fromkeys((0xD4, 0xD5), OF | CF | AF),
    **dict.fromkeys((0x27, 0x2F), OF),
    **dict.fromkeys((0x37, 0x3F), OF | SF | ZF | PF),
}
LOGIC = (1, 4, 6)  # OR, AND, XOR among the eight kinds of arithmetic
DEFINED = 0x0FD5  # flags that the 286 has in real mode
MAX_LIST = 4 << 20  # bytes of a list of revoked tests


def read_80286(path: Path) -> list[Vector]:
    """Read 80286 vectors, NAME.npz, NAME.MOO or NAME.MOO.gz. Errors: InputFileError."""
    if path.suffix == ".npz":
        return read_sample(path, 1, REGISTERS)
    revoked = _revoked(path)
    return [_vector(test, revoked) for test in read_moo(path, CPUS)]


def read_80386(path: Path) -> list[Vector]:
    """Read 80386 vectors, NAME.MOO or NAME.MOO.gz. Errors: InputFileError."""
    revoked, vectors = _revoked(path), []
    for test in read_moo(path, CPUS_80386):
        code = test.code.lstrip(PREFIXES + PREFIXES_80386)
        is_system = code[:1] == bytes([TWO_BYTES]) and code[1:2] in [bytes([each]) for each in SYSTEM]
        skip = CLASSES_80386["system"] * is_system | REVOKED * (test.digest in revoked)
        vector = Vector(test.index, test.before, test.after, test.ram, test.out, None, -1, skip, test.flags_at)
        vector.masks = test.masks
        vectors.append(vector)
    return vectors


def _vector(test: MooTest, revoked: set[str]) -> Vector:
    skip, mask = classify(test)
    if test.digest in revoked:
        skip |= REVOKED
    cells = (test.ram, test.out)
    return Vector(test.index, test.before, test.after, *cells, test.clocks, mask, skip, test.flags_at)


def _revoked(path: Path) -> set[str]:
    """Return the hashes of tests that the suite has withdrawn."""
    for folder in (path.parent, path.parent.parent):
        file = folder / "revocation_list.txt"
        try:
            if file.is_file() and file.stat().st_size <= MAX_LIST:
                return set(re.findall(r"^\s*([0-9a-f]{40})\s*$", file.read_text("utf-8", "replace"), re.MULTILINE))
        except OSError as error:
            raise InputFileError(file, error.strerror or str(error)) from None
    return set()


def classify(test: MooTest) -> tuple[int, int]:
    """Return the class (`skip`) and the flags to compare of a test of the 80286."""
    code = test.code
    start = next((place for place, byte in enumerate(code) if byte not in PREFIXES), 0)
    opcode, modrm = (code[start : start + 2] + bytes(2))[:2]
    skip = CLASSES["lock"] if LOCK in code[:start] else 0
    if test.exception in LIMITS:
        skip |= CLASSES["limits"]
    if len(code) > LONGEST + 1:  # with the HALT
        skip |= CLASSES["long"]
    if opcode in (0x8C, 0x8E) and modrm >> 3 & 4:
        skip |= CLASSES["fs-gs"]
    if 0xD8 <= opcode <= 0xDF:
        skip |= CLASSES["escapes"]
    return skip, DEFINED & ~_undefined(test, opcode, modrm, code[-2] if len(code) > 1 else 0)


def _undefined(test: MooTest, opcode: int, modrm: int, immediate: int) -> int:
    kind = modrm >> 3 & 7
    if opcode in (0xC0, 0xC1, 0xD0, 0xD1, 0xD2, 0xD3):
        count = {0xC: immediate, 0xD: 1 if opcode < 0xD2 else test.before[CX]}[opcode >> 4] & 31
        is_shift, bits = kind >= 4, 16 if opcode & 1 else 8
        lost = CF if is_shift and kind != 7 and count >= bits else 0
        return (AF if is_shift and count else 0) | (OF if count > 1 else 0) | lost
    if opcode < 0x40 and opcode & 7 < 6:
        return AF if opcode >> 3 in LOGIC else 0
    if 0x80 <= opcode <= 0x83:
        return AF if kind in LOGIC else 0
    if opcode in (0xF6, 0xF7):
        return UNDEFINED_UNARY.get(kind, CF | PF | AF | ZF | SF | OF) if kind not in (2, 3) else 0
    return UNDEFINED.get(opcode, 0)
