"""The tables of `timing`, `study` and `bench` as pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .page import Column, Section, facts, page, paragraph, table

Row = dict[str, Any]


def records(name: str, rows: Sequence[Row], bars: str = "") -> str:
    """Return a table of dicts, a column for each key; dicts inside become columns of their own.

    bars   key whose numbers get a bar: of the largest
    """
    flat = [_flat(row) for row in rows]
    keys = [
        key
        for key in dict.fromkeys(key for row in flat for key in row)
        if any(row.get(key) is not None for row in flat)
    ]
    columns: list[Column] = []
    lines: list[list[Any]] = [[] for _ in flat]
    for key in keys:
        values = [row.get(key) for row in flat]
        columns.append(Column(key.replace("_", " "), _kind(values)))
        added = [values]
        if key == bars:
            largest = max(value for value in values if value is not None) or 1
            columns.append(Column("of the largest", "share"))
            added.append([None if value is None else 100 * value / largest for value in values])
        for line, *cells in zip(lines, *added):
            line += cells
    return table(name, columns, lines)


def _flat(row: Row) -> Row:
    """Return a dict with the dicts in it put into it."""
    found: Row = {}
    for key, value in row.items():
        parts = {f"{key} {name}": each for name, each in value.items()} if isinstance(value, dict) else {key: value}
        found |= {name: _said(each) for name, each in parts.items()}
    return found


def _said(value: Any) -> Any:
    if isinstance(value, dict):
        return ", ".join(f"{name} {each}" for name, each in value.items()) or None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _named(row: Row) -> Row:
    return {key.replace("_", " "): value for key, value in _flat(row).items() if value is not None}


def _kind(values: Iterable[Any]) -> str:
    present = [value for value in values if value is not None]
    return "number" if present and not any(isinstance(value, str) for value in present) else "text"


def _notes(notes: Sequence[str]) -> Section:
    return Section("Notes", [paragraph(note) for note in notes])


def timing_page(result: Row) -> str:
    """Return the page of what `timing_table` or `causes_table` found."""
    if "answer" not in result:
        sections = [Section("What the clocks of a check went to", [records("rows", result["rows"])])]
        meanings = [{"machine": name, **causes} for name, causes in result["causes"].items()]
        sections.append(Section("Causes", [facts(_flat(each)) for each in meanings]))
        return page("Clocks of the routine of 1994, by cause", [], [*sections, _notes(result["notes"])])
    verdicts = [paragraph(f"{each['machine']}: {each['verdict']}", "big") for each in result["answer"]]
    sections = []
    for each in result["answer"]:
        about = paragraph(f"Build {each['build']}: {each['reason']}.")
        title = f"{each['machine']} beside the table of 1994"
        sections.append(Section(title, [about, records(f"answer-{each['machine']}", each["rows"], "cycles")]))
    sections.append(Section("All builds", [records("rows", result["rows"])]))
    for key, title in (("split", "What a check is made of"), ("analysis", "Pair tests by analysis")):
        if result[key]:
            sections.append(Section(title, [records(key, result[key])]))
    return page(
        "Clocks of the routine of 1994",
        [*verdicts, facts(_named(result["method"]))],
        [*sections, _notes(result["notes"])],
    )


def study_page(result: Row) -> str:
    """Return the page of what `compare_methods` found."""
    named = ("method", "document", "title", "reference")
    errors = [{key: row[key] for key in (*named, "stated", "seen")} for row in result["rows"]]
    scenes = [{"method": row["method"], **row["scenes"]} for row in result["rows"]]
    work = [
        {"method": row["method"], "tests": row["tests"], **row["operations"]}
        | {"host_ns_per_pair": row["host_ns_per_pair"]}
        for row in result["rows"]
    ]
    sections = [
        Section("Errors", [records("errors", errors)]),
        Section("Errors by scene, as seen", [records("by-scene", scenes)]),
        Section("Tests and operations of a frame", [records("work", work, "host_ns_per_pair")]),
    ]
    for machine in result["machines"]:
        clocks = [{"method": row["method"], **row["cycles"].get(machine, {})} for row in result["rows"]]
        sections.append(Section(f"Clocks on {machine}", [records(f"on-{machine}", clocks, "cycles_per_pair")]))
    sections += [Section("Scenes", [records("scenes", result["scenes"])]), _notes(result["notes"])]
    return page("Collision methods compared", [facts(_named(result["method"]))], sections)


def bench_page(result: Row) -> str:
    """Return the page of what a subject of `retrosim bench` measured, as its JSON has it."""
    host, method = result["host"], result["method"]
    packages = ", ".join(f"{name} {number}" for name, number in host["packages"].items())
    about = {"Host": f"{host['processor']}, {host['cpus']} CPUs, {host['system']}", "Python": host["python"]}
    about |= {"Packages": packages} | _named(method)
    sections: list[Section] = []
    key = "name" if all("name" in case for case in result["cases"]) else "machine"
    for name in dict.fromkeys(case[key] for case in result["cases"]):
        cases = [
            {each: value for each, value in case.items() if each != key}
            for case in result["cases"]
            if case[key] == name
        ]
        identifier = f"case-{len(sections)}"
        sections.append(Section(name, [records(identifier, cases, "per_second")]))
    for key, title in (("startup", "To the first frame, seconds"), ("regions", "Compiling the regions of the ROM")):
        found = result.get(key)
        if found:
            rows = [{"start": kind, **times} for kind, times in found.items()] if isinstance(found, dict) else found
            sections.append(Section(title, [records(key, rows)]))
    skipped = [paragraph(f"{each['engine']}: left out, {each['reason']}") for each in result["skipped"]]
    return page("Speed on this computer", [facts(about), *skipped], sections)
