"""The framing of the Debug Adapter Protocol, and careful reading of what a client says.

Source: Debug Adapter Protocol, "Base protocol": header fields, an empty line, a JSON object
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from retrosim.checks import check_integer, shortened

MAX_HEADER = 1024  # bytes
MAX_CONTENT = 8 << 20
MAX_TEXT = 65536  # characters of a text
MAX_LIST = 10_000
OPENING = b"content-"  # what a client begins with: whoever begins otherwise (a browser) is no editor
_END = b"\r\n\r\n"
_LENGTH = b"content-length"


class BadStream(ValueError):
    """What the client sends is not this protocol: nothing after it can be understood."""


def packed(message: Mapping[str, Any]) -> bytes:
    """Return a message as bytes."""
    content = json.dumps(message, separators=(",", ":")).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(content), content)


class Unpacker:
    """Takes bytes as they come and gives messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._size = -1  # of the content that is being received, -1: a header is
        self._seen = 0  # bytes in which no end of a header is

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """Return what is complete now, in order; empty ones for what is no JSON object. Errors: BadStream."""
        self._buffer += data
        found = []
        while (message := self._next()) is not None:
            found.append(message)
        return found

    def _next(self) -> dict[str, Any] | None:
        buffer = self._buffer
        if self._size < 0:
            begun = bytes(buffer[: len(OPENING)]).lower()
            end = buffer.find(_END, self._seen, MAX_HEADER)
            if not OPENING.startswith(begun) or (end < 0 and len(buffer) >= MAX_HEADER):
                raise BadStream("allowed header fields")
            if end < 0:
                self._seen = max(0, len(buffer) - len(_END) + 1)
                return None
            self._size, self._seen = _length(bytes(buffer[:end])), 0
            del buffer[: end + len(_END)]
        if len(buffer) < self._size:
            return None
        content = bytes(buffer[: self._size])
        del buffer[: self._size]
        self._size = -1
        try:
            message = json.loads(content)
        except (ValueError, RecursionError):
            return {}
        return message if isinstance(message, dict) else {}


def _length(header: bytes) -> int:
    """Return the length of a content. Errors: BadStream."""
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        digits = value.strip()
        if name.strip().lower() == _LENGTH and digits.isdigit() and len(digits) < 9 and int(digits) <= MAX_CONTENT:
            return int(digits)
    raise BadStream(f"allowed a Content-Length up to {MAX_CONTENT}")


class Arguments:
    """What a request says, each value checked when it is asked for. All errors are ValueErrors."""

    def __init__(self, given: Any) -> None:
        self.given: Mapping[str, Any] = given if isinstance(given, dict) else {}

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text."""
        value = self.given.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            raise ValueError(f"{name} {shortened(repr(value))}: allowed a text")
        return value

    def integer(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """Return a whole number."""
        value = self.given.get(name)
        return default if value is None and default is not None else check_integer(name, value, low, high)  # type: ignore[arg-type]

    def flag(self, name: str) -> bool:
        """Tell whether something was asked for."""
        return self.given.get(name) is True

    def part(self, name: str) -> Arguments:
        """Return an object, an empty one where there is none."""
        return Arguments(self.given.get(name))

    def parts(self, name: str) -> Sequence[Arguments]:
        """Return a list of objects."""
        return [Arguments(value) for value in self._list(name, "objects")]

    def texts(self, name: str) -> Sequence[str]:
        """Return a list of texts."""
        return self._list(name, "texts", str)

    def _list(self, name: str, what: str, kind: type = object) -> list[Any]:
        value = self.given.get(name)
        values = [] if value is None else value
        if not isinstance(values, list) or len(values) > MAX_LIST or not all(isinstance(one, kind) for one in values):
            raise ValueError(f"{name}: allowed a list of at most {MAX_LIST:,} {what}")
        return values

    def place(self, name: str, high: int) -> int:
        """Return a memory reference, as this server hands them out (0x...), and the offset beside it added."""
        text = self.text(name)
        try:
            address = check_integer(name, int(text[:40], 16 if text[:2].lower() == "0x" else 10), 0, high)
        except ValueError:
            raise ValueError(f"{name} {shortened(text)!r}: allowed 0..{high:#x}") from None
        return address + self.integer("offset", -high, high, 0)
