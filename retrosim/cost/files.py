"""A profile as files of other profilers: callgrind (KCachegrind, callgrind_annotate), speedscope, Perfetto.

All take a report whose timeline may be shorter than the profile.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from retrosim.version import __version__

from .report import Breakdown, CallCost, FunctionCost, InstructionCost, Report

SPEEDSCOPE = "https://www.speedscope.app/file-format-schema.json"
UNKNOWN = "???"  # as callgrind has it


def callgrind(report: Report, title: str) -> str:
    """Return a callgrind file: what each instruction took, and each call with all that it led to.

    Source   Valgrind manual, Callgrind Format Specification, version 1
    """
    listing, caches = report.breakdown.listing, list(report.breakdown.calls[0].misses)
    events = ["Cycles", "Instructions", *(f"{name.title()}Misses" for name in caches)]
    lines = ["# callgrind format", "version: 1", f"creator: retrosim {__version__}", f"cmd: {title}"]
    lines += ["positions: instr line", f"events: {' '.join(events)}"]
    costs = [[row.cycles, row.visits, *(row.misses[name] for name in caches)] for row in listing]
    totals = [sum(column) for column in zip(*costs)] if costs else [0] * len(events)
    lines += [f"summary: {' '.join(map(str, totals))}", ""]
    names, calls, files = _Numbers(), _calls(report.breakdown, caches), _files(listing)
    callers = [edge.caller for edge in calls]
    for function in dict.fromkeys([*(_function(row) for row in listing), *callers]):
        file = files.get(function, UNKNOWN)
        lines.append(f"fl={names.name('file', file)}")
        lines.append(f"fn={names.name('function', function)}")
        for row, counts in zip(listing, costs, strict=True):
            if _function(row) != function:
                continue
            if (row.file or UNKNOWN) != file:
                file = row.file or UNKNOWN
                lines.append(f"fe={names.name('file', file)}")
            lines.append(f"{row.address:#x} {row.line or 0} {' '.join(map(str, counts))}")
        for edge, (times, counts) in calls.items():
            if edge.caller == function:
                lines.append(f"cfi={names.name('file', files.get(edge.callee, UNKNOWN))}")
                lines.append(f"cfn={names.name('function', edge.callee)}")
                lines.append(f"calls={times} {edge.address or 0:#x} 0")
                lines.append(f"{edge.site or 0:#x} {edge.line or 0} {' '.join(map(str, counts))}")
        lines.append("")
    return "\n".join(lines)


class _Edge(NamedTuple):
    """The calls of a function, at an address, from one place of another."""

    caller: str
    site: int | None
    line: int | None
    callee: str
    address: int | None


class _Numbers:
    """Names compressed: the number and the name the first time, then the number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}

    def name(self, kind: str, name: str) -> str:
        number = self._numbers.get((kind, name))
        if number is not None:
            return f"({number})"
        number = self._numbers[kind, name] = 1 + sum(other == kind for other, _ in self._numbers)
        return f"({number}) {name}"


def _function(row: InstructionCost | FunctionCost) -> str:
    return row.function or UNKNOWN


def _files(listing: Sequence[InstructionCost]) -> dict[str, str]:
    """Return function -> the file of its first instruction with a line."""
    files: dict[str, str] = {}
    for row in listing:
        if row.file:
            files.setdefault(_function(row), row.file)
    return files


def _calls(breakdown: Breakdown, caches: Sequence[str]) -> dict[_Edge, tuple[int, list[int]]]:
    """Return how often each function was called from each place, and what these calls took."""
    names, calls = {_function(row) for row in breakdown.listing}, breakdown.calls
    edges: dict[_Edge, tuple[int, list[int]]] = {}
    for call in calls:
        if call.parent is None:
            continue
        caller, callee = _listed(calls[call.parent], names), _listed(call, names)
        if caller == callee == UNKNOWN:
            continue  # one function, as far as the listing knows
        edge = _Edge(caller, call.site, call.site_line, callee, call.address)
        more = [call.inclusive_cycles, call.inclusive_instructions, *(call.inclusive_misses[name] for name in caches)]
        times, counts = edges.get(edge, (0, [0] * len(more)))
        edges[edge] = times + call.calls, [a + b for a, b in zip(counts, more, strict=True)]
    return edges


