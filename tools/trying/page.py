"""Carries out the steps of a page: in an empty folder, in their order."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from .output import missing_line
from .steps import Command, Commands, Example, File, Gdb, Step, steps_of
from .window import Windows

SECONDS = 600.0  # of a command
POLL_SECONDS = 0.5
PRINTED_LINES = 40  # of a command that printed something else than the page shows
SERVERS = {  # commands that go on to the end of the page -> what they print when they are ready
    "dask scheduler": "Scheduler at:",
    "dask worker": "Registered to:",
    "retrosim gdb": "target remote",
}
COMPILERS = ("m68k-linux-gnu-gcc", "i686-linux-gnu-gcc", "powerpc-linux-gnu-gcc", "nasm", "gdb-multiarch")


@dataclass(frozen=True)
class Change:
    """How a command that would take too long is carried out: with options in addition, or, if these are None, not."""

    options: str | None
    reason: str


@dataclass
class Outcome:
    """What came of a page. seconds: of each command and example"""

    page: str
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: list[tuple[float, str]] = field(default_factory=list)


class Missing(Exception):
    """The rest of the page needs a compiler that is not installed."""


class PageTrial:
    """One page.

    page       its path
    folder     where its commands run
    variables  of their environment
    windows    of the display that they have
    changes    command -> how it is carried out instead
    """

    def __init__(
        self,
        page: Path,
        folder: Path,
        variables: Mapping[str, str],
        windows: Windows | None,
        changes: Mapping[str, Change],
    ) -> None:
        self.page, self.folder, self.windows, self.changes = page, folder, windows, changes
        self.variables = {**variables, **({"DISPLAY": windows.display} if windows else {})}
        self.outcome = Outcome(page.name)
        self._servers: list[tuple[subprocess.Popen[bytes], Path]] = []

    def run(self) -> Outcome:
        """Carry out all steps."""
        steps, left_out = steps_of(self.page)
        self.outcome.notes += [f"of a checkout: {text}" for text in left_out]
        try:
            for step in steps:
                self._carry_out(step)
        except Missing as reason:
            self.outcome.notes.append(f"left out from here on: {reason}")
        finally:
            for server, _ in self._servers:
                _end(server)
        commands = {command.text for step in steps if isinstance(step, Commands) for command in step.commands}
        unused = [text for text in self.changes if text not in commands]
        self.outcome.faults += [f"{self.outcome.page}: is not there: {text}" for text in unused]
        return self.outcome

    def _carry_out(self, step: Step) -> None:
        if isinstance(step, File):
            path = self.folder / step.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, encoding="utf-8")
        elif isinstance(step, Example):
            self._example(step)
        elif isinstance(step, Commands):
            printed = "".join(map(self._command, step.commands))
            self._compare(step.commands[0].line, step.shown, printed)
        else:
            self._gdb(step)

    def _example(self, example: Example) -> None:
        (self.folder / "example.py").write_text(example.text, encoding="utf-8")
        printed = self._timed(Command(example.line, "python example.py"))
        self._compare(example.line, [part for line in example.shown for part in ("...", line)], printed)

    def _command(self, command: Command) -> str:
        """Carry out a command and return what it printed. Errors: Missing"""
        program = command.text.splitlines()[-1].split()[0]
        if program in COMPILERS and shutil.which(program) is None:
            raise Missing(f"{program} is not installed")
        change = self.changes.get(command.text)
        if change is not None and change.options is None:
            self.outcome.notes.append(f"not carried out: {command.text}: {change.reason}")
            return ""
        if change is not None:
            self.outcome.notes.append(f"with {change.options}: {command.text}: {change.reason}")
            command = Command(command.line, f"{command.text} {change.options}", command.status, command.typed)
        for server, ready in SERVERS.items():
            if command.text.startswith(server):
                return self._serve(command, ready)
        return self._timed(command)

    def _timed(self, command: Command) -> str:
        started = time.monotonic()
        status, printed = self._in_shell(command)
        self.outcome.seconds.append((time.monotonic() - started, command.text))
        if status != command.status or "Traceback (most recent call last)" in printed:
            said = " / ".join(printed.strip().splitlines()[-3:])[-600:]
            self._fault(command.line, f"{command.text}: status {status}: {said}")
        return printed

    def _in_shell(self, command: Command) -> tuple[int, str]:
        """Return exit status and output; windows that open meanwhile are closed."""
        process, end = self._started(command, subprocess.PIPE), time.monotonic() + SECONDS
        while True:
            try:
                printed, _ = process.communicate(timeout=POLL_SECONDS)
                return process.returncode, printed.decode(errors="replace")
            except subprocess.TimeoutExpired:
                if self.windows is not None:
                    self.windows.close(process.pid)
                if time.monotonic() > end:
                    _end(process)
                    return process.returncode, f"has not ended after {SECONDS:.0f} s"

    def _serve(self, command: Command, ready: str) -> str:
        """Start a server and return what it has printed when it is ready."""
        log = self.folder.with_name(f"{self.folder.name}-server-{len(self._servers)}")
        with log.open("wb") as output:
            server = self._started(command, output)
        self._servers.append((server, log))
        end = time.monotonic() + SECONDS
        while ready not in (printed := log.read_text(errors="replace")):
            if server.poll() is not None or time.monotonic() > end:
                self._fault(command.line, f"{command.text}: does not say {ready!r}: {printed.strip()[-600:]}")
                break
            time.sleep(POLL_SECONDS / 5)
        return printed

    def _gdb(self, step: Gdb) -> None:
        _, log = self._servers[-1]
        connect = log.read_text().strip().splitlines()[-1].strip()
        (self.folder / "session.gdb").write_text(step.typed)
        printed = self._command(Command(step.line, f"{connect} -q -batch -x session.gdb"))
        self._compare(step.line, step.shown, printed)

    def _started(self, command: Command, output: int | IO[bytes]) -> subprocess.Popen[bytes]:
        with tempfile.TemporaryFile() as typed:
            typed.write(command.typed.encode())
            typed.seek(0)
            return subprocess.Popen(
                ["bash", "-c", command.text],
                cwd=self.folder,
                env=self.variables,
                stdin=typed,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _compare(self, line: int, shown_lines: list[str] | tuple[str, ...], printed: str) -> None:
        if (missing := missing_line(shown_lines, printed)) is not None:
            first = "\n".join(f"    {text}" for text in printed.splitlines()[:PRINTED_LINES])
            self._fault(line, f"shows {missing!r}, which is not printed there:\n{first}")

    def _fault(self, line: int, what: str) -> None:
        self.outcome.faults.append(f"{self.outcome.page}:{line}: {what}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started in a session of its own, with its children."""
    for what in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, what)
            process.wait(timeout=10)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
