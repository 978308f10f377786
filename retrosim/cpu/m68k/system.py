"""Supervisor instructions: status register, stack pointers, control registers, RTE, STOP, RESET, caches, MMU."""

from __future__ import annotations

from ..spec.cpu import STOPPED
from ..spec.rows import Options
from .ea import DATA, DATA_ALTERABLE, MEMORY_ALTERABLE, overwrite, read, write
from .exceptions import FORMAT_ERROR, ILLEGAL, PRIVILEGE, exception, jump
from .move import M68020_UP
from .state import SP, get_sr, insn, pop, set_sr

M68000_ONLY = ("MC68000",)


def privileged(m, body):
    """Run `body` in supervisor state; a user gets the privilege violation before anything happens."""
    m.when(m.get("s"), body, lambda: exception(m, PRIVILEGE))


def _to_sr(operation):
    return lambda m, imm: privileged(m, lambda: set_sr(m, operation(get_sr(m), imm.trunc(16))))


for _name, _code, _operation in (
    ("ORI", "000", lambda a, b: a | b),
    ("ANDI", "001", lambda a, b: a & b),
    ("EORI", "101", lambda a, b: a ^ b),
):
    _pattern = f"0000{_code}001111100"
    insn(
        f"{_name} {{imm}},sr",
        _pattern,
        size=16,
        refills=True,
        cost="ANDI/EORI/ORI to SR",
        ref="M68000PRM 6-2, 6-10, 6-16",
    )(_to_sr(_operation))


@insn(
    "MOVE.w sr,{ea}",
    "0100000011mmmrrr",
    ea=DATA_ALTERABLE,
    size=16,
    models=M68000_ONLY,
    cost="MOVE from SR",
    ref="M68000PRM 4-124",
)
def move_from_sr_as_user(m, ea):
    overwrite(m, ea, get_sr(m))


@insn(
    "MOVE.w sr,{ea}",
    "0100000011mmmrrr",
    ea=DATA_ALTERABLE,
    size=16,
    models=M68020_UP,
    cost="MOVE from SR",
    ref="M68000PRM 6-17",
)
def move_from_sr(m, ea):
    privileged(m, lambda: write(m, ea, get_sr(m)))


@insn("MOVE.w {ea},sr", "0100011011mmmrrr", ea=DATA, size=16, refills=True, cost="MOVE to SR", ref="M68000PRM 6-19")
def move_to_sr(m, ea):
    privileged(m, lambda: set_sr(m, read(m, ea, 16)))


@insn("MOVE.l usp,{b}", "0100111001101bbb", cost="MOVE USP USP,An", ref="M68000PRM 6-21")
def move_from_usp(m, b):
    privileged(m, lambda: m.set_reg(b, m.get("usp")))


@insn("MOVE.l {b},usp", "0100111001100bbb", refills=True, cost="MOVE USP An,USP", ref="M68000PRM 6-21")
def move_to_usp(m, b):
    privileged(m, lambda: m.set("usp", m.reg(b)))


@insn("STOP {imm16}", "0100111001110010", refills=True, ref="M68000PRM 6-85")
def stop(m, imm16):
    """What follows a value without S is in `exceptions.bad_stop`."""

    def enter():
        set_sr(m, imm16.trunc(16))
        m.set("stopped", m.const(1, 1))
        m.leave(STOPPED)

    privileged(m, enter)


@insn("RESET", "0100111001110000", ref="M68000PRM 6-83")
def reset(m):
    privileged(m, lambda: None)


@insn("RTE", "0100111001110011", flow=True, ends=True, models=M68000_ONLY, ref="M68000PRM 6-84")
def rte_short(m):
    def back():
        status = pop(m, 16)
        target = pop(m, 32)
        set_sr(m, status)
        m.jump(target)

    privileged(m, back)


# Bytes of the frames that RTE takes back (MC68040UM 8.4). Format 4 is that of an MC68LC040, which this CPU without FPU
# resembles; of format 7, an access error that this CPU never has, it pops the frame: nothing is there to continue.
FRAME_BYTES = {0: 8, 2: 12, 3: 12, 4: 16, 7: 60}
THROWAWAY, THROWAWAY_BYTES = 1, 8


