"""Debug a program in the terminal, forwards and backwards.

The program stands at its first instruction. `help` lists the commands, whose
names are gdb's where gdb has them; Tab completes commands, symbols and files,
an empty line repeats a step, Ctrl-C stops a running program, Ctrl-D ends.

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
import sys
from itertools import chain
from pathlib import Path
from typing import Any

from retrosim.cli import arguments
from retrosim.cli.debugging import add_program, open_debugged
from retrosim.cli.opening import check_budget, chosen_budget, has_budget
from retrosim.cli.output import print_json, print_lines
from retrosim.cli.parser import Parser
from retrosim.cli.progress import Progress

MAX_LINE = 1 << 16  # characters that are read of a line


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    add_program(parser, "the command `causes`")
    parser.add_argument(
        "--execute",
        "-e",
        action="append",
        default=[],
        metavar="COMMAND",
        help=f"carry out a command of the debugger, then those of the terminal or the pipe; {arguments.REPEATABLE}",
    )
    arguments.add_budget(parser, "a command that runs the machine", "; in the terminal there is none")
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.cli.terminal.loop import run_script, run_terminal, script_report
    from retrosim.console.session import Session
    from retrosim.serve.programs import source_folders

    is_terminal = sys.stdin.isatty() and not options.json
    check_budget(options, [])
    with Progress(is_quiet=not is_terminal) as progress:
        debugged = open_debugged(options, progress.note)
    if not is_terminal or has_budget(options):
        debugged.machine.budget = chosen_budget(options)
    folders = [*source_folders(debugged.program), Path(debugged.name).parent, Path()]
    session = Session(debugged.target(), folders)
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
    print_lines([f"{debugged.name} on {machine.name}; `help` lists the commands, `quit` ends"])
    if not run_script(session, options.execute or ["code ,1"]):
        run_terminal(session)
    return 0
