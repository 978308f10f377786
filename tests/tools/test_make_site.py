"""The site's pages: all of the guide, with links and pictures that are there. mkdocs itself is not needed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import make_site

from retrosim.guide import TOPICS, fact_names, note_names


def test_pages_links_and_pictures(tmp_path: Path) -> None:
    make_site.write_pages(tmp_path)
    pages = list(tmp_path.rglob("*.md"))
    assert len(pages) == len(TOPICS) + len(fact_names()) + len(note_names())
    assert (tmp_path / f"{make_site.file_stem(TOPICS[0])}.md").is_file()
    targets = [
        (page, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text(encoding="utf-8"))
        if "://" not in target
    ]
    assert len(targets) > 30
    assert [(page.name, target) for page, target in targets if not (page.parent / target).is_file()] == []
    assert {path.suffix for path in (tmp_path / "pictures").iterdir()} == {".png"}


def test_every_page_is_in_the_menu(tmp_path: Path) -> None:
    make_site.write_pages(tmp_path)
    *topics, facts, notes = json.loads(make_site.configuration(tmp_path, tmp_path))["nav"]
    named = [file for entry in [*topics, *facts["All facts"], *notes["Notes"]] for file in entry.values()]
    assert sorted(named) == sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md"))
