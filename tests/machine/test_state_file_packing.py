"""Registers and memory as a zlib stream, judged by zlib."""

from __future__ import annotations

import random
import zlib

import numpy as np
import pytest

from retrosim.errors import StateError
from retrosim.machine.state_file import CHUNK_BYTES, pack, unpack

CHUNKS = 5


@pytest.mark.parametrize("used", range(1 << CHUNKS))
def test_any_chunks_may_be_used(used: int) -> None:
    r = random.Random(used)
    registers, memory = r.randbytes(r.randrange(2000)), np.zeros(CHUNKS * CHUNK_BYTES, np.uint8)
    for number in range(CHUNKS):
        if used >> number & 1:
            place = r.choice((0, CHUNK_BYTES - 1, r.randrange(CHUNK_BYTES)))
            memory[number * CHUNK_BYTES + place] = r.randrange(1, 256)
    packed = pack(registers, memory)
    assert zlib.decompress(packed) == registers + memory.tobytes()
    assert unpack(packed, 1 << 20).tobytes() == registers + memory.tobytes()


def test_what_has_no_zeros() -> None:
    memory = np.random.default_rng(1994).integers(0, 256, 3 * CHUNK_BYTES, np.uint8)
    memory[CHUNK_BYTES : 2 * CHUNK_BYTES] = 0xFF
    packed = pack(b"registers", memory)
    assert zlib.decompress(packed) == b"registers" + memory.tobytes()
    for wrong in (packed[:-1], packed[:-5], packed[: len(packed) // 2]):
        with pytest.raises(StateError, match="not a whole state"):
            unpack(wrong, 1 << 20)


def test_no_more_is_unpacked_than_allowed() -> None:
    packed = pack(b"", np.zeros(64 * CHUNK_BYTES, np.uint8))
    assert len(packed) < 10_000
    with pytest.raises(StateError, match="not a whole state"):
        unpack(packed, 63 * CHUNK_BYTES)


def unpacked_by_zlib(packed: bytes, limit: int) -> bytes | None:
    """Return what zlib makes of a stream, None for one that is not whole or longer than the limit."""
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(packed, limit + 1)
    except zlib.error:
        return None
    return content if unpacker.eof and len(content) <= limit else None


@pytest.mark.full
def test_what_is_damaged_is_what_zlib_says() -> None:
    """Chunks of zeros are passed over where the stream has them, which must show nowhere."""
    r = random.Random(1994)
    memory = np.zeros(CHUNKS * CHUNK_BYTES, np.uint8)
    memory[5000:9000], memory[-100] = np.frombuffer(r.randbytes(4000), np.uint8), 7
    packed, limit = pack(r.randbytes(777), memory), 777 + len(memory)
    same = 0
    for _ in range(3000):
        damaged = bytearray(packed)
        for _ in range(r.choice((1, 1, 2))):
            damaged[r.randrange(len(damaged))] ^= 1 << r.randrange(8)
        some = bytes(damaged[: r.choice((None, None, None, r.randrange(len(damaged))))])
        try:
            found = unpack(some, limit).tobytes()
        except (StateError, zlib.error):
            found = None
        assert found == unpacked_by_zlib(some, limit)
        same += found is not None
    assert same > 100  # bits of a block's header that say nothing


@pytest.mark.parametrize("level", [0, 1, 9])
def test_a_stream_of_others_is_taken(level: int) -> None:
    content = bytes(2 * CHUNK_BYTES) + b"some" + bytes(CHUNK_BYTES)
    assert unpack(zlib.compress(content, level), len(content)).tobytes() == content
