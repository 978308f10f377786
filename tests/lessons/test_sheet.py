"""Sheets: room for answers or the answers, pictures inside, no network."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest

from retrosim.lessons.lesson import load_lesson
from retrosim.lessons.sheet import LINES, lesson_sheet

from .test_lesson import SMALL, fake


@pytest.mark.parametrize("with_answers", [False, True])
def test_a_sheet(tmp_path: Path, with_answers: bool) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL.replace("How many?", "How many <i>?"))
    page = lesson_sheet(load_lesson(str(path)), fake, with_answers=with_answers)
    assert page.startswith("<!doctype html>") and "@page" in page and "default-src 'none'; img-src data:" in page
    assert f"data:image/png;base64,{b64encode(b'a picture').decode()}" in page
    assert "How many &lt;i&gt;?" in page and "<dt>pair</dt><dd>Two objects.</dd>" in page
    assert "<code>retrosim replay wind-50 --frames 9" in page and "http" not in page.replace("http-equiv", "")
    assert ("4 of 1,002." in page) == ("So it is." in page) == with_answers
    assert page.count('class="line"') == (0 if with_answers else LINES)
    assert ("<span>Name</span>" in page) != with_answers
