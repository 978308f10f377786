"""Saved machine states: one versioned, digest-protected blob, read without trust.

8 bytes   magic "RSTATE02"
4 bytes   length of the header, big-endian, at most 256 KiB
header    canonical JSON: machine, revisions, what it runs, parameters, counters; of a simulated machine also the layout
          of its registers
rest      zlib stream of registers and memory, or of the native machine's arrays; the reader limits its length
16 bytes  blake2b of everything before
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np

from retrosim.cpu.engines.core import CHUNK_BYTES, Core, memory_chunks
from retrosim.cpu.spec.cpu import ADDRESS_MASK, RUNNING
from retrosim.errors import SceneError, StateError

from .memory import INPUT_WORDS

# Registers and memory as one zlib stream: most of memory is zeros, and for those the compressed form is at hand.

UNIT_BYTES = 1 << 16
STREAM_HEADER = b"\x78\x01"  # RFC 1950: deflate with a window of 32 KB, the fastest level
RAW = -15  # deflate without header and checksum, RFC 1951
ADLER_MODULUS = 65521
UNPACKED_BYTES = 1 << 20  # at once


def pack(registers: bytes, memory: np.ndarray) -> bytes:
    """Compress registers and memory.

    memory   uint8[n], n a multiple of UNIT_BYTES
    Returns  zlib stream (RFC 1950)
    """
    parts, adler = [STREAM_HEADER, _packed(registers)], zlib.adler32(registers)
    for piece in _pieces(memory):
        if isinstance(piece, int):
            adler = _adler_with_zeros(adler, piece)
            parts.append(_packed_zeros() * (piece // UNIT_BYTES))
        else:
            adler = zlib.adler32(piece, adler)
            parts.append(_packed(piece))
    end = zlib.compressobj(1, zlib.DEFLATED, RAW).flush()
    return b"".join((*parts, end, adler.to_bytes(4, "big")))


def _adler_with_zeros(adler: int, count: int) -> int:
    """Return the checksum of some content (RFC 1950) followed by so many zeros."""
    low, high = adler & 0xFFFF, adler >> 16
    return low | (high + count * low) % ADLER_MODULUS << 16


def _pieces(memory: np.ndarray) -> Iterator[int | memoryview]:
    """Yield stretches of memory: those of zeros as their length, the others as they are."""
    chunks = memory.reshape(-1, UNIT_BYTES)
    is_used: np.ndarray = np.any(chunks.view(np.uint64), axis=1)
    ends = [*(np.flatnonzero(np.diff(is_used)) + 1).tolist(), len(chunks)]
    start = 0
    for end in ends:
        yield chunks[start:end].reshape(-1).data if is_used[start] else (end - start) * UNIT_BYTES
        start = end


def _packed(content: bytes | memoryview, level: int = 1) -> bytes:
    """Compress content to blocks that need nothing before them."""
    packer = zlib.compressobj(level, zlib.DEFLATED, RAW)
    return packer.compress(content) + packer.flush(zlib.Z_FULL_FLUSH)


@cache
def _packed_zeros() -> bytes:
    return _packed(bytes(UNIT_BYTES), 9)


def unpack(packed: bytes, limit: int) -> np.ndarray:
    """Decompress registers and memory, `limit` bytes at most. Errors: StateError, zlib.error."""
    content = np.zeros(limit, np.uint8)
    quick = _unpacked_but_for_zeros(packed, content)
    if quick is not None:
        return content[:quick]
    unpacker, length = zlib.decompressobj(), 0
    while packed and length < limit:
        piece = unpacker.decompress(packed, min(UNPACKED_BYTES, limit - length))
        content[length : length + len(piece)] = np.frombuffer(piece, np.uint8)
        packed, length = unpacker.unconsumed_tail, length + len(piece)
    if not unpacker.eof:
        raise StateError("saved state", "unreadable: not a whole state")
    return content[:length]


def _unpacked_but_for_zeros(packed: bytes, content: np.ndarray) -> int | None:
    """Decompress what `pack` made, skipping chunks of zeros; None if it is no such stream or its checksum differs.

    content  uint8[limit], zeros
    Returns  how many bytes of it were filled
    """
    zeros, position, length, adler = _packed_zeros(), len(STREAM_HEADER), 0, 1
    unpacker = zlib.decompressobj(RAW)
    while packed.startswith(STREAM_HEADER) and not unpacker.eof:
        found = packed.find(zeros, position)
        rest = packed[position : found if found >= 0 else len(packed)]
        while rest and not unpacker.eof:
            room = len(content) - length
            try:
                piece = unpacker.decompress(rest, min(UNPACKED_BYTES, room + 1))
            except zlib.error:
                return None
            if len(piece) > room:
                return None
            content[length : length + len(piece)] = np.frombuffer(piece, np.uint8)
            length, adler, rest = length + len(piece), zlib.adler32(piece, adler), unpacker.unconsumed_tail
        if found < 0:
            return length if unpacker.eof and unpacker.unused_data == adler.to_bytes(4, "big") else None
        position = found
        while packed.startswith(zeros, position):
            position += len(zeros)
        count = (position - found) // len(zeros) * UNIT_BYTES
        length, adler = length + count, _adler_with_zeros(adler, count)
        if length > len(content):
            return None
    return None


MAGIC = b"RSTATE02"
MAX_HEADER = 1 << 18
MAX_CLOCKS = 1 << 62
MAX_AHEAD = 1 << 32  # clocks that a stage of the pipeline or the bus may be ahead of execution
MAX_CONTENT = 2 * (ADDRESS_MASK + 1)  # bytes that a state unpacks to
MAX_STATE_BYTES = 2 * MAX_CONTENT  # of a file: more than any content packs to, with its header
DIGEST_BYTES = 16
PAGE = 4096
HOST_FIELDS = (  # how the last run ended and what was counted besides, not what the machine is
    *("reason", "detail", "access", "written_low", "written_high", "read_low", "read_high", "touched_by", "taken"),
    *("limit", "causes", "bubble"),
)
CONSTANT_FIELDS = ("memory",)  # set once, by the parameters of caches and bus

Header = dict[str, Any]
CheckSettings = Callable[[dict[str, int], str | None], object]


@dataclass(frozen=True)
class Identity:
    """What a state belongs to; no other machine takes it.

    machine, mode  the preset's name, and what the ROM does
    spec, timing   revisions
    image          digest of the ROM image
    """

    machine: str
    spec: str
    timing: str
    image: str
    mode: str


@dataclass(frozen=True)
class Counters:
    """What the host knows of a machine besides its registers and memory.

    frame_start   clocks and instructions when the present frame began
    tick_pending  1 if a tick has not interrupted the CPU yet
    scene         text of the scene, or None: files of machines without one lack the entry
    the others    the attributes of `Machine`
    """

    parameters: dict[str, int]
    frame_number: int
    frame_cycles: int
    frame_instructions: int
    frame_start: tuple[int, int]
    instructions: int
    exit_status: int | None
    tick_pending: int
    scene: str | None = None


def register_fields(core: Core) -> list[str]:
    """Return the state fields that belong to the simulated machine."""
    return [name for name in core.cpu.layout.fields if name not in HOST_FIELDS and name not in core.cpu.derived]


def registers(core: Core) -> bytes:
    """Return registers and clocks in layout order, little-endian."""
    return b"".join(np.ascontiguousarray(core.state[name]).tobytes() for name in register_fields(core))


def _layout(core: Core) -> Header:
    return {"fields": register_fields(core), "registers": len(registers(core)), "memory": ADDRESS_MASK + 1}


def save(core: Core, identity: Identity, counters: Counters) -> bytes:
    """Return the state of a simulated machine."""
    content = pack(registers(core), core.ram[: ADDRESS_MASK + 1])
    return _written(asdict(identity) | _layout(core) | asdict(counters), content)


def load(core: Core, identity: Identity, check_settings: CheckSettings, state: bytes) -> Counters:
    """Put a saved state into a core; return what the host knew.

    check_settings  raises ValueError or SceneError for parameters and a scene that the ROM does not have or allow
    Errors          StateError; the core is then as before
    """
    header, content = _read(bytes(state))
    expected = asdict(identity) | _layout(core)
    entries = _checked_entries(header, expected, _COUNTERS, check_settings)
    counters, size = Counters(**entries | {"frame_start": tuple(entries["frame_start"])}), header["registers"]
    if len(content) != size + header["memory"]:
        raise StateError("saved state", f"holds {len(content)} bytes, its header says {size + header['memory']}")
    _check_registers(core, content, counters)
    chunks = (content[start : start + CHUNK_BYTES] for start in range(size, len(content), CHUNK_BYTES))
    apply(core, content[:size], chunks)
    return counters


@dataclass(frozen=True)
class NativeIdentity:
    """What a state of the native machine belongs to; no other machine takes it.

    machine, rom  names
    spec          revision
    """

    machine: str
    spec: str
    rom: str


@dataclass(frozen=True)
class NativeCounters:
    """What a native machine is besides its arrays.

    parameters  those it was switched on with
    pad, pad_before  the input, now and in the frame before
    random      state of the generator
    scene       text of the scene, or None
    """

    parameters: dict[str, int]
    frame_number: int
    pad: int
    pad_before: int
    random: int
    scene: str | None = None


def save_native(identity: NativeIdentity, counters: NativeCounters, arrays: Iterable[np.ndarray]) -> bytes:
    """Return the state of a native machine; its arrays have little-endian types."""
    content = b"".join(array.tobytes() for array in arrays)
    return _written(asdict(identity) | asdict(counters), zlib.compress(content, 1))


def load_native(
    identity: NativeIdentity,
    layout: Callable[[Mapping[str, int], bool], Sequence[tuple[str, tuple[int, ...]]]],
    check_settings: CheckSettings,
    state: bytes,
) -> tuple[NativeCounters, list[np.ndarray]]:
    """Return what `save_native` was given.

    layout   types and shapes of the arrays, by the parameters, and whether there is a scene
    check_settings  as for `load`
    Errors   StateError
    """
    header, content = _read(bytes(state))
    counters = NativeCounters(**_checked_entries(header, asdict(identity), _NATIVE, check_settings))
    shapes = [(np.dtype(kind), shape) for kind, shape in layout(counters.parameters, counters.scene is not None)]
    sizes = [dtype.itemsize * math.prod(shape) for dtype, shape in shapes]
    if len(content) != sum(sizes):
        raise StateError("saved state", f"holds {len(content)} bytes, with its parameters it has {sum(sizes)}")
    arrays, start, whole = [], 0, content.tobytes()
    for (dtype, shape), size in zip(shapes, sizes):
        arrays.append(np.frombuffer(whole, dtype, math.prod(shape), start).reshape(shape))
        start += size
    return counters, arrays


def snapshot(core: Core, counters: Counters) -> bytes:
    """Return the state for `restore` of this very machine: no digest, no compression, only pages that are not 0."""
    header = json.dumps(asdict(counters)).encode()
    pages = core.ram[: ADDRESS_MASK + 1].reshape(-1, PAGE)
    used = np.flatnonzero(pages.view(np.uint64).any(axis=1)).astype(np.uint32)
    parts = (header, registers(core), used.tobytes(), pages[used].tobytes())
    return b"".join(len(part).to_bytes(4, "big") for part in parts) + b"".join(parts)


def restore(core: Core, state: bytes) -> Counters:
    """Put a snapshot back; decoded instructions are kept where their bytes are the same."""
    lengths = [int.from_bytes(state[4 * i : 4 * i + 4], "big") for i in range(4)]
    parts, start = [], 16
    for length in lengths:
        parts.append(state[start : start + length])
        start += length
    numbers, pages = np.frombuffer(parts[2], np.uint32).tolist(), memoryview(parts[3])
    used = ((PAGE * number, pages[PAGE * i : PAGE * (i + 1)]) for i, number in enumerate(numbers))
    apply(core, parts[1], memory_chunks(used))
    header = json.loads(parts[0])
    return Counters(**header | {"frame_start": tuple(header["frame_start"])})


def apply_registers(core: Core, content: bytes | np.ndarray) -> None:
    """Put what `registers` has returned back."""
    offset = 0
    for name in register_fields(core):
        field = core.state[name]
        core.state[name] = np.frombuffer(content, field.dtype, field.size, offset).reshape(field.shape)
        offset += field.nbytes
    for name in core.cpu.derived:
        core.state[name] = 0


def apply(core: Core, register_bytes: bytes | np.ndarray, chunks: Iterable[np.ndarray]) -> None:
    """Put registers and memory back."""
    apply_registers(core, register_bytes)
    core.state["reason"] = RUNNING
    core.replace(chunks)


def _written(header: Header, content: bytes) -> bytes:
    """Put a state together; a machine without a scene has no entry for it."""
    entries = {name: value for name, value in header.items() if name != "scene" or value is not None}
    text = json.dumps(entries, sort_keys=True, separators=(",", ":")).encode()
    blob = MAGIC + len(text).to_bytes(4, "big") + text + content
    return blob + hashlib.blake2b(blob, digest_size=DIGEST_BYTES).digest()


def _read(state: bytes) -> tuple[Header, np.ndarray]:
    """Take a state apart; everything is limited before it is parsed."""
    if state[: len(MAGIC)] != MAGIC:
        raise StateError("saved state", f"begins with {_shown(state[:8])}, not {MAGIC!r}")
    if len(state) < len(MAGIC) + 4 + DIGEST_BYTES:
        raise StateError("saved state", f"only {len(state)} bytes long")
    blob, digest = state[:-DIGEST_BYTES], state[-DIGEST_BYTES:]
    if hashlib.blake2b(blob, digest_size=DIGEST_BYTES).digest() != digest:
        raise StateError("saved state", "damaged or cut short: its digest does not match")
    length = int.from_bytes(blob[8:12], "big")
    if length > min(MAX_HEADER, len(blob) - 12):
        raise StateError("saved state", f"header of {length} bytes: allowed up to {min(MAX_HEADER, len(blob) - 12)}")
    try:
        header = json.loads(blob[12 : 12 + length])
        content = unpack(blob[12 + length :], MAX_CONTENT)
    except (ValueError, RecursionError, zlib.error) as error:
        raise StateError("saved state", f"unreadable: {error}") from None
    if not isinstance(header, dict):
        raise StateError("saved state", "unreadable: not a whole state")
    return header, content


MAX_SHOWN = 80  # characters of a refused value


def _shown(value: object) -> str:
    """Return a value as it stands in messages, cut off where it gets long."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # too deep, or a number of thousands of digits
        text = f"a {type(value).__name__}"
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."


