"""The oracle of the bitmap method: the colours on a screen, a list of rows, under an image, a list of rows as well."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence


def look(
    frame: Sequence[MutableSequence[int]], image: Sequence[Sequence[int]], x: int, y: int, solid: Sequence[int]
) -> bool:
    """Tell whether the frame shows a solid colour under any opaque pixel of the image."""
    return any(frame[row][column] in solid for row, column, _ in _opaque(frame, image, x, y))


def draw(frame: Sequence[MutableSequence[int]], image: Sequence[Sequence[int]], x: int, y: int) -> None:
    for row, column, colour in _opaque(frame, image, x, y):
        frame[row][column] = colour


def _opaque(frame: Sequence[Sequence[int]], image: Sequence[Sequence[int]], x: int, y: int) -> list[tuple]:
    """Return (row, column, colour) of the opaque pixels that are on the frame."""
    return [
        (row, column, colour)
        for row, line in enumerate(image, y)
        for column, colour in enumerate(line, x)
        if colour and 0 <= row < len(frame) and 0 <= column < len(frame[0])
    ]
