"""How emitters are built."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from retrosim.cpu.engines import tiers  # noqa: F401  imports them all
from retrosim.cpu.engines.emit import Emitter


def emitters(base: type[Emitter]) -> Iterator[type[Emitter]]:
    yield base
    for emitter in base.__subclasses__():
        yield from emitters(emitter)


@pytest.mark.parametrize("emitter", list(emitters(Emitter)), ids=lambda emitter: emitter.__name__)
def test_few_levels(emitter: type[Emitter]) -> None:
    """Three at most, each with one base: what else it needs it has."""
    levels = [base for base in emitter.__mro__ if issubclass(base, Emitter)]
    assert len(levels) <= 3 and all(len(level.__bases__) == 1 for level in levels)
