"""Show an instruction: encodings, forms, flags, clocks with sources, an example.

A mnemonic shows all its rows. An instruction with its operands, in quotes,
shows the clocks, the encoding and the size of that very instruction on each
machine whose assembler takes it.

`retrosim guide instructions` tells of pages with all of them.

examples:
  retrosim insn muls
  retrosim insn movem --machine mc68000-8
  retrosim insn lwzu --json
  retrosim insn "move.l d0,(a0)+"
"""

from __future__ import annotations

import argparse

from .. import arguments
from ..output import print_json, print_lines, print_report
from ..parser import Parser
from ..values import bad_arguments, machine


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("name", metavar="TEXT", help='a mnemonic, such as move or move.l, or "move.l d0,(a0)+"')
    parser.add_repeatable("--machine", "MACHINE", "machine to show it on; default: all that have it", type=machine)
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.checks import check_choice
    from retrosim.machine.presets import PRESETS
    from retrosim.reference.instructions import instruction_lines, instruction_report
    from retrosim.reference.single import render_single, single_report

    with bad_arguments():
        for machine in options.machine:
            check_choice("machine", machine, PRESETS)
        machines = options.machine or list(PRESETS)
        if len(options.name.split()) > 1:
            single = single_report(options.name.strip(), machines)
            print_report(single, options.json, lambda: render_single(single))
            return 0
        report = instruction_report(options.name, machines)
    if options.json:
        print_json(report)
    else:
        print_lines(instruction_lines(report))
    return 0
