"""The pages of the project and what stands in them: the README and the guide."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "retrosim" / "guide"
PAGES = [ROOT / "README.md", *sorted(GUIDE.rglob("*.md"))]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A block of a page.

    kind     what stands behind its fence; "sh" if it is one of commands, indented in the prose
    text     its lines
    line     number of the first one in the page
    follows  whether nothing but an empty line lies between it and the fenced block before
    """

    kind: str
    text: str
    line: int
    follows: bool


def shown(path: Path) -> str:
    """Return a page's path as tests name it."""
    return path.relative_to(ROOT).as_posix()


def fenced(path: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    page = path.read_text(encoding="utf-8")
    found, end = [], None
    for match in _FENCE.finditer(page):
        follows = end is not None and not page[end : match.start()].strip()
        found.append(Block(match[1], match[2], page.count("\n", 0, match.start(2)) + 1, follows))
        end = match.end()
    return found


def indented(path: Path) -> list[Block]:
    """Return the lines of a page's prose that are indented by four blanks and stand alone, as commands do."""
    page = _FENCE.sub(lambda match: "\n" * match[0].count("\n"), path.read_text(encoding="utf-8"))
    lines = re.finditer(r"(?<=\n\n)    (\S.*\n)(?=\n)", page)
    return [Block("sh", match[1], page.count("\n", 0, match.start()) + 1, False) for match in lines]


def blocks(path: Path, kind: str) -> list[str]:
    """Return the fenced blocks of a page that are marked with a kind."""
    return [block.text for block in fenced(path) if block.kind == kind]


def prose(path: Path) -> str:
    """Return a page without its fenced blocks."""
    return _FENCE.sub("", path.read_text(encoding="utf-8"))


def commands(path: Path) -> list[list[str]]:
    """Return the arguments of every `retrosim ...` that a reader could type: in blocks for the shell, and indented."""
    lines = [line for block in blocks(path, "sh") for line in block.splitlines()]
    lines += [block.text for block in indented(path)]
    return [_arguments(part) for line in lines for part in line.split("&&") if _is_command(part)]


def mentioned(path: Path) -> list[list[str]]:
    """Return the words of every `retrosim ...` in a code span, which need not be complete."""
    spans = re.findall(r"(?<!`)`([^`]+)`(?!`)", prose(path))
    return [_arguments(part) for span in spans for part in span.split("&&") if _is_command(part)]


def _is_command(text: str) -> bool:
    return re.match(r"\s*retrosim(\s|$)", text) is not None


def _arguments(text: str) -> list[str]:
    return shlex.split(text, comments=True)[1:]


def table_rows(path: Path, mark: str) -> list[list[str]]:
    """Return the cells of a table that `tools/result_tables.py` made, its heading first, without marks of code."""
    text = path.read_text(encoding="utf-8").partition(f"<!-- made by tools/result_tables.py: {mark} -->")[2]
    lines = [line for line in text.partition("<!-- end")[0].splitlines() if line.startswith("|")]
    rows = [[cell.strip(" `*") for cell in line.strip("|").split("|")] for line in lines]
    return [rows[0], *rows[2:]]
