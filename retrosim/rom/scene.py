"""Scenes (`.scene`): text that says where the objects of a ROM are, line by line.

    scene 1
    rom tanks
    title A cross: neither bar has a corner in the other
    # a comment
    default speed=0 half_width=15 half_height=2
    object x=200 y=150 angle=0
    object x=201 y=149 angle=90
    set hits=3

    line     = word [ text | NAME=VALUE { NAME=VALUE } ] [ "#" comment ]
    scene    format, always 1; the first line
    rom      name of the ROM
    title, author, note     text; several notes make a description
    seed     of the program's random numbers
    default  what the objects that follow have unless they say otherwise
    object   one object; the first is number 0
    set      a variable of the program
    VALUE    a decimal in the unit of the field, a whole number with "u" in the program's own unit, or a word

Which fields there are, with units and limits, is in the ROM's manifest (columns.py). A decimal must be exact in
the program's unit. Fields that an object does not give have the manifest's default, or what the program gave it.

The program begins as always; when its first frame is complete, everything is written that the scene gives, and the
second frame begins with it. So a scene needs nothing of the program but its manifest, and is the same on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from retrosim.checks import did_you_mean, shortened
from retrosim.errors import RomError, SceneError
from retrosim.reading import read_file

from .columns import NO_SCENES, SceneField
from .drawings import read_sizes
from .fields import NAME
from .library import SHOWS, load_rom, rom_names, shipped_files, what_ships
from .manifest import Rom

FORMAT = "1"
MAX_BYTES = 64 * 1024
MAX_LINE = 400  # characters
MAX_OBJECTS = 4096
MAX_TEXT = 200  # characters of a title or an author
MAX_DESCRIPTION = 4000
MAX_SEED = 2**32 - 1

_NUMBER = re.compile(r"[+-]?[0-9]{1,10}(?:\.[0-9]{1,10})?", re.ASCII)
_RAW = re.compile(r"([+-]?[0-9]{1,10})u", re.ASCII)


class ScenePlace(NamedTuple):
    """A value that is written: an entry of a column; entry 0 of a single variable."""

    column: str
    entry: int
    value: int


@dataclass(frozen=True)
class Scene:
    """Where the objects of a ROM are.

    path     where it came from, for messages
    text     as it was written, with single spaces for tabs; a tape embeds it
    rom      name of the ROM
    seed     of the program's random numbers, None for that of the ROM
    objects  how many there are
    places   what is written, in the order of the scene
    """

    path: str
    text: str = field(repr=False)
    rom: str
    title: str = ""
    author: str = ""
    description: str = ""
    seed: int | None = None
    objects: int = 0
    places: tuple[ScenePlace, ...] = field(default=(), repr=False)

    def parameters(self, rom: Rom) -> dict[str, int]:
        """Return the parameters of the ROM that follow from the scene."""
        given = {"objects": self.objects - rom.scene.besides} | ({} if self.seed is None else {"seed": self.seed})
        return {name: value for name, value in given.items() if name in rom.parameters}

    def columns(self) -> dict[str, dict[int, int]]:
        """Return column -> entry -> value."""
        found: dict[str, dict[int, int]] = {}
        for column, entry, value in self.places:
            found.setdefault(column, {})[entry] = value
        return found


class _Line(NamedTuple):
    number: int
    word: str
    rest: str


def scene_lines(text: str, path: str) -> list[str]:
    """Return the lines of a scene, spaces for tabs and none at their ends. Errors: SceneError."""
    if len(text) > MAX_BYTES:
        raise SceneError(path, f"is longer than {MAX_BYTES} bytes")
    lines = [line.expandtabs(1).rstrip() for line in text.replace("\r\n", "\n").removesuffix("\n").split("\n")]
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE:
            raise SceneError(path, f"line {number}: {len(line)} characters long, allowed {MAX_LINE}")
        if not line.isprintable():
            raise SceneError(path, f"line {number}: holds a character that cannot be printed")
    return lines


def rom_of(text: str, path: str = "scene") -> str:
    """Return the name of the ROM that a scene is for. Errors: SceneError."""
    for line in _words(scene_lines(text, path), path):
        if line.word == "rom":
            return _rom_name(line, path)
    raise SceneError(path, "has no line `rom NAME`")


def parse_scene(text: str, rom: Rom, path: str = "scene") -> Scene:
    """Read a scene for a ROM.

    text     of the file
    path     for messages
    Errors   SceneError: one line with the number, the field and what is allowed
    """
    lines = scene_lines(text, path)
    return _Reader(path, rom).read(lines)


def _words(lines: list[str], path: str) -> Iterator[_Line]:
    """Yield the lines that say something. Errors: SceneError if the first is not the format."""
    is_first = True
    for number, line in enumerate(lines, 1):
        said = line.strip() if line.lstrip().startswith("#") else re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip()
        if not said or said.startswith("#"):
            continue
        word, _, rest = said.partition(" ")
        if is_first and (word, rest.strip()) != ("scene", FORMAT):
            raise SceneError(path, f"line {number}: {shortened(said)!r}: a scene begins with the line `scene {FORMAT}`")
        if not is_first:
            yield _Line(number, word, rest.strip())
        is_first = False
    if is_first:
        raise SceneError(path, f"is empty; a scene begins with the line `scene {FORMAT}`")


def _rom_name(line: _Line, path: str) -> str:
    if not NAME.fullmatch(line.rest):
        raise SceneError(path, f"line {line.number}: rom {shortened(line.rest)!r}: allowed the name of a ROM")
    return line.rest


class _Reader:
    """Reads the lines of one scene."""

    def __init__(self, path: str, rom: Rom) -> None:
        self._path, self._rom = path, rom
        self._objects = {each.name: each for each in rom.scene.objects if each.is_free}
        self._singles = {each.name: each for each in rom.scene.singles if each.is_free}
        self._drawn: Mapping[str, tuple[int, int, int]] | None = None
        self._defaults: dict[str, str] = {}
        self._places: list[ScenePlace] = []
        self._given: set[str] = set()
        self._count = 0

    def read(self, lines: list[str]) -> Scene:
        found = Scene(self._path, "\n".join(lines) + "\n", self._rom.name)
        notes: list[str] = []
        for line in _words(lines, self._path):
            if line.word in ("rom", "title", "author", "seed") and line.word in self._given:
                raise self._error(line, f"{line.word} is given a second time")
            self._given.add(line.word)
            match line.word:
                case "rom":
                    self._check_rom(line)
                case "title":
                    found = replace(found, title=self._text(line, MAX_TEXT))
                case "author":
                    found = replace(found, author=self._text(line, MAX_TEXT))
                case "note":
                    notes.append(self._text(line, MAX_TEXT))
                case "seed":
                    found = replace(found, seed=self._seed(line))
                case "set":
                    self._set(line)
                case "default":
                    self._set_defaults(line)
                case "object":
                    self._object(line)
                case other:
                    words = ("rom", "title", "author", "note", "seed", "set", "default", "object")
                    near = did_you_mean(other, words)
                    raise self._error(line, f"{shortened(other)!r}: allowed {', '.join(words)}{near}")
        if "rom" not in self._given:
            raise SceneError(self._path, "has no line `rom NAME`")
        self._check_count(len(lines))
        description = " ".join(notes)[:MAX_DESCRIPTION]
        return replace(found, description=description, objects=self._count, places=(*self._reset(), *self._places))

    def _error(self, line: _Line | int, reason: str) -> SceneError:
        number = line if isinstance(line, int) else line.number
        return SceneError(self._path, f"line {number}: {reason}")

    def _check_rom(self, line: _Line) -> None:
        name = _rom_name(line, self._path)
        if name != self._rom.name:
            raise self._error(line, f"rom {name}: the scene is not for {self._rom.name}")
        if self._rom.scene == NO_SCENES:
            raise self._error(line, f"rom {name}: takes no scenes (its rom.toml has no table [scene])")

    def _text(self, line: _Line, maximum: int) -> str:
        if not 1 <= len(line.rest) <= maximum:
            raise self._error(line, f"{line.word}: {len(line.rest)} characters, allowed 1..{maximum}")
        return line.rest

    def _seed(self, line: _Line) -> int:
        allowed = self._rom.parameters.get("seed")
        if allowed is None:
            raise self._error(line, f"seed: {self._rom.name} has none")
        if not re.fullmatch("[0-9]{1,10}", line.rest, re.ASCII) or not (
            allowed.minimum <= int(line.rest) <= allowed.maximum
        ):
            raise self._error(line, f"seed {shortened(line.rest)}: allowed {allowed.minimum}..{allowed.maximum}")
        return int(line.rest)

    def _pairs(self, line: _Line, known: Mapping[str, SceneField]) -> dict[str, str]:
        if "rom" not in self._given:
            raise self._error(line, f"{line.word}: the line `rom NAME` comes first")
        pairs: dict[str, str] = {}
        for part in line.rest.split():
            name, equals, value = part.partition("=")
            if not equals or not value:
                raise self._error(line, f"{shortened(part)!r}: allowed NAME=VALUE, without spaces")
            if name not in known:
                near = did_you_mean(name, known)
                raise self._error(line, f"{shortened(name)!r}: allowed {', '.join(known) or 'nothing'}{near}")
            if name in pairs:
                raise self._error(line, f"{name} is given twice")
            pairs[name] = value
        return pairs

    def _set(self, line: _Line) -> None:
        for name, value in self._pairs(line, self._singles).items():
            single = self._singles[name]
            self._places.append(ScenePlace(single.column, 0, self._value(line, single, value)))

    def _set_defaults(self, line: _Line) -> None:
        pairs = self._pairs(line, self._objects)
        for name, value in pairs.items():
            self._value(line, self._objects[name], value)
        self._defaults |= pairs

    def _object(self, line: _Line) -> None:
        given = self._defaults | self._pairs(line, self._objects)
        index, self._count = self._count, self._count + 1
        self._check_maximum(line)
        for name, value in given.items():
            known = self._objects[name]
            number = self._value(line, known, value)
            self._places.append(ScenePlace(known.column, index, number))
            if known.sizes:
                _, *sides = self._drawings(line)[value]
                self._places += [ScenePlace(column, index, side) for column, side in zip(known.sizes, sides)]

    def _check_maximum(self, line: _Line) -> None:
        known = self._rom.parameters.get("objects")
        maximum = min(MAX_OBJECTS, known.maximum + self._rom.scene.besides if known else MAX_OBJECTS)
        if self._count > maximum:
            raise self._error(line, f"object: allowed up to {maximum} in {self._rom.name}")

    def _check_count(self, last: int) -> None:
        known = self._rom.parameters.get("objects")
        minimum = known.minimum + self._rom.scene.besides if known else 1
        if self._count < minimum:
            raise self._error(last, f"object: {self._count} so far, {self._rom.name} needs {minimum} or more")

    def _drawings(self, line: _Line) -> Mapping[str, tuple[int, int, int]]:
        if self._drawn is None:
            try:
                self._drawn = read_sizes(self._rom.drawings) if self._rom.drawings else {}
            except RomError as error:
                raise self._error(line, f"the drawings of {self._rom.name}: {error}") from None
        return self._drawn

    def _value(self, line: _Line, field: SceneField, text: str) -> int:
        """Return a value in the program's unit."""
        what = f"{field.name} {shortened(text)}"
        words = [*field.names] if not field.sizes else [*self._drawings(line)]
        if words:
            numbers = allowed_numbers(field, self._drawn)
            if text not in numbers:
                raise self._error(line, f"{what}: allowed {', '.join(numbers)}{did_you_mean(text, numbers)}")
            return numbers[text]
        if raw := _RAW.fullmatch(text):
            value = int(raw[1])
        elif _NUMBER.fullmatch(text):
            exact = Fraction(text) * field.scale / field.per
            if exact.denominator != 1:
                below = exact.numerator // exact.denominator
                near = " or ".join(f"{in_unit(field, each)} ({each}u)" for each in (below, below + 1))
                raise self._error(line, f"{what}: lies between two values that the program can hold, {near}")
            value = int(exact)
        else:
            raise self._error(line, f"{what}: allowed a decimal number such as 1.5, or a whole one with u such as 48u")
        if not field.minimum <= value <= field.maximum:
            raise self._error(line, f"{what}: allowed {range_text(field)}")
        return value

    def _reset(self) -> Iterator[ScenePlace]:
        """Yield what all objects and variables have that the scene does not give."""
        for each in self._rom.scene.singles:
            if each.default is not None:
                yield ScenePlace(each.column, 0, each.default)
        for each in self._rom.scene.objects:
            if each.default is not None:
                for index in range(self._count):
                    yield ScenePlace(each.column, index, each.default)


