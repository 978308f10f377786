"""Writes a screen as an indexed 8-bit PNG, where the palette stays a palette, one byte per pixel; or as RGB."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np

from retrosim.report.files import check_free, write_file

INDEXED, TRUECOLOUR = 3, 2  # colour types


def png_bytes(pixels: np.ndarray, palette: np.ndarray | None = None) -> bytes:
    """Return a PNG file's content; equal pictures give equal bytes.

    pixels   uint8[height, width]     palette indices, or without a palette
             uint8[height, width, 3]  red, green, blue; neither side 0
    palette  uint8[256, 3] or None    red, green, blue
    Errors   ValueError               other shapes or dtypes
    Source   PNG specification, second edition: 11.2.2 IHDR, 11.2.3 PLTE, 11.2.4 IDAT
    """
    pixels, depth = np.asarray(pixels), () if palette is not None else (3,)
    if pixels.shape[2:] != depth or pixels.ndim != 2 + len(depth) or pixels.dtype != np.uint8 or not pixels.size:
        wanted = f"uint8[height, width{', 3' if depth else ''}]"
        raise ValueError(f"pixels are {pixels.dtype}{list(pixels.shape)}, allowed {wanted}, neither side 0")
    if palette is not None and (np.shape(palette) != (256, 3) or palette.dtype != np.uint8):
        raise ValueError(f"palette is {palette.dtype}{list(palette.shape)}, allowed uint8[256, 3]")
    height, width = pixels.shape[:2]
    kind = TRUECOLOUR if palette is None else INDEXED
    rows = np.zeros((height, 1 + pixels[0].size), np.uint8)  # each row begins with its filter type, 0 = none
    rows[:, 1:] = pixels.reshape(height, -1)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)),
            b"" if palette is None else _chunk(b"PLTE", palette.tobytes()),
            _chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def write_png(
    path: str | Path, pixels: np.ndarray, palette: np.ndarray | None = None, *, overwrite: bool = False
) -> Path:
    """Write a PNG and return its path; a file that exists stays untouched unless `overwrite` is set.

    pixels, palette  as for `png_bytes`
    Errors           RetrosimError  the file exists, or cannot be written
    """
    path = Path(path)
    content = png_bytes(pixels, palette)
    check_free(path, overwrite=overwrite)
    write_file(path, content, overwrite=overwrite)
    return path
