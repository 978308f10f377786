#!/usr/bin/env python3
"""Run the same programs in every environment that somebody may have, and compare the hashes.

  python tools/environments.py
  python tools/environments.py --only full-disk --only no-home
  RETROSIM_ENVIRONMENTS=all python tools/environments.py

Each environment is a process that calls the library, runs a program on a machine, and records a tape where it can. It
must end well, say nothing but one-line warnings, and have the hashes of the first. What this host or this user cannot
do is skipped, with the reason. RETROSIM_ENVIRONMENTS=all adds the lowest versions of the dependencies and other
Pythons, each in a virtual environment of its own, which takes minutes and needs a package index. These run
a program on five machines instead of one, and compute a golden hash of retrosim.collide: of 10 000 scenes with the
lowest versions, of 40 with other Pythons. As many environments run at once as there are usable processors.

The exit status is 0 if no environment failed, 1 otherwise.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
for folder in (ROOT, ROOT / "tools"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from trying.environment import new_environment  # noqa: E402

from retrosim.jobs import usable_cores  # noqa: E402

IS_ALL = os.environ.get("RETROSIM_ENVIRONMENTS") == "all"
NOBODY, STRANGER = 65534, 54321  # user ids: of the usual ordinary user, and one that no list of users has
SECONDS = 600
PYTHONS = ("3.11", "3.12", "3.13")
MACHINE, OTHERS = "mc68040-25", ("mc68000-8", "i386dx-33", "i486dx2-66", "ppc601-80")
PROBE = """
import json, sys, hashlib
import numpy as np
from retrosim import collide
from retrosim.machine import open_machine
x = np.array([10, 35, 300], np.int16)
found = {"collided": collide.collided(x, x, size=30).tolist(), "pairs": collide.pairs(x, x, size=30).tolist()}
for name in sys.argv[2].split(","):
    machine = open_machine(name, "sectors", parameters={"objects": 9})
    machine.run(frames=2)
    found[name] = [machine.hash("world"), machine.hash("machine"), machine.cycles]
    found[name + " state"] = hashlib.sha256(machine.save()).hexdigest()
if sys.argv[1]:
    from retrosim.tape import load_tape, record_script
    record_script(sys.argv[1], machine, 3, "0 pad=2")
    found["tape"] = load_tape(sys.argv[1]).frames
