#!/usr/bin/env python3
"""Throw changed inputs at retrosim until something breaks.

  python tools/fuzz.py tape --minutes 10
  python tools/fuzz.py all
  python tools/fuzz.py state --seed 7 --inputs 5000 --jobs 2

An input is made from a good one (a shipped tape, image, manifest, drawing, a saved
state, a command line, a program, a call), by its number and the seed alone: equal
seeds give equal inputs. It should be accepted, or refused with the documented error.
A find is any other exception, a crash, more than a second of processor time or more
than 256 MiB of memory for an input that is refused.

Finds are made smaller and kept in tests/corpus/TARGET, which the tests replay. The
exit status is 0 if there is none, 1 if there is one, 2 for wrong arguments.

Workers of a dask cluster may do it (each start processes of its own, so no nanny):

  dask worker tcp://HOST:8786 --nthreads 1 --no-nanny --preload tools/fuzz.py
  python tools/fuzz.py all --minutes 60 --scheduler tcp://HOST:8786 --jobs 8
"""

from __future__ import annotations

import argparse
import hashlib
import os
import secrets
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
for place in (ROOT, ROOT / "tools"):
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))

from fuzzing.runner import Finding, Tally, input_of, minimised, search  # noqa: E402
from fuzzing.target import Target  # noqa: E402
from fuzzing.targets import GROUPS, TARGETS  # noqa: E402

from retrosim.errors import RetrosimError  # noqa: E402
from retrosim.jobs import Workers, usable_cores  # noqa: E402

CORPUS = ROOT / "tests" / "corpus"
REPORT_SECONDS = 10.0


def arguments() -> argparse.Namespace:
    lines = "\n".join(f"  {target.name:10} {target.about}" for target in TARGETS.values())
    groups = f"  {'loaders':10} all that read files: {', '.join(GROUPS['loaders'])}\n  {'all':10} all of these"
    parser = argparse.ArgumentParser(
        description=f"{__doc__}\ntargets:\n{lines}\n{groups}", formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", choices=[*TARGETS, *GROUPS], metavar="TARGET", help="what to attack, see above")
    how_long = parser.add_mutually_exclusive_group()
    how_long.add_argument(
        "--minutes", type=_positive(float), metavar="N", help="how long each process tries inputs of each target"
    )
    parser.add_argument("--seed", type=int, metavar="S", help="of the inputs; default: a new one, which is printed")
    how_long.add_argument(
        "--inputs",
        type=_positive(int),
        metavar="N",
        help="how many, for each target; default: a number that takes seconds",
    )
    parser.add_argument(
        "--jobs",
        type=_positive(int),
        metavar="N",
        help="processes at once; default: one for each core with --minutes, else 1",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="let the workers of a dask scheduler do it: tcp://HOST:8786",
    )
    parser.add_argument("--resume", action="store_true", help="go on where the same search was interrupted")
    parser.add_argument(
        "--corpus", type=Path, default=CORPUS, metavar="FOLDER", help="where finds are kept; default: tests/corpus"
    )
    options = parser.parse_args()
    if options.resume and options.seed is None:
        parser.error("--resume needs the --seed of the search that was interrupted")
    try:
        jobs = options.jobs or (usable_cores() if options.minutes else 1)
        options.workers = Workers(jobs, options.scheduler, options.resume)
    except ValueError as error:
        parser.error(str(error))
    return options


def _positive(kind: type) -> type:
    def number(text: str):
        value = kind(text)
        if not value > 0:
            raise ValueError
        return value

    number.__name__ = "number above 0"
    return number  # type: ignore[return-value]


class Reporter:
    """Says now and then how far a target is."""

    def __init__(self, target: Target) -> None:
        self._target, self._begun = target, time.monotonic()
        self._next = self._begun + REPORT_SECONDS

    def tally(self, tally: Tally) -> None:
        """Say now and then what has been found."""
        self._say(line(self._target, tally, time.monotonic() - self._begun))

    def parts(self, done: int, count: int) -> None:
        """Say now and then how many parts are done."""
        self._say(f"{self._target.name}: {done} of {count} parts")

    def _say(self, text: str) -> None:
        if time.monotonic() > self._next:
            self._next += REPORT_SECONDS
            print(text, file=sys.stderr, flush=True)


def line(target: Target, tally: Tally, seconds: float) -> str:
    share = 100 * tally.accepted / max(1, tally.tried)
    speed = tally.tried / max(seconds, 1e-9)
    finds = f"{len(tally.findings)} find{'' if len(tally.findings) == 1 else 's'}"
    tried = f"{tally.tried:,} inputs in {seconds:.1f} s ({speed:,.0f}/s)"
    return f"{target.name}: {tried}, {share:.0f} % accepted, {finds}"


def keep(target: Target, seed: int, finding: Finding, folder: Path) -> None:
    """Make a find smaller, write it down, and tell."""
    data = minimised(target, input_of(target, seed, finding.number), finding.what)
    path = folder / target.name / f"{hashlib.sha256(data).hexdigest()[:12]}.bin"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    print(f"  input {finding.number} of seed {seed}: {finding.what}; {len(data)} bytes in {os.path.relpath(path)}")
    for text in finding.details.splitlines():
        print(f"    {text}")


def main() -> int:
    options = arguments()
    seed = secrets.randbelow(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    has_finds = False
    for name in GROUPS.get(options.target, [options.target]):
        target = TARGETS[name]
        inputs, seconds = options.inputs or target.ci_inputs, options.minutes and 60 * options.minutes
        reporter, begun = Reporter(target), time.monotonic()
        tally = search(target, seed, inputs, seconds, options.workers, reporter.tally, reporter.parts)
        print(line(target, tally, time.monotonic() - begun), flush=True)
        for finding in tally.findings:
            has_finds = True
            keep(target, seed, finding, options.corpus)
    return int(has_finds)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RetrosimError as error:
        sys.exit(f"fuzz.py: {error}")
