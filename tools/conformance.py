#!/usr/bin/env python3
"""Run published single-instruction tests on our CPUs and say where they differ.

    tools/conformance.py m68000 DIR                   all tests of all files in DIR, a summary as text
    tools/conformance.py m68000 DIR --json            the same for scripts
    tools/conformance.py m68000 DIR --with bcd,link   classes of tests too that are left out otherwise
    tools/conformance.py m68040 DIR --file 'BF*' --limit 50 --engine interpret
    tools/conformance.py ppc DIR                      integer instructions of the PowerPC
    tools/conformance.py 80286 DIR                    all of them, with clocks; and those that a 386 or 486 shares:
    tools/conformance.py 80286 DIR --machine i386dx-33
    tools/conformance.py 80386 DIR                    without clocks: they are those of a 16-bit bus

DIR holds samples (*.npz) or upstream files: of github.com/SingleStepTests/m68000, v1 (*.json.bin), /80286,
v1_real_mode, and /80386, v1_ex_real_mode (*.MOO.gz, also unpacked); or the folder with such a folder in it, named after
the suite or as there. Registers, memory (what a test does not list must not change), defined flags and pc are compared;
clocks are compared apart, since they make no test fail: on the model that a suite was recorded on. Those of the 80286
are counted from the jump to the instruction to the end of the HALT behind it.

JSON: {"suite", "machine", "engine", "total", "passed", "cycles_exact", "cycles_known", "skipped",
"skip_reasons": {class: tests}, "failures": [{"file", "index", "instruction", "why"}], "failures_unlisted",
"cycle_differences": [like failures], "cycle_differences_unlisted", "files": [counts of one file]}.
total = passed + failures + skipped; cycles_known counts the tests run whose clocks the suite tells.

Exit status: 0 every test that ran passed, 1 some failed, 2 usage, 4 a vector file is damaged.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from suite_runs import Report, run_suite  # noqa: E402  (the checkout needs no installation)
from suites import ENGINES, SUITES, Suite  # noqa: E402

from retrosim.errors import RetrosimError  # noqa: E402
from retrosim.jobs import Workers, usable_cores  # noqa: E402

SHOWN_PER_FILE = 3
UPSTREAM_FOLDERS = ("v1", "v1_real_mode", "v1_ex_real_mode")
USAGE = 2


def files_of(suite: Suite, folder: Path, glob: str) -> list[Path]:
    """Return the vector files in a folder, or in one inside that is named as those of suites are.

    glob     of file names, with or without their endings
    Errors   ValueError
    """
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise ValueError(f"folder {folder}: does not exist")
    for candidate in (
        folder,
        folder / suite.name,
        *(folder / name for name in ("v1", "v1_real_mode", "v1_ex_real_mode")),
    ):
        found = [path for pattern in suite.patterns for path in candidate.glob(pattern)]
        if found:
            break
    endings = [pattern.removeprefix("*") for pattern in reversed(suite.patterns)]  # .MOO.gz before .MOO
    names = {path: next(path.name.removesuffix(end) for end in endings if path.name.endswith(end)) for path in found}
    chosen = [path for path in found if fnmatch(path.name, glob) or fnmatch(names[path], glob)]
    if not chosen:
        raise ValueError(f"folder {folder}: no file {glob} among {len(found)} of the kind {', '.join(suite.patterns)}")
    return sorted(chosen)


def as_json(
    suite: str, machine: str, engine: str, total: Report, reports: list[Report], max_listed: int | None
) -> dict:
    """Return the outcome for scripts; at most `max_listed` of a kind are listed."""
    shown = {"suite": suite, "machine": machine, "engine": engine, **total.counts}
    for name in ("failures", "cycle_differences"):
        findings = getattr(total, name)
        shown[name] = findings[:max_listed]
        shown[f"{name}_unlisted"] = len(findings) - len(shown[name])
    shown["files"] = [{"file": r.name, **r.counts, "failed": len(r.failures)} for r in reports]
    return shown


def print_text(total: Report, reports: list[Report], max_listed: int | None) -> None:
    """Print a line for each file with findings, the first of them, and the sum."""
    for report in reports:
        findings = report.failures + report.cycle_differences
        if findings:
            print(report.line)
        for finding in findings[:max_listed]:
            print(f"  {finding['index']}  {finding['instruction']}: {finding['why']}")
        if max_listed is not None and len(findings) > max_listed:
            print(f"  and {len(findings) - max_listed} more")
    print(total.line)


def _line_start() -> str:
    """Return what clears the line of progress, "" when there is none."""
    return "\r\033[K" if sys.stderr.isatty() else ""


def _show_progress(count: int) -> Callable[[int], None]:
    def show(ended: int) -> None:
        print(f"{_line_start()}{ended} of {count} files", end="", file=sys.stderr, flush=True)

    return show if sys.stderr.isatty() else lambda ended: None


def main(arguments: list[str] | None = None) -> int:
    """Run the tool; return its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("dir", type=Path, metavar="DIR", help="folder with vector files, or one such file")
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")
    parser.add_argument("--machine", help="machine whose CPU runs the tests; default: that of the suite")
    parser.add_argument("--engine", choices=ENGINES, default=ENGINES[0], help="default: %(default)s")
    timings = "clocks of the manual, or with queue and bus; default: that of the suite"
    parser.add_argument("--timing", choices=("table", "full"), help=timings)
    parser.add_argument("--limit", type=_count, metavar="N", help="only the first N tests of each file")
    parser.add_argument("--file", default="*", metavar="GLOB", help="only files of that name, without ending or with")
    kinds = "; ".join(f"{name}: {', '.join(suite.classes)}" for name, suite in SUITES.items() if suite.classes)
    parser.add_argument("--with", dest="classes", default="", metavar="CLASSES", help=kinds)
    parser.add_argument("--jobs", type=_count, metavar="N", help="processes to use; default: one for each core")
    parser.add_argument("--max-listed", type=_count, metavar="N", help="findings to list; default: 3 a file, JSON all")
    options = parser.parse_args(arguments)
    suite = SUITES[options.suite]
    machine = options.machine or suite.machine
    classes = tuple(name for name in options.classes.split(",") if name)
    try:
        files = files_of(suite, options.dir, options.file)
        total, reports = run_suite(
            suite,
            machine,
            files,
            engine=options.engine,
            timing=options.timing,
            limit=options.limit,
            classes=classes,
            workers=Workers(usable_cores() if options.jobs is None else options.jobs),
            progress=_show_progress(len(files)),
        )
    except (ValueError, RetrosimError) as error:
        print(f"{_line_start()}conformance: {error}", file=sys.stderr)
        return getattr(error, "exit_status", USAGE)
    print(end=_line_start(), file=sys.stderr, flush=True)
    if options.json:
        print(json.dumps(as_json(suite.name, machine, options.engine, total, reports, options.max_listed), indent=1))
    else:
        print_text(total, reports, SHOWN_PER_FILE if options.max_listed is None else options.max_listed)
    return 1 if total.failures else 0


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text}: allowed 0 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
