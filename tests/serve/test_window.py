"""gdb beside a window: the machine changes hands, and goes on in the window afterwards."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from retrosim.cli.commands.run import WindowGdb
from retrosim.cli.debugging import HOST
from retrosim.machine import Machine
from retrosim.serve.stream import listen
from retrosim.window.session import Session

from .gdb_client import needs_gdb, talk_to


@needs_gdb
def test_the_machine_changes_hands(tmp_path: Path) -> None:
    machine = Machine("mc68040-25", "sectors", build="O0", engine="interpret", parameters={"objects": 5})
    session = Session(machine, folder=lambda kind: tmp_path)
    listening = listen(HOST, 0)
    server, said, controllers = WindowGdb(listening, None), {}, set()
    commands = ["break DetermineCollisions", "continue", "continue 1", "print gFrame", "stepi", "detach"]
    client = threading.Thread(target=lambda: said.update(talk_to(listening.getsockname()[1], commands)), daemon=True)
    server.turn(session)
    client.start()
    while client.is_alive():
        server.turn(session)
        session.advance()
        session.do("reset")  # is refused as long as gdb has the machine
        session.press(1, True)
        controllers.add(session.controller)
        time.sleep(0.002)
    server.turn(session)
    assert "gdb" in controllers and session.controller == "" and "Breakpoint 1" in said["continue 1"]
    before = machine.frame_number
    while machine.frame_number < before + 2:
        time.sleep(0.005)
        session.advance()
    assert not machine.debugger.points
