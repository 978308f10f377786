"""Saved states are refused whole when anything is wrong with them: cut off, changed, of another machine, or forged."""

from __future__ import annotations

import hashlib
import json
import random
import zlib
from functools import lru_cache

import pytest

from retrosim.errors import StateError
from retrosim.machine import Machine, NativeMachine, open_machine, state_file
from retrosim.machine.state_file import MAGIC, register_fields
from tests.helpers.amount import usually
from tests.helpers.machine import programs
from tests.helpers.machine.programs import ENGINES

PREFIX = 12  # magic and length of the header
DIGEST = 16
SEEDS = [(engine, seed) for engine in ENGINES for seed in range(6)]  # of random registers
SOME_SEEDS = [(engine, seed) for number, engine in enumerate(ENGINES) for seed in (0, 1 + number)]
unpacked_once = lru_cache(1)(state_file.unpack)


def opened(**options) -> Machine:
    return open_machine("mc68040-25", **{"parameters": {"objects": 15, "seed": 3}} | options)


@pytest.fixture(scope="module")
def state() -> bytes:
    ours = opened()
    ours.run(frames=1)
    return ours.save()


@pytest.fixture(scope="module")
def victim() -> Machine:
    ours = opened(parameters={"objects": 4, "seed": 8})
    ours.run(frames=2)
    return ours


def refuse(victim: Machine, state: bytes, message: str = "saved state: ") -> None:
    """Check that a state is refused with one clear line and changes nothing: registers, memory and counters."""
    before = victim.snapshot()
    with pytest.raises(StateError, match=message) as refused:
        victim.load(state)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 300
    assert refused.value.exit_status == 4
    assert victim.snapshot() == before


def test_every_truncation_is_noticed(victim: Machine, state: bytes) -> None:
    lengths = {*range(200), *range(200, len(state), 499), *range(len(state) - 40, len(state))}
    before = victim.hash("machine")
    for length in sorted(lengths):
        with pytest.raises(StateError):
            victim.load(state[:length])
    for more in (b"\0", state):
        with pytest.raises(StateError):
            victim.load(state + more)
    assert victim.hash("machine") == before


def test_flipped_bits_are_noticed(victim: Machine, state: bytes) -> None:
    r = random.Random(1994)
    before = victim.hash("machine")
    for place in {*range(40), *(r.randrange(len(state)) for _ in range(150)), len(state) - 1}:
        damaged = bytearray(state)
        damaged[place] ^= 1 << r.randrange(8)
        with pytest.raises(StateError):
            victim.load(bytes(damaged))
    assert victim.hash("machine") == before


@pytest.mark.parametrize(
    "options, message",
    [
        ({"build": "O1"}, "its image is '[0-9a-f]{64}', this machine's is '[0-9a-f]{64}'"),
        ({"timing": "table"}, "its timing is '.* full .*', this machine's is '.* table .*'"),
        ({"service_clocks": 3}, "its timing is"),
        ({"mode": "harness"}, "its mode is 'demo', this machine's is 'harness'"),
    ],
)
def test_states_of_other_machines(state: bytes, options: dict, message: str) -> None:
    refuse(opened(**options), state, message)


def test_states_of_other_kinds(victim: Machine, state: bytes) -> None:
    refuse(victim, NativeMachine().save(), "its machine is 'native', this machine's is 'mc68040-25'")
    refuse(victim, b"", "begins with b''")
    refuse(victim, b"\x7fELF" + bytes(100), "begins with")
    with pytest.raises(StateError, match="its machine is 'mc68040-25', this machine's is 'native'"):
        NativeMachine().load(state)
    foreign = programs.machine("60fe")
    refuse(victim, foreign.save(), "its image is")
    refuse(foreign, state, "its (image|mode|parameters)")


# --- states that someone made: the digest is right, the content is not


def split(state: bytes) -> tuple[dict, bytes]:
    """Return the header, and registers and memory as they are compressed."""
    length = int.from_bytes(state[8:PREFIX], "big")
    return json.loads(state[PREFIX : PREFIX + length]), state[PREFIX + length : -DIGEST]


def unpack(state: bytes) -> tuple[dict, bytes]:
    header, body = split(state)
    return header, zlib.decompress(body)


def pack(header: bytes, body: bytes, length: int | None = None) -> bytes:
    blob = MAGIC + (len(header) if length is None else length).to_bytes(4, "big") + header + body
    return blob + hashlib.blake2b(blob, digest_size=DIGEST).digest()


def forge(state: bytes, **changes) -> bytes:
    """Return a state with another header; a value of None leaves the entry out."""
    header, body = split(state)
    header = {k: v for k, v in (header | changes).items() if v is not None or k not in changes}
    return pack(json.dumps(header).encode(), body)


def test_the_forger_works(victim: Machine, state: bytes) -> None:
    """So that the refusals below are those of what was changed."""
    other = opened()
    other.load(forge(state))
    assert other.save() == state


