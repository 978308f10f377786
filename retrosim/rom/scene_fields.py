"""What a scene may place in a ROM: the table [scene] of rom.toml.

besides             objects that the program has besides those that its parameter `objects` counts
[[scene.object]]    what an object line of a scene may say; the column is one with an entry for each object
[[scene.single]]    what a set line may say; the column is a single variable
[[scene.memory]]    columns that are not part of the world, described as [[world]]: no hash has them
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .columns import ONE, WorldColumn, read_column
from .fields import NAME, Fields

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