def allowed_numbers(field: SceneField, drawn: Mapping[str, tuple[int, int, int]] | None) -> dict[str, int]:
    """Return the words that a field takes, with their numbers; none if it takes numbers. `drawn`: see `read_sizes`."""
    words = {name: number for number, name in enumerate(field.names)}
    if field.sizes:
        words = {name: number for name, (number, *_) in (drawn or {}).items()}
    return {name: number for name, number in words.items() if field.minimum <= number <= field.maximum}


def allowed_words(field: SceneField, rom: Rom) -> list[str]:
    """Return the words that a field takes, in the order of their numbers. Errors: RomError for its drawings."""
    return list(allowed_numbers(field, read_sizes(rom.drawings) if field.sizes and rom.drawings else None))


def in_words(field: SceneField, rom: Rom) -> Callable[[int], str]:
    """Return what spells a field's values as scenes do. Errors: RomError for its drawings."""
    numbers = allowed_numbers(field, read_sizes(rom.drawings) if field.sizes and rom.drawings else None)
    words = {number: name for name, number in numbers.items()}
    return lambda value: words.get(value) or in_unit(field, value)


def in_unit(field: SceneField, value: int) -> str:
    """Return a value of the program in the scene's unit, exactly."""
    exact = Fraction(value * field.per, field.scale)
    if exact.denominator == 1:
        return str(exact.numerator)
    digits = next((n for n in range(1, 33) if 10**n % exact.denominator == 0), None)
    if digits is None:
        return f"{value}u"
    whole = abs(exact.numerator) * 10**digits // exact.denominator
    sign = "-" if exact < 0 else ""
    return f"{sign}{whole // 10**digits}.{whole % 10**digits:0{digits}d}"


