"""The benchmark as text: one rich table per scene, 80 columns wide at most."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from .contenders import PEERS
from .figures import warmth
from .number_table import number_table
from .startup import STAGES

_LEGEND = (
    "recompile: our regions of the program, compiled as a whole; interpret: our handler per instruction",
    "-full, -table, -off: with pipeline model and caches, with table clocks, without timing",
    "evaluate: the same instruction rows on plain Python integers",
    "kernel: the routine in Numba; native-c: the ROM's own C source compiled with -O2 for this host",
    "x real: times the speed of the simulated machine by its full timing",
    "spread: fastest less slowest lap, over the median",
)


def render_bench(result: dict[str, Any]) -> RenderableType:
    """Return everything that `benchmark` found, for a rich console.

    result  as `benchmark` returns it
    """
    parts: list[RenderableType] = []
    for name in dict.fromkeys(case["name"] for case in result["cases"]):
        cases = [case for case in result["cases"] if case["name"] == name]
        errors = [Text(f"{case['engine']}: {case['error']}", style="bold red") for case in cases if case["error"]]
        parts += [Text(f"{name}: complete checks per second", style="bold"), _cases(cases), *errors, Text()]
    parts += [Text(f"{skipped['engine']}: left out, {skipped['reason']}") for skipped in result["skipped"]]
    if result["startup"]:
        parts += [Text("To the first frame, seconds", style="bold"), _startup(result["startup"]), Text()]
    if result["regions"]:
        parts += [Text("To compile the regions of the ROM, and to load them, seconds", style="bold")]
        parts += [_regions(result["regions"]), Text()]
    host, method = result["host"], result["method"]
    packages = ", ".join(f"{name} {number}" for name, number in host["packages"].items())
    parts += [
        Text(f"{host['processor']}, {host['cpus']} CPUs, {host['system']}, Python {host['python']}, {packages}"),
        Text(f"Medians of {method['rounds']} laps of about {method['seconds']:g} s of processor time; flags compared"),
        Text(f"x real: the clocks of a check on that machine, caches {warmth(method['warm'])}"),
        *(Text(line) for line in _LEGEND),
    ]
    return Group(*parts)


def _three(value: float | None) -> str:
    """Return a number with three digits or all before the point."""
    if value is None:
        return "-"
    digits = 3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f}" if value >= 0.001 else f"{value:.0e}"


def _cases(cases: list[dict[str, Any]]) -> RenderableType:
    peers = [peer for peer in PEERS if any(peer in case["ratio_to"] for case in cases)]
    table = number_table("engine", "checks/s", "spread", "MIPS", "x real", *(f"to\n{peer}" for peer in peers))
    for case in cases:
        instructions = case.get("instructions_per_second")
        table.add_row(
            case["engine"],
            "error" if case["error"] else _three(case["per_second"]),
            "-" if case["spread"] is None else f"{100 * case['spread']:.0f} %",
            _three(instructions / 1e6 if instructions else None),
            _three(case.get("times_machine")),
            *(_three(case["ratio_to"].get(peer)) for peer in peers),
        )
    return table


def _startup(startup: dict[str, dict[str, float]]) -> RenderableType:
    table = number_table("start", *STAGES, "starts")
    for kind, times in startup.items():
        table.add_row(kind, *(f"{times[stage]:.2f}" for stage in STAGES), str(times["starts"]))
    return table


def _regions(regions: list[dict[str, Any]]) -> RenderableType:
    """Return a row per region, and the sums of each build."""
    timings = list(dict.fromkeys(each["timing"] for each in regions))
    times = (f"{timing}\n{kind}" for timing in timings for kind in ("cold", "warm"))
    table = number_table("region", "blocks", "instructions", *times)
    for build in dict.fromkeys(each["build"] for each in regions):
        mine = [each for each in regions if each["build"] == build]
        for address in dict.fromkeys(each["address"] for each in mine):
            same = [each for each in mine if each["address"] == address]
            _region_row(table, f"{build} {address:06X}", same[:1], same, timings)
        _region_row(table, f"{build} all", [each for each in mine if each["timing"] == timings[0]], mine, timings)
    return table


def _region_row(table: Table, name: str, sizes: list[dict[str, Any]], each: list[dict[str, Any]], timings: list[str]):
    counts = (str(sum(region[key] for region in sizes)) for key in ("blocks", "instructions"))
    times = (sum(r[kind] for r in each if r["timing"] == t) for t in timings for kind in ("cold", "warm"))
    table.add_row(name, *counts, *(f"{seconds:.2f}" for seconds in times))
