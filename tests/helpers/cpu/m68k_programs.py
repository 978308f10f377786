"""Single instructions of the MC68040 or MC68000, from their text: what they leave in registers, memory and flags."""

from __future__ import annotations

from functools import cache

from retrosim.asm import assemble
from retrosim.cpu import m68k
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from tests.helpers.cpu.cores import begin

CODE, DATA = 0x2000, 0x4000
FLAGS = "xnzvc"
MASK = 0xFFFFFFFF


@cache
def _core_for(text: str, model: str) -> tuple[Core, int]:
    core = Core(m68k.cpu(model), "off")
    code = assemble(f" {text}", "m68040").code
    begin(core, {CODE: code}, CODE)
    return core, CODE + len(code)


def run(
    text: str, memory: bytes = bytes(16), flags: str = "xvc", model: str = "MC68040", **registers: int
) -> tuple[Core, dict[str, int]]:
    """Return a core after an instruction, and its flags.

    memory     at DATA
    flags      that are set before it
    registers  d0=, a0= and so on
    """
    core, end = _core_for(text, model)
    core.state["pc"] = CODE
    for flag in FLAGS:
        core.state[flag] = flag in flags
    core.write(DATA, memory)
    for name, value in registers.items():
        core.state["r"][int(name[1]) + 8 * (name[0] == "a")] = value & MASK
    Evaluator(core).run(1)
    assert core.state["pc"] == end, text
    return core, {flag: int(core.state[flag]) for flag in FLAGS}


def data_at(core: Core, size: int, at: int = DATA) -> int:
    """Return a number of some bytes in memory."""
    return int.from_bytes(core.ram[at : at + size].tobytes(), "big")


def compared(destination: int, source: int, size: int, x: int = 1) -> dict[str, int]:
    """Return the flags of destination - source, numbers of so many bits; X stays."""
    mask, sign = (1 << size) - 1, 1 << size - 1
    result = destination - source & mask
    overflow = (destination ^ source) & (destination ^ result) & sign
    return {"x": x, "n": int(result & sign > 0), "z": int(not result), "v": int(overflow > 0),
            "c": int(destination < source)}  # fmt: skip
