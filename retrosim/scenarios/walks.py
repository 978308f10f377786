"""How a program's collision check is followed from outside, by the names of its functions and variables.

A check begins with a call of a function and ends with its return. In it there may be passes, in these sectors, in these
the tests of pairs. Names that no image of a program has belong to another of its builds.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ObjectRecords:
    """An array of records, one for each object.

    symbol   its name
    count    entries
    first, last  bytes of a record with its coordinates, half-open; a `last` below 1 counts from the record's end
    """

    symbol: str
    count: int
    first: int = 0
    last: int = 0


@dataclass(frozen=True)
class CalledTest:
    """A pair test that is a function: its first two arguments are the pair, pointers to records, or indices."""

    function: str
    records: ObjectRecords | None = None


@dataclass(frozen=True)
class ReadTest:
    """A pair test that is no function of its own: it is found by the coordinates that the program reads.

    Without `others`, a difference reads two coordinates, first of one object, then of the other; a test is all that
    reads of the same two objects in a row. With `others`, the object is the one whose record was read last, and each
    read of another array is a test against the object with that number.
    """

    records: ObjectRecords
    others: ObjectRecords | None = None


@dataclass(frozen=True)
class Sectors:
    """The sectors of a grid: a function is called for each, column by column.

    function  called for each sector
    rows      sectors in a column
    side      pixels
    """

    function: str
    rows: int
    side: int


@dataclass(frozen=True)
class HitFlag:
    """A variable that is written when a pair test has found something.

    meaning  in words
    is_hit   a collision, not only a candidate for one
    """

    symbol: str
    meaning: str
    is_hit: bool = True


@dataclass(frozen=True)
class WalkSource:
    """How the check of a program is followed.

    check    the function
    tests    how pair tests are found; of several the first whose names the image has
    flags    what is written for the pair that is tested; of several that are, the last one counts
    passes   function that begins a pass; its two arguments are what the grid is shifted by, pixels
    sectors  None where there are none
    """

    check: str
    tests: tuple[CalledTest | ReadTest, ...]
    flags: tuple[HitFlag, ...]
    passes: str = ""
    sectors: Sectors | None = None
