"""Flag bits, HLT, control registers, descriptor table registers, caches.

Absent, each with the exception that a program gets:

    protected mode and paging   CR0 keeps PE as the model has it and PG clear: changing them is exception 13
    SLDT STR LLDT LTR VERR VERW LAR LSL ARPL   exception 6, in real mode as on the parts; flat models have no
                                descriptor tables, so they raise it too
    virtual 8086 mode           VM cannot be set
    floating point              every escape is exception 7 (on the 286 while EM of the MSW is set, as start-up code
                                sets it; else it reads its operand and does nothing); WAIT does nothing
    CPUID and later             exception 6 (CPUID came with late i486 parts)
    F1, 0F 04, 0F 05 of the 286 exception 6: what its in-circuit emulator and LOADALL use
    segment limit at fetch      code that runs on beyond offset FFFF of its segment is not stopped; jumps are checked
"""

from __future__ import annotations

from ..spec.cpu import STOPPED
from ..spec.rows import Options
from .modes import FROM_386, I386, I486, is_286, is_real
from .modrm import address, behind, read, write
from .segments import GENERAL_PROTECTION, fault_when, load, store
from .state import hold_interrupts, insn

for _name, _code, _flag, _function in (
    ("CLC", "1000", "cf", lambda m: m.const(1, 0)),
    ("STC", "1001", "cf", lambda m: m.const(1, 1)),
    ("CLI", "1010", "if", lambda m: m.const(1, 0)),
    ("CLD", "1100", "df", lambda m: m.const(1, 0)),
    ("STD", "1101", "df", lambda m: m.const(1, 1)),
    ("CMC", "0101", "cf", lambda m: ~m.get("cf")),
):
    insn(_name, f"1111{_code}", ref=f"Intel 386 PRM, {_name}")(
        lambda m, flag=_flag, function=_function: m.set(flag, function(m))
    )


@insn("STI", "11111011", ref="Intel 386 PRM, STI")
def sti(m):
    """Interrupts are taken after the next instruction."""

    m.when(~m.get("if"), lambda: hold_interrupts(m))
    m.set("if", m.const(1, 1))


@insn("HLT", "11110100", ref="Intel 386 PRM, HLT")
def hlt(m):
    m.set("stopped", m.const(1, 1))
    m.leave(STOPPED)


@insn("WAIT", "10011011", ref="Intel 386 PRM, WAIT")
def wait(m):
    pass


PROTECTION, PAGING = 1, 1 << 31
CR0_BITS = {"i286": 0xF, "i386": 0x1F, "i486": 0xE005003F}  # 386 PRM figure 4-2, 486 PRM figure 4-3; 286: its MSW
FIXED_BITS = {"i286": 0xFFF0, "i386": 0x10, "i486": 0x10}  # that read as ones; ET, and the unused bits of an MSW
MOVE = "Intel 386 PRM, MOV to and from special registers"


def _control_word(m):
    """Return CR0; PE is as the model has it, and the bits that always read as ones are set."""
    fixed = FIXED_BITS[m.cpu.model[:4]] | (0 if is_real(m.cpu.model) else PROTECTION)
    return m.element("cr", m.const(32, 0)) | fixed


def _set_control_word(m, value):
    mode = 0 if is_real(m.cpu.model) else PROTECTION
    fault_when(m, (value & (PROTECTION | PAGING)).ne(mode), GENERAL_PROTECTION)
    m.set_element("cr", m.const(32, 0), value & CR0_BITS[m.cpu.model[:4]])


_common: Options = {"size": 32, "numbers": (0, 2, 3), "registers": "cr", "ignored": 0xC0, "models": FROM_386}


@insn("MOV {d},{control}", "00001111 00100000 --gggddd", **_common, cost="MOV r,CR", ref=MOVE)
def mov_from_control(m, control, d):
    write(m, d, m.select(control.eq(0), _control_word(m), m.element("cr", control)))


