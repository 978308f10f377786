"""The tape file: round trips, damage of every kind, limits, versions."""

from __future__ import annotations

import contextlib
import json
import os
import random
import zlib
from dataclasses import replace
from pathlib import Path
from string import ascii_lowercase, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrosim.errors import TapeError
from retrosim.rom import load_rom
from retrosim.tape import Checkpoint, Comment, End, Hash, Input, Other, Player, load_tape, parse_tape, save_tape
from retrosim.tape.format import MAX_TAPE_BYTES, write_start
from retrosim.tape.header import MAX_HEADER_BYTES, canonical, tape_id
from retrosim.tape.records import MAX_LINE_BYTES, read_record, seal, write_record
from tests.helpers.amount import FULL
from tests.helpers.tape.drift_machine import FakeMachine
from tests.helpers.tape.tape_bytes import RECORDS, WORLDS, header, refused, sealed, sealed_header, tape

GOLDEN = Path(__file__).parent


def test_bytes_and_records_round_trip():
    data = tape().encode()
    read = parse_tape(data, "memory")
    assert read.records == RECORDS
    assert read.header == tape().header
    assert (read.frames, read.is_complete, read.note, read.torn) == (8, True, "", "")
    assert read.encode() == data


def test_lines_look_as_the_grammar_says():
    lines = tape().encode().decode().splitlines()
    assert lines[0] == "RTAPE 1.0"
    assert json.loads(lines[1][:-9])["title"] == "Drift"
    shown = [line[:-8] for line in lines[2:]]
    assert shown == [
        "|0|pad:8|",
        f"=1 world={WORLDS[1]} fake-25=0123456789abcdef:2016|",
        f"@1 sha256={'ab' * 32} off=0 len=4096|",
        ";2 a comment with | and = and Grüße|",
        "|3|pad:0|",
        f"=4 world={WORLDS[4]}|",
        "|6|pad:31|",
        f"=7 world={WORLDS[7]}|",
        f"END frames=8 world={WORLDS[7]}|",
    ]
    for line in lines[2:]:
        assert line[-8:] == f"{zlib.crc32(line[:-8].encode()):08x}"
    assert lines[1][-8:] == f"{zlib.crc32(b'RTAPE 1.0' + bytes([10]) + lines[1][:-8].encode()):08x}"


NUMBERS = st.integers(0, 10**18 - 1)
FRAMES = st.integers(0, 2**31 - 1)
HEXES = st.text("0123456789abcdef", min_size=16, max_size=16)
NAMES = st.builds(str.__add__, st.sampled_from(ascii_lowercase), st.text(ascii_lowercase + digits, max_size=10))
TEXTS = st.text(min_size=1, max_size=200).filter(str.isprintable)


@pytest.mark.full
@given(
    st.one_of(
        st.builds(Input, FRAMES, st.dictionaries(NAMES, st.integers(0, 2**32 - 1), min_size=1, max_size=5)),
        st.builds(Hash, FRAMES, HEXES, st.dictionaries(NAMES, st.tuples(HEXES, NUMBERS), max_size=5)),
        st.builds(Checkpoint, FRAMES, HEXES.map(lambda h: h * 4), NUMBERS, NUMBERS),
        st.builds(Comment, FRAMES, TEXTS),
        st.builds(End, st.integers(0, 2**31), st.one_of(st.just(""), HEXES)),
        st.builds(Other, TEXTS.map(lambda text: "x" + text)),
    )
)
def test_every_record_reads_back_as_written(record):
    line = write_record(record)
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    assert read_record(line[:-10].decode()) == record


@pytest.mark.parametrize("record", [Comment(0, "two\nlines"), Comment(0, "x" * MAX_LINE_BYTES), Input(-1, {"pad": 1})])
def test_writer_refuses_what_would_not_read_back(record):
    with pytest.raises(ValueError):
        write_record(record)


