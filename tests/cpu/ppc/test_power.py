"""POWER instructions of the 601, typed from the manuals: examples of the AIX Assembler Language Reference, and a second
implementation of its descriptions on strings of bits, in which 0 is the leftmost bit as there.
"""

from __future__ import annotations

import random

import pytest

from retrosim.cpu import ppc
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from tests.helpers.cpu import ppc_streams as streams
from tests.helpers.cpu.ppc_assembler import encode

CPU = ppc.cpu("MPC601")
SEED = 601
SAMPLES = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x9000300F, 0xB0043000, 0x12345678, 0xFFFF0000)


@pytest.fixture(scope="module")
def core() -> Core:
    return Core(CPU, "off")


def run(core: Core, word: int, registers: dict[int, int], mq: int = 0, xer: int = 0) -> dict[str, int]:
    """Run an instruction; return MQ, CR0, SO OV CA, and the registers as "r6"."""
    state = core.state
    for name in state.dtype.names:
        state[name] = 0
    state["limit"], state["written_low"] = 1, 0xFFFFFFFF
    core.write(0x1000, word.to_bytes(4, "big"))
    state["pc"], state["mq"] = 0x1000, mq
    state["so"], state["compare_byte"], state["byte_count"] = xer >> 31, xer >> 8 & 0xFF, xer & 0x7F
    for number, value in registers.items():
        state["r"][number] = value
    Evaluator(core).run(1)
    assert state["pc"] == 0x1004
    found = {f"r{n}": value for n, value in enumerate(state["r"].tolist())}
    cr0 = int("".join(map(str, state["cr"][:4].tolist())), 2)
    flags = int(state["so"]) << 2 | int(state["ov"]) << 1 | int(state["ca"])
    return found | {"mq": int(state["mq"]), "cr0": cr0, "xer": flags, "count": int(state["byte_count"])}


