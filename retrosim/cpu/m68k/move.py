"""Data movement: MOVE, MOVEA, MOVEQ, MOVEM, MOVEP, LEA, PEA, EXG, SWAP, EXT, LINK, UNLK, MOVE16, CCR and SR moves."""

from __future__ import annotations

from .ea import ANY, CONTROL, DATA, DATA_ALTERABLE, address, overwrite, read, write
from .flags import logic_flags
from .state import SP, ZERO, get_ccr, insn, push, set_ccr

M68020_UP = ("MC68040",)


@insn(
    "MOVE.{s} {ea},{ea2}", "00zzRRRMMMmmmrrr", ea=ANY, ea2=DATA_ALTERABLE, cost="MOVE to {ea2}", ref="M68000PRM 4-116"
)
def move(m, s, ea, ea2):
    value = read(m, ea, s)
    if m.cpu.aligned and s == 32 and ea2.cls != "reg":
        _flags_before_write(m, value, ea.cls in ("reg", "imm"), ea2)
        write(m, ea2, value)
        logic_flags(m, value)
    else:
        logic_flags(m, value)
        write(m, ea2, value)


def _flags_before_write(m, value, from_register, ea2):
    """Set the flags that an aborted long MOVE of the MC68000 leaves behind: they follow its passes over the words.

    Source   public vectors, 58 write faults: (An) and (An)+ come before the flags are complete; indexed and displaced
             destinations of a register come before V and C
    """
    early, late = m.const(1, ea2.cls == "post"), m.const(1, ea2.cls == "index")
    if ea2.cls == "disp":
        late = ea2.base.ne(ZERO)
        early = late & ea2.disp.eq(0)
    if from_register:
        zero = m.const(1, 0)
        m.set("n", m.select(early, m.get("n"), value.sign))
        m.set("z", m.select(early, m.get("z"), value.eq(0)))
        m.set("v", m.select(early | late, m.get("v"), zero))
        m.set("c", m.select(early | late, m.get("c"), zero))
    else:
        low = value.trunc(16)
        logic_flags(m, value)
        m.set("n", m.select(early, low.sign, value.sign))
        m.set("z", m.select(early, low.eq(0), value.eq(0)))


@insn("MOVEA.{s} {ea},{a}", "00zzaaa001mmmrrr", ea=ANY, sizes=(16, 32), cost="MOVEA.{s}", ref="M68000PRM 4-119")
def movea(m, s, ea, a):
    m.set_reg(a, read(m, ea, s).sext(32))


@insn("MOVEQ {i},{d}", "0111ddd0iiiiiiii", size=32, ref="M68000PRM 4-134")
def moveq(m, i, d):
    m.set_reg(d, i)
    logic_flags(m, i)


@insn("LEA {ea},{a}", "0100aaa111mmmrrr", ea=CONTROL, size=32, ref="M68000PRM 4-110")
def lea(m, ea, a):
    m.set_reg(a, address(m, ea), stage="address" if ea.cls == "disp" else "execute")


@insn("PEA {ea}", "0100100001mmmrrr", ea=CONTROL, size=32, ref="M68000PRM 4-159")
def pea(m, ea):
    push(m, address(m, ea))


@insn("CLR.{s} {ea}", "01000010ssmmmrrr", ea=DATA_ALTERABLE, ref="M68000PRM 4-73")
def clr(m, s, ea):
    zero = m.const(s, 0)
    overwrite(m, ea, zero)
    logic_flags(m, zero)


@insn("EXG {d},{y}", "1100ddd101000yyy", cost="EXG Dy,Dx", suffix="l", ref="M68000PRM 4-105")
def exg_data(m, d, y):
    _exchange(m, d, y)


@insn("EXG {a},{b}", "1100aaa101001bbb", cost="EXG Ay,Ax", suffix="l", ref="M68000PRM 4-105")
def exg_address(m, a, b):
    _exchange(m, a, b)


@insn("EXG {d},{b}", "1100ddd110001bbb", cost="EXG Dy,Ax", suffix="l", ref="M68000PRM 4-105")
def exg_mixed(m, d, b):
    _exchange(m, d, b)


def _exchange(m, first, second):
    before, value = m.reg(first), m.reg(second)
    m.set_reg(first, value)
    m.set_reg(second, before)


