"""The benchmark of kernels as text: a rich table per question, 80 columns wide for six scenes."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from .kernel_bench import QUESTIONS, lowest_ratio
from .kernel_peers import CONTENDERS
from .number_table import number_table

_UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "us"))


def render_kernels(result: dict[str, Any]) -> RenderableType:
    """Return everything that `benchmark_kernels` found, for a rich console."""
    parts: list[RenderableType] = []
    for question in QUESTIONS:
        cases = [case for case in result["cases"] if case["question"] == question]
        if cases:
            parts += [Text(f"{question}, time of a frame: median lap", style="bold"), _times(cases, "seconds")]
            parts += [Text(), Text(f"{question}, time of a frame: best lap", style="bold")]
            parts += [_times(cases, "best_seconds"), Text()]
    parts += [Text(f"{c['engine']}, {c['name']}: {c['error']}") for c in result["cases"] if c["error"]]
    parts += [Text(f"{skipped['engine']}: left out, {skipped['reason']}") for skipped in result["skipped"]]
    shown = dict.fromkeys(case["engine"] for case in result["cases"])
    parts += [Text(f"{name}: {CONTENDERS[name].note}") for name in shown]
    parts += [Text("peer/..: time of the best peer over that of ours; what finds pairs gives flags too")]
    host, method = result["host"], result["method"]
    packages = ", ".join(f"{name} {number}" for name, number in host["packages"].items())
    parts += [
        Text(f"{host['processor']}, {host['cpus']} CPUs, {host['system']}, Python {host['python']}, {packages}"),
        Text(f"200 objects to a screen, squares of {method['side']} pixels or as named; {method['rounds']} laps of"),
        Text(f"about {method['seconds']:g} s of wall time, fewer where a frame takes long; all answers are the same."),
        Text("Whatever else the host does adds to the times, to the best laps least."),
    ]
    return Group(*parts)


def _times(cases: list[dict[str, Any]], kind: str) -> RenderableType:
    """Return times by contender and scene; below them, how many times as fast as the best peer our first one is."""
    counts = list(dict.fromkeys(case["objects"] for case in cases))
    table = number_table("objects", *(str(count) for count in counts))
    for engine in dict.fromkeys(case["engine"] for case in cases):
        mine = {case["objects"]: case for case in cases if case["engine"] == engine}
        table.add_row(engine, *(_time(mine.get(count), kind) for count in counts))
    ours = [name for name in dict.fromkeys(case["engine"] for case in cases) if CONTENDERS[name].package is None]
    ratio_of = "ratio_to" if kind == "seconds" else "best_ratio_to"
    for engine in ours:
        mine = {case["objects"]: case for case in cases if case["engine"] == engine}
        ratios = [lowest_ratio(mine[count], ratio_of) if count in mine else None for count in counts]
        if any(ratios):
            table.add_row(f"peer/{engine}", *(f"{ratio[0]:.3g} x" if ratio else "" for ratio in ratios))
    return table


def _time(case: dict[str, Any] | None, kind: str) -> str:
    """Return a time with three digits and its unit."""
    if case is None:
        return ""
    if case[kind] is None:
        return "error"
    size, unit = next((each for each in _UNITS if case[kind] >= each[0]), _UNITS[-1])
    return f"{case[kind] / size:.3g} {unit}"
