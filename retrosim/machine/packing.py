"""Registers and memory as one zlib stream: most of memory is zeros, and for those the compressed form is at hand."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import cache

import numpy as np

from retrosim.errors import StateError

CHUNK_BYTES = 1 << 16
STREAM_HEADER = b"\x78\x01"  # RFC 1950: deflate with a window of 32 KB, the fastest level
RAW = -15  # deflate without header and checksum, RFC 1951
ADLER_MODULUS = 65521
UNPACKED_BYTES = 1 << 20  # at once


def pack(registers: bytes, memory: np.ndarray) -> bytes:
    """Compress registers and memory.

    memory   uint8[n], n a multiple of CHUNK_BYTES
    Returns  zlib stream (RFC 1950)
    """
    parts, adler = [STREAM_HEADER, _packed(registers)], zlib.adler32(registers)
    for piece in _pieces(memory):
        if isinstance(piece, int):
            adler = _adler_with_zeros(adler, piece)
            parts.append(_packed_zeros() * (piece // CHUNK_BYTES))
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
    chunks = memory.reshape(-1, CHUNK_BYTES)
    is_used: np.ndarray = np.any(chunks.view(np.uint64), axis=1)
    ends = [*(np.flatnonzero(np.diff(is_used)) + 1).tolist(), len(chunks)]
    start = 0
    for end in ends:
        yield chunks[start:end].reshape(-1).data if is_used[start] else (end - start) * CHUNK_BYTES
        start = end


def _packed(content: bytes | memoryview, level: int = 1) -> bytes:
    """Compress content to blocks that need nothing before them."""
    packer = zlib.compressobj(level, zlib.DEFLATED, RAW)
    return packer.compress(content) + packer.flush(zlib.Z_FULL_FLUSH)


@cache
def _packed_zeros() -> bytes:
    return _packed(bytes(CHUNK_BYTES), 9)


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
        count = (position - found) // len(zeros) * CHUNK_BYTES
        length, adler = length + count, _adler_with_zeros(adler, count)
        if length > len(content):
            return None
    return None
