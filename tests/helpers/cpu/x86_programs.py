"""Small x86 programs as bytes, and cores to run them."""

from __future__ import annotations

from retrosim.cpu import x86
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.x86 import state as x86_state

START = 0x1000  # linear; real mode: 0100:0000
FREE = {"i386": [0] * 5, "i486": [0] * 5}  # memory without any waits


def core_with(
    model: str,
    code: str,
    timing: str = "off",
    unreal: bool = False,
    readings: dict[str, str] | None = None,
    **registers: int,
) -> Core:
    """Return a core that is about to run code, given as hexadecimal digits; ds=0x2000 sets a segment register."""
    core = Core(x86.cpu(model).with_readings(readings), timing)
    x86_state.reset(core.state, unreal)
    core.state["limit"] = 1 << 62
    core.write(START, bytes.fromhex(code))
    names = ("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi")
    segments = ("es", "cs", "ss", "ds", "fs", "gs")
    real = model.endswith("real")
    if real:
        core.state["seg"][1], core.state["seg_base"][1] = START >> 4, START
    core.state["r"][4] = 0x8000
    for name, value in registers.items():
        if name in names:
            core.state["r"][names.index(name)] = value
        elif name in segments:
            core.state["seg"][segments.index(name)] = value
            core.state["seg_base"][segments.index(name)] = value << 4
        else:
            core.state[name] = value
    core.state["pc"] = START
    return core


def run(core: Core, instructions: int = 1) -> Core:
    Evaluator(core).run(instructions)
    return core


def word(core: Core, address: int, size: int = 2) -> int:
    return int.from_bytes(core.ram[address : address + size].tobytes(), "little")
