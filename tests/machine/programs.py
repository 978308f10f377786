"""Small programs of hand-assembled words as images, and machines that run them."""

from __future__ import annotations

import hashlib

from retrosim.machine import Machine
from retrosim.rom import Image, Symbol
from retrosim.rom.lines import LineTable
from retrosim.rom.symbols import SymbolTable

ENTRY = 0x1000
MACHINE_OPTIONS = ("engine", "timing", "service_clocks", "mode")


def image(code: str, *, isa: str = "m68040", boot: str = "", sizes: bool = True, **symbols: int) -> Image:
    """Make an image of one segment at ENTRY: `_start` is all of it, `symbols` are more names and their addresses.

    boot   what the CPU starts in, "" for the usual one
    sizes  False: the symbols have none, as those of a careless assembly program
    """
    content = bytes.fromhex(code)
    table = {"_start": Symbol(ENTRY, len(content) if sizes else 0, "function")}
    table |= {name: Symbol(place, 0, "function") for name, place in symbols.items()}
    digest = hashlib.sha256(content).hexdigest()
    return Image(isa, "", ENTRY, [(ENTRY, content)], [], digest, SymbolTable(table), LineTable([], []), boot)


def machine(code: str, *, name: str = "mc68040-25", engine: str = "evaluate", **options) -> Machine:
    """Switch on a machine with such a program; options that are not the machine's are the image's."""
    ours = {key: options.pop(key) for key in MACHINE_OPTIONS if key in options}
    return Machine(name, image(code, **options), engine=engine, **ours)