@insn("MOV {control},{d}", "00001111 00100010 --gggddd", **_common, cost="MOV {control},r", ref=MOVE)
def mov_to_control(m, control, d):
    value = read(m, d, 32)
    m.when(control.eq(0), lambda: _set_control_word(m, value), lambda: m.set_element("cr", control, value))


def _special(field, registers, pattern_from, pattern_to, numbers, models):
    def from_special(m, control, d):
        write(m, d, m.element(field, control))

    def to_special(m, control, d):
        m.set_element(field, control, read(m, d, 32))

    common = {"size": 32, "numbers": numbers, "registers": registers, "ignored": 0xC0, "models": models, "ref": MOVE}
    cost = registers.upper()
    insn("MOV {d},{control}", f"00001111 {pattern_from} --gggddd", cost=f"MOV r,{cost}", **common)(from_special)
    insn("MOV {control},{d}", f"00001111 {pattern_to} --gggddd", cost=f"MOV {cost},r", **common)(to_special)


_special("dr", "dr", "00100001", "00100011", (0, 1, 2, 3, 6, 7), FROM_386)
_special("tr", "tr", "00100100", "00100110", (6, 7), I386)
_special("tr", "tr", "00100100", "00100110", (3, 4, 5, 6, 7), I486)


@insn("CLTS", "00001111 00000110", ref="Intel 386 PRM, CLTS")
def clts(m):
    m.set_element("cr", m.const(32, 0), m.element("cr", m.const(32, 0)) & ~8)


@insn("SMSW {ea}", "00001111 00000001 mm100eee", word_in_memory=True, ref="Intel 386 PRM, SMSW")
def smsw(m, s, ea):
    word = _control_word(m)
    write(m, ea, word.trunc(s) if ea.cls == "reg" else word.trunc(16))


@insn("LMSW {ea}", "00001111 00000001 mm110eee", size=16, ref="Intel 386 PRM, LMSW")
def lmsw(m, ea):
    value = read(m, ea, 16).zext(32) & 15
    _set_control_word(m, m.element("cr", m.const(32, 0)) & ~15 | value | _control_word(m) & PROTECTION)


def _store_table(name):
    def store_table(m, s, ea):
        pointer = address(m, ea)
        store(m, ea.segment, pointer, m.get(f"{name}_limit"))
        unused = 0xFF000000 if is_286(m.cpu.model) else 0  # the 286 stores ones above its 24 bits (386 PRM, SGDT)
        store(m, ea.segment, behind(ea, pointer, 2), m.get(f"{name}_base") | unused)

    return store_table


def _load_table(name):
    def load_table(m, s, ea):
        pointer = address(m, ea)
        limit, base = load(m, ea.segment, pointer, 16), load(m, ea.segment, behind(ea, pointer, 2), 32)
        m.set(f"{name}_limit", limit)
        m.set(f"{name}_base", base if s == 32 else base & 0xFFFFFF)

    return load_table


for _name, _number in (("GDT", 0), ("IDT", 1)):
    _common = {"ea": "mem", "unsized": True, "ref": "Intel 386 PRM, LGDT, SGDT"}
    insn(f"S{_name} {{ea}}", f"00001111 00000001 mm00{_number}eee", **_common)(_store_table(_name.lower()))
    insn(f"L{_name} {{ea}}", f"00001111 00000001 mm01{_number}eee", **_common)(_load_table(_name.lower()))


@insn(
    "INVLPG {ea}",
    "00001111 00000001 mm111eee",
    ea="mem",
    size=8,
    unsized=True,
    models=I486,
    ref="Intel 486 PRM, INVLPG",
)
def invlpg(m, ea):
    pass


for _name, _code in (("INVD", "1000"), ("WBINVD", "1001")):
    # the cache keeps its lines: they are as memory is, since it writes through
    insn(_name, f"00001111 0000{_code}", models=I486, ref=f"Intel 486 PRM, {_name}")(lambda m: None)
