"""A small tape, and tapes of hand-written lines with right checksums."""

from __future__ import annotations

import pytest

from retrosim.errors import TapeError
from retrosim.tape import Checkpoint, Comment, End, Hash, Input, Tape, parse_tape
from retrosim.tape.format import write_start
from retrosim.tape.header import new_header
from retrosim.tape.records import seal
from tests.helpers.tape.drift_machine import FakeMachine, play_by_hand

WORLDS = [world for world, _, _ in play_by_hand(FakeMachine(), [8, 8, 8, 0, 0, 0, 31, 31])]
RECORDS = (
    Input(0, {"pad": 8}),
    Hash(1, WORLDS[1], {"fake-25": ("0123456789abcdef", 2016)}),
    Checkpoint(1, "ab" * 32, 0, 4096),
    Comment(2, "a comment with | and = and Grüße"),
    Input(3, {"pad": 0}),
    Hash(4, WORLDS[4]),
    Input(6, {"pad": 31}),
    Hash(7, WORLDS[7]),
    End(8, WORLDS[7]),
)


def header(**more: object) -> dict:
    return new_header(FakeMachine(), title="Drift", author="Nobody", hash_every=3) | more


def tape(records: tuple = RECORDS) -> Tape:
    return Tape("memory", header(), records)


def sealed(*lines: str, head: dict | None = None, minor: int = 0) -> bytes:
    """A tape of hand-written lines with right checksums."""
    return write_start(head or header(), minor) + b"".join(seal(line.encode()) for line in lines)


def sealed_header(text: bytes, first: bytes = b"RTAPE 1.0\n") -> bytes:
    return first + seal(text, before=first)


def refused(data: bytes, words: str) -> None:
    with pytest.raises(TapeError) as caught:
        parse_tape(data, "some.rtape")
    assert words in str(caught.value)
    assert "some.rtape" in str(caught.value)
    assert "\n" not in str(caught.value)
