"""The words that guide/glossary.md says the project does not use: none is in code, texts or pages.

The third column of its tables is read: `code` is a part of a name, "quotes" are words of text; see its head.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = ROOT / "retrosim" / "guide" / "glossary.md"
FOLDERS = ("retrosim", "tools", "tests", "roms")
TEXTS = (".md", ".csv", ".toml")
NAME = re.compile(r"[A-Za-z_]\w*")

# What is not looked at, and why. C, assembly and Pascal sources of the ROMs are not read at all: names of theirs are
# in the images, whose hashes stay.
NOT_READ = {
    "retrosim/guide/glossary.md": "names the words",
    "tests/test_vocabulary.py": "names the words",
    "retrosim/guide/changes.md": "names what was renamed",
}
NOT_OURS = {
    "most_common": "a method of collections.Counter",
    "strip": "a method of str",
}


@dataclass(frozen=True)
class Banned:
    """A word that is not used.

    parts   lower-case parts of a name, in order; empty for a phrase
    where   "any", "first" or "last" parts of a name
    phrase  words of text, or ""
    folders files below these only; empty: everywhere
    is_constant  only in upper case
    """

    shown: str
    parts: tuple[str, ...] = ()
    where: str = "any"
    phrase: str = ""
    folders: tuple[str, ...] = ()
    is_constant: bool = False


@cache
def name_parts(name: str) -> tuple[str, ...]:
    """Return the lower-case parts of a name: of MAX_X, max_x and MaxX they are max, x."""
    return tuple(part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name))


def read_glossary(text: str) -> list[Banned]:
    """Return the words of the third column of all tables."""
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if len(cells) != 3 or cells[2] in ("not", "---"):
            continue
        folders: tuple[str, ...] = ()
        for scope, code, phrase in re.findall(r"\bin ([\w/, ]+):|`([^`]+)`|\"([^\"]+)\"", cells[2]):
            if scope:
                folders = tuple(f"{folder.strip()}/" for folder in scope.split(","))
            elif code:
                where = "last" if code.startswith("_") else "first" if code.endswith("_") else "any"
                found.append(Banned(code, name_parts(code), where, folders=folders, is_constant=code.isupper()))
            else:
                found.append(Banned(phrase, phrase=phrase, folders=folders))
    return found


@cache
def banned_words() -> tuple[Banned, ...]:
    return tuple(read_glossary(GLOSSARY.read_text(encoding="utf-8")))


def is_in_name(word: Banned, name: str) -> bool:
    """Tell whether a name has a word's parts, one behind the other, where they count."""
    if not word.parts or (word.is_constant and not name.isupper()):
        return False
    parts, size = name_parts(name), len(word.parts)
    starts = [i for i in range(len(parts) - size + 1) if parts[i : i + size] == word.parts]
    return any({"any": True, "first": i == 0, "last": i + size == len(parts)}[word.where] for i in starts)


@cache
def banned_in(name: str, words: tuple[Banned, ...]) -> tuple[str, ...]:
    """Return the words that a name has and should not have; the name of a test is a sentence."""
    if name in NOT_OURS or name.startswith("test_"):
        return ()
    return tuple(word.shown for word in words if is_in_name(word, name))


def lines_of_text(text: str, words: tuple[Banned, ...]) -> Iterator[tuple[int, str]]:
    """Yield (line, word) for every banned phrase in a text, wherever its lines are broken."""
    lower = text.lower()
    for word in words:
        if word.phrase and word.phrase.lower().split()[-1] in lower:
            pattern = r"\b" + r"[\s#]+".join(map(re.escape, word.phrase.split())) + r"\b"
            for match in re.finditer(pattern, text, re.IGNORECASE):
                yield 1 + text.count("\n", 0, match.start()), word.shown


def findings(path: str, text: str, words: tuple[Banned, ...]) -> list[str]:
    """Return file:line: word for everything in a file that is not used.

    path   relative to the project, which chooses the words that apply
    text   its contents
    """
    words = tuple(word for word in words if not word.folders or path.startswith(word.folders))
    found = list(lines_of_text(text, words))
    if path.endswith(".py"):
        heads = {word.parts[0] for word in words if word.parts}
        names = (name for name in set(NAME.findall(text)) if not heads.isdisjoint(name_parts(name)))
        suspects = {name: shown for name in names if (shown := banned_in(name, words))}
        tokens = tokenize.generate_tokens(io.StringIO(text).readline) if suspects else ()
        for token in tokens:
            if token.type == tokenize.NAME and token.string in suspects:
                found += [(token.start[0], f"{shown} in {token.string}") for shown in suspects[token.string]]
    return [f"{path}:{line}: {word}" for line, word in sorted(set(found))]


def files() -> list[Path]:
    """Return the files that are read: Python, and texts."""
    found = [ROOT / "README.md", ROOT / "pyproject.toml"]
    for folder in FOLDERS:
        found += [path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", *TEXTS)]
    return [path for path in sorted(found) if path.relative_to(ROOT).as_posix() not in NOT_READ]


@pytest.mark.full
def test_no_word_is_used_that_the_glossary_rules_out() -> None:
    found = []
    for path in files():
        text = path.read_text(encoding="utf-8")
        found += findings(path.relative_to(ROOT).as_posix(), text, banned_words())
    assert not found, f"{len(found)} words that guide/glossary.md rules out:\n" + "\n".join(found)


def test_the_check_finds_each_kind_of_word() -> None:
    """A check of the checker."""
    words = tuple(
        read_glossary(
            "| say | meaning | not |\n|---|---|---|\n"
            '| a | b | `most`, `FARTHEST`; in retrosim/x: `_wide`, `half_high` |\n| c | d | "document 003" |\n'
        )
    )
    code = '"""By document\n003."""\nMOST_X = most_common(utmost)\nhalf_high_at = xWide = farthest = FARTHEST_X\n'
    assert findings("retrosim/x/a.py", code, words) == [
        "retrosim/x/a.py:1: document 003",
        "retrosim/x/a.py:3: most in MOST_X",
        "retrosim/x/a.py:4: FARTHEST in FARTHEST_X",
        "retrosim/x/a.py:4: _wide in xWide",
        "retrosim/x/a.py:4: half_high in half_high_at",
    ]
    assert [each.rpartition(": ")[2] for each in findings("retrosim/y/a.py", "half_high = wide = least", words)] == []
    assert findings("README.md", "See Document 003, most of it.", words) == ["README.md:1: document 003"]


def test_the_glossary_rules_words_out() -> None:
    """Every kind of entry is there, and every folder that limits one."""
    words = banned_words()
    assert {bool(word.phrase) for word in words} == {True, False} and len(words) > 50
    assert {folder for word in words for folder in word.folders if not (ROOT / folder).is_dir()} == set()