@pytest.mark.parametrize(
    "changes",
    [
        {"frame_number": -1},
        {"frame_number": 1.0},
        {"frame_number": True},
        {"frame_number": None},
        {"instructions": 1 << 63},
        {"instructions": "7"},
        {"frame_cycles": [1]},
        {"exit_status": -1},
        {"exit_status": "0"},
        {"exit_status": None},
        {"exit_status": 1 << 32},
        {"tick_pending": 2},
        {"tick_pending": True},
        {"tick_pending": None},
        {"frame_start": [1]},
        {"frame_start": [1, -1]},
        {"frame_start": [0.0, 0]},
        {"frame_start": {}},
        {"frame_start": [1 << 60, 0]},
        {"parameters": {}},
        {"parameters": {"objects": 5}},
        {"parameters": {"objects": 5, "seed": 1, "more": 2}},
        {"parameters": {"objects": -5, "seed": 1}},
        {"parameters": {"objects": 1 << 32, "seed": 1}},
        {"parameters": {"objects": 1.5, "seed": 1}},
        {"parameters": {"objects": 4294967295, "seed": 1}},
        {"parameters": {"objects": 0, "seed": 1}},
        {"parameters": [5, 1]},
        {"parameters": None},
        {"machine": "mc68040-33"},
        {"machine": None},
        {"machine": "x" * 60_000},
        {"more": 1},
        {"x" * 60_000: 1},
        {"spec": "m68k 0"},
        {"fields": []},
        {"fields": None},
        {"registers": 4},
        {"registers": -1},
        {"memory": 1 << 40},
        {"image": "0" * 64},
    ],
    ids=lambda changes: repr(changes)[:60],
)
def test_impossible_headers(victim: Machine, state: bytes, changes: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_file, "unpack", unpacked_once)  # behind all of these headers is the same
    refuse(victim, forge(state, **changes))


@pytest.mark.parametrize("name", ["registers", "memory"])
def test_a_length_is_a_whole_number(victim: Machine, state: bytes, name: str) -> None:
    """JSON's 16777216.0 equals the length that is expected, and is none."""
    refuse(victim, forge(state, **{name: float(split(state)[0][name])}))


def test_the_clocks_of_memory_are_those_of_the_machine(victim: Machine, state: bytes) -> None:
    """They are part of the timing revision, so that no state changes them."""
    header, content = unpack(state)
    offset = 0
    for name in register_fields(victim.core):
        if name == "memory":
            break
        offset += victim.core.state[name].nbytes
    for value in usually((0, (1 << 64) - 1), (0, 1, 1 << 40, (1 << 64) - 1)):
        forged = content[:offset] + value.to_bytes(8, "little") + content[offset + 8 :]
        if forged != content:
            refuse(victim, pack(json.dumps(header).encode(), zlib.compress(forged, 1)), "memory .*: allowed only what")


def test_contents_of_another_length(victim: Machine, state: bytes) -> None:
    header, content = unpack(state)
    encoded = json.dumps(header).encode()
    for body in (
        content[:-1],
        content + b"\0",
        b"",
        bytes(100),
    ):
        refuse(victim, pack(encoded, zlib.compress(body, 1)), "holds")
    refuse(victim, pack(encoded, zlib.compress(content, 1)[:-5]), "not a whole state")
    refuse(victim, pack(encoded, b""), "not a whole state")
    refuse(victim, pack(encoded, b"\x78\x01garbage"), "unreadable")


def test_a_bomb_is_not_unpacked(victim: Machine, state: bytes) -> None:
    """64 MiB of zeros, or 1 GiB: refused after twice the memory of the machine."""
    packer = zlib.compressobj(1)
    bomb = b"".join(packer.compress(bytes(1 << 24)) for _ in usually(range(4), range(64))) + packer.flush()
    refuse(victim, pack(json.dumps(split(state)[0]).encode(), bomb), "not a whole state")


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"null",
        b"[]",
        b"17",
        b"{",
        b'{"machine":',
        b"\xff\xfe\x00",
        b"[" * 60_000,
        b"9" * 60_000,
        b'{"a":NaN}',
        b"{}",
    ],
    ids=lambda header: repr(header[:12]),
)
def test_headers_that_are_none(victim: Machine, header: bytes) -> None:
    refuse(victim, pack(header, zlib.compress(bytes(100))))


@pytest.mark.parametrize("length", [0, 1, 1 << 16, (1 << 16) + 1, (1 << 32) - 1])
def test_lengths_of_the_header(victim: Machine, state: bytes, length: int) -> None:
    header, body = split(state)
    refuse(victim, pack(json.dumps(header).encode(), body, length))


@pytest.mark.parametrize(("engine", "seed"), usually(SOME_SEEDS, SEEDS))
def test_registers_of_all_kinds(engine: str, seed: int) -> None:
    """Random registers within their widths are taken, and run into whatever they lead to without harm to the host."""
    ours = programs.machine("5280 60fc", engine=engine)
    state, r = ours.core.state, random.Random(seed)
    for name, (bits, count) in ours.core.cpu.layout.fields.items():
        if bits < 64:  # others are clocks, which follow from each other
            values = [r.getrandbits(bits) if seed else (1 << bits) - 1 for _ in range(count)]
            state[name] = values if count > 1 else values[0]
    state["pc"] &= 0xFFFFFF
    other = programs.machine("5280 60fc", engine=engine)
    other.load(ours.save())
    assert dict(other.regs) == dict(ours.regs)
    other.run(instructions=50)
    other.run(frames=1, instructions=50)
    assert other.regs["pc"] <= 0xFFFFFF
    other.reset()
    other.run(instructions=10)
    assert other.regs["d0"] == 5


@pytest.mark.parametrize(
    "name, value",
    [
        ("pc", 0x01001000),
        ("s", 2),
        ("z", 255),
        ("trace", 4),
        ("ipl", 8),
        ("cycles", (1 << 62) + 1),
        ("cycles", (1 << 64) - 1),
        ("ea_end", 1 << 40),
    ],
)
def test_registers_that_no_machine_holds(name: str, value: int) -> None:
    ours, victim = programs.machine("5280 60fc"), programs.machine("5280 60fc")
    ours.core.state[name] = value
    refuse(victim, ours.save(), f"{name} {value}: allowed 0")
