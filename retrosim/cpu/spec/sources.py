"""What the sources of the clocks say: their tables, how sure a figure is, and what they leave open.

Tables are CSV files beside the instructions, whose lines that begin with # are remarks.

Readings: where sources disagree, or a rule can be read in two ways, a timing model has named alternatives.

    READINGS = (
        Reading(
            name="cache-port",
            question="do fetching and data share the one port of the cache?",
            options=("shared", "two"),
            reason="the manual draws one port",
            source="601UM figure 4-1",
        ),
    )

A CPU package gives its `Cpu` the readings of its models. A timing model asks for the option that was chosen: while it
emits as `self.m.cpu.choices["cache-port"]`, and where it makes numbers from its tables as `cls.choices["cache-port"]`.
Both are plain words, so that a branch on one costs nothing when the code runs.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrosim.checks import check_choice
from retrosim.errors import SpecError

CONFIDENCE = {
    "two sources": "two that do not rest on each other say so",
    "one source": "one says so",
    "measured": "timed on hardware",
    "recalled": "from memory of a manual whose text was not at hand",
    "estimated": "worked out or taken from something alike; no source has it",
}
"""How sure a figure is: the words that every table of clocks and every machine parameter uses."""

WORD = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Reading:
    """A question that the sources leave open, with its answers.

    name      what it is chosen by, lower-case words joined by hyphens
    question  in one line
    options   names of the answers; the first is the default
    reason    why that is the default
    source    what the answers rest on
    """

    name: str
    question: str
    options: tuple[str, ...]
    reason: str
    source: str

    def __post_init__(self) -> None:
        for word in (self.name, *self.options):
            if not WORD.fullmatch(word):
                raise SpecError(f"reading {self.name!r}: {word!r} is not lower-case words joined by hyphens")
        if len(set(self.options)) < 2 or len(set(self.options)) != len(self.options):
            raise SpecError(f"reading {self.name!r}: needs two options or more, each once")

    @property
    def default(self) -> str:
        return self.options[0]


def chosen_readings(readings: Iterable[Reading], given: Mapping[str, str] | None, where: str = "") -> dict[str, str]:
    """Return an option for every reading, those given in place of the defaults.

    where    follows the allowed names in an error: " on mc68040-25"
    Errors   ValueError
    """
    known = {reading.name: reading for reading in readings}
    choices = {name: reading.default for name, reading in known.items()}
    for name, option in (given or {}).items():
        check_choice("reading", name, known, where)
        check_choice(f"reading {name}", option, known[name].options, where)
        choices[name] = option
    return choices


def changed_readings(readings: Iterable[Reading], choices: Mapping[str, str]) -> dict[str, str]:
    """Return those of the choices that are not the default."""
    return {each.name: choices[each.name] for each in readings if choices[each.name] != each.default}


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table: column -> text, as printed."""
    with path.open(newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def rows_by_instruction(path: Path) -> dict[str, dict[str, str]]:
    """Return instruction -> column -> text."""
    return {row["instruction"]: row for row in read_rows(path)}


@dataclass(frozen=True)
class ClockSources:
    """What the manual says of an executed instruction.

    clocks  base clocks, averaged over its outcomes where there are two
    entry   of the table; of two outcomes both, as far as they happened
    source  where the entry is from: that column of the table
    """

    clocks: float
    entry: str
    source: str


def averaged(outcomes: Sequence[tuple[float, str]], visits: int, departures: int, source: str) -> ClockSources:
    """Explain an instruction of two outcomes that show in the flow.

    outcomes    (clocks, entry): of leaving the straight line, of going on
    visits      how often it was executed
    departures  how often another instruction than the next one in memory followed
    source      where the entries are from
    """
    counts = departures, visits - departures
    clocks = sum(count * price for count, (price, _) in zip(counts, outcomes, strict=True)) / visits
    entry = " / ".join(entry for count, (_, entry) in zip(counts, outcomes, strict=True) if count)
    return ClockSources(clocks, entry, source)
