#!/usr/bin/env python3
"""Carry out what the README and the guide show, as a reader would: from the wheel, in an empty folder.

  python tools/try_pages.py
  python tools/try_pages.py cost profile
  python tools/try_pages.py --commands

A new virtual environment gets the wheel, with the extras that pages ask for. Each page has an empty folder, in which
its blocks run in their order. A page's part that fails is printed with its line; the exit status is 1 then, else 0.

  files     A block whose first line is a comment with nothing but a name is written into that file.
  commands  Each line of a block of commands must end with status 0, or with N where it ends in "# exit status N", and
            without a traceback. Windows are closed with Ctrl+Q after a few frames, servers at the end of the page.
  output    A block of text directly below one of commands must be printed, line by line. `...` stands for lines that
            are left out and, within a line, for what depends on the computer.
  examples  A block of Python runs by itself and prints what stands behind "# -> ".
  sessions  What stands behind `$`, `(retrosim)` and `(gdb)` is typed.

Left out are commands about a checkout (`pip install .`; `pip install '.[test]'` and `python tools/...` with the rest
of their blocks), and the pages on adding: tests/guide carries those out. Other blocks of text, and settings of
editors, are nothing to run; words of commands within the prose are looked up by tests/guide. A compiler that is not
installed ends its page, with a line that says so. CHANGES names the commands that would take minutes, and how they
are made short.

--commands asks every command for help, and with wrong words, in terminals of 60, 80 and 120 columns; runs every build
of every ROM on every machine for a frame; and has every method studied on every machine. Each must do what it
says, or be refused in one line.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
for place in (ROOT, ROOT / "tools"):
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))

from trying.commands import try_commands  # noqa: E402
from trying.environment import EXTRAS, new_environment, variables, wheel_of  # noqa: E402
from trying.page import Change, Outcome, PageTrial  # noqa: E402
from trying.window import Windows  # noqa: E402

from retrosim.jobs import usable_cores  # noqa: E402
from tests.helpers.pages import GUIDE, PAGES  # noqa: E402
from tests.helpers.window.x_server import NoDisplay, own_display  # noqa: E402

SLOW = 10.0  # seconds; commands that take longer are listed
ONE_LAP = "--rounds 1 --no-startup --objects 50 --engine recompile-full"
ONE_BUILD = "--machine mc68040-25 --build O2 --no-interval"
CHANGES = {
    "collide-speed": {
        "retrosim bench kernels": Change("--rounds 1 --objects 50", "up to 2,000,000 objects beside eight packages"),
    },
    "speed": {
        "retrosim bench": Change(ONE_LAP, "25 laps of eleven engines"),
        "retrosim bench programs sort lz --machine mc68040-25": Change(
            "--rounds 1 --engine recompile-table", "five laps of all engines"
        ),
        "retrosim bench kernels --objects 200 --objects 20000": Change(
            "--rounds 1 --engine collided", "15 laps of nine packages"
        ),
    },
    "start": {
        "retrosim warmup": Change("--machine mc68000-8", "other pages compile for the other machines"),
        "retrosim warmup --all": Change("--machine native", "every build in every timing takes hours"),
    },
    "study": {
        "retrosim study --picture study.png": Change("--scenes 1", "as long as the line before"),
        "retrosim study --scenes 100 --seed 7 --csv": Change(
            "--machine mc68000-8 --method boxes", "ten times the scenes of the others"
        ),
        "retrosim study --balance": Change("--machine mc68000-8", "seven machines, each like this one"),
    },
    "table": {
        "retrosim timing --details": Change(ONE_BUILD, "every build on two machines"),
        "retrosim timing --causes --build O2": Change("--machine mc68040-25", "two machines"),
        "retrosim timing --details --full": Change(None, "30 simulated seconds of every cell"),
    },
}
CLEARS_THE_CACHE = ("cache",)  # pages with a user's folder of their own


def tried(page: Path, python: Path, folder: Path) -> Outcome:
    """Carry out a page in a new folder."""
    name = page.stem
    work = folder / "pages" / name
    work.mkdir(parents=True)
    environment = variables(python, folder)
    if name in CLEARS_THE_CACHE:
        environment["RETROSIM_HOME"] = str(folder / f"home-{name}")
    with own_display("xdotool") as display:
        return PageTrial(page, work, environment, Windows(display), CHANGES.get(name, {})).run()


def try_pages(pages: Sequence[Path], python: Path, folder: Path, jobs: int) -> int:
    """Carry out pages, print what came of them, and return how many have faults."""
    failed = 0
    with ThreadPoolExecutor(jobs) as threads:
        for outcome in threads.map(lambda page: tried(page, python, folder), pages):
            seconds = sum(second for second, _ in outcome.seconds)
            print(f"{outcome.page}: {len(outcome.seconds)} commands, {seconds:.1f} s", flush=True)
            slow = [f"{second:.1f} s: {text}" for second, text in outcome.seconds if second > SLOW]
            for line in (*slow, *outcome.notes):
                print(f"    {line}", flush=True)
            for fault in outcome.faults:
                print(f"FAILED {fault}", flush=True)
            failed += bool(outcome.faults)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    pages = {page.stem: page for page in PAGES if page.parent in (ROOT, GUIDE) and not page.stem.startswith("adding")}
    parser.add_argument("page", nargs="*", metavar="PAGE", choices=[[], *pages], help="only these, such as cost")
    parser.add_argument("--commands", action="store_true", help="try commands, machines and ROMs instead of pages")
    parser.add_argument("--jobs", type=int, default=usable_cores(), metavar="N", help="how many at once")
    parser.add_argument("--python", type=Path, metavar="FILE", help="of an environment that has retrosim, with extras")
    options = parser.parse_args()
    begun = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="pages-"))
    try:
        python = options.python or new_environment(folder / "venv", [f"{wheel_of(ROOT, folder)}[{EXTRAS}]", "pytest"])
        if options.commands:
            failed = try_commands(python, folder, options.jobs)
        else:
            failed = try_pages([pages[name] for name in options.page or pages], python, folder, options.jobs)
    except NoDisplay as reason:
        print(f"try_pages: {reason}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    times = os.times()
    busy = times.children_user + times.children_system
    what = f"{failed} failed" if failed else "all is well"
    print(f"{time.monotonic() - begun:.0f} s, {busy:.0f} s of processor time: {what}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
