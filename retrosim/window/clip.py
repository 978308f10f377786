"""Writes moving pictures: GIF and APNG by Pillow, MP4 by FFmpeg. Both come with the extra `retrosim[clips]`.

A picture is shown as long as the simulated machine showed it, so one that is too slow for its program is slow here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from retrosim.errors import RetrosimError
from retrosim.report.files import FORCE, check_free, replacing

MAX_PICTURES = 1200
"""Of a GIF or an APNG: Pillow holds them all, 0.3 to 1 MB each."""
FILM_RATE = 30  # pictures a second of an MP4
REMEDY = "pip install 'retrosim[clips]'"


class Picture(NamedTuple):
    """A picture and how long it is shown.

    pixels, palette  as for `screen.png.png_bytes`
    seconds          of simulated time
    """

    pixels: np.ndarray
    palette: np.ndarray | None
    seconds: Fraction


def check_clip(path: str | Path, pictures: int, *, overwrite: bool = False) -> None:
    """Refuse what `write_clip` could not write, before the work that would fill it.

    pictures  how many there will be at most
    Errors    RetrosimError  unknown ending, no picture or too many, a package missing, or as for `check_free`
    """
    path = Path(path)
    if path.suffix not in _WRITERS:
        raise RetrosimError(f"{path}: a clip is one of {', '.join(_WRITERS)}, by the ending of its name")
    if pictures < 1:
        raise RetrosimError(f"{path}: there is no frame to show")
    if path.suffix != ".mp4" and pictures > MAX_PICTURES:
        raise RetrosimError(
            f"{path}: {pictures:,} pictures, a {path.suffix[1:]} has {MAX_PICTURES:,} at most: "
            "fewer with --every or --frames, or write an .mp4"
        )
    try:
        __import__("imageio_ffmpeg" if path.suffix == ".mp4" else "PIL.Image")
    except ImportError as error:
        raise RetrosimError(f"{path}: {error.name} is not installed: {REMEDY}") from None
    check_free(path, overwrite=overwrite, advice=FORCE)


def write_clip(path: str | Path, pictures: Iterable[Picture], *, overwrite: bool = False) -> int:
    """Write a clip; the file appears when it is complete.

    pictures  one or more, all of one size; taken one after the other
    Returns   how many there were
    Errors    RetrosimError  as for `check_clip`, or the file cannot be written
    """
    path = Path(path)
    check_clip(path, 1, overwrite=overwrite)
    try:
        with replacing(path) as unfinished:
            return _WRITERS[path.suffix](unfinished, iter(pictures))
    except OSError as error:
        raise RetrosimError(f"{path}: cannot be written: {error.strerror or error}") from error


def _images(pictures: Iterator[Picture], seconds: list[Fraction]) -> Iterator[Any]:
    """Yield pictures as Pillow takes them; note how long they are shown."""
    from PIL import Image

    for pixels, palette, shown in pictures:
        image = Image.fromarray(pixels.copy())  # which it does not copy itself
        if palette is not None:
            image.putpalette(palette.tobytes())
        seconds.append(shown)
        yield image


def _steps(seconds: list[Fraction], unit: Fraction) -> list[int]:
    """Return durations in whole units, whose sums stay as near as they can to those of `seconds`."""
    ends = [round(sum(seconds[: count + 1]) / unit) for count in range(len(seconds))]
    return [end - begin for begin, end in zip([0, *ends], ends)]


def _write_animation(path: Path, pictures: Iterator[Picture], kind: str, unit: int, **options: bool) -> int:
    """Write a GIF or an APNG. unit: milliseconds in which it counts."""
    seconds: list[Fraction] = []
    first, *others = _images(pictures, seconds)
    durations = [unit * max(1, step) for step in _steps(seconds, Fraction(unit, 1000))]
    first.save(path, kind, save_all=True, append_images=others, duration=durations, loop=0, **options)
    return len(seconds)


def _write_mp4(path: Path, pictures: Iterator[Picture]) -> int:
    from imageio_ffmpeg import write_frames

    first = next(pictures)
    height, width = first.pixels.shape[:2]
    film = write_frames(str(path), (width, height), fps=FILM_RATE, quality=8, macro_block_size=2)
    film.send(None)
    count, time, written = 0, Fraction(0), 0
    try:
        for pixels, palette, seconds in chain([first], pictures):
            count, time = count + 1, time + seconds
            colours = np.ascontiguousarray(pixels if palette is None else palette[pixels])
            for _ in range(written, max(round(time * FILM_RATE), written + (count == 1))):
                film.send(colours)
                written += 1
    finally:
        film.close()
    return count


_WRITERS: dict[str, Callable[[Path, Iterator[Picture]], int]] = {
    ".gif": partial(_write_animation, kind="GIF", unit=10, optimize=False),
    ".apng": partial(_write_animation, kind="PNG", unit=1),
    ".mp4": _write_mp4,
}
