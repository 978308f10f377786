"""Writes a scene into the memory of a simulated machine, through the description of its ROM."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from retrosim.errors import SceneError
from retrosim.rom import Image, Rom
from retrosim.rom.columns import ONE, WorldColumn
from retrosim.rom.scene import Scene, load_scene, parse_scene


def scene_for(rom: Rom | Image | None, given: Scene | str | Path | None) -> Scene | None:
    """Return the scene that a machine is opened with. Errors: SceneError; ValueError where there is no ROM."""
    if given is None:
        return None
    if not isinstance(rom, Rom):
        raise ValueError("scene: needs a ROM with a manifest")
    if isinstance(given, Scene):
        return parse_scene(given.text, rom, given.path)  # made for this very manifest
    return load_scene(given, rom)


def with_scene(rom: Rom, scene: Scene | None, given: Mapping[str, int] | None) -> dict[str, int]:
    """Return parameters with those that follow from a scene. Errors: ValueError for others than these."""
    asked = dict(given or {})
    if scene is None:
        return asked
    count = asked.get("objects")
    given_by_scene = scene.parameters(rom)
    if count is not None and count != given_by_scene.get("objects", count):
        raise ValueError(f"objects {count}: allowed {given_by_scene['objects']}, those of the scene {scene.path}")
    return given_by_scene | asked


def check_room(scene: Scene, rom: Rom, image: Image) -> None:
    """Check that everything a scene places lies inside its symbol. Errors: SceneError."""
    known = _columns(rom)
    for name, entries in scene.columns().items():
        column, last = known[name], max(entries)
        size = image.symbols[column.symbol].size
        if column.offset + last * column.stride + column.width > size:
            room = (size - column.offset - column.width) // column.stride + 1
            raise SceneError(scene.path, f"object {last}: {column.symbol} of {rom.name} has room for {room}")


def writes_of(scene: Scene, rom: Rom, image: Image, peek: Callable[[int], int]) -> Iterator[tuple[int, bytes]]:
    """Yield (address, bytes) of everything that a scene places.

    peek     the 32-bit word at an address, now
    Errors   SceneError if the program has another number of objects than the scene
    """
    known = _columns(rom)
    for name, entries in scene.columns().items():
        column, symbols = known[name], image.symbols
        if column.count != ONE and (count := peek(symbols[column.count].address)) != scene.objects:
            raise SceneError(scene.path, f"{scene.objects} objects: the program has {count} ({column.count})")
        start = symbols[column.symbol].address + column.offset
        mask = (1 << 8 * column.width) - 1
        for index, value in entries.items():
            yield start + index * column.stride, (value & mask).to_bytes(column.width, image.byte_order)


def _columns(rom: Rom) -> dict[str, WorldColumn]:
    return {column.name: column for column in (*rom.world, *rom.scene.memory)}
