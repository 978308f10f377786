"""Random instructions against another 601, Unicorn's. It has POWER instructions wrong: test_ppc_power.py judges them.

The seed is printed.
"""

from __future__ import annotations

import collections

import numpy as np

from retrosim.cpu import ppc
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.spec.rows import Insn
from tests.helpers.amount import amount
from tests.helpers.cpu import ppc_streams as streams
from tests.helpers.cpu.ppc_unicorn import INSTRUCTION, LANDING, SPECIAL, XER_BITS, State, Unicorn601

COUNT = amount(3000, 6000)
SEED = 1994
POWER = "mul div divs abs nabs doz dozi clcs maskg maskir rlmi rrib lscbx"
POWER += " sle sleq slq sllq sre sreq srq srlq srea sraq sliq slliq sriq srliq sraiq"
SYSTEM = "sc rfi mfmsr mtmsr mfsr mtsr mfsrin mtsrin tlbie dcbi eciwx ecowx"  # state that Unicorn's harness has not
FLOATING = frozenset(row.name for row in ppc.cpu("MPC601").table.rows if row.function.__module__.endswith(".floating"))
SKIPPED = frozenset((POWER + " " + SYSTEM).split()) | FLOATING
CODE_END = streams.CODE + 0x1000


def operand_numbers(insn: Insn) -> dict[str, int]:
    """Return what decoding has made of the operands that have a field."""
    fields = iter(insn.fields)
    return {
        name: next(fields)
        for (name, _), static in zip(insn.row.operands, insn.statics, strict=True)
        if static is None and name != "aa"
    }


