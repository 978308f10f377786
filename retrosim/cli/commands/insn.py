"""Show an instruction: encodings, forms, flags, clocks with sources, an example.

`retrosim guide instructions` tells of pages with all of them.

examples:
  retrosim insn muls
  retrosim insn movem --machine mc68000-8
  retrosim insn lwzu --json
"""

from __future__ import annotations

import argparse

from .. import arguments
from ..output import print_json, print_lines
from ..parser import Parser
from ..values import bad_arguments, machine


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("name", metavar="NAME", help="a mnemonic, such as move or move.l")
    parser.add_repeatable("--machine", "MACHINE", "machine to show it on; default: all that have it", type=machine)
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.checks import check_choice
    from retrosim.machine.presets import PRESETS
    from retrosim.reference.instructions import instruction_lines, instruction_report

    with bad_arguments():
        for machine in options.machine:
            check_choice("machine", machine, PRESETS)
        report = instruction_report(options.name, options.machine or list(PRESETS))
    if options.json:
        print_json(report)
    else:
        print_lines(instruction_lines(report))
    return 0
