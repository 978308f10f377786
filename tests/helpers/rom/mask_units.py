"""The ROM `masks` as a test calls it: masks made from bitmaps, lists of pairs tested, on any machine and build."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrosim.machine import Machine, open_machine

REAL = ("CollideDword", "CollideWord", "CollideQword", "CollideParts")
FLAT = ("CollideDword", "CollideParts")
MAX_WIDTH = {"CollideDword": 32, "CollideWord": 32, "CollideQword": 64, "CollideParts": 255}  # pixels
MIN_PARTS = {"CollideQword": 2}
BUILDS = (
    ("i386dx-33", "real"),
    ("i486dx2-66", "real"),
    ("i386dx-33", "flat"),
    ("i486dx2-66", "flat"),
    ("mc68000-8", "O2"),
    ("mc68040-25", "O2"),
    ("ppc601-80", "O2"),
)
VARIANTS = [(*each, name) for each in BUILDS for name in (REAL if each[1] == "real" else FLAT)]

BITMAP, PAIRS, MASKS, END = 0x8000, 0x20000, 0x30000, 0xF0000  # the stack of real mode lies above
AT_ONCE = 3000  # pairs: fewer than 64 KiB

Place = tuple[int, int]


class Unit:
    """One build on one machine."""

    def __init__(self, machine: str, build: str, engine: str = "interpret") -> None:
        self.machine: Machine = open_machine(machine, "masks", build=build, engine=engine, timing="off")
        self.is_real = build == "real"
        self.order = "<" if self.machine.image.byte_order == "little" else ">"
        self.pair = np.dtype(
            [(name, self.order + kind) for name, kind in (("a", "u4"), ("ax", "i2"), ("ay", "i2"))]
            + [(name, self.order + kind) for name, kind in (("b", "u4"), ("bx", "i2"), ("by", "i2"))]
            + [("collided", "u1"), ("unused", "u1", 3)]
        )
        self.free = MASKS

    def pointer(self, address: int) -> int:
        """Return what points to an address: in real mode segment and offset, all code being in segment 0."""
        return (address >> 4) << 16 | address & 15 if self.is_real and address >= BITMAP else address

    def words(self, *arguments: int | str) -> list[int]:
        """Return arguments as the convention has them: numbers, and pointers where a text names what they point to."""
        words = []
        for each in arguments:
            if not isinstance(each, str):
                words.append(each)
                continue
            pointer = self.pointer(self.machine.address(int(each, 16) if each.startswith("0x") else each))
            words += [pointer >> 16, pointer & 0xFFFF] if self.is_real else [pointer]
        return words

    def call(self, entry: str, *arguments: int | str) -> int:
        """Call a routine; return its result: of a function that tells, AL or an int."""
        convention = "pascal" if self.is_real else "c"
        result = self.machine.measure(entry, *self.words(*arguments), warm=0, convention=convention).result
        return result & 0xFF if self.is_real else result

    def make(self, bitmap: bytes, parts: int) -> tuple[int, int]:
        """Let MakeMask make a mask; return its result and the mask's address."""
        assert 0 < len(bitmap) < PAIRS - BITMAP and self.free + 4 + 4 * parts * bitmap[1] <= END
        self.machine.write(BITMAP, bitmap)
        address = self.free
        result = self.call("MakeMask", hex(BITMAP), hex(address), parts)
        self.free += 4 + 4 * parts * bitmap[1]
        return result, address

    def rows(self, address: int, parts: int, height: int) -> np.ndarray:
        """Return the rows of a mask: uint32[parts, height]."""
        raw = self.machine.mem[address + 4 : address + 4 + 4 * parts * height]
        return raw.view(f"{self.order}u4").reshape(parts, height).astype(np.uint32)

    def add(self, sprite: np.ndarray, min_parts: int = 1) -> int:
        """Return the address of a sprite's mask, of at min_parts so many parts."""
        height, width = sprite.shape
        made, address = self.make(bytes((width, height)) + sprite.tobytes(), max(min_parts, -(-width // 32)))
        assert made == 1
        return address

    def collide(self, entry: str, masks: Sequence[int], places: Sequence[Place], pairs: np.ndarray) -> list[int]:
        """Test pairs with CollideList.

        masks, places  address of the mask and upper-left corner of each object
        pairs          int[m, 2], indices of objects
        Returns        what the routine `entry` said of each
        """
        pointers = np.array([self.pointer(address) for address in masks], np.uint32)
        corners, flags = np.array(places, np.int16), []
        for start in range(0, len(pairs), AT_ONCE):
            some = pairs[start : start + AT_ONCE]
            table = np.zeros(len(some), self.pair)
            table["collided"] = 0xEE
            for column, side in zip(some.T, "ab"):
                table[side] = pointers[column]
                table[f"{side}x"], table[f"{side}y"] = corners[column].T
            self.machine.write(PAIRS, table.tobytes())
            self.call("CollideList", hex(PAIRS), len(some), entry)
            flags += self.machine.mem[PAIRS : PAIRS + table.nbytes].view(self.pair)["collided"].tolist()
        return flags
