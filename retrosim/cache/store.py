"""The cache: entries sealed with a key that only this user can read, in folders by kind and version of the sources.

An entry is a file: 32 bytes of keyed blake2b over its place in the cache and its content, then the content. Its place
names all that it depends on. What is damaged, moved or foreign does not fit its seal; it is removed before anything of
it is looked at, and counts as not there. The entries that were not used for longest are removed above a bound.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import logging
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .folders import HAS_OWNERS, OWNER_ONLY, UnsafeFolder, make_private, temporary_folder

# Files that are read only if they are what they should be, written whole or not at all, and locked while made.

try:
    import fcntl
except ImportError:  # no such locks on Windows: two processes may compile the same
    fcntl = None  # type: ignore[assignment]

MAX_BYTES = 1 << 28  # of a file that is read: several times the largest that is written
PARTIAL_SUFFIX = ".part"
LOCK_SUFFIX = ".lock"
LOCK_SECONDS = 60.0
LOCK_PAUSE = 0.02  # seconds between two looks
OWNER_FILE = 0o600
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NOT_PLAIN = (errno.ELOOP, errno.ENXIO, errno.EISDIR)  # a symbolic link, a socket, a folder


class NotPlain(OSError):
    """What has the name of a file is a link, a folder or something else, or far too large."""


def read_plain(path: Path) -> tuple[bytes, os.stat_result]:
    """Return the content of a regular file, and its status.

    Errors  NotPlain; other OSErrors if it is not there or cannot be read
    """
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _PLAIN)
    except OSError as error:
        if error.errno in _NOT_PLAIN:
            raise NotPlain(error.errno, "not a regular file", str(path)) from None
        raise
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, file)
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            raise NotPlain(errno.EINVAL, "not a regular file of a sensible size", str(path))
        parts = []
        while part := os.read(file, status.st_size + 1):  # one more, so that the end is met at the second call
            parts.append(part)
    return b"".join(parts), status


def write_private(path: Path, content: bytes, sync: bool = True) -> None:
    """Write a file for this user alone; others see all of it or nothing, whenever the process stops.

    Unlike `report.files.write_whole` it follows no link, takes no mode from the file that was there, and puts aside a
    folder or what cannot be replaced: whatever lies there was not asked for by a user.

    sync  whenever the host stops too, which takes milliseconds
    """
    partial = path.with_name(f"{path.name}.{secrets.token_hex(8)}{PARTIAL_SUFFIX}")
    try:
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN, OWNER_FILE), "wb") as file:
            file.write(content)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        try:
            os.replace(partial, path)
        except (IsADirectoryError, PermissionError):
            put_aside(path)
            os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def put_aside(path: Path) -> None:
    """Remove what lies where a file of ours belongs; a link itself, not what it leads to."""
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other processes from making the same file for a while; where there are no locks, they may.

    Whoever waits longer than LOCK_SECONDS goes on: the other process may be suspended.
    """
    lock = path.with_name(path.name + LOCK_SUFFIX)
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            file = os.open(lock, os.O_RDWR | os.O_CREAT | _PLAIN, OWNER_FILE)
            stack.callback(os.close, file)
            stack.callback(_unlink, lock)
            _wait_for(file)
        yield


def _wait_for(file: int) -> None:
    """Take the lock of an open file, unless somebody holds it for very long."""
    deadline = time.monotonic() + LOCK_SECONDS
    while fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                return
            time.sleep(LOCK_PAUSE)


