#!/usr/bin/env python3
"""Put what `retrosim timing`, `study` and `bench` found into the guide and the README.

    retrosim timing --details --no-interval --json > timing.json
    retrosim study --json > study.json
    retrosim bench --save                                    writes tools/bench/MACHINE-HOST.json
    retrosim bench programs --save                         writes tools/bench/programs-HOST.json
    retrosim bench kernels --save                          writes tools/bench/kernels-HOST.json
    tools/result_tables.py timing.json study.json            print the tables
    tools/result_tables.py timing.json study.json --write    put them into the pages

Exit status: 0 done, 2 usage.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from retrosim.report.text import grouped

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from retrosim.bench.kernels import QUESTIONS  # noqa: E402
from retrosim.bench.programs import MACHINE_CODE  # noqa: E402
from retrosim.table_1994.analysis import PARTS  # noqa: E402
from retrosim.table_1994.printed import OBJECTS, PRINTED  # noqa: E402

GUIDE, README = ROOT / "retrosim/guide", ROOT / "README.md"
TABLE, STUDY, COLLIDE, SPEED = (GUIDE / name for name in ("table.md", "study.md", "collide-speed.md", "speed.md"))
PROGRAMS = GUIDE / "notes" / "speed.md"
END = "<!-- end of what it made -->"
SHOWN = {  # build -> what the README calls it
    "O0": "today's GCC, -O0",
    "O2": "today's GCC, -O2",
    "period-68000": "as a compiler of 1994 may have made it",
    "fast": "optimised by hand",
}
README_MACHINE = "mc68040-25"
GOAL, GOAL_OF_MANY, MANY = 8, 15, 200  # times as fast as the best peer; from so many objects on
ENGINES = {  # of the benchmark -> what the guide calls it
    "recompile-off": "recompiler, no timing",
    "recompile-table": "recompiler, table clocks",
    "recompile-full": "recompiler, full timing",
    "interpret-off": "interpreter, no timing",
    "interpret-table": "interpreter, table clocks",
    "interpret-full": "interpreter, full timing",
    "evaluate": "evaluator, no timing",
    "kernel": "Numba kernel",
    "unicorn": "Unicorn (no clocks)",
    "musashi": "Musashi",
    "native-c": "the same C, gcc -O2, native",
}
FULL_TIMING = "recompile-full"
PEERS = {"unicorn": "Unicorn", "musashi": "Musashi", "native-c": "native C"}
BENCH = "O2", 200  # build and objects that the guide shows
STUDY_MACHINES = ("mc68000-8", "mc68040-25", "ppc601-80", "i386dx-33", "i486dx2-66")


def flag(build: str) -> str:
    """Return a build as the guide writes it: -O2, period."""
    return f"-{build}" if build.startswith("O") else build


def lines(rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown, its heading first."""
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, "|---" * (head.count(" | ") + 1) + "|", *body])


def by_build(result: Mapping[str, Any], machine: str) -> dict[str, list[dict[str, Any]]]:
    """Return build -> its rows on a machine."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in result["rows"]:
        if row["machine"] == machine:
            found.setdefault(row["build"], []).append(row)
    return found


def cells(result: Mapping[str, Any], machine: str) -> str:
    """Return clocks of a check and their ratio to those of 1994, of each build."""
    builds = by_build(result, machine)
    rows = [["build", "0 objects (one in the list)", *(str(objects) for objects in OBJECTS[1:])]]
    first = next(iter(builds.values()))
    printed = (f"{grouped(row['printed_cycles'])} ({PRINTED[machine][row['objects']]})" for row in first)
    rows.append(["**1994** (checks/s)", *printed])
    for build, mine in builds.items():
        rows.append([flag(build), *(f"{grouped(row['cycles'])} = {row['ratio']:.2f}" for row in mine)])
    return lines(rows)


def parts(result: Mapping[str, Any], machine: str) -> str:
    """Return clocks per part of a check, of each build and of 1994."""
    rows = [["build", *(part.replace("_", " ").replace("object pass", "object and pass") for part in PARTS)]]
    for each in result["split"]:
        if each["machine"] == machine:
            name = flag(each["build"]) if each["build"] else "**1994**"
            rows.append([name, *(f"{each[part]:.0f}" for part in PARTS)])
    return lines(rows)


def small(result: Mapping[str, Any]) -> str:
    """Return the README's table."""
    builds = by_build(result, README_MACHINE)
    rows = [["build", "one object", *(str(objects) for objects in OBJECTS[1:])]]
    rows.append(["**1994**", *(grouped(row["printed_cycles"]) for row in builds["O0"])])
    rows += [[said, *(f"{row['ratio']:.2f}" for row in builds[build])] for build, said in SHOWN.items()]
    return lines(rows)


def methods(result: Mapping[str, Any]) -> str:
    """Return the errors of each method."""
    rows = [["method", "document", "tested exactly by", "wrong there", "seen: false", "seen: missed"]]
    for each in result["rows"]:
        found, missed = each["stated"].values()
        stated = " ".join(f"{sign}{count}" for sign, count in (("+", found), ("-", missed)) if count) or "0"
        rows.append([each["title"], each["document"], each["reference"], stated, *map(str, each["seen"].values())])
    return lines(rows)


