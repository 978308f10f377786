"""A profile as files of other profilers: callgrind (KCachegrind, callgrind_annotate), speedscope, Perfetto.

All take a report with `calls` (see `report.call_rows`), `listing` (dicts with address, function, file, line, visits,
cycles) and `timeline`, [node, cycles] in order of time, which may be shorter than the profile.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from retrosim.version import __version__

SPEEDSCOPE = "https://www.speedscope.app/file-format-schema.json"
UNKNOWN = "???"  # as callgrind has it
MISSES = "_misses"
Report = Mapping[str, Any]


def callgrind(report: Report, title: str) -> str:
    """Return a callgrind file: what each instruction took, and each call with all that it led to.

    Source   Valgrind manual, Callgrind Format Specification, version 1
    """
    misses = [column for column in report["listing"][0] if column.endswith(MISSES)] if report["listing"] else []
    misses = [column for column in misses if column in report["calls"][0]]
    events = ["Cycles", "Instructions", *(f"{column.removesuffix(MISSES).title()}Misses" for column in misses)]
    columns = ["cycles", "instructions", *misses]
    lines = ["# callgrind format", "version: 1", f"creator: retrosim {__version__}", f"cmd: {title}"]
    lines += ["positions: instr line", f"events: {' '.join(events)}"]
    totals = [
        sum(row["visits" if column == "instructions" else column] for row in report["listing"]) for column in columns
    ]
    lines += [f"summary: {' '.join(map(str, totals))}", ""]
    names, calls, files = _Numbers(), _calls(report, columns), _files(report)
    for function in dict.fromkeys([*(_function(row) for row in report["listing"]), *(caller for caller, *_ in calls)]):
        rows = [row for row in report["listing"] if _function(row) == function]
        lines.append(f"fl={names.name('file', files.get(function, UNKNOWN))}")
        lines.append(f"fn={names.name('function', function)}")
        file = files.get(function, UNKNOWN)
        for row in rows:
            if (row["file"] or UNKNOWN) != file:
                file = row["file"] or UNKNOWN
                lines.append(f"fe={names.name('file', file)}")
            counts = [row["visits" if column == "instructions" else column] for column in columns]
            lines.append(f"{row['address']:#x} {row['line'] or 0} {' '.join(map(str, counts))}")
        for (caller, site, line, callee, address), (times, counts) in calls.items():
            if caller == function:
                lines.append(f"cfi={names.name('file', files.get(callee, UNKNOWN))}")
                lines.append(f"cfn={names.name('function', callee)}")
                lines.append(f"calls={times} {address or 0:#x} 0")
                lines.append(f"{site or 0:#x} {line or 0} {' '.join(map(str, counts))}")
        lines.append("")
    return "\n".join(lines)


class _Numbers:
    """Names compressed: the number and the name the first time, then the number."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], int] = {}

    def name(self, kind: str, name: str) -> str:
        number = self._known.get((kind, name))
        if number is not None:
            return f"({number})"
        number = self._known[kind, name] = 1 + sum(known == kind for known, _ in self._known)
        return f"({number}) {name}"


def _function(row: Report) -> str:
    return row["function"] or UNKNOWN


def _files(report: Report) -> dict[str, str]:
    """Return function -> the file of its first instruction with a line."""
    found: dict[str, str] = {}
    for row in report["listing"]:
        if row["file"]:
            found.setdefault(_function(row), row["file"])
    return found


def _calls(report: Report, columns: Sequence[str]) -> dict[tuple[Any, ...], tuple[int, list[int]]]:
    """Return (caller, site, line, callee, its address) -> how often, and what these calls took."""
    known = {_function(row) for row in report["listing"]}
    found: dict[tuple[Any, ...], tuple[int, list[int]]] = {}
    for row in report["calls"]:
        if row["parent"] is None:
            continue
        caller, callee = (_listed(each, known) for each in (report["calls"][row["parent"]], row))
        if caller == callee == UNKNOWN:
            continue  # one function, as far as the listing knows
        key = caller, row["site"], row["site_line"], callee, row["address"]
        times, counts = found.get(key, (0, [0] * len(columns)))
        more = [row[f"inclusive_{column}"] for column in columns]
        found[key] = times + row["calls"], [a + b for a, b in zip(counts, more, strict=True)]
    return found


def _listed(row: Report, known: set[str]) -> str:
    """Return what the listing calls a function: outside all functions addresses are names of calls alone."""
    return row["function"] if row["function"] in known or row["is_host"] else UNKNOWN


def stretches(report: Report) -> Iterator[tuple[int, int]]:
    """Yield (node, cycles): in order of time where the timeline is whole, else each node once."""
    timeline = report["timeline"]
    if is_whole(report):
        yield from timeline
    else:
        yield from ((row["node"], row["cycles"]) for row in report["calls"] if row["cycles"])


def is_whole(report: Report) -> bool:
    """Does the timeline hold the whole profile?"""
    return sum(cycles for _, cycles in report["timeline"]) == report["calls"][0]["inclusive_cycles"]


def _stacks(report: Report) -> list[tuple[int, ...]]:
    """Return for each node the nodes that lead to it, the first one first, itself included."""
    found: list[tuple[int, ...]] = []
    for row in report["calls"]:
        above = () if row["parent"] is None else found[row["parent"]]
        found.append((*above, row["node"]))
    return found


def speedscope(report: Report, title: str) -> str:
    """Return a speedscope file: stacks in order of time, weighted by cycles.

    Source   speedscope, file-format-schema.json
    """
    files, frames = _files(report), list(dict.fromkeys(row["function"] for row in report["calls"]))
    numbers = [frames.index(row["function"]) for row in report["calls"]]
    stacks, parts = [[numbers[node] for node in stack] for stack in _stacks(report)], list(stretches(report))
    described = [{"name": name, **({"file": files[name]} if name in files else {})} for name in frames]
    profile = {"type": "sampled", "name": title, "unit": "none", "startValue": 0}
    profile |= {"endValue": sum(cycles for _, cycles in parts)}
    profile |= {"samples": [stacks[node] for node, _ in parts], "weights": [cycles for _, cycles in parts]}
    document = {"$schema": SPEEDSCOPE, "name": title, "exporter": f"retrosim {__version__}", "activeProfileIndex": 0}
    return json.dumps(document | {"shared": {"frames": described}, "profiles": [profile]}) + "\n"


def perfetto(report: Report, title: str) -> str:
    """Return a trace that Perfetto and Chrome's about:tracing read: when each call began and ended, in microseconds.

    Source   Trace Event Format (Google, 2016), duration events
    """
    stacks, rows, microsecond = _stacks(report), report["calls"], report["clock_hz"] / 1e6
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": 1, "tid": 1, "args": {"name": title}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": report["machine"]}},
    ]
    now = 0
    stack: tuple[int, ...] = ()

    def change(to: tuple[int, ...]) -> None:
        same = next((n for n, (a, b) in enumerate(zip(stack, to)) if a != b), min(len(stack), len(to)))
        for node in reversed(stack[same:]):
            events.append({"ph": "E", "name": rows[node]["function"], "pid": 1, "tid": 1, "ts": now / microsecond})
        for node in to[same:]:
            begin = {"ph": "B", "name": rows[node]["function"], "pid": 1, "tid": 1, "ts": now / microsecond}
            events.append({**begin, "args": {"cycles since the start": now}})

    for node, cycles in stretches(report):
        change(stacks[node])
        stack, now = stacks[node], now + cycles
    change(())
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}) + "\n"


WRITERS = {"callgrind": callgrind, "speedscope": speedscope, "perfetto": perfetto}
"""Name of an option -> what makes the text of its file."""
