"""The table of the five documents: every place that it names exists."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

import pytest

from retrosim.cli.parser import build_parser
from retrosim.guide import read_page
from retrosim.machine import PRESETS
from retrosim.rom import load_rom, shipped_scenes
from retrosim.rom.image import family_of
from retrosim.study.methods import METHODS

DOCUMENTS = ("Moertel 1994", "Mackey 1995", "No-collision boxes 2011", "Rekaby 2011", "Jon E P 2007")
NOT_APPLICABLE = "n/a: "


def statements() -> list[tuple[str, str, str]]:
    """Return document, statement and places of each row."""
    rows, document = [], ""
    for line in read_page("facts/statements").text.splitlines():
        if line.startswith("## "):
            document = line[3:]
        elif line.startswith("| ") and document in DOCUMENTS and not line.startswith("| statement |"):
            _, statement, places, _ = (cell.strip() for cell in line.split("|"))
            rows.append((document, statement, places))
    return rows


ROWS = statements()
PLACES = sorted({place for *_, where in ROWS for place in re.findall(r"`([^`]*)`", where)})


@cache
def symbols(rom_name: str) -> dict[str, set[str]]:
    """Return ISA that runs 32-bit code -> what the images for it have, in any build."""
    rom, found = load_rom(rom_name), {}
    for info in rom.images:
        if info.isa in family_of(info.isa).only:
            continue
        found.setdefault(info.isa, set()).update(rom.image(info.isa, info.build).symbols)
    return found


def find(name: str) -> object:
    """Return what a dotted name of the package means. Errors: ImportError, AttributeError."""
    parts = name.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found: object = import_module(".".join(["retrosim", *parts[:split]]))
        except ModuleNotFoundError:
            continue
        for part in parts[split:]:
            found = getattr(found, part)
        return found
    raise ImportError(name)


def check_command(words: list[str]) -> None:
    parser = build_parser([words[0]])
    commands = next(action for action in parser._actions if action.choices)
    known = commands.choices[words[0]]._option_string_actions
    assert all(word in known for word in words[1:] if word.startswith("-")), words


@pytest.mark.parametrize("place", PLACES)
def test_the_place_is_there(place: str) -> None:
    kind, _, name = place.partition(" ")
    if kind == "rom":
        load_rom(name)
    elif kind == "machine":
        assert name in PRESETS
    elif kind == "build":
        rom, build = name.split()
        assert build in {info.build for info in load_rom(rom).images}
    elif kind == "retrosim":
        check_command(name.split())
    elif kind == "study":
        assert name in {method.name for method in METHODS}
    elif kind == "scene":
        assert name in {path.stem for path in shipped_scenes()}
    elif kind == "guide":
        assert read_page(name.replace(" ", "/") if name.startswith("facts ") else name)
    elif ":" in place:
        rom, symbol = place.split(":")
        assert all(symbol in each for each in symbols(rom).values()), {
            isa: symbol in each for isa, each in symbols(rom).items()
        }
    else:
        assert find(place) is not None


def test_every_row_has_a_place_or_a_reason() -> None:
    assert list(dict.fromkeys(document for document, *_ in ROWS)) == list(DOCUMENTS)
    for document, statement, places in ROWS:
        rest = re.sub(r"`[^`]*`|[, ]", "", places)
        assert places.startswith(NOT_APPLICABLE) or (places and not rest), (document, statement, places)
    assert sum(places.startswith(NOT_APPLICABLE) for *_, places in ROWS) < 0.05 * len(ROWS)
    assert len({statement for _, statement, _ in ROWS}) == len(ROWS) > 150


def test_places_that_are_not_there_are_found() -> None:
    for wrong in ("rom pong", "build sectors O9", "retrosim timing --fulll", "study magic", "scene pong", "guide pong"):
        with pytest.raises(Exception):  # noqa: B017  (each kind has its own)
            test_the_place_is_there(wrong)
    for wrong in ("sectors:Nowhere", "collide.sectors.nothing", "nothing.at_all"):
        with pytest.raises((AssertionError, AttributeError, ImportError)):
            test_the_place_is_there(wrong)
