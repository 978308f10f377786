"""Readings: where sources disagree, or a rule can be read in two ways, a timing model has named alternatives.

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

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from retrosim.checks import check_choice
from retrosim.errors import SpecError

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