def operations(result: Mapping[str, Any]) -> str:
    """Return tests and operations of a frame of each method."""
    kinds = "additions", "multiplications", "comparisons"
    rows = [["method", "tests", *kinds]]
    for each in result["rows"]:
        counts = each["tests"], *(each["operations"][kind] for kind in kinds)
        rows.append([each["title"], *(f"{count:.0f}" for count in counts)])
    return lines(rows)


def pair_clocks(result: Mapping[str, Any]) -> str:
    """Return clocks of a pair of each method on each machine."""
    rows = [["method", *(f"`{machine}`" for machine in STUDY_MACHINES)]]
    for each in result["rows"]:
        pairs = (each["cycles"].get(machine) for machine in STUDY_MACHINES)
        rows.append([each["title"], *(f"{pair['cycles_per_pair']:.0f}" if pair else "-" for pair in pairs)])
    return lines(rows)


def engines(result: Mapping[str, Any]) -> str:
    """Return what `bench` measured on one machine: checks, and how they compare with peers."""
    peers = {"unicorn": times, "musashi": times, "native-c": percent}
    rows = [["", "checks/s", "guest MIPS", "real time", *(f"to {PEERS[peer]}" for peer in peers)]]
    measured = {case["engine"]: case for case in result["cases"] if (case["build"], case["objects"]) == BENCH}
    for engine, title in ENGINES.items():
        case = measured.get(engine)
        if case is None or case["error"]:
            continue
        rate, instructions = case["per_second"], case.get("instructions_per_second")
        rows.append([title, grouped(rate) if rate >= 10 else f"{rate:.2g}"])
        rows[-1].append(millions(instructions) if instructions else "-")
        rows[-1].append(times(case["times_machine"]) if case.get("times_machine") else "-")
        rows[-1] += [
            write(case["ratio_to"][peer]) if peer in case["ratio_to"] else "-" for peer, write in peers.items()
        ]
    laps = f"Medians of {result['method']['rounds']} laps; `{result['method']['machine']}`"
    return f"{lines(rows)}\n\n{laps}, {described(result)}."


def programs(result: Mapping[str, Any]) -> str:
    """Return what `bench programs` measured: goals by machine, and each program beside native C and Unicorn."""
    means = {(each["machine"], each["engine"]): each["ratio_to"] for each in result["means"]}
    machines = list(dict.fromkeys(case["machine"] for case in result["cases"]))
    cases = [case for case in result["cases"] if case["engine"] == MACHINE_CODE and not case["error"]]
    rows = [["", "to native C", "to Unicorn", "slowest program", "interpreter to Unicorn", "native C to Unicorn"]]
    rows[0] += ["full timing to table clocks"]
    for machine in machines:
        ours = means[machine, MACHINE_CODE]
        here = [case for case in cases if case["machine"] == machine and "native-c" in case["ratio_to"]]
        worst = min(here, key=lambda case: case["ratio_to"]["native-c"])
        others = (means[machine, engine]["unicorn"] for engine in ("interpret-table", "native-c"))
        slowest = f"{worst['program']}, {percent(worst['ratio_to']['native-c'])}"
        full = means.get((machine, FULL_TIMING), {}).get("native-c")
        rows.append([f"`{machine}`", percent(ours["native-c"]), times(ours["unicorn"]), slowest, *map(times, others)])
        rows[-1] += [percent(full / ours["native-c"]) if full else "-"]
    each = [["program", *(f"`{machine}`" for machine in machines)]]
    for program in dict.fromkeys(case["program"] for case in cases):
        found = {case["machine"]: case["ratio_to"] for case in cases if case["program"] == program}
        said = (
            (f"{percent(r['native-c'])}, " if "native-c" in r else "") + times(r["unicorn"]) for r in found.values()
        )
        each.append([program, *said])
    laps = f"Medians of {result['method']['rounds']} laps; {described(result)}."
    heading = "Each program with table clocks, to native C and to Unicorn:"
    return "\n\n".join([lines(rows), laps, heading, lines(each)])


def millions(rate: float) -> str:
    return grouped(rate / 1e6) if rate >= 1e7 else f"{rate / 1e6:.2g}"


def times(ratio: float) -> str:
    return f"{ratio:.2g} x" if ratio < 99.5 else f"{ratio:.0f} x"


def percent(ratio: float) -> str:
    return f"{100 * ratio:.2g} %" if ratio < 0.995 else f"{100 * ratio:.0f} %"


def described(result: Mapping[str, Any]) -> str:
    """Return the host of a benchmark, its packages, and the date."""
    host = result["host"]
    packages = ", ".join(f"{name} {version}" for name, version in host["packages"].items())
    here = f"{host['processor']}, {host['cpus']} CPUs, {host['system']}, Python {host['python']}, {packages}"
    return f"{here}; {result['made']['date']}"


