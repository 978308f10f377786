"""Outside judges: Musashi and Unicorn run the same instructions and the same ROM as our evaluator and interpreter.

What the manual leaves undefined is masked; where a peer is known to be wrong the mnemonic is listed with the reason.
"""

from __future__ import annotations

import numpy as np
import pytest

from retrosim.cpu import m68k
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.m68k.exceptions import ADDRESS_ERROR
from retrosim.cpu.spec.cpu import CODE_WRITTEN, RUNNING
from retrosim.cpu.spec.values import Word
from retrosim.machine import open_machine
from tests.helpers.amount import amount
from tests.helpers.cpu import m68k_peers as peers
from tests.helpers.cpu import m68k_streams as streams
from tests.helpers.rom import simulators

SINGLES = amount(300, 600)
SEED = 68040

# Musashi does not clear C when a divisor is 0, so C of divisions is judged by the vectors alone.
# Flags (X N Z V C = 16 8 4 2 1) that M68000PRM calls undefined.
UNDEFINED = {
    **dict.fromkeys(("ABCD", "SBCD", "NBCD"), 8 | 2),
    "CHK": 8 | 4 | 2 | 1,
    **dict.fromkeys(("CHK2", "CMP2"), 8 | 2),
    **dict.fromkeys(("DIVU", "DIVS", "DIVUL", "DIVSL"), 8 | 4 | 2 | 1),  # on overflow; C: see above
}
FAULTS = {
    "musashi": {
        "MOVE16": "taken as an unimplemented F-line instruction",
        "ILLEGAL": "reserved full extension formats run as something; the manual reserves them",
        "PACK": "the -(Ay) form swaps the two bytes (WinUAE and the manual's figure: high byte at the lower address)",
        "UNPK": "the -(Ax) form swaps the two bytes",
        **dict.fromkeys(("DIVS", "DIVSL"), "the overflow of the least integer by -1 is not noticed"),
        "CAS2": "a failed word compare loads all 32 bits of the compare registers",
        **dict.fromkeys(("CMP2", "CHK2"), "bounds whose lower is above the upper are compared unsigned only"),
        **dict.fromkeys(("BFCHG", "BFSET", "BFCLR", "BFINS"), "fields that cross a long word in memory"),
        "MOVEM": "-(An) stores An itself as before the instruction; 68020 and later store it decremented",
        **dict.fromkeys(("ABCD", "SBCD", "NBCD"), "result, X and C for digits above 9"),
    },
    "unicorn": {
        "TRAP": "TRAPcc does not exist there",
        "UNPK": "does not exist there",
        "PACK": "does not exist there",
        "BKPT": "waits for ever",
        "ILLEGAL": "reserved full extension formats run as something",
        **dict.fromkeys(("ABCD", "SBCD", "NBCD"), "digits above 9, and byte steps of A7 by 1"),
        "LINK": "LINK A7 pushes A7 before the decrement",
        "UNLK": "UNLK A7 adds 4 to the loaded value",
        **dict.fromkeys(("ADDX", "SUBX", "CAS"), "-(A7) and (A7)+ move by 1 for bytes"),
        **dict.fromkeys(("ASL", "ASR", "LSR"), "memory forms: V of ASL, sign extension before ASR and LSR"),
        "MULU": "Dh = Dl, undefined in the manual",
        "MULS": "Dh = Dl, undefined in the manual",
        "CHK2": "does not trap",
        **dict.fromkeys(("DIVS", "DIVSL"), "the least integer by -1 kills the process (host division trap)"),
    },
}


class Watching(Evaluator):
    """Notes the addresses used, so that what a peer's set-up cannot show is left out."""

    used: tuple[int, ...] = ()

    def load(self, address: Word, bits: int) -> Word:
        self.used += (address.known,)
        return super().load(address, bits)

    def store(self, address: Word, word: Word) -> None:
        self.used += (address.known,)
        super().store(address, word)

    @property
    def is_comparable(self) -> bool:
        """All inside the peer's memory, and not in the code, where Unicorn has another instruction behind ours."""
        code = range(streams.CODE - 3, streams.CODE + 64)
        return all(address < peers.SIZE - 8 and address not in code for address in self.used)


@pytest.mark.full
@pytest.mark.parametrize("name", ["musashi", "unicorn"])
def test_single_instructions(name: str) -> None:
    judge = peers.peer(name)
    cpu = m68k.cpu("MC68040")
    core = Core(cpu, "off")
    evaluator = Watching(core)
    generator = streams.Generator(cpu, SEED)
    compared, seen = 0, set()
    for number in range(SINGLES):
        peers.fresh(core, generator)
        insn = core.decode(streams.CODE)
        if insn.row.name in FAULTS[name] or insn.row.function.__module__.endswith(".system"):
            continue  # supervisor instructions: the peers keep their other stack pointers where we cannot set them
        if name == "unicorn" and insn.row.options.get("flow"):
            continue  # it runs on past a jump
        memory = core.ram[: peers.SIZE].copy()
        state = core.state.copy()
        evaluator.used = ()
        evaluator.run(1)
        core.notice_writes()
        if core.state["reason"] not in (RUNNING, CODE_WRITTEN) or not evaluator.is_comparable:
            continue
        if evaluator.raised == ADDRESS_ERROR:
            continue  # the peers go on at odd addresses
        ours, result = core.state.copy(), core.ram[: peers.SIZE].copy()
        core.state[()], core.ram[: peers.SIZE] = state, memory
        theirs = judge.run(peers.start(core, memory[insn.pc : insn.pc + insn.length].tobytes()))
        if theirs is None:
            continue
        registers, flags, pc, memory = theirs
        core.state[()] = ours
        where = f"seed {SEED}, number {number}: {insn.text}"
        assert registers == core.state["r"][:16].tolist(), where
        mask = 31 & ~UNDEFINED.get(insn.row.name, 0)
        assert flags & mask == peers.ccr(core) & mask, where
        assert pc == int(core.state["pc"]), where
        differing = np.flatnonzero(memory != result)
        if insn.row.name in UNDEFINED:  # their flags may lie in an exception frame
            differing = differing[differing < streams.STACK - 0x100]
        assert not len(differing), f"{where}: {differing[:4]}"
        compared += 1
        seen.add(insn.row.name)
    print(f"{name}: {compared} instructions of {len(seen)} mnemonics agree, seed {SEED}")
    assert compared > SINGLES // 3


@pytest.mark.parametrize("build", ["O0", "O1", "O2"])
@pytest.mark.parametrize("name", ["Musashi", "Unicorn"])
def test_the_rom_on_all_simulators(name: str, build: str) -> None:
    """After one check of 200 objects: the collision flags, the lists and all of RAM are the same."""
    pytest.importorskip({"Musashi": "machine68k", "Unicorn": "unicorn"}[name], reason=f"{name} is not installed")
    machine = open_machine("mc68040-25", build=build, parameters={"objects": 200, "seed": 7})
    machine.run(frames=3)
    machine.regs["a7"] = simulators.STACK
    other = getattr(simulators, name)(machine.image)
    other.write(0, machine.mem[: simulators.STACK].tobytes())
    other.write(simulators.RETURN, (0xA000 | simulators.RETURNED).to_bytes(2, "big"))
    other.call("DetermineCollisions")
    machine.measure("DetermineCollisions", warm=0)
    image_end = max(s.address + s.size for s in machine.image.symbols.values())
    assert machine.mem[0x1000:image_end].tobytes() == other.read(0x1000, image_end - 0x1000)
