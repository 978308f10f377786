"""A display of the tests' own, so that they neither need one nor flash on one."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def display_name(*tools: str) -> Iterator[str]:
    """Start an X server with a display of 1400x1100 pixels, and end it; skip without it or without one of the tools."""
    for tool in ("Xvfb", *tools):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1400x1100x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as answer:
        number = answer.readline().strip()
    if not number:
        pytest.skip("Xvfb does not start here")
    yield f":{number}"
    server.terminate()
    server.wait()