@insn(
    "RTE",
    "0100111001110011",
    ends=True,
    cost="RTE format 0",
    varies="frame_format",
    models=M68020_UP,
    ref="M68000PRM 6-84, MC68040UM 8.4",
)
def rte(m):
    def frame(sp):
        """Return (format, SR, PC) of the frame at an address, read as it is written."""
        high, low = m.load(sp, 32), m.load(sp + 4, 32)
        return (low >> 12) & 15, (high >> 16).trunc(16), high << 16 | low >> 16

    def back():
        sp = m.reg(SP)
        kind, status, target = frame(sp)
        m.when(kind.eq(THROWAWAY), lambda: discard(sp, status), lambda: restore(sp, kind, status, target, True))

    def discard(sp, status):
        """Take SR from a throwaway frame and continue with the frame below, on the stack that SR names."""
        m.vary(THROWAWAY)
        m.set_reg(SP, sp + THROWAWAY_BYTES)
        set_sr(m, status)
        below = m.reg(SP)
        kind, status, target = frame(below)
        again = kind.eq(THROWAWAY)  # this RTE again, for the frames that are left
        m.when(again, m.jump_back, lambda: restore(below, kind, status, target, False))

    def restore(sp, kind, status, target, alone):
        size = m.const(32, 0)
        for number, length in FRAME_BYTES.items():
            size = m.select(kind.eq(number), m.const(32, length), size)
            if alone:
                m.when(kind.eq(number), lambda number=number: m.vary(number))

        def pull():
            m.set_reg(SP, sp + size)
            set_sr(m, status)
            jump(m, target)

        m.when(size.eq(0), lambda: exception(m, FORMAT_ERROR), pull)

    privileged(m, back)


# Control register numbers of the MC68040 (M68000PRM table 6-1). Those of the MMU hold the bits that exist
# (MC68040UM 3.1: TC, ITT0 ITT1 DTT0 DTT1, MMUSR, URP SRP); translation stays off.
CONTROL_REGISTERS = {0x000: "sfc", 0x001: "dfc", 0x002: "cacr", 0x800: "usp", 0x801: "vbr", 0x803: "msp", 0x804: "isp"}
MMU_REGISTERS = {0x003: 0, 0x004: 1, 0x005: 2, 0x006: 3, 0x007: 4, 0x805: 5, 0x806: 6, 0x807: 7}
MMU_BITS = {0x003: 0xC000, 0x805: 0xFFFFFFFF, 0x806: 0xFFFFFE00, 0x807: 0xFFFFFE00}
MMU_BITS |= dict.fromkeys((0x004, 0x005, 0x006, 0x007), 0xFFFFE364)
CACHE_BITS = 0x80008000  # DE and IE are the writable bits of CACR


def _stack_name(m, name):
    """Is the named stack pointer the active one, which lives in A7? (one-bit word)"""
    s, master = m.get("s"), m.get("m")
    return {"usp": ~s, "isp": s & ~master, "msp": s & master}[name]


@insn(
    "MOVEC {control},{g}",
    "0100111001111010 ggggxxxxxxxxxxxx",
    cost="MOVEC Rc,Rn",
    models=M68020_UP,
    ref="M68000PRM 6-22",
)
def movec_read(m, control, g):
    def go():
        known = m.const(1, 0)
        value = m.const(32, 0)
        for number, name in CONTROL_REGISTERS.items():
            here = control.eq(number)
            current = m.get(name).zext(32)
            if name in ("usp", "isp", "msp"):
                current = m.select(_stack_name(m, name), m.reg(SP), current)
            value, known = m.select(here, current, value), known | here
        for number, entry in MMU_REGISTERS.items():
            here = control.eq(number)
            value, known = m.select(here, m.element("mmu", m.const(32, entry)), value), known | here
        m.when(known, lambda: m.set_reg(g, value), lambda: exception(m, ILLEGAL))

    privileged(m, go)


