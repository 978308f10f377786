"""The assembly language of the x86: Intel's syntax as nasm takes it, 16 and 32 bits."""

from __future__ import annotations

import re

from ..assembly.dialect import Dialect
from ..assembly.expressions import C_NUMBERS, Numbers
from .ea_text import REGISTERS, SEGMENTS, SIZES

SEGMENT_WORDS = {name: ("segment", number) for number, name in enumerate(("es", "cs", "ss", "ds", "fs", "gs"))}
SIZE_NAMES = (("CBW", "CBWw"), ("CWDE", "CBWd"), ("CWD", "CWDw"), ("CDQ", "CWDd"))
ALIASES = (
    *SIZE_NAMES,
    # which of two codes of one length: what nasm takes
    *((f"{name} {{ea}},{{simm}}",) * 2 for name in ["ADD", "OR", "ADC", "SBB", "AND", "SUB", "XOR", "CMP"]),
    ("TEST {ea},{g}", "TEST {ea},{g}"),
    ("TEST {g},{ea}", "TEST {ea},{g}"),
    ("XCHG {g},{ea}", "XCHG {ea},{g}"),
    ("XCHG {d},{acc}", "XCHG {acc},{d}"),
    ("IMUL {g},{imm}", "IMUL {g},{g},{imm}"),
    ("IMUL {g},{simm}", "IMUL {g},{g},{simm}"),
    ("SAL {ea},{imm8}", "SHL {ea},{imm8}"),
    ("SAL {ea},{one}", "SHL {ea},{one}"),
    ("SAL {ea},cl", "SHL {ea},cl"),
    ("LOOPZ {target}", "LOOPE {target}"),
    ("LOOPNZ {target}", "LOOPNE {target}"),
    ("AAM", "AAM 10"),
    ("AAD", "AAD 10"),
    ("XLATB", "XLAT"),
    ("FWAIT", "WAIT"),
    ("ICEBP", "INT1"),
    ("RETN", "RET"),
    ("RETN {imm16}", "RET {imm16}"),
)
NUMBERS = Numbers(
    (
        ("0[xXhH]([0-9a-fA-F_]+)", 16),
        ("([0-9][0-9a-fA-F_]*)[hH]", 16),
        ("\\$([0-9][0-9a-fA-F_]*)", 16),
        ("0[bByY]([01_]+)", 2),
        ("([01][01_]*)[yY]", 2),
        ("0[oOqQ]([0-7_]+)", 8),
        ("([0-7][0-7_]*)[oOqQ]", 8),
        C_NUMBERS[-1],
    ),
    here=("$", "."),
    text_order="little",
    true=1,
)
DIALECT = Dialect(
    numbers=NUMBERS,
    comments=(";", "#"),
    aliases=ALIASES,
    shown=SIZE_NAMES,
    prefixes=SEGMENT_WORDS
    | {"lock": ("lock", 1), "a16": ("address", 16), "a32": ("address", 32), "o16": ("data", 16), "o32": ("data", 32)}
    | {"addr16": ("address", 16), "addr32": ("address", 32), "data16": ("data", 16), "data32": ("data", 32)},
    prefix_order=("lock", "rep", "segment", "data", "address"),
    sizes={"word": 2},
    nop=b"\x90",
    percent_arguments=True,
    words=re.compile(
        "|".join((r"[cdt]r\d|st\d?|ptr|short|near|far|offset|strict|flat", *REGISTERS, *SEGMENTS, *SIZES))
    ),
)
