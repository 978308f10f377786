"""Blocks: every pair once, and as many checks as Rekaby's formula says."""

import numpy as np
import pytest

from retrosim.collide.documents import blocks, boxes
from tests.oracle.blocks import block_members, in_blocks


def scene(rng, count, span=400, largest=150):
    x, y = (rng.integers(0, span, count).astype(np.int16) for _ in range(2))
    return x, y, rng.integers(0, largest, (count, 2))


def agree(x, y, size, block):
    """Check pairs and checks against the oracle, and the pairs against all pairs; return them."""
    table = np.column_stack((x, y, size)).tolist()
    expected, checks = in_blocks(table, block.bit_length() - 1)
    found = blocks.pairs(x, y, size=size, block=block)
    assert [tuple(p) for p in found.tolist()] == expected
    assert np.array_equal(found, boxes.pairs(x, y, size=size))
    tally = blocks.tally_tests(x, y, size=size, block=block)
    assert tally.sum() == checks
    for (column, row), objects in block_members(table, block.bit_length() - 1).items():
        assert tally[column, row] == len(objects) * (len(objects) - 1) // 2
    return found


@pytest.mark.full
@pytest.mark.parametrize("block", [16, 64, 256, 4096])
def test_scenes_at_random(block):
    rng, pairs = np.random.default_rng(block), 0
    for number in range(40):
        x, y, size = scene(rng, int(rng.integers(0, 80)), largest=(150, 20)[number & 1])
        pairs += len(agree(x, y, size, block))
    assert pairs > 1000


def test_a_pair_in_many_blocks_is_reported_once():
    x, y = np.array([10, 20], np.int32), np.array([10, 15], np.int32)
    assert len(agree(x, y, np.full((2, 2), 1000), 16)) == 1
    assert blocks.tally_tests(x, y, size=1000, block=16).sum() > 3000


@pytest.mark.without_jit
def test_touching_across_a_border_of_blocks():
    """The right side reaches into the next block, so that boxes which only touch meet there."""
    for corner in (33, 34, 35):
        x, y = np.array([corner, corner + 30], np.int16), np.array([corner, corner + 30], np.int16)
        assert agree(x, y, np.full((2, 2), 30), 64).tolist() == [[0, 1]]
        x[1] += 1
        assert agree(x, y, np.full((2, 2), 30), 64).tolist() == []


def test_rekabys_numbers_of_checks():
    """Two objects one check, three objects three, a hundred 4950."""
    for count, checks in ((0, 0), (1, 0), (2, 1), (3, 3), (100, 4950)):
        zero = np.zeros(count, np.int16)
        assert blocks.tally_tests(zero, zero, size=30).sum() == checks
        assert len(blocks.pairs(zero, zero, size=30)) == checks


def test_the_edges_of_the_range():
    x = np.array([0, 16383, 16383, 0], np.int16)
    y = np.array([0, 0, 16383, 16383], np.int16)
    assert agree(x, y, np.full((4, 2), 16383), 4096).tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert agree(x, y, np.full((4, 2), 16382), 1024).tolist() == []
    out = np.empty((6, 2), np.int32)
    assert blocks.pairs(x, y, size=16383, block=1024, out=out).base is out


@pytest.mark.parametrize(
    "change, message",
    [
        ({"x": np.array([-1], np.int16)}, r"x\[0\] = -1: allowed 0\.\.16383"),
        ({"y": np.array([16384], np.int16)}, r"y\[0\] = 16384: allowed 0\.\.16383"),
        ({"size": 16384}, r"size 16384: allowed 0\.\.16383"),
        ({"block": 48}, r"block 48: allowed the powers of two 16\.\.4096"),
        ({"block": 8}, r"block 8: allowed 16\.\.4096"),
        ({"block": 64.0}, r"block 64\.0: allowed 16\.\.4096, a whole number"),
    ],
)
def test_refusals(change, message):
    with pytest.raises(ValueError, match=message):
        blocks.pairs(**({"x": np.zeros(1, np.int16), "y": np.zeros(1, np.int16)} | change))
