"""Sprites drawn as text: what is read, what is refused, and the C data made of them."""

from __future__ import annotations

import re
from pathlib import Path

import draw_sprites
import numpy as np
import pytest

from retrosim.collide.kernels.pairs.sectors import MAX_SIDE
from retrosim.collide.masks import make_mask
from retrosim.errors import RomError
from retrosim.rom import load_rom
from retrosim.rom.drawings import DrawingFiles, read_colours, read_pictures
from retrosim.screen.framebuffer import macintosh_palette

PALETTE = [(255, 255, 255), (255, 0, 0), (0, 0, 255), (255, 0, 0)]
COLOURS = "# two\nr FF0000\n\nb 0000FF\n"
DRAWING = "# a hook\n\n.rr\nb..\n# and another one\n...\n..b\n"


@pytest.fixture
def drawn(tmp_path: Path) -> DrawingFiles:
    (tmp_path / "colours.txt").write_text(COLOURS)
    (tmp_path / "hook.txt").write_text(DRAWING)
    return DrawingFiles(tmp_path, "colours.txt", ("hook.txt",))


def test_pictures_are_what_is_drawn(drawn: DrawingFiles) -> None:
    colours = read_colours(drawn, PALETTE)
    assert colours == {"r": 1, "b": 2}
    assert read_pictures(drawn, colours) == {"hook": [(b"\0\1\1", b"\2\0\0"), (b"\0\0\0", b"\0\0\2")]}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("r FF0001", "line 1: 'FF0001' is not a colour of the palette"),
        ("r FFFFFF", "line 1: 'FFFFFF' is not a colour of the palette, or is its index 0"),
        ("r FF0000\nr 0000FF", "line 2: allowed a letter of its own"),
        ("rr FF0000", "line 1: allowed a letter"),
        (". FF0000", "line 1: allowed a letter"),
        ("r", "line 1: allowed a letter"),
        ("\u00e4 FF0000", "is not ASCII"),
    ],
)
def test_wrong_colours(drawn: DrawingFiles, text: str, reason: str) -> None:
    (drawn.folder / drawn.colours).write_text(text)
    with pytest.raises(RomError, match=rf"colours\.txt: {reason}"):
        read_colours(drawn, PALETTE)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "holds no picture"),
        ("# only words\n\n", "holds no picture"),
        (".rx", "line 1: 'x' is not among the colours"),
        ("..\n...", "line 2: 3 pixels, the first row has 2"),
        ("..\n\n..\n..", "pictures of one size"),
        ("r" * 256, r"1\.\.255 pixels on each side"),
        ("r\n" * 256, r"1\.\.255 pixels on each side"),
        ("r\n\n" * 257, r"1\.\.256 pictures"),
        ("r" * 70_000, "is longer than 65536 bytes"),
        ("\u00e4", "is not ASCII"),
    ],
)
def test_wrong_drawings(drawn: DrawingFiles, text: str, reason: str) -> None:
    (drawn.folder / "hook.txt").write_text(text)
    with pytest.raises(RomError, match=rf"hook\.txt: {reason}|hook\.txt: allowed .*{reason}"):
        read_pictures(drawn, {"r": 1, "b": 2})


def test_missing_file(drawn: DrawingFiles) -> None:
    (drawn.folder / "hook.txt").unlink()
    with pytest.raises(RomError, match=r"hook\.txt: no such file"):
        read_pictures(drawn, {})


def test_what_xquest_draws() -> None:
    """Enough shapes of many sizes and colours, none of them too large for the sectors."""
    colours, drawings = draw_sprites.sprites(load_rom("xquest"))
    shapes = {name: pictures for name, pictures in drawings.items() if name != "digits"}
    sizes = {(len(pictures[0][0]), len(pictures[0])) for pictures in shapes.values()}
    assert len(shapes) >= 5 and len(sizes) >= 5
    assert all(8 <= width <= MAX_SIDE and 8 <= height <= MAX_SIDE for width, height in sizes)
    for pictures in shapes.values():
        assert all(len({index for row in picture for index in row} - {0}) >= 3 for picture in pictures)
    assert len(drawings["ship"]) == 4 and len(drawings["digits"]) == 10
    assert 0 not in colours.values() and max(colours.values()) == len(macintosh_palette()) - 1


def table(source: str, name: str) -> list[int]:
    """Return the numbers of an array in C source."""
    body = re.search(rf"{name}\[\] = {{([^}}]*)}}", source)[1]
    return [int(number, 0) for number in body.split(",") if number.strip()]


def test_c_data_are_the_drawings() -> None:
    """Masks are those of `make_mask`; runs put every opaque pixel where it was drawn, and nothing else."""
    rom = load_rom("xquest")
    source = draw_sprites.source(rom)
    for name, pictures in draw_sprites.sprites(rom)[1].items():
        for number, picture in enumerate(pictures):
            image = np.array([list(row) for row in picture], np.uint8)
            assert table(source, f"mask_{name}_{number}") == make_mask(image).tolist()
            runs, copy = iter(table(source, f"runs_{name}_{number}")), np.zeros_like(image)
            for row in copy:
                column = 0
                while (skipped := next(runs), count := next(runs)) != (0, 0):
                    assert count
                    column += skipped
                    row[column : column + count] = [next(runs) for _ in range(count)]
                    column += count
            assert next(runs, None) is None and np.array_equal(copy, image)


def test_the_header_numbers_them() -> None:
    rom = load_rom("xquest")
    header, drawings = draw_sprites.header(rom), draw_sprites.sprites(rom)[1]
    numbers = {name: int(number) for name, number in re.findall(r"(k[A-Z]\w*) = (\d+)", header)}
    expected, first = {}, 0
    for name, pictures in drawings.items():
        expected["k" + name.capitalize()] = first
        first += len(pictures)
    assert {name: number for name, number in numbers.items() if "_" not in name} == expected | {"kPictures": first}


def test_the_tool(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw_sprites.main(["xquest"]) == 0
    assert capsys.readouterr().out == draw_sprites.source(load_rom("xquest"))
    assert draw_sprites.main(["xquest", "--picture", str(tmp_path / "a.png")]) == 0
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    assert draw_sprites.main(["xquest", "--picture", str(tmp_path / "a.png")]) == 1
    assert draw_sprites.main(["sectors"]) == 4
    assert "has no drawings" in capsys.readouterr().err
