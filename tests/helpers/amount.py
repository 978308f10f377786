"""How much a test does: by default enough to find what is wrong, with RETROSIM_TESTS=all everything."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import TypeVar

T = TypeVar("T")
EVERYTHING = os.environ.get("RETROSIM_TESTS") == "all"


def usually(some: Collection[T], everything: Collection[T]) -> Collection[T]:
    """Return some combinations or samples, or with RETROSIM_TESTS=all every one."""
    return everything if EVERYTHING else some