def test_every_truncation_is_recovered_or_refused():
    data = tape().encode()
    header_end = data.index(b"\n", 10) + 1
    ends = [i + 1 for i, byte in enumerate(data) if byte == 10 and i >= header_end]
    for length in range(len(data)):
        if length < header_end - 1:
            with pytest.raises(TapeError):
                parse_tape(data[:length])
            continue
        whole = sum(length >= end - 1 for end in ends)  # a line that lacks only its LF is whole
        read = parse_tape(data[:length])
        assert read.records == RECORDS[:whole]
        if whole == len(RECORDS):
            assert read.is_complete
            continue
        executed = [record.frame for record in RECORDS[:whole] if not isinstance(record, Comment)]
        assert read.frames == (executed[-1] + 1 if executed else 0)
        assert f"recovered to frame {executed[-1]}" in read.note if executed else "no frames" in read.note
        at_line_end = length in (header_end - 1, header_end) or any(length in (end - 1, end) for end in ends)
        assert bool(read.torn) == (not at_line_end)


def test_every_changed_byte_is_refused_or_reported():
    data = tape().encode()
    rng = random.Random(7)
    for at in range(len(data)):
        bits = range(8) if FULL else rng.sample(range(8), 3)
        values = {data[at] ^ 1 << bit for bit in bits} | {0, 9, 10, 13, 32, 48, 124, rng.randrange(256)}
        for value in values - {data[at]}:
            damaged = data[:at] + bytes([value]) + data[at + 1 :]
            if at == len(data) - 1:  # the final LF: the last line looks torn
                read = parse_tape(damaged)
                assert (read.is_complete, read.torn) == (False, "line 11 is torn")
                assert read.records == RECORDS[:-1]
            else:
                with pytest.raises(TapeError):
                    parse_tape(damaged)


def test_a_damaged_line_is_named():
    lines = tape().encode().split(b"\n")
    for number in range(3, 12):
        damaged = lines.copy()
        damaged[number - 1] = damaged[number - 1].replace(b"1", b"7").replace(b"0", b"5").replace(b"3", b"2")
        assert damaged != lines
        refused(b"\n".join(damaged), f"line {number}: the checksum differs")


def test_zero_bytes_at_the_end_count_as_torn():
    data = tape(RECORDS[:5]).encode()
    for tail in (b"\0", b"\0" * 10_000, b"=4 wor" + b"\0" * 10_000):
        read = parse_tape(data + tail)
        assert read.records == RECORDS[:5]
        assert read.note == "the recording was interrupted (line 8 is torn): recovered to frame 3"
    refused(data + b"=4 wor" + b"\0" * 10_000 + b"\n", "longer than 4096")
    refused(data + b"x" * 4097, "line 8: line is longer than 4096")


