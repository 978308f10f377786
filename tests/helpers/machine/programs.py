"""Small programs of hand-assembled words as images, and machines that run them."""

from __future__ import annotations

import hashlib

from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.machine import Machine, choices
from retrosim.machine.presets import preset
from retrosim.machine.state_file import registers
from retrosim.rom import Image, Symbol
from retrosim.rom.lines import LineTable
from retrosim.rom.symbols import SymbolTable
from tests.helpers.cpu.all_handlers import all_handlers

ENGINES = tuple(engine for engine in choices.ENGINES if engine != "auto")
COMPILED = tuple(engine for engine in ENGINES if engine != "evaluate")
TIMINGS = choices.TIMINGS
MACHINES = {"mc68000-8": "m68000", "mc68040-25": "m68040"}  # one of each model, and the ISA of its images
ENTRY = 0x1000
MACHINE_OPTIONS = ("engine", "timing", "service_clocks", "memory_clocks", "readings", "mode")


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
    return Machine(name, image(code, **{"isa": preset(name).isa} | options), engine=engine, **ours)


def content(machine: Machine) -> tuple[bytes, bytes]:
    """Return registers and memory, which is all that the machine's hash covers."""
    return registers(machine.core), machine.mem.tobytes()


def complete(name: str, program: Image, *, engine: str = "evaluate", timing: str = "full") -> Machine:
    """Switch on a machine whose interpreter has the handlers of all instructions: none is compiled for the program."""
    if engine != "interpret":
        return Machine(name, program, engine=engine, timing=timing)
    ours = Machine(name, program, engine="evaluate", timing=timing)
    ours._engine = Interpreter(ours.core, all_handlers(ours.core.cpu, timing))
    return ours
