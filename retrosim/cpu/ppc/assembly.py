"""The assembly language of the PowerPC, as GNU as takes it, with the simplified mnemonics of 601UM appendix F."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..assembly.dialect import Dialect
from ..assembly.expressions import C_NUMBERS, Numbers

# name -> (BO, bit of the condition field)
CONDITIONS = {
    "lt": (12, "lt"), "gt": (12, "gt"), "eq": (12, "eq"), "so": (12, "so"),
    "ge": (4, "lt"), "le": (4, "gt"), "ne": (4, "eq"), "ns": (4, "so"),
}  # fmt: skip
SAME_CONDITIONS = {"nl": "ge", "ng": "le", "un": "so", "nu": "ns"}
COUNTERS = {"dnz": 16, "dz": 18}
BITS = {"t": 12, "f": 4}
COUNTERS_AND_BITS = {"dnzt": 8, "dnzf": 0, "dzt": 10, "dzf": 2}
TRAPS = {
    "lt": 16, "le": 20, "eq": 4, "ge": 12, "gt": 8, "nl": 12, "ne": 24, "ng": 20, "llt": 2, "lle": 6, "lge": 5,
    "lgt": 1, "lnl": 5, "lng": 6,
}  # fmt: skip
# registers with names of their own (601UM section 2.3.3)
SPECIAL = {
    "mq": 0, "xer": 1, "lr": 8, "ctr": 9, "dsisr": 18, "dar": 19, "dec": 22, "sdr1": 25, "srr0": 26, "srr1": 27,
    "sprg0": 272, "sprg1": 273, "sprg2": 274, "sprg3": 275, "ear": 282, "pvr": 287,
}  # fmt: skip
READ_ONLY = {"rtcu": 4, "rtcl": 5}  # for programs; written by other numbers
WRITE_ONLY = {"rtcu": 20, "rtcl": 21}
SPECIAL_NAMES = SPECIAL | READ_ONLY


def _branch(name: str, bo: str, bit: str, both: str = "") -> Iterator[tuple[str, str]]:
    """Yield the forms of a conditional branch: with link, hints and, for `both`, a condition field."""
    field = f"4*{{crf}}+{bit}"
    for link in ("", "l"):
        for hint in ("", "+", "-"):
            for register in ("", "lr", "ctr"):
                base = f"bc{register}{link}"
                mnemonic = f"b{name}{register}{link}"
                if not register:
                    yield f"{mnemonic}{{aa}}{hint} {{target}}", f"{base}{{aa}} {bo}{hint},{bit},{{target}}"
                    if both:
                        yield (
                            f"{mnemonic}{{aa}}{hint} {{crf}},{{target}}",
                            f"{base}{{aa}} {bo}{hint},{field},{{target}}",
                        )
                else:
                    yield f"{mnemonic}{hint}", f"{base} {bo}{hint},{bit}"
                    if both:
                        yield f"{mnemonic}{hint} {{crf}}", f"{base} {bo}{hint},{field}"


def _by_bit(name: str, bo: int, *registers: str) -> Iterator[tuple[str, str]]:
    """Yield the forms of a branch that looks at a condition bit by its number; `registers` may hold its target."""
    for link in ("", "l"):
        for hint in ("", "+", "-"):
            yield f"b{name}{link}{{aa}}{hint} {{bi}},{{target}}", f"bc{link}{{aa}} {bo}{hint},{{bi}},{{target}}"
            for register in registers:
                yield f"b{name}{register}{link}{hint} {{bi}}", f"bc{register}{link} {bo}{hint},{{bi}}"


def _always() -> Iterator[tuple[str, str]]:
    for register in ("lr", "ctr"):
        for link in ("", "l"):
            yield f"b{register}{link}", f"bc{register}{link} 20,lt"


def _branches(conditions: dict[str, tuple[int, str]]) -> list[tuple[str, str]]:
    return [pair for name, (bo, bit) in conditions.items() for pair in _branch(name, str(bo), bit, "both")]


_TAKEN_AND_SHOWN = [
    *_always(),
    *_branches(CONDITIONS),
    *(pair for name, bo in COUNTERS.items() for pair in _branch(name, str(bo), "lt")),
    *(pair for name, bo in COUNTERS_AND_BITS.items() for pair in _by_bit(name, bo, "lr")),
    ("nop", "ori r0,r0,0"),
    ("li {d},{simm}", "addi {d},0,{simm}"),
    ("lis {d},{shifted}", "addis {d},0,{shifted}"),
    ("mr{rc} {t},{s}", "or{rc} {t},{s},{s}"),
    ("not{rc} {t},{s}", "nor{rc} {t},{s},{s}"),
    *((f"cmp{c}w{i} {{a}},{{{b}}}", f"cmp{c}{i} cr0,0,{{a}},{{{b}}}")
      for c, i, b in (("", "i", "simm"), ("l", "i", "uimm"), ("", "", "b"), ("l", "", "b"))),
    *((f"cmp{c}w{i} {{crf}},{{a}},{{{b}}}", f"cmp{c}{i} {{crf}},0,{{a}},{{{b}}}")
      for c, i, b in (("", "i", "simm"), ("l", "i", "uimm"), ("", "", "b"), ("l", "", "b"))),
    ("crset {bt}", "creqv {bt},{bt},{bt}"),
    ("crclr {bt}", "crxor {bt},{bt},{bt}"),
    ("crmove {bt},{ba}", "cror {bt},{ba},{ba}"),
    ("crnot {bt},{ba}", "crnor {bt},{ba},{ba}"),
    ("rotlw{rc} {t},{s},{b}", "rlwnm{rc} {t},{s},{b},0,31"),
    *((f"mf{name} {{d}}", f"mfspr {{d}},{n}") for name, n in (SPECIAL | READ_ONLY).items()),
    *((f"mt{name} {{s}}", f"mtspr {n},{{s}}") for name, n in (SPECIAL | WRITE_ONLY).items() if name != "pvr"),
    ("trap", "tw 31,r0,r0"),
    *((f"tw{name} {{a}},{{b}}", f"tw {to},{{a}},{{b}}") for name, to in TRAPS.items()),
    *((f"tw{name}i {{a}},{{simm}}", f"twi {to},{{a}},{{simm}}") for name, to in TRAPS.items()),
]  # fmt: skip
_ROTATIONS = [
    ("slwi{rc} {t},{s},{n}", "rlwinm{rc} {t},{s},{n},0,31-({n})"),
    ("srwi{rc} {t},{s},{n}", "rlwinm{rc} {t},{s},32-({n}),{n},31"),
    ("clrlwi{rc} {t},{s},{n}", "rlwinm{rc} {t},{s},0,{n},31"),
    ("rotlwi{rc} {t},{s},{n}", "rlwinm{rc} {t},{s},{n},0,31"),
]
_TAKEN = [
    *_branches({name: CONDITIONS[same] for name, same in SAME_CONDITIONS.items()}),
    *(pair for name, bo in BITS.items() for pair in _by_bit(name, bo, "lr", "ctr")),
    *_ROTATIONS,
    ("clrrwi{rc} {t},{s},{n}", "rlwinm{rc} {t},{s},0,0,31-({n})"),
    ("rotrwi{rc} {t},{s},{n}", "rlwinm{rc} {t},{s},32-({n}),0,31"),
    ("clrlslwi{rc} {t},{s},{m},{n}", "rlwinm{rc} {t},{s},{n},({m})-({n}),31-({n})"),
    ("extlwi{rc} {t},{s},{m},{n}", "rlwinm{rc} {t},{s},{n},0,({m})-1"),
    ("extrwi{rc} {t},{s},{m},{n}", "rlwinm{rc} {t},{s},(({m})+({n}))&31,32-({m}),31"),
    ("inslwi{rc} {u},{s},{m},{n}", "rlwimi{rc} {u},{s},32-({n}),{n},({m})+({n})-1"),
    ("insrwi{rc} {u},{s},{m},{n}", "rlwimi{rc} {u},{s},32-({m})-({n}),{n},({m})+({n})-1"),
    ("la {d},{simm}({z})", "addi {d},{z},{simm}"),
    *((f"subi{end} {{d}},{{{a}}},{{n}}", f"addi{end} {{d}},{{{a}}},-({{n}})")
      for end, a in (("", "z"), ("s", "z"), ("c", "a"), ("c.", "a"))),
    ("sub{oe}{rc} {d},{b},{a}", "subf{oe}{rc} {d},{a},{b}"),
    ("subc{oe}{rc} {d},{b},{a}", "subfc{oe}{rc} {d},{a},{b}"),
    ("mtcr {s}", "mtcrf 255,{s}"),
    ("mfsprg {d},{n}", "mfspr {d},272+({n})"),
    ("mtsprg {n},{s}", "mtspr 272+({n}),{s}"),
    *((f"bc{r}{link} {{bo}},{{bi}},0", f"bc{r}{link} {{bo}},{{bi}}") for r in ("lr", "ctr") for link in ("", "l")),
]  # fmt: skip


def _every_count() -> Iterator[tuple[str, str]]:
    """Yield the simplified rotations with their numbers: a listing shows them where the numbers fit together."""
    for n in range(1, 32):
        yield f"slwi{{rc}} {{t}},{{s}},{n}", f"rlwinm{{rc}} {{t}},{{s}},{n},0,{31 - n}"
        yield f"srwi{{rc}} {{t}},{{s}},{n}", f"rlwinm{{rc}} {{t}},{{s}},{32 - n},{n},31"
        yield f"clrlwi{{rc}} {{t}},{{s}},{n}", f"rlwinm{{rc}} {{t}},{{s}},0,{n},31"
        yield f"rotlwi{{rc}} {{t}},{{s}},{n}", f"rlwinm{{rc}} {{t}},{{s}},{n},0,31"


def _plain_hints() -> Iterator[tuple[str, str]]:
    """Yield what is shown of conditional branches that have no name: BO as a number."""
    for bo in range(0, 32, 2):
        for hint in "+-":
            for link in ("", "l"):
                yield f"bc{link}{{aa}} {bo + 1},{{bi}},{{target}}", f"bc{link}{{aa}} {bo}{hint},{{bi}},{{target}}"
                for register in ("lr", "ctr"):
                    yield f"bc{register}{link} {bo + 1},{{bi}}", f"bc{register}{link} {bo}{hint},{{bi}}"


DIALECT = Dialect(
    numbers=Numbers(
        C_NUMBERS,
        halves=(
            ("@l", lambda n: n & 0xFFFF),
            ("@h", lambda n: n >> 16 & 0xFFFF),
            ("@ha", lambda n: (n + 0x8000) >> 16 & 0xFFFF),
        ),
    ),
    comments=("#",),
    separator=";",
    signed_names=r"[a-z_][\w.]*[+-]+",
    aliases=(*_TAKEN_AND_SHOWN, *_TAKEN),
    shown=(*_TAKEN_AND_SHOWN, *_every_count(), *_plain_hints()),
    sizes={"word": 2},
    align_is_power=True,
    nop=b"\x60\0\0\0",
    words=re.compile("|".join((r"(r|f|cr)\d+|rtoc|sp|lt|gt|eq|so|un", *SPECIAL_NAMES))),
)
