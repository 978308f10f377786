"""What the manual says of an executed instruction: base clocks, the entry of its table, and which table that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """Where the clocks of an instruction come from.

    clocks  base clocks, averaged over its outcomes where there are two
    entry   of the table; of two outcomes both, as far as they happened
    source  where the entry is from: that column of the table
    """

    clocks: float
    entry: str
    source: str


def averaged(outcomes: Sequence[tuple[float, str]], visits: int, departures: int, source: str) -> Explanation:
    """Explain an instruction of two outcomes that show in the flow.

    outcomes    (clocks, entry): of leaving the straight line, of going on
    visits      how often it was executed
    departures  how often another instruction than the next one in memory followed
    source      where the entries are from
    """
    counts = departures, visits - departures
    clocks = sum(count * each for count, (each, _) in zip(counts, outcomes, strict=True)) / visits
    entry = " / ".join(entry for count, (_, entry) in zip(counts, outcomes, strict=True) if count)
    return Explanation(clocks, entry, source)
