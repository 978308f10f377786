"""Loads and stores of integers: simple, update, byte-reversed, multiple, string, with reservation (601UM section 3.5).

Update forms do not change rA where it stands for 0 or is loaded itself, as POWER has it and the 601 too.
Operands may lie at any address, those of lmw and stmw too; lwarx and stwcx. take the alignment exception where the
address is no multiple of 4. Crossing a page is no matter here, since translation is off.
"""

from __future__ import annotations

from ..spec.values import Word
from .arith import d_form
from .exceptions import aligned, instruction_bits
from .state import UM, ZERO, insn, set_field

GRANULE = 32  # bytes that a reservation covers: a sector


def x_form(code: int, record_bit: int = 0) -> str:
    return f"011111dddddaaaaabbbbb{code:010b}{record_bit}"


def _extend(bits: int, signed: bool):
    return lambda word: word.resize(32, signed)


def _loads(m, d: Word, address: Word, bits: int, finish) -> None:
    m.set_reg(d, finish(m.load(address, bits)), stage="load")


def _stores(m, s: Word, address: Word, bits: int, finish) -> None:
    m.store(address, finish(m.reg(s, bits)))


def _immediate(move, source: bool, bits: int, finish):
    if source:
        return lambda m, s, z, simm: move(m, s, m.reg(z) + simm, bits, finish)
    return lambda m, d, z, simm: move(m, d, m.reg(z) + simm, bits, finish)


def _indexed(move, source: bool, bits: int, finish):
    if source:
        return lambda m, s, z, b: move(m, s, m.reg(z) + m.reg(b), bits, finish)
    return lambda m, d, z, b: move(m, d, m.reg(z) + m.reg(b), bits, finish)


def _update(move, m, register, z, address, bits, finish, loaded):
    """Move, and leave the address in rA unless that is no register, or the register that is loaded."""
    move(m, register, address, bits, finish)
    m.when(z.ne(ZERO) & z.ne(loaded), lambda: m.set_reg(z, address))


def _immediate_update(move, source: bool, bits: int, finish):
    if source:
        return lambda m, s, z, simm: _update(move, m, s, z, m.reg(z) + simm, bits, finish, ZERO)
    return lambda m, d, z, simm: _update(move, m, d, z, m.reg(z) + simm, bits, finish, d)


def _indexed_update(move, source: bool, bits: int, finish):
    if source:
        return lambda m, s, z, b: _update(move, m, s, z, m.reg(z) + m.reg(b), bits, finish, ZERO)
    return lambda m, d, z, b: _update(move, m, d, z, m.reg(z) + m.reg(b), bits, finish, d)


for _name, _opcode, _code, _bits, _signed in (
    ("lwz", 32, 23, 32, False),
    ("lbz", 34, 87, 8, False),
    ("stw", 36, 151, 32, None),
    ("stb", 38, 215, 8, None),
    ("lhz", 40, 279, 16, False),
    ("lha", 42, 343, 16, True),
    ("sth", 44, 407, 16, None),
):
    _source = _signed is None
    _move = _stores if _source else _loads
    _finish = (lambda word: word) if _source else _extend(_bits, bool(_signed))
    _r = "{s}" if _source else "{d}"
    _options = {"cost": _name, "ref": UM}
    insn(f"{_name} {_r},{{simm}}({{z}})", d_form(_opcode), **_options)(_immediate(_move, _source, _bits, _finish))
    insn(f"{_name}u {_r},{{simm}}({{z}})", d_form(_opcode + 1), **_options)(
        _immediate_update(_move, _source, _bits, _finish)
    )
    insn(f"{_name}x {_r},{{z}},{{b}}", x_form(_code), **_options)(_indexed(_move, _source, _bits, _finish))
    insn(f"{_name}ux {_r},{{z}},{{b}}", x_form(_code + 32), **_options)(_indexed_update(_move, _source, _bits, _finish))

for _name, _code, _bits, _source in (
    ("lwbrx", 534, 32, False),
    ("lhbrx", 790, 16, False),
    ("stwbrx", 662, 32, True),
    ("sthbrx", 918, 16, True),
):
    _r, _move = ("{s}", _stores) if _source else ("{d}", _loads)
    _finish = (lambda word: word.swap_bytes()) if _source else (lambda word: word.swap_bytes().zext(32))
    insn(f"{_name} {_r},{{z}},{{b}}", x_form(_code), ref=UM)(_indexed(_move, _source, _bits, _finish))


# --- several registers


@insn("lmw {registers},{simm}({z})", d_form(46), varies="transfers", ref=UM)
def lmw(m, registers, z, simm):
    _multiple(m, registers, m.reg(z) + simm, lambda n, pointer: _load_unless(m, n, pointer, z, z))


@insn("stmw {registers},{simm}({z})", d_form(47), varies="transfers", ref=UM)
def stmw(m, registers, z, simm):
    _multiple(m, registers, m.reg(z) + simm, lambda n, pointer: m.store(pointer, m.reg(n)))


def _multiple(m, registers, start, move):
    count = registers.count_ones()
    first = 32 - count
    _transfers(m, count, start)
    m.for_each_bit(registers, lambda n: move(n, start + ((n - first) << 2)))


def _transfers(m, words: Word, start: Word) -> None:
    """Tell the timing how many words are moved: one more when they are not aligned."""
    m.vary(words, (start & 3).ne(0).zext(32))