def test_random_bytes_never_raise_anything_else():
    rng = random.Random(1994)
    data = tape().encode()
    start = write_start(header())
    loaded = 0
    for _ in range(4000 if FULL else 1600):
        kind = rng.randrange(4)
        if kind == 0:
            attack = rng.randbytes(rng.randrange(200))
        elif kind == 1:
            a, b, c = sorted(rng.randrange(len(data)) for _ in range(3))
            attack = data[:b] + data[a:c] + data[b:]
        elif kind == 2:
            lines = [bytearray(line[:-9]) for line in data.split(b"\n")[2:-1]]
            line = rng.choice(lines)
            line[rng.randrange(len(line))] = rng.randrange(256)
            rng.shuffle(lines) if rng.random() < 0.3 else None
            attack = start + b"".join(seal(bytes(line).replace(b"\n", b" ")) for line in lines)
        else:
            text = bytearray(canonical(header()))
            for _ in range(rng.randrange(1, 4)):
                text[rng.randrange(len(text))] = rng.choice(b'{}[]":,0123456789-.eEtrufalsn\\\x00\xff')
            attack = sealed_header(bytes(text)) + data[len(start) :]
        with contextlib.suppress(TapeError):
            loaded += isinstance(parse_tape(attack).note, str)
    assert 0 < loaded < (2000 if FULL else 800)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["|0|pad:4294967296"], "4294967296 is not in 0..4294967295"),
        (["|2147483648|pad:1"], "2147483648 is not in 0..2147483647"),
        (["|0|pad:08"], "not a well-formed input"),
        (["|0|pad:-1"], "not a well-formed input"),
        (["|0|pad:1 "], "not a well-formed input"),
        (["|0|pad:٣"], "not a well-formed input"),
        (["|0|"], "not a well-formed input"),
        (["|0|pad:1 pad:2"], "pad is given twice"),
        (["|0|stick:1"], "devices are stick, the header has pad"),
        (["|0|pad:1 stick:1"], "devices are pad stick, the header has pad"),
        (["|1|pad:1"], "the inputs of frame 0 are missing"),
        (["=0 world=" + "0" * 16], "the inputs of frame 0 are missing"),
        (["|0|pad:1", "|0|pad:2"], "a second or late input line for frame 0"),
        (["|0|pad:1", "|5|pad:2", "|4|pad:2"], "frame 4 after frame 5"),
        (["|0|pad:1", "=5 world=" + "0" * 16, "|5|pad:2"], "a second or late input line for frame 5"),
        (["|0|pad:1", "=5 world=" + "0" * 16, "=5 world=" + "0" * 16], "a second or late hash line"),
        (["|0|pad:1", ";9 later", "|8|pad:2"], "frame 8 after frame 9"),
        (["|0|pad:1", "=5 world=" + "0" * 15], "not a well-formed hash"),
        (["|0|pad:1", "=5 world=" + "A" * 16], "not a well-formed hash"),
        (["|0|pad:1", f"=5 world={'0' * 16} other-33={'0' * 16}:5"], "machine 'other-33' is not in the header"),
        (["|0|pad:1", f"=5 world={'0' * 16} a={'0' * 16}:5 a={'0' * 16}:5"], "a is given twice"),
        (["|0|pad:1", f"=5 world={'0' * 16} fake-25={'0' * 16}:{10**18}"], "not a well-formed hash"),
        (["|0|pad:1", ";1 \x1b[31mred"], "unprintable"),
        (["|0|pad:1", ";1 "], "not a well-formed comment"),
        (["END frames=1"], "END says frames=1"),
        (["|0|pad:1", "END frames=1"], "END without a hash line of frame 0"),
        (["|0|pad:1", f"=0 world={'0' * 16}", f"END frames=1 world={'1' * 16}"], "END says"),
        (["|0|pad:1", f"=0 world={'0' * 16}", f"END frames=2 world={'0' * 16}"], "END says"),
        (["|0|pad:1", f"=0 world={'0' * 16}", "|1|pad:2", f"END frames=1 world={'0' * 16}"], "END without a hash"),
        (["END frames=0", ";0 more"], "nothing may follow"),
        (["END frames=0", "x more"], "nothing may follow"),
        (["ENDE frames=0"], "record 'ENDE' comes from a newer retrosim"),
        (["Q 1 2 3"], "record 'Q' comes from a newer retrosim"),
        (["#comment"], "no record starts with '#'"),
        (["ä"], "no record starts with 'ä'"),
        ([""], "no record starts with ''"),
        ([" |0|pad:1"], "no record starts with ' '"),
    ],
)
def test_bad_lines_are_refused_by_number(lines, words):
    refused(sealed(*lines), words)
    refused(sealed(*lines), f"line {len(lines) + 2}: ")


def test_line_and_file_limits():
    fits = ";0 " + "x" * (MAX_LINE_BYTES - 3 - 9)
    assert len(parse_tape(sealed(fits)).records) == 1
    refused(sealed(fits + "x"), "line 3: line is longer than 4096 bytes")
    refused(b"RTAPE 1.0\n" + b" " * (MAX_HEADER_BYTES + 1), "line 2: line is longer than 65536 bytes")
    refused(b"R" * 100, "line 1")
    refused(sealed() + b"x" * MAX_TAPE_BYTES, "larger than a tape can be (16 MiB)")
    big = header(extra="x" * (MAX_HEADER_BYTES - len(canonical(header(extra=""))) - 9))
    assert parse_tape(sealed(head=big)).header == big
    with pytest.raises(ValueError, match="bytes long"):
        write_start(big | {"extra": big["extra"] + "x"})


def test_versions():
    refused(
        b"RTAPE 2.0\n" + tape().encode()[10:], "tape version 2.0 needs a newer retrosim (this one plays 1.x); upgrade"
    )
    refused(b"RTAPE 0.9\n" + tape().encode()[10:], "older than 1.0")
    for first in (
        b"",
        b"RTAPE",
        b"RTAPE 1",
        b"RTAPE 1.0 ",
        b"rtape 1.0",
        b"RTAPE 01.0",
        b"RTAPE 1.\xd9\xa3",
        b"PK\3\4",
    ):
        refused(first + b"\n" + tape().encode()[10:], "line 1: not a retrosim tape")
    refused(b"", "line 1: not a retrosim tape")
    refused(b"RTAPE 1.7\n" + tape().encode()[10:], "line 2: the checksum differs")


