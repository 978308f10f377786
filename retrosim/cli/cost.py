"""`retrosim cost`: what one call of a routine costs, by instruction, source line and function."""

from __future__ import annotations

import argparse
import sys

from retrosim.cli.opening import NATIVE, check_machines, open_chosen, open_rom
from retrosim.cli.output import print_json
from retrosim.cli.progress import Progress
from retrosim.cli.studies import print_table
from retrosim.cli.values import bad_arguments
from retrosim.rom import Image, Rom, load_elf, load_raw


def cost(options: argparse.Namespace) -> int:
    """Carry out the command."""
    if options.json and options.csv:
        raise argparse.ArgumentError(None, "--json and --csv: allowed is one of them")
    check_machines([options.machine])
    if options.machine == NATIVE:
        raise argparse.ArgumentError(None, f"machine {NATIVE!r}: it has no CPU whose cycles could be counted")
    rom = _open(options)
    if isinstance(rom, Image) and options.build is not None:
        raise argparse.ArgumentError(None, f"--build {options.build}: an ELF file has no builds")
    from retrosim.checks import whole
    from retrosim.study.causes import MODE, has_causes
    from retrosim.study.cost import cost_report, find_routine

    if options.timing in (None, "full") and has_causes(options.machine):
        options.timing = MODE

    with Progress(is_quiet=options.json or options.csv) as progress:
        machine = open_chosen(options, rom, progress.note)
        with bad_arguments():
            entry = _entry(options.entry)
            find_routine(machine.image, entry)
            convention = options.convention or "c"
            bits = machine.argument_bits(convention)
            for argument in options.arg:
                whole("argument", argument, -(1 << bits - 1), (1 << bits) - 1)
        if isinstance(rom, Rom):
            machine.run(frames=1)
        chosen = {"convention": convention, "most": options.most}
        report = cost_report(machine, entry, *options.arg, **chosen, progress=progress.step)
    if options.json:
        print_json(report)
        return 0
    from retrosim.study.cost_text import listing_csv, render_cost

    if options.csv:
        sys.stdout.write(listing_csv(report))
    else:
        print_table(render_cost(report))
    return 0


def _open(options: argparse.Namespace) -> Rom | Image:
    """Return the program; of ISAs of one family an ELF file is taken for that of the machine. Errors: RomError."""
    from retrosim.machine import PRESETS

    isa, boot = PRESETS[options.machine].isa, {None: "", 16: "real", 32: "flat"}[options.bits]
    with bad_arguments():
        if options.raw:
            if options.org is None:
                raise ValueError("--raw: needs --org, the address that the file begins at")
            return load_raw(options.rom, isa, options.org, boot)
        if options.org is not None:
            raise ValueError("--org: allowed with --raw; an ELF file says where it begins")
        rom = open_rom(options.rom)
        if isinstance(rom, Image):
            return load_elf(options.rom, isa if isa in rom.family.isas else None, boot)
        if boot:
            raise ValueError(f"--bits {options.bits}: the ROM {rom.name} says itself what its images start in")
        return rom


def _entry(text: str) -> str | int:
    """Return a symbol, or the address that is given in its place. Errors: ValueError."""
    try:
        return int(text, 16) if text.startswith("0x") else text
    except ValueError:
        raise ValueError(f"address {text!r}: allowed 0x and hexadecimal digits") from None
