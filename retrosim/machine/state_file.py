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
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from retrosim.cpu.engines.core import CHUNK_BYTES, Core, memory_chunks
from retrosim.cpu.spec.cpu import ADDRESS_MASK, RUNNING
from retrosim.errors import SceneError, StateError

from .packing import pack, unpack

MAGIC = b"RSTATE02"
MAX_HEADER = 1 << 18
MAX_CLOCKS = 1 << 62
MAX_AHEAD = 1 << 32  # clocks that a stage of the pipeline or the bus may be ahead of execution
MAX_CONTENT = 2 * (ADDRESS_MASK + 1)
DIGEST_BYTES = 16
PAGE = 4096
HOST_FIELDS = (
    "reason",
    "detail",
    "access",
    "written_low",
    "written_high",
    "read_low",
    "read_high",
    "touched_by",
    "taken",
    "limit",
    "causes",
    "bubble",
)  # how the last run ended and what was counted besides, not what the machine is

CONSTANT_FIELDS = ("memory",)  # set once, by the parameters of caches and bus

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
    """Return the state of a machine."""
    fields = asdict(identity) | _layout(core) | asdict(counters)
    if counters.scene is None:
        del fields["scene"]
    header = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    blob = MAGIC + len(header).to_bytes(4, "big") + header + pack(registers(core), core.ram[: ADDRESS_MASK + 1])
    return blob + hashlib.blake2b(blob, digest_size=DIGEST_BYTES).digest()


def load(
    core: Core, identity: Identity, check_settings: Callable[[dict[str, int], str | None], object], state: bytes
) -> Counters:
    """Put a saved state into a core; return what the host knew.

    check_settings  raises ValueError or SceneError for parameters and a scene that the ROM does not have or allow
    Errors          StateError; the core is then as before
    """
    header, content = _read(bytes(state))
    expected = asdict(identity) | _layout(core)
    for key, value in expected.items():
        if header.get(key) != value or type(header[key]) is not type(value):
            raise StateError(
                "saved state", f"its {key} is {_shown(header.get(key))}, this machine's is {_shown(value)}"
            )
    if unknown := header.keys() - expected.keys() - _COUNTERS.keys():
        raise StateError("saved state", f"has an entry {_shown(min(unknown))}, which no state has")
    counters, size = _checked_counters(header, check_settings), header["registers"]
    if len(content) != size + header["memory"]:
        raise StateError("saved state", f"holds {len(content)} bytes, its header says {size + header['memory']}")
    _check_registers(core, content, counters)
    chunks = (content[start : start + CHUNK_BYTES] for start in range(size, len(content), CHUNK_BYTES))
    apply(core, content[:size], chunks)
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
class _Field:
    """What an entry of the header may hold: `allowed` says it in words."""

    check: Callable[[Any], bool]
    allowed: str


def _whole(maximum: int) -> _Field:
    return _Field(lambda v: _is_whole(v, maximum), f"0..{maximum}")


_COUNTERS = {
    "parameters": _Field(
        lambda v: isinstance(v, dict) and all(_is_whole(x, (1 << 32) - 1) for x in v.values()), "whole numbers by name"
    ),
    "frame_number": _whole(MAX_CLOCKS),
    "frame_cycles": _whole(MAX_CLOCKS),
    "frame_instructions": _whole(MAX_CLOCKS),
    "frame_start": _Field(
        lambda v: isinstance(v, list) and len(v) == 2 and all(_is_whole(x, MAX_CLOCKS) for x in v), "two whole numbers"
    ),
    "instructions": _whole(MAX_CLOCKS),
    "exit_status": _Field(lambda v: v is None or _is_whole(v, (1 << 32) - 1), f"null or 0..{2**32 - 1}"),
    "tick_pending": _whole(1),
    "scene": _Field(lambda v: v is None or isinstance(v, str), "a text"),
}


def _checked_counters(header: Header, check_settings: Callable[[dict[str, int], str | None], object]) -> Counters:
    header.setdefault("scene", None)
    for key, field in _COUNTERS.items():
        if key not in header:
            raise StateError("saved state", f"{key} is missing")
        if not field.check(header[key]):
            raise StateError("saved state", f"{key} {_shown(header[key])}: allowed {field.allowed}")
    try:
        check_settings(header["parameters"], header["scene"])
    except (ValueError, SceneError) as error:
        raise StateError("saved state", str(error)) from None
    fields = {key: header[key] for key in _COUNTERS}
    return Counters(**fields | {"frame_start": tuple(header["frame_start"])})


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