def _listed(call: CallCost, names: set[str]) -> str:
    """Return what the listing calls a function: outside all functions addresses are names of calls alone."""
    return call.function if call.function in names or call.is_host else UNKNOWN


def stretches(breakdown: Breakdown) -> Iterator[tuple[int, int]]:
    """Yield (node, cycles): in order of time where the timeline is whole, else each node once."""
    if is_whole(breakdown):
        yield from ((node, cycles) for node, cycles in breakdown.timeline)
    else:
        yield from ((call.node, call.cycles) for call in breakdown.calls if call.cycles)


def is_whole(breakdown: Breakdown) -> bool:
    """Does the timeline hold the whole profile?"""
    return sum(cycles for _, cycles in breakdown.timeline) == breakdown.calls[0].inclusive_cycles


def _stacks(calls: Sequence[CallCost]) -> list[tuple[int, ...]]:
    """Return for each node the nodes that lead to it, the first one first, itself included."""
    stacks: list[tuple[int, ...]] = []
    for call in calls:
        above = () if call.parent is None else stacks[call.parent]
        stacks.append((*above, call.node))
    return stacks


def speedscope(report: Report, title: str) -> str:
    """Return a speedscope file: stacks in order of time, weighted by cycles.

    Source   speedscope, file-format-schema.json
    """
    calls, files = report.breakdown.calls, _files(report.breakdown.listing)
    frames = list(dict.fromkeys(call.function for call in calls))
    numbers = [frames.index(call.function) for call in calls]
    stacks, parts = [[numbers[node] for node in stack] for stack in _stacks(calls)], list(stretches(report.breakdown))
    described = [{"name": name, **({"file": files[name]} if name in files else {})} for name in frames]
    profile: dict[str, Any] = {"type": "sampled", "name": title, "unit": "none", "startValue": 0}
    profile |= {"endValue": sum(cycles for _, cycles in parts)}
    profile |= {"samples": [stacks[node] for node, _ in parts], "weights": [cycles for _, cycles in parts]}
    document = {"$schema": SPEEDSCOPE, "name": title, "exporter": f"retrosim {__version__}", "activeProfileIndex": 0}
    return json.dumps(document | {"shared": {"frames": described}, "profiles": [profile]}) + "\n"


def perfetto(report: Report, title: str) -> str:
    """Return a trace that Perfetto and Chrome's about:tracing read: when each call began and ended, in microseconds.

    Source   Trace Event Format (Google, 2016), duration events
    """
    calls, microsecond = report.breakdown.calls, report.clock_hz / 1e6
    stacks = _stacks(calls)
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": 1, "tid": 1, "args": {"name": title}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": report.machine}},
    ]
    now = 0
    stack: tuple[int, ...] = ()

    def change(to: tuple[int, ...]) -> None:
        same = next((n for n, (a, b) in enumerate(zip(stack, to)) if a != b), min(len(stack), len(to)))
        for node in reversed(stack[same:]):
            events.append({"ph": "E", "name": calls[node].function, "pid": 1, "tid": 1, "ts": now / microsecond})
        for node in to[same:]:
            begin = {"ph": "B", "name": calls[node].function, "pid": 1, "tid": 1, "ts": now / microsecond}
            events.append({**begin, "args": {"cycles since the start": now}})

    for node, cycles in stretches(report.breakdown):
        change(stacks[node])
        stack, now = stacks[node], now + cycles
    change(())
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}) + "\n"


WRITERS = {"callgrind": callgrind, "speedscope": speedscope, "perfetto": perfetto}
"""Name of an option -> what makes the text of its file."""
