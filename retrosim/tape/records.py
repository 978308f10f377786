"""Records of a scenario tape and their lines; the grammar is in format.py.

`KINDS` is the only list of records: writer, reader and the rules of order all come from it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .header import DEVICE, HEX16, HEX64, MACHINE, MAX_FRAME, U32

MAX_LINE_BYTES = 4 * 1024
CRC_BYTES = 8
MAX_NUMBER = 10**18 - 1


@dataclass(frozen=True, slots=True)
class SceneLine:
    """One line of the scene that the objects are placed by."""

    text: str


@dataclass(frozen=True, slots=True)
class Input:
    """Device states from this frame on."""

    frame: int
    states: dict[str, int]


@dataclass(frozen=True, slots=True)
class Hash:
    """World hash after this frame; per machine name its hash and cycles since power-on."""

    frame: int
    world: str
    machines: dict[str, tuple[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state saved after this frame, `length` bytes at `offset` of a side file; players may ignore it."""

    frame: int
    sha256: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Comment:
    """One line of text at this frame."""

    frame: int
    text: str


@dataclass(frozen=True, slots=True)
class End:
    """The recording was finished after this many frames; `world` is "" if there are none."""

    frames: int
    world: str


@dataclass(frozen=True, slots=True)
class Other:
    """A record of a later minor version that may be skipped, with the text of its line."""

    text: str


Record = SceneLine | Input | Hash | Checkpoint | Comment | End | Other
Script = Sequence[tuple[int, Mapping[str, int]]]
"""Inputs, of a history or a script: steps with rising frames, (frame, {device: value})."""


@dataclass(frozen=True, slots=True)
class LineField:
    """One value in a line: attribute of the record, spelling, and the two directions."""

    name: str
    pattern: str
    read: Callable[[str], Any]
    write: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of record.

    tag      what its line starts with
    record   its class
    layout   fixed texts and fields, in order
    order    position within a frame: 0 before it is executed, then ascending after it; None: anywhere
    """

    tag: str
    record: type
    layout: tuple[str | LineField, ...]
    order: int | None = None

    @property
    def fields(self) -> tuple[LineField, ...]:
        return tuple(part for part in self.layout if isinstance(part, LineField))


_NUMBER = "(?:0|[1-9][0-9]{0,17})"
_STATE = f"{DEVICE}:{_NUMBER}"
_RUN = f"{MACHINE}={HEX16}:{_NUMBER}"


def _read_number(maximum: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if int(text) > maximum:
            raise ValueError(f"{text} is not in 0..{maximum}")
        return int(text)

    return read


def _number(name: str, maximum: int = MAX_NUMBER) -> LineField:
    return LineField(name, _NUMBER, _read_number(maximum), str)


def _plain(name: str, pattern: str) -> LineField:
    return LineField(name, pattern, str, str)


def _read_states(text: str) -> dict[str, int]:
    pairs = [item.split(":") for item in text.split(" ")]
    return _unique((device, _read_number(U32)(state)) for device, state in pairs)


def _write_states(states: dict[str, int]) -> str:
    return " ".join(f"{device}:{state}" for device, state in states.items())


def _read_runs(text: str) -> dict[str, tuple[str, int]]:
    runs = (re.split("[=:]", item) for item in text.split(" ")[1:])
    return _unique((name, (digest, int(cycles))) for name, digest, cycles in runs)


def _write_runs(machines: dict[str, tuple[str, int]]) -> str:
    return "".join(f" {name}={digest}:{cycles}" for name, (digest, cycles) in machines.items())


def _unique(pairs: Iterator[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in pairs:
        if name in result:
            raise ValueError(f"{name} is given twice")
        result[name] = value
    return result


def _read_text(text: str) -> str:
    if not text.isprintable():
        raise ValueError("the text holds unprintable characters")
    return text


_FRAME = _number("frame", MAX_FRAME)
KINDS = (
    Kind(
        "|",
        Input,
        ("|", _FRAME, "|", LineField("states", f"{_STATE}(?: {_STATE})*", _read_states, _write_states)),
        order=0,
    ),
    Kind(
        "=",
        Hash,
        (
            *("=", _FRAME, " world=", _plain("world", HEX16)),
            LineField("machines", f"(?: {_RUN})*", _read_runs, _write_runs),
        ),
        order=1,
    ),
    Kind(
        "@",
        Checkpoint,
        (
            *("@", _FRAME, " sha256=", _plain("sha256", HEX64)),
            *(" off=", _number("offset"), " len=", _number("length")),
        ),
        order=2,
    ),
    Kind(";", Comment, (";", _FRAME, " ", LineField("text", ".+", _read_text, str))),
    Kind("SCENE", SceneLine, ("SCENE ", LineField("text", ".*", _read_text, str))),
    Kind(
        "END",
        End,
        (
            *("END frames=", _number("frames", MAX_FRAME + 1)),
            LineField("world", f"(?: world={HEX16})?", lambda t: t[7:], lambda w: f" world={w}" if w else ""),
        ),
    ),
)
BY_TAG = {kind.tag: kind for kind in KINDS}
BY_RECORD = {kind.record: kind for kind in KINDS}
_TAG = re.compile("[A-Za-z]+|.", re.DOTALL)
_READERS = {
    kind.tag: re.compile("".join(f"({p.pattern})" if isinstance(p, LineField) else re.escape(p) for p in kind.layout))
    for kind in KINDS
}


def write_record(record: Record) -> bytes:
    """Return the line of a record with checksum and LF.

    Errors   ValueError if the line would not be read back as the same record
    """
    if isinstance(record, Other):
        return seal(record.text.encode())
    parts = BY_RECORD[type(record)].layout
    text = "".join(p if isinstance(p, str) else p.write(getattr(record, p.name)) for p in parts)
    line = seal(text.encode())
    if len(line) - 1 > MAX_LINE_BYTES or read_record(text) != record:
        raise ValueError(f"{record} does not fit into a tape line")
    return line


def read_record(text: str) -> Record:
    """Return the record of a line without its checksum.

    Errors   ValueError saying what is wrong
    """
    first = _TAG.match(text)
    tag = first[0] if first else ""
    if tag not in BY_TAG:
        if "a" <= tag < "{":
            return Other(text)
        if "A" <= tag < "[":
            raise ValueError(f"record {tag[:20]!r} comes from a newer retrosim and cannot be skipped; upgrade retrosim")
        raise ValueError(f"no record starts with {tag!r}")
    kind = BY_TAG[tag]
    found = _READERS[tag].fullmatch(text)
    if found is None:
        raise ValueError(f"not a well-formed {kind.record.__name__.lower()} line")
    return kind.record(*(part.read(group) for part, group in zip(kind.fields, found.groups(), strict=True)))


def seal(body: bytes, before: bytes = b"") -> bytes:
    """Return a line: the body, its checksum (over `before` and the body with its "|") and LF."""
    body += b"|"
    return b"%b%08x\n" % (body, zlib.crc32(body, zlib.crc32(before)))


def unseal(line: bytes, before: bytes = b"") -> bytes:
    """Return the body of a line without LF.

    Errors   ValueError if its checksum differs
    """
    body, crc = line[:-CRC_BYTES], line[-CRC_BYTES:]
    if not body.endswith(b"|") or crc != b"%08x" % zlib.crc32(body, zlib.crc32(before)):
        raise ValueError("the checksum differs, the line is damaged")
    return body[:-1]