def _is_whole(value: object, maximum: int) -> bool:
    return type(value) is int and 0 <= value <= maximum


@dataclass(frozen=True)
class _HeaderField:
    """What an entry of the header may hold: `allowed` says it in words."""

    check: Callable[[Any], bool]
    allowed: str


def _whole(maximum: int) -> _HeaderField:
    return _HeaderField(lambda v: _is_whole(v, maximum), f"0..{maximum}")


_PARAMETERS = _HeaderField(
    lambda v: isinstance(v, dict) and all(_is_whole(x, (1 << 32) - 1) for x in v.values()), "whole numbers by name"
)
_SCENE = _HeaderField(lambda v: v is None or isinstance(v, str), "a text")
_COUNTERS = {
    "parameters": _PARAMETERS,
    "frame_number": _whole(MAX_CLOCKS),
    "frame_cycles": _whole(MAX_CLOCKS),
    "frame_instructions": _whole(MAX_CLOCKS),
    "frame_start": _HeaderField(
        lambda v: isinstance(v, list) and len(v) == 2 and all(_is_whole(x, MAX_CLOCKS) for x in v), "two whole numbers"
    ),
    "instructions": _whole(MAX_CLOCKS),
    "exit_status": _HeaderField(lambda v: v is None or _is_whole(v, (1 << 32) - 1), f"null or 0..{2**32 - 1}"),
    "tick_pending": _whole(1),
    "scene": _SCENE,
}
_NATIVE = {
    "parameters": _PARAMETERS,
    "frame_number": _whole(MAX_CLOCKS),
    "pad": _whole(INPUT_WORDS["pad"][1]),
    "pad_before": _whole(INPUT_WORDS["pad"][1]),
    "random": _whole((1 << 32) - 1),
    "scene": _SCENE,
}


