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

from fuzzing.calls import CALLS  # noqa: E402
from fuzzing.commands import COMMANDS  # noqa: E402
from fuzzing.guests import GUESTS  # noqa: E402
from fuzzing.loaders import LOADERS  # noqa: E402
from fuzzing.runner import Finding, Tally, input_of, minimised, search  # noqa: E402
from fuzzing.servers import SERVERS  # noqa: E402
from fuzzing.sources import SOURCES  # noqa: E402
from fuzzing.target import Target  # noqa: E402

EVERY: tuple[Target, ...] = (*LOADERS, *SOURCES, *COMMANDS, *GUESTS, *CALLS, *SERVERS)
TARGETS: dict[str, Target] = {target.name: target for target in EVERY}
CORPUS = ROOT / "tests" / "corpus"
GROUPS = {"loaders": [target.name for target in LOADERS], "all": list(TARGETS)}
REPORT_SECONDS = 10.0
MAX_INPUTS = 10**12


def arguments() -> argparse.Namespace:
    lines = "\n".join(f"  {target.name:10} {target.about}" for target in TARGETS.values())
    groups = f"  {'loaders':10} all that read files: {', '.join(GROUPS['loaders'])}\n  {'all':10} all of these"
    parser = argparse.ArgumentParser(
        description=f"{__doc__}\ntargets:\n{lines}\n{groups}", formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", choices=[*TARGETS, *GROUPS], metavar="TARGET", help="what to attack, see above")
    parser.add_argument("--minutes", type=_positive(float), metavar="N", help="how long, for each target")
    parser.add_argument("--seed", type=int, metavar="S", help="of the inputs; default: a new one, which is printed")
    parser.add_argument(
        "--inputs",
        type=_positive(int),
        metavar="N",
        help="how many, for each target; default: a number that takes seconds",
    )
    parser.add_argument("--jobs", type=_positive(int), default=1, metavar="N", help="processes at once; default: 1")
    parser.add_argument(
        "--corpus", type=Path, default=CORPUS, metavar="FOLDER", help="where finds are kept; default: tests/corpus"
    )
    return parser.parse_args()


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
        self._target, self._next = target, time.monotonic() + REPORT_SECONDS

    def __call__(self, tally: Tally) -> None:
        if time.monotonic() > self._next:
            self._next += REPORT_SECONDS
            print(line(self._target, tally), file=sys.stderr, flush=True)


def line(target: Target, tally: Tally) -> str:
    share = 100 * tally.accepted / max(1, tally.tried)
    speed = tally.tried / max(tally.seconds, 1e-9)
    finds = f"{len(tally.findings)} find{'' if len(tally.findings) == 1 else 's'}"
    tried = f"{tally.tried:,} inputs in {tally.seconds:.1f} s ({speed:,.0f}/s)"
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
        inputs = options.inputs or (MAX_INPUTS if options.minutes else target.ci_inputs)
        seconds = options.minutes and 60 * options.minutes
        tally = search(target, seed, inputs, seconds, options.jobs, Reporter(target))
        print(line(target, tally), flush=True)
        for finding in tally.findings:
            has_finds = True
            keep(target, seed, finding, options.corpus)
    return int(has_finds)


if __name__ == "__main__":
    sys.exit(main())
