"""Functions that other processes import to do as jobs."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from retrosim.errors import TapeError


def squared(number: int) -> list[int]:
    if number < 0:
        raise TapeError("x.rtape", f"{number} is below 0")
    return [number * number, os.getpid()]


def noted(given: list) -> int:
    """Write a line of a file, so that whoever counts the lines knows how often the job was done."""
    folder, number = given
    with open(Path(folder) / "done", "a") as file:
        file.write(f"{number}\n")
    if (Path(folder) / "stop").exists() and number == 2:
        raise KeyboardInterrupt
    return number


def dies_once(folder: str) -> str:
    """End the process that does this, the first time."""
    flag = Path(folder) / "died"
    if not flag.exists():
        flag.touch()
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def dies(_: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def text_of(given: str, *paths: Path) -> list[str]:
    """Read files, and those in folders."""
    found = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    return [given, *(f"{file.name}: {file.read_text()}" for file in found if file.is_file())]
