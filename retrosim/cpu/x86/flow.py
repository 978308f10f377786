"""Jumps, calls, returns, loops, software interrupts, and the services of the simulated machine.

A service is asked for by INT 60h + number, number 0..7: the vectors that the PC leaves to the user. A number that the
machine does not know is an ordinary software interrupt.
"""

from __future__ import annotations

from ..spec.cpu import SERVICE
from ..spec.rows import Row, undefined_row
from .exceptions import BREAKPOINT, DEBUG, INVALID, NO_FPU, OVERFLOW, enter
from .flags import condition
from .modes import FROM_386, is_286, is_real
from .modrm import ECX, address, behind, read
from .segments import CS, GENERAL_PROTECTION, fault, fault_when, load, load_segment
from .state import EMULATION, drop, insn, next_ip, push, set_flags, top

SERVICE_VECTORS = 0x60
SERVICES = 8


def checked(m, ip):
    """Fault on an offset beyond the limit of the code segment, before anything has happened."""
    if is_real(m.cpu.model) and ip.bits == 32:
        fault_when(m, m.element("seg_limit", m.const(32, CS)).ult(ip), GENERAL_PROTECTION)
    return ip


def jump(m, ip):
    """Go on at an offset of the code segment."""
    offset = ip.zext(32)
    m.jump(m.element("seg_base", m.const(32, CS)) + offset if is_real(m.cpu.model) else offset)


def branch(m, s, holds, target, first=lambda: None):
    """Continue at a target that decoding knows. It lies in the segment as a rule; else the offset wraps, or faults.

    first   what happens before the jump, once it is sure not to fault
    """
    if not is_real(m.cpu.model):
        first()
        m.branch(holds, target)
        return
    cs = m.const(32, CS)
    base = m.element("seg_base", cs)
    offset = target - base
    outside = m.element("seg_limit", cs).ult(offset) & holds
    if s == 32:
        fault_when(m, outside, GENERAL_PROTECTION)
        first()
        m.branch(holds, target)
    else:
        first()
        m.branch(holds & ~outside, target)
        m.when(outside, lambda: m.jump(base + (offset & 0xFFFF)))


@insn("JMP {target}", "11101001", flow=True, ends=True, cost="JMP rel", ref="Intel 386 PRM, JMP")
@insn("JMP {target}", "11101011", displacement=8, flow=True, ends=True, cost="JMP rel", ref="Intel 386 PRM, JMP")
def jmp(m, s, target):
    branch(m, s, m.const(1, 1), target)


@insn("JMP {ea}", "11111111 mm100eee", flow=True, ends=True, jumps=True, cost="JMP r/m", ref="Intel 386 PRM, JMP")
def jmp_indirect(m, s, ea):
    jump(m, checked(m, read(m, ea, s)))


JCC = ("Jcc taken", "Jcc not taken")


@insn("J{c} {target}", "00001111 1000cccc", flow=True, models=FROM_386, cost=JCC, ref="Intel 386 PRM, Jcc")
@insn("J{c} {target}", "0111cccc", displacement=8, flow=True, cost=JCC, ref="Intel 386 PRM, Jcc")
def jcc(m, s, c, target):
    branch(m, s, condition(m, c), target)


@insn(
    "J{a}CXZ {target}",
    "11100011",
    displacement=8,
    flow=True,
    cost=("JCXZ taken", "JCXZ not taken"),
    ref="Intel 386 PRM",
)
def jcxz(m, s, a, target):
    branch(m, s, m.reg(ECX, a).eq(0), target)


def _loop(wanted):
    def loop(m, s, a, target):
        count = m.reg(ECX, a) - 1
        goes_on = count.ne(0)
        if wanted is not None:
            goes_on = goes_on & (m.get("zf") if wanted else ~m.get("zf"))
        branch(m, s, goes_on, target, first=lambda: m.set_reg(ECX, count))

    return loop


for _name, _code, _wanted in (("LOOPNE", "00", False), ("LOOPE", "01", True), ("LOOP", "10", None)):
    _cost = (f"{_name} taken", f"{_name} not taken")
    insn(f"{_name} {{target}}", f"111000{_code}", displacement=8, flow=True, cost=_cost, ref="Intel 386 PRM, LOOP")(
        _loop(_wanted)
    )


@insn("CALL {target}", "11101000", flow=True, calls=True, cost="CALL rel", ref="Intel 386 PRM, CALL")
def call_near(m, s, target):
    branch(m, s, m.const(1, 1), target, first=lambda: push(m, next_ip(m, s)))


@insn("CALL {ea}", "11111111 mm010eee", flow=True, calls=True, cost="CALL r/m", ref="Intel 386 PRM, CALL")
def call_indirect(m, s, ea):
    ip = checked(m, read(m, ea, s))
    push(m, next_ip(m, s))
    jump(m, ip)


def _far_jump(m, ip, selector):
    load_segment(m, CS, selector)
    jump(m, ip)


def _far_call(m, s, ip, selector):
    push(m, m.element("seg", m.const(32, CS)).zext(s))
    push(m, next_ip(m, s))
    _far_jump(m, ip, selector)


