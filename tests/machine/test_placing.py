"""What scenes place in memory: where, and that it fits."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from retrosim.errors import SceneError
from retrosim.machine import placing


def parts(size: int, last: int, count: int = 3) -> tuple[SimpleNamespace, SimpleNamespace, SimpleNamespace]:
    """Return a scene of `count` objects, a ROM whose speeds are every sixth byte from the second on, and its image."""
    column = SimpleNamespace(name="speed", symbol="gSpeeds", offset=2, stride=6, width=2, count="gCount")
    scene = SimpleNamespace(path="a.toml", objects=count, columns=lambda: {"speed": {0: 5, last: -2}})
    rom = SimpleNamespace(name="mine", world=[column], scene=SimpleNamespace(memory=[]))
    symbols = {
        "gSpeeds": SimpleNamespace(address=0x100, size=size),
        "gCount": SimpleNamespace(address=0x80, size=4),
    }
    return scene, rom, SimpleNamespace(symbols=symbols, byte_order="big")


@pytest.mark.parametrize("last, room", [(2, 16), (3, 22)])
def test_what_a_scene_places_lies_in_its_symbol(last: int, room: int) -> None:
    """The last object ends at 2 + 6 * number + 2."""
    placing.check_room(*parts(room, last))
    with pytest.raises(SceneError, match=f"object {last}: gSpeeds of mine has room for {last}$"):
        placing.check_room(*parts(room - 1, last))


def test_what_is_written() -> None:
    assert list(placing.writes_of(*parts(99, 2), {0x80: 3}.__getitem__)) == [(0x102, b"\x00\x05"), (0x10E, b"\xff\xfe")]
    with pytest.raises(SceneError, match=r"3 objects: the program has 4 \(gCount\)$"):
        list(placing.writes_of(*parts(99, 2), {0x80: 4}.__getitem__))
