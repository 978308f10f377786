"""One instruction as it is written, on each machine that has it."""

from __future__ import annotations

import pytest

from retrosim.machine.presets import PRESETS
from retrosim.reference.single import SingleReport, single_report


def report(text: str) -> SingleReport:
    return single_report(text, list(PRESETS))


@pytest.mark.parametrize(
    ("text", "code", "clocks"),
    [
        # M68000UM tables 8-2, 8-9 and 8-4; MC68040UM sections 10.4 to 10.6
        ("move.l d0,(a0)+", "20c0", {"mc68000-8": (12, 12), "mc68000-mac": (12, 12), "mc68040-25": (1, 1)}),
        ("bne.s 0x2040", "663e", {"mc68000-8": (8, 10), "mc68000-mac": (8, 10), "mc68040-25": (2, 3)}),
        ("muls d0,d1", "c3c0", {"mc68000-8": (38, 38), "mc68000-mac": (38, 38), "mc68040-25": (16, 16)}),
        ("mov eax,[ebx+4]", "8b 4304", {"i386dx-33": (4, 4), "i486dx2-66": (1, 1)}),
        ("lwz 3,0(4)", "8064 0000", {"ppc601-80": (1, 1)}),
    ],
)
def test_clocks_of_an_instruction(text: str, code: str, clocks: dict[str, tuple[int, int]]) -> None:
    found = report(text).machines
    assert {row.machine: (row.minimum, row.maximum) for row in found} == clocks
    assert {row.code for row in found} == {code}
    assert all(row.bytes == len(bytes.fromhex(code)) and row.source for row in found)
    assert {bool(row.varies) for row in found} == {text.startswith("muls")}


def test_names_may_be_elsewhere() -> None:
    assert {row.machine for row in report("bsr draw").machines} == {"mc68000-8", "mc68000-mac", "mc68040-25"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nosuch d0", "'nosuch d0': no assembler takes it: unknown instruction 'nosuch'"),
        ("move.l d0,(a0", r"'move.l d0,\(a0': no assembler takes it: (?!unknown)"),
        ("rts\n rts", "is not one instruction"),
        ("dc.w 1", "is not one instruction"),
    ],
)
def test_what_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        report(text)
