"""tools/rom_tables.py: the tables in ROMs are those of the kernels."""

from __future__ import annotations

import re

import pytest
import rom_tables

from retrosim.machine import open_machine
from retrosim.numeric.tables import FRACTION_BITS, QUARTER, SINES, TURN
from retrosim.rom import load_rom
from tests.helpers.machine.flat import MACHINES


def test_the_source_has_every_sine(capsys) -> None:
    assert rom_tables.main(["sines"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("/* Made by tools/rom_tables.py") and "const short gSines[1280] = {" in text
    numbers = text[text.index("{") : text.index("}")]
    assert [int(number) for number in re.findall(r"-?\d+", numbers)] == SINES.tolist()
    assert max(map(len, text.splitlines())) <= 120


def test_the_header_has_the_constants(capsys) -> None:
    assert rom_tables.main(["sines", "--header"]) == 0
    text = capsys.readouterr().out
    found = {name: int(value) for name, value in re.findall(r"(k\w+) = (\d+)", text)}
    assert found == {"kTurn": TURN, "kQuarter": QUARTER, "kFractionBits": FRACTION_BITS}


def test_other_tables_are_refused() -> None:
    with pytest.raises(SystemExit) as refused:
        rom_tables.main(["tangents"])
    assert refused.value.code == 2


@pytest.mark.parametrize("machine", MACHINES)
def test_images_hold_the_table(machine: str) -> None:
    there = open_machine(machine, load_rom("shapes"), engine="evaluate", timing="off")
    order = "<" if there.image.byte_order == "little" else ">"
    start = there.address("gSines")
    assert there.mem[start : start + SINES.nbytes].view(f"{order}i2").tolist() == SINES.tolist()