def is_comparable(insn: Insn, numbers: dict[str, int], state: State) -> bool:
    """Is the result defined, and the form one that Unicorn accepts?"""
    name, z = insn.row.name, numbers.get("z")
    if name.startswith("divw"):
        divisor, dividend = state.r[numbers["b"]], state.r[numbers["a"]]
        return divisor != 0 and (dividend, divisor) != (0x80000000, 0xFFFFFFFF)
    if name in ("mfspr", "mtspr"):
        return bool(set(insn.statics) & set(SPECIAL.values()))
    if name.endswith(("u", "ux")) and z is not None:  # PowerPC calls these forms invalid, the 601 does not
        return z != 32 and z != numbers.get("d")
    loaded: set[int] = set()
    if name == "lmw":
        loaded = {n for n in range(32) if numbers["registers"] >> n & 1}
    elif name in ("lswi", "lswx"):
        count = numbers["nb"] if name == "lswi" else state.xer & 0x7F
        loaded = {(numbers["d"] + n) & 31 for n in range((count + 3) // 4)}
    return not loaded & {z, numbers.get("b")} and not (loaded and z == 32 and 0 in loaded)


def place_operand(insn: Insn, numbers: dict[str, int], state: State, address: int) -> bool:
    """Change base or index so that a memory operand lies at an address; False when that cannot be."""
    z = numbers.get("z")
    if z is None or insn.row.name in ("addi", "addis"):
        return True
    if "b" in numbers:
        base = 0 if z == 32 else state.r[z]
        state.r[numbers["b"]] = address // 2 if numbers["b"] == z else (address - base) & 0xFFFFFFFF
        return True
    if z != 32:
        state.r[z] = (address - numbers.get("simm", 0)) & 0xFFFFFFFF
    return z != 32


class Ours:
    """Our core beside Unicorn's, with the same memory."""

    def __init__(self, data: bytes) -> None:
        self.core = Core(ppc.cpu("MPC601"), "off")
        self.evaluator = Evaluator(self.core)
        self.core.write(streams.DATA, data)
        self.core.code[streams.DATA :] = 1  # stores are noticed
        self.core.state["limit"] = 1

    def decode(self, word: int) -> Insn:
        self.core.write(INSTRUCTION, word.to_bytes(4, "big"))
        return self.core.decode(INSTRUCTION)

    def run(self, before: State) -> State | None:
        """Run the instruction; None when it takes an exception."""
        state = self.core.state
        state["r"][:32], state["cr"] = before.r, [before.cr >> (31 - n) & 1 for n in range(32)]
        state["so"], state["ov"], state["ca"] = before.xer >> 31, before.xer >> 30 & 1, before.xer >> 29 & 1
        state["compare_byte"], state["byte_count"] = before.xer >> 8 & 0xFF, before.xer & 0x7F
        state["lr"], state["ctr"], state["mq"] = before.lr, before.ctr, before.mq
        state["pc"], state["reserved"] = INSTRUCTION, 0
        state["written_low"], state["written_high"] = 0xFFFFFFFF, 0
        self.evaluator.run(1)
        pc = int(state["pc"])
        if pc not in (INSTRUCTION + 4, LANDING):
            return None
        cr = sum(int(bit) << (31 - n) for n, bit in enumerate(state["cr"]))
        flags = int(state["so"]) << 31 | int(state["ov"]) << 30 | int(state["ca"]) << 29
        xer = flags | int(state["compare_byte"]) << 8 | int(state["byte_count"])
        registers = [int(state[name]) for name in ("lr", "ctr", "mq")]
        return State(state["r"][:32].tolist(), cr, xer, *registers, taken=pc == LANDING)

    @property
    def written(self) -> tuple[int, int]:
        return int(self.core.state["written_low"]), int(self.core.state["written_high"])


def random_state(generator: streams.Generator) -> State:
    r = generator.random
    ctr = r.choice((0, 1, 2, LANDING, LANDING | 3, r.getrandbits(32)))
    lr = r.choice((LANDING, LANDING | 1, LANDING | 2))
    xer = r.getrandbits(32) & XER_BITS
    return State([generator.value() for _ in range(32)], r.getrandbits(32), xer, lr, ctr, r.getrandbits(32))


def random_instruction(generator: streams.Generator) -> int:
    """Return a random word; branches go to LANDING."""
    row = generator.random.choice(generator.rows)
    word = generator.encode(row)
    if "target" in dict(row.operands):
        low, width = 31 - row.first.index("A") + 1, row.first.count("i")
        word = word & ~(((1 << width) - 1) << low) | (LANDING - INSTRUCTION >> 2) << low
    return word


def test_random_instructions() -> None:
    generator = streams.Generator(ppc.cpu("MPC601"), SEED, SKIPPED)
    peer = Unicorn601()
    data = generator.data()
    ours = Ours(data)
    peer.uc.mem_write(streams.DATA, data)
    tested: collections.Counter[str] = collections.Counter()
    trapped = 0
    while tested.total() < COUNT:
        word, before = random_instruction(generator), random_state(generator)
        insn = ours.decode(word)
        numbers = operand_numbers(insn)
        assert insn.row.pattern, f"{word:08x} is no instruction"
        if insn.row.name.startswith("bcctr"):
            before.ctr = LANDING
        address = streams.DATA + 256 + generator.random.randrange(streams.DATA_BYTES - 512)
        if insn.row.name in ("lwarx", "stwcx") or generator.random.random() < 0.7:  # Unicorn lets those misalign
            address &= ~3
        if not place_operand(insn, numbers, before, address) or not is_comparable(insn, numbers, before):
            continue
        expected, found = peer.run(word, before), ours.run(before)
        where = f"seed {SEED}, {word:08x} {insn.text}, before {before}"
        assert (found is None) == (expected is None), where
        if found is None:
            trapped += 1
        else:
            found.xer, expected.xer = found.xer & XER_BITS, expected.xer & XER_BITS
            assert found == expected, where
        low, high = ours.written
        spans = [(low, high - low)] if high else []
        for start, size in [*spans, *peer.written]:
            stored = bytes(peer.uc.mem_read(start, size))
            assert ours.core.ram[start : start + size].tobytes() == stored, where
            if start >= streams.DATA:
                original = data[start - streams.DATA :][:size]
                peer.uc.mem_write(start, original)
                ours.core.ram[start : start + size] = np.frombuffer(original, np.uint8)
        tested[insn.row.syntax] += 1
    rows = {row.syntax for row in generator.rows}
    print(f"{tested.total()} instructions of {len(tested)} rows, {trapped} of them trapped, seed {SEED}")
    assert COUNT < 6000 or set(tested) == rows
    assert trapped < tested.total() / 20
