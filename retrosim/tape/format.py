"""Scenario tapes (`.rtape`): UTF-8 lines, each ended by LF, each with a checksum.

Version 1.0, or 1.1 where a scene places the objects.

    tape        = "RTAPE " major "." minor LF  header LF  { scene LF }  { record LF }
    header      = canonical JSON (header.py) "|" crc                      at most 64 KiB
    scene       = "SCENE " text "|" crc                                   a line of the scene, see rom/scene.py
    record      = input | hash | checkpoint | comment | end | other       at most 4 KiB
    input       = "|" frame "|" device ":" state { " " device ":" state } "|" crc
    hash        = "=" frame " world=" hash16 { " " machine "=" hash16 ":" cycles } "|" crc
    checkpoint  = "@" frame " sha256=" hash64 " off=" number " len=" number "|" crc
    comment     = ";" frame " " text "|" crc
    end         = "END frames=" number [ " world=" hash16 ] "|" crc
    other       = letters [ anything ] "|" crc

* Numbers are decimal without sign or leading zeros: frame 0..2147483647, state 0..4294967295, others below 10^18.
* crc is CRC-32 (as in zip and PNG) over the bytes of the line up to and including the "|" before it, eight lower-case
  hex digits; for the header it runs over the first line and its LF as well. CRC-32 finds every damage of up to 32
  neighbouring bits, which includes every changed byte; a checksum per line (and not a running one) makes an edit of
  one line a difference in one line. A lost or doubled whole line is found by the order rule or by the next hash line.
* An input line holds every device of the header, in the header's order; it takes effect before its frame is executed
  and lasts until the next one. Frame 0 always has one, if the ROM has inputs.
* Hash and checkpoint of frame F belong to the state after executing F and before the inputs of F+1. Machine names come
  from the header.
* Scene lines come first; together they are the text of the scene, at most 64 KiB. A tape that starts from a saved state
  has none: the state has the scene.
* Order: frames never go back; within one frame input, hash, checkpoint, each at most once; comments anywhere.
* `end`: frames is one more than the frame of the last hash line, world repeats its hash; a tape without frames has
  neither. Nothing follows it. A tape without it was interrupted and plays up to its last record.
* other: a record of a later minor version. Upper-case first letter: it must be understood, so the tape is refused.
  Lower-case: it is skipped (and kept when the tape is written again).
* A last line without LF was torn by an interruption: it is dropped (unless whole but for the LF), and so is a tail of
  zero bytes. Any other bad line is a `TapeError` with its number. So every changed byte is either refused or, in the
  final LF, reported as a recovered tape.
* A tape has at most 16 MiB, about three hours with an input change in every frame.

`records.KINDS` is the only list of records: writer, reader and the rules of order all come from it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from retrosim.errors import TapeError
from retrosim.reading import read_file
from retrosim.rom.scene import MAX_BYTES as MAX_SCENE_BYTES

from .files import find_tape, tape_name, write_new
from .header import MAX_HEADER_BYTES, POWER_ON, canonical, check_header, parse_header, program_version
from .records import (
    BY_RECORD,
    CRC_BYTES,
    MAX_LINE_BYTES,
    Comment,
    End,
    Hash,
    Input,
    Other,
    Record,
    SceneLine,
    read_record,
    seal,
    unseal,
    write_record,
)

MAJOR, MINOR, SCENE_MINOR = 1, 0, 1
MAX_VERSION_BYTES = 32  # of the first line
MAX_TAPE_BYTES = 16 * 1024 * 1024


class RecordOrder:
    """The rules between lines: order, known devices and machines, and what `end` must say.

    header   of the tape; recorder and reader both ask `accept` for every record

    After each record `frames` is one more than the last frame known to have been executed or begun.
    """

    def __init__(self, header: dict[str, Any]) -> None:
        start = header["start"]
        self.first = 0 if start == POWER_ON else start["frame"]
        self.frames = self.first
        self._devices = header["inputs"]
        self._machines = header["machines"]
        self._frame, self._rank = self.first, -1
        self._hash: Hash | None = None
        self._may_place = header["start"] == POWER_ON
        self._scene_bytes = 0
        self._started = not self._devices
        self._ended = False

    def accept(self, record: Record) -> None:
        """Take the next record.

        Errors   ValueError saying which rule it breaks
        """
        if self._ended:
            raise ValueError("nothing may follow the END line")
        if isinstance(record, SceneLine):
            self._accept_scene(record)
            return
        self._may_place = False
        if isinstance(record, Other):
            return
        if isinstance(record, End):
            self._accept_end(record)
            return
        if record.frame < self._frame:
            raise ValueError(f"frame {record.frame} after frame {self._frame}: frames never go back")
        if isinstance(record, Input):
            self._accept_input(record)
        elif not isinstance(record, Comment) and not self._started:
            raise ValueError(f"the inputs of frame {self.first} are missing")
        if isinstance(record, Hash):
            unknown = [name for name in record.machines if name not in self._machines]
            if unknown:
                raise ValueError(f"machine {unknown[0]!r} is not in the header")
            self._hash = record
        rank = BY_RECORD[type(record)].order
        if record.frame > self._frame:
            self._frame, self._rank = record.frame, -1
        if rank is None:
            return
        if rank <= self._rank:
            raise ValueError(f"a second or late {type(record).__name__.lower()} line for frame {record.frame}")
        self._rank = rank
        self.frames = record.frame + 1

    def _accept_scene(self, line: SceneLine) -> None:
        if not self._may_place:
            raise ValueError("a scene line comes before all others, in a tape from power-on")
        self._scene_bytes += len(line.text.encode()) + 1
        if self._scene_bytes > MAX_SCENE_BYTES:
            raise ValueError(f"the scene is longer than {MAX_SCENE_BYTES} bytes")

    def _accept_input(self, record: Input) -> None:
        if list(record.states) != self._devices:
            known = " ".join(self._devices) or "none"
            raise ValueError(f"devices are {' '.join(record.states)}, the header has {known}")
        if not self._started and record.frame != self.first:
            raise ValueError(f"the inputs of frame {self.first} are missing")
        self._started = True

    def _accept_end(self, end: End) -> None:
        last = self._hash
        expected = (last.frame + 1, last.world) if last else (self.first, "")
        if self.frames != expected[0]:
            raise ValueError(f"END without a hash line of frame {self.frames - 1}")
        if (end.frames, end.world) != expected:
            raise ValueError(f"END says frames={end.frames} world={end.world}, the lines before it say otherwise")
        self._ended = True


@dataclass(frozen=True, repr=False)
class Tape:
    """A tape in memory.

    path      where it came from, for messages
    header    as in header.py, with unknown keys
    records   in file order, with skipped ones
    minor     minor version of the file
    torn      what was dropped at the end of the file, or ""
    """

    path: str
    header: dict[str, Any]
    records: tuple[Record, ...]
    minor: int = MINOR
    torn: str = ""

    def __repr__(self) -> str:
        return f"<Tape {self.name}: {self.scenario} on {self.machine}, {self.frames:,} frames>"

    @property
    def name(self) -> str:
        """What messages call it: the name of a shipped tape, the path of another."""
        return tape_name(self.path)

    @property
    def title(self) -> str:
        return self.header["title"]

    @property
    def scenario(self) -> str:
        return self.header["scenario"]

    @property
    def machine(self) -> str:
        return self.header["machine"]

    @property
    def parameters(self) -> dict[str, int]:
        """Host parameters at power-on, the seed among them."""
        seed = self.header["seed"]
        return self.header["parameters"] | ({} if seed is None else {"seed": seed})

    @property
    def state_sha256(self) -> str | None:
        """Digest of the saved state it starts from; None for power-on."""
        start = self.header["start"]
        return None if start == POWER_ON else start["state"]

    @property
    def first_frame(self) -> int:
        start = self.header["start"]
        return 0 if start == POWER_ON else start["frame"]

    @cached_property
    def frames(self) -> int:
        """Number of frames since power-on when it ends, computed from the lines."""
        order = RecordOrder(self.header)
        for record in self.records:
            order.accept(record)
        return order.frames

    @cached_property
    def scene(self) -> str | None:
        """Text of the scene that the objects are placed by, None if there is none."""
        lines = [record.text for record in self.records if isinstance(record, SceneLine)]
        return "".join(f"{line}\n" for line in lines) if lines else None

    @property
    def inputs(self) -> list[Input]:
        return [record for record in self.records if isinstance(record, Input)]

    @property
    def hashes(self) -> list[Hash]:
        return [record for record in self.records if isinstance(record, Hash)]

    @property
    def is_complete(self) -> bool:
        """Whether the recording was finished."""
        return bool(self.records) and isinstance(self.records[-1], End)

    @property
    def note(self) -> str:
        """ "" for a finished tape, else one sentence about the interruption."""
        if self.is_complete:
            return ""
        until = f"recovered to frame {self.frames - 1}" if self.frames > self.first_frame else "it has no frames"
        torn = f" ({self.torn})" if self.torn else ""
        return f"the recording was interrupted{torn}: {until}"

    def encode(self) -> bytes:
        """Return the bytes of the tape file; a loaded tape gives the same bytes again, less a torn line."""
        return write_start(self.header, self.minor) + b"".join(write_record(record) for record in self.records)


def write_start(header: dict[str, Any], minor: int = MINOR) -> bytes:
    """Return the first two lines of a tape.

    Errors   ValueError for a header that would not be read back
    """
    check_header(header)
    first = b"RTAPE %d.%d\n" % (MAJOR, minor)
    spelled = canonical(header)
    if len(spelled) + 1 + CRC_BYTES > MAX_HEADER_BYTES:
        raise ValueError(f"header is {len(spelled)} bytes long, allowed {MAX_HEADER_BYTES - 1 - CRC_BYTES}")
    return first + seal(spelled, before=first)


def load_tape(path: str | Path) -> Tape:
    """Read a tape file.

    path     of the file, or the name of a shipped tape
    Returns  the tape, without a torn last line
    Errors   TapeError: not there, not a tape, damaged, too large, or of another major version
    """
    path = find_tape(path) if isinstance(path, str) else path
    return parse_tape(read_file(path, MAX_TAPE_BYTES, TapeError), path)


def parse_tape(data: bytes, path: str | Path = "tape") -> Tape:
    """Read a tape from the bytes of its file.

    data     the whole file; at most 16 MiB
    path     for messages
    Returns  the tape, without a torn last line
    Errors   TapeError with the line number
    """
    if len(data) > MAX_TAPE_BYTES:
        raise TapeError(path, f"is larger than a tape can be ({MAX_TAPE_BYTES >> 20} MiB)")
    number = 1
    try:
        first = data[:MAX_VERSION_BYTES].partition(b"\n")[0]
        minor, at = _read_version(first), len(first) + 1
        number = 2
        line, at = _next_line(data, at, MAX_HEADER_BYTES)
        try:
            body = unseal(line, before=first + b"\n")
        except ValueError:
            if at > len(data):
                raise ValueError("the file is cut off in its header") from None
            raise
        header = parse_header(body)
        order = RecordOrder(header)
        records: list[Record] = []
        torn = ""
        while at < len(data):
            number += 1
            start = at
            try:
                line, at = _next_line(data, at, MAX_LINE_BYTES)
                body = unseal(line)
            except ValueError:
                if (
                    b"\n" in data[start : start + MAX_LINE_BYTES + 1]
                    or len(data[start:].rstrip(b"\0")) > MAX_LINE_BYTES
                ):
                    raise
                torn = f"line {number} is torn"
                break
            record = read_record(body.decode("utf-8"))
            order.accept(record)
            records.append(record)
    except UnicodeError:
        raise TapeError(path, f"line {number}: not UTF-8") from None
    except ValueError as error:
        raise TapeError(path, f"line {number}: {error}") from None
    return Tape(str(path), header, tuple(records), minor, torn)


def _next_line(data: bytes, start: int, max_bytes: int) -> tuple[bytes, int]:
    """Return the line at `start` without LF, and where the next one begins."""
    end = data.find(b"\n", start, start + max_bytes + 1)
    if end < 0:
        end = len(data)
        if end - start > max_bytes:
            raise ValueError(f"line is longer than {max_bytes} bytes")
    return data[start:end], end + 1


def _read_version(line: bytes) -> int:
    """Check the first line and return its minor version."""
    if line.endswith(b"\r"):
        raise ValueError("the file was converted to CR LF lines; fetch it again without conversion")
    found = re.fullmatch(rb"RTAPE (0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})", line)
    if found is None:
        raise ValueError("not a retrosim tape (it must begin with RTAPE and a version)")
    major, minor = int(found[1]), int(found[2])
    if major > MAJOR:
        raise ValueError(f"tape version {major}.{minor} needs a newer retrosim (this one plays {MAJOR}.x); upgrade it")
    if major < MAJOR:
        raise ValueError(f"tape version {major}.{minor} is older than {MAJOR}.0; play it with the retrosim it names")
    return minor


def save_tape(tape: Tape, path: str | Path) -> None:
    """Write a tape to a new file, named as edited by this program; unknown header keys and skipped records are kept.

    Errors   TapeError if the file exists or cannot be written
    """
    edited = replace(tape, header=tape.header | {"edited_with": program_version()})
    data = edited.encode()
    parse_tape(data, path)
    write_new(path, data)
