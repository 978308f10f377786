"""Special registers, machine state, caches and what else belongs to an operating system (601UM sections 3.7, 3.8).

Translation is off and stays off: segment, BAT and HID registers hold what is written, and tlbie does nothing. Memory
has one user, so that instructions for cache coherence cost their time and nothing else; dcbz clears a sector.
RTC and DEC run with the machine's 7.8336 MHz timer, in steps of 128 (ns, and counts): `timer` in the memory parameters.
Nothing interrupts when DEC passes zero: ticks are the host's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..spec.cpu import STATUS_WRITTEN
from ..spec.semantics import ExecutionContext
from ..spec.values import Word
from .exceptions import DATA_ACCESS, EXTERNAL_CONTROL, aligned, exception, instruction_bits, privileged
from .move import GRANULE, x_form
from .mpc601_cache import parameter
from .state import UM, get_xer, insn, set_xer

TIMER_SCALE = 100_000  # periods of the timer that the parameter `timer` is the CPU clocks of
STEP = 128
SECOND = 1_000_000_000
PVR = 0x00010001  # MPC601, revision 1


def _ticks(m: ExecutionContext, since: str) -> Word:
    """Return the periods of the timer since a clock; none on a machine that has no timer."""
    period = parameter(m, "timer")
    elapsed = (m.get("cycles") - m.get(since)) * TIMER_SCALE
    return m.select(period.eq(0), m.const(64, 0), elapsed.udiv(m.select(period.eq(0), m.const(64, 1), period)))


def _rtc(m: ExecutionContext) -> Word:
    """Return the real-time clock in nanoseconds."""
    return m.get("rtc_start") + _ticks(m, "rtc_clock") * STEP


def _set_rtc(m: ExecutionContext, nanoseconds: Word) -> None:
    m.set("rtc_start", nanoseconds)
    m.set("rtc_clock", m.get("cycles"))


def _set_rtcu(m: ExecutionContext, word: Word) -> None:
    _set_rtc(m, word.zext(64) * SECOND + _rtc(m).urem(m.const(64, SECOND)))


def _set_rtcl(m: ExecutionContext, word: Word) -> None:
    now = _rtc(m)
    _set_rtc(m, now - now.urem(m.const(64, SECOND)) + (word & 0x3FFFFF80).zext(64))


def _set_dec(m: ExecutionContext, word: Word) -> None:
    m.set("dec_start", word)
    m.set("dec_clock", m.get("cycles"))


def _rtcu(m: ExecutionContext) -> Word:
    return _rtc(m).udiv(m.const(64, SECOND)).trunc(32)


def _rtcl(m: ExecutionContext) -> Word:
    return _rtc(m).urem(m.const(64, SECOND)).trunc(32)


def _dec(m: ExecutionContext) -> Word:
    return m.get("dec_start") - _ticks(m, "dec_clock").trunc(32) * STEP


Read: TypeAlias = Callable[[ExecutionContext], Word]
Write: TypeAlias = Callable[[ExecutionContext, Word], None]


def _field(name: str) -> tuple[Read, Write]:
    return lambda m: m.get(name), lambda m, word: m.set(name, word)


def _element(name: str, n: int) -> tuple[Read, Write]:
    return lambda m: m.element(name, m.const(32, n)), lambda m, word: m.set_element(name, m.const(32, n), word)


def _for_branches(name: str) -> tuple[Read, Write]:
    """LR or CTR, which branches wait for."""

    def write(m: ExecutionContext, word: Word) -> None:
        m.set(name, word)
        m.timing.branch_register(name)

    return lambda m: m.get(name), write


# number -> (read, write, None where it cannot) (601UM section 2.3.3)
USER: dict[int, tuple[Read | None, Write | None]] = {
    0: _field("mq"),
    1: (get_xer, set_xer),
    4: (_rtcu, None),
    5: (_rtcl, None),
    6: (_dec, None),
    8: _for_branches("lr"),
    9: _for_branches("ctr"),
}
SUPERVISOR: dict[int, tuple[Read | None, Write | None]] = {
    18: _field("dsisr"),
    19: _field("dar"),
    20: (None, _set_rtcu),
    21: (None, _set_rtcl),
    22: (_dec, _set_dec),
    25: _field("sdr1"),
    26: _field("srr0"),
    27: _field("srr1"),
    **{272 + n: _element("sprg", n) for n in range(4)},
    282: _field("ear"),
    287: (lambda m: m.const(32, PVR), None),
    **{528 + n: _element("bat", n) for n in range(8)},
    **{number: _element("hid", n) for n, number in enumerate((1008, 1009, 1010, 1013, 1023))},
}
REGISTERS = USER | SUPERVISOR
READABLE = tuple(n for n, (read, _) in REGISTERS.items() if read)
WRITABLE = tuple(n for n, (_, write) in REGISTERS.items() if write)


def _as_allowed(m: ExecutionContext, spr: int, body: Callable[[], None]) -> None:
    if spr in USER:
        body()
    else:
        privileged(m, body)


@insn("mfspr {d},{spr}", f"011111dddddpppppppppp{339:010b}0", registers=READABLE, ref=UM)
def mfspr(m, d, spr):
    _as_allowed(m, spr, lambda: m.set_reg(d, REGISTERS[spr][0](m), stage="late"))


@insn("mtspr {spr},{s}", f"011111dddddpppppppppp{467:010b}0", registers=WRITABLE, ref=UM)
def mtspr(m, spr, s):
    _as_allowed(m, spr, lambda: REGISTERS[spr][1](m, m.reg(s)))


@insn("mfmsr {d}", f"011111ddddd0000000000{83:010b}0", ref=UM)
def mfmsr(m, d):
    privileged(m, lambda: m.set_reg(d, m.get("msr")))


def _set_msr(m: ExecutionContext, word: Word) -> None:
    m.set("msr", word & 0xFFFF)
    m.leave(STATUS_WRITTEN)  # pending interrupts are the host's to look at


@insn("mtmsr {s}", f"011111ddddd0000000000{146:010b}0", ref=UM, serialises=True)
def mtmsr(m, s):
    privileged(m, lambda: _set_msr(m, m.reg(s)))


@insn("rfi", f"010011000000000000000{50:010b}0", ref=UM, flow=True, ends=True, serialises=True)
def rfi(m):
    def back():
        _set_msr(m, m.get("srr1"))
        m.jump(m.get("srr0") & -4)

    privileged(m, back)


# --- synchronisation, caches, translation


def _nothing(m):
    pass


def _at_address(m, z, b):
    """Nothing but time."""


def _privileged_nothing(m, b):
    privileged(m, lambda: None)


insn("sync", f"011111000000000000000{598:010b}0", ref=UM)(_nothing)
insn("isync", f"010011000000000000000{150:010b}0", ref=UM, serialises=True)(_nothing)
insn("eieio", f"011111000000000000000{854:010b}0", ref=UM)(_nothing)
for _name, _code in (("dcbf", 86), ("dcbst", 54), ("dcbt", 278), ("dcbtst", 246), ("icbi", 982)):
    insn(f"{_name} {{z}},{{b}}", f"01111100000aaaaabbbbb{_code:010b}0", ref=UM)(_at_address)
insn("tlbie {b}", f"0111110000000000bbbbb{306:010b}0", ref=UM)(_privileged_nothing)


@insn("dcbi {z},{b}", f"01111100000aaaaabbbbb{470:010b}0", ref=UM)
def dcbi(m, z, b):
    privileged(m, lambda: None)


@insn("dcbz {z},{b}", f"01111100000aaaaabbbbb{1014:010b}0", ref=UM, fills=True)
def dcbz(m, z, b):
    start = (m.reg(z) + m.reg(b)) & -GRANULE
    for offset in range(0, GRANULE, 4):
        m.store(start + offset, m.const(32, 0))


@insn("mfsr {d},{sr}", f"011111ddddd0pppp00000{595:010b}0", ref=UM)
def mfsr(m, d, sr):
    privileged(m, lambda: m.set_reg(d, m.element("sr", sr)))


@insn("mtsr {sr},{s}", f"011111ddddd0pppp00000{210:010b}0", ref=UM)
def mtsr(m, sr, s):
    privileged(m, lambda: m.set_element("sr", sr, m.reg(s)))


@insn("mfsrin {d},{b}", f"011111ddddd00000bbbbb{659:010b}0", ref=UM)
def mfsrin(m, d, b):
    privileged(m, lambda: m.set_reg(d, m.element("sr", m.reg(b) >> 28)))


@insn("mtsrin {s},{b}", f"011111ddddd00000bbbbb{242:010b}0", ref=UM)
def mtsrin(m, s, b):
    privileged(m, lambda: m.set_element("sr", m.reg(b) >> 28, m.reg(s)))


# --- external control: there is no device behind it, so it reads and writes memory once EAR allows it


def _external(m: ExecutionContext, register: Word, address: Word, pattern: str, body: Callable[[], None]) -> None:
    def refuse() -> None:
        m.set("dar", address)
        m.set("dsisr", m.const(32, EXTERNAL_CONTROL))
        exception(m, DATA_ACCESS)

    def allowed() -> None:
        aligned(m, address, instruction_bits(m, pattern, register, m.const(32, 0)), body)

    m.when((m.get("ear") >> 31).ne(0), allowed, refuse)


@insn("eciwx {d},{z},{b}", x_form(310), ref=UM)
def eciwx(m, d, z, b):
    address = m.reg(z) + m.reg(b)
    _external(m, d, address, x_form(310), lambda: m.set_reg(d, m.load(address, 32), stage="load"))


@insn("ecowx {s},{z},{b}", x_form(438), ref=UM)
def ecowx(m, s, z, b):
    address = m.reg(z) + m.reg(b)
    _external(m, s, address, x_form(438), lambda: m.store(address, m.reg(s)))
