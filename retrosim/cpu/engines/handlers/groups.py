"""Functions that are known by keys, compiled in groups: what the groups in the cache lack is compiled as one more."""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from weakref import WeakValueDictionary

from ...spec.ir import Function, Signature
from ..compiled import CompiledFunctions, Effort, compile_functions, compiled_groups, link_functions
from .handlers import HANDLER

Emit = Callable[[Function], None]


class Group:
    """Functions that were compiled together.

    stubs      addresses of those that every group has
    functions  key -> address
    """

    def __init__(self, functions: CompiledFunctions, stubs: int, keys: Sequence[str]) -> None:
        self._functions = functions  # whose code the addresses point to
        addresses = functions.addresses.tolist()
        self.stubs = addresses[:stubs]
        self.functions = dict(zip(keys, addresses[stubs:], strict=True))


_groups: WeakValueDictionary[str, Group] = WeakValueDictionary()
_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


def functions_of(groups: Sequence[Group]) -> dict[str, int]:
    """Return the functions of some groups, each from the first that has it: key -> address."""
    found: dict[str, int] = {}
    for group in reversed(groups):
        found |= group.functions
    return found


def groups_with(
    wanted: Mapping[str, Emit],
    prefix: str,
    stubs: Sequence[Emit],
    effort: Effort,
    compiled_as: str = "",
    signature: Signature = HANDLER,
) -> list[Group]:
    """Return groups that have some functions: from the cache, and the functions that are missing as one more.

    wanted       key -> what emits the function
    prefix       of the groups' names, which says all that their code depends on besides the keys
    stubs        emit what every group has
    compiled_as  another prefix, for what is compiled; groups that have it are looked at last
    signature    of all these functions
    """
    missing = dict(wanted)
    with _locks[prefix]:
        groups = []
        for each in (prefix, compiled_as) if compiled_as else (prefix,):
            for name, keys in _choose(compiled_groups(each), set(missing)):
                group = _linked(name, len(stubs), sorted(keys))
                if group is not None:
                    groups.append(group)
                    missing = {key: emit for key, emit in missing.items() if key not in keys}
        if missing or not groups:
            groups.append(_compiled(missing, compiled_as or prefix, stubs, effort, signature))
    return groups


def _choose(groups: dict[str, frozenset[str]], wanted: set[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield groups, each time that which has most of what is still wanted, as long as one has any."""
    while wanted and groups:
        name = max(groups, key=lambda name: (len(groups[name] & wanted), -len(groups[name])))
        if not groups[name] & wanted:
            return
        yield name, groups[name]
        wanted = wanted - groups[name]


def _linked(name: str, stubs: int, keys: list[str]) -> Group | None:
    """Return a group of the cache, the same one for all that hold it; None if it is damaged."""
    group = _groups.get(name)
    if group is None:
        functions = link_functions(name, stubs + len(keys))
        if functions is None:
            return None
        group = _groups[name] = Group(functions, stubs, keys)
    return group


def _compiled(
    wanted: Mapping[str, Emit], prefix: str, stubs: Sequence[Emit], effort: Effort, signature: Signature
) -> Group:
    """Compile a group of functions."""
    keys = sorted(wanted)
    name = prefix + hashlib.blake2b("\n".join(keys).encode(), digest_size=8).hexdigest()
    functions = compile_functions(name, [*stubs, *(wanted[key] for key in keys)], effort, keys, signature)
    group = _groups[name] = Group(functions, len(stubs), keys)
    return group
