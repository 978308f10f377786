"""Registers and memory as a zlib stream, judged by zlib."""

from __future__ import annotations

import random
import zlib

import numpy as np
import pytest

from retrosim.errors import StateError
from retrosim.machine.packing import CHUNK_BYTES, pack, unpack

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
