"""Moves, exchanges, address loads, conversions, the stack."""

from __future__ import annotations

from ..spec.rows import Options
from .modes import FROM_386, is_286
from .modrm import EAX, EBP, EBX, ECX, EDI, EDX, ESI, ESP, address, behind, modify, read, write
from .segments import CS, DS, ES, FS, GS, SS, linear, load, load_segment, store
from .state import drop, get_flags, hold_interrupts, insn, pop, push, set_flags, stack_bits, top

MOV = "Intel 386 PRM, MOV"


@insn("MOV {ea},{g}", "1000100w mmgggeee", cost="MOV r/m,r", ref=MOV)
def mov_to_operand(m, s, ea, g):
    write(m, ea, read(m, g, s))


@insn("MOV {g},{ea}", "1000101w mmgggeee", cost="MOV r,r/m", ref=MOV)
def mov_to_register(m, s, g, ea):
    write(m, g, read(m, ea, s))


@insn("MOV {ea},{imm}", "1100011w mm000eee", cost="MOV r/m,imm", ref=MOV)
def mov_immediate(m, s, ea, imm):
    write(m, ea, imm.trunc(s))


@insn("MOV {d},{imm}", "10110ddd", size=8, cost="MOV r,imm", ref=MOV)
def mov_byte(m, d, imm):
    write(m, d, imm.trunc(8))


@insn("MOV {d},{imm}", "10111ddd", cost="MOV r,imm", ref=MOV)
def mov_word(m, s, d, imm):
    write(m, d, imm.trunc(s))


@insn("MOV {acc},{moffs}", "1010000w", cost="MOV acc,moffs", ref=MOV)
def mov_from_offset(m, s, acc, moffs):
    write(m, acc, read(m, moffs, s))


@insn("MOV {moffs},{acc}", "1010001w", cost="MOV moffs,acc", ref=MOV)
def mov_to_offset(m, s, moffs, acc):
    write(m, moffs, read(m, acc, s))


@insn("MOV {ea},{sreg}", "10001100 mmgggeee", word_in_memory=True, cost="MOV r/m,sreg", ref=MOV)
def mov_from_segment(m, s, ea, sreg):
    """A register gets the selector in all its bits, memory a word."""
    selector = m.element("seg", sreg)
    write(m, ea, selector.zext(s) if ea.cls == "reg" else selector)


@insn("MOV {sreg},{ea}", "10001110 mmgggeee", size=16, load=True, cost="MOV sreg,r/m", ref=MOV)
def mov_to_segment(m, ea, sreg):
    load_segment(m, sreg, read(m, ea, 16))
    m.when(sreg.eq(SS), lambda: hold_interrupts(m))


for _name, _code, _signed in (("MOVZX", "0110", False), ("MOVSX", "1110", True)):
    for _bit, _bits in (("0", 8), ("1", 16)):
        insn(
            f"{_name} {{g}},{{ea}}",
            f"00001111 1011{_code[:3]}{_bit} mmgggeee",
            ea_size=_bits,
            models=FROM_386,
            cost="MOVZX/MOVSX",
            ref=f"Intel 386 PRM, {_name}",
        )(lambda m, s, g, ea, bits=_bits, signed=_signed: write(m, g, read(m, ea, bits).resize(s, signed)))


@insn("LEA {g},{ea}", "10001101 mmgggeee", ea="mem", ref="Intel 386 PRM, LEA")
def lea(m, s, g, ea):
    write(m, g, address(m, ea).trunc(s))


