"""Sizes of sectors: what is measured, and the document's own case. --full measures everything."""

from __future__ import annotations

import pytest

from retrosim.machine.presets import machines_for
from retrosim.rom import load_rom
from retrosim.table_1994 import sector_sizes
from retrosim.table_1994.sector_sizes import advised
from retrosim.table_1994.sector_sizes import sector_sizes as measure
from tests.helpers.amount import FULL

MACHINES = machines_for({info.isa for info in load_rom("sizes").images})


def test_the_advice() -> None:
    """Moertel 1994: more than twice the side, 64 for 30."""
    assert [advised(side) for side in (7, 8, 15, 30, 31, 32, 127)] == [16, 32, 32, 64, 64, 128, 256]


@pytest.mark.parametrize("machine", MACHINES if FULL else ("i386dx-33",))
def test_sizes(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not FULL:
        monkeypatch.setattr(sector_sizes, "SIDES", (30,))
        monkeypatch.setattr(sector_sizes, "COUNTS", (200,))
    result = measure(machine, [1994])
    own = {row.sector: row for row in result.rows if (row.objects, row.side) == (200, 30)}
    assert set(own) == {64, 128, 256}
    assert own[64].tests < own[128].tests < own[256].tests
    assert own[64].is_advised and own[64].is_fastest and "holds" in result.verdict
    assert sum(row.is_fastest for row in own.values()) == 1
