"""Object code in the cache: an entry for each group of functions, compiled by one process.

Beside it may lie a list of what the functions are, a line each, or the plan of a region (segments.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrosim.cache.sources import STORES

STORE = STORES["engines"]
CODE_SUFFIX = ".o"
LIST_SUFFIX = ".list"
PLAN_SUFFIX = ".plan"

_contents: dict[str, frozenset[str]] = {}  # of groups that this process has seen


def is_cached(name: str) -> bool:
    """Has a group of functions been compiled?"""
    return STORE.has(name + CODE_SUFFIX)


def object_of(name: str) -> bytes | None:
    """Return the object code of a group of functions if it is there, and whole."""
    return STORE.read(name + CODE_SUFFIX)


def contents_of(prefix: str) -> dict[str, frozenset[str]]:
    """Return what the functions of cached groups are, by group, of those whose names begin so and that tell it."""
    files = STORE.names()
    lists = {file.removesuffix(LIST_SUFFIX) for file in files if file.endswith(LIST_SUFFIX)}
    names = {name for name in lists if name.startswith(prefix) and name + CODE_SUFFIX in files}
    for name in names - _contents.keys():
        text = STORE.read(name + LIST_SUFFIX)
        if text is not None:
            _contents[name] = frozenset(text.decode().splitlines())
    return {name: _contents[name] for name in names & _contents.keys()}


def cached_object(name: str, compile_it: Callable[[], bytes], contents: Sequence[str] = ()) -> bytes:
    """Return the object code of a group of functions, compiled unless it is there already.

    name        of the group, which says all that its code depends on besides the sources of this package
    compile_it  returns the object code; called by one process at a time
    contents    what the functions are, for `contents_of`
    """
    found = object_of(name)
    if found is None:
        with STORE.locked(name):
            found = object_of(name)  # another process may have been at it
            if found is None:
                found = compile_it()
                STORE.write(name + CODE_SUFFIX, found, in_memory=True)
    if contents and STORE.read(name + LIST_SUFFIX) is None:  # new, or damaged
        STORE.write(name + LIST_SUFFIX, "\n".join(contents).encode(), in_memory=True)
    return found


def cached_plan(name: str) -> bytes | None:
    """Return what is cached of the plan of a region, if it is there and whole."""
    return STORE.read(name + PLAN_SUFFIX)


def cache_plan(name: str, content: bytes) -> None:
    """Put it into the cache."""
    STORE.write(name + PLAN_SUFFIX, content, in_memory=True)
