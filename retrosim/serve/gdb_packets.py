"""The framing of gdb's remote protocol: `$payload#checksum`, acknowledged by `+`; an interrupt is the byte 3.

Source: Debugging with GDB, appendix E.1 (Overview), E.10 (Interrupts)
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_PAYLOAD = 0x8000  # bytes of a packet, escapes included; gdb is told so
_ESCAPE, _FLIP = 0x7D, 0x20
_START, _END, _INTERRUPT = b"$", b"#", 3
_SPECIAL = b"$#}*"


@dataclass(frozen=True)
class Packet:
    """A packet; `payload` is without escapes, and None where the checksum or the length was wrong."""

    payload: bytes | None


class Interrupt:
    """The client wants the machine to stop."""


def packed(payload: bytes) -> bytes:
    """Return a payload as a packet."""
    escaped = b"".join(bytes((_ESCAPE, b ^ _FLIP)) if b in _SPECIAL else bytes((b,)) for b in payload)
    return b"$%b#%02x" % (escaped, sum(escaped) & 0xFF)


class Unpacker:
    """Takes bytes as they come and gives packets; what is between packets (acknowledgments, noise) is skipped."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Packet | Interrupt]:
        """Return what is complete now, in order."""
        self._buffer += data
        found: list[Packet | Interrupt] = []
        while (each := self._next()) is not None:
            found.append(each)
        return found

    def _next(self) -> Packet | Interrupt | None:
        buffer = self._buffer
        start = buffer.find(_START)
        interrupt = buffer.find(_INTERRUPT, 0, start if start >= 0 else len(buffer))
        if interrupt >= 0:
            del buffer[: interrupt + 1]
            return Interrupt()
        if start < 0:
            buffer.clear()
            return None
        del buffer[:start]
        end = buffer.find(_END, 1, MAX_PAYLOAD + 2)
        if end < 0:
            if len(buffer) < MAX_PAYLOAD + 2:
                return None
            del buffer[:1]  # not the beginning of a packet that anybody may send
            return Packet(None)
        if len(buffer) < end + 3:
            return None
        body, digits = bytes(buffer[1:end]), bytes(buffer[end + 1 : end + 3])
        del buffer[: end + 3]
        return Packet(_unescaped(body) if digits.lower() == b"%02x" % (sum(body) & 0xFF) else None)


def _unescaped(body: bytes) -> bytes:
    if _ESCAPE not in body:
        return body
    result, is_escaped = bytearray(), False
    for byte in body:
        if byte == _ESCAPE and not is_escaped:
            is_escaped = True
        else:
            result.append(byte ^ _FLIP if is_escaped else byte)
            is_escaped = False
    return bytes(result)
