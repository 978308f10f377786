"""The header of a scenario tape: one JSON object on one line, in one canonical spelling.

Canonical means: keys sorted, no spaces, characters outside ASCII written as themselves, whole numbers only (a float,
NaN or a repeated key is an error), UTF-8. Equal headers are therefore equal bytes. Keys that this version does not know
are allowed everywhere and kept when the tape is written again.

    format        "rtape"
    id            16 hex digits: a digest of this header without `id` and `edited_with`, made when the recording starts
                  and kept by edits; two recordings that start alike share it. Never random, never a clock.
    title, author, description      printable text; the description may have several lines
    created_with, edited_with       program and version; `edited_with` is null until the tape is rewritten
    scenario      name of the ROM
    parameters    {name: number} host parameters at power-on, without the seed
    seed          the host parameter `seed`, or null if the ROM has none
    roms          [{isa, build, name, sha256}] every image of the ROM when the tape was made
    inputs        [device] the columns of an input line, in order
    machine       name of the machine it was recorded on
    machines      {name: {spec, timing, clock, tick, build, image}} what machine hashes of that name depend on:
                  spec revision, timing revision, cycles and ticks per second as [numerator, denominator], ROM build and
                  sha256 of its image (both null where no image runs)
    sync          {name: number or text} settings that change cycles but not the world
    start         "power-on", or {frame, state}: number of the first frame and sha256 of the saved state, a side file
    hash          "blake2b-64"
    hash_every    frames between hash lines; a hint: hash lines may follow any frame

No host state: no wall clock, no user, host or folder names.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from retrosim.version import NAME as PROGRAM
from retrosim.version import __version__

from .machine import program_of

if TYPE_CHECKING:
    from retrosim.machine.interface import PlayableMachine

FORMAT_NAME = "rtape"
HASH_NAME = "blake2b-64"
POWER_ON = "power-on"
MAX_HEADER_BYTES = 64 * 1024
U32 = (1 << 32) - 1
MAX_FRAME = (1 << 31) - 1  # more than a year at 60 frames per second

DEVICE = "[a-z][a-z0-9_]{0,31}"
MACHINE = "[a-z][a-z0-9-]{0,31}"
HEX16 = "[0-9a-f]{16}"
HEX64 = "[0-9a-f]{64}"
NAME = "[A-Za-z0-9][A-Za-z0-9._+-]{0,63}"  # one path component at most, so it cannot leave a folder

Check = Callable[[Any], bool]


def _text(max_length: int, also: str = "") -> Check:
    return lambda v: isinstance(v, str) and len(v) <= max_length and all(c.isprintable() or c in also for c in v)


def _integer(minimum: int, maximum: int) -> Check:
    return lambda v: type(v) is int and minimum <= v <= maximum


def _word(pattern: str) -> Check:
    return lambda v: isinstance(v, str) and re.fullmatch(pattern, v) is not None


def _same(value: object) -> Check:
    return lambda v: v == value and type(v) is type(value)


def _either(*checks: Check) -> Check:
    return lambda v: any(check(v) for check in checks)


def _list(check: Check, max_length: int) -> Check:
    return lambda v: isinstance(v, list) and len(v) <= max_length and all(check(item) for item in v)


def _mapping(key: Check, value: Check, max_length: int) -> Check:
    return lambda v: isinstance(v, dict) and len(v) <= max_length and all(key(k) and value(x) for k, x in v.items())


def _keys(**checks: Check) -> Check:
    return lambda v: isinstance(v, dict) and all(key in v and check(v[key]) for key, check in checks.items())


def _ratio(v: Any) -> bool:
    return _list(_integer(0, 1 << 62), 2)(v) and len(v) == 2 and v[1] > 0


_NONE = _same(None)

FIELDS: dict[str, tuple[Check, str]] = {
    "format": (_same(FORMAT_NAME), f'"{FORMAT_NAME}"'),
    "id": (_word(HEX16), "16 hex digits"),
    "title": (_text(200), "one line of at most 200 printable characters"),
    "author": (_text(200), "one line of at most 200 printable characters"),
    "description": (_text(4000, also="\n"), "at most 4000 printable characters"),
    "created_with": (_text(80), "one line of at most 80 printable characters"),
    "edited_with": (_either(_NONE, _text(80)), "null or one line of at most 80 printable characters"),
    "scenario": (_word(NAME), "the name of a ROM"),
    "parameters": (_mapping(_word(DEVICE), _integer(0, U32), 16), "at most 16 names with numbers 0..4294967295"),
    "seed": (_either(_NONE, _integer(0, U32)), "null or 0..4294967295"),
    "roms": (
        _list(_keys(isa=_word(NAME), build=_word(NAME), name=_word(NAME), sha256=_word(HEX64)), 128),
        "a list of at most 128 images {isa, build, name, sha256}",
    ),
    "inputs": (_list(_word(DEVICE), 16), "at most 16 device names"),
    "machine": (_word(MACHINE), "the name of a machine"),
    "machines": (
        _mapping(
            _word(MACHINE),
            _keys(
                spec=_text(80),
                timing=_text(200),
                clock=_ratio,
                tick=_ratio,
                build=_either(_NONE, _word(NAME)),
                image=_either(_NONE, _word(HEX64)),
            ),
            32,
        ),
        "at most 32 machines {spec, timing, clock, tick, build, image}",
    ),
    "sync": (
        _mapping(_word(DEVICE), _either(_integer(-U32, U32), _text(80)), 32),
        "at most 32 names with a number or a text",
    ),
    "start": (
        _either(_same(POWER_ON), _keys(frame=_integer(0, MAX_FRAME), state=_word(HEX64))),
        '"power-on" or {frame, state}',
    ),
    "hash": (_same(HASH_NAME), f'"{HASH_NAME}"'),
    "hash_every": (_integer(1, MAX_FRAME), f"1..{MAX_FRAME}"),
}


def program_version() -> str:
    """Return name and version of this program, as written into headers."""
    return f"{PROGRAM} {__version__}"


def canonical(value: object) -> bytes:
    """Spell a JSON value in the one canonical way.

    Errors   ValueError for floats and for text that UTF-8 cannot hold
    """
    if _has_float(value):
        raise ValueError("a tape header holds whole numbers only, no floats")
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def _has_float(value: object) -> bool:
    if isinstance(value, dict):
        return any(_has_float(item) for item in value.values())
    if isinstance(value, list | tuple):
        return any(_has_float(item) for item in value)
    return isinstance(value, float)


def _no_float(spelling: str) -> float:
    raise ValueError(f"{spelling[:20]} is not a whole number")


def parse_header(line: bytes) -> dict[str, Any]:
    """Read and check the JSON of a header line.

    line     the bytes without checksum, at most 64 KiB
    Returns  the header; unknown keys are kept
    Errors   ValueError saying what is wrong
    """
    if len(line) > MAX_HEADER_BYTES:
        raise ValueError(f"header is longer than {MAX_HEADER_BYTES} bytes")
    try:
        header = json.loads(line.decode("utf-8"), parse_float=_no_float, parse_constant=_no_float)
        respelled = canonical(header)
    except RecursionError:
        raise ValueError("header is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"header is not JSON: {error.msg}") from None
    except UnicodeError:
        raise ValueError("header is not UTF-8") from None
    if not isinstance(header, dict):
        raise ValueError("header is not a JSON object")
    if respelled != line:
        raise ValueError("header is not in canonical form")
    check_header(header)
    return header


def check_header(header: dict[str, Any]) -> None:
    """Check every known key of a header and how they fit together.

    Errors   ValueError naming the key and what is allowed
    """
    for key, (check, allowed) in FIELDS.items():
        if key not in header:
            raise ValueError(f"header key {key!r} is missing")
        if not check(header[key]):
            raise ValueError(f"header key {key!r} must be {allowed}, not {repr(header[key])[:60]}")
    if header["machine"] not in header["machines"]:
        raise ValueError(f"header key 'machines' does not describe {header['machine']!r}")
    if len(set(header["inputs"])) != len(header["inputs"]):
        raise ValueError("header key 'inputs' names a device twice")
    if "seed" in header["parameters"]:
        raise ValueError("header key 'parameters' must not hold the seed, which has its own key")


def tape_id(header: dict[str, Any]) -> str:
    """Return the id of a new recording: a digest of its header without `id` and `edited_with`."""
    content = {key: value for key, value in header.items() if key not in ("id", "edited_with")}
    return hashlib.blake2b(canonical(content), digest_size=8).hexdigest()


def describe_machine(machine: PlayableMachine) -> dict[str, Any]:
    """Return the `machines` entry of a machine: what its hashes and cycles depend on."""
    image = machine.image
    return {
        "spec": machine.spec_revision,
        "timing": machine.timing_revision,
        "clock": _as_ratio(machine.clock_hz),
        "tick": _as_ratio(machine.tick_hz),
        "build": image.build if image else None,
        "image": image.sha256 if image else None,
    }


def _as_ratio(rate: int | Fraction) -> list[int]:
    return [Fraction(rate).numerator, Fraction(rate).denominator]


def new_header(
    machine: PlayableMachine,
    *,
    title: str = "",
    author: str = "",
    description: str = "",
    hash_every: int = 60,
    start: str | dict[str, Any] = POWER_ON,
    sync: dict[str, int | str] | None = None,
) -> dict[str, Any]:
    """Return the header of a new recording on this machine, with its id.

    Errors   ValueError naming the key and what is allowed
    """
    rom = program_of(machine)
    parameters = dict(machine.parameters)
    seed = parameters.pop("seed", None)
    images = sorted((image.isa, image.build, image.sha256) for image in rom.images)
    header: dict[str, Any] = {
        "format": FORMAT_NAME,
        "id": "0" * 16,
        "title": title,
        "author": author,
        "description": description,
        "created_with": program_version(),
        "edited_with": None,
        "scenario": rom.name,
        "parameters": parameters,
        "seed": seed,
        "roms": [{"isa": isa, "build": build, "name": rom.name, "sha256": sha} for isa, build, sha in images],
        "inputs": list(rom.inputs),
        "machine": machine.name,
        "machines": {machine.name: describe_machine(machine)},
        "sync": dict(sync or {}),
        "start": start,
        "hash": HASH_NAME,
        "hash_every": hash_every,
    }
    check_header(header)
    header["id"] = tape_id(header)
    return header
