"""The world: its hash, byte by byte, and how two worlds are told apart."""

import hashlib
import struct

import numpy as np
import pytest

from retrosim.machine.world import Difference, World


def test_hash_is_the_documented_digest():
    content = b"count\0" + struct.pack("<Ii", 1, 2) + b"random\0" + struct.pack("<Ii", 1, -2)
    content += b"px\0" + struct.pack("<I2i", 2, -5, 300)
    expected = hashlib.blake2b(content, digest_size=8).hexdigest()
    world = World({"count": [2], "random": [0xFFFFFFFE], "px": np.array([-5, 300], np.int16)})
    assert world.hash() == expected
    assert len(expected) == 16


def test_columns_are_int32_copies():
    source = np.array([1, 2, 3], np.uint8)
    world = World({"a": source, "none": []})
    source[0] = 9
    assert world.columns["a"].dtype == np.int32 and world.columns["a"].tolist() == [1, 2, 3]
    assert world.columns["none"].shape == (0,)
    with pytest.raises(ValueError):
        world.columns["a"][0] = 5


def test_unsigned_words_wrap():
    assert World({"a": [0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]}).columns["a"].tolist() == [2**31 - 1, -(2**31), -1]


def test_order_and_names_belong_to_the_hash():
    hashes = [World(c).hash() for c in ({"a": [1], "b": [1]}, {"b": [1], "a": [1]}, {"ab": [1, 1]}, {"a": [1, 1]}, {})]
    assert len(set(hashes)) == 5


BASE = {"count": [3], "px": [1, 2, 3], "py": [4, 5, 6]}


@pytest.mark.parametrize(
    "change, expected, text",
    [
        ({"count": [4], "px": [9, 9, 9]}, ("count", 0, 3, 4), "count[0]: 3 against 4"),
        ({"px": [1, 2, -3], "py": [0, 0, 0]}, ("px", 2, 3, -3), "px[2]: 3 against -3"),
        ({"py": [4, 5]}, ("py", 2, 6, None), "py[2]: 6 against missing"),
        ({"py": [4, 5, 6, 7]}, ("py", 3, None, 7), "py[3]: missing against 7"),
        ({"vx": [8]}, ("vx", 0, None, 8), "vx[0]: missing against 8"),
    ],
)
def test_first_difference_is_named(change, expected, text):
    ours, theirs = World(BASE), World(BASE | change)
    difference = ours.difference(theirs)
    assert difference == Difference(*expected)
    assert str(difference) == text
    assert ours != theirs
    back = theirs.difference(ours)
    assert (back.column, back.index, back.ours, back.theirs) == (*expected[:2], expected[3], expected[2])


def test_equal_worlds():
    assert World(BASE).difference(World(BASE)) is None
    assert World(BASE) == World(BASE)
    assert World(BASE) != World(dict(reversed(BASE.items())))
    assert World(BASE) != BASE
    assert World({"a": []}) != World({})


@pytest.mark.parametrize(
    "columns, message",
    [
        ({"a": [[1]]}, r"column a has shape \(1, 1\)"),
        ({"a": [1 << 32]}, "column a spans 4294967296..4294967296: allowed -2147483648..4294967295"),
        ({"a": [-(1 << 31) - 1]}, "column a spans -2147483649"),
        ({"h\u00f6he": [1]}, "allowed ASCII names"),
    ],
)
def test_refusals(columns, message):
    with pytest.raises(ValueError, match=message):
        World(columns)
