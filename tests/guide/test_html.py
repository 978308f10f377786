"""The manual as HTML: every page, link, heading and picture is there; the search finds sections."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from retrosim.guide import TOPICS, fact_names, html, note_names
from tests.helpers.browser import CHROMIUM, Browser


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manual") / "new"
    assert html.write_manual(folder) == len(TOPICS) + len(fact_names()) + len(note_names())
    return folder


def test_every_link_leads_to_a_page_and_a_heading(manual: Path) -> None:
    texts = {path.resolve(): path.read_text(encoding="utf-8") for path in manual.rglob("*.html")}
    count = 0
    for path, text in texts.items():
        for target, heading in re.findall(r'(?:href|src)="([^"#]*)(?:#([^"]*))?"', text):
            if "://" in target:
                continue
            page = (path.parent / target).resolve() if target else path
            assert page.is_file() and (not heading or f'id="{heading}"' in texts[page]), (
                f"{path.name}: {target}#{heading}"
            )
            count += 1
    assert count > 2000
    assert {path.suffix for path in (manual / "pictures").iterdir()} == {".png"}
    assert all(
        "http" not in script for script in re.findall(r"<script[^>]*>|<link[^>]*>", texts[manual / "start.html"])
    )


def test_headings_are_named_as_links_write_them() -> None:
    assert html.anchor("What is `NOT` covered?") == "what-is-not-covered"
    assert html.anchor("Results, and how sure") == "results-and-how-sure"


@pytest.mark.full
@pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")
def test_the_search_in_a_browser(manual: Path, tmp_path: Path) -> None:
    browser = Browser(tmp_path / "profile")
    try:
        browser.open(manual / "facts" / "measured.html")
        search = "f => { f.value = 'copyback WRITE-THROUGH'; f.dispatchEvent(new Event('input')) }"
        browser.evaluate(f"({search})(document.getElementById('search'))")
        links = browser.evaluate("[...document.querySelectorAll('#results a')].map(a => a.getAttribute('href'))")
        assert links and all(link.startswith("../") for link in links)
        assert browser.evaluate("document.getElementById('topics').hidden") is True
        browser.evaluate(f"({search.replace('copyback', 'nosuchword')})(document.getElementById('search'))")
        assert browser.evaluate("document.getElementById('results').textContent").startswith("No section")
    finally:
        browser.close()
