"""Make a small program to begin with: sources, a header of the machine, a test.

The program draws a square that the pad moves, and has one routine to measure.
Assembly needs nothing else, C a cross compiler, Pascal a Free Pascal for that
processor.

examples:
  retrosim new hello --cpu m68000
  retrosim new hello --cpu i486dx2-66 --language c
  cd hello && retrosim run . && retrosim build && pytest
"""

from __future__ import annotations

import argparse
from pathlib import Path

from retrosim.errors import RetrosimError
from retrosim.report.files import write_text

from .. import arguments
from ..output import print_json, print_lines
from ..parser import Parser
from ..values import bad_arguments

LANGUAGES = ("asm", "c", "pascal")  # of retrosim.asm.project


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("name", metavar="NAME", help="of the program and its folder")
    parser.add_argument(
        "--cpu", required=True, metavar="CPU", help="m68000, m68040, i386, i486, ppc601, or a machine's name"
    )
    parser.add_argument(
        "--language", choices=LANGUAGES, default="asm", metavar="NAME", help="asm (the default), c, pascal"
    )
    arguments.add_force(parser)
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.asm.project import new_files

    folder = Path(options.name)
    with bad_arguments():
        files = new_files(folder.name, options.cpu, options.language)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = sorted(name for name in files if (folder / name).exists())
    except OSError as error:
        raise RetrosimError(f"{folder}: cannot be made: {error.strerror}") from None
    if there and not options.force:
        raise RetrosimError(f"{folder}: has {', '.join(there)} already; --force replaces them")
    for name, text in files.items():
        write_text(folder / name, text, overwrite=options.force)
    if options.json:
        print_json({"folder": str(folder), "files": sorted(files)})
        return 0
    print_lines(
        [
            f"{folder}: {', '.join(sorted(files))}",
            f"retrosim run {folder}                     plays it",
            f"retrosim cost {folder} --entry overlap    counts its cycles; its source says with which arguments",
            f"retrosim build {folder}                   writes {folder.name}.elf",
            f"pytest {folder}                           runs its test",
        ]
    )
    return 0
