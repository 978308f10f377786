"""The examples in the documentation of the library run and print what stands there."""

import doctest
import importlib
from pathlib import Path

import pytest

import retrosim

PACKAGE = Path(retrosim.__file__).parent
MODULES = [
    ".".join(("retrosim", *path.relative_to(PACKAGE).with_suffix("").parts))
    for folder in ("collide", "numeric")
    for path in sorted((PACKAGE / folder).glob("*.py"))
    if ">>> " in path.read_text()
]


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0 and result.failed == 0


def test_every_face_has_examples():
    faces = [
        "bitmap",
        "blocks",
        "boxes",
        "compound",
        "masks",
        "objects",
        "plane",
        "rectangles",
        "sectors",
        "spheres",
        "swept",
    ]
    assert {f"retrosim.collide.{face}" for face in faces} <= set(MODULES)