def _load_pointer(segment):
    def load_pointer(m, s, g, ea):
        pointer = address(m, ea)
        offset = load(m, ea.segment, pointer, s)
        selector = load(m, ea.segment, behind(ea, pointer, s // 8), 16)
        load_segment(m, segment, selector)
        write(m, g, offset)

    return load_pointer


for _name, _pattern, _segment, _models in (
    ("LES", "11000100", ES, None),
    ("LDS", "11000101", DS, None),
    ("LSS", "00001111 10110010", SS, FROM_386),
    ("LFS", "00001111 10110100", FS, FROM_386),
    ("LGS", "00001111 10110101", GS, FROM_386),
):
    _common: Options = {"ea": "mem", "models": _models, "cost": "LDS/LES/LFS/LGS/LSS", "ref": "Intel 386 PRM, LDS"}
    insn(f"{_name} {{g}},{{ea}}", f"{_pattern} mmgggeee", **_common)(_load_pointer(_segment))


@insn("XCHG {ea},{g}", "1000011w mmgggeee", lock=True, cost="XCHG r/m,r", ref="Intel 386 PRM, XCHG")
def xchg(m, s, ea, g):
    new = read(m, g, s)

    def exchange(value):
        write(m, g, value)
        return new

    modify(m, ea, s, exchange)


@insn("XCHG {acc},{d}", "10010ddd", excludes=0, cost="XCHG acc,r", ref="Intel 386 PRM, XCHG")
def xchg_accumulator(m, s, acc, d):
    a, value = read(m, acc, s), read(m, d, s)
    write(m, acc, value)
    write(m, d, a)


@insn("NOP", "10010000", ref="Intel 386 PRM, NOP")
def nop(m):
    pass


@insn("XLAT", "11010111", size=8, ref="Intel 386 PRM, XLAT")
def xlat(m, a, segment):
    pointer = (m.reg(EBX, a) + m.reg(EAX, 8).zext(a)).zext(32)
    m.set_reg(EAX, load(m, segment, pointer, 8), stage="byte")


@insn("CBW{s}", "10011000", named=True, cost="CBW/CWDE", ref="Intel 386 PRM, CBW")
def cbw(m, s):
    m.set_reg(EAX, m.reg(EAX, s // 2).sext(s))


@insn("CWD{s}", "10011001", named=True, cost="CWD/CDQ", ref="Intel 386 PRM, CWD")
def cwd(m, s):
    m.set_reg(EDX, m.reg(EAX, s).sext(2 * s).sar(s).trunc(s))


# --- the stack


@insn("PUSH {d}", "01010ddd", cost="PUSH r", ref="Intel 386 PRM, PUSH")
def push_register(m, s, d):
    push(m, read(m, d, s))


@insn("PUSH {ea}", "11111111 mm110eee", cost="PUSH r/m", ref="Intel 386 PRM, PUSH")
def push_operand(m, s, ea):
    push(m, read(m, ea, s))


@insn("PUSH {imm}", "01101000", cost="PUSH imm", ref="Intel 386 PRM, PUSH")
def push_immediate(m, s, imm):
    push(m, imm.trunc(s))


@insn("PUSH {simm}", "01101010", cost="PUSH imm", ref="Intel 386 PRM, PUSH")
def push_sign_extended(m, s, simm):
    push(m, simm.trunc(s))


@insn("POP {d}", "01011ddd", cost="POP r", ref="Intel 386 PRM, POP")
def pop_register(m, s, d):
    write(m, d, pop(m, s))


@insn("POP {ea}", "10001111 mm000eee", cost="POP r/m", ref="Intel 386 PRM, POP")
def pop_operand(m, s, ea):
    """An address with ESP in it counts from the stack pointer after the pop. The 286 pops before the store."""
    value, early = top(m, s), ea.cls == "reg" or is_286(m.cpu.model)
    if early:
        drop(m, s // 8)
        write(m, ea, value)
    else:
        store(m, ea.segment, address(m, ea, popped=s // 8), value)
        drop(m, s // 8)


def _push_segment(segment):
    return lambda m, s: push(m, m.element("seg", m.const(32, segment)).zext(s))


def _pop_segment(segment):
    def pop_segment(m, s):
        load_segment(m, segment, top(m, s).trunc(16))
        drop(m, s // 8)
        if segment == SS:
            hold_interrupts(m)

    return pop_segment


for _name, _segment, _push, _pop in (
    ("es", ES, "00000110", "00000111"),
    ("cs", CS, "00001110", None),
    ("ss", SS, "00010110", "00010111"),
    ("ds", DS, "00011110", "00011111"),
    ("fs", FS, "00001111 10100000", "00001111 10100001"),
    ("gs", GS, "00001111 10101000", "00001111 10101001"),
):
    _models = FROM_386 if _segment in (FS, GS) else None
    insn(f"PUSH {_name}", _push, models=_models, cost="PUSH sreg", ref="Intel 386 PRM, PUSH")(_push_segment(_segment))
    if _pop:
        insn(f"POP {_name}", _pop, models=_models, cost="POP sreg", ref="Intel 386 PRM, POP")(_pop_segment(_segment))

ALL = (EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI)


@insn("PUSHA{s}", "01100000", ref="Intel 386 PRM, PUSHA")
def pusha(m, s):
    size = s // 8
    for number, n in enumerate(ALL, start=1):
        store(m, SS, (m.reg(ESP, stack_bits(m)) - number * size).zext(32), m.reg(n, s))
    drop(m, -8 * size)


@insn("POPA{s}", "01100001", ref="Intel 386 PRM, POPA")
def popa(m, s):
    size = s // 8
    is_read = {n for n in ALL if n != ESP or is_286(m.cpu.model)}  # which reads it all the same: clocks of odd stacks
    values = {n: top(m, s, number * size) for number, n in enumerate(reversed(ALL)) if n in is_read}
    drop(m, 8 * size)
    for n, value in values.items():
        if n != ESP:
            m.set_reg(n, value)


@insn("PUSHF{s}", "10011100", ref="Intel 386 PRM, PUSHF")
def pushf(m, s):
    push(m, get_flags(m, s))


@insn("POPF{s}", "10011101", ref="Intel 386 PRM, POPF")
def popf(m, s):
    set_flags(m, pop(m, s))


@insn(
    "ENTER {imm16},{imm8}",
    "11001000",
    cost=("ENTER 0", "ENTER 1", "ENTER n"),
    varies="level",
    ref="Intel 386 PRM, ENTER: level modulo 32",
)
def enter(m, s, imm16, imm8):
    """The frames of the enclosing levels are copied, then the new one's own address follows."""
    size, width = s // 8, stack_bits(m)
    level = imm8 & 31
    m.vary(level)
    sp, bp = m.reg(ESP, width), m.reg(EBP, width)
    store(m, SS, (sp - size).zext(32), m.reg(EBP, s))
    frame = sp - size

    def copy(number):
        step = (number + 1).resize(width) * size
        store(m, SS, (frame - step).zext(32), load(m, SS, (bp - step).zext(32), s))

    def nested():
        outer = (m.const(32, 1) << ((level - 1) & 31)) - 1
        m.for_each_bit(outer, copy)
        store(m, SS, (frame - level.resize(width) * size).zext(32), m.reg(ESP, s) - size)

    m.when(level.ne(0), nested)
    linear(m, SS, (frame - level.resize(width) * size - imm16.resize(width)).zext(32), s)
    m.set_reg(EBP, m.reg(ESP, s) - size)
    m.set_reg(ESP, frame - level.resize(width) * size - imm16.resize(width), stage="address")


@insn("LEAVE", "11001001", ref="Intel 386 PRM, LEAVE")
def leave(m, s):
    width = stack_bits(m)
    frame = m.reg(EBP, width)
    value = load(m, SS, frame.zext(32), s)
    m.set_reg(ESP, frame + s // 8, stage="address")
    m.set_reg(EBP, value)


@insn("LAHF", "10011111", size=8, ref="Intel 386 PRM, LAHF")
def lahf(m):
    m.set_reg(EAX, m.reg(EAX, 8).zext(16) | get_flags(m, 16) << 8)


@insn("SAHF", "10011110", size=8, ref="Intel 386 PRM, SAHF")
def sahf(m):
    word = m.reg(EAX, 16) >> 8
    for name, bit in (("cf", 0), ("pf", 2), ("af", 4), ("zf", 6), ("sf", 7)):
        m.set(name, (word >> bit).trunc(1))


@insn(
    "SALC",
    "11010110",
    size=8,
    cost=("SALC with carry", "SALC without carry"),
    ref="not in the manuals, on all parts: AL := CF ? FF : 0",
)
def salc(m):
    m.outcome(m.get("cf"))
    m.set_reg(EAX, m.get("cf").sext(8), stage="byte")
