"""Pixel masks: every variant against the oracle, and the oracle against single pixels."""

import numpy as np
import pytest

from retrosim.collide import masks
from retrosim.collide.kernels.shapes import masks as kernels
from tests.helpers.amount import FULL
from tests.helpers.collide.mask_scenes import objects_of, random_sprites
from tests.oracle import masks as oracle

RANDOM_PAIRS = 100_000 if FULL else 20_000
EXAMPLE = bytes([14, 1, 0, 0, 0, 1, 23, 42, 0, 1, 56, 0, 0, 0, 0, 0])


def check_at_random(seed, widest, methods, count):
    rng = np.random.default_rng(seed)
    sprites = random_sprites(rng, 100, widest)
    shape, x, y, pairs = objects_of(rng, sprites, count)
    images = [sprite.tolist() for sprite in sprites]
    corners = list(zip(x.tolist(), y.tolist()))
    expected = [
        oracle.collide(images[shape[a]], corners[a], images[shape[b]], corners[b]) for a, b in pairs.tolist()
    ]  # fmt: skip
    packed = masks.pack(sprites)
    flags = [int(place is not None) for place in expected]
    for method in methods:
        assert masks.hits(x, y, shape, packed, pairs, method=method).tolist() == flags, method
        mirrored = np.ascontiguousarray(pairs[:, ::-1])
        assert masks.hits(x, y, shape, packed, mirrored, method=method).tolist() == flags, method
    contacts = [[1, *place] if place else [0, 0, 0] for place in expected]
    assert masks.contacts(x, y, shape, packed, pairs).tolist() == contacts
    assert 0.2 * count < sum(flags) < 0.8 * count
    return images, shape, corners, expected


