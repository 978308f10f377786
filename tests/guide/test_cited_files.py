"""Every page and table that code, tables and output name is in the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers.pages import ROOT

PACKAGE = ROOT / "retrosim"
SOURCES = [
    path
    for folder in ("retrosim", "tools", "roms", "tests")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".csv", ".toml", ".c", ".h", ".S", ".pas")
]
SHIPPED = {path.relative_to(ROOT).as_posix() for path in PACKAGE.rglob("*")} | {"README.md"}
NAMED = re.compile(r"(?<![\w*{}])([\w./-]*\w\.(?:md|csv))\b(?!\()")
ATTRIBUTE = "options.csv"  # of parsed arguments: no file


def cited(text: str, kinds: tuple[str, ...]) -> set[str]:
    """Return the names of files that a text mentions."""
    return {name.removeprefix("../") for name in NAMED.findall(text) if name.endswith(kinds) and name != ATTRIBUTE}


def is_shipped(name: str) -> bool:
    """Tell whether a file of the package has this name, or this end of its path."""
    return any(f"/{path}".endswith(f"/{name}") for path in SHIPPED)


@pytest.mark.parametrize("folder", ["retrosim", "tools", "roms", "tests"])
def test_named_pages_exist(folder: str) -> None:
    missing = []
    for path in SOURCES:
        relative = path.relative_to(ROOT).as_posix()
        if not relative.startswith(f"{folder}/") or path == Path(__file__):
            continue
        kinds = (".md",) if folder == "tests" else (".md", ".csv")  # tests write tables of their own
        names = cited(path.read_text(encoding="utf-8"), kinds)
        missing += [f"{relative}: {name}" for name in sorted(names) if not is_shipped(name)]
    assert not missing, "\n".join(missing)


def test_named_pages_of_the_guide_exist() -> None:
    missing = []
    for path in sorted(PACKAGE.rglob("*.md")):
        names = cited(path.read_text(encoding="utf-8"), (".md", ".csv"))
        missing += [f"{path.relative_to(ROOT)}: {name}" for name in sorted(names) if not is_shipped(name)]
    assert not missing, "\n".join(missing)


def test_what_commands_print_is_cited_by_name() -> None:
    """Sources of the machines' parameters name pages of the guide, and the check sees them."""
    from retrosim.machine import PRESETS

    sources = " ".join(each.source for preset in PRESETS.values() for each in preset.parameters.values())
    names = cited(sources, (".md",))
    assert {"guide/facts/ppc601_timing.md", "guide/facts/machines_1994.md"} <= names and all(map(is_shipped, names))


def test_the_check_can_fail() -> None:
    assert cited("see nowhere.md section 1, and a/b.csv", (".md", ".csv")) == {"nowhere.md", "a/b.csv"}
    assert not is_shipped("nowhere.md") and not is_shipped("timing.md") and is_shipped("facts/ppc601_timing.md")
