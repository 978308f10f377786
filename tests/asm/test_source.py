"""Statements of a source: comments, separators, labels, conditions, macros, repetitions, and their limits."""

from __future__ import annotations

import pytest

from retrosim.asm import assemble, source
from retrosim.errors import AssemblyError


def code(text: str, cpu: str = "m68040", **options) -> str:
    return assemble(text, cpu, **options).code.hex()


def messages(text: str, cpu: str = "m68000", **options) -> list[tuple[int, str]]:
    with pytest.raises(AssemblyError) as raised:
        assemble(text, cpu, **options)
    return [(line, sentence) for _, line, sentence in raised.value.messages]


@pytest.mark.parametrize(
    ("cpu", "text", "expected"),
    [
        ("m68000", " dc.b 1 ; two\n dc.b 2 | three\n dc.b 3|4\n* four\n# five\n| six\n dc.b 5 // six", "01020705"),
        ("m68000", " dc.b ';',1 ; ';'\n dc.b \"// |\",'it''s' | x", "3b01" + b"// |it's".hex()),
        ("i386", " db 1 ; 2\n db 3 # 4\n; db 5\n db ';', '#'", "01033b23"),
        ("ppc601", ' .byte 1; .byte 2 # ; .byte 3\n .ascii "a;b"; .byte 4;;\n;', "0102" + b"a;b".hex() + "04"),
        ("ppc601", " .ascii 'a;b'; .byte 1", b"a;b".hex() + "01"),
        ("m68000", " dc.b 1 /* 2\n dc.b 3 */\n dc.b 4 /* 5 */,6", "010406"),
        ("m68000", " dc.b 1\n end\n dc.b 2", "01"),
        ("m68000", "a: end\n dc.b 2", ""),
    ],
)
def test_comments_and_separators(cpu: str, text: str, expected: str) -> None:
    assert code(text, cpu) == expected


@pytest.mark.parametrize(
    ("directive", "met"),
    [
        ("if", (-1, 1)), ("ifne", (-1, 1)), ("ifeq", (0,)), ("ifgt", (1,)), ("ifge", (0, 1)), ("iflt", (-1,)),
        ("ifle", (-1, 0)),
    ],
)  # fmt: skip
def test_conditions_on_numbers(directive: str, met: tuple[int, ...]) -> None:
    for number in (-1, 0, 1):
        assert code(f" {directive} {number}\n dc.b 1\n else\n dc.b 2\n endif") == ("01" if number in met else "02")


def test_conditions_on_texts_and_names() -> None:
    for condition, is_met in (
        ("ifc 'a','a'", True), ("ifc 'a','b'", False), ("ifnc 'a','a'", False), ("ifnc 'a','b'", True),
        ("ifc 'a'", False), ('ifc "a","a"', True), ("ifdef x", True), ("ifdef y", False), ("ifndef x", False),
        ("ifnd y", True),
    ):  # fmt: skip
        assert code(f"x equ 1\n {condition}\n dc.b 1\n endc\n dc.b 2") == ("0102" if is_met else "02"), condition


def test_one_branch_of_a_condition_is_taken() -> None:
    text = " if {}\n dc.b 1\n elseif {}\n dc.b 2\n elif {}\n dc.b 3\n else\n dc.b 4\n endif\n dc.b 5"
    for conditions, byte in (((1, 1, 1), 1), ((0, 1, 1), 2), ((0, 0, 1), 3), ((0, 0, 0), 4)):
        assert code(text.format(*conditions)) == f"0{byte}05"
    inner = " if 0\n if 1\n dc.b 1\n else\n dc.b 2\n endif\n else\n dc.b 3\n endif"
    assert code(inner) == "03" and code(inner.replace("if 0", "if 1", 1)) == "01"
    assert messages(" else") == [(1, "else without a matching beginning")]
    assert messages(" nop\n endm") == [(2, "endm without a matching beginning")]
    assert messages(" rept 2\n nop") == [(1, "rept has no matching end")]


def test_labels() -> None:
    """With a colon anywhere, without one at the beginning of a line, or before a word that is known."""
    for text in ("a: dc.b a&255", "a dc.b a&255", "a:\n dc.b a&255", "a\n dc.b a&255", "a: rept 1\n dc.b a&255\n endr"):
        assert code(text) == "00", text
    assert code("a: if 1\n dc.b 1\n endif") == "01"
    assert code(" start db 7", "i386") == "07"
    assert messages(" (d0)") == [(1, "'(d0)' is not a statement")]


