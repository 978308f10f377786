"""Where the user's files are kept, and which folders only this user can change.

Compiled code is executed, so its folder must be out of the reach of others: it belongs to this user with mode 0700, and
every folder on the way to it belongs to this user or to root, and is writable by no one else unless it is sticky.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from platformdirs import user_cache_path, user_data_path

from retrosim.errors import RetrosimError

OWNER_ONLY = 0o700
OTHERS = 0o077  # the bits of a mode that concern anyone but the owner
HAS_OWNERS = hasattr(os, "geteuid")  # elsewhere the user's folders are private by the system's own rules
DEFAULTS = {"cache": ".cache", "data": ".local/share"}
"""Kind of files -> their folder below the home folder by the XDG Base Directory Specification."""


class UnsafeFolder(RetrosimError):
    """Somebody else could change what lies in a folder."""


def user_folder(kind: str) -> Path:
    """Return the folder for "cache" or "data" files: in RETROSIM_HOME, else where the system keeps such files.

    A user without a home gets a folder among the temporary files.
    """
    home = os.environ.get("RETROSIM_HOME")
    if home:
        return Path(home).absolute() / kind
    return _system_folder(kind) or temporary_folder(kind)


def temporary_folder(kind: str) -> Path:
    """Return this user's folder for files of a kind among the temporary files."""
    try:
        parent = tempfile.gettempdir()
    except FileNotFoundError:  # none can be written to
        parent = os.path.abspath(os.sep)
    return Path(parent, f"retrosim-{os.geteuid() if HAS_OWNERS else os.environ.get('USERNAME', 'user')}", kind)


def _system_folder(kind: str) -> Path | None:
    """Return where the system keeps files of a kind; None without a home. Relative XDG variables are ignored."""
    try:
        folder = {"cache": user_cache_path, "data": user_data_path}[kind]("retrosim", appauthor=False)
        if not folder.is_absolute():  # platformdirs before 4.4 takes a relative variable
            folder = Path.home() / DEFAULTS[kind] / "retrosim"
    except RuntimeError:  # nobody knows this user
        return None
    return folder if folder.is_absolute() else None


def make_private(folder: Path) -> None:
    """Make a folder that only this user can look into.

    folder  absolute
    Errors  UnsafeFolder if others could change what lies in it, OSError if it cannot be made
    """
    for place in (*reversed(folder.parents), folder):
        if not os.path.lexists(place):
            place.mkdir(OWNER_ONLY, exist_ok=True)
    if not HAS_OWNERS:
        return
    for place in _way_to(folder):
        _check(place, is_last=place == folder)
    if folder.lstat().st_mode & OTHERS:
        folder.chmod(OWNER_ONLY)


def _way_to(folder: Path) -> Iterator[Path]:
    """Yield a folder, its parents, and those of the folder that symbolic links among them lead to."""
    yield from dict.fromkeys((folder, *folder.parents, *folder.resolve().parents))


def _check(place: Path, is_last: bool) -> None:
    """Refuse a folder on the way, or the last one. Errors: UnsafeFolder."""
    status = place.lstat()
    mode, user = status.st_mode, os.geteuid()
    if is_last and not stat.S_ISDIR(mode):
        raise UnsafeFolder(f"{place} is no folder")
    if status.st_uid != user and (is_last or status.st_uid not in (0, os.lstat(os.sep).st_uid)):
        raise UnsafeFolder(f"{place} belongs to another user")
    if stat.S_ISLNK(mode) or (mode & stat.S_ISVTX and not is_last):
        return
    if mode & stat.S_IWOTH or (mode & stat.S_IWGRP and not _is_own_group(status.st_gid)):
        raise UnsafeFolder(f"{place} can be written to by others")


def _is_own_group(group: int) -> bool:
    """Is this user the only one in a group, as many systems give each user a group?"""
    import grp
    import pwd

    try:
        user, members = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and members.gr_name == user.pw_name and set(members.gr_mem) <= {user.pw_name}
