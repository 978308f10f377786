"""Branches, condition-register logic, traps, and the services of the simulated machine (601UM sections 3.6, 3.7).

A program asks for a service with `sc`, the service's number in r0; results come back in r3 and r4. A number that the
machine does not know gives the system call exception of the processor.
"""

from __future__ import annotations

from ..spec.cpu import SERVICE
from ..spec.rows import Row, undefined_row
from ..spec.values import Word
from .exceptions import ILLEGAL, PROGRAM, SYSTEM_CALL, TRAP, exception
from .state import UM, get_bit, get_cr, insn, set_bit, set_field


def _branch_rows(name: str, operands: str, opcode: str, rest: str, semantics, counts: bool = True, **options) -> None:
    """Declare a conditional branch: a row for each of the things that BO makes it look at, with and without a link."""
    kinds = {"always": "1-1--", "condition": "0v1-y", "count": "1-0wy", "both": "0v0wy"}
    for kind, bo in kinds.items():
        if not counts and kind in ("count", "both"):
            continue
        for link in (0, 1):
            insn(
                f"{name}{'l' * link}{operands}",
                f"{opcode}{bo}nnnnn{rest}{link}",
                ref=UM,
                flow=True,
                calls=bool(link),
                ends=kind == "always" and not link,
                conditional=kind in ("condition", "both"),
                cost=("bc taken", "bc not taken"),
                **options,
            )(semantics(link))


def _holds(m, bo, bi: Word) -> Word:
    """Count CTR down when the branch does that, and return the condition to branch on."""
    counted, condition = bo
    holds = m.const(1, 1)
    if counted is not None:
        count = m.get("ctr") - 1
        m.set("ctr", count)
        holds = count.eq(0) if counted else count.ne(0)
    if condition is not None:
        holds = holds & (get_bit(m, bi) if condition else ~get_bit(m, bi))
    return holds


def _link(m, link: int) -> None:
    if link:
        m.set("lr", m.next_pc)


def _b(link: int):
    def branch(m, aa, target):
        _link(m, link)
        m.branch(m.const(1, 1), target)

    return branch


for _k in (0, 1):
    insn(
        f"b{'l' * _k}{{aa}} {{target}}",
        f"010010{'i' * 24}A{_k}",
        flow=True,
        calls=bool(_k),
        ends=not _k,
        cost=("bc taken", "bc not taken"),
        ref=UM,
    )(_b(_k))


def _bc(link: int):
    def branch(m, aa, bo, bi, target):
        holds = _holds(m, bo, bi)
        _link(m, link)
        m.branch(holds, target)

    return branch


def _by_register(register: str):
    def with_link(link: int):
        def branch(m, bo, bi):
            address = m.get(register) & -4
            holds = _holds(m, bo, bi)
            _link(m, link)
            m.outcome(holds)
            m.when(holds, lambda: m.jump(address))

        return branch

    return with_link


_branch_rows("bc", "{aa} {bo},{bi},{target}", "010000", "i" * 14 + "A", _bc)
_branch_rows("bclr", " {bo},{bi}", "010011", f"00000{16:010b}", _by_register("lr"), via="lr")
_branch_rows(
    "bcctr", " {bo},{bi}", "010011", f"00000{528:010b}", _by_register("ctr"), counts=False, via="ctr", jumps=True
)


# --- condition register


def _condition_logic(operation):
    def logic(m, bt, ba, bb):
        set_bit(m, bt, operation(get_bit(m, ba), get_bit(m, bb)))
        m.timing.condition_field(bt >> 2)

    return logic


for _name, _code, _operation in (
    ("crand", 257, lambda a, b: a & b),
    ("crandc", 129, lambda a, b: a & ~b),
    ("creqv", 289, lambda a, b: ~(a ^ b)),
    ("crnand", 225, lambda a, b: ~(a & b)),
    ("crnor", 33, lambda a, b: ~(a | b)),
    ("cror", 449, lambda a, b: a | b),
    ("crorc", 417, lambda a, b: a | ~b),
    ("crxor", 193, lambda a, b: a ^ b),
):
    insn(
        f"{_name} {{bt}},{{ba}},{{bb}}",
        f"010011dddddaaaaabbbbb{_code:010b}0",
        ref=UM,
        condition_logic=True,
    )(_condition_logic(_operation))


@insn("mcrf {crf},{crg}", f"010011fff00ggg0000000{0:010b}0", ref=UM, condition_logic=True)
def mcrf(m, crf, crg):
    set_field(m, crf, *(get_bit(m, (crg << 2) + bit) for bit in range(4)))


@insn("mcrxr {crf}", f"011111fff000000000000{512:010b}0", ref=UM)
def mcrxr(m, crf):
    zero = m.const(1, 0)
    set_field(m, crf, m.get("so"), m.get("ov"), m.get("ca"), zero)
    for flag in ("so", "ov", "ca"):
        m.set(flag, zero)


@insn("mfcr {d}", f"011111ddddd0000000000{19:010b}0", ref=UM)
def mfcr(m, d):
    m.set_reg(d, get_cr(m), stage="late")


@insn("mtcrf {fxm},{s}", f"011111ddddd0ffffffff0{144:010b}0", ref=UM, moves_condition=True)
def mtcrf(m, fxm, s):
    word = m.reg(s)

    def field(n: Word) -> None:
        bits = word >> (28 - (n << 2))
        set_field(m, n, *((bits >> (3 - bit)).trunc(1) for bit in range(4)))

    m.for_each_bit(fxm, field)


# --- traps, services, what is no instruction


def _trap(m, to: Word, a: Word, b: Word) -> None:
    traps = m.const(1, 0)
    for bit, holds in enumerate((b.ult(a), a.ult(b), a.eq(b), b.slt(a), a.slt(b))):
        traps = traps | holds & (to >> bit).trunc(1)
    m.when(traps, lambda: exception(m, PROGRAM, TRAP))


@insn("tw {to},{a},{b}", f"011111tttttaaaaabbbbb{4:010b}0", ref=UM)
def tw(m, to, a, b):
    _trap(m, to, m.reg(a), m.reg(b))


@insn("twi {to},{a},{simm}", f"000011tttttaaaaa{'i' * 16}", ref=UM)
def twi(m, to, a, simm):
    _trap(m, to, m.reg(a), simm)


@insn("sc", f"010001{'-' * 24}1-", ref=UM, flow=True, serialises=True)
def sc(m):
    m.leave(SERVICE, m.reg(0))


def _undefined(name: str, syntax: str, vector: int, cause: int, cost: str) -> Row:
    return undefined_row(name, syntax, lambda m: exception(m, vector, cause), cost, "601UM chapter 5")


ILLEGAL_ROW = _undefined("illegal", ".long 0x{opcode:08x}", PROGRAM, ILLEGAL, "exception")
SYSTEM_CALL_ROW = _undefined("sc", "sc", SYSTEM_CALL, 0x00020000, "exception")  # SRR1 0-15: low half of the instruction


UNDEFINED_ROWS = (ILLEGAL_ROW, SYSTEM_CALL_ROW)


def undefined(opcode: int, address: int, too_long: bool) -> Row:
    """Return the row that runs for a word that nothing claims."""
    return ILLEGAL_ROW
