"""Examples: short programs that use retrosim, run as `python -m retrosim.examples.NAME`.

Every one takes --help. Some need libraries that retrosim itself does without: pip install 'retrosim[examples]'.
"""

from __future__ import annotations

import argparse
import ast
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retrosim import Machine

FOLDER = Path(__file__).parent


def list_examples() -> dict[str, str]:
    """Return what each example shows by its name; nothing is imported, so that none of its libraries is needed."""
    files = sorted(path for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))
    return {path.stem: (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n")[0] for path in files}


def example_parser(file: str) -> argparse.ArgumentParser:
    """Return a parser for the options of an example, with its docstring as the help; `file` is its `__file__`."""
    path = Path(file)
    return argparse.ArgumentParser(
        prog=f"python -m retrosim.examples.{path.stem}",
        description=ast.get_docstring(ast.parse(path.read_text())),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def need(library: str) -> Any:
    """Import a library that retrosim itself does without, or end with one line that says how to get it."""
    try:
        return import_module(library)
    except ImportError as error:
        raise SystemExit(f"{library} cannot be imported ({error}): pip install 'retrosim[examples]'") from None


def counting(machine: object) -> Machine:
    """Return the machine if it counts cycles. Errors: ValueError for the native one."""
    from retrosim import Machine

    if not isinstance(machine, Machine):
        raise ValueError("machine 'native': has no CPU whose cycles could be counted")
    return machine