def kernel_rows(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return for each question and number of objects our fastest single call, and the best peer: by their best laps."""
    rows = []
    keys = {(case["question"], case["objects"]) for case in result["cases"]}
    for key in sorted(keys, key=lambda key: (QUESTIONS.index(key[0]), key[1])):
        cases = [case for case in result["cases"] if (case["question"], case["objects"]) == key and not case["error"]]
        ours = [case for case in cases if case["best_ratio_to"] and not case["engine"].endswith("-batch")]
        if ours:
            mine = min(ours, key=lambda case: case["best_seconds"])
            peer, ratio = min(mine["best_ratio_to"].items(), key=lambda each: each[1])
            rows.append(
                {"case": mine, "peer": peer, "ratio": ratio, "wanted": GOAL_OF_MANY if key[1] >= MANY else GOAL}
            )
    return rows


def kernels(result: Mapping[str, Any]) -> str:
    """Return what `bench kernels` measured: a table, what it was measured on, and the rows below the goal."""
    rows = [["scene", "objects", "ours", "time", "best peer", "its time", "ratio"]]
    below = []
    for row in kernel_rows(result):
        case, seconds = row["case"], row["case"]["best_seconds"]
        here = [case["question"], grouped(case["objects"]), f"`{case['engine']}`", microseconds(seconds)]
        there = [f"`{row['peer']}`", microseconds(seconds * row["ratio"]), f"{row['ratio']:.3g} x"]
        rows.append(here + there)
        if row["ratio"] < row["wanted"]:
            below.append(f"{case['question']}, {grouped(case['objects'])} objects: {row['ratio']:.3g} x")
    method = result["method"]
    wrong = [f"`{case['engine']}` with {grouped(case['objects'])} objects" for case in result["cases"] if case["error"]]
    parts = [
        lines(rows),
        f"Best of {method['rounds']} laps of {method['seconds']:g} s; {described(result)}.",
    ]
    goal = f"{GOAL_OF_MANY} times the best peer from {MANY} objects on, {GOAL} times below"
    parts.append(f"Below the goal ({goal}): {'; '.join(below) or 'none'}.")
    if wrong:
        parts.append(f"Other answers than ours, and no figure: {', '.join(wrong)}.")
    return "\n\n".join(parts)


def joined(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return results with those of `bench kernels` in one: runs for different numbers of objects."""
    runs = [result for result in results if kind_of(result) == "kernels"]
    others = [result for result in results if result not in runs]
    return others + [runs[0] | {"cases": [case for run in runs for case in run["cases"]]} for _ in runs[:1]]


def microseconds(seconds: float) -> str:
    """Return a time with three digits."""
    size, unit = next((each for each in ((1, "s"), (1e-3, "ms")) if seconds >= each[0]), (1e-6, "us"))
    return f"{seconds / size:.3g} {unit}"


def kind_of(result: Mapping[str, Any]) -> str:
    """Return which benchmark a result is of: engines, programs, kernels; "" for none."""
    if "cases" not in result:
        return ""
    return "programs" if "goals" in result else "engines" if "regions" in result else "kernels"


def tables(result: Mapping[str, Any]) -> dict[Path, dict[str, str]]:
    """Return page -> mark of a table -> the table, of what one of the commands printed."""
    kind = kind_of(result)
    if kind == "kernels":
        return {COLLIDE: {"kernels": kernels(result)}}
    if kind:
        return {PROGRAMS: {kind: programs(result)}} if kind == "programs" else {SPEED: {kind: engines(result)}}
    if "scenes" in result:
        made = {"methods": methods(result), "operations": operations(result), "clocks": pair_clocks(result)}
        return {STUDY: made}
    found = {TABLE: {}, README: {"clocks": small(result)}}
    for machine in PRINTED:
        found[TABLE] |= {f"{machine} clocks": cells(result, machine), f"{machine} parts": parts(result, machine)}
    return found


def begin(mark: str) -> str:
    return f"<!-- made by tools/result_tables.py: {mark} -->"


def with_tables(text: str, made: Mapping[str, str]) -> str:
    """Return a page with tables between their marks."""
    for mark, table in made.items():
        before, start, rest = text.partition(begin(mark))
        if not start:
            raise SystemExit(f"no mark for {mark!r}")
        text = f"{before}{start}\n\n{table}\n\n{END}{rest.partition(END)[2]}"
    return text


def main(arguments: list[str] | None = None) -> int:
    """Run the tool; return its exit status."""
    parser = argparse.ArgumentParser(
        description="Put what timing, study and bench found into the guide and the README."
    )
    parser.add_argument(
        "json",
        nargs="+",
        help="what `retrosim timing --details --json` or `study --json` printed, or `bench --save` kept",
    )
    parser.add_argument("--write", action="store_true", help="put the tables into the pages")
    options = parser.parse_args(arguments)
    pages = [tables(result) for result in joined([json.loads(Path(name).read_text()) for name in options.json])]
    for page, made in (item for found in pages for item in found.items()):
        if options.write:
            page.write_text(with_tables(page.read_text(encoding="utf-8"), made), encoding="utf-8")
        else:
            print("\n\n".join(f"{page.name}, {mark}\n\n{table}" for mark, table in made.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
