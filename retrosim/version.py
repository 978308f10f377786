"""The version of this program: that of the checkout it runs from, else that of the installed package."""

from __future__ import annotations

import tomllib
from importlib.metadata import version
from pathlib import Path

NAME = "retrosim"


def _find_version() -> str:
    project = Path(__file__).parents[1] / "pyproject.toml"
    if project.is_file():
        table = tomllib.loads(project.read_text(encoding="utf-8")).get("project", {})
        if table.get("name") == NAME:
            return str(table["version"])
    return version(NAME)


__version__ = _find_version()