print(json.dumps(found))
"""
CANNOT_WRITE = """
import sys
from retrosim.cli import main
status = main(["record", sys.argv[1], "--machine", "native", "--frames", "2"])
import os
sys.exit(0 if status == 1 and not os.path.exists(sys.argv[1]) else f"status {status}")
"""
GOLDEN = """
import sys
from retrosim.collide._golden import EXPECTED, golden_hash
sys.exit(golden_hash(int(sys.argv[1]), 2) != EXPECTED[int(sys.argv[1])])
"""


class Skipped(Exception):
    """This environment cannot be had here."""


@dataclass
class Place:
    """How a process is started.

    folder   of its own, writable
    shell    commands before it, run by a shell in a mount namespace of its own; "" for none
    after    one more program that must end with status 0, and its argument
    machines  presets that the program is run on
    """

    folder: Path
    python: str = sys.executable
    user: int | None = None
    shell: str = ""
    variables: dict[str, str] = field(default_factory=dict)
    tape: bool = True
    after: tuple[str, str] | None = None
    machines: tuple[str, ...] = (MACHINE,)


def as_user(place: Place, user: int) -> None:
    """Let a place belong to another user. Errors: Skipped."""
    if os.geteuid() != 0:
        raise Skipped("only the superuser can become another user")
    os.chown(place.folder, user, user)
    place.user = user
    hidden: dict[Path, set[Path]] = {}  # folders that only the superuser can read -> what of them is needed
    for needed in (Path(sys.executable), Path(sys.executable).resolve(), ROOT / "retrosim"):
        for parent, child in itertools.pairwise([*reversed(needed.parents), needed]):
            if parent.stat().st_mode & 0o005 != 0o005:
                hidden.setdefault(parent, set()).add(child)
                break
    shown = [line for parent, children in hidden.items() for line in _shown(place, parent, children)]
    if shown:
        in_namespace(place, " && ".join(shown))


def _shown(place: Place, parent: Path, children: set[Path]) -> Iterator[str]:
    """Yield the commands that replace a folder by one that all can read, with some of what is in it."""
    kept = {child: place.folder / f"kept-{child.name}" for child in sorted(children)}
    for child, folder in kept.items():
        yield f"mkdir -p {folder} && mount --bind {child} {folder}"
    yield f"mount -t tmpfs -o mode=755 none {parent}"
    for child, folder in kept.items():
        yield f"mkdir -p {child} && mount --bind {folder} {child}"


def ordinary_user(place: Place) -> None:
    """An ordinary user with a home."""
    as_user(place, NOBODY)


def no_home(place: Place) -> None:
    """No HOME, and a user that the system does not know."""
    as_user(place, STRANGER)
    place.variables |= {"HOME": "", "RETROSIM_HOME": ""}


def root_home(place: Place) -> None:
    """HOME=/, as in some containers."""
    as_user(place, NOBODY)
    place.variables |= {"HOME": "/", "RETROSIM_HOME": ""}


def in_namespace(place: Place, shell: str) -> None:
    """Change what is mounted, for this process alone. Errors: Skipped."""
    if missing := [tool for tool in ("unshare", "setpriv") if shutil.which(tool) is None]:
        raise Skipped(f"there is no {missing[0]}")
    tried = subprocess.run(["unshare", "--mount", "sh", "-c", shell], capture_output=True, text=True)
    if tried.returncode:
        raise Skipped(f"mounting is not possible here ({' '.join(tried.stderr.strip().splitlines()[-1:])})")
    place.shell = shell


def read_only(place: Place) -> None:
    """Nothing at all can be written: the root, the installation, the temporary files."""
    places = "/tmp /var/tmp /dev/shm" + (f" {home}" if (home := os.environ.get("HOME")) else "")
    each = '[ ! -d "$m" ] || { mount --bind "$m" "$m" && mount -o remount,bind,ro "$m"; } || exit 1'
    in_namespace(
        place, f"mount -o remount,bind,ro / && for m in {places}; do {each}; done && ! touch /tmp/x 2>/dev/null"
    )
    place.variables |= {"HOME": "/nowhere", "RETROSIM_HOME": ""}
    place.tape = False


def full_disk(place: Place) -> None:
    """The disk of the user's folder is full: code is compiled in memory, a tape is refused and leaves nothing."""
    full = place.folder / "full"
    full.mkdir()
    in_namespace(
        place, f"mount -t tmpfs -o size=64k none {full} && {{ cat /dev/zero > {full}/rest 2>/dev/null; true; }}"
    )
    place.variables |= {"RETROSIM_HOME": str(full), "TMPDIR": str(full)}
    place.tape = False
    place.after = (CANNOT_WRITE, str(full / "a.rtape"))


