"""Bounded reads from the bytes of a file: every read beyond its end is a ValueError that says so."""

from __future__ import annotations

from typing import Literal

MAX_NAME = 255  # characters of a symbol or a file name


class Source:
    """The bytes of a file, or a stretch of them, and a position.

    content     bytes
    byte_order  of its words
    """

    def __init__(self, content: bytes, byte_order: Literal["big", "little"], at: int = 0) -> None:
        self.content, self.byte_order, self.at = content, byte_order, at

    @property
    def left(self) -> int:
        """Bytes behind the position."""
        return len(self.content) - self.at

    def take(self, size: int, what: str = "its contents") -> bytes:
        """Return the next bytes. Errors: ValueError beyond the end."""
        found = self.slice(self.at, size, what)
        self.at += size
        return found

    def slice(self, start: int, size: int, what: str = "its contents") -> bytes:
        """Return some bytes. Errors: ValueError beyond the end."""
        if start < 0 or size < 0 or start + size > len(self.content):
            raise ValueError(f"is truncated: {what} reaches beyond the end of the file")
        return self.content[start : start + size]

    def number(self, size: int, what: str = "a word") -> int:
        """Return the next unsigned number of `size` bytes. Errors: ValueError beyond the end."""
        return int.from_bytes(self.take(size, what), self.byte_order)

    def word(self) -> int:
        return self.number(2)

    def long(self) -> int:
        return self.number(4)

    def longs(self, count: int, what: str) -> list[int]:
        """Return the next words of 32 bits. Errors: ValueError beyond the end."""
        content = self.take(4 * count, what)
        return [int.from_bytes(content[i : i + 4], self.byte_order) for i in range(0, 4 * count, 4)]

    def words(self, count: int, what: str) -> list[int]:
        """Return the next words of 16 bits. Errors: ValueError beyond the end."""
        content = self.take(2 * count, what)
        return [int.from_bytes(content[i : i + 2], self.byte_order) for i in range(0, 2 * count, 2)]


def text(content: bytes) -> str:
    """Return a name that is filled up with zero bytes, unprintable characters escaped."""
    name = content.split(b"\0", 1)[0][:MAX_NAME].decode("latin-1")
    return name if name.isprintable() else name.encode("unicode_escape").decode("ascii")
