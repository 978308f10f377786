"""Changes to bytes, lines of text and values of JSON that programs that read them tend to be wrong about."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

SIZES = (0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, 4095, 4096, 65535, 65536)
NUMBERS = (
    *SIZES, -1, -2, 0x7FFF, 0x8000, 0x7FFFFF, 0x800000, 0xFFFFFF, 0x1000000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
    1 << 32, (1 << 53) + 1, (1 << 62) - 1, 1 << 63, (1 << 64) - 1, 1 << 64, 10**30, -(10**30),
)  # fmt: skip
TEXTS = (
    "", " ", "0", "-0", "0x10", "1e9", "1.5", "nan", "inf", "true", "null", "\0", "\n", "\r\n", "\t", "\x7f",
    "\x1b[31m", "a" * 200, "a" * 5000, "a." * 300, "\u00e9", "\u202e", "\ufeff", "\U0001f600",
    "\ud800", "../x", "/dev/zero", "/", ".", "..", "~", "%s%n", "{}", "'", '"', "\\", "--", "-1", "\u0661\u0662",
    "CON", "pad", "native", "mc68040-25",
)  # fmt: skip
JSON_ODD: tuple[Any, ...] = (None, True, False, [], {}, [[]], {"": 0}, 1.5, 1e308, [None] * 70, [[[[[[]]]]]])
_NUMBER = re.compile(rb"\d+")


def changed_bytes(chance: Random, data: bytes, others: Sequence[bytes] = (b"",)) -> bytes:
    """Return bytes with one to four changes; `others` are what parts are taken from."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        data = chance.choice(_BYTE_CHANGES)(chance, data, chance.choice(others))
    return data


def _place(chance: Random, data: bytes) -> int:
    """Return a place, rather near the beginning, where headers are, than not."""
    near = min(len(data), chance.choice((16, 64, 300, 1 << 30)))
    return chance.randrange(near) if near else 0


def _flip(chance: Random, data: bytes, _: bytes) -> bytes:
    place = _place(chance, data)
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :] if data else b"\0"


def _set(chance: Random, data: bytes, _: bytes) -> bytes:
    place = _place(chance, data)
    return (
        data[:place]
        + bytes([chance.choice((0, 1, 0x7F, 0x80, 0xFF, 10, 32, 48, chance.getrandbits(8)))])
        + data[place + 1 :]
    )


def _set_word(chance: Random, data: bytes, _: bytes) -> bytes:
    size, place = chance.choice((2, 4, 8)), _place(chance, data)
    value = chance.choice(NUMBERS) & (1 << 8 * size) - 1
    return data[:place] + value.to_bytes(size, chance.choice(("big", "little"))) + data[place + size :]


def _cut(chance: Random, data: bytes, _: bytes) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _remove(chance: Random, data: bytes, _: bytes) -> bytes:
    place = _place(chance, data)
    return data[:place] + data[place + chance.choice(SIZES) :]


def _double(chance: Random, data: bytes, _: bytes) -> bytes:
    place = _place(chance, data)
    piece = data[place : place + chance.choice(SIZES[:16])]
    return data[:place] + piece * chance.choice((2, 2, 3, 50)) + data[place + len(piece) :]


def _insert(chance: Random, data: bytes, _: bytes) -> bytes:
    place = _place(chance, data)
    return (
        data[:place] + chance.choice((chance.randbytes(chance.randrange(1, 9)), b"\0" * 40, b"[" * 3000)) + data[place:]
    )


def _splice(chance: Random, data: bytes, other: bytes) -> bytes:
    place, start = _place(chance, data), chance.randrange(len(other) + 1)
    return data[:place] + other[start : start + chance.choice(SIZES)] + data[place:]


def _number(chance: Random, data: bytes, _: bytes) -> bytes:
    """Replace a number that is written in digits."""
    found = list(_NUMBER.finditer(data[:20_000]))
    if not found:
        return data
    one = chance.choice(found)
    return data[: one.start()] + str(chance.choice(NUMBERS)).encode() + data[one.end() :]


_BYTE_CHANGES: tuple[Callable[[Random, bytes, bytes], bytes], ...] = (
    _flip, _set, _set_word, _cut, _remove, _double, _insert, _splice, _number, _number,
)  # fmt: skip


def changed_lines(chance: Random, lines: Sequence[bytes], more: Sequence[bytes] = ()) -> list[bytes]:
    """Return lines with one to three of them lost, doubled, moved, exchanged or changed; `more` are lines to add."""
    result = list(lines)
    for _ in range(chance.choice((1, 1, 2, 3))):
        if not result:
            return [chance.choice(more or (b"",))]
        at, to = chance.randrange(len(result)), chance.randrange(len(result))
        kind = chance.randrange(7)
        if kind == 0:
            del result[at]
        elif kind == 1:
            result[at:at] = [result[at]] * chance.choice((1, 1, 2, 300))
        elif kind == 2:
            result.insert(to, result.pop(at))
        elif kind == 3:
            result[at], result[to] = result[to], result[at]
        elif kind == 4 and more:
            result.insert(at, chance.choice(more))
        else:
            result[at] = changed_bytes(chance, result[at], result)
    return result


def changed_json(chance: Random, value: Any) -> Any:
    """Return a JSON value with one to three entries replaced, lost, doubled or renamed."""
    result = copy.deepcopy(value)
    for _ in range(chance.choice((1, 1, 2, 3))):
        result = _changed_entry(chance, result)
    return result


def _changed_entry(chance: Random, value: Any) -> Any:
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        kind = chance.randrange(8)
        if kind == 0:
            del value[key]
        elif kind == 1:
            value[chance.choice((*TEXTS[:30], *value))] = value[key]
        else:
            value[key] = _changed_entry(chance, value[key])
        return value
    if isinstance(value, list) and value and chance.random() < 0.8:
        at, kind = chance.randrange(len(value)), chance.randrange(5)
        if kind == 0:
            del value[at]
        elif kind == 1:
            value[at:at] = [value[at]] * chance.choice((1, 2, 200))
        else:
            value[at] = _changed_entry(chance, value[at])
        return value
    if isinstance(value, int) and chance.random() < 0.4:
        return value + chance.choice((-1, 1, 256, -256))
    if isinstance(value, str) and value and chance.random() < 0.3:
        at = chance.randrange(len(value))
        return value[:at] + chance.choice(TEXTS) + value[at + 1 :]
    return odd_value(chance)


def odd_value(chance: Random) -> Any:
    """Return any JSON value, rather a number or a text."""
    return chance.choice((chance.choice(NUMBERS), chance.choice(TEXTS), copy.deepcopy(chance.choice(JSON_ODD))))