def _unlink(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


KEY_FILE = "key"
KEY_BYTES = SEAL_BYTES = 32
DEFAULT_MB = 512
MB_VARIABLE = "RETROSIM_CACHE_MB"
ROOM_LEFT = 8  # an eighth of the bound is made free at once
USED_SECONDS = 3600  # the time of use is kept to the hour, which saves a write per read
STALE_SECONDS = 600  # by then whoever wrote a partial file, or waited for a lock, has gone
RESULT_SUFFIX = ".result"  # of a job of a long run
ENTRY_SUFFIXES = (".kernel", ".o", ".list", ".plan", RESULT_SUFFIX)
OLDER_SUFFIXES = (".nbi", ".nbc")  # of versions that left kernels to Numba's own cache
VERSION = re.compile(r"[0-9a-f]{16}")
KINDS = ("engines", "jobs", "kernels")
"""What is kept: machine code of our own engines, results of jobs until their run is complete, kernels."""

_log = logging.getLogger("retrosim")
_warned: set[str] = set()


def warn_once(kind: str, text: str) -> None:
    """Write one sentence to stderr (by the logger "retrosim"), once in a process for each kind."""
    if kind not in _warned:
        _warned.add(kind)
        _log.warning("retrosim: %s", text)


def bound_bytes() -> int:
    """Return how large the cache may grow: RETROSIM_CACHE_MB, or 512 MB."""
    given = os.environ.get(MB_VARIABLE, "")
    if given.isascii() and given.isdecimal() and len(given) < 10:
        return int(given) * 1_000_000
    if given:
        warn_once(MB_VARIABLE, f"{MB_VARIABLE}={given[:40]!r} is not a number of megabytes: {DEFAULT_MB} are used")
    return DEFAULT_MB * 1_000_000


@dataclass(frozen=True)
class CachedFile:
    """A file of the cache.

    used  seconds since the epoch: when it was written or last read, to the hour
    """

    path: Path
    size: int
    used: float


class CodeCache:
    """A folder of compiled code.

    folder   where it is; None: nothing is kept
    problem  why it is not where it should be, or ""
    stores   opened in this process
    """

    def __init__(self, folder: Path | None, key: bytes, problem: str = "") -> None:
        self.folder, self.problem, self._key = folder, problem, key
        self.stores: list[Store] = []
        self._unpruned: int | None = None  # bytes written since the bound was looked at

    def store(self, kind: str, version: str) -> Store:
        """Open the entries of a kind that come from one version of the sources.

        kind    of KINDS, so that what any process wrote is found by all
        Errors  ValueError for another kind
        """
        if kind not in KINDS:
            raise ValueError(f"kind is {kind!r}: must be one of {', '.join(KINDS)}")
        self.stores.append(Store(self, kind, version))
        return self.stores[-1]

    def seal(self, place: str, content: bytes) -> bytes:
        """Return the seal of an entry at a place below the folder."""
        seal = hashlib.blake2b(key=self._key, digest_size=SEAL_BYTES)
        seal.update(len(place.encode()).to_bytes(8, "little") + place.encode())
        seal.update(content)
        return seal.digest()

    def files(self) -> list[CachedFile]:
        """Return all that is ours below the folder, of all kinds and versions, the key aside."""
        return [file for version in self._versions() for file in _files_below(version)]

    def count_written(self, size: int) -> None:
        """Look at the bound, at the first write and then whenever much has been written."""
        if self._unpruned is None or self._unpruned + size > bound_bytes() // ROOM_LEFT // 2:
            self.prune(bound_bytes())
            self._unpruned = 0
        self._unpruned += size

    def prune(self, bound: int) -> int:
        """Remove what a stopped process left, and entries above a bound, those first that were not used for longest.

        Returns  number of files removed
        """
        now = time.time()
        files: list[CachedFile] = []
        removed: list[CachedFile] = []
        for file in self.files():
            is_rest = file.path.suffix in (PARTIAL_SUFFIX, LOCK_SUFFIX) and now - file.used > STALE_SECONDS
            (removed if is_rest else files).append(file)
        size = sum(file.size for file in files)
        if size > bound:
            for file in sorted(files, key=lambda file: file.used):
                if size <= bound - bound // ROOM_LEFT:
                    break
                size -= file.size
                removed.append(file)
        for file in removed:
            _unlink(file.path)
        self._remove_empty(removed)
        return len(removed)

    def clear(self) -> int:
        """Remove the files of all kinds and versions, the key aside. Returns the number of files removed."""
        files = self.files()
        for file in files:
            _unlink(file.path)
        self._remove_empty(files)
        return sum(not os.path.lexists(file.path) for file in files)

    def _remove_empty(self, files: list[CachedFile]) -> None:
        """Remove folders of other versions that the removal of files has emptied."""
        for folder in {file.path.parent for file in files} - {store.folder for store in self.stores}:
            with contextlib.suppress(OSError):
                while folder != self.folder:
                    folder.rmdir()
                    folder = folder.parent

    def _versions(self) -> list[Path]:
        """Return the folders of all kinds and versions."""
        if self.folder is None:
            return []
        kinds = [folder for folder in _folders(self.folder) if folder.name in KINDS]
        return [folder for kind in kinds for folder in _folders(kind) if VERSION.fullmatch(folder.name)]


class Store:
    """The entries of one kind and version.

    folder  where they are; None: in memory
    """

    def __init__(self, cache: CodeCache, kind: str, version: str) -> None:
        """Open a folder, and make it if need be."""
        self._cache, self.kind, self._version = cache, kind, version
        self.folder = cache.folder / kind / version if cache.folder else None
        self._unwritten: dict[str, bytes] = {}
        with contextlib.suppress(OSError):  # then nothing is found, and whoever writes is told why not
            self._make_folder()

    def has(self, name: str) -> bool:
        """Is there an entry? It may turn out to be damaged."""
        return name in self._unwritten or (self.folder is not None and (self.folder / name).exists())

    def names(self) -> set[str]:
        """Return the names of all entries."""
        found = set(self._unwritten)
        if self.folder is not None:
            with contextlib.suppress(OSError):
                found.update(os.listdir(self.folder))
        return {name for name in found if name.endswith(ENTRY_SUFFIXES)}

    def read(self, name: str) -> bytes | None:
        """Return an entry, None if there is none; one that does not fit its seal is removed."""
        if self.folder is None or name in self._unwritten:
            return self._unwritten.get(name)
        path = self.folder / name
        try:
            content, status = read_plain(path)
        except NotPlain:
            put_aside(path)
            return None
        except OSError:
            return None
        entry = self._unsealed(name, content)
        if entry is None:
            put_aside(path)
        elif time.time() - status.st_mtime > USED_SECONDS:
            with contextlib.suppress(OSError):
                os.utime(path)
        return entry

    def write(self, name: str, content: bytes, in_memory: bool = False, sync: bool = True) -> None:
        """Keep an entry.

        in_memory  keep it in this process where it cannot be kept on disk
        sync       have it on the disk itself: without that it may be lost when the host stops
        """
        if self.folder is not None:
            sealed = self._cache.seal(self._place(name), content) + content
            try:
                self._write(self.folder / name, sealed, sync)
                return
            except OSError as error:
                reason = error.strerror or error
                warn_once("write", f"{self.folder}: compiled code cannot be kept, so it stays in memory: {reason}")
        if in_memory:
            self._unwritten[name] = content

    def remove(self, name: str) -> None:
        """Remove an entry that turned out to be of no use."""
        self._unwritten.pop(name, None)
        if self.folder is not None:
            put_aside(self.folder / name)

    @contextlib.contextmanager
    def locked(self, name: str) -> Iterator[None]:
        """Keep other processes from making the same entry."""
        with locked(self.folder / name) if self.folder else contextlib.nullcontext():
            yield

    def files(self) -> list[CachedFile]:
        """Return the files of the entries."""
        names = self.names()
        return [] if self.folder is None else [file for file in _files_below(self.folder) if file.path.name in names]

    def damaged(self) -> list[Path]:
        """Return the entries that do not fit their seals; they are made anew when they are needed."""
        return [file.path for file in self.files() if not self._is_whole(file.path)]

    def _is_whole(self, path: Path) -> bool:
        try:
            return self._unsealed(path.name, read_plain(path)[0]) is not None
        except FileNotFoundError:  # removed meanwhile
            return True
        except OSError:
            return False

    def _place(self, name: str) -> str:
        return f"{self.kind}/{self._version}/{name}"

    def _unsealed(self, name: str, sealed: bytes) -> bytes | None:
        seal, content = sealed[:SEAL_BYTES], sealed[SEAL_BYTES:]
        return content if hmac.compare_digest(seal, self._cache.seal(self._place(name), content)) else None

    def _write(self, path: Path, sealed: bytes, sync: bool) -> None:
        try:
            write_private(path, sealed, sync)
        except (FileNotFoundError, NotADirectoryError):  # somebody removed the folder
            self._make_folder()
            write_private(path, sealed, sync)
        self._cache.count_written(len(sealed))

    def _make_folder(self) -> None:
        """Make the folder; what is in its way is removed, as all of this lies in a folder of ours."""
        if self.folder is None:
            return
        for folder in (self.folder.parent, self.folder):
            if os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir()):
                put_aside(folder)
            folder.mkdir(OWNER_ONLY, exist_ok=True)


