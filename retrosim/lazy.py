"""Packages whose public names are imported when they are first used.

The names stand in one place, the package's `__init__.pyi`, as `from .module import Name as Name`: type checkers and
editors read that file anyway, and `attach` reads it when the package is imported (after `attach_stub` of SPEC 1,
Scientific Python, "Lazy Loading").
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for a package.

    package  its `__name__`
    file     its `__file__`; the stub lies beside it
    """
    modules = _modules(Path(file).with_suffix(".pyi"))

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return get, names, list(modules)


def _modules(stub: Path) -> dict[str, str]:
    """Return public name -> module, as a stub's imports have them."""
    imports = [node for node in ast.parse(stub.read_text()).body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}
