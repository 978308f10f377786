"""The manual as a folder of HTML pages, with a search that works from the disk: no server, no network."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from retrosim.report.page import stylesheet

from . import FOLDER, TOPICS, Page, fact_names, note_names, read_page

PICTURES = "pictures"
GROUPS = {"Topics": TOPICS, "Facts": tuple(fact_names()), "Notes for maintainers": tuple(note_names())}


@dataclass
class Section:
    """A heading and the text below it, as the search finds them."""

    page: str
    anchor: str
    title: str
    text: str


def write_manual(folder: Path) -> int:
    """Write all pages of the guide into a folder, with their pictures, an index and the search; return how many pages.

    folder  made if it is not there; files of the same names are replaced
    Errors  OSError
    """
    sections: list[Section] = []
    for name in (name for names in GROUPS.values() for name in names):
        page = read_page(name)
        body = _body(page, folder, sections)
        _write(folder / f"{name}.html", _framed(page.title, body, name.count("/")))
    _write(folder / "index.html", _framed("The manual of retrosim", _contents(), 0))
    found = [[section.page, section.anchor, section.title, section.text] for section in sections]
    _write(folder / "search.js", f"const SECTIONS = {json.dumps(found, ensure_ascii=False)};\n{_own('search.js')}")
    _write(folder / "manual.css", stylesheet() + _own("manual.css"))
    return sum(map(len, GROUPS.values()))


def _own(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def anchor(title: str) -> str:
    """Return the identifier of a heading, as links of the pages write it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _body(page: Page, folder: Path, sections: list[Section]) -> str:
    """Return a page as HTML: links lead to pages, pictures are copied; what can be searched goes to the sections."""
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(page.text)
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            title = _plain(tokens[number + 1])
            token.attrSet("id", anchor(title))
            sections.append(Section(page.name, anchor(title) if token.tag != "h1" else "", title, ""))
        elif token.type in ("inline", "fence", "code_block") and sections:
            sections[-1].text += f"{_plain(token)} "
        for part in token.children or ():
            if part.type == "link_open":
                part.attrSet("href", re.sub(r"\.md(?=#|$)", ".html", str(part.attrGet("href"))))
            elif part.type == "image":
                part.attrSet("src", _copied(str(part.attrGet("src")), page.name, folder))
    html: str = markdown.renderer.render(tokens, markdown.options, {})
    return html.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")


def _plain(token: Token) -> str:
    if not token.children:
        return token.content
    return "".join(" " if part.type == "softbreak" else part.content for part in token.children)


def _copied(target: str, name: str, folder: Path) -> str:
    """Copy a picture that a page shows, if it is there; return where the page finds the copy."""
    source = ((FOLDER / name).parent / target).resolve()
    copy = folder / PICTURES / f"{source.parent.name}-{source.name}"
    if source.is_file():
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
    return f"{'../' * name.count('/')}{PICTURES}/{copy.name}"


def _links(names: Sequence[str], up: str) -> str:
    titles = [(name, read_page(name).title) for name in names]
    return "".join(
        f'<li><a href="{up}{name}.html">{escape(title.partition(":")[0])}</a></li>' for name, title in titles
    )


def _contents() -> str:
    parts = ["<h1>The manual of retrosim</h1>"]
    for group, names in GROUPS.items():
        rows = [(name, read_page(name).title) for name in names]
        items = "".join(f'<li><a href="{name}.html">{escape(title)}</a></li>' for name, title in rows)
        parts.append(f"<h2>{group}</h2><ul>{items}</ul>")
    return "\n".join(parts)


def _framed(title: str, body: str, depth: int) -> str:
    """Return a whole page: the search and the list of topics beside a text; `depth`: folders below the index."""
    up = "../" * depth
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<link rel="stylesheet" href="{up}manual.css">
</head>
<body class="manual" data-up="{up}">
<nav aria-label="Manual">
<p><a href="{up}index.html">retrosim</a></p>
<label>Search <input type="search" id="search" autocomplete="off"></label>
<ol id="results" aria-live="polite"></ol>
<ul id="topics">{_links(TOPICS, up)}</ul>
</nav>
<main>
{body}</main>
<script src="{up}search.js"></script>
</body>
</html>
"""
