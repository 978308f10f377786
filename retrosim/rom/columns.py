"""Columns: where a program keeps one value of each of its objects, or one variable; which a scene may place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrosim.errors import RomError

from .fields import NAME, SYMBOL, Fields
from .symbols import Symbol

MAX_OFFSET = 65536  # bytes: of an offset or a stride
WIDTHS = {"u8": 1, "s16": 2, "u16": 2, "s32": 4, "u32": 4}  # bytes
ONE = "1"


@dataclass(frozen=True)
class WorldColumn:
    """Where one column of the world lies in memory: entry i at symbol + offset + i * stride.

    type   u8, s16, u16, s32 or u32, in the byte order of the CPU
    count  "1", or the symbol of the 32-bit variable that holds the number of entries
    """

    name: str
    symbol: str
    offset: int
    stride: int
    type: str
    count: str

    @property
    def width(self) -> int:
        """Bytes of one entry."""
        return WIDTHS[self.type]


def read_column(fields: Fields) -> WorldColumn:
    """Read a table [[world]] or [[scene.memory]]. Errors: RomError."""
    type, count = fields.text("type"), fields.text("count", default=ONE)
    if type not in WIDTHS:
        raise fields.error(f"{type[:40]!r}: allowed {', '.join(WIDTHS)}", "type")
    column = WorldColumn(
        name=fields.text("name", NAME),
        symbol=fields.text("symbol", SYMBOL),
        offset=fields.integer("offset", 0, MAX_OFFSET, default=0),
        stride=fields.integer("stride", 1, MAX_OFFSET, default=WIDTHS[type] if count == ONE else None),
        type=type,
        count=count,
    )
    if column.width > column.stride:
        raise fields.error("entries overlap", "stride")
    if column.count != ONE and not SYMBOL.fullmatch(column.count):
        raise fields.error(f'{column.count[:40]!r}: allowed "{ONE}" or a symbol', "count")
    fields.end()
    return column


def check_column(path: Path, column: WorldColumn, symbols: Mapping[str, Symbol]) -> None:
    """Check that the symbols of an image have what a column describes. Errors: RomError."""
    symbol = symbols.get(column.symbol)
    if symbol is None or symbol.kind != "object":
        raise RomError(path, f"has no object {column.symbol}, which the world's {column.name} needs")
    if column.offset + column.width > symbol.size:
        raise RomError(path, f"{column.symbol} is too small for the world's {column.name}")
    counter = symbols.get(column.count)
    if column.count != ONE and (counter is None or counter.kind != "object" or counter.size < WIDTHS["u32"]):
        raise RomError(path, f"has no 32-bit object {column.count}, which counts the world's {column.name}")


# What a scene may place in a ROM: the table [scene] of rom.toml.
#
# besides             objects that the program has besides those that its parameter `objects` counts
# [[scene.object]]    what an object line of a scene may say; the column is one with an entry for each object
# [[scene.single]]    what a set line may say; the column is a single variable
# [[scene.memory]]    columns that are not part of the world, described as [[world]]: no hash has them

MAX_SCALE = 1 << 16
MAX_BESIDES = 4096
DEGREES = "degrees"


@dataclass(frozen=True)
class SceneField:
    """One value that a scene may give.

    name              in scenes
    column            where it is written
    unit              what a number in a scene counts, such as "pixels"; "" where it counts what the program counts
    scale             the program's units to one of these; to the turn, if the unit is degrees
    minimum, maximum  in the program's units
    default           what an object has that does not say; None: it keeps what the program gave it
    names             words for 0, 1, 2 ...
    sizes             columns for width and height: a word is then the name of a drawing, whose number is written
    """

    name: str
    column: str
    unit: str
    scale: int
    minimum: int
    maximum: int
    default: int | None
    names: tuple[str, ...]
    sizes: tuple[str, ...]

    @property
    def per(self) -> int:
        """How much `scale` units of the program are in the scene's unit."""
        return 360 if self.unit.startswith(DEGREES) else 1

    @property
    def is_free(self) -> bool:
        """Whether a scene has a choice; other fields are only reset."""
        return self.minimum < self.maximum


@dataclass(frozen=True)
class SceneFields:
    """The fields of a ROM, in the order of its manifest.

    besides   objects that the program has besides those that its parameter `objects` counts
    """

    objects: tuple[SceneField, ...]
    singles: tuple[SceneField, ...]
    memory: tuple[WorldColumn, ...]
    besides: int = 0


NO_SCENES = SceneFields((), (), ())


def read_scene_fields(fields: Fields, world: Sequence[WorldColumn]) -> SceneFields:
    """Read the table [scene]. Errors: RomError."""
    memory = tuple(read_column(table) for table in fields.tables("memory"))
    columns = {column.name: column for column in (*world, *memory)}
    if len(columns) < len(world) + len(memory):
        raise fields.error("a column of the world, or another one, has the same name", "memory")
    several = {name: column for name, column in columns.items() if column.count != ONE}
    single = {name: column for name, column in columns.items() if column.count == ONE}
    found = SceneFields(
        objects=tuple(_field(table, several) for table in fields.tables("object")),
        singles=tuple(_field(table, single) for table in fields.tables("single")),
        memory=memory,
        besides=fields.integer("besides", 0, MAX_BESIDES, default=0),
    )
    for key, group in (("object", found.objects), ("single", found.singles)):
        if len({field.name for field in group}) < len(group):
            raise fields.error("two fields share a name", key)
    fields.end()
    return found


def _field(fields: Fields, columns: dict[str, WorldColumn]) -> SceneField:
    name = fields.text("name", NAME)
    column = fields.text("column", NAME, default=name)
    sizes = tuple(fields.texts("sizes", NAME, []))
    for each in (column, *sizes):
        if each not in columns:
            key = "sizes" if each in sizes else "column"
            raise fields.error(f"{each!r}: allowed {', '.join(columns) or 'none'}", key)
    if len(sizes) not in (0, 2):
        raise fields.error("must be two columns, of width and height", "sizes")
    type = columns[column].type
    lowest, highest = (0, (1 << 8 * columns[column].width) - 1)
    if type.startswith("s"):
        lowest, highest = -(highest + 1) // 2, highest // 2
    minimum = fields.integer("minimum", lowest, highest, default=lowest)
    maximum = fields.integer("maximum", minimum, highest, default=highest)
    found = SceneField(
        name=name,
        column=column,
        unit=fields.text("unit", default=""),
        scale=fields.integer("scale", 1, MAX_SCALE, default=1),
        minimum=minimum,
        maximum=maximum,
        default=fields.integer("default", minimum, maximum) if fields.has("default") else None,
        names=tuple(fields.texts("names", NAME, [])),
        sizes=sizes,
    )
    fields.end()
    return found
