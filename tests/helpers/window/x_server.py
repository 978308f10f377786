"""A display of one's own: tests and tools neither need one nor flash on one."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


class NoDisplay(Exception):
    """A display cannot be had here."""


@contextmanager
def own_display(*tools: str) -> Iterator[str]:
    """Start an X server with a display of 1400x1100 pixels, yield the display's name, and end the server.

    tools   programs that are needed beside it
    Errors  NoDisplay, if there is no server or one of the tools is not installed
    """
    for tool in ("Xvfb", *tools):
        if shutil.which(tool) is None:
            raise NoDisplay(f"{tool} is not installed")
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1400x1100x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as answer:
        number = answer.readline().strip()
    if not number:
        raise NoDisplay("Xvfb does not start here")
    try:
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()


@contextmanager
def display_name(*tools: str) -> Iterator[str]:
    """Do the same for a test, which is skipped where there is no display."""
    try:
        with own_display(*tools) as name:
            yield name
    except NoDisplay as reason:
        pytest.skip(str(reason))
