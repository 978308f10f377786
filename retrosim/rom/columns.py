"""Columns: where a program keeps one value of each of its objects, or one variable."""

from __future__ import annotations

from collections.abc import Mapping
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
