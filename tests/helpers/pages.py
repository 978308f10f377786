"""The pages of the project and what stands in them: the README and the guide."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "retrosim" / "guide"
PAGES = [ROOT / "README.md", *sorted(GUIDE.rglob("*.md"))]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def shown(path: Path) -> str:
    """Return a page's path as tests name it."""
    return path.relative_to(ROOT).as_posix()


def blocks(path: Path, kind: str) -> list[str]:
    """Return the fenced blocks of a page that are marked with a kind."""
    return [text for name, text in _FENCE.findall(path.read_text(encoding="utf-8")) if name == kind]


def prose(path: Path) -> str:
    """Return a page without its fenced blocks."""
    return _FENCE.sub("", path.read_text(encoding="utf-8"))


def commands(path: Path) -> list[list[str]]:
    """Return the arguments of every `retrosim ...` that a reader could type: in blocks for the shell, and indented."""
    lines = [line for block in blocks(path, "sh") for line in block.splitlines()]
    lines += [line[4:] for line in prose(path).splitlines() if line.startswith("    ")]
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
