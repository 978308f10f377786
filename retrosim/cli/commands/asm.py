"""Assemble a source into an ELF file with symbols and source lines.

examples:
  retrosim asm blit.s --cpu m68040
  retrosim asm blit.s --cpu i386-real -o blit.elf --org 0x7c00
  retrosim asm blit.s --cpu mc68000-8 --define SIZE=16 --listing
  retrosim cost blit.elf --entry blit --machine mc68000-8
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrosim.errors import AssemblyError
from retrosim.report.text import counted

from .. import arguments, values
from ..output import print_json, print_lines, say, shown_path, write_elf_file
from ..parser import Parser
from ..values import bad_arguments

if TYPE_CHECKING:
    from retrosim.asm import Assembly

MAX_LISTED = 8  # bytes of data a line
RAM_FIRST, RAM_END = 0x400, 0x800000  # of retrosim.rom.image


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("source", metavar="FILE", help="the source text")
    help = "m68000, m68040, i386, i486, i286-real, i386-real, i486-real, ppc601, or a machine's name"
    parser.add_argument("--cpu", required=True, metavar="CPU", help=help)
    help = "file to write; default: the source's name with .elf, in the current folder"
    parser.add_argument("-o", dest="output", metavar="ELF", help=help)
    parser.add_argument("--force", action="store_true", help="replace a file that is not an ELF file")
    help = f"address of the code, {RAM_FIRST:#x}..{RAM_END - 1:#x}; default: 0x2000"
    parser.add_argument("--org", type=values.address(RAM_FIRST, RAM_END - 1), default=0x2000, metavar="N", help=help)
    parser.add_repeatable("--define", "NAME=N", "a number that the source may use by name", type=_definition)
    help = "work that it may take, in steps of about a microsecond; default: 700000"
    parser.add_argument("--max-steps", type=values.whole(1, 1_000_000_000), metavar="N", help=help)
    parser.add_argument("--listing", action="store_true", help="print addresses, code and source lines")
    arguments.add_json(parser)
    parser.exclude(["--listing"], "--json")


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.asm import assemble_file

    try:
        with bad_arguments():
            allowed = {"max_steps": options.max_steps} if options.max_steps else {}
            symbols = dict(options.define)
            made = assemble_file(options.source, options.cpu, origin=options.org, symbols=symbols, **allowed)
        if not made.sections:
            raise AssemblyError([(options.source, 0, "has neither code nor data")])
    except AssemblyError as error:
        if options.json:
            print_json({"errors": [dict(zip(("file", "line", "message"), each)) for each in error.messages]})
        else:
            for file, line, sentence in error.messages:
                say(f"{file}:{line}: {sentence}" if line else f"{file}: {sentence}")
        return error.exit_status
    path = Path(options.output or Path(options.source).with_suffix(".elf").name)
    write_elf_file(path, made.elf, options.force)
    if options.json:
        print_json(_report(made, path))
    elif options.listing:
        print_lines(_listing(made))
    else:
        code = sum(section.bytes for section in made.sections)
        print_lines([f"{shown_path(path)}: {made.isa}, {counted(code, 'byte')}, entry {made.entry:#x}"])
    return 0


def _definition(text: str) -> tuple[str, int]:
    """Return name and number. Errors: ArgumentTypeError."""
    name, _, number = text.partition("=")
    if not re.fullmatch(r"[A-Za-z_.$][\w.$]*", name):
        raise argparse.ArgumentTypeError(f"{text!r}: allowed NAME=N")
    return name, values.whole(-(1 << 31), (1 << 32) - 1)(number or "1")


def _report(made: Assembly, path: Path) -> dict[str, Any]:
    return {
        "path": str(path),
        "isa": made.isa,
        "boot": made.boot,
        "entry": made.entry,
        "sections": [
            {"name": each.name, "address": each.address, "kind": each.kind, "bytes": each.bytes}
            for each in made.sections
        ],
        "symbols": made.symbols,
        "lines": [{"address": address, "file": file, "line": line} for address, file, line in made.lines],
    }


def _listing(made: Assembly) -> list[str]:
    """Return a line for each instruction, and for the bytes that are none."""
    texts: dict[str, list[str]] = {}
    names = {address: name for name, address in reversed(made.symbols.items()) if "." not in name}
    found = []
    for section in made.sections:
        end = section.address + section.bytes
        found.append(f"{section.address:06X}  {section.name}, {counted(section.bytes, 'byte')}")
        rows = [row for row in made.lines if section.address <= row[0] < end]
        for row, after in zip(rows, [*(row[0] for row in rows[1:]), end]):
            address, file, line = row
            if file not in texts:
                try:
                    texts[file] = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
                except OSError:
                    texts[file] = []
            text = texts[file][line - 1].strip() if line <= len(texts[file]) else ""
            code = section.content[address - section.address : after - section.address][: 2 * MAX_LISTED]
            label = f"{names[address]}: " if address in names and not text.startswith(names[address]) else ""
            found.append(f"{address:06X}  {code[:MAX_LISTED].hex(' ', 2):<20} {line:>5}  {label}{text}")
    return found
