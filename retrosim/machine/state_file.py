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
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from retrosim.cpu.engines.core import CHUNK_BYTES, Core, memory_chunks
from retrosim.cpu.spec.cpu import ADDRESS_MASK, RUNNING
from retrosim.errors import StateError

if TYPE_CHECKING:
    from .machine import Machine

MAGIC = b"RSTATE02"
MAX_HEADER = 1 << 16
MAX_CLOCKS = 1 << 62
MAX_AHEAD = 1 << 32  # clocks that a stage of the pipeline or the bus may be ahead of execution
MAX_CONTENT = 2 * (ADDRESS_MASK + 1)
UNPACKED_BYTES = 1 << 20  # at once
DIGEST_BYTES = 16
HOST_FIELDS = (
    "reason",
    "detail",
    "access",
    "written_low",
    "written_high",
    "limit",
    "causes",
    "bubble",
)  # how the last run ended and what was counted beside it, not what the machine is


def register_fields(core: Core) -> list[str]:
    """Return the state fields that belong to the simulated machine."""
    return [name for name in core.state.dtype.names if name not in HOST_FIELDS]


def registers(core: Core) -> bytes:
    """Return registers and clocks in layout order, little-endian."""
    return b"".join(np.ascontiguousarray(core.state[name]).tobytes() for name in register_fields(core))


def _header(machine: Machine) -> dict:
    core = machine._core
    return {
        "machine": machine.name,
        "timing": machine.timing_revision,
        "spec": machine.spec_revision,
        "image": machine.image.sha256,
        "mode": machine.mode,
        "parameters": machine.parameters,
        "fields": register_fields(core),
        "registers": len(registers(core)),
        "memory": ADDRESS_MASK + 1,
        "frame_number": machine.frame_number,
        "frame_cycles": machine.frame_cycles,
        "frame_instructions": machine.frame_instructions,
        "frame_start": list(machine._frame_start),
        "instructions": machine.instructions,
        "exit_status": machine.exit_status,
        "tick_pending": int(machine._tick_pending),
    }


def save(machine: Machine) -> bytes:
    """Return the state of a machine."""
    header = json.dumps(_header(machine), sort_keys=True, separators=(",", ":")).encode()
    packer = zlib.compressobj(1)
    parts = packer.compress(registers(machine._core)), packer.compress(machine.mem), packer.flush()
    blob = MAGIC + len(header).to_bytes(4, "big") + header + b"".join(parts)
    return blob + hashlib.blake2b(blob, digest_size=DIGEST_BYTES).digest()


PAGE = 4096
_COUNTERS = ("frame_number", "frame_cycles", "frame_instructions", "instructions", "exit_status")


def snapshot(machine: Machine) -> bytes:
    """Return the state for `restore` of this very machine: no digest, no compression, only pages that are not 0."""
    header = json.dumps(_header(machine)).encode()
    pages = machine.mem.reshape(-1, PAGE)
    used = np.flatnonzero(pages.view(np.uint64).any(axis=1)).astype(np.uint32)
    parts = (header, registers(machine._core), used.tobytes(), pages[used].tobytes())
    return b"".join(len(part).to_bytes(4, "big") for part in parts) + b"".join(parts)


def restore(machine: Machine, state: bytes) -> None:
    """Put a snapshot back; decoded instructions are kept where their bytes are the same."""
    lengths = [int.from_bytes(state[4 * i : 4 * i + 4], "big") for i in range(4)]
    parts, start = [], 16
    for length in lengths:
        parts.append(state[start : start + length])
        start += length
    numbers, pages = np.frombuffer(parts[2], np.uint32).tolist(), memoryview(parts[3])
    used = ((PAGE * number, pages[PAGE * i : PAGE * (i + 1)]) for i, number in enumerate(numbers))
    _apply(machine, json.loads(parts[0]), parts[1], memory_chunks(used))


def _apply(machine: Machine, header: dict, register_bytes: bytes | np.ndarray, chunks: Iterable[np.ndarray]) -> None:
    core, offset = machine._core, 0
    for name in register_fields(core):
        field = core.state[name]
        core.state[name] = np.frombuffer(register_bytes, field.dtype, field.size, offset).reshape(field.shape)
        offset += field.nbytes
    core.state["reason"] = RUNNING
    core.replace(chunks)
    machine.parameters = dict(header["parameters"])
    machine._frame_start = tuple(header["frame_start"])
    for name in _COUNTERS:
        setattr(machine, name, header[name])
    machine.restart_ticks(bool(header["tick_pending"]))


def load(machine: Machine, state: bytes) -> None:
    """Put a saved state into a machine. Errors: StateError; the machine is then as before."""
    header, content = _read(bytes(state))
    expected = _header(machine)
    for key in ("machine", "spec", "timing", "image", "mode", "fields", "registers", "memory"):
        if header.get(key) != expected[key] or type(header[key]) is not type(expected[key]):
            raise StateError("saved state", f"its {key} is {header.get(key)!r}, this machine's is {expected[key]!r}")
    _check_counters(header, expected)
    if len(content) != header["registers"] + header["memory"]:
        raise StateError(
            "saved state", f"holds {len(content)} bytes, its header says {header['registers'] + header['memory']}"
        )
    size = header["registers"]
    _check_registers(machine._core, content)
    chunks = (content[start : start + CHUNK_BYTES] for start in range(size, len(content), CHUNK_BYTES))
    _apply(machine, header, content[:size], chunks)


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


def _read(state: bytes) -> tuple[dict, np.ndarray]:
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


def _check_counters(header: dict, expected: dict) -> None:
    for key in _COUNTERS:
        value = header.get(key)
        optional = key == "exit_status" and value is None
        if not optional and (type(value) is not int or not 0 <= value < 1 << 63):
            raise StateError("saved state", f"{key} {value!r}: allowed 0..{2**63 - 1}")
    if header.get("tick_pending") not in (0, 1):
        raise StateError("saved state", f"tick_pending {header.get('tick_pending')!r}: allowed 0, 1")
    start = header.get("frame_start")
    if not (isinstance(start, list) and len(start) == 2 and all(type(v) is int and 0 <= v < 1 << 63 for v in start)):
        raise StateError("saved state", f"frame_start {start!r}: allowed two whole numbers")
    parameters = header.get("parameters")
    if not isinstance(parameters, dict) or parameters.keys() != expected["parameters"].keys():
        raise StateError(
            "saved state", f"parameters {parameters!r}: allowed {', '.join(expected['parameters']) or 'none'}"
        )
    if not all(type(v) is int and 0 <= v < 1 << 32 for v in parameters.values()):
        raise StateError("saved state", f"parameters {parameters!r}: allowed whole numbers")


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
        most = {"pc": ADDRESS_MASK, "cycles": MAX_CLOCKS}.get(name, latest if bits == 64 else (1 << bits) - 1)
        if values.max() > most:
            raise StateError("saved state", f"{name} {values.max()}: allowed 0..{most}")
