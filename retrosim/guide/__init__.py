"""The guide: pages of Markdown beside this file, the facts they rest on in facts/, and notes for maintainers in notes/.

A page begins with one heading, its title. Pages are named without suffix: "tapes", "facts/measured".

    html  all of it as a folder of HTML pages, with manual.css and search.js
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
TOPICS = (
    "start",
    "window",
    "walk",
    "tapes",
    "scenes",
    "cost",
    "bounds",
    "profile",
    "python",
    "programs",
    "memory",
    "languages",
    "roms",
    "libraries",
    "debugger",
    "gdb",
    "assembler",
    "testing",
    "instructions",
    "collide",
    "collide-reference",
    "collide-speed",
    "games",
    "machines",
    "accuracy",
    "table",
    "study",
    "documents",
    "speed",
    "cache",
    "jobs",
    "security",
    "examples",
    "lessons",
    "adding",
    "adding-kernel",
    "adding-tools",
    "internals",
    "house",
    "glossary",
    "changes",
    "facts",
)
"""The topics in the order in which they are best read; each is a file of this folder."""


@dataclass(frozen=True)
class Page:
    """A page: its name, its title, and all of its Markdown, the title included."""

    name: str
    title: str
    text: str


def fact_names() -> list[str]:
    """Return the names of the pages of facts, sorted."""
    return sorted(f"facts/{path.stem}" for path in (FOLDER / "facts").glob("*.md"))


def note_names() -> list[str]:
    """Return the names of the notes for maintainers, sorted."""
    return sorted(f"notes/{path.stem}" for path in (FOLDER / "notes").glob("*.md"))


def read_page(name: str) -> Page:
    """Return a page.

    name     one of TOPICS, of `fact_names()` or of `note_names()`
    Errors   KeyError for any other name
    """
    if name not in (*TOPICS, *fact_names(), *note_names()):
        raise KeyError(name)
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    title = text.partition("\n")[0].removeprefix("# ").replace("`", "")
    return Page(name, title, text)
