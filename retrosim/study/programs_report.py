"""What `retrosim bench --programs` found as text: the verdict, the goals, a table of machines, then one per machine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from .number_table import number_table

SHOWN = {"recompile-off": "off", "recompile-table": "table", "recompile-full": "full", "interpret-table": "interpret"}
_LEGEND = (
    "off, table, full: the recompiler without timing, with table clocks, with pipeline and caches;",
    "interpret: the interpreter with table clocks. Ratios of speeds, by median laps;",
    "machines: geometric means over the programs. full/table: what the pipeline model leaves of the speed",
)


def render_programs(result: dict[str, Any]) -> RenderableType:
    """Return everything that `benchmark_programs` found, for a rich console."""
    parts: list[RenderableType] = [Text(result["verdict"], style="bold")]
    parts += [Text(f"  {goal['text']}") for goal in result["goals"]]
    parts += [Text(), machines_table(result["means"], result["cases"])]
    for machine in dict.fromkeys(case["machine"] for case in result["cases"]):
        mine = [case for case in result["cases"] if case["machine"] == machine]
        parts += [Text(), Text(machine, style="bold"), programs_table(mine)]
        parts += [Text(f"{c['program']}, {c['engine']}: {c['error']}", style="bold red") for c in mine if c["error"]]
    skipped = dict.fromkeys((each["engine"], each["reason"]) for each in result["skipped"])
    parts += [Text(), *(Text(f"{engine}: left out, {reason}") for engine, reason in skipped)]
    parts += [Text(note) for note in result["notes"]]
    host, method = result["host"], result["method"]
    packages = ", ".join(f"{name} {number}" for name, number in host["packages"].items())
    parts += [
        Text(f"{host['processor']}, {host['cpus']} CPUs, {host['system']}, Python {host['python']}, {packages}"),
        Text(
            f"Medians of {method['rounds']} laps of about {method['seconds']:g} s of processor time; "
            f"{method['compared']} compared"
        ),
        *(Text(line) for line in _LEGEND),
    ]
    return Group(*parts)


def percent(ratio: float | None) -> str:
    """Return a ratio as a percentage, "-" for None."""
    return "-" if ratio is None else f"{100 * ratio:.0f} %" if ratio >= 0.1 else f"{100 * ratio:.1f} %"


def times(ratio: float | None) -> str:
    """Return a ratio as a factor, "-" for None."""
    return "-" if ratio is None else f"{ratio:.0f} x" if ratio >= 10 else f"{ratio:.2g} x"


def quotient(cases: Iterable[dict[str, Any]], program: str, engine: str, over: str) -> float | None:
    """Return the speed of one engine over that of another in a program, None where one was not measured."""
    rates = {c["engine"]: c["per_second"] for c in cases if c["program"] == program and c["per_second"]}
    return rates[engine] / rates[over] if engine in rates and over in rates else None


def machine_rows(means: list[dict[str, Any]], cases: list[dict[str, Any]]) -> Iterable[tuple[str, ...]]:
    """Return a row of text per machine, as `MACHINE_HEADINGS` has them."""
    for machine in dict.fromkeys(mean["machine"] for mean in means):
        by_engine = {mean["engine"]: mean["ratio_to"] for mean in means if mean["machine"] == machine}
        table, interpret = (by_engine.get(engine, {}) for engine in ("recompile-table", "interpret-table"))
        mine = [case for case in cases if case["machine"] == machine]
        native = [
            (c["ratio_to"]["native-c"], c["program"])
            for c in mine
            if c["engine"] == "recompile-table" and "native-c" in c["ratio_to"]
        ]
        slowest = min(native, default=None)
        full, off = by_engine.get("recompile-full", {}), by_engine.get("recompile-off", {})
        yield (
            machine,
            percent(off.get("native-c")),
            percent(table.get("native-c")),
            f"{percent(slowest[0])} {slowest[1]}" if slowest else "-",
            percent(full.get("native-c")),
            times(table.get("unicorn")),
            times(full.get("unicorn")),
            times(interpret.get("unicorn")),
        )


MACHINE_HEADINGS = ("", "off\nto C", "table\nto C", "slowest\nto C", "full\nto C")
MACHINE_HEADINGS += ("table to\nUnicorn", "full to\nUnicorn", "interpret\nto Unicorn")


def machines_table(means: list[dict[str, Any]], cases: list[dict[str, Any]]) -> Table:
    table = number_table(*MACHINE_HEADINGS)
    for row in machine_rows(means, cases):
        table.add_row(*row)
    return table


PROGRAM_HEADINGS = ("", "off\nto C", "table\nto C", "full/\ntable", "table to\nUnicorn", "interpret\nto Unicorn")
PROGRAM_HEADINGS += ("x real\nfull", "table\nMIPS")


def program_rows(cases: list[dict[str, Any]]) -> Iterable[tuple[str, ...]]:
    """Return a row of text per program of one machine, as `PROGRAM_HEADINGS` has them."""
    for program in dict.fromkeys(case["program"] for case in cases):
        by_engine = {case["engine"]: case for case in cases if case["program"] == program}
        mips = by_engine.get("recompile-table", {}).get("instructions_per_second")
        yield (
            program,
            percent(quotient(cases, program, "recompile-off", "native-c")),
            percent(quotient(cases, program, "recompile-table", "native-c")),
            percent(quotient(cases, program, "recompile-full", "recompile-table")),
            times(quotient(cases, program, "recompile-table", "unicorn")),
            times(quotient(cases, program, "interpret-table", "unicorn")),
            times(by_engine.get("recompile-full", {}).get("times_machine")),
            f"{mips / 1e6:,.0f}" if mips else "-",
        )


def programs_table(cases: list[dict[str, Any]]) -> Table:
    table = number_table(*PROGRAM_HEADINGS)
    for row in program_rows(cases):
        table.add_row(*row)
    return table
