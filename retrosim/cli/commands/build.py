"""Assemble, compile and link a program into one ELF file, without linker or make.

Without files it builds the project in the current folder: retrosim.toml, which
`retrosim new` writes. Assembly is assembled here; C files need a cross
compiler, whose command is shown; objects and archives are linked as they are,
and what compilers call by themselves is added. `run` and `cost` take the same
files, or the project's folder, and build it in memory.

examples:
  retrosim build
  retrosim build hello --machine mc68040-25
  retrosim build start.s main.c draw.o -o hello.elf --machine mc68000-8
"""

from __future__ import annotations

import argparse
from pathlib import Path

from retrosim.checks import check_choice
from retrosim.report.text import counted

from .. import arguments
from ..opening import compiler_flags
from ..output import print_json, print_lines, say, shown_path, write_elf_file
from ..parser import Parser
from ..settings import refuse
from ..values import bad_arguments, machine


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    help = "a project's folder, or sources and objects: .s, .asm, .S, .c, .pas, .o, .a"
    parser.add_argument("files", nargs="*", default=["."], metavar="FILE", help=help)
    help = "file to write; default: the project's name, else the first file's, with .elf, in the current folder"
    parser.add_argument("-o", dest="output", metavar="ELF", help=help)
    help = "see `retrosim list machines`; default: the project's, else as the objects say"
    parser.add_argument("--machine", type=machine, metavar="MACHINE", help=help)
    arguments.add_cflags(parser)
    parser.add_argument("--force", action="store_true", help="replace a file that is not an ELF file")
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.asm.project import elf_of, load_for, project_file, read_project
    from retrosim.machine import PRESETS
    from retrosim.rom import Image

    first, *others = options.files
    if options.machine is not None:
        with bad_arguments():
            check_choice("machine", options.machine, PRESETS)
    project = project_file(first)
    if project is None and Path(first).is_dir():
        raise refuse(f"{first}: has no retrosim.toml; `retrosim new` makes one, or name the sources")
    with bad_arguments():
        flags = compiler_flags(options.cflags or "", options.files)
        loaded = load_for(first, options.machine, arguments.MACHINE, others=others, note=say, flags=flags)
    if not isinstance(loaded.program, Image):
        raise refuse(f"{first}: is a ROM, which tools/build_roms.py builds")
    name = read_project(project).name if project else Path(first).stem
    path = Path(options.output or f"{name}.elf")
    image = loaded.program
    write_elf_file(path, elf_of(image), options.force)
    size = sum(len(content) for _, content in image.segments) + sum(size for _, size in image.bss)
    if options.json:
        print_json(
            {"path": str(path), "machine": loaded.machine, "isa": image.isa, "entry": image.entry, "bytes": size}
        )
    else:
        print_lines([f"{shown_path(path)}: {loaded.machine}, {counted(size, 'byte')}, entry {image.entry:#x}"])
    return 0