def _checked_entries(
    header: Header, expected: Header, fields: Mapping[str, _HeaderField], check_settings: CheckSettings
) -> Header:
    """Return the entries of `fields`; the header must have them, those of `expected`, and no others."""
    for key, value in expected.items():
        if header.get(key) != value or type(header[key]) is not type(value):
            raise StateError(
                "saved state", f"its {key} is {_shown(header.get(key))}, this machine's is {_shown(value)}"
            )
    if unknown := header.keys() - expected.keys() - fields.keys():
        raise StateError("saved state", f"has an entry {_shown(min(unknown))}, which no state has")
    entries = {"scene": None} | {key: value for key, value in header.items() if key in fields}
    for key, field in fields.items():
        if key not in entries:
            raise StateError("saved state", f"{key} is missing")
        if not field.check(entries[key]):
            raise StateError("saved state", f"{key} {_shown(entries[key])}: allowed {field.allowed}")
    try:
        check_settings(entries["parameters"], entries["scene"])
    except (ValueError, SceneError) as error:
        raise StateError("saved state", str(error)) from None
    return entries


def _check_registers(core: Core, content: np.ndarray, counters: Counters) -> None:
    """Refuse what no run can leave in the state.

    That is a value beyond a register's width, its address space or far in the future, parameters of caches and bus
    other than the machine's, and a present frame that begins after the present.
    """
    fields, offset = {}, 0
    for name in register_fields(core):
        field = core.state[name]
        fields[name] = np.frombuffer(content, field.dtype, field.size, offset)
        offset += field.nbytes
    cycles = int(fields["cycles"][0])
    latest = min(cycles, MAX_CLOCKS) + MAX_AHEAD
    for name, values in fields.items():
        if name in CONSTANT_FIELDS:
            if not np.array_equal(values, core.state[name].reshape(-1)):
                raise StateError("saved state", f"{name} {_shown(values.tolist())}: allowed only what the machine has")
            continue
        bits = core.cpu.layout.fields[name][0]
        maximum = {"pc": ADDRESS_MASK, "cycles": MAX_CLOCKS}.get(name, latest if bits == 64 else (1 << bits) - 1)
        if values.max() > maximum:
            raise StateError("saved state", f"{name} {values.max()}: allowed 0..{maximum}")
    begun = counters.frame_start
    if begun[0] > cycles or begun[1] > counters.instructions:
        raise StateError(
            "saved state", f"frame_start {begun}: allowed up to {cycles} cycles, {counters.instructions} instructions"
        )
