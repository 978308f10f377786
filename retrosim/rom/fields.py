"""Checked access to the tables of a TOML file: every key is asked for with its type and range, and none may be left."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from retrosim.errors import RomError
from retrosim.reading import read_file

MAX_FILE_BYTES = 64 * 1024  # bytes
MAX_TEXT = 400  # characters, unless a key allows more
MAX_ITEMS = 64  # entries of a list
MAX_PARTS = 8  # of a dotted key: the time that tomllib takes for one grows with the square of their number

# quoted parts of up to 99 characters: of longer ones there is no room for many
_PART = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.){0,99}+"|'[^'\n]{0,99}+')"""
_DEEP = re.compile(rf"(?<![A-Za-z0-9_-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MAX_PARTS}}}", re.ASCII)

NAME = re.compile(r"[a-z][a-z0-9_]{0,31}", re.ASCII)
SYMBOL = re.compile(r"[A-Za-z_.$][A-Za-z0-9_.$]{0,127}", re.ASCII)
FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", re.ASCII)
FILE_PATH = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}/){0,4}[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", re.ASCII)
SOURCE_PATH = re.compile(rf"(?:\.\./{NAME.pattern}/)?{FILE_PATH.pattern}", re.ASCII)
SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
FLAG = re.compile(r"-[!-~]{1,99}", re.ASCII)
MACRO = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}(?:=[ -~]{0,200})?", re.ASCII)

_FILE_WORDS = "letters, digits, _, - and ., none of them first but a letter, digit or _"
ALLOWED = {
    NAME: "a lower-case letter, then up to 31 lower-case letters, digits and _",
    SYMBOL: "a symbol: letters, digits, _, . and $, a digit not first",
    FILE_NAME: f"a file name without folders: {_FILE_WORDS}",
    FILE_PATH: f"a relative path: {_FILE_WORDS}",
    SOURCE_PATH: f"a path in the ROM's folder, or ../NAME/ and a path in that of another: {_FILE_WORDS}",
    SHA256: "64 hex digits",
    FLAG: "an option: - and up to 99 characters, no spaces",
    MACRO: "a name, letters, digits and _, or NAME=VALUE, of up to 200 characters",
}


class Fields:
    """One table of a file, read key by key.

    path   of the file, for messages
    where  name of the table in the file, "" for the outermost
    """

    def __init__(self, path: Path, where: str, table: object) -> None:
        """Take a table of a parsed file. Errors: RomError if it is anything else."""
        self.path, self.where = path, where
        if not isinstance(table, dict):
            raise self.error("is not a table")
        self._left: dict[str, object] = dict(table)

    def error(self, reason: str, key: str = "") -> RomError:
        """Return the error that names the file, the table and the key."""
        place = ".".join(part for part in (self.where, key) if part)
        return RomError(self.path, f"{place}: {reason}" if place else reason)

    def has(self, key: str) -> bool:
        """Tell whether a key is there and not yet read."""
        return key in self._left

    def text(
        self,
        key: str,
        pattern: re.Pattern[str] | None = None,
        *,
        max_length: int = MAX_TEXT,
        default: str | None = None,
    ) -> str:
        """Return a text of 1..max_length characters that matches a pattern as a whole.

        An absent key gives the default, if there is one.
        """
        if default is not None and not self.has(key):
            return default
        return self._checked_text(self._take(key), key, pattern, max_length)

    def texts(self, key: str, pattern: re.Pattern[str] | None = None, default: list[str] | None = None) -> list[str]:
        """Return a list of texts; an absent key gives the default, if there is one."""
        if default is not None and not self.has(key):
            return default
        items = self._take_list(key)
        return [self._checked_text(item, key, pattern, MAX_TEXT) for item in items]

    def integer(self, key: str, minimum: int, maximum: int, default: int | None = None) -> int:
        """Return a whole number in minimum..maximum; an absent key gives the default, if there is one."""
        if default is not None and not self.has(key):
            return default
        value = self._take(key)
        if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
            raise self.error(f"must be a whole number {minimum}..{maximum}", key)
        return value

    def flag(self, key: str) -> bool:
        """Return true or false; an absent key is false."""
        value = self._left.pop(key, False)
        if not isinstance(value, bool):
            raise self.error("must be true or false", key)
        return value

    def table(self, key: str) -> Fields:
        """Return a table inside this one."""
        return Fields(self.path, ".".join(part for part in (self.where, key) if part), self._take(key))

    def named_tables(self, key: str, pattern: re.Pattern[str]) -> dict[str, Fields]:
        """Return the tables inside a table, by name; none if the key is absent."""
        if not self.has(key):
            return {}
        holder = self.table(key)
        return {name: holder.table(name) for name in holder.names(pattern)}

    def tables(self, key: str) -> list[Fields]:
        """Return a list of tables; empty if the key is absent."""
        if not self.has(key):
            return []
        where = ".".join(part for part in (self.where, key) if part)
        return [Fields(self.path, f"{where}[{i}]", item) for i, item in enumerate(self._take_list(key))]

    def names(self, pattern: re.Pattern[str]) -> list[str]:
        """Return the names of all keys left, each of which must match."""
        if len(self._left) > MAX_ITEMS:
            raise self.error(f"has {len(self._left)} entries, more than {MAX_ITEMS}")
        for name in self._left:
            if not pattern.fullmatch(name):
                raise self.error(f"the name {name[:40]!r} is not allowed: {ALLOWED[pattern]}")
        return list(self._left)

    def end(self) -> None:
        """Refuse keys that were not read."""
        if self._left:
            raise self.error("unknown key", next(iter(self._left))[:40])

    def _take(self, key: str) -> object:
        if key not in self._left:
            raise self.error("is missing", key)
        return self._left.pop(key)

    def _take_list(self, key: str) -> list[object]:
        items = self._take(key)
        if not isinstance(items, list) or len(items) > MAX_ITEMS:
            raise self.error(f"must be a list of at most {MAX_ITEMS} entries", key)
        return items

    def _checked_text(self, value: object, key: str, pattern: re.Pattern[str] | None, max_length: int) -> str:
        if not isinstance(value, str) or not 1 <= len(value) <= max_length:
            raise self.error(f"must be a text of 1..{max_length} characters", key)
        if not value.replace("\n", " ").isprintable():
            raise self.error("holds control characters", key)
        if pattern and not pattern.fullmatch(value):
            raise self.error(f"{value[:60]!r} is not allowed: {ALLOWED[pattern]}", key)
        return value


def read_toml(path: Path) -> Fields:
    """Return the outermost table of a TOML file. Errors: RomError."""
    content = read_file(path, MAX_FILE_BYTES, RomError)
    try:
        text = content.decode("utf-8")
        if _DEEP.search(text):
            raise RomError(path, f"has more than {MAX_PARTS} names joined by dots, as no key of a manifest does")
        table = tomllib.loads(text)
    except UnicodeDecodeError:
        raise RomError(path, "is not UTF-8 text") from None
    except RecursionError:
        raise RomError(path, "is nested too deeply") from None
    except ValueError as error:
        raise RomError(path, f"is not TOML: {str(error)[:200]}") from None
    return Fields(path, "", table)
