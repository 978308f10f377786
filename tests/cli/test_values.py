"""The kinds of values that options take: names of machines."""

from __future__ import annotations

import pytest

from retrosim.cli import values
from retrosim.machine.presets import MACHINE_NAMES


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("68040", "mc68040-25"), ("601", "ppc601-80"), ("486", "i486dx2-66"), ("PPC", "ppc601-80"),
        ("68000", "68000"),  # two machines have it
        ("40", "40"), ("z80", "z80"), ("", ""),
    ],
)  # fmt: skip
def test_a_part_that_no_other_machine_has_is_enough(text: str, name: str) -> None:
    assert values.machine(text) == name
    assert values.machines(f"{text or 'x'}:O0, native, native") == [f"{name or 'x'}:O0", "native"]


def test_whole_names_stay() -> None:
    assert [values.machine(name) for name in MACHINE_NAMES] == list(MACHINE_NAMES)
