import struct
import zlib

import numpy as np
import pytest

from retrosim.errors import RetrosimError
from retrosim.screen.framebuffer import macintosh_palette
from retrosim.screen.png import png_bytes, write_png


def decoded(content):
    """A reader of its own: chunks with checked CRCs, the rows unfiltered (filter 0 only), the palette."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(content):
        (length,) = struct.unpack_from(">I", content, at)
        kind, body = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", content, at + 8 + length)[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        at += 12 + length
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    width, height, depth, colour, packing, filters, interlace = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, colour, packing, filters, interlace) == (8, 3, 0, 0, 0)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    return rows[:, 1:], np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)


@pytest.mark.parametrize("shape", [(480, 640), (1, 1), (3, 257)])
def test_picture_and_palette_come_back(shape):
    pixels = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    found, palette = decoded(png_bytes(pixels, macintosh_palette()))
    assert (found == pixels).all() and (palette == macintosh_palette()).all()


def test_strided_views_are_written_right():
    pixels = np.arange(256, dtype=np.uint8).reshape(16, 16)
    assert (decoded(png_bytes(pixels[::-2, ::3], macintosh_palette()))[0] == pixels[::-2, ::3]).all()


@pytest.mark.parametrize(
    "pixels", [np.zeros((2, 2), int), np.zeros((2, 2, 3), np.uint8), np.zeros((0, 4), np.uint8)], ids=str
)
def test_other_pixels_are_refused(pixels):
    with pytest.raises(ValueError, match=r"allowed uint8\[height, width\]"):
        png_bytes(pixels, macintosh_palette())


def test_colours_come_back_without_a_palette():
    pixels = np.random.default_rng(2).integers(0, 256, (3, 5, 3), dtype=np.uint8)
    content = png_bytes(pixels)
    assert struct.unpack_from(">IIBB", content, 16) == (5, 3, 8, 2) and b"PLTE" not in content
    at = content.index(b"IDAT")
    (length,) = struct.unpack_from(">I", content, at - 4)
    rows = np.frombuffer(zlib.decompress(content[at + 4 : at + 4 + length]), np.uint8).reshape(3, 16)
    assert not rows[:, 0].any() and (rows[:, 1:].reshape(3, 5, 3) == pixels).all()
    with pytest.raises(ValueError, match=r"allowed uint8\[height, width, 3\]"):
        png_bytes(pixels[..., 0])


def test_another_palette_is_refused():
    with pytest.raises(ValueError, match=r"allowed uint8\[256, 3\]"):
        png_bytes(np.zeros((2, 2), np.uint8), np.zeros((16, 3), np.uint8))


def test_never_overwrites_unless_told(tmp_path):
    path, pixels = tmp_path / "shot.png", np.zeros((2, 2), np.uint8)
    path.write_bytes(b"precious")
    with pytest.raises(RetrosimError, match=r"shot\.png: exists already"):
        write_png(path, pixels, macintosh_palette())
    assert path.read_bytes() == b"precious"
    write_png(path, pixels, macintosh_palette(), overwrite=True)
    assert (decoded(path.read_bytes())[0] == pixels).all()
    assert list(tmp_path.iterdir()) == [path], "no part of a file is left"


def test_a_file_that_cannot_be_written_is_one_clear_error(tmp_path):
    with pytest.raises(RetrosimError, match="cannot be written: File name too long"):
        write_png(tmp_path / ("n" * 300 + ".png"), np.zeros((2, 2), np.uint8), macintosh_palette())
