"""The store of compiled code: sealed, healed, bounded, never in the way of a run."""

from __future__ import annotations

import logging
import os
import resource
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from retrosim.cache import store as stores
from retrosim.cache.store import CodeCache, Store, bound_bytes, locked, open_cache, write_private

VERSION, OTHER_VERSION = "0123456789abcdef", "fedcba9876543210"
CONTENT = b"code" * 1000


@pytest.fixture(autouse=True)
def unwarned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(stores, "_warned", set())
    monkeypatch.delenv("RETROSIM_CACHE_MB", raising=False)


@pytest.fixture
def cache(tmp_path: Path) -> CodeCache:
    return open_cache(tmp_path / "cache")


@pytest.fixture
def store(cache: CodeCache) -> Store:
    return cache.store("kernels", VERSION)


def test_what_is_written_is_read_by_the_next_process(store: Store, tmp_path: Path) -> None:
    store.write("a.kernel", CONTENT)
    again = open_cache(tmp_path / "cache").store("kernels", VERSION)
    assert again.read("a.kernel") == CONTENT and again.has("a.kernel") and again.names() == {"a.kernel"}
    assert again.read("b.kernel") is None and not again.has("b.kernel")
    assert (store.folder / "a.kernel").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in store.folder.iterdir()] == ["a.kernel"]


def _replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("?")


def _replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _replace_by_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parent / "b.kernel")


def _make_huge(path: Path) -> None:
    os.truncate(path, 1 << 40)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: os.truncate(path, 40),
    "short": lambda path: os.truncate(path, 20),
    "empty": lambda path: os.truncate(path, 0),
    "huge": _make_huge,
    "flipped": lambda path: path.write_bytes(path.read_bytes()[:-1] + b"?"),
    "flipped seal": lambda path: path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:]),
    "junk": lambda path: path.write_bytes(os.urandom(5000)),
    "another entry": lambda path: shutil.copyfile(path.parent / "b.kernel", path),
    "folder": _replace_by_folder,
    "pipe": _replace_by_pipe,
    "link": _replace_by_link,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_what_does_not_fit_its_seal_is_removed_and_made_anew(store: Store, damage: Callable[[Path], object]) -> None:
    store.write("a.kernel", CONTENT)
    store.write("b.kernel", CONTENT)
    damage(store.folder / "a.kernel")
    assert store.damaged() == [store.folder / "a.kernel"] or not (store.folder / "a.kernel").is_file()
    assert store.read("a.kernel") is None
    assert not os.path.lexists(store.folder / "a.kernel") and store.read("b.kernel") == CONTENT
    store.write("a.kernel", CONTENT)
    assert store.read("a.kernel") == CONTENT and store.damaged() == []


@pytest.mark.parametrize(
    "damage", [DAMAGES["folder"], DAMAGES["pipe"], DAMAGES["link"]], ids=["folder", "pipe", "link"]
)
def test_what_is_in_the_way_of_a_write_is_replaced(store: Store, damage: Callable[[Path], object]) -> None:
    store.write("a.kernel", CONTENT)
    store.write("b.kernel", b"of b")
    damage(store.folder / "a.kernel")
    store.write("a.kernel", CONTENT)
    assert store.read("a.kernel") == CONTENT and store.read("b.kernel") == b"of b"


def test_an_entry_of_another_version_or_kind_does_not_fit(cache: CodeCache, store: Store) -> None:
    store.write("a.kernel", CONTENT)
    for other in (cache.store("kernels", OTHER_VERSION), cache.store("engines", VERSION)):
        shutil.copyfile(store.folder / "a.kernel", other.folder / "a.kernel")
        assert other.read("a.kernel") is None


@pytest.mark.parametrize(
    "spoil", ["other", "cut", "open to others", "unreadable", "linked twice", "link", "folder", "gone"]
)
def test_a_key_that_others_may_know_is_made_anew(store: Store, tmp_path: Path, spoil: str) -> None:
    store.write("a.kernel", CONTENT)
    key = tmp_path / "cache" / "key"
    before = key.read_bytes()
    if spoil == "other":
        key.write_bytes(os.urandom(32))
    elif spoil == "cut":
        os.truncate(key, 5)
    elif spoil == "open to others":
        key.chmod(0o644)
    elif spoil == "unreadable":
        key.chmod(0)
    elif spoil == "linked twice":
        os.link(key, tmp_path / "elsewhere")
    else:
        key.rename(tmp_path / "elsewhere")
        if spoil == "link":
            key.symlink_to(tmp_path / "elsewhere")
        elif spoil == "folder":
            key.mkdir()
    again = open_cache(tmp_path / "cache").store("kernels", VERSION)
    assert again.read("a.kernel") is None
    again.write("a.kernel", CONTENT)
    assert open_cache(tmp_path / "cache").store("kernels", VERSION).read("a.kernel") == CONTENT
    assert key.read_bytes() != before and key.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("place", ["kernels", f"kernels/{VERSION}"])
