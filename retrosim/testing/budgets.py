"""The budgets file: figures that were accepted, by test and call, as JSON that a person can read and compare."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrosim.checks import shortened
from retrosim.reading import read_regular
from retrosim.report.files import write_whole

if TYPE_CHECKING:
    from retrosim.cost.report import CostReport

FORMAT = 1
MAX_BYTES = 64 << 20
MAX_LINES = 400  # of one figure, the hottest
MAX_TEXT = 100  # characters of a line's text

Budgets = dict[str, dict[str, "Figure"]]
"""Test -> call -> figure."""


@dataclass(frozen=True)
class Figure:
    """What is kept of one call.

    cycles, instructions
    revision  of the machine's timing, whose change alone can change the cycles
    lines     (place, text, cycles, visits) of each source line, or of each instruction where there are no lines, in
              the order of the program
    """

    cycles: int
    instructions: int
    revision: str
    lines: tuple[tuple[str, str, int, int], ...]


def figure_of(report: CostReport, revision: str, text: Callable[[str, int], str]) -> Figure:
    """Return what is kept of a cost report.

    revision  of the machine's timing
    text      gives a source line by file and number
    """
    rows: dict[str, list[Any]] = {}
    for cost in report.breakdown.listing:
        if cost.file is None:
            place, words = f"{cost.function or ''}+{cost.offset or cost.address:#x}", cost.text
        else:
            place, words = f"{Path(cost.file).name}:{cost.line}", text(cost.file, cost.line or 0) or cost.text
        line = rows.setdefault(place, [place, " ".join(words.split())[:MAX_TEXT], 0, 0])
        line[2] += cost.cycles
        line[3] = max(line[3], cost.visits)
    kept = {row[0] for row in sorted(rows.values(), key=lambda row: -row[2])[:MAX_LINES]}
    lines = tuple((row[0], row[1], row[2], row[3]) for row in rows.values() if row[0] in kept)
    return Figure(report.totals.cycles, report.totals.instructions, revision, lines)


def read_budgets(path: Path) -> Budgets:
    """Return the accepted figures, none where there is no file. Errors: ValueError."""
    try:
        text = read_regular(path, MAX_BYTES)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    if len(text) > MAX_BYTES:
        raise ValueError(f"{path}: is larger than {MAX_BYTES >> 20} MiB")
    try:
        content = json.loads(text)
        if content["format"] != FORMAT:
            raise ValueError(f"format {content['format']!r}: allowed {FORMAT}")
        return {
            test: {name: from_json(values) for name, values in calls.items()}
            for test, calls in content["tests"].items()
        }
    except (KeyError, TypeError, AttributeError, RecursionError, OverflowError, ValueError) as error:
        raise ValueError(f"{path}: is not a budgets file ({type(error).__name__}: {shortened(str(error))})") from None


def write_budgets(path: Path, budgets: Budgets) -> None:
    """Replace the file, or none of it; a line of text for each line of a figure. Errors: OSError."""
    tests = []
    for test, calls in sorted(budgets.items()):
        shown = ",\n".join(f"    {json.dumps(name)}: {_shown(figure)}" for name, figure in sorted(calls.items()))
        tests.append(f"  {json.dumps(test)}: {{\n{shown}\n  }}")
    text = f'{{\n"format": {FORMAT},\n"tests": {{\n' + ",\n".join(tests) + "\n}\n}\n"
    write_whole(path, text.encode(), overwrite=True)


def as_json(figure: Figure) -> dict[str, Any]:
    """Return a figure as JSON values; `from_json` takes it back."""
    return {
        "cycles": figure.cycles,
        "instructions": figure.instructions,
        "revision": figure.revision,
        "lines": [list(line) for line in figure.lines],
    }


def _shown(figure: Figure) -> str:
    values = as_json(figure)
    lines = ",\n".join(f"      {json.dumps(line)}" for line in values.pop("lines"))
    return f'{json.dumps(values)[:-1]}, "lines": [\n{lines}\n    ]}}'


def from_json(values: Mapping[str, Any]) -> Figure:
    """Return a figure from the values of `as_json`. Errors: KeyError, TypeError, ValueError."""
    lines = tuple((str(place), str(text), int(cycles), int(visits)) for place, text, cycles, visits in values["lines"])
    return Figure(int(values["cycles"]), int(values["instructions"]), str(values["revision"]), lines)
