"""Random single instructions of the 486 against Unicorn, in real mode and in flat mode.

What is not compared, with its reason: flags that the manual
leaves undefined (UNDEFINED); the mnemonics in SKIPPED; cases in which we raise 12 or 13, since Unicorn checks no
segment limits; cases that reach memory which Unicorn has not mapped, or end its process.
"""

from __future__ import annotations

import random

import pytest

from retrosim.cpu import x86
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.spec.cpu import FAULT
from retrosim.cpu.spec.rows import Insn
from retrosim.cpu.x86 import state as x86_state
from tests.helpers.amount import amount
from tests.helpers.cpu.x86_streams import CODE, Generator, Start
from tests.helpers.cpu.x86_unicorn import UnicornProcess

INSTRUCTIONS = amount(2000, 4000)
SEED = 1994
BATCH = 500
CF, PF, AF, ZF, SF, OF = 0x001, 0x004, 0x010, 0x040, 0x080, 0x800
STATUS = CF | PF | AF | ZF | SF | OF
COMPARED = STATUS | 0x400

UNDEFINED = {
    **dict.fromkeys(("AND", "OR", "XOR", "TEST"), AF),
    **dict.fromkeys(("MUL", "IMUL"), SF | ZF | AF | PF),
    **dict.fromkeys(("DIV", "IDIV"), STATUS),
    **dict.fromkeys(("BSF", "BSR"), STATUS & ~ZF),
    **dict.fromkeys(("BT", "BTS", "BTR", "BTC"), STATUS & ~CF),
    **dict.fromkeys(("AAA", "AAS"), OF | SF | ZF | PF),
    **dict.fromkeys(("AAM", "AAD"), OF | AF | CF),
    **dict.fromkeys(("DAA", "DAS"), OF),
}
SHIFTS = ("SHL", "SHR", "SAR", "SHLD", "SHRD", "ROL", "ROR", "RCL", "RCR")
SKIPPED = {
    "IN": "no device here", "OUT": "no device here", "INS": "no device here", "OUTS": "no device here",
    "HLT": "no end", "ESC": "Unicorn has an FPU", "WAIT": "Unicorn has an FPU",
    "INT": "services", "INT1": "Unicorn stops for good", "IRET": "sets TF, which stops Unicorn",
    "POPF": "sets TF, which stops Unicorn",
    "LGDT": "moves Unicorn's tables", "LIDT": "moves Unicorn's tables", "SGDT": "tables", "SIDT": "tables",
    "LMSW": "switches modes", "SMSW": "other bits of CR0", "CLTS": "no register that is compared",
    "INVD": "nothing to compare", "WBINVD": "nothing to compare", "INVLPG": "nothing to compare",
    "STI": "its shadow", "CLI": "IF is not compared",
}  # fmt: skip
FLAT_SEGMENTS = "flat mode: Unicorn looks selectors up in a table that is not there"


def skipped(cpu) -> frozenset[str]:
    names = set(SKIPPED)
    if not cpu.model.endswith("real"):
        names |= {"LES", "LDS", "LSS", "LFS", "LGS", "RETF"}
    return frozenset(names)


def left_out(insn: Insn, code: bytes, real: bool) -> bool:
    if insn.row.name == "NEG" and 0xF0 in code[: insn.prefixes]:  # Unicorn takes SF and PF from the operand
        return True
    text = insn.row.syntax
    if not real and insn.row.name == "RET" and "{imm16}" in text and insn.fields[-1] >> 15:
        return True  # Unicorn extends the sign of the number of bytes; Intel 386 PRM, RET: unsigned
    if insn.row.options.get("registers"):  # control, debug and test registers
        return True
    if insn.row.name == "TEST" and insn.row.pattern.endswith("mm001eee"):  # Unicorn does not know the second encoding
        return True
    if not real and ("{far}" in text or " FAR " in text or (insn.row.name == "POP" and text.split()[1] != "{d}")):
        return not text.startswith("POP {ea}")
    return not real and "{sreg}" in text and insn.row.options.get("load", False)


def wraps(insn: Insn, begin: Start) -> bool:
    """Does a pair in memory wrap at 64 KiB? Unicorn goes on beyond; the 80286 vectors have it wrap."""
    pairs = ("LES", "LDS", "LSS", "LFS", "LGS", "BOUND")
    if "word" not in insn.statics or not (insn.row.name in pairs or " FAR " in insn.row.syntax):
        return False
    base, index, disp, _ = insn.fields[-4:]
    registers = [*begin.registers, 0]
    return (registers[base] + registers[index] + disp & 0xFFFF) > 0x10000 - 8


def undefined(insn: Insn, start: Start, code: bytes) -> int:
    name = insn.row.name
    if name not in SHIFTS:
        return UNDEFINED.get(name, 0)
    bits = insn.statics[0]
    count = 1 if insn.row.syntax.endswith(",1") else start.registers[1] if insn.row.syntax.endswith("cl") else code[-1]
    count &= 31
    if not count:
        return 0
    mask = 0 if count == 1 else OF
    if name in ("SHL", "SHR", "SHLD", "SHRD", "SAR"):
        mask |= AF
    if count >= bits and name in ("SHL", "SHR"):
        mask |= CF
    if count > bits and name in ("SHLD", "SHRD"):
        mask |= STATUS
    return mask


