"""The bitmap method against the oracle."""

import numpy as np
import pytest

from retrosim.collide.documents import bitmap
from tests.oracle import bitmap as oracle


def images_of(rng, count):
    return [
        (rng.integers(0, 8, shape) * (rng.random(shape) < 0.6)).astype(np.uint8)
        for shape in rng.integers(1, 14, (count, 2)).tolist()
    ]


@pytest.mark.full
def test_drawing_at_random():
    """Objects on a small frame, many across its borders: flags and every pixel."""
    rng, hits, total = np.random.default_rng(50), 0, 0
    for _ in range(60):
        images, count = images_of(rng, 6), int(rng.integers(0, 40))
        frame = np.zeros((60, 80), np.uint8)
        frame[rng.integers(0, 60, 20), rng.integers(0, 80, 20)] = 9
        expected = frame.tolist()
        shape = rng.integers(0, 6, count).astype(np.int32)
        x, y = rng.integers(-15, 85, count).astype(np.int16), rng.integers(-15, 65, count).astype(np.int16)
        solid = rng.choice(10, 3, replace=False).tolist()
        packed, flags = bitmap.pack(images), []
        placed = list(zip((images[s].tolist() for s in shape), x.tolist(), y.tolist()))
        looked = [int(oracle.look(expected, *each, solid)) for each in placed]
        assert bitmap.hits(x, y, shape, packed, frame, solid=solid).tolist() == looked
        assert frame.tolist() == expected
        for each in placed:
            flags.append(int(oracle.look(expected, *each, solid)))
            oracle.draw(expected, *each)
        assert bitmap.draw(x, y, shape, packed, frame, solid=solid).tolist() == flags
        assert frame.tolist() == expected
        hits, total = hits + sum(flags), total + count
    assert 0.1 * total < hits < 0.9 * total


def test_only_opaque_pixels_look():
    frame = np.zeros((10, 10), np.uint8)
    frame[5, 5] = 3
    ring = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], np.uint8)
    images, shape = bitmap.pack([ring]), np.zeros(1, np.int32)
    for x in range(2, 8):
        for y in range(2, 8):
            found = bitmap.hits(np.array([x], np.int16), np.array([y], np.int16), shape, images, frame, solid=[3])
            assert found[0] == (3 <= x <= 5 and 3 <= y <= 5 and (x, y) != (4, 4))


@pytest.mark.without_jit
@pytest.mark.parametrize("corner", [-16384, -4, -3, 9, 10, 16383])
def test_beyond_the_edges_is_nothing(corner):
    frame = np.full((10, 10), 3, np.uint8)
    images, shape, x = bitmap.pack([np.ones((4, 4), np.uint8)]), np.zeros(1, np.int32), np.array([corner], np.int16)
    expected = [int(-3 <= corner <= 9)]
    for place in ((x, np.zeros_like(x)), (np.zeros_like(x), x), (x, x)):
        assert bitmap.hits(*place, shape, images, frame, solid=[3]).tolist() == expected
        assert bitmap.hits(*place, shape, images, frame, solid=[4]).tolist() == [0]


def test_the_later_one_notices():
    frame, zero = np.zeros((20, 20), np.uint8), np.zeros(2, np.int16)
    images, shape = bitmap.pack([np.full((3, 3), 6, np.uint8)]), np.zeros(2, np.int32)
    out = np.full(2, 9, np.uint8)
    assert bitmap.draw(zero, zero, shape, images, frame, solid=[6], out=out) is out
    assert out.tolist() == [0, 1]


def test_refusals():
    good = {
        "frame": np.zeros((4, 4), np.uint8), "images": bitmap.pack([np.ones((1, 1), np.uint8)]),
        "shape": np.zeros(1, np.int32), "x": np.zeros(1, np.int16), "y": np.zeros(1, np.int16), "solid": [1],
    }  # fmt: skip
    read_only = np.frombuffer(bytes(16), np.uint8).reshape(4, 4)
    for change, message in (
        ({"frame": np.zeros((4, 4))}, r"frame is float64\[4, 4\]: allowed uint8\[h, w\]"),
        ({"frame": good["frame"].T[::2]}, "frame has strides"),
        ({"frame": read_only}, "frame is read-only"),
        ({"images": [1]}, "images is a list: allowed what `pack` returns"),
        ({"shape": np.ones(1, np.int32)}, r"shape\[0\] = 1: allowed 0\.\.0"),
        ({"solid": [256]}, r"solid colour 256: allowed 0\.\.255"),
        ({"x": np.array([16384], np.int16)}, r"x\[0\] = 16384: allowed -16384\.\.16383"),
    ):
        with pytest.raises(ValueError, match=message):
            bitmap.draw(**(good | change))
    assert bitmap.hits(**(good | {"frame": read_only})).tolist() == [0]
