"""What the engines are to reach on the programs of `retrosim bench --programs`, and whether they do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

MACHINE_CODE = "recompile-table"
PERCENT = 100.0


def geometric_mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean of ratios above 0."""
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


@dataclass(frozen=True)
class Goal:
    """What an engine is to reach beside a peer.

    minimum of its speed over the peer's
    over    "mean": the geometric mean over the programs; "each": the slowest program
    text    of a ratio
    """

    engine: str
    peer: str
    minimum: float
    over: str
    text: Callable[[float], str]


def _percent(ratio: float) -> str:
    return f"{PERCENT * ratio:.0f} % of native C"


def _times(ratio: float) -> str:
    return f"{ratio:.1f} times Unicorn"


GOALS = (
    Goal(MACHINE_CODE, "native-c", 0.50, "mean", _percent),
    Goal(MACHINE_CODE, "unicorn", 25, "mean", _times),
    Goal(MACHINE_CODE, "native-c", 0.25, "each", _percent),
    Goal("interpret-table", "unicorn", 2, "mean", _times),
)


def goals_of(cases: Iterable[dict[str, Any]], means: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Compare with the goals what was measured.

    cases, means  as `benchmark_programs` returns them
    Returns       dict of verdict (a sentence), and goals: a dict each of engine, peer, over, minimum, text, met (None
                  where nothing was measured), found (the lowest), machine and program (None of a mean) where that was
    """
    cases, means = list(cases), list(means)
    goals = []
    for goal in GOALS:
        rows = means if goal.over == "mean" else cases
        mine = [row for row in rows if row["engine"] == goal.engine and goal.peer in row["ratio_to"]]
        found = [(row["ratio_to"][goal.peer], row) for row in mine]
        lowest, row = min(found, key=lambda pair: pair[0], default=(None, {}))
        goals.append(
            {"engine": goal.engine, "peer": goal.peer, "over": goal.over, "minimum": goal.minimum}
            | {"met": None if lowest is None else lowest >= goal.minimum, "found": lowest}
            | {"machine": row.get("machine"), "program": row.get("program"), "text": _sentence(goal, lowest, row)}
        )
    return {"verdict": _verdict(goals, sum(case["error"] is not None for case in cases)), "goals": goals}


def _sentence(goal: Goal, lowest: float | None, row: dict[str, Any]) -> str:
    what = f"{goal.engine}, {'geometric mean' if goal.over == 'mean' else 'slowest program'}"
    if lowest is None:
        return f"{what}: not measured beside {goal.peer}"
    where = f"{row['program']} on {row['machine']}" if goal.over == "each" else row["machine"]
    mark = "met" if lowest >= goal.minimum else "not met"
    return f"{what}: {goal.text(lowest)} ({where}); goal {goal.text(goal.minimum)}: {mark}"


def _verdict(goals: list[dict[str, Any]], errors: int) -> str:
    measured = [goal for goal in goals if goal["met"] is not None]
    met = sum(goal["met"] for goal in measured)
    said = f"{met} of {len(measured)} goals are met on every processor measured" if measured else "No goal was measured"
    cases = "1 case has" if errors == 1 else f"{errors} cases have"
    wrong = f"; {cases} an error" if errors else "; all checksums are right"
    return f"{said}{wrong}."