class Ours:
    """A core whose memory is watched, so that what an instruction stores is known."""

    def __init__(self, cpu, memory: bytes) -> None:
        self.core = Core(cpu, "off")
        self.core.ram[: len(memory)] = memoryview(memory)
        self.core.code[:] = 1
        self.base = self.core.ram.copy()
        self.blank = self.core.state.copy()
        self.evaluator = Evaluator(self.core)

    def run(self, begin: Start):
        core, state = self.core, self.core.state
        core.insns.clear()
        state[()] = self.blank
        x86_state.reset(state)
        state["limit"] = 1 << 62
        state["idt_limit"] = 0  # exceptions end the run
        state["written_low"], state["written_high"] = 0xFFFFFFFF, 0
        core.ram[begin.pc : begin.pc + len(begin.code)] = memoryview(begin.code)
        state["r"][:8] = begin.registers
        state["seg"] = begin.selectors
        state["seg_base"] = [n << 4 for n in begin.selectors]
        x86_state.put_flags(state, begin.flags)
        state["pc"] = begin.pc
        self.evaluator.run(1)
        while begin.repeats and state["pc"] == begin.pc and state["reason"] != FAULT:
            self.evaluator.run(1)
        exception = int(state["detail"]) if state["reason"] == FAULT else None
        low, high = int(state["written_low"]), int(state["written_high"])
        written = {at: int(core.ram[at]) for at in range(low, high)} if high else {}
        core.ram[low:high] = self.base[low:high]
        core.ram[begin.pc : begin.pc + len(begin.code)] = self.base[begin.pc : begin.pc + len(begin.code)]
        return state, exception, written


@pytest.mark.first_case
@pytest.mark.parametrize("model", ["i486_real", "i486_flat"])
def test_unicorn_agrees(model: str) -> None:
    pytest.importorskip("unicorn", reason="unicorn is not installed")
    cpu, real = x86.cpu(model), model.endswith("real")
    memory = random.Random(SEED).randbytes(1 << 20)
    generator = Generator(cpu, SEED, skipped(cpu))
    ours, peer = Ours(cpu, memory), UnicornProcess(16 if real else 32, memory)
    compared = unmapped = limits = done = 0
    rows, wrong = set(), []
    while done < INSTRUCTIONS:
        batch = []
        while len(batch) < min(BATCH, INSTRUCTIONS - done):
            insn = generator.instruction()
            if not left_out(insn, generator.code, real):
                batch.append((insn, generator.start(insn)))
        done += len(batch)
        for (insn, begin), theirs in zip(batch, peer.run([b for _, b in batch]), strict=True):
            state, exception, written = ours.run(begin)
            if theirs is None:
                unmapped += 1
                continue
            if exception in (12, 13):
                limits += 1
                continue
            if real and wraps(insn, begin):
                limits += 1
                continue
            if any(CODE <= at < CODE + len(begin.code) for at in written):  # it has changed itself
                unmapped += 1
                continue
            why = differences(insn, begin, theirs, state, exception, written, ours.base)
            compared += 1
            rows.add(insn.row.pattern)
            if why:
                wrong.append(f"{begin.code.hex()} {insn.text}: {why} from {begin}")
    print(f"{model}: {compared} of {done} compared, {unmapped} unmapped, {limits} over a limit, {len(rows)} rows,")
    print(f"{peer.deaths} ends of Unicorn, seed {SEED}, {len(wrong)} differ")
    assert not wrong, "\n".join(wrong[:20])
    assert compared > 0.8 * done


def differences(insn, begin, theirs, state, exception, written, base) -> str:
    registers, selectors, flags, pc, stored, trap = theirs
    if trap is not None or exception is not None:
        return "" if trap == exception else f"exception {exception}, theirs {trap}"
    found = []
    for n, name in enumerate(("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi")):
        if insn.row.name in ("BSF", "BSR") and int(state["zf"]):
            break
        if int(state["r"][n]) != registers[n]:
            found.append(f"{name} {int(state['r'][n]):08x}, theirs {registers[n]:08x}")
    mask = COMPARED & ~undefined(insn, begin, begin.code)
    mine = x86_state.flags_of(state)
    if (mine ^ flags) & mask:
        found.append(f"flags {mine & mask:04x}, theirs {flags & mask:04x}")
    if int(state["pc"]) != pc:
        found.append(f"pc {int(state['pc']):06x}, theirs {pc:06x}")
    if begin.selectors[1] and state["seg"].tolist() != selectors:
        found.append(f"selectors {state['seg'].tolist()}, theirs {selectors}")
    for at in written.keys() | stored.keys():
        mine, other = written.get(at, int(base[at])), stored.get(at, int(base[at]))
        if mine != other:
            found.append(f"memory {at:06x} {mine:02x}, theirs {other:02x}")
    return "; ".join(found[:6])
