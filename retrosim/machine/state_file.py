"""Saved machine states: one versioned, digest-protected blob, read without trust.

8 bytes   magic "RSTATE02"
4 bytes   length of the header, big-endian, at most 64 KiB
header    canonical JSON: machine, timing, image digest, parameters, counters, register layout
rest      zlib stream of registers and memory, whose length the header gives and the reader limits
16 bytes  blake2b of everything before
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from retrosim.cpu.engines.core import CHUNK_BYTES, Core, memory_chunks
from retrosim.cpu.spec.cpu import ADDRESS_MASK, RUNNING
from retrosim.errors import StateError

MAGIC = b"RSTATE02"
MAX_HEADER = 1 << 16
MAX_CLOCKS = 1 << 62
MAX_AHEAD = 1 << 32  # clocks that a stage of the pipeline or the bus may be ahead of execution
MAX_CONTENT = 2 * (ADDRESS_MASK + 1)
UNPACKED_BYTES = 1 << 20  # at once
DIGEST_BYTES = 16
PAGE = 4096
HOST_FIELDS = (
    "reason",
    "detail",
    "access",
    "written_low",
    "written_high",
    "limit",
    "causes",
    "bubble",
)  # how the last run ended and what was counted besides, not what the machine is

Header = dict[str, Any]


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


def register_fields(core: Core) -> list[str]:
    """Return the state fields that belong to the simulated machine."""
    return [name for name in core.cpu.layout.fields if name not in HOST_FIELDS]


def registers(core: Core) -> bytes:
    """Return registers and clocks in layout order, little-endian."""
    return b"".join(np.ascontiguousarray(core.state[name]).tobytes() for name in register_fields(core))


def _layout(core: Core) -> Header:
    return {"fields": register_fields(core), "registers": len(registers(core)), "memory": ADDRESS_MASK + 1}


def save(core: Core, identity: Identity, counters: Counters) -> bytes:
    """Return the state of a machine."""
    fields = asdict(identity) | _layout(core) | asdict(counters)
    header = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    packer = zlib.compressobj(1)
    parts = packer.compress(registers(core)), packer.compress(core.ram[: ADDRESS_MASK + 1]), packer.flush()
    blob = MAGIC + len(header).to_bytes(4, "big") + header + b"".join(parts)
    return blob + hashlib.blake2b(blob, digest_size=DIGEST_BYTES).digest()


def load(core: Core, identity: Identity, parameters: Collection[str], state: bytes) -> Counters:
    """Put a saved state into a core; return what the host knew.

    parameters  names of those of the ROM
    Errors      StateError; the core is then as before
    """
    header, content = _read(bytes(state))
    for key, value in (asdict(identity) | _layout(core)).items():
        if header.get(key) != value or type(header[key]) is not type(value):
            raise StateError("saved state", f"its {key} is {header.get(key)!r}, this machine's is {value!r}")
    counters, size = _checked_counters(header, parameters), header["registers"]
    if len(content) != size + header["memory"]:
        raise StateError("saved state", f"holds {len(content)} bytes, its header says {size + header['memory']}")
    _check_registers(core, content)
    chunks = (content[start : start + CHUNK_BYTES] for start in range(size, len(content), CHUNK_BYTES))
    _apply(core, content[:size], chunks)
    return counters


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
    _apply(core, parts[1], memory_chunks(used))
    header = json.loads(parts[0])
    return Counters(**header | {"frame_start": tuple(header["frame_start"])})


def _apply(core: Core, register_bytes: bytes | np.ndarray, chunks: Iterable[np.ndarray]) -> None:
    offset = 0
    for name in register_fields(core):
        field = core.state[name]
        core.state[name] = np.frombuffer(register_bytes, field.dtype, field.size, offset).reshape(field.shape)
        offset += field.nbytes
    core.state["reason"] = RUNNING
    core.replace(chunks)


def _unpack(packed: bytes) -> np.ndarray:
    """Decompress registers and memory. Errors: StateError, zlib.error."""
    unpacker, content, length = zlib.decompressobj(), np.zeros(MAX_CONTENT, np.uint8), 0
    while packed and length < MAX_CONTENT:
        piece = unpacker.decompress(packed, min(UNPACKED_BYTES, MAX_CONTENT - length))
        content[length : length + len(piece)] = np.frombuffer(piece, np.uint8)
        packed, length = unpacker.unconsumed_tail, length + len(piece)
    if not unpacker.eof:
        raise StateError("saved state", "unreadable: not a whole state")
    return content[:length]


def _read(state: bytes) -> tuple[Header, np.ndarray]:
    """Take a state apart; everything is limited before it is parsed."""
    if state[: len(MAGIC)] != MAGIC:
        raise StateError("saved state", f"begins with {state[:8]!r}, not {MAGIC!r}")
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
        content = _unpack(blob[12 + length :])
    except (ValueError, RecursionError, zlib.error) as error:
        raise StateError("saved state", f"unreadable: {error}") from None
    if not isinstance(header, dict):
        raise StateError("saved state", "unreadable: not a whole state")
    return header, content


_COUNTS = ("frame_number", "frame_cycles", "frame_instructions", "instructions", "exit_status")


def _checked_counters(header: Header, known: Collection[str]) -> Counters:
    for key in _COUNTS:
        value = header.get(key)
        optional = key == "exit_status" and value is None
        if not optional and (type(value) is not int or not 0 <= value < 1 << 63):
            raise StateError("saved state", f"{key} {value!r}: allowed 0..{2**63 - 1}")
    pending = header.get("tick_pending")
    if pending not in (0, 1):
        raise StateError("saved state", f"tick_pending {pending!r}: allowed 0, 1")
    start = header.get("frame_start")
    if not (isinstance(start, list) and len(start) == 2 and all(type(v) is int and 0 <= v < 1 << 63 for v in start)):
        raise StateError("saved state", f"frame_start {start!r}: allowed two whole numbers")
    parameters = header.get("parameters")
    if not isinstance(parameters, dict) or parameters.keys() != set(known):
        raise StateError("saved state", f"parameters {parameters!r}: allowed {', '.join(known) or 'none'}")
    if not all(type(v) is int and 0 <= v < 1 << 32 for v in parameters.values()):
        raise StateError("saved state", f"parameters {parameters!r}: allowed whole numbers")
    counts = {key: header[key] for key in _COUNTS}
    return Counters(parameters=parameters, frame_start=(start[0], start[1]), tick_pending=int(pending), **counts)


def _check_registers(core: Core, content: np.ndarray) -> None:
    """Refuse values that no run can leave in a register: beyond its width, its address space, or far in the future."""
    fields, offset = {}, 0
    for name in register_fields(core):
        field = core.state[name]
        fields[name] = np.frombuffer(content, field.dtype, field.size, offset)
        offset += field.nbytes
    latest = min(int(fields["cycles"][0]), MAX_CLOCKS) + MAX_AHEAD
    for name, values in fields.items():
        bits = core.cpu.layout.fields[name][0]
        maximum = {"pc": ADDRESS_MASK, "cycles": MAX_CLOCKS}.get(name, latest if bits == 64 else (1 << bits) - 1)
        if values.max() > maximum:
            raise StateError("saved state", f"{name} {values.max()}: allowed 0..{maximum}")