def lowest_versions(place: Place) -> None:
    """The lowest versions of all dependencies that pyproject.toml allows."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        wanted = tomllib.load(file)["project"]["dependencies"]
    lowest = [re.sub(r">=([^,]+).*", r"==\1", each) for each in wanted]
    numpy = [each for each in lowest if not each.startswith("numpy")]  # the lowest that numba takes
    _installed(place, sys.executable, numpy, 10_000)


def with_python(version: str) -> Callable[[Place], None]:
    """Return what sets up another Python."""

    def set_up(place: Place) -> None:
        if version == ".".join(map(str, sys.version_info[:2])):
            raise Skipped("this is what the others run on")
        found = [*sorted(map(str, Path.home().glob(f".pyenv/versions/{version}*/bin/python"))), f"python{version}"]
        python = next((each for each in found if shutil.which(each)), None)
        if python is None:
            raise Skipped("it is not installed")
        _installed(place, python, [], 40)

    set_up.__doc__ = f"Python {version}."
    return set_up


def _installed(place: Place, python: str, requirements: list[str], scenes: int) -> None:
    """Install retrosim and what it needs into an environment of its own, which is asked for a golden hash too."""
    place.after, place.machines = (GOLDEN, str(scenes)), (MACHINE, *OTHERS)
    place.python = str(new_environment(place.folder / "venv", [*requirements, str(ROOT)], python))
    place.variables["PYTHONPATH"] = ""


FIRST = "as-it-is"
ENVIRONMENTS: dict[str, Callable[[Place], None]] = {
    FIRST: lambda place: None,
    "ordinary-user": ordinary_user,
    "no-home": no_home,
    "root-home": root_home,
    "read-only": read_only,
    "full-disk": full_disk,
}
LONG = {"lowest-versions": lowest_versions} | {f"python-{version}": with_python(version) for version in PYTHONS}
if IS_ALL:
    ENVIRONMENTS |= LONG


@contextmanager
def new_place() -> Iterator[Place]:
    """Make a folder that every user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="environment-"))
    try:
        folder.chmod(0o755)
        yield Place(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def started(place: Place, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a Python program at a place."""
    variables = os.environ | {"HOME": str(place.folder), "RETROSIM_HOME": str(place.folder / "home")} | place.variables
    variables = {name: value for name, value in variables.items() if value and not name.startswith("XDG_")}
    command = [place.python, "-c", program, *arguments]
    if place.shell:
        become = "" if place.user is None else f"setpriv --reuid {place.user} --regid {place.user} --clear-groups "
        command = ["unshare", "--mount", "sh", "-c", f'{place.shell} && exec {become}"$@"', "sh", *command]
    user = None if place.shell else place.user
    who = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    return subprocess.run(command, env=variables, cwd="/", capture_output=True, text=True, timeout=SECONDS, **who)


def probe(place: Place) -> dict[str, object]:
    """Return the hashes of a place. Errors: RuntimeError, with what was wrong."""
    tape = str(place.folder / "a.rtape") if place.tape else ""
    runs = [(PROBE, tape, ",".join(place.machines)), *([place.after] if place.after else [])]
    done = [started(place, *run) for run in runs]
    for each in done:
        lines = each.stderr.strip().splitlines()
        if each.returncode or "Traceback" in each.stderr or any(not line.startswith("retrosim: ") for line in lines):
            raise RuntimeError(f"status {each.returncode}: {' / '.join(lines[-3:])[:600]}")
    found: dict[str, object] = json.loads(done[0].stdout)
    return found


def tried(name: str, machines: tuple[str, ...]) -> tuple[dict[str, object], str, float]:
    """Return the hashes of an environment, none if it failed; a message about it; and the seconds it took.

    machines  presets that the program is run on, unless the environment chooses its own
    """
    begun, found = time.monotonic(), {}
    with new_place() as place:
        place.machines = machines
        try:
            (ENVIRONMENTS | LONG)[name](place)
            found, said = probe(place), "ok"
        except Skipped as skipped:
            said = f"skipped: {skipped}"
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            said = f"failed: {error}"
    return found, said, time.monotonic() - begun


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [*ENVIRONMENTS, *([] if IS_ALL else LONG)]
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=f"one of {', '.join(names)}")
    chosen = list(dict.fromkeys([FIRST, *(parser.parse_args().only or ENVIRONMENTS)]))
    first = (MACHINE, *OTHERS) if set(chosen) & set(LONG) else (MACHINE,)  # what the others are compared with
    machines = [first if name == FIRST else (MACHINE,) for name in chosen]
    failed = False
    reference: dict[str, object] = {}
    with ThreadPoolExecutor(usable_cores()) as threads:
        for name, (found, said, seconds) in zip(chosen, threads.map(tried, chosen, machines), strict=True):
            reference = reference or found
            differ = [key for key in found if found[key] != reference.get(key)]
            failed |= bool(differ) or said.startswith("failed")
            said = f"differs in {', '.join(differ)}" if differ else said
            print(f"{name:16} {said} ({seconds:.1f} s)", flush=True)
    for key, value in reference.items():
        print(f"  {key}: {value}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