@insn("SWAP {y}", "0100100001000yyy", suffix="w", ref="M68000PRM 4-185")
def swap(m, y):
    value = m.reg(y)
    result = value << 16 | value >> 16
    m.set_reg(y, result)
    logic_flags(m, result)


@insn("EXT.w {y}", "0100100010000yyy", cost="EXT W", ref="M68000PRM 4-106")
def ext_word(m, y):
    _extend(m, y, 8, 16)


@insn("EXT.l {y}", "0100100011000yyy", cost="EXT L", ref="M68000PRM 4-106")
def ext_long(m, y):
    _extend(m, y, 16, 32)


@insn("EXTB.l {y}", "0100100111000yyy", cost="EXTB L", models=M68020_UP, ref="M68000PRM 4-106")
def extb_long(m, y):
    _extend(m, y, 8, 32)


def _extend(m, y, from_bits, to_bits):
    result = m.reg(y, from_bits).sext(to_bits)
    m.set_reg(y, result)
    logic_flags(m, result)


@insn("LINK {b},#{disp}", "0100111001010bbb", suffix="w", cost="LINK", ref="M68000PRM 4-111")
def link_word(m, b, disp):
    _link(m, b, disp)


@insn("LINK.l {b},#{disp32}", "0100100000001bbb", cost="LINK", models=M68020_UP, ref="M68000PRM 4-111")
def link_long(m, b, disp32):
    _link(m, b, disp32)


def _link(m, b, disp):
    # LINK A7 pushes the decremented stack pointer, as M68000PRM writes it: "SP - 4 -> SP; An -> (SP)". The MC68000's
    # microcode reads An first (public vectors made from it), so there it is the value before.
    before, frame = m.reg(b), m.reg(SP) - 4
    m.set_reg(SP, frame, stage="address")
    m.store(frame, before if m.cpu.model == "MC68000" else m.reg(b))
    m.set_reg(b, frame, stage="address")
    m.set_reg(SP, m.reg(SP) + disp, stage="address")


@insn("UNLK {b}", "0100111001011bbb", ref="M68000PRM 4-194")
def unlk(m, b):
    frame = m.reg(b)
    value = m.load(frame, 32)
    m.set_reg(SP, frame + 4, stage="address")
    m.set_reg(b, value)


@insn("MOVEM.{s} {mask},{ea}", "010010001wmmmrrr", ea="I-dxw", cost="MOVEM list,ea", ref="M68000PRM 4-128")
def movem_store(m, s, mask, ea):
    step = s // 8
    if ea.cls == "pre":
        # the value stored for the address register itself is the one before the instruction (68000), less the
        # operand size (68020 and later: M68000PRM 4-128)
        first = m.reg(ea.base)

        def store_down(bit):
            place = first - step - step * _moved_before(m, mask, bit)
            register = 15 - bit
            value = m.reg(register)
            if m.cpu.model != "MC68000":
                value = m.select(register.eq(ea.base), first - step, value)
            if s == 32:  # the low word is written first
                m.check_alignment(place + 2, 32, write=True)
            m.store(place, value.trunc(s))

        m.for_each_bit(mask.trunc(16), store_down)
        m.set_reg(ea.base, first - step * mask.zext(32).count_ones(), stage="address")
    else:
        first = address(m, ea)

        def store_up(bit):
            m.store(first + step * _moved_before(m, mask, bit), m.reg(bit, s))

        m.for_each_bit(mask.trunc(16), store_up)


@insn("MOVEM.{s} {ea},{mask}", "010011001wmmmrrr", ea="I+dxwpq", cost="MOVEM ea,list", ref="M68000PRM 4-128")
def movem_load(m, s, mask, ea):
    step = s // 8
    first = m.reg(ea.base) if ea.cls == "post" else address(m, ea)

    def load_up(bit):
        m.set_reg(bit, m.load(first + step * _moved_before(m, mask, bit), s).sext(32))

    m.for_each_bit(mask.trunc(16), load_up)
    if ea.cls == "post":
        m.set_reg(ea.base, first + step * mask.zext(32).count_ones(), stage="address")


def _moved_before(m, mask, bit):
    """Return how many registers a MOVEM moves before the one of a bit."""
    return (mask.zext(32) & (m.const(32, 1) << bit) - 1).count_ones()


