#!/usr/bin/env python3
"""Damage files of the compile cache, start programs on them, and count the starts that failed.

  python tools/damage_cache.py --files 2000

Each start compiles or loads kernels, what a frame of a program needs, and a hundred small groups of machine code. Some
of their files are damaged before: cut, flipped, emptied, or replaced by junk, another entry, a folder, a link or a
pipe; the key of the cache is one of them. A start fails if its status is not 0, if its result is wrong, or if it says
anything on stderr. The status is 1 if any failed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """
import numpy as np
from retrosim import collide
from retrosim.cpu.engines.compiled import compile_functions, compiled_groups
from retrosim.machine import open_machine
x = np.array([10, 35, 300], np.int16)
machine = open_machine("mc68040-25", "sectors")
machine.run(frames=1)
for number in range(100):
    compile_functions(f"damaged_{number}", [lambda function: function.ret(function.args[0])], contents=[str(number)])
print(sorted(map(sorted, compiled_groups("damaged_").values())))
print(collide.pairs(x, x, size=30).tolist(), collide.collided(x, x, size=30).tolist(), machine.hash("world"))
"""
FILES_PER_START = 80
MAX_SECONDS = 1800


def cut(path: Path, others: list[Path], chance: random.Random) -> None:
    """Keep the beginning."""
    os.truncate(path, chance.randrange(path.stat().st_size or 1))


def flip(path: Path, others: list[Path], chance: random.Random) -> None:
    """Change one bit."""
    content = bytearray(path.read_bytes() or b"?")
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def empty(path: Path, others: list[Path], chance: random.Random) -> None:
    """Leave nothing."""
    path.write_bytes(b"")


def junk(path: Path, others: list[Path], chance: random.Random) -> None:
    """Put random bytes in its place."""
    path.write_bytes(chance.randbytes(chance.randrange(1, 100_000)))


def another(path: Path, others: list[Path], chance: random.Random) -> None:
    """Put another entry, which is whole, in its place."""
    shutil.copyfile(chance.choice([other for other in others if other.is_file()] or [path]), path.with_suffix(".tmp"))
    path.with_suffix(".tmp").replace(path)


def folder(path: Path, others: list[Path], chance: random.Random) -> None:
    """Put a folder with a file in its place."""
    path.unlink()
    path.mkdir()
    (path / "file").write_bytes(b"?")


def link(path: Path, others: list[Path], chance: random.Random) -> None:
    """Put a symbolic link in its place: to another entry, to nothing, or to itself."""
    path.unlink()
    path.symlink_to(chance.choice([*others, path.parent / "nowhere", path]))


def pipe(path: Path, others: list[Path], chance: random.Random) -> None:
    """Put a named pipe in its place, which stops whoever opens it carelessly."""
    path.unlink()
    os.mkfifo(path)


DAMAGES: tuple[Callable[[Path, list[Path], random.Random], None], ...] = (
    cut, flip, empty, junk, another, folder, link, pipe,
)  # fmt: skip


def start(home: Path) -> subprocess.CompletedProcess[str]:
    """Run the program with a cache in `home`."""
    environment = os.environ | {"RETROSIM_HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PROGRAM]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=MAX_SECONDS, check=False)


def cache_files(home: Path) -> list[Path]:
    """Return the entries and the key."""
    return sorted(path for path in (home / "cache").rglob("*") if path.is_file() and not path.is_symlink())


def main() -> int:
    """Carry out the command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=100, help="how many to damage")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    print(f"--seed {options.seed}", flush=True)
    chance, done, starts, failed = random.Random(options.seed), Counter[str](), 0, 0
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        expected = start(home).stdout
        while sum(done.values()) < options.files:
            files = cache_files(home)
            for path in chance.sample(files, min(FILES_PER_START, len(files))):
                damage = chance.choice(DAMAGES)
                damage(path, [other for other in files if other != path], chance)
                done[damage.__name__] += 1
            ran, starts = start(home), starts + 1
            if starts % 10 == 0:
                print(f"{sum(done.values())} files damaged, {starts} starts, {failed} failed", flush=True)
            if (ran.returncode, ran.stdout, ran.stderr) != (0, expected, ""):
                failed += 1
                print(f"start {starts}: status {ran.returncode}\n{ran.stdout}{ran.stderr}", flush=True)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(done.items()))
    print(f"{sum(done.values())} files damaged ({kinds})")
    print(f"{starts} starts, {failed} failed, {time.perf_counter() - begun:.0f} s")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