def open_cache(wanted: Path) -> CodeCache:
    """Open the cache in a folder; where that is unsafe or of no use, among the temporary files; else in memory."""
    problems: list[str] = []
    is_unsafe = False
    for folder in dict.fromkeys((wanted, temporary_folder("cache"))):
        try:
            make_private(folder)
            cache = CodeCache(folder, _load_key(folder), "; ".join(problems))
        except UnsafeFolder as error:
            problems.append(f"{folder} is not used, because {error}")
            is_unsafe = True
        except OSError as error:
            problems.append(f"{folder} cannot be used: {error.strerror or error}")
        else:
            if is_unsafe:
                warn_once("folder", f"{cache.problem}; compiled code is kept in {folder}")
            return cache
    problem = "; ".join(problems)
    warn_once("folder", f"compiled code is not kept: {problem}; set RETROSIM_HOME")
    return CodeCache(None, secrets.token_bytes(KEY_BYTES), problem)


def _load_key(folder: Path) -> bytes:
    """Return the key of a cache; make one if there is none that others cannot have read. Errors: OSError."""
    path = folder / KEY_FILE
    key = _read_key(path)
    if key is None:
        with locked(path):
            key = _read_key(path)  # another process may have been at it
            if key is None:
                put_aside(path)
                key = secrets.token_bytes(KEY_BYTES)
                write_private(path, key)
    return key