def test_something_in_place_of_a_folder_is_replaced(tmp_path: Path, place: str) -> None:
    open_cache(tmp_path / "cache")
    path = tmp_path / "cache" / place
    path.parent.mkdir(exist_ok=True)
    (tmp_path / "theirs").mkdir()
    path.symlink_to(tmp_path / "theirs")
    store = open_cache(tmp_path / "cache").store("kernels", VERSION)
    store.write("a.kernel", CONTENT)
    assert store.read("a.kernel") == CONTENT and list((tmp_path / "theirs").iterdir()) == []


def test_a_folder_that_vanishes_is_made_again(store: Store) -> None:
    shutil.rmtree(store.folder.parent)
    assert store.read("a.kernel") is None and store.names() == set()
    store.write("a.kernel", CONTENT)
    assert store.read("a.kernel") == CONTENT


def test_a_full_disk_leaves_code_in_memory_and_says_so_once(
    store: Store, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit on the size of files stands for the disk: the write itself fails, after a part of it."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        for name in ("a.o", "b.o"):
            store.write(name, CONTENT, in_memory=True)
        store.write("c.kernel", CONTENT)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert store.read("a.o") == store.read("b.o") == CONTENT and store.names() == {"a.o", "b.o"}
    assert store.read("c.kernel") is None
    assert list(store.folder.iterdir()) == []  # no part of a file stays
    assert len(caplog.messages) == 1 and "cannot be kept, so it stays in memory: File too large" in caplog.text


@pytest.mark.parametrize("call", ["open", "fsync", "replace"])
def test_whatever_fails_of_a_write_costs_no_run(
    store: Store, monkeypatch: pytest.MonkeyPatch, call: str, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*arguments: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(f"retrosim.cache.store.os.{call}", fail)
        store.write("a.o", CONTENT, in_memory=True)
    assert store.read("a.o") == CONTENT and list(store.folder.iterdir()) == []
    assert caplog.text.count("No space left on device") == 1


def test_a_write_reaches_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = []
    for call in ("fsync", "replace"):
        real = getattr(os, call)
        monkeypatch.setattr(f"retrosim.cache.store.os.{call}", lambda *a, c=call, r=real: (done.append(c), r(*a))[1])
    write_private(tmp_path / "file", b"content")
    assert done == ["fsync", "replace"]


def _written(store: Store, name: str, hours_ago: float) -> Path:
    store.write(name, CONTENT)
    os.utime(store.folder / name, (time.time() - hours_ago * 3600,) * 2)
    return store.folder / name


def test_what_was_not_used_for_longest_goes_first_over_all_versions(cache: CodeCache, store: Store) -> None:
    older = CodeCache(cache.folder, b"k" * 32).store("kernels", OTHER_VERSION)
    files = [_written(store, "a.kernel", 5), _written(older, "b.kernel", 4), _written(store, "c.kernel", 3)]
    files += [_written(older, "d.kernel", 2), _written(store, "e.kernel", 1.5)]
    assert store.read("a.kernel") == CONTENT  # used now
    size = files[0].stat().st_size
    assert cache.prune(5 * size) == 0
    assert cache.prune(4 * size) == 2  # an eighth of room besides
    assert [path.exists() for path in files] == [True, False, False, True, True]
    assert cache.prune(0) == 3 and not older.folder.exists() and store.folder.exists()


def test_writing_keeps_to_the_bound(cache: CodeCache, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETROSIM_CACHE_MB", "1")
    for number in range(40):
        store.write(f"{number}.kernel", bytes(100_000))
        assert sum(file.size for file in cache.files()) < 1_200_000
    assert store.read("39.kernel") is not None and store.read("0.kernel") is None


def test_the_bound_is_looked_at_first_and_after_a_sixteenth_of_it(cache: CodeCache, monkeypatch) -> None:
    """An eighth of room is made, so that half of that may be written unseen: of 1 MB, 62,500 bytes."""
    bounds: list[int] = []
    monkeypatch.setenv("RETROSIM_CACHE_MB", "1")
    monkeypatch.setattr(cache, "prune", bounds.append)
    looks = [[cache.count_written(size), len(bounds)][1] for size in (40_000, 22_499, 1, 1, 62_499, 1)]
    assert looks == [1, 1, 1, 2, 2, 3] and set(bounds) == {1_000_000}


@pytest.mark.parametrize(("given", "bound"), [("", 512), ("3", 3), ("0", 0), ("-1", 512), ("many", 512), ("²", 512)])
def test_the_bound(given: str, bound: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("RETROSIM_CACHE_MB", given)
    assert bound_bytes() == bound_bytes() == bound * 1_000_000
    assert len(caplog.messages) == (given in ("-1", "many", "²"))


def test_only_our_own_files_are_removed(cache: CodeCache, store: Store) -> None:
    store.write("a.kernel", CONTENT)
    kernels = cache.folder / "kernels"
    theirs = [cache.folder / "notes.o", kernels / "notes.o", kernels / "my-folder" / "a.o", store.folder / "notes.txt"]
    theirs += [cache.folder / "other" / VERSION / "a.o"]
    for path in theirs:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    (kernels / OTHER_VERSION).symlink_to(kernels / "my-folder")
    assert cache.prune(0) == 1
    store.write("a.kernel", CONTENT)
    assert cache.clear() == 1 and all(path.read_text() == "mine" for path in theirs)
    assert open_cache(cache.folder).store("kernels", VERSION).read("a.kernel") is None


def test_a_process_that_opened_no_store_counts_and_removes_all(cache: CodeCache) -> None:
    for kind, version in (("kernels", VERSION), ("engines", VERSION), ("engines", OTHER_VERSION), ("jobs", VERSION)):
        cache.store(kind, version).write("a.o", CONTENT)
    other = open_cache(cache.folder)
    assert sum(file.size for file in other.files()) == 4 * (len(CONTENT) + stores.SEAL_BYTES)
    assert other.clear() == 4 and [path.name for path in cache.folder.iterdir()] == ["key"]


def test_a_link_to_a_folder_of_versions_is_not_followed(cache: CodeCache, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs" / VERSION / "a.o"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("mine")
    (cache.folder / "kernels").symlink_to(tmp_path / "theirs")
    assert cache.files() == [] and cache.clear() == 0 and theirs.read_text() == "mine"


def test_a_kind_that_no_other_process_would_look_for_is_refused(cache: CodeCache) -> None:
    with pytest.raises(ValueError, match="kind is 'notes': must be one of engines, jobs, kernels"):
        cache.store("notes", VERSION)


def test_rests_of_a_stopped_process_go(cache: CodeCache, store: Store) -> None:
    rests = [store.folder / "a.kernel.0123456789abcdef.part", store.folder / "a.o.lock"]
    new = store.folder / "b.kernel.0123456789abcdef.part"
    for path in (*rests, new):
        path.write_bytes(b"?")
    for path in rests:
        os.utime(path, (time.time() - 1000,) * 2)
    store.write("a.kernel", CONTENT)  # the first of a process looks
    assert {path.name for path in store.folder.iterdir()} == {"a.kernel", new.name}
    assert store.damaged() == []


def test_a_lock_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("content")
    (tmp_path / "file.lock").symlink_to(tmp_path / "theirs")
    with locked(tmp_path / "file"):
        assert (tmp_path / "theirs").read_text() == "content"


def test_a_suspended_process_holds_nobody_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrosim.cache.store.LOCK_SECONDS", 0.1)
    entered = []
    with locked(tmp_path / "file"):
        begun = time.monotonic()
        with locked(tmp_path / "file"):
            entered.append(time.monotonic() - begun)
    assert 0.1 < entered[0] < 5 and list(tmp_path.iterdir()) == []


def test_in_memory_nothing_is_kept_but_all_works(caplog: pytest.LogCaptureFixture) -> None:
    cache = CodeCache(None, b"k" * 32)
    store = cache.store("engines", VERSION)
    store.write("a.o", CONTENT, in_memory=True)
    store.write("b.kernel", CONTENT)
    with store.locked("a"):
        assert store.read("a.o") == CONTENT and store.read("b.kernel") is None
    store.remove("a.o")
    assert store.names() == set() and cache.files() == [] and cache.clear() == 0 and store.damaged() == []
    assert caplog.messages == [] and logging.getLogger("retrosim").handlers == []