def range_text(field: SceneField) -> str:
    """Return what a field may hold, for people."""
    if field.names:
        return ", ".join(field.names[field.minimum : field.maximum + 1])
    unit = f" {field.unit}" if field.unit else ""
    steps = f" in steps of {in_unit(field, 1)}" if (field.scale, field.per) != (1, 1) else ""
    return f"{in_unit(field, field.minimum)}..{in_unit(field, field.maximum)}{unit}{steps}"


# Where scenes are found: those that come with the ROMs, by name, and any file the user names.

SUFFIX = ".scene"


def shipped_scenes() -> list[Path]:
    """Return the scenes that come with the ROMs, without those of ROMs that cannot be read."""
    return shipped_files(Rom.scenes)


def find_scene(name_or_path: str | Path) -> Path:
    """Return the path of a scene: that of the shipped one with this name, or else the argument itself.

    Errors   SceneError
    """
    if isinstance(name_or_path, str) and NAME.fullmatch(name_or_path.replace("-", "_")):
        of_that_name = shipped_files(Rom.scenes, f"scenes/{name_or_path}{SUFFIX}")
        shipped = {path.stem: path for path in of_that_name}
        if name_or_path in shipped:
            return shipped[name_or_path]
        if not Path(name_or_path).exists():
            if kind := what_ships(name_or_path):
                raise SceneError(name_or_path, f"is a {kind}, not a scene: `{SHOWS[kind]} {name_or_path}`")
            near = did_you_mean(name_or_path, [path.stem for path in shipped_scenes()])
            raise SceneError(name_or_path, f"no such file, and no scene of `retrosim scenes`{near}")
    return Path(name_or_path)


def load_scene(name_or_path: str | Path, rom: Rom | None = None) -> Scene:
    """Read a scene.

    name_or_path  the name of one that comes with retrosim, or the path of a file
    rom           instead of the ROM that the scene names; it must have that name
    Errors        SceneError; RomError for the ROM that the scene names
    """
    path = find_scene(name_or_path)
    try:
        text = read_file(path, MAX_BYTES, SceneError).decode("utf-8")
    except UnicodeDecodeError:
        raise SceneError(path, "is not UTF-8 text") from None
    if rom is None:
        name = rom_of(text, str(path))
        if name not in rom_names():
            near = did_you_mean(name, rom_names())
            raise SceneError(path, f"rom {name}: no such ROM; there are: {', '.join(rom_names())}{near}")
        rom = load_rom(name)
    return parse_scene(text, rom, str(path))