@insn("MOVEP.w {d},({disp},{b})", "0000ddd110001bbb", cost="MOVEP.W Dn,d16(An)", ref="M68000PRM 4-132")
def movep_store_word(m, d, b, disp):
    _movep_store(m, d, b, disp, 16)


@insn("MOVEP.l {d},({disp},{b})", "0000ddd111001bbb", cost="MOVEP.L Dn,d16(An)", ref="M68000PRM 4-132")
def movep_store_long(m, d, b, disp):
    _movep_store(m, d, b, disp, 32)


@insn("MOVEP.w ({disp},{b}),{d}", "0000ddd100001bbb", cost="MOVEP.W d16(An),Dn", ref="M68000PRM 4-132")
def movep_load_word(m, d, b, disp):
    _movep_load(m, d, b, disp, 16)


@insn("MOVEP.l ({disp},{b}),{d}", "0000ddd101001bbb", cost="MOVEP.L d16(An),Dn", ref="M68000PRM 4-132")
def movep_load_long(m, d, b, disp):
    _movep_load(m, d, b, disp, 32)


def _movep_store(m, d, b, disp, bits):
    pointer, value = m.reg(b) + disp, m.reg(d)
    for i in range(bits // 8):
        m.store(pointer + 2 * i, (value >> (bits - 8 - 8 * i)).trunc(8))


def _movep_load(m, d, b, disp, bits):
    pointer, value = m.reg(b) + disp, m.const(bits, 0)
    for i in range(bits // 8):
        value = value << 8 | m.load(pointer + 2 * i, 8).zext(bits)
    m.set_reg(d, value)


def _move16(m, source, destination):
    source, destination = source & 0xFFFFFFF0, destination & 0xFFFFFFF0
    line = [m.load(source + 4 * i, 32) for i in range(4)]
    for i, word in enumerate(line):
        m.store(destination + 4 * i, word)


@insn(
    "MOVE16 ({b})+,({a})+",
    "1111011000100bbb -aaa------------",
    ignored=0x8000,
    cost="MOVE16 (Ax)+,(Ay)+",
    models=M68020_UP,
    ref="M68000PRM 4-133",
)
def move16_both(m, b, a):
    source, destination = m.reg(b), m.reg(a)
    _move16(m, source, destination)
    m.set_reg(b, source + 16, stage="address")
    m.set_reg(a, destination + 16, stage="address")  # Ax = Ay: moved once (M68040UM, MOVE16)


@insn(
    "MOVE16 ({b})+,({absolute})", "1111011000000bbb", cost="MOVE16 (An)+,xxx.L", models=M68020_UP, ref="M68000PRM 4-133"
)
def move16_post_to_absolute(m, b, absolute):
    source = m.reg(b)
    _move16(m, source, absolute)
    m.set_reg(b, source + 16, stage="address")


@insn(
    "MOVE16 ({absolute}),({b})+", "1111011000001bbb", cost="MOVE16 xxx.L,(An)+", models=M68020_UP, ref="M68000PRM 4-133"
)
def move16_absolute_to_post(m, b, absolute):
    destination = m.reg(b)
    _move16(m, absolute, destination)
    m.set_reg(b, destination + 16, stage="address")


@insn(
    "MOVE16 ({b}),({absolute})", "1111011000010bbb", cost="MOVE16 (An),xxx.L", models=M68020_UP, ref="M68000PRM 4-133"
)
def move16_to_absolute(m, b, absolute):
    _move16(m, m.reg(b), absolute)


@insn(
    "MOVE16 ({absolute}),({b})", "1111011000011bbb", cost="MOVE16 xxx.L,(An)", models=M68020_UP, ref="M68000PRM 4-133"
)
def move16_from_absolute(m, b, absolute):
    _move16(m, absolute, m.reg(b))


@insn(
    "MOVE.w ccr,{ea}",
    "0100001011mmmrrr",
    ea=DATA_ALTERABLE,
    size=16,
    cost="MOVE from CCR",
    models=M68020_UP,
    ref="M68000PRM 4-121",
)
def move_from_ccr(m, ea):
    write(m, ea, get_ccr(m))


@insn("MOVE.w {ea},ccr", "0100010011mmmrrr", ea=DATA, size=16, cost="MOVE to CCR", ref="M68000PRM 4-123")
def move_to_ccr(m, ea):
    set_ccr(m, read(m, ea, 16))