def test_assignments() -> None:
    assert code("a = 3\nb: equ 4\nc equ 5\nd set 6\nd set d+1\n dc.b a,b,c,d") == "03040507"


def test_macros() -> None:
    plain = "m macro\n dc.b \\1,\\2\n endm\n m 1,2\n m 3,4"
    assert code(plain) == "01020304"
    assert code(" macro m a,b=9\n dc.b \\a,\\b\n endm\n m 1\n m 2,3\n m b=4,a=5\n m 6 7") == "0109020305040607"
    assert code(" macro m a,rest:vararg\n dc.b \\a\n dc.b \\rest\n endm\n m 1,2,3,4") == "01020304"
    assert code(" macro m\n dc.b 1\\@-0\n endm\n", symbols={}) == ""
    assert code(" macro m a\nx\\a\\()y: dc.b \\a\n endm\n m 1\n m 2\n dc.b x2y-x1y") == "010201"
    assert code(" macro m\nl\\@: dc.b 1\n dc.b l\\@&255\n endm\n m\n m") == "01000102"
    assert code("%macro m 2\n db %1,%2\n%%l: db %%l-%%l\n%endmacro\n m 1,2\n m 3,4", "i386") == "010200030400"
    assert code(" macro m\n macro n\n dc.b 1\n endm\n endm\n m\n n") == "01"
    assert messages(" macro") == [(1, "a macro needs a name")]
    assert messages(" macro m\n nop") == [(1, "macro has no matching end")]
    assert code(" macro m a\n dc.b \\a\n endm\nx: m 5\n dc.b x&255") == "0500"


def test_repetitions() -> None:
    assert code("n set 0\n rept 3\n dc.b n\nn set n+1\n endr") == "000102"
    assert code(" rept 2\n rept 2\n dc.b 7\n endr\n dc.b 8\n endr") == "070708070708"
    assert code("%rep 2\n db 1\n%endrep", "i386") == "0101"
    assert code(" irp v,1,2,3\n dc.b \\v\n endr") == code(" irp v 1,2,3\n dc.b \\v\n endr") == "010203"
    assert code(" irp v,a,b\n\\v\\()1: dc.b 1\n endr\n dc.b b1-a1") == "010101"
    assert code(" rept 0\n dc.b 1\n endr") == ""


def test_lines_of_the_preprocessor() -> None:
    text = '# 5 "x.h" 1 3\n bad\n\n bad\n# 2 "main.S"\n bad\n'
    with pytest.raises(AssemblyError) as raised:
        assemble(text, "m68000")
    assert [(file, line) for file, line, _ in raised.value.messages] == [("main.S", 2), ("x.h", 5), ("x.h", 7)]


@pytest.mark.parametrize(
    ("limit", "value", "fits", "text", "why"),
    [
        ("MAX_LINE", 9, " dc.b 100", " dc.b 1000", "a line has more than 9 characters"),
        ("MAX_LINES", 7, " rept 2\n nop\n endr", " rept 3\n nop\n endr", "more than 7 lines after expansion"),
        ("MAX_CHARACTERS", 8, " nop", " nop \n nop", "more than 8 characters after expansion"),
        ("MAX_NESTED", 1, " if 1\n nop\n endif", " if 1\n if 1\n nop\n endif\n endif", "nested more than 1 deep"),
        ("MAX_LINES", 9, " rept 0\n endr", " rept 10\n endr", r"rept 10: allowed 0\.\.9"),
    ],
)
def test_limits(limit: str, value: int, fits: str, text: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, limit, value)
    assemble(fits, "m68000")
    with pytest.raises(AssemblyError, match=why):
        assemble(text, "m68000")


def test_files_in_files(tmp_path) -> None:
    for number in range(1, 18):
        (tmp_path / f"{number}.i").write_text(
            f" dc.b {number}\n include '{number - 1}.i'\n" if number > 1 else " dc.b 1\n"
        )
    assert code(" include '16.i'", folder=tmp_path) == bytes(range(16, 0, -1)).hex()
    with pytest.raises(AssemblyError, match="include: files are nested more than 16 deep"):
        assemble(" include '17.i'", "m68000", folder=tmp_path)
