"""Tests of kernels wait until these are compiled; what answers before that has tests of its own."""

from collections.abc import Iterator

import pytest

from retrosim.collide import _first_calls


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compile at once what else would be compiled beside the first calls."""
    is_done = _first_calls.COMPILER.is_done

    def wait(name, job):
        if not is_done(name, job):
            _first_calls.COMPILER.wait(name)
        return True

    monkeypatch.setattr(_first_calls.COMPILER, "is_done", wait)
    yield
