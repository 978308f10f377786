"""Shared by all tests: where the conformance vectors are, and memory freed between files."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True, scope="module")
def collected() -> Iterator[None]:
    """Free the memory of a file's machines: 32 MiB and more each, in cycles that the collector seldom looks at."""
    yield
    gc.collect()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with design data beside the project; RETROSIM_SHARED names another."""
    folder = Path(os.environ.get("RETROSIM_SHARED") or ROOT.parent / "shared")
    if not (folder / "conformance").is_dir():
        pytest.skip("no shared/conformance beside the project and RETROSIM_SHARED is not set")
    return folder
