"""A session of an editor on each processor, with a client library that checks each message."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from retrosim.cli.commands.dap import _launch as launch
from retrosim.machine import Machine

from .dap_client import editor

MACHINES = ("mc68000-8", "mc68040-25", "i386dx-33", "i486dx2-66", "ppc601-80")


@pytest.mark.parametrize("name", MACHINES)
def test_a_session(name: str) -> None:
    twin = Machine(name, "sectors", build="O0", engine="interpret")
    entry = twin.address("DetermineCollisions")
    with editor(launch) as ide:
        assert ide.capabilities.supportsStepBack and ide.capabilities.supportsDisassembleRequest
        ide.ask("launch", program="sectors", machine=name, build="O0", engine="interpret", objects=20)
        ide.ask("setFunctionBreakpoints", breakpoints=[{"name": "DetermineCollisions"}, {"name": "Nowhere"}])
        ide.ask("configurationDone")
        assert ide.until_stopped().reason == "entry"
        ide.ask("continue", threadId=1)
        assert ide.until_stopped().reason == "function breakpoint"
        frames = ide.ask("stackTrace", threadId=1).stackFrames
        print(frames)
