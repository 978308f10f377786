"""Object code on disk: compiled once, used by all, never trusted when damaged."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from retrosim.cache.store import CodeCache, open_cache
from retrosim.cpu.engines import compiled as objects
from retrosim.cpu.engines.compiled import cached_object, compile_functions, contents_of, is_cached, is_compiled
from retrosim.cpu.spec.ir import Function

VERSION = "0123456789abcdef"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CodeCache:
    cache = open_cache(tmp_path / "cache")
    monkeypatch.setattr(objects, "STORE", cache.store("engines", VERSION))
    monkeypatch.setattr(objects, "_contents", {})
    return cache


class Compiler:
    """Counts how often it is asked, and takes its time."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> bytes:
        self.asked += 1
        time.sleep(0.05)
        return b"code" * 100


def test_what_is_compiled_is_kept() -> None:
    compiler = Compiler()
    assert not is_cached("some")
    assert cached_object("some", compiler) == cached_object("some", compiler) == b"code" * 100
    assert is_cached("some") and not is_cached("others")
    assert compiler.asked == 1


def test_one_compiles_and_the_others_wait() -> None:
    """Threads stand for processes: each locks a file of its own."""
    compiler, found = Compiler(), []
    threads = [threading.Thread(target=lambda: found.append(cached_object("some", compiler))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [b"code" * 100] * 4 and compiler.asked == 1


DAMAGES = {
    "cut": lambda content: content[:-1],
    "short": lambda content: content[:20],
    "empty": lambda content: b"",
    "spoilt": lambda content: content[:-1] + b"?",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_counts_as_none(damage) -> None:
    compiler = Compiler()
    cached_object("some", compiler)
    (path,) = objects.STORE.folder.glob("*.o")
    path.write_bytes(damage(path.read_bytes()))
    assert cached_object("some", compiler) == b"code" * 100 and compiler.asked == 2
    assert cached_object("some", compiler) == b"code" * 100 and compiler.asked == 2


def test_without_a_folder_code_stays_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "STORE", CodeCache(None, b"k" * 32).store("engines", VERSION))
    compiler = Compiler()
    for _ in range(2):
        assert cached_object("some", compiler, ["a", "b"]) == b"code" * 100
    assert is_cached("some") and compiler.asked == 1
    assert contents_of("so") == {"some": {"a", "b"}}


def test_functions_are_linked_from_the_cache() -> None:
    asked = []

    def emit(function: Function) -> None:
        asked.append(function.name)
        function.ret(function.args[0])

    assert not is_compiled("two")
    first, second = (compile_functions("two", [emit, emit]) for _ in range(2))
    assert is_compiled("two") and asked == ["two_0", "two_1"]
    assert len({*first.addresses.tolist(), *second.addresses.tolist()}) == 4  # linked twice, at places of their own


def test_groups_tell_what_they_contain(cache: CodeCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cached_object("good_1", Compiler(), ["a", "b"])
    cached_object("good_2", Compiler(), ["c"])
    cached_object("other_1", Compiler(), ["d"])
    cached_object("good_3", Compiler())
    assert contents_of("good_") == {"good_1": {"a", "b"}, "good_2": {"c"}}
    objects._contents.clear()  # as another process finds it
    monkeypatch.setattr(objects, "STORE", cache.store("engines", VERSION))
    assert contents_of("good_") == {"good_1": {"a", "b"}, "good_2": {"c"}}
    assert {path.suffix for path in objects.STORE.folder.iterdir()} == {".o", ".list"}  # no lock stays


@pytest.mark.parametrize("suffix", [".o", ".list"])
def test_a_group_without_its_code_or_with_a_damaged_list_is_none(suffix: str) -> None:
    cached_object("good_1", Compiler(), ["a", "b"])
    path = objects.STORE.folder / f"good_1{suffix}"
    if suffix == ".list":
        path.write_text("x\ny")
    else:
        path.unlink()
    objects._contents.clear()
    assert contents_of("good_") == {}
    cached_object("good_1", Compiler(), ["a", "b"])
    assert contents_of("good_") == {"good_1": {"a", "b"}}