@insn(
    "MOVEC {g},{control}",
    "0100111001111011 ggggxxxxxxxxxxxx",
    refills=True,
    cost="MOVEC Rn,Rc",
    models=M68020_UP,
    ref="M68000PRM 6-22",
)
def movec_write(m, control, g):
    def go():
        value, known = m.reg(g), m.const(1, 0)
        for number, name in CONTROL_REGISTERS.items():
            here = control.eq(number)
            known = known | here
            bits = m.cpu.layout.fields[name][0]
            new = (value & CACHE_BITS) if name == "cacr" else value.trunc(bits)
            if name in ("usp", "isp", "msp"):
                _write_stack(m, here, name, new)
            else:
                m.set(name, m.select(here, new, m.get(name)))
        for number, entry in MMU_REGISTERS.items():
            here, index = control.eq(number), m.const(32, entry)
            known = known | here
            m.set_element("mmu", index, m.select(here, value & MMU_BITS[number], m.element("mmu", index)))
        m.when(~known, lambda: exception(m, ILLEGAL))

    privileged(m, go)


def _write_stack(m, here, name, value):
    active = _stack_name(m, name)
    m.set(name, m.select(here & ~active, value, m.get(name)))
    m.when(here & active, lambda: m.set_reg(SP, value))


@insn(
    "MOVES.{s} {ea},{g}",
    "00001110ssmmmrrr gggg0-----------",
    ea=MEMORY_ALTERABLE,
    refills=True,
    models=M68020_UP,
    cost=("MOVES ea,Dn", "MOVES ea,An"),
    ref="M68000PRM 6-25",
)
def moves_load(m, s, ea, g):
    to_data = g.ult(8)
    m.outcome(to_data)

    def go():
        value = read(m, ea, s)
        m.when(to_data, lambda: m.set_reg(g, value), lambda: m.set_reg(g, value.sext(32)))

    privileged(m, go)


@insn(
    "MOVES.{s} {g},{ea}",
    "00001110ssmmmrrr gggg1-----------",
    ea=MEMORY_ALTERABLE,
    refills=True,
    models=M68020_UP,
    cost="MOVES Rn,ea",
    ref="M68000PRM 6-25",
)
def moves_store(m, s, g, ea):
    privileged(m, lambda: write(m, ea, m.reg(g, s)))


for _scope, _code, _cost in (("l", "01", "CINVL/CINVA"), ("p", "10", "CINVP"), ("a", "11", "CINVL/CINVA")):
    _common: Options = {"refills": True, "models": M68020_UP}
    _operands = "{cache}" if _scope == "a" else "{cache},({b})"
    insn(f"CINV{_scope} {_operands}", f"11110100tt0{_code}bbb", **_common, cost=_cost, ref="M68000PRM 6-4")(
        lambda m, cache, b: privileged(m, lambda: None)
    )
    _push = "CPUSHL" if _scope == "l" else "CPUSHP/CPUSHA"
    insn(f"CPUSH{_scope} {_operands}", f"11110100tt1{_code}bbb", **_common, cost=_push, ref="M68000PRM 6-8")(
        lambda m, cache, b: privileged(m, lambda: None)
    )


def _flush(m, b):
    """Nothing to flush: address translation is off."""
    privileged(m, lambda: None)


def _test(m, b):
    """Put into MMUSR what an untranslated address gives: the address itself, resident."""
    privileged(m, lambda: m.set_element("mmu", m.const(32, MMU_REGISTERS[0x805]), (m.reg(b) & 0xFFFFF000) | 1))


_common = {"refills": True, "models": M68020_UP}
for _name, _code in (("PFLUSHN ({b})", "00"), ("PFLUSH ({b})", "01"), ("PFLUSHAN", "10"), ("PFLUSHA", "11")):
    insn(_name, f"11110101000{_code}bbb", **_common, cost="PFLUSH/PFLUSHA", ref="M68000PRM 6-35")(_flush)
for _name, _code in (("PTESTW", "0"), ("PTESTR", "1")):
    insn(f"{_name} ({{b}})", f"1111010101{_code}01bbb", **_common, cost="PTESTR/PTESTW", ref="M68000PRM 6-56")(_test)