def _read_key(path: Path) -> bytes | None:
    try:
        key, status = read_plain(path)
    except (FileNotFoundError, PermissionError, NotPlain):
        return None
    is_private = not HAS_OWNERS or (status.st_uid, status.st_mode & 0o777) == (os.geteuid(), OWNER_FILE)
    return key if is_private and status.st_nlink == 1 and len(key) == KEY_BYTES else None


def _folders(parent: Path) -> list[Path]:
    """Return the folders in a folder, links aside."""
    with contextlib.suppress(OSError), os.scandir(parent) as found:
        return [Path(each.path) for each in found if each.is_dir(follow_symlinks=False)]
    return []


def _files_below(folder: Path) -> list[CachedFile]:
    """Return the files with suffixes of ours in a folder and those below it."""
    files = []
    suffixes = (*ENTRY_SUFFIXES, *OLDER_SUFFIXES, PARTIAL_SUFFIX, LOCK_SUFFIX)
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for each in found:
            with contextlib.suppress(OSError):
                status = each.stat(follow_symlinks=False)
                if each.name.endswith(suffixes) and not stat.S_ISDIR(status.st_mode):
                    files.append(CachedFile(Path(each.path), status.st_size, status.st_mtime))
    for below in _folders(folder):
        files += _files_below(below)
    return files
