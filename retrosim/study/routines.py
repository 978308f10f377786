"""The ROM code of the compared methods: one row per method, and how a scene is laid out in simulated memory for it.

A layout writes a scene's forms into a machine and returns the call that makes a frame of it, and what reads the result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from retrosim.collide import masks
from retrosim.collide.kernels.grid import SECTORS
from retrosim.errors import RetrosimError
from retrosim.machine import Machine
from retrosim.machine.presets import preset
from retrosim.rom import Rom, load_rom

from .forms import Forms
from .methods import EVERYONE, LOG2_BLOCK, METHODS, Frame, Method, prepared

LISTS, OBJECTS, FOUND, WORK = 0x200000, 0x300000, 0x400000, 0x500000  # free memory of every ROM
BUILDS = ("O2", "flat")  # the first of these that a ROM has for a processor

# roms/shapes/src/shapes.h, blocks.h and nine.h, roms/masks/src/masks.c, roms/objects/src/objects.h and lists.c; widths
# as NumPy writes them, "s" for a `scalar`
RECORDS = {
    "shape": "category:u2 mask:u2 x:i2 y:i2 wide:i2 high:i2 is_circle:u2 unused:u2",
    "sphere": "category:u2 mask:u2 x:i2 y:i2 z:i2 radius:i2",
    "rectangle": "category:u2 mask:u2 x:i2 y:i2 half_wide:i2 half_high:i2 angle:i2 unused:i2",
    "found": "a:i4 b:i4",
    "scene": "objects:u4 stride:i4 count:i4 found:u4 room:i4 looked_at:i4 total:i4",
    "plane": "boxes:u4 count:i4 log2_block:i4 heads:u4 handlers:u4 checks:u4 found:u4 room:i4 columns:i4 rows:i4 "
    "used:i4 total:i4",
    "sprite": "wide:u2 high:u2",
    "sprites": "a:u4 ax:i2 ay:i2 b:u4 bx:i2 by:i2 collided:u1 unused:u1 unused2:u2",
    "square": "x:s y:s sector_link:u4 link:u4",
    "nine": "objects:u4 count:i4 heads:u4 gathered:u4 lengths:u4 collided:u4",
    "object": "type:i1 active:u1 detection:u1 collided:u1 x:i4 y:i4 first:i2 count:i2",
    "game": "objects:u4 count:i4 shapes:u4 found:u4 total:i4",
    "image": "wide:i2 high:i2",
    "place": "image:u4 x:i2 y:i2 hit:u4",
    "duel": "x:i4 y:i4 move_x:i2 move_y:i2 wide:i2 high:i2 "
    "other_x:i4 other_y:i4 other_move_x:i2 other_move_y:i2 other_wide:i2 other_high:i2 hit:i4",
}


class Unit(Machine):
    """A machine with a ROM whose memory is written and read in records."""

    @property
    def order(self) -> str:
        return "<" if self.image.byte_order == "little" else ">"

    def kind(self, name: str) -> np.dtype:
        """Return the dtype of a record."""
        fields = (each.split(":") for each in RECORDS[name].split())
        scalar = "i4" if self.image.isa == "ppc601" else "i2"
        return np.dtype([(field, self.order + (scalar if width == "s" else width)) for field, width in fields])

    def put(self, name: str, address: int, count: int, /, **columns: object) -> int:
        """Write records, columns not given 0, everyone in every category; return the address behind them."""
        table = np.zeros(count, self.kind(name))
        for column in ("category", "mask"):
            if column in table.dtype.names:
                table[column] = EVERYONE
        for column, values in columns.items():
            table[column] = values
        self.write(address, table.tobytes())
        return address + table.nbytes

    def get(self, name: str, address: int, count: int) -> np.ndarray:
        """Return a copy of records in memory."""
        dtype = self.kind(name)
        return self.mem[address : address + count * dtype.itemsize].copy().view(dtype)

    def found(self, address: int, record: str) -> list[tuple[int, int]]:
        """Return the pairs that a scene or plane lists."""
        row = self.get(record, address, 1)[0]
        return sorted((int(a), int(b)) for a, b in self.get("found", int(row["found"]), int(row["total"])))


Call = tuple[str, tuple[int, ...]]
Layout = Callable[[Unit, Forms, str], tuple[Call, Callable[[], object]]]


@dataclass(frozen=True)
class Routine:
    """ROM code of a method.

    rom     the ROM's name
    entry   the routine that tests two objects, or all of a frame
    layout  lays a scene out for it
    told    makes of the kernel's frame (forms, frame) what the layout's reader returns
    """

    rom: str
    entry: str
    layout: Layout
    told: Callable[[Forms, Frame], object]


def _pairs_told(forms: Forms, frame: Frame) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in forms.scene.pairs[frame.hits() > 0]]


def _flags_told(forms: Forms, frame: Frame) -> list[int]:
    struck = {each for pair in _pairs_told(forms, frame) for each in pair}
    return [int(each in struck) for each in range(forms.count)]


def _hits_told(forms: Forms, frame: Frame) -> list[int]:
    return frame.hits().tolist()


def _result_told(forms: Forms, frame: Frame) -> list:
    return frame.result.tolist()


def _put_shapes(unit: Unit, forms: Forms, is_round: bool) -> None:
    rows = forms.boxes.T
    if is_round:
        rows = forms.scene.x - forms.radius, forms.scene.y - forms.radius, 2 * forms.radius, 2 * forms.radius
    columns = dict(zip(("x", "y", "wide", "high"), rows))
    unit.put("shape", OBJECTS, forms.count, **columns, is_circle=is_round)


def _put_spheres(unit: Unit, forms: Forms) -> None:
    unit.put("sphere", OBJECTS, forms.count, x=forms.scene.x, y=forms.scene.y, radius=forms.radius)


def _put_rectangles(unit: Unit, forms: Forms) -> None:
    x, y, half = forms.scene.x.astype(int) * 32, forms.scene.y.astype(int) * 32, forms.scene.half
    columns = {"half_wide": half[:, 0], "half_high": half[:, 1], "angle": forms.scene.angle}
    unit.put("rectangle", OBJECTS, forms.count, x=x, y=y, **columns)


def _pair_loop(record: str, put: Callable[[Unit, Forms], None]) -> Layout:
    """Lay a scene out for HandleCollision of the ROM `shapes`, document 002's loop over all pairs."""

    def lay_out(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
        put(unit, forms)
        room, stride = len(forms.scene.pairs), unit.kind(record).itemsize
        columns = {"objects": OBJECTS, "stride": stride, "count": forms.count, "found": FOUND, "room": room}
        unit.put("scene", LISTS, 1, **columns)
        return ("HandleCollision", (LISTS, unit.address(entry))), lambda: unit.found(LISTS, "scene")

    return lay_out


def _lay_out_plane(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
    _put_shapes(unit, forms, False)
    columns = {"boxes": OBJECTS, "count": forms.count, "log2_block": LOG2_BLOCK, "heads": WORK}
    blocks = np.prod(((forms.boxes[:, :2] + forms.boxes[:, 2:]).max(axis=0) >> LOG2_BLOCK) + 1)
    columns |= {"handlers": WORK + 4 * int(blocks), "found": FOUND, "room": len(forms.scene.pairs)}
    unit.put("plane", LISTS, 1, **columns)
    return (entry, (LISTS, 1)), lambda: unit.found(LISTS, "plane")


def _lay_out_masks(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
    table, place, places = masks.pack(forms.sprites), OBJECTS, []
    for first, wide, high in zip(table.first, table.wide, table.high):
        places.append(place)
        rows = unit.put("sprite", place, 1, wide=wide, high=high)
        unit.write(rows, table.words[first : first + high].astype(f"{unit.order}u4").tobytes())
        place = rows + 4 * int(high)
    pairs, columns = forms.scene.pairs, {}
    for side, numbers in zip("ab", pairs.T):
        columns[side] = np.array(places)[numbers]
        columns[f"{side}x"], columns[f"{side}y"] = forms.boxes[numbers, :2].T
    unit.put("sprites", LISTS, len(pairs), **columns)
    read = lambda: unit.get("sprites", LISTS, len(pairs))["collided"].tolist()  # noqa: E731
    return ("CollideList", (LISTS, len(pairs), unit.address(entry))), read


def _lay_out_sectors(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
    """Move the objects of the program, which has linked them in its first frame."""
    if unit.frame_number == 0:
        unit.run(frames=1)
    start = unit.address("gObjects")
    links = start + unit.kind("square").itemsize * np.arange(1, forms.count + 1)
    links[-1] = 0
    unit.put("square", start, forms.count, x=forms.squares[:, 0], y=forms.squares[:, 1], link=links)
    flags = unit.address("gCollisionArray")
    return (entry, ()), lambda: unit.mem[flags : flags + forms.count].tolist()


def _lay_out_nine(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
    unit.put("square", OBJECTS, forms.count, x=forms.squares[:, 0], y=forms.squares[:, 1])
    columns = {"objects": OBJECTS, "count": forms.count, "heads": WORK, "gathered": WORK + 4 * SECTORS}
    unit.put("nine", LISTS, 1, **columns, collided=FOUND)
    return (entry, (LISTS,)), lambda: unit.mem[FOUND : FOUND + forms.count].tolist()


def _lay_out_game(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
    """Lay the records out for document 004's loop."""
    records, circles = forms.records
    unit.put("object", OBJECTS, forms.count, **{name: records[name] for name in records.dtype.names})
    unit.write(WORK, circles.astype(f"{unit.order}i2").tobytes())
    unit.put("game", LISTS, 1, objects=OBJECTS, count=forms.count, shapes=WORK, found=FOUND)

    def read() -> list[list[int]]:
        total = int(unit.get("game", LISTS, 1)["total"][0])
        found = [[int(a), int(b)] for a, b in unit.get("found", FOUND, total)]
        return found + [[-1, -1]] * (forms.count // 2 - total)

    return ("CheckScenes", (LISTS, 1, unit.address(entry))), read


def _lay_out_screen(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
    """Empty the screen, which is a program's own work whatever the method, and lay the images out for LookList."""
    place, images = OBJECTS, []
    for sprite in forms.sprites:
        images.append(place)
        pixels = unit.put("image", place, 1, wide=sprite.shape[1], high=sprite.shape[0])
        unit.write(pixels, sprite.tobytes())
        place = pixels + -(-sprite.size // 4) * 4
    unit.frame[:] = 0
    unit.write(WORK, bytes([0, 1]) + bytes(254))  # colour 1 is solid
    unit.put("place", LISTS, forms.count, image=images, x=forms.boxes[:, 0], y=forms.boxes[:, 1])
    read = lambda: unit.get("place", LISTS, forms.count)["hit"].tolist()  # noqa: E731
    return (entry, (LISTS, forms.count, WORK, 1)), read


def _movers(is_round: bool) -> Layout:
    """Lay all pairs of moving objects out for SweepList of the ROM `objects`."""

    def lay_out(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
        scene, pairs = forms.scene, forms.scene.pairs
        rows = np.stack([scene.x, scene.y], axis=1) if is_round else forms.boxes[:, :2]
        sides = np.stack([forms.radius] * 2, axis=1) if is_round else forms.boxes[:, 2:]
        table = np.hstack([rows - scene.move.astype(int), scene.move, sides])
        names, columns = ("x", "y", "move_x", "move_y", "wide", "high"), {}
        for prefix, numbers in zip(("", "other_"), pairs.T):
            columns |= {prefix + name: column for name, column in zip(names, table[numbers].T)}
        unit.put("duel", LISTS, len(pairs), **columns)
        read = lambda: unit.get("duel", LISTS, len(pairs))["hit"].tolist()  # noqa: E731
        return ("SweepList", (LISTS, len(pairs), unit.address(entry))), read

    return lay_out


_shapes = _pair_loop("shape", lambda unit, forms: _put_shapes(unit, forms, False))
_round_shapes = _pair_loop("shape", lambda unit, forms: _put_shapes(unit, forms, True))
_rectangles = _pair_loop("rectangle", _put_rectangles)
ROUTINES = {
    "four-shifts": Routine("sectors", "DetermineCollisions", _lay_out_sectors, _flags_told),
    "nine-sectors": Routine("shapes", "CheckNineSectors", _lay_out_nine, _flags_told),
    "masks": Routine("masks", "CollideDword", _lay_out_masks, _hits_told),
    "boxes": Routine("shapes", "ShapesTouch", _shapes, _pairs_told),
    "boxes-two": Routine("shapes", "ShapesTouchTwo", _shapes, _pairs_told),
    "circles": Routine("shapes", "ShapesTouch", _round_shapes, _pairs_told),
    "blocks": Routine("shapes", "CheckPlanes", _lay_out_plane, _pairs_told),
    "spheres": Routine("shapes", "SpheresMeet", _pair_loop("sphere", _put_spheres), _pairs_told),
    "point-1": Routine("shapes", "PointOne", _rectangles, _pairs_told),
    "point-2": Routine("shapes", "PointTwo", _rectangles, _pairs_told),
    "line-1": Routine("shapes", "LineOne", _rectangles, _pairs_told),
    "objects": Routine("objects", "CirclesMeet", _lay_out_game, _result_told),
    "bitmap": Routine("objects", "LookList", _lay_out_screen, _result_told),
    "swept-boxes": Routine("objects", "BoxesMeetInFrame", _movers(False), _hits_told),
    "swept-circles": Routine("objects", "CirclesMeetInFrame", _movers(True), _hits_told),
}


def build_of(rom: Rom, machine: str) -> str:
    """Return the build to measure on a machine."""
    there = [info.build for info in rom.images if info.isa == preset(machine).isa]
    return next(build for build in BUILDS if build in there)


def measure_method(method: Method, routine: Routine, unit: Unit, scenes: list[Forms]) -> tuple[float, float]:
    """Return clocks and instructions of a frame, the mean over scenes of as many objects each.

    Each frame is laid out and run twice, and the second run counts: code and data are where a program that runs frame
    after frame finds them.
    Errors  RetrosimError  the ROM finds other collisions than the kernel
    """
    cycles = instructions = 0
    for forms in scenes:
        for _ in range(2):
            (symbol, arguments), read = routine.layout(unit, forms, routine.entry)
            cost = unit.measure(symbol, *arguments)
        frame = prepared(method, forms)
        for kernel, given in frame.calls:
            kernel(*given)
        if read() != routine.told(forms, frame):
            raise RetrosimError(f"{unit.name}: {method.name} of the ROM {routine.rom} differs from its kernel")
        cycles += cost.cycles
        instructions += cost.instructions
    return cycles / len(scenes), instructions / len(scenes)


def open_unit(machine: str, rom: Rom, build: str, objects: int, engine: str) -> Unit:
    """Switch on a machine with a ROM."""
    parameters = {"objects": objects} if "objects" in rom.parameters else None
    return Unit(machine, rom, build=build, parameters=parameters, engine=engine)


def roms_of(methods: tuple[Method, ...] = METHODS) -> dict[str, Rom]:
    """Return the ROMs that hold these methods."""
    return {name: load_rom(name) for name in dict.fromkeys(ROUTINES[method.name].rom for method in methods)}
