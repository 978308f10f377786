"""Results of a run that is not complete yet, in the cache: an interrupted run goes on where it was with `--resume`."""

from __future__ import annotations

from functools import cache

from retrosim.cache.sources import CACHE, source_digest
from retrosim.cache.store import RESULT_SUFFIX


@cache
def sources() -> str:
    """Return the digest of the sources that this process runs."""
    return source_digest()


class Finished:
    """The results of the present sources, by the keys of their tasks."""

    def __init__(self) -> None:
        self.sources = sources()
        self._store = CACHE.store("jobs", self.sources)

    def read(self, key: str) -> str | None:
        """Return the JSON of a result, None if there is none."""
        content = self._store.read(key + RESULT_SUFFIX)
        return None if content is None else content.decode()

    def keep(self, key: str, result: str) -> None:
        """Keep the JSON of a result."""
        self._store.write(key + RESULT_SUFFIX, result.encode(), sync=False)

    def forget(self, keys: list[str]) -> None:
        """Remove results: whoever asked for them has them all."""
        for key in keys:
            self._store.remove(key + RESULT_SUFFIX)