# (instruction, record, registers before, MQ before, expected), all from AIX Assembler Language Reference
EXAMPLES = {
    "mul 6,4,10": ("mul", {"d": 6, "a": 4, "b": 10}, {4: 3, 10: 2}, 0, {"mq": 6, "r6": 0}),
    "mul. 6,4,10": (
        "mul",
        {"d": 6, "a": 4, "b": 10, "rc": 1},
        {4: 0x4500, 10: 0x80007000},
        0,
        {"mq": 0x1E300000, "r6": 0xFFFFDD80, "cr0": 4},
    ),
    "mulo 6,4,10": (
        "mul",
        {"d": 6, "a": 4, "b": 10, "oe": 1},
        {4: 0x4500, 10: 0x80007000},
        0,
        {"mq": 0x1E300000, "r6": 0xFFFFDD80, "xer": 0b110},
    ),
    "div 4,4,6": ("div", {"d": 4, "a": 4, "b": 6}, {4: 0, 6: 2}, 1, {"r4": 0, "mq": 1}),
    "divs 4,4,6": ("divs", {"d": 4, "a": 4, "b": 6}, {4: 1, 6: 2}, 0, {"r4": 0, "mq": 1}),
    "doz 4,4,6": ("doz", {"d": 4, "a": 4, "b": 6}, {4: 1, 6: 2}, 0, {"r4": 1}),
    "doz. 4,4,6": ("doz", {"d": 4, "a": 4, "b": 6, "rc": 1}, {4: 1, 6: 0}, 0, {"r4": 0, "cr0": 2}),
    "dozo 4,4,6": ("doz", {"d": 4, "a": 4, "b": 6, "oe": 1}, {4: 2, 6: 8}, 0, {"r4": 6, "xer": 0}),
    "abs 6,4": ("abs", {"d": 6, "a": 4}, {4: 0x70003000}, 0, {"r6": 0x70003000}),
    "abs. 6,4": ("abs", {"d": 6, "a": 4, "rc": 1}, {4: 0xFFFFFFFF}, 0, {"r6": 1, "cr0": 4}),
    "abso 6,4": ("abs", {"d": 6, "a": 4, "oe": 1}, {4: 0xB0043000}, 0, {"r6": 0x4FFBD000, "xer": 0}),
    "sle 6,4,5": (
        "sle",
        {"d": 4, "a": 6, "b": 5},
        {4: 0x90003000, 5: 4},
        0,
        {"r6": 0x00030000, "mq": 0x00030009},
    ),
    "sliq 6,4,0x14": ("sliq", {"d": 4, "a": 6, "h": 20}, {4: 0x12345678}, 0, {"r6": 0x67800000, "mq": 0x67812345}),
    "sriq 6,4,0xC": ("sriq", {"d": 4, "a": 6, "h": 12}, {4: 0x9000300F}, 0, {"r6": 0x00090003, "mq": 0x00F90003}),
    "srliq 6,4,0x4": (
        "srliq",
        {"d": 4, "a": 6, "h": 4},
        {4: 0x9000300F},
        0x11111111,
        {"r6": 0x19000300, "mq": 0xF9000300},
    ),
    "srliq. 6,4,0x4": (
        "srliq",
        {"d": 4, "a": 6, "h": 4, "rc": 1},
        {4: 0xB0043000},
        0xFFFFFFFF,
        {"r6": 0xFB004300, "mq": 0x0B004300, "cr0": 8},
    ),
    "sre 6,4,5": ("sre", {"d": 4, "a": 6, "b": 5}, {4: 0x90003000, 5: 12}, 0, {"r6": 0x00090003, "mq": 0x00090003}),
    "sre. 6,4,5": (
        "sre",
        {"d": 4, "a": 6, "b": 5, "rc": 1},
        {4: 0xB0043000, 5: 15},
        0,
        {"r6": 0x00016008, "mq": 0x60016008, "cr0": 4},
    ),
    "srlq 6,4,8": (
        "srlq",
        {"d": 4, "a": 6, "b": 8},
        {4: 0x9000300F, 8: 0x24},
        0xFFFFFFFF,
        {"r6": 0x0FFFFFFF, "mq": 0xFFFFFFFF},
    ),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_of_the_manual(core: Core, example: str) -> None:
    name, fields, registers, mq, expected = EXAMPLES[example]
    found = run(core, encode(name, **fields), registers, mq)
    assert {key: found[key] for key in expected} == expected


def test_overflow_of_quotients_and_absolute_values(core: Core) -> None:
    """-2^31 / -1 gives -2^31 and remainder 0; abs of the minimum number is itself, and overflows; nabs never does."""
    minimum, minus = 0x80000000, 0xFFFFFFFF
    found = run(core, encode("divs", d=4, a=4, b=6, oe=1, rc=1), {4: minimum, 6: minus})
    assert (found["r4"], found["mq"], found["xer"], found["cr0"]) == (minimum, 0, 0b110, 0b0011)
    found = run(core, encode("div", d=4, a=4, b=6, oe=1), {4: minus, 6: minus}, mq=minimum)
    assert (found["r4"], found["mq"], found["xer"]) == (minimum, 0, 0b110)
    found = run(core, encode("abs", d=4, a=4, oe=1), {4: minimum})
    assert (found["r4"], found["xer"]) == (minimum, 0b110)
    found = run(core, encode("nabs", d=4, a=4, oe=1), {4: minimum}, xer=1 << 31)
    assert (found["r4"], found["xer"]) == (minimum, 0b100)
    found = run(core, encode("doz", d=4, a=4, b=6, oe=1), {4: minimum, 6: 1})
    assert (found["r4"], found["xer"]) == (0x80000001, 0b110)


@pytest.mark.parametrize("name", ["div", "divs", "mul", "doz", "nabs", "dozi"])
def test_arithmetic_on_integers(core: Core, name: str) -> None:
    """Against Python's integers, where the result fits."""
    r = random.Random(SEED)
    generator = streams.Generator(CPU, SEED)
    signed = lambda x: x - (x >> 31 << 32)  # noqa: E731
    tested = 0
    while tested < 400:
        a, b, mq = (generator.value() for _ in range(3))
        immediate = r.getrandbits(16)
        word = encode(name, d=3, a=4, b=5, i=immediate, rc=1)
        found = run(core, word, {4: a, 5: b}, mq)
        x, y = signed(a), signed(b)
        if name in ("div", "divs"):
            dividend = x << 32 | mq if name == "div" else x
            if y == 0:
                continue
            quotient = abs(dividend) // abs(y) * (1 if (dividend < 0) == (y < 0) else -1)
            if not -(1 << 31) <= quotient < 1 << 31:
                continue
            remainder = dividend - quotient * y
            expected = {"r3": quotient, "mq": remainder, "shown": remainder}
        elif name == "mul":
            expected = {"r3": x * y >> 32, "mq": x * y, "shown": signed(x * y & 0xFFFFFFFF)}
        elif name == "nabs":
            expected = {"r3": -abs(x), "shown": -abs(x)}
        else:
            difference = (y if name == "doz" else immediate - (immediate >> 15 << 16)) - x
            shown = max(difference, 0) & 0xFFFFFFFF
            expected = {"r3": shown, "shown": signed(shown)}
        shown = expected.pop("shown")
        assert {k: found[k] for k in expected} == {k: v & 0xFFFFFFFF for k, v in expected.items()}, (name, a, b, mq)
        if name != "dozi":
            assert found["cr0"] == (8 if shown < 0 else 4 if shown else 2), (name, a, b, mq)
        tested += 1


# --- rotates, masks, shifts with MQ: the descriptions, on strings of bits


def bits(number: int) -> str:
    return f"{number & 0xFFFFFFFF:032b}"


def rotated(word: str, left: int) -> str:
    left %= 32
    return word[left:] + word[:left]


def merged(ones: str, zeros: str, mask: str) -> str:
    """Return bits of `ones` where the mask is 1, of `zeros` where it is 0."""
    return "".join(o if m == "1" else z for o, z, m in zip(ones, zeros, mask, strict=True))


ZEROS, ONES = "0" * 32, "1" * 32


def shift(name: str, s: str, amount: int, mq: str) -> tuple[str, str, int | None]:
    """Return (RA, MQ, CA or None) of a shift with MQ, from its description."""
    n, long = amount & 31, bool(amount & 32)
    left = name[1] == "l"
    word = rotated(s, n if left else 32 - n)
    mask = "1" * (32 - n) + "0" * n if left else "0" * n + "1" * (32 - n)
    match name:
        case "sle" | "sliq" | "sre" | "sriq":
            return merged(word, ZEROS, mask), word, None
        case "sleq" | "slliq" | "sreq" | "srliq":
            return merged(word, mq, mask), word, None
        case "slq" | "srq":
            return merged(word, ZEROS, ZEROS if long else mask), word, None
        case "sllq" | "srlq":
            return merged(mq, ZEROS, mask) if long else merged(word, mq, mask), mq, None
        case "srea" | "sraq" | "sraiq":
            if long and name == "sraq":
                mask = ZEROS
            lost = merged(ZEROS, word, mask)
            return merged(word, s[0] * 32, mask), word, int(s[0] == "1" and "1" in lost)
    raise AssertionError(name)


@pytest.mark.parametrize("name", ["sliq", "slliq", "sriq", "srliq", "sraiq"])
def test_shifts_by_a_number(core: Core, name: str) -> None:
    for s in SAMPLES:
        for amount in range(32):
            check_shift(core, name, encode(name, d=4, a=6, h=amount, rc=1), s, amount)


@pytest.mark.first_case
@pytest.mark.parametrize("name", ["sle", "sleq", "slq", "sllq", "sre", "sreq", "srq", "srlq", "srea", "sraq"])
def test_shifts_by_a_register(core: Core, name: str) -> None:
    for s in SAMPLES:
        for amount in (*range(64), 0xFFFFFFC0, 0x12345665):
            check_shift(core, name, encode(name, d=4, a=6, b=5, rc=1), s, amount)


def check_shift(core: Core, name: str, word: int, s: int, amount: int) -> None:
    mq = 0xA5C3F00F
    ra, new_mq, ca = shift(name, bits(s), amount, bits(mq))
    found = run(core, word, {4: s, 5: amount}, mq)
    where = f"{name} {s:08x} by {amount}"
    assert (bits(found["r6"]), bits(found["mq"])) == (ra, new_mq), where
    assert found["xer"] == (ca or 0), where
    assert found["cr0"] == (8 if ra[0] == "1" else 4 if "1" in ra else 2), where


def test_masks(core: Core) -> None:
    """maskg: ones from mstart to mstop; rlmi: rotated by a register, inserted under such a mask."""
    for first in range(32):
        for last in range(32):
            if first < last + 1:
                mask = "0" * first + "1" * (last - first + 1) + "0" * (31 - last)
            elif first == last + 1:
                mask = ONES
            else:
                mask = "1" * (last + 1) + "0" * (first - last - 1) + "1" * (32 - first)
            found = run(core, encode("maskg", d=4, a=6, b=5), {4: first + 64, 5: last + 32})
            assert bits(found["r6"]) == mask, (first, last)
            word = encode("rlmi", d=4, a=6, b=5, m=first, e=last)
            found = run(core, word, {4: 0x9000300F, 5: 37, 6: 0x0FF00FF0})
            assert bits(found["r6"]) == merged(rotated(bits(0x9000300F), 5), bits(0x0FF00FF0), mask), (first, last)


def test_insertions(core: Core) -> None:
    """maskir: RS under the mask RB; rrib: bit 0 of RS becomes bit n of RA."""
    r = random.Random(SEED)
    for _ in range(200):
        s, a, b = (r.getrandbits(32) for _ in range(3))
        found = run(core, encode("maskir", d=4, a=6, b=5, rc=1), {4: s, 5: b, 6: a})
        assert bits(found["r6"]) == merged(bits(s), bits(a), bits(b))
        n = b & 31
        found = run(core, encode("rrib", d=4, a=6, b=5), {4: s, 5: b, 6: a})
        assert bits(found["r6"]) == bits(a)[:n] + bits(s)[0] + bits(a)[n + 1 :]


def test_line_sizes(core: Core) -> None:
    for kind in (12, 13, 14, 15):
        assert run(core, encode("clcs", d=3, a=kind), {})["r3"] == 64


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 11, 127])
@pytest.mark.parametrize("match", [None, 0, 2, 3, 7, 100])
def test_compared_strings(core: Core, count: int, match: int | None) -> None:
    """lscbx: bytes into registers until one equals XER 16-23, that one too; the count is what was loaded."""
    text = bytes(n % 200 + 1 for n in range(127))
    core.write(0x2000, text + b"\0")
    wanted = 0xFF if match is None else text[match]
    where = text.find(bytes([wanted]))
    loaded = where + 1 if match is not None and where < count else count
    found = run(core, encode("lscbx", d=30, a=4, b=5, rc=1), {4: 0x1F00, 5: 0x100}, xer=wanted << 8 | count)
    assert found["count"] == loaded
    assert found["cr0"] == (2 if match is not None and where < count else 0)
    data = text[:loaded] + bytes(-loaded % 4)
    for number in range((loaded + 3) // 4):
        register = (30 + number) % 32
        if register not in (4, 5):  # they hold the address, what would come there is lost
            assert found[f"r{register}"] == int.from_bytes(data[4 * number : 4 * number + 4], "big"), number
    assert (found["r4"], found["r5"]) == (0x1F00, 0x100)
