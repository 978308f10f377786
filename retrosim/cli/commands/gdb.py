"""Let gdb debug a program: a server for its remote protocol.

The program is stopped at its first instruction until gdb connects; the command
that connects is printed. It can be run backwards, too (reverse-continue,
reverse-step). `monitor help` lists what gdb itself does not know: clocks, their
causes, frames, saved states, who wrote a byte last.

examples:
  retrosim gdb sectors
  retrosim gdb storm-200 --machine i486dx2-66
  retrosim gdb mine.elf --port 3333 --causes
"""

from __future__ import annotations

import argparse
import sys

from .. import arguments
from ..debugging import DebugSettings, add_listening, add_program, connecting, listening_on, open_debugged
from ..output import print_json, print_lines
from ..parser import Parser
from ..progress import Progress

PORT = 1234


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    add_program(parser, "`monitor causes`")
    add_listening(parser, PORT, f"TCP port to listen on; default: {PORT}; 0: any that is free")
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.serve.gdb_session import GdbSession
    from retrosim.serve.programs import elf_of
    from retrosim.serve.stream import serve_clients

    with Progress(is_quiet=options.json) as progress:
        debugged = open_debugged(DebugSettings.of(options), progress.note)
    listening = listening_on(options.host, options.port)
    host, port = listening.getsockname()[:2]
    image, file = debugged.machine.image, debugged.file
    command = connecting(debugged.program, image, host, port)
    if options.json:
        print_json({"machine": debugged.machine.name, "host": host, "port": port, "command": command})
    else:
        print_lines(
            [f"{debugged.name} on {debugged.machine.name}, waiting for gdb on {host} port {port}:", f"  {command}"]
        )
    sys.stdout.flush()
    target, elf = debugged.target(), elf_of(debugged.machine, file)
    serve_clients(listening, lambda stream: GdbSession(target, stream, elf).serve())
    return 0
