"""The assembly language of the 68K: Motorola's, as vasm and GNU as take it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..assembly.dialect import Dialect
from ..assembly.expressions import C_NUMBERS, Numbers
from ..spec.rows import Row

# of MOVEC (M68000PRM table 6-1)
CONTROL_NAMES = {
    0x000: "sfc", 0x001: "dfc", 0x002: "cacr", 0x003: "tc", 0x004: "itt0", 0x005: "itt1", 0x006: "dtt0", 0x007: "dtt1",
    0x800: "usp", 0x801: "vbr", 0x803: "msp", 0x804: "isp", 0x805: "mmusr", 0x806: "urp", 0x807: "srp",
}  # fmt: skip
CACHE_NAMES = {0: "nc", 1: "dc", 2: "ic", 3: "bc"}
SUFFIXES = {8: "b", 16: "w", 32: "l"}


def suffixes(row: Row) -> Iterable[str]:
    """Return what may follow a mnemonic that shows no size: that of a branch's displacement, or of the operands."""
    if "target" in dict(row.operands):
        return "w" if "displacement" in row.options else "sbwl"
    return row.options.get("suffix") or SUFFIXES.get(row.options.get("size", 0), "")


ALIASES = [
    ("MOVE.l {i},{d}", "MOVEQ {i},{d}"),
    ("MOVE.{s} {ea},{a}", "MOVEA.{s} {ea},{a}"),
    ("MOVE {b},usp", "MOVE.l {b},usp"),
    ("MOVE usp,{b}", "MOVE.l usp,{b}"),
    *((f"{name}.{{s}} {{n}},{{ea}}", f"{name}Q.{{s}} {{n}},{{ea}}") for name in ("ADD", "SUB")),
    *((f"{name}.{{s}} {{n}},{{b}}", f"{name}Q.{{s}} {{n}},{{b}}") for name in ("ADD", "SUB")),
    *(
        (f"{name}.{{s}} {{imm}},{{ea}}", f"{name}I.{{s}} {{imm}},{{ea}}")
        for name in ["ADD", "SUB", "CMP", "AND", "OR", "EOR"]
    ),
    *((f"{name} {{imm}},{to}", f"{name}I {{imm}},{to}") for name in ("AND", "OR", "EOR") for to in ("ccr", "sr")),
    *((f"{name}.{{s}} {{ea}},{{a}}", f"{name}A.{{s}} {{ea}},{{a}}") for name in ("ADD", "SUB", "CMP")),
    ("CMP.{s} ({b})+,({a})+", "CMPM.{s} ({b})+,({a})+"),
    ("EXG {b},{d}", "EXG {d},{b}"),
    ("LINK {b},#{disp32}", "LINK.l {b},#{disp32}"),
    *((f"{name}.l {{ea}},{{l}}", f"{name}L.l {{ea}},{{l}}:{{l}}") for name in ("DIVU", "DIVS")),
    *(
        (f"{name}.{{s}} {{y}}", f"{name}.{{s}} #1,{{y}}")
        for name in ["ASL", "ASR", "LSL", "LSR", "ROL", "ROR", "ROXL", "ROXR"]
    ),
    *(
        (f"{name}.w #1,{{ea}}", f"{name}.w {{ea}}")
        for name in ["ASL", "ASR", "LSL", "LSR", "ROL", "ROR", "ROXL", "ROXR"]
    ),
    *((f"MOVEP.{s} {{d}},{{disp}}({{b}})", f"MOVEP.{s} {{d}},({{disp}},{{b}})") for s in "wl"),
    *((f"MOVEP.{s} {{disp}}({{b}}),{{d}}", f"MOVEP.{s} ({{disp}},{{b}}),{{d}}") for s in "wl"),
    *((f"MOVEP.{s} {{d}},({{b}})", f"MOVEP.{s} {{d}},(0,{{b}})") for s in "wl"),
    *((f"MOVEP.{s} ({{b}}),{{d}}", f"MOVEP.{s} (0,{{b}}),{{d}}") for s in "wl"),
    *((f"MOVE16 {text},{{absolute}}", f"MOVE16 {text},({{absolute}})") for text in ("({b})+", "({b})")),
    *((f"MOVE16 {{absolute}},{text}", f"MOVE16 ({{absolute}}),{text}") for text in ("({b})+", "({b})")),
    ("DBRA {y},{target}", "DBF {y},{target}"),
    # GNU's names of branches that reach anywhere
    ("JRA {target}", "BRA {target}"),
    ("JBRA {target}", "BRA {target}"),
    ("JBSR {target}", "BSR {target}"),
    ("JBSR {ea}", "JSR {ea}"),
    ("J{c} {target}", "B{c} {target}"),
]

DIALECT = Dialect(
    numbers=Numbers(
        (("\\$([0-9a-fA-F]+)", 16), ("%([01]+)", 2), ("@([0-7]+)", 8), *C_NUMBERS),
        here=(".", "*"),
    ),
    comments=(";", " |", "\t|"),
    line_comments=("*", "#", "|"),
    aliases=tuple(ALIASES),
    default_suffixes=("w", "l", "b"),
    suffixes=suffixes,
    sizes={"word": 2},
    nop=b"\x4e\x71",
    words=re.compile("|".join((r"[ad]\d|za\d|z?pc|sp|fp", *CONTROL_NAMES.values(), *CACHE_NAMES.values()))),
)
