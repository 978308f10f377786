"""Debug a program in the terminal, forwards and backwards.

The program is stopped at its first instruction. `help` lists the commands;
their names are gdb's where gdb has them. An empty line repeats a step, Ctrl-C
stops a running program, Ctrl-D ends. With the extra "debug" (pip install
'retrosim[debug]') code, registers, memory and stack fill the screen, and the
commands its last line.

Commands may also come from --execute or a pipe; then nothing is asked, and the
first error ends it with status 1, a used-up --max-... with status 5.

examples:
  retrosim debug sectors
  retrosim debug storm-200 --machine i486dx2-66
  retrosim debug mine.elf -e "break main" -e continue -e registers
  echo "run 3 frames" | retrosim debug shooter --json
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from itertools import chain
from pathlib import Path
from typing import Any

from .. import arguments
from ..debugging import DebugSettings, add_program, open_debugged
from ..output import print_json, print_lines
from ..parser import Parser
from ..progress import Progress
from ..settings import BudgetSettings, refuse

EXTRA = "textual (pip install 'retrosim[debug]')"
MAX_LINE = 1 << 16  # characters that are read of a line


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    add_program(parser, "the command `causes`")
    help = "carry out a command of the debugger, then those of the terminal or the pipe; may be repeated"
    parser.add_argument("--execute", "-e", action="append", default=[], metavar="COMMAND", help=help)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--screen", action="store_true", help=f"use the whole screen; the default with {EXTRA}")
    how.add_argument("--line", action="store_true", help="read commands line by line, as gdb does")
    arguments.add_budget(
        parser, "a command that runs the machine", "; in the terminal there is none", "from a pipe or --execute"
    )
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.console.session import ConsoleSession
    from retrosim.rom.toolchains import source_folders

    from ..terminal.loop import run_script, run_terminal, script_report

    is_terminal = sys.stdin.isatty() and not options.json
    has_textual = importlib.util.find_spec("textual") is not None
    can_draw = is_terminal and sys.stdout.isatty() and os.environ.get("TERM") not in (None, "", "dumb")
    if options.screen and not has_textual:
        raise refuse(f"--screen: needs {EXTRA}")
    if options.screen and not can_draw:
        raise refuse("--screen: needs a terminal for input and output, and no --json")
    uses_screen = can_draw and has_textual and not options.line
    limits, settings = BudgetSettings.of(options, timing=options.timing), DebugSettings.of(options)
    with Progress(is_quiet=not is_terminal) as progress:
        debugged = open_debugged(settings, progress.note)
    if not is_terminal or limits.is_given:
        debugged.machine.budget = limits.budget()
    folders = [*source_folders(debugged.program), Path(debugged.name).parent, Path()]
    session = ConsoleSession(debugged.target(), folders)
    machine = debugged.machine
    if options.json:
        piped = [] if sys.stdin.isatty() else iter(lambda: sys.stdin.readline(MAX_LINE), "")
        answers: list[dict[str, Any]] = []
        report = {"program": debugged.name, "machine": machine.name, "answers": answers}
        try:
            script_report(session, chain(options.execute, piped), answers)
        except BaseException as error:
            report["error"] = str(error) or "interrupted"
            raise
        finally:
            print_json(report)
        return 0
    if not is_terminal:
        run_script(session, chain(options.execute, iter(lambda: sys.stdin.readline(MAX_LINE), "")))
        return 0
    if uses_screen:
        from ..terminal.screen import run_screen

        run_screen(session, debugged.name, options.execute)
        return 0
    more = "" if options.line or has_textual else f"; the whole screen needs {EXTRA}"
    print_lines([f"{debugged.name} on {machine.name}; `help` lists the commands, `quit` ends{more}"])
    if not run_script(session, options.execute or ["code ,1"]):
        run_terminal(session)
    return 0
