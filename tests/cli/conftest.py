"""Commands in this process, in an empty folder and without a display."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from retrosim.cli import main
from tests.helpers.window.x_server import display_name

ROOT = Path(__file__).resolve().parents[2]
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        assert (self.status, self.err) == (0, ""), self.err
        return json.loads(self.out)

    def is_refused(self, status: int, *words: str) -> None:
        """Check that one line on stderr says so, and nothing else happened."""
        assert self.out == ""
        assert self.err.startswith("retrosim: ") and self.err.count("\n") == 1 and self.err.endswith("\n"), self.err
        assert all(word in self.err for word in words), self.err
        assert self.status == status


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run a command in an empty folder; what takes long is not announced, so stderr is what the command itself says."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("retrosim.cli.progress.PLAIN_DELAY", 1e6)
    for name in (*DISPLAYS, "RETROSIM_DEBUG"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        return Ran(status, *capsys.readouterr())

    return run


@pytest.fixture
def environment() -> dict[str, str]:
    """The environment of a new process: this checkout's package, no display."""
    kept = {name: value for name, value in os.environ.items() if name not in (*DISPLAYS, "RETROSIM_DEBUG")}
    paths = (str(ROOT), os.environ.get("PYTHONPATH", ""))
    return kept | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def _hear_interrupts() -> None:
    """Undo what a shell does for background jobs, so that a child hears SIGINT wherever the tests run."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def start(environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a command in a process of its own, in an empty folder."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **more: str) -> subprocess.Popen[str]:
        started.append(
            subprocess.Popen(
                [sys.executable, "-m", "retrosim", *arguments],
                cwd=tmp_path,
                env=environment | more,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                preexec_fn=_hear_interrupts,
            )
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def screen() -> Iterator[str]:
    """The name of a display of the tests' own, with the tools that type into its windows."""
    with display_name("xdotool") as name:
        yield name
