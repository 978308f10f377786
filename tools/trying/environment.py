"""A new virtual environment, with what is installed into it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

EXTRAS = "clips,cluster,debug"  # of which pages say that they are to be installed


def new_environment(folder: Path, requirements: Sequence[str], python: str = sys.executable) -> Path:
    """Make an environment in a new folder and return its Python.

    requirements  what pip installs
    python        that it is made with
    Errors: RuntimeError, with what pip said last
    """
    _run(python, "-m", "venv", str(folder))
    _run(str(folder / "bin" / "pip"), "install", "-q", *requirements)
    return folder / "bin" / "python"


def wheel_of(checkout: Path, folder: Path) -> Path:
    """Build the wheel of a checkout into a folder. Errors: RuntimeError."""
    _run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(checkout))
    (wheel,) = folder.glob("*.whl")
    return wheel


def variables(python: Path, home: Path) -> dict[str, str]:
    """Return the environment variables of a process that uses an environment, and nothing of a checkout.

    home  the user's
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "PYTHON", "PYTEST"))}
    dropped = ("DISPLAY", "WAYLAND_DISPLAY", "NO_COLOR", "FORCE_COLOR", "RETROSIM_DEBUG", "RETROSIM_SHARED")
    kept = {name: value for name, value in kept.items() if name not in dropped}
    kept.setdefault("RETROSIM_HOME", str(home / "retrosim"))
    path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    return kept | {"PATH": path, "VIRTUAL_ENV": str(python.parents[1]), "HOME": str(home), "COLUMNS": "80"}


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:4])}: {done.stderr.strip().splitlines()[-1]}")
