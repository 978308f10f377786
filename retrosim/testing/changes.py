"""A figure as text: where its clocks go, and what differs from the figure that was accepted last."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from .budgets import Figure

SHOWN = 10  # lines of each list
Line = tuple[str, str, int, int]


def described(name: str, figure: Figure, accepted: Figure | None) -> str:
    """Return what a failed test shows of one call."""
    head = [name, f"{figure.cycles:,} cycles, {figure.instructions:,} instructions"]
    return "\n".join([*head, "", *_hottest(figure), "", *_changes(figure, accepted)])


def difference(new: int, old: int) -> str:
    """Return how much more a number is than another, signed, with its percentage."""
    percent = f" ({100 * (new - old) / old:+.1f} %)" if old else ""
    return f"{new - old:+,}{percent}"


def _hottest(figure: Figure) -> list[str]:
    lines = sorted(figure.lines, key=lambda line: -line[2])
    more = f", {SHOWN} of {len(lines)}" if len(lines) > SHOWN else ""
    rows = [("cycles", "%", "visits", "line", "")]
    for place, text, cycles, visits in lines[:SHOWN]:
        rows.append((f"{cycles:,}", f"{100 * cycles / figure.cycles:.1f}", f"{visits:,}", place, text))
    return [f"hottest lines{more}", *_table(rows)]


def _changes(figure: Figure, accepted: Figure | None) -> list[str]:
    if accepted is None:
        return ["no accepted figure to compare with; pytest --update-budgets accepts the figures of tests that pass"]
    head = f"accepted {accepted.cycles:,} cycles: {difference(figure.cycles, accepted.cycles)}"
    if accepted.instructions != figure.instructions:
        head += f"; {accepted.instructions:,} instructions: {difference(figure.instructions, accepted.instructions)}"
    notes = [head]
    if accepted.revision != figure.revision:
        notes.append(f"timing of the machine: was {accepted.revision}, is {figure.revision}")
    if figure.lines == accepted.lines:
        return [*notes, "no line has changed"]
    changed = sorted(_changed(accepted.lines, figure.lines), key=lambda row: -abs(row[1] - row[0]))
    rows = [("was", "is", "change", "line", "")]
    for was, now, place, text in changed[:SHOWN]:
        rows.append((f"{was:,}", f"{now:,}", f"{now - was:+,}", place, text))
    more = f", {SHOWN} of {len(changed)}" if len(changed) > SHOWN else ""
    return [*notes, f"lines that changed{more}", *_table(rows)] if changed else [*notes, "lines have moved only"]


def _changed(old: tuple[Line, ...], new: tuple[Line, ...]) -> list[tuple[int, int, str, str]]:
    """Return (cycles then, now, place, text) of lines whose cycles differ; lines are the same if their texts are."""
    found = []
    matcher = SequenceMatcher(None, [line[1] for line in old], [line[1] for line in new], autojunk=False)
    for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            pairs = zip(old[old_start:old_end], new[new_start:new_end])
            found += [(was[2], now[2], now[0], now[1]) for was, now in pairs if was[2] != now[2]]
        else:
            found += [(was[2], 0, f"{was[0]} (gone)", was[1]) for was in old[old_start:old_end]]
            found += [(0, now[2], f"{now[0]} (new)", now[1]) for now in new[new_start:new_end]]
    return found


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return lines of columns: numbers to the right, the last two to the left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            text.ljust(width) if column >= len(row) - 2 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    ]