def test_newer_minor_version_loads_and_keeps_what_it_does_not_know(tmp_path):
    head = header(colour="red", nested={"deep": [1, {"x": None}]})
    head["machines"]["fake-25"]["stepping"] = "E31F"
    data = sealed(
        "|0|pad:1", "z 12 something new", f"=0 world={'0' * 16}", "END frames=1 world=" + "0" * 16, head=head, minor=7
    )
    read = parse_tape(data)
    assert read.minor == 7
    assert read.records[1] == Other("z 12 something new")
    assert read.encode() == data
    path = tmp_path / "edited.rtape"
    save_tape(replace(read, header=read.header | {"title": "New title"}), path)
    again = load_tape(path)
    assert path.read_bytes().startswith(b"RTAPE 1.7\n")
    assert again.records == read.records
    assert again.header == head | {"title": "New title", "edited_with": again.header["edited_with"]}
    assert again.header["edited_with"].startswith("retrosim")


def test_save_never_overwrites_and_never_writes_a_bad_tape(tmp_path):
    path = tmp_path / "a.rtape"
    path.write_bytes(b"precious")
    with pytest.raises(TapeError, match="never overwrites"):
        save_tape(tape(), path)
    assert path.read_bytes() == b"precious"
    with pytest.raises(TapeError, match="cannot be created"):
        save_tape(tape(), tmp_path / "missing" / "a.rtape")
    with pytest.raises(TapeError, match="END"):
        save_tape(tape((*RECORDS[:5], End(8, WORLDS[7]))), tmp_path / "b.rtape")
    assert os.listdir(tmp_path) == ["a.rtape"]


def test_unreadable_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, words in [("none", "no such file"), (".", "regular file"), ("pipe", "regular file"), ("a\0b", "null")]:
        with pytest.raises(TapeError, match=words):
            load_tape(tmp_path / name)


def test_a_shipped_tape_is_loaded_and_called_by_its_name(tmp_path, monkeypatch):
    shipped = load_tape("gem-run")
    assert repr(shipped) == "<Tape gem-run: xquest on mc68040-25, 600 frames>"
    (path,) = [path for path in load_rom("xquest").tapes() if path.stem == "gem-run"]
    assert shipped == load_tape(path) == load_tape(str(path)) and shipped.path == str(path)
    monkeypatch.chdir(tmp_path)
    Path("gem-run").write_bytes(tape().encode())  # a file of the user's comes first, and has its path
    assert load_tape("gem-run").title == tape().title != shipped.title
    for own in ("a.rtape", "tapes/gem-run.rtape"):
        path = tmp_path / own
        path.parent.mkdir(exist_ok=True)
        save_tape(tape(), path)
        assert load_tape(path).name == str(path)
    with pytest.raises(TapeError, match=r"gem-ran: no such file, and no tape of .*; did you mean gem-run"):
        load_tape("gem-ran")


def test_crlf_conversion_is_named():
    refused(tape().encode().replace(b"\n", b"\r\n"), "line 1: the file was converted to CR LF lines")


def test_golden_tape_of_version_1_0_loads_and_plays_for_ever():
    data = (GOLDEN / "golden-1.0.rtape").read_bytes()
    read = load_tape(GOLDEN / "golden-1.0.rtape")
    assert data.startswith(b"RTAPE 1.0\n") and read.encode() == data
    assert (read.frames, read.is_complete, read.title) == (150, True, "Goldene Kassette")
    assert read.header["id"] == tape_id(read.header) == "0461877ff466b8d8"
    kinds = [type(record) for record in read.records]
    assert kinds == [Input, Comment, Input, Hash, Hash, Input, Hash, Checkpoint, Input, Hash, Hash, End]
    player = Player(read, FakeMachine(), sync={"cache": "on"})
    assert player.run()
    assert (player.world_ok, player.machine_ok, player.compared, player.machine_compared) == (True, True, 5, 5)
