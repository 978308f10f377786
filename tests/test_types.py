"""The public surface says its types: every public function has all of its arguments and its result annotated.

What a type checker makes of them is in typed_use.py, which mypy reads.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

import pytest

import retrosim.collide

MODULES = (
    *("retrosim", "retrosim.errors", "retrosim.machine", "retrosim.rom", "retrosim.tape", "retrosim.collide"),
    *("retrosim.screen.font", "retrosim.screen.framebuffer", "retrosim.screen.framebuffer", "retrosim.screen.png"),
    *(
        f"retrosim.collide.{name}"
        for _, name, is_package in pkgutil.iter_modules(retrosim.collide.__path__)
        if not is_package and not name.startswith("_")
    ),
)


def public_functions(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield functions and methods with their names; compiled loops are no functions of Python.

    A module without a list of public names has those that it defines.
    """
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    for name in getattr(module, "__all__", None) or [name for name in own if not name.startswith("_")]:
        found = getattr(module, name)
        if isinstance(found, FunctionType):
            yield name, found
        elif inspect.isclass(found):
            for key, value in vars(found).items():
                if isinstance(value, FunctionType) and (key == "__init__" or not key.startswith("_")):
                    yield f"{name}.{key}", value


def unannotated(function: Callable[..., Any]) -> list[str]:
    """Return the arguments without a type, and "return" if the result has none."""
    signature = inspect.signature(function)
    missing = [each.name for each in signature.parameters.values() if each.annotation is each.empty]
    result = ["return"] if signature.return_annotation is signature.empty else []
    return [name for name in missing if name not in ("self", "cls")] + result


@pytest.mark.parametrize("name", MODULES)
def test_public_functions_are_annotated(name: str) -> None:
    found = dict(public_functions(import_module(name)))
    ours = {key: each for key, each in found.items() if each.__module__.startswith("retrosim.")}
    assert {key: missing for key, each in ours.items() if (missing := unannotated(each))} == {}


def test_a_missing_type_is_found() -> None:
    """A check of the checker."""

    def half(number, other: int):
        return number + other

    assert unannotated(half) == ["number", "return"]
    assert len(dict(public_functions(retrosim.collide))) >= 5
