"""The header of a tape: what is refused, what is required, what it must not hold."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from retrosim.tape import parse_tape
from retrosim.tape.header import canonical, new_header, tape_id
from tests.helpers.tape.drift_machine import FakeMachine
from tests.helpers.tape.tape_bytes import header, refused, sealed_header


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"{", "not JSON"),
        (b"\xff", "not UTF-8"),
        (b"[" * 60000, "nested too deeply"),
        (b'{"a":' * 9000 + b"1" + b"}" * 9000, "nested too deeply"),
        (b'{"a":1.5}', "1.5 is not a whole number"),
        (b'{"a":1e3}', "1e3 is not a whole number"),
        (b'{"a":NaN}', "NaN is not a whole number"),
        (b'{"a":-Infinity}', "-Infinity is not a whole number"),
        (b'{"a":' + b"9" * 5000 + b"}", "line 2: "),
        (b'{"a": 1}', "not in canonical form"),
        (b'{"b":1,"a":1}', "not in canonical form"),
        (b'{"a":1,"a":1}', "not in canonical form"),
        (b'{"a":-0}', "not in canonical form"),
        (b'{"a":"\\u0041"}', "not in canonical form"),
        (b'{"a":"\\ud800"}', "not UTF-8"),
        (b'{"a":1}', "header key 'format' is missing"),
    ],
)
def test_bad_header_text_is_refused(text, words):
    refused(sealed_header(text), words)
    refused(sealed_header(text), "line 2: ")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format", "other"),
        ("id", "0123"),
        ("title", "two\nlines"),
        ("title", "x" * 201),
        ("title", None),
        ("author", "\x1b[2J"),
        ("description", "a\x07"),
        ("created_with", 1),
        ("edited_with", []),
        ("scenario", "../sectors"),
        ("scenario", ""),
        ("parameters", {"objects": -1}),
        ("parameters", {"objects": True}),
        ("parameters", {"objects": 2**32}),
        ("parameters", {"seed": 1}),
        ("parameters", {f"p{n}": 1 for n in range(17)}),
        ("seed", 2**32),
        ("roms", [{"isa": "fake"}]),
        ("roms", [{"isa": "fake", "build": "O1", "name": "drift", "sha256": "1" * 63}]),
        ("inputs", ["pad", "pad"]),
        ("inputs", ["Pad"]),
        ("inputs", "pad"),
        ("machine", "other-33"),
        ("machine", "a/b"),
        ("machines", {}),
        ("machines", {"fake-25": {}}),
        ("sync", {"timing": None}),
        ("start", "later"),
        ("start", {"frame": 1}),
        ("start", {"frame": -1, "state": "0" * 64}),
        ("hash", "md5"),
        ("hash_every", 0),
        ("hash_every", "60"),
    ],
)
def test_bad_header_values_are_refused(key, value):
    refused(
        sealed_header(canonical(header() | {key: value})), f"header key {key!r}" if key != "machine" else "header key"
    )


@pytest.mark.parametrize(("clock", "fine"), [([25_000_000, 1], True), ([1, 0], False), ([1], False), ([-1, 1], False)])
def test_rates_are_ratios(clock, fine):
    head = header()
    head["machines"]["fake-25"]["clock"] = clock
    data = sealed_header(canonical(head))
    if fine:
        assert parse_tape(data).header == head
    else:
        refused(data, "header key 'machines'")


def test_every_header_key_is_required():
    for key in header():
        head = {name: value for name, value in header().items() if name != key}
        refused(sealed_header(canonical(head)), f"header key {key!r} is missing")


def test_header_holds_no_host_state_and_a_stable_id():
    first, second = header(), header()
    assert first == second
    assert first["id"] == tape_id(first)
    assert header()["id"] != new_header(FakeMachine(), title="Other", hash_every=3)["id"]
    machine = FakeMachine()
    machine.parameters["seed"] = 7
    assert new_header(machine)["id"] != new_header(FakeMachine())["id"]
    text = canonical(first).decode()
    for word in (os.uname().nodename, str(Path.home()), os.getcwd()):
        assert len(word) < 3 or word not in text
    with pytest.raises(ValueError, match="no floats"):
        canonical({"a": [1.0]})