def _pointer(m, s, ea):
    pointer = address(m, ea)
    return checked(m, load(m, ea.segment, pointer, s)), load(m, ea.segment, behind(ea, pointer, s // 8), 16)


@insn("JMP {far}", "11101010", flow=True, ends=True, cost="JMP far", ref="Intel 386 PRM, JMP")
def jmp_far(m, s, far):
    _far_jump(m, checked(m, far[0].trunc(s)), far[1].trunc(16))


@insn("JMP FAR {ea}", "11111111 mm101eee", ea="mem", flow=True, ends=True, cost="JMP m16:m", ref="Intel 386 PRM, JMP")
def jmp_far_indirect(m, s, ea):
    _far_jump(m, *_pointer(m, s, ea))


@insn("CALL {far}", "10011010", flow=True, calls=True, cost="CALL far", ref="Intel 386 PRM, CALL")
def call_far(m, s, far):
    _far_call(m, s, checked(m, far[0].trunc(s)), far[1].trunc(16))


@insn(
    "CALL FAR {ea}", "11111111 mm011eee", ea="mem", flow=True, calls=True, cost="CALL m16:m", ref="Intel 386 PRM, CALL"
)
def call_far_indirect(m, s, ea):
    _far_call(m, s, *_pointer(m, s, ea))


def _return(m, s, removed):
    ip = checked(m, top(m, s))
    drop(m, removed + s // 8)
    jump(m, ip)


@insn("RET", "11000011", flow=True, ends=True, ref="Intel 386 PRM, RET")
def ret(m, s):
    _return(m, s, m.const(16 if is_real(m.cpu.model) else 32, 0))


@insn("RET {imm16}", "11000010", flow=True, ends=True, cost="RET imm", ref="Intel 386 PRM, RET")
def ret_and_remove(m, s, imm16):
    _return(m, s, imm16.trunc(16) if is_real(m.cpu.model) else imm16)


def _far_return(m, s, removed):
    ip, selector = checked(m, top(m, s)), top(m, s, s // 8).trunc(16)
    drop(m, removed + s // 4)
    _far_jump(m, ip, selector)


@insn("RETF", "11001011", flow=True, ends=True, ref="Intel 386 PRM, RET")
def retf(m, s):
    _far_return(m, s, m.const(16 if is_real(m.cpu.model) else 32, 0))


@insn("RETF {imm16}", "11001010", flow=True, ends=True, cost="RETF imm", ref="Intel 386 PRM, RET")
def retf_and_remove(m, s, imm16):
    _far_return(m, s, imm16.trunc(16) if is_real(m.cpu.model) else imm16)


# --- interrupts


def _software(m, vector):
    enter(m, vector, m.next_pc)


@insn("INT {imm8}", "11001101", flow=True, ref="Intel 386 PRM, INT; guide/programs.md, Services")
def int_(m, imm8):
    number = imm8 - SERVICE_VECTORS
    m.when(number.ult(SERVICES), lambda: m.leave(SERVICE, number), lambda: _software(m, imm8))


@insn("INT3", "11001100", flow=True, cost="INT 3", ref="Intel 386 PRM, INT")
def int3(m):
    _software(m, BREAKPOINT)


@insn("INT1", "11110001", flow=True, models=FROM_386, cost="INT 3", ref="not in the manuals: the debug exception")
def int1(m):
    _software(m, DEBUG)


@insn("INTO", "11001110", flow=True, cost=("INTO taken", "INTO not taken"), ref="Intel 386 PRM, INTO")
def into(m):
    m.outcome(m.get("of"))
    m.when(m.get("of"), lambda: _software(m, OVERFLOW))


@insn("IRET{s}", "11001111", flow=True, ends=True, cost="IRET", ref="Intel 386 PRM, IRET")
def iret(m, s):
    ip, selector, flags = checked(m, top(m, s)), top(m, s, s // 8).trunc(16), top(m, s, s // 4)
    drop(m, 3 * s // 8)
    _far_jump(m, ip, selector)
    set_flags(m, flags)


# --- what is no instruction here


@insn("ESC {t},{operation},{ea}", "11011ttt mmgggeee", ref="Intel 386 PRM 11.1: no coprocessor, exception 7")
def escape(m, t, s, ea, operation):
    if not is_286(m.cpu.model):
        fault(m, NO_FPU)
        return
    fault_when(m, (m.element("cr", m.const(32, 0)) & EMULATION).ne(0), NO_FPU)
    if ea.cls != "reg":
        read(m, ea, s)


def _undefined(name: str, vector: int, ref: str) -> Row:
    return undefined_row(name, name + " {opcode:#04x}", lambda m: fault(m, vector), "exception", ref)


UNDEFINED_ROW = _undefined("UNDEFINED", INVALID, "Intel 386 PRM 9.8.7")
TOO_LONG_ROW = _undefined("TOO-LONG", GENERAL_PROTECTION, "Intel 386 PRM 9.8.13")
INTERRUPT_ROW = undefined_row(
    "INT",
    "INT {opcode:#04x}",
    lambda m: _software(m, m.get("detail") + SERVICE_VECTORS),
    "exception",
    "Intel 386 PRM, INT",
)
UNDEFINED_ROWS = (UNDEFINED_ROW, TOO_LONG_ROW, INTERRUPT_ROW)


def undefined(opcode: int, address: int, too_long: bool) -> Row:
    """Return the row that runs where nothing is encoded."""
    return TOO_LONG_ROW if too_long else UNDEFINED_ROW
