"""The code that the engines emit, as text: handlers and regions of any CPU, to look at instead of compiling it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, partial

from retrosim.cpu import m68k, ppc, x86
from retrosim.cpu.engines.clock_table.segments import RegionPlan
from retrosim.cpu.engines.handlers.handler_cache import Handler, _emit, _emit_stub
from retrosim.cpu.engines.handlers.handlers import HANDLER, STUBS
from retrosim.cpu.engines.regions.compiled_region import emit_region
from retrosim.cpu.engines.regions.regions import Block, Region, region_of
from retrosim.cpu.spec.cpu import ADDRESS_MASK, Cpu
from retrosim.cpu.spec.ir import Function, Module
from retrosim.cpu.spec.rows import Insn
from tests.helpers.cpu.code_ranges import Range
from tests.helpers.cpu.field_ranges import FieldRanges
from tests.helpers.cpu.verify_code import Report, verify

FAMILIES = {  # models whose operands have the same fields
    "68k": ((m68k, "MC68000"), (m68k, "MC68040")),
    "flat x86": ((x86, "i386_flat"), (x86, "i486_flat")),
    "real x86": ((x86, "i386_real"), (x86, "i486_real")),
    "PowerPC": ((ppc, "MPC601"),),
}
MODELS = {model: family for family, models in FAMILIES.items() for _, model in models}


@cache
def cpu_of(model: str) -> Cpu:
    return next(family.cpu(name) for family, name in FAMILIES[MODELS[model]] if name == model)


@cache
def field_ranges(model: str) -> FieldRanges:
    return FieldRanges(*(cpu_of(name) for _, name in FAMILIES[MODELS[model]]))


def handlers_text(cpu: Cpu, timing: str, handlers: Sequence[Handler]) -> str:
    """Return the text of some handlers, number n named "handler_n", and of those that are no instruction."""
    module = Module()
    emitters = [(f"stub_{n}", partial(_emit_stub, cpu, timing, n)) for n in range(STUBS)]
    emitters += [(f"handler_{n}", partial(_emit, cpu, timing, *handler)) for n, handler in enumerate(handlers)]
    for name, emit in emitters:
        function = Function(module, HANDLER, name)
        emit(function)
        function.finish()
    return module.text()


def verify_handlers(cpu: Cpu, timing: str, handlers: Sequence[Handler], ranges: FieldRanges) -> Report:
    """Emit handlers and check them; each must be one that decoding gives."""
    words: dict[str, Sequence[Range]] = {}
    for number, (row, statics) in enumerate(handlers):
        known = ranges.of(row, statics)
        assert known is not None, f"{row.syntax} {statics}: decoding never gives it"
        words[f"handler_{number}"] = known
    return verify(handlers_text(cpu, timing, handlers), cpu, lambda name: words.get(name, ()))


def region_text(cpu: Cpu, timing: str, region: Region) -> str:
    module = Module()
    function = Function(module, HANDLER, "region_0")
    model = cpu.timing[timing]
    emit_region(cpu, model, RegionPlan(cpu, model, region) if model.times else region, function)
    function.finish()
    return module.text()


def verify_regions(cpu: Cpu, timing: str, regions: Iterable[Region]) -> Report:
    return sum((verify(region_text(cpu, timing, region), cpu) for region in regions), Report())


def apart(insns: Iterable[Insn]) -> Region:
    """Make a region of instructions, each a block that is entered by itself."""
    blocks = {insn.pc: Block((insn,)) for insn in insns}
    return region_of(blocks, set(blocks), {})


def decoded(cpu: Cpu, code: bytes, pc: int) -> Insn:
    """Decode code at an address in empty memory."""
    unit, order = cpu.isa.word_bytes, "big" if cpu.big_endian else "little"

    def word(address: int) -> int:
        start = (address - pc) & ADDRESS_MASK
        return int.from_bytes(code[start : start + unit].ljust(unit, b"\0"), order)

    return cpu.table.decode(pc, word)