def test_up_to_32_pixels_at_random():
    """The oracle itself is held to single pixels on some of them: a thousand, with --full three."""
    images, shape, corners, expected = check_at_random(1995, 32, masks.METHODS, RANDOM_PAIRS)
    for a in range(0, 6000 if FULL else 2000, 2):
        one, other = (images[shape[a]], corners[a]), (images[shape[a + 1]], corners[a + 1])
        assert oracle.by_pixels(*one, *other) == oracle.by_pixels(*other, *one) == expected[a // 2]


def test_up_to_64_pixels_at_random():
    check_at_random(64, 64, ("any", "qword", "parts"), RANDOM_PAIRS // 5)


def test_wide_sprites_at_random():
    check_at_random(200, 200, ("any", "parts"), RANDOM_PAIRS // 20)


def same(one, at_one, other, at_other):
    """Check all variants that these sprites allow, and both orders, against single pixels; return where they meet."""
    sprites = masks.pack([np.array(one, np.uint8), np.array(other, np.uint8)])
    x, y = (np.array(axis, np.int16) for axis in zip(at_one, at_other))
    shape, expected = np.array([0, 1], np.int32), oracle.by_pixels(one, at_one, other, at_other)
    assert oracle.collide(one, at_one, other, at_other) == expected
    for pair in ([0, 1], [1, 0]):
        pairs = np.array([pair], np.int32)
        for method in masks.METHODS:
            if max(sprites.width) <= masks.MAX_WIDTH[method]:
                found = masks.hits(x, y, shape, sprites, pairs, method=method).tolist()
                assert found == [int(expected is not None)], (method, pair)
        assert masks.contacts(x, y, shape, sprites, pairs).tolist() == [[1, *expected] if expected else [0, 0, 0]]
    rows = oracle.rows(one, at_one, other, at_other)
    assert [tuple(p) for p in masks.contact_rows(x, y, shape, sprites, 0, 1).tolist()] == rows
    return expected


def test_the_example_row():
    assert masks.make_mask(EXAMPLE).tolist() == [0x1D800000] == oracle.make_mask(oracle.read_bitmap(EXAMPLE))
    assert masks.make_mask(EXAMPLE).dtype == np.uint32
    assert masks.make_mask(EXAMPLE).byteswap().tobytes().hex(" ").upper() == "1D 80 00 00"


def test_masks_of_every_width():
    rng = np.random.default_rng(32)
    for width in range(1, 256):
        height = int(rng.integers(1, 5))
        data = bytes([width, height]) + rng.integers(0, 3, width * height).astype(np.uint8).tobytes()
        rows = oracle.make_mask(oracle.read_bitmap(data))
        mask = masks.make_wide_mask(data)
        assert [int("".join(f"{word:032b}" for word in row), 2) for row in mask.tolist()] == rows
        if width <= 32:
            assert masks.make_mask(np.frombuffer(data, np.uint8)).tolist() == rows


def test_topmost_is_leftmost():
    slope = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert same(slope, (10, 10), slope, (11, 11)) == (11, 11)
    assert same(slope, (10, 10), slope, (12, 11)) is None


def test_topmost_is_rightmost():
    """The mirrored case, which Mackey's wording would shift in the wrong direction."""
    slope = [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert same(slope, (11, 10), slope, (10, 11)) == (12, 11)
    assert same(slope, (12, 10), slope, (10, 11)) is None


@pytest.mark.without_jit
@pytest.mark.parametrize("shift", [0, 1, 15, 16, 17, 30, 31])
def test_shifts(shift):
    """Only the last column of the left sprite reaches a shift of 31; 32 is already outside."""
    left = [[0] * shift + [1] + [0] * (31 - shift)]
    assert same(left, (100, 50), [[1]], (100 + shift, 50)) == (100 + shift, 50)
    assert same(left, (100, 50), [[1] * 32], (100 + shift, 50)) == (100 + shift, 50)
    assert same([[1] * 32], (100, 50), [[1]], (100 + shift, 50)) == (100 + shift, 50)
    assert same([[1] * shift + [0] + [1] * (31 - shift)], (100, 50), [[1]], (100 + shift, 50)) is None


def test_a_shift_of_32_is_never_asked_for(monkeypatch):
    """All offsets of two full sprites through the dword loop as plain Python, watching the count."""
    asked = set()

    def is_common_dword(words, left, right, rows, shift):
        asked.add(shift)
        return True

    monkeypatch.setattr(kernels, "is_common_dword", is_common_dword)
    is_common = getattr(kernels.is_common, "py_func", kernels.is_common)
    words, *columns = masks.pack([np.ones((2, 32), np.uint8)])
    sprite = tuple(int(column[0]) for column in columns)
    for dx in range(-70, 71):
        for dy in range(-3, 4):
            assert is_common(words, sprite, sprite, dx, dy, 1) == (abs(dx) < 32 and abs(dy) < 2)
    assert asked == set(range(32))


def test_one_row_overlap():
    top, bottom = [[1, 1]] * 4 + [[0, 1]], [[1, 0]] + [[1, 1]] * 4
    assert same(top, (5, 5), bottom, (5, 9)) is None
    assert same(top, (5, 5), bottom, (6, 9)) == (6, 9)
    assert same(bottom, (6, 9), top, (5, 5)) == (6, 9)


def test_touching_boxes_do_not_collide():
    full = [[1] * 32] * 5
    for dx, dy in ((32, 0), (-32, 0), (0, 5), (0, -5), (32, 5), (-32, 5)):
        assert same(full, (0, 0), full, (dx, dy)) is None
    for dx, dy in ((31, 0), (-31, 0), (0, 4), (0, -4), (31, 4), (-31, 4)):
        assert same(full, (0, 0), full, (dx, dy)) == (max(dx, 0), max(dy, 0))


@pytest.mark.without_jit
@pytest.mark.parametrize("width", [1, 2, 31, 32, 33, 63, 64, 65, 96])
def test_widths_at_the_edges_of_words(width):
    full, ends = [[1] * width], [[1] + [0] * (width - 2) + [1] if width > 1 else [1]]
    for dx in (-width, 1 - width, -1, 0, 1, width - 1, width):
        expected = (max(dx, 0), 0) if abs(dx) < width else None
        assert same(full, (0, 0), full, (dx, 0)) == expected
        same(ends, (0, 0), ends, (dx, 0))
        same(full, (0, 0), ends, (dx, 0))


def test_all_transparent_never_collides():
    nothing, full = [[0] * 20] * 6, [[1] * 20] * 6
    for dx in range(-20, 21, 5):
        assert same(nothing, (0, 0), full, (dx, 2)) is None
        assert same(nothing, (0, 0), nothing, (dx, 2)) is None


def test_contacts_row_by_row():
    comb = [[1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 0, 1]]
    assert same(comb, (0, 0), comb, (0, 0)) == (0, 0)
    sprites, zero = masks.pack([np.array(comb, np.uint8)]), np.zeros(2, np.int16)
    rows = masks.contact_rows(zero, zero, np.zeros(2, np.int32), sprites, 0, 1)
    assert (rows.dtype, rows.tolist()) == (np.int32, [[0, 0], [1, 2]])


@pytest.mark.without_jit
@pytest.mark.parametrize("corner", [(-16384, -16384), (16383, 16383), (-16384, 16383)])
def test_the_edges_of_the_range(corner):
    full = [[1] * 32] * 2
    opposite = (-corner[0] - 1, -corner[1] - 1)
    assert same(full, corner, full, corner) == corner
    assert same(full, corner, full, opposite) is None


def test_out_is_used():
    sprites, shape, zero = masks.pack([EXAMPLE]), np.zeros(2, np.int32), np.zeros(2, np.int16)
    pairs, flags, rows = np.array([[0, 1]], np.int32), np.zeros(1, np.uint8), np.zeros((1, 3), np.int32)
    assert masks.hits(zero, zero, shape, sprites, pairs, out=flags) is flags and flags.tolist() == [1]
    assert masks.contacts(zero, zero, shape, sprites, pairs, out=rows).base is rows and rows.tolist() == [[1, 3, 0]]


@pytest.mark.parametrize(
    "bitmap, message",
    [
        (b"", r"bitmap has 0 bytes: allowed a header of 2, width and height, and the pixels"),
        (b"\x05", "bitmap has 1 bytes"),
        (b"\x00\x05", r"header says 0 x 5 pixels: allowed 1\.\.255 x 1\.\.255"),
        (b"\x05\x00", "header says 5 x 0 pixels"),
        (bytes([3, 2]) + bytes(5), "bitmap of 3 x 2 pixels has 7 bytes: allowed 8"),
        (bytes([3, 2]) + bytes(7), "bitmap of 3 x 2 pixels has 9 bytes: allowed 8"),
        (bytes([33, 1]) + bytes(33), r"sprite is 33 pixels wide: allowed 1\.\.32; make_wide_mask takes wider ones"),
        (np.zeros((1, 33), np.uint8), "make_wide_mask"),
        (np.zeros((0, 3), np.uint8), r"sprite has shape \(0, 3\): allowed 1\.\.16383"),
        (np.zeros((3, 0), np.uint8), r"sprite has shape \(3, 0\)"),
        (np.zeros((3, 3)), "sprite has dtype float64: allowed uint8"),
        (np.zeros((3, 3, 3), np.uint8), r"sprite is uint8\[3, 3, 3\]"),
        ("sprite", "sprite is a str: allowed bytes"),
    ],
)
def test_refused_bitmaps(bitmap, message):
    with pytest.raises(ValueError, match=message):
        masks.make_mask(bitmap)


def test_refused_arguments():
    sprites = masks.pack([np.ones((1, 40), np.uint8)])
    shape, zero, pairs = np.zeros(2, np.int32), np.zeros(2, np.int16), np.array([[0, 1]], np.int32)
    for change, message in (
        ({"method": "dword"}, r"sprite 0 is 40 pixels wide: allowed 1\.\.32 for method 'dword'; 'any' and 'parts'"),
        ({"method": "mmx"}, "method 'mmx': allowed any, dword, qword, word, parts"),
        ({"shape": np.array([0, 1], np.int32)}, r"shape\[1\] = 1: allowed 0\.\.0"),
        ({"shape": np.zeros(2)}, r"shape is float64\[2\]: allowed int32\[2\]"),
        ({"sprites": [EXAMPLE]}, "sprites is a list: allowed what `pack` returns"),
        ({"x": np.array([0, 1 << 31])}, r"x\[1\] = 2147483648: allowed -2147483648\.\.2147483647"),
        ({"pairs": np.array([[0, 2]], np.int32)}, r"pairs\[0, 1\] = 2: allowed 0\.\.1"),
        ({"out": np.zeros(2, np.uint8)}, "out has length 2: allowed 1"),
    ):
        with pytest.raises(ValueError, match=message):
            masks.hits(**({"sprites": sprites, "shape": shape, "x": zero, "y": zero, "pairs": pairs} | change))
    assert len(masks.pack([]).words) == 0
