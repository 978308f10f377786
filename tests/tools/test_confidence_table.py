"""The guide's count of how sure the figures are is that of the tables, whose words are the agreed ones."""

from __future__ import annotations

import pytest

from retrosim.cpu.spec.sources import CONFIDENCE
from tools import confidence_table


def test_the_page_has_the_present_table(capsys: pytest.CaptureFixture[str]) -> None:
    text = confidence_table.PAGE.read_text()
    assert confidence_table.with_table(text) == text, "run tools/confidence_table.py --write"
    assert confidence_table.main([]) == 0
    assert capsys.readouterr().out.strip() == confidence_table.table()


def test_the_68k_tables_use_the_agreed_words() -> None:
    """Every line has one, and most of the 68000's are confirmed by vectors."""
    counts = {name: count for name, count in confidence_table.price_tables().items() if "m68k" in name}
    assert len(counts) == 2
    for name, count in counts.items():
        assert count.keys() <= CONFIDENCE.keys() and count.total() > 100, name
    assert counts["`m68k/mc68000_clocks.csv`"]["two sources"] > 90
