"""The real gdb on a server in this process."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Sequence

import pytest

from retrosim.cli.debugging import HOST
from retrosim.console.target import Target
from retrosim.serve.gdb_session import GdbSession
from retrosim.serve.stream import listen, serve_clients

GDB = "gdb-multiarch"
SECONDS = 120
MARK = "=== "  # begins the line before a command's output

needs_gdb = pytest.mark.skipif(shutil.which(GDB) is None, reason=f"{GDB} is not installed (Debian package {GDB})")


def run_gdb(target: Target, commands: Sequence[str], elf: bytes = b"", attached: bool = False) -> dict[str, str]:
    """Connect gdb, give it commands; return what each printed, of several equal ones the last."""
    listening = listen(HOST, 0)
    port = listening.getsockname()[1]
    server = threading.Thread(
        target=serve_clients,
        args=(listening, lambda stream: GdbSession(target, stream, elf, attached).serve()),
        daemon=True,
    )
    server.start()
    said = talk_to(port, [*commands, "kill"])
    server.join(SECONDS)
    assert not server.is_alive(), said
    return said


def talk_to(port: int, commands: Sequence[str]) -> dict[str, str]:
    """Connect gdb to a port, give it commands; return what each printed, of several equal ones the last."""
    words = [GDB, "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", f"target remote :{port}"]
    for command in commands:
        words += ["-ex", f"echo \\n{MARK}{command}\\n", "-ex", command]
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, timeout=SECONDS
    )
    parts = f"\n{done.stdout}".split(f"\n{MARK}")[1:]
    return {command: output for command, _, output in (part.partition("\n") for part in parts)}
