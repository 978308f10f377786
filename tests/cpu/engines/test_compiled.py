"""Handlers are compiled once: a cache takes what earlier groups have, and compiles the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrosim.cache.store import open_cache
from retrosim.cpu import m68k
from retrosim.cpu.engines import compiled as objects
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.handlers.handler_cache import Handler, HandlerCache, handler_cache, handlers_of, is_ready

CPU = m68k.cpu("MC68040")
ADD, SUB, NEG, NOT = "5280", "5380", "4480", "4680"  # addq.l #1,d0; subq.l #1,d0; neg.l d0; not.l d0


@pytest.fixture(autouse=True)
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Nothing is in the cache; returns how many handlers were compiled each time."""
    seen: list[int] = []
    original = objects.compile_functions

    def compile_functions(name, emitters, effort, keys, signature):
        before = len(list(tmp_path.rglob("*.o")))
        functions = original(name, emitters, effort, keys, signature)
        if len(list(tmp_path.rglob("*.o"))) > before:
            seen.append(len(keys))
        return functions

    monkeypatch.setattr(objects, "STORE", open_cache(tmp_path).store("engines", "0" * 16))
    monkeypatch.setattr(objects, "_contents", {})
    monkeypatch.setattr(objects, "compile_functions", compile_functions)
    monkeypatch.setattr(objects, "_groups", type(objects._groups)())
    return seen


def handlers(*codes: str) -> list[Handler]:
    core = Core(CPU, "off")
    core.write(0x1000, bytes.fromhex("".join(codes)))
    return handlers_of(core.decode(0x1000 + 2 * number) for number in range(len(codes)))


def made(*codes: str, quick: bool = False) -> HandlerCache:
    return handler_cache(CPU, "off", handlers(*codes), quick)


def test_only_what_is_new_is_compiled(compiled: list[int]) -> None:
    first = made(ADD, SUB)
    second = made(SUB, NEG)
    third = made(ADD, SUB, NEG)
    assert compiled == [2, 1]
    assert len(second.handlers) == 2 and len(third.handlers) == 3
    assert third.handlers == first.handlers | second.handlers
    assert is_ready(CPU, "off", handlers(NEG, ADD)) and not is_ready(CPU, "off", handlers(NEG, NOT))
    assert not is_ready(CPU, "table", handlers(NEG, ADD))


def test_a_cache_has_only_what_it_was_asked_for() -> None:
    made(ADD, SUB, NEG)
    assert len(made(SUB).handlers) == 1 and not made().handlers


def test_quick_ones_never_stand_for_good_ones(compiled: list[int]) -> None:
    quick = made(ADD, SUB, quick=True)
    assert not is_ready(CPU, "off", handlers(ADD))
    good = made(ADD)
    assert compiled == [2, 1] and is_ready(CPU, "off", handlers(ADD))
    assert not set(quick.handlers.values()) & set(good.handlers.values())
    both = made(ADD, SUB, quick=True)  # good ones are taken where they are
    assert compiled == [2, 1] and len(both.handlers) == 2 and set(good.handlers.values()) < set(both.handlers.values())


def test_a_damaged_group_is_compiled_again(compiled: list[int], tmp_path: Path) -> None:
    made(ADD, SUB)
    (path,) = tmp_path.rglob("*.o")
    path.write_bytes(path.read_bytes()[:-1])
    assert len(made(ADD, SUB).handlers) == 2
    assert len(made(SUB).handlers) == 1


def test_groups_are_linked_once_and_end_with_their_caches() -> None:
    first, second = made(ADD, SUB), made(ADD)
    assert set(second.handlers.values()) < set(first.handlers.values())
    assert len(objects._groups) == 1
    del first, second
    assert not objects._groups
