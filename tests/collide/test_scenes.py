"""Scenes of the analysis: the formula of 1994, and an equal number in every sector."""

import numpy as np
import pytest

from retrosim.collide.documents.scenes import even_scene, random_scene
from tests.oracle.scenes import Random, randomize_objects
from tests.oracle.sectors import update_sectors


@pytest.mark.parametrize("seed", [0, 1994, 2**32 - 1])
def test_random_scene_is_the_oracles(seed):
    x, y = random_scene(200, seed)
    assert (x.tolist(), y.tolist()) == randomize_objects(200, Random(seed))


@pytest.mark.without_jit
@pytest.mark.parametrize("each", [1, 3])
def test_even_scene_is_even_in_all_four_grids(each):
    x, y = even_scene(each, 7)
    assert x.min() >= 0 and x.max() <= 639 and y.min() >= 0 and y.max() <= 479
    for xoff, yoff in ((0, 0), (0, 32), (32, 0), (32, 32)):
        lists = update_sectors(x.tolist(), y.tolist(), xoff, yoff)
        counts = [len(objects) for column in lists for objects in column]
        assert sorted(counts) == [0] * 19 + [each] * 80
    assert len(np.unique(x % 64)) > 8


def test_refusals():
    with pytest.raises(ValueError, match=r"count -1: allowed 0\.\.4194304"):
        random_scene(-1, 0)
    with pytest.raises(ValueError, match="seed 4294967296"):
        random_scene(1, 2**32)
    with pytest.raises(ValueError, match="each 0"):
        even_scene(0, 1)