def _load_unless(m, n, pointer, a, b):
    """Load a register that is not one of the address; what would come into that is lost, as POWER has it."""
    word = m.load(pointer, 32)
    m.when(n.ne(a) & n.ne(b), lambda: m.set_reg(n, word, stage="load"))


WORDS = 32  # registers that the longest string fills: 127 bytes


def _load_string(m, d, a, b, start, count, max_words):
    """Load bytes into registers from rD on, 4 in each, zeros after the last."""
    _transfers(m, (count + 3) >> 2, start)
    for number in range(max_words):
        left = count - 4 * number  # at least 1 where it is used

        def fill(number=number, left=left):
            word = m.load(start + 4 * number, 32) & first_bytes(m, left)
            n = (d + number) & 31
            m.when(n.ne(a) & n.ne(b), lambda: m.set_reg(n, word, stage="load"))

        m.when(m.const(32, 4 * number).ult(count), fill)


def first_bytes(m, count: Word) -> Word:
    """Return the mask of the first bytes of a word; count 1 or more, 4 and more are all."""
    rest = m.select(count.ult(4), m.const(32, 4) - count, m.const(32, 0))
    return m.const(32, 0xFFFFFFFF) << (rest << 3)


def _store_string(m, s, start, count, max_words):
    _transfers(m, (count + 3) >> 2, start)
    tail = m.variable(m.const(32, 0))
    for number in range(max_words):

        def put(number=number):
            word = m.reg((s + number) & 31)
            tail.set(word)
            m.when(m.const(32, 4 * number + 3).ult(count), lambda: m.store(start + 4 * number, word))

        m.when(m.const(32, 4 * number).ult(count), put)
    behind = start + (count & 0x7C)
    for byte in range(3):
        m.when(
            m.const(32, byte).ult(count & 3),
            lambda byte=byte: m.store(behind + byte, (tail.get() >> (24 - 8 * byte)).trunc(8)),
        )


@insn("lswi {d},{z},{nb}", f"011111dddddaaaaannnnn{597:010b}0", varies="transfers", ref=UM)
def lswi(m, d, z, nb):
    _load_string(m, d, z, z, m.reg(z), nb, 8)


@insn("lswx {d},{z},{b}", x_form(533), varies="transfers", ref=UM)
def lswx(m, d, z, b):
    _load_string(m, d, z, b, m.reg(z) + m.reg(b), m.get("byte_count").zext(32), WORDS)


@insn("stswi {s},{z},{nb}", f"011111dddddaaaaannnnn{725:010b}0", varies="transfers", ref=UM)
def stswi(m, s, z, nb):
    _store_string(m, s, m.reg(z), nb, 8)


@insn("stswx {s},{z},{b}", x_form(661), varies="transfers", ref=UM)
def stswx(m, s, z, b):
    _store_string(m, s, m.reg(z) + m.reg(b), m.get("byte_count").zext(32), WORDS)


@insn("lscbx{rc} {d},{z},{b}", f"011111dddddaaaaabbbbb{277:010b}c", varies="transfers", ref=UM)
def lscbx(m, rc, d, z, b):
    """Load a string up to a byte equal to XER 16-23; the count in XER becomes the number of bytes loaded."""
    start, count = m.reg(z) + m.reg(b), m.get("byte_count").zext(32)
    wanted = m.get("compare_byte").zext(32)
    loaded, found = m.variable(m.const(32, 0)), m.variable(m.const(1, 0))
    for number in range(WORDS):
        left = count - 4 * number

        def fill(number=number, left=left):
            word = m.load(start + 4 * number, 32)
            bytes_here = m.select(left.ult(4), left, m.const(32, 4))
            for byte in (3, 2, 1, 0):  # the first match last
                hit = (word >> (24 - 8 * byte) & 0xFF).eq(wanted) & m.const(32, byte).ult(bytes_here)
                bytes_here = m.select(hit, m.const(32, byte + 1), bytes_here)
                found.set(found.get() | hit)
            loaded.set(loaded.get() + bytes_here)
            n, part = (d + number) & 31, word & first_bytes(m, bytes_here)
            m.when(n.ne(z) & n.ne(b), lambda: m.set_reg(n, part, stage="load"))

        m.when(m.const(32, 4 * number).ult(count) & ~found.get(), fill)
    _transfers(m, (loaded.get() + 3) >> 2, start)
    m.set("byte_count", loaded.get().trunc(8))
    if rc:
        zero = m.const(1, 0)
        set_field(m, m.const(32, 0), zero, zero, found.get(), m.get("so"))


# --- reservation


@insn("lwarx {d},{z},{b}", x_form(20), ref=UM)
def lwarx(m, d, z, b):
    address = m.reg(z) + m.reg(b)

    def load():
        m.set("reserved", m.const(1, 1))
        m.set("reservation", address & -GRANULE)
        m.set_reg(d, m.load(address, 32), stage="load")

    aligned(m, address, instruction_bits(m, x_form(20), d, z), load)


@insn("stwcx. {s},{z},{b}", x_form(150, 1), ref=UM)
def stwcx(m, s, z, b):
    address = m.reg(z) + m.reg(b)

    def store():
        holds = m.get("reserved") & m.get("reservation").eq(address & -GRANULE)
        m.when(holds, lambda: m.store(address, m.reg(s)))
        zero = m.const(1, 0)
        set_field(m, m.const(32, 0), zero, zero, holds, m.get("so"))
        m.timing.stored_condition()
        m.set("reserved", zero)

    aligned(m, address, instruction_bits(m, x_form(150, 1), s, z), store)
