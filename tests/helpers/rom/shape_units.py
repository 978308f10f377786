"""The ROM `shapes` as a test calls it: objects, pairs, scenes and planes in the memory of any machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrosim.collide.kernels.pairs.sectors import SECTORS
from retrosim.machine import Machine, open_machine

LISTS, OBJECTS, PARTS, FOUND, WORK = 0x200000, 0x300000, 0x400000, 0x500000, 0x600000
AT_ONCE = 20_000  # pairs: less than 1 MiB of objects
EVERYONE = 0xFFFF
SIGN = 0xEE  # what results are before a routine writes them

KINDS = {
    "shape": "category:u2 mask:u2 x:i2 y:i2 wide:i2 high:i2 is_circle:u2 unused:u2",
    "compound": "category:u2 mask:u2 x:i2 y:i2 parts:u4 count:i4",
    "sphere": "category:u2 mask:u2 x:i2 y:i2 z:i2 radius:i2",
    "rectangle": "category:u2 mask:u2 x:i2 y:i2 half_wide:i2 half_high:i2 angle:i2 unused:i2",
    "pair": "a:u4 b:u4 result:i4",
    "found": "a:i4 b:i4",
    "scene": "objects:u4 stride:i4 count:i4 found:u4 room:i4 looked_at:i4 total:i4",
    "plane": "boxes:u4 count:i4 log2_block:i4 heads:u4 handlers:u4 checks:u4 found:u4 room:i4 columns:i4 rows:i4 "
    "used:i4 total:i4",
    "square": "x:s y:s sector_link:u4 link:u4",
    "nine": "objects:u4 count:i4 heads:u4 gathered:u4 lengths:u4 collided:u4",
    "turn": "angle:i2 x:i2 y:i2 sine:i2 cosine:i2 turned_x:i2 turned_y:i2 unused:i2",
    "point": "x:i4 y:i4",
}

Rows = Sequence[Sequence[int]]


class Unit:
    """One machine with the ROM."""

    def __init__(self, machine: str) -> None:
        self.machine: Machine = open_machine(machine, "shapes", engine="interpret", timing="off")
        order = "<" if self.machine.image.byte_order == "little" else ">"
        self.scalar = np.dtype(order + ("i4" if self.machine.image.isa == "ppc601" else "i2"))
        fields = {kind: [each.split(":") for each in text.split()] for kind, text in KINDS.items()}
        self.types = {
            kind: np.dtype([(name, self.scalar if word == "s" else order + word) for name, word in row])
            for kind, row in fields.items()
        }
        self.word = np.dtype(f"{order}u4")

    def call(self, entry: str, *arguments: int | str) -> int:
        """Call a routine with words, or the addresses of what texts name."""
        words = (self.machine.address(each) if isinstance(each, str) else each for each in arguments)
        return self.machine.measure(entry, *words, warm=0).result

    def table(self, kind: str, count: int, /, **columns: object) -> np.ndarray:
        """Return records of a kind; the columns not given are 0, filters let everyone pass."""
        rows = np.zeros(count, self.types[kind])
        for name, column in columns.items():
            rows[name] = column
        if "category" in rows.dtype.names and "category" not in columns:
            rows["category"] = rows["mask"] = EVERYONE
        return rows

    def read(self, address: int, kind: str, count: int) -> np.ndarray:
        """Return a copy of records in memory."""
        dtype = self.types.get(kind, self.word)
        return self.machine.mem[address : address + count * dtype.itemsize].copy().view(dtype)

    def objects(self, kind: str, rows: Rows, category: object = EVERYONE, mask: object = EVERYONE) -> np.ndarray:
        """Return objects from their numbers: what stands behind the filter, in order."""
        names = [name for name in self.types[kind].names[2:] if name != "unused"]
        numbers = np.array(rows, np.int64).reshape(-1, len(names))
        return self.table(kind, len(rows), category=category, mask=mask, **dict(zip(names, numbers.T)))

    def compounds(
        self, origins: Rows, lists: Sequence[Rows], category: object = EVERYONE, mask: object = EVERYONE
    ) -> np.ndarray:
        """Write parts into memory and return the objects that are made of them; a list of (x, y, w, h, circle) each."""
        parts = self.objects("shape", [part for each in lists for part in each])
        self.machine.write(PARTS, parts.tobytes())
        counts = [len(each) for each in lists]
        starts = PARTS + parts.itemsize * np.cumsum([0, *counts])[:-1]
        rows = [(x, y, start, count) for (x, y), start, count in zip(origins, starts.tolist(), counts)]
        return self.objects("compound", rows, category, mask)

    def test(self, routine: str, objects: np.ndarray) -> list[int]:
        """Test object 0 with 1, 2 with 3 and so on; return the results."""
        results: list[int] = []
        for start in range(0, len(objects), 2 * AT_ONCE):
            some = objects[start : start + 2 * AT_ONCE]
            places = OBJECTS + some.itemsize * np.arange(len(some))
            pairs = self.table("pair", len(some) // 2, a=places[::2], b=places[1::2], result=SIGN)
            self.machine.write(OBJECTS, some.tobytes())
            self.machine.write(LISTS, pairs.tobytes())
            self.call("TestPairs", LISTS, len(pairs), routine)
            results += self.read(LISTS, "pair", len(pairs))["result"].tolist()
        return results

    def handle(self, routine: str, scenes: Sequence[np.ndarray], room: int = 10**6) -> list[tuple[list, int, int]]:
        """Run the pair loop on scenes; return for each the listed pairs, how many were looked at, how many collide."""
        place, target, table = OBJECTS, FOUND, self.table("scene", len(scenes))
        for row, objects in zip(table, scenes):
            self.machine.write(place, objects.tobytes())
            space = min(room, len(objects) * (len(objects) - 1) // 2)
            named = {"objects": place, "stride": objects.itemsize, "count": len(objects)}
            named |= {"found": target, "room": space}
            for name, value in named.items():
                row[name] = value
            place, target = place + objects.nbytes, target + 8 * space
        assert place <= PARTS and target <= WORK and LISTS + table.nbytes <= OBJECTS
        table["looked_at"] = table["total"] = SIGN
        self.machine.write(LISTS, table.tobytes())
        self.call("HandleScenes", LISTS, len(scenes), routine)
        results = self.read(LISTS, "scene", len(scenes))
        return [
            (self.found(int(row["found"]), min(row["total"], row["room"])), int(row["looked_at"]), int(row["total"]))
            for row in results
        ]

    def found(self, address: int, count: int) -> list[tuple[int, int]]:
        return [(int(a), int(b)) for a, b in self.read(address, "found", count)]

    def check_planes(self, planes: Sequence[tuple[Rows, int]], spaces: Sequence[tuple[int, int, int]]) -> list[tuple]:
        """Find the pairs of planes by blocks.

        planes   boxes (x, y, w, h), and log2 of a block's side
        spaces   columns, rows and handlers that each needs
        Returns  for each: pairs block by block; checks, column after column; columns, rows and handlers
        """
        place, target, work, table = OBJECTS, FOUND, WORK, self.table("plane", len(planes))
        for row, (boxes, log2), (columns, rows, handlers) in zip(table, planes, spaces):
            objects = self.objects("shape", [(*box, 0) for box in boxes])
            self.machine.write(place, objects.tobytes())
            room = len(boxes) * (len(boxes) - 1) // 2
            heads, checks = work, work + 4 * columns * rows
            named = {"boxes": place, "count": len(boxes), "log2_block": log2, "heads": heads, "checks": checks}
            named |= {"handlers": checks + 4 * columns * rows, "found": target, "room": room}
            for name, value in named.items():
                row[name] = value
            place, target, work = place + objects.nbytes, target + 8 * room, named["handlers"] + 8 * handlers
        assert place <= PARTS and target <= WORK and work <= 0x800000 and LISTS + table.nbytes <= OBJECTS
        table["columns"] = table["rows"] = table["used"] = table["total"] = SIGN
        self.machine.write(LISTS, table.tobytes())
        self.call("CheckPlanes", LISTS, len(planes))
        results = []
        for row in self.read(LISTS, "plane", len(planes)):
            checks = self.read(int(row["checks"]), "word", int(row["columns"]) * int(row["rows"]))
            sizes = (int(row["columns"]), int(row["rows"]), int(row["used"]))
            results.append((self.found(int(row["found"]), int(row["total"])), checks.tolist(), sizes))
        return results

    def check_nines(self, scenes: Sequence[Rows]) -> list[tuple[list[int], int]]:
        """Check scenes of 30-pixel squares by nine adjacent sectors; return for each the flags, and the tests made."""
        place, work, target, table = OBJECTS, WORK, FOUND, self.table("nine", len(scenes))
        for row, squares in zip(table, scenes):
            count = len(squares)
            objects = self.table("square", count, x=[x for x, _ in squares], y=[y for _, y in squares])
            self.machine.write(place, objects.tobytes())
            self.machine.write(target, bytes([SIGN]) * count)
            named = {"objects": place, "count": count, "heads": work, "lengths": work + 4 * SECTORS}
            named |= {"gathered": work + 8 * SECTORS, "collided": target}
            for name, value in named.items():
                row[name] = value
            place, work, target = place + objects.nbytes, work + 8 * SECTORS + 4 * count, target + count
        assert place <= PARTS and target <= WORK and work <= 0x800000 and LISTS + table.nbytes <= OBJECTS
        self.machine.write(LISTS, table.tobytes())
        self.call("CheckNines", LISTS, len(scenes))
        results = []
        for row, squares in zip(table, scenes):
            lengths = self.read(int(row["lengths"]), "word", SECTORS).astype(int)
            flags = self.machine.mem[row["collided"] : row["collided"] + len(squares)].tolist()
            results.append((flags, int((lengths * (lengths - 1) // 2).sum())))
        return results

    def turn(self, angles: Sequence[int], x: Sequence[int], y: Sequence[int]) -> list[tuple[int, int, int, int]]:
        """Return sine, cosine and the turned point of each."""
        table = self.table("turn", len(angles), angle=angles, x=x, y=y)
        self.machine.write(LISTS, table.tobytes())
        self.call("TurnPoints", LISTS, len(table))
        return self.read(LISTS, "turn", len(table))[["sine", "cosine", "turned_x", "turned_y"]].tolist()

    def corners(self, rectangles: Rows) -> list[list[tuple[int, int]]]:
        """Return the four corners of each rectangle."""
        objects = self.objects("rectangle", rectangles)
        self.machine.write(OBJECTS, objects.tobytes())
        self.call("ListCorners", OBJECTS, len(objects), FOUND)
        points = self.found(FOUND, 4 * len(objects))
        return [points[i : i + 4] for i in range(0, len(points), 4)]
