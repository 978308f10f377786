"""The version of this program."""

from __future__ import annotations

import tomllib
from importlib.metadata import version
from pathlib import Path

NAME = "retrosim"


def find_version() -> str:
    """Return the version: that of the checkout the program runs from, else that of the installed package."""
    project = Path(__file__).parents[2] / "pyproject.toml"
    if project.is_file():
        table = tomllib.loads(project.read_text(encoding="utf-8")).get("project", {})
        if table.get("name") == NAME:
            return table["version"]
    return version(NAME)
