"""The README is short, and its two commands stand there word for word; its code runs in guide/test_pages.py."""

from __future__ import annotations

from tests.helpers.pages import ROOT, blocks

README = ROOT / "README.md"


def test_the_two_commands() -> None:
    text = README.read_text(encoding="utf-8")
    for command in ("pip install . && retrosim run", "pip install '.[test]' && pytest"):
        assert f"\n    {command}\n" in text


def test_it_is_short_and_has_code() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150 and len(text.split()) <= 1200
    assert len(blocks(README, "python")) == 2
