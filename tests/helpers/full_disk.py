"""A disk on which no large file fits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

LARGE = 10_000  # bytes


@contextmanager
def full_disk() -> Iterator[None]:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGE // 2, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
