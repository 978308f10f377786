"""Windows on a display of their own, which are closed as by a person: with Ctrl+Q, when they have been open a while."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

BUSY_SECONDS = 1.5  # processor time that a command has taken since its window opened, so that a few frames were shown
MAX_SECONDS = 30.0  # that a window is open
TICKS = os.sysconf("SC_CLK_TCK")


class Windows:
    """The windows of one display, given by its name."""

    def __init__(self, display: str) -> None:
        self.display = display
        self._opened: dict[str, tuple[float, float]] = {}  # window -> time and processor time

    def close(self, group: int) -> None:
        """Close each window that has been open long enough. group: of the processes of the command that opened it."""
        for window in self._tool("search", "--onlyvisible", "--name", ".").split():
            now, busy = time.monotonic(), processor_seconds(group)
            opened, busy_then = self._opened.setdefault(window, (now, busy))
            if busy - busy_then > BUSY_SECONDS or now - opened > MAX_SECONDS:
                self._tool("windowfocus", window, "key", "ctrl+q")

    def _tool(self, *words: str) -> str:
        environment = {"DISPLAY": self.display, "PATH": os.environ["PATH"]}
        command = ["xdotool", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False).stdout


def processor_seconds(group: int) -> float:
    """Return the processor time of the processes of a group, in seconds. Source: proc(5), /proc/PID/stat"""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(") ")[2].split()
        except OSError:  # has ended
            continue
        if int(fields[2]) == group:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS
