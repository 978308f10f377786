"""Let an editor debug a program: a server for the Debug Adapter Protocol.

VS Code, Emacs and vim start it by themselves, and talk to it on its standard
input and output; `retrosim guide gdb` has their configurations. With --port it
waits for them instead, with a program to attach to if one is given.

examples:
  retrosim dap
  retrosim dap storm-200 --port 4711 --causes
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..debugging import DebugSettings, add_listening, add_settings, listening_on, open_debugged
from ..output import print_json, print_lines
from ..parser import Parser
from ..progress import Progress

if TYPE_CHECKING:
    from retrosim.serve.dap_session import Opened
    from retrosim.serve.stream import Stream

    from ..debugging import Debugged

TEXTS, NUMBERS = ("rom", "machine", "build", "engine", "timing"), ("objects", "seed", "at", "bits")
FLAGS = ("causes", "unverified")
TABLES = {"set": "--set", "memory": "--memory", "readings": "--reading"}


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "rom",
        nargs="?",
        metavar="PROGRAM",
        help="what a client can attach to: a ROM, a tape, or a file of either, or a program's file; a client can "
        "launch any without it",
    )
    add_settings(parser, "the view of clocks")
    add_listening(parser, None, "TCP port to listen on, 0: any that is free; default: standard input and output")
    parser.add_argument("--json", action="store_true", help="with --port: print JSON")
    parser.need(["--json", "--host"], "--port")


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.serve.dap_session import DapSession
    from retrosim.serve.stream import StandardStreams, serve_clients

    opened = None
    if options.rom is not None:
        with Progress(is_quiet=True) as progress:
            opened = _opened(open_debugged(DebugSettings.of(options), progress.note), {})

    def serve(stream: Stream) -> bool:
        return DapSession(stream, launch, opened).serve()

    if options.port is None:
        serve(StandardStreams())
        return 0
    listening = listening_on(options.host, options.port)
    host, port = listening.getsockname()[:2]
    if options.json:
        print_json({"host": host, "port": port, "program": options.rom})
    else:
        print_lines([f"waiting for an editor on {host} port {port}; Ctrl-C ends"])
    sys.stdout.flush()
    serve_clients(listening, serve)
    return 0


def _opened(debugged: Debugged, arguments: Mapping[str, Any]) -> Opened:
    from retrosim.rom.toolchains import source_folders
    from retrosim.serve.dap_session import Opened

    given = arguments.get("sourceFolders")
    folders = [Path(each) for each in given if isinstance(each, str)] if isinstance(given, list) else []
    folders += source_folders(debugged.program)
    return Opened(debugged.target(), [*folders, Path(debugged.name).parent, Path()])


def launch(arguments: Mapping[str, Any], note: Callable[[str], None]) -> Opened:
    """Open what a launch request names, by the options of the command line. Errors: ValueError, RetrosimError."""
    words = words_of(arguments)
    parser = Parser(prog="launch", exit_on_error=False)
    parser.add_argument("rom")
    add_settings(parser, "the view of clocks")
    try:
        options, unknown = parser.parse_known_args(words)
        if unknown:
            raise ValueError(f"{unknown[0]}: not allowed")
        return _opened(open_debugged(DebugSettings.of(options), note), arguments)
    except argparse.ArgumentError as error:
        raise ValueError(str(error)) from None
    except SystemExit:
        raise ValueError(f"{' '.join(words)}: not allowed") from None


def words_of(arguments: Mapping[str, Any]) -> list[str]:
    """Return the arguments of a launch request as those of a command line. Errors: ValueError."""
    program = arguments.get("program")
    if not isinstance(program, str) or not program or program.startswith("-"):
        raise ValueError("program: allowed the name of a ROM or a tape, or the path of a file")
    words = [program]
    for name in (*TEXTS, *NUMBERS):
        value, kind = arguments.get(name), str if name in TEXTS else int
        if value is None:
            continue
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{name}: allowed {'a text' if kind is str else 'a whole number'}")
        words.append(f"--{name}={value}")
    for name, option in TABLES.items():
        table = arguments.get(name)
        if table is None:
            continue
        if not isinstance(table, dict):
            raise ValueError(f"{name}: allowed an object")
        words += [f"{option}={key}={value}" for key, value in table.items()]
    return words + [f"--{name}" for name in FLAGS if arguments.get(name) is True]
