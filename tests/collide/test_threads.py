"""Memory that is not ours: arrays at the end of what may be touched, arrays that another thread writes, shared arrays.

`hostile_memory` runs as another process, since what is wrong here crashes it. Another thread writes for a
second, three with --full, N times as long with --times N: once as usual and once with all indices of the kernels
checked.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from retrosim.collide import intersect, masks, pairs, plane, workspace
from retrosim.collide.documents import bitmap, objects, sectors, spheres
from tests.helpers.amount import SOAK, amount

from .test_interface import CALLS

ROOT = Path(__file__).parent.parent.parent
SECONDS = str(amount(1, 3))
GUARDS = () if sys.platform == "win32" else ("guards",)  # where there is mprotect


def run(*modes: str, **environment: str) -> None:
    """Run `hostile_memory`; it ends well, and has been through all functions in each mode."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.collide.hostile_memory", *modes],
        env=os.environ | {"MALLOC_PERTURB_": "165"} | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-3000:]
    assert done.stdout.count(" ok\n") == len(modes) * len(CALLS)


@pytest.mark.full
def test_arrays_at_the_end_of_memory_and_arrays_that_another_thread_writes():
    run(*GUARDS, SECONDS)


@pytest.mark.skipif(not SOAK, reason="without --times: compiles all kernels again")
def test_the_same_with_all_indices_checked(tmp_path):
    run(SECONDS, NUMBA_BOUNDSCHECK="1", RETROSIM_HOME=str(tmp_path))


@pytest.mark.without_jit
def test_what_is_listed_is_what_was_checked():
    """Corners that change from one moment to the next: `len` is asked first, and here it moves every object."""

    class Restless(np.ndarray):
        def __len__(self):
            self[...] = -1
            return self.shape[0]

    x = np.zeros(3, np.int32).view(Restless)
    for call in (sectors.collided, plane.pairs, lambda x, y: spheres.pairs(x, y, y, radius=5)):
        x[...] = 0
        try:
            assert call(x, np.zeros(3, np.int32)).tolist() in ([1, 1, 1], [[0, 1], [0, 2], [1, 2]])
        except ValueError as error:
            assert "allowed" in str(error)


def scene(count):
    rng = np.random.default_rng(count)
    return [rng.integers(0, 200, count).astype(np.int32) for _ in range(2)]


@pytest.mark.without_jit
@pytest.mark.parametrize("count", [20, 300])
def test_out_in_the_memory_of_an_argument(count):
    """The right answer all the same: what is read is read before anything is written."""
    x, y = scene(count)
    flags, rows = plane.collided(x, y), plane.pairs(x, y)
    for call in (sectors.collided, plane.collided, lambda *a, **k: sectors.collided(*a, method="four_shifts", **k)):
        here = x.copy()
        assert call(here, y, out=here.view(np.uint8)[:count]).tolist() == flags.tolist()
    for call in (pairs, plane.pairs, lambda *a, **k: pairs(*a, method="half_neighbours", **k)):
        memory = np.zeros((len(rows) + count, 2), np.int32)
        memory.reshape(-1)[:count] = x
        assert call(memory.reshape(-1)[:count], y, out=memory).tolist() == rows.tolist()
    here = x.copy()
    assert intersect(here, y, y, x, out=here.view(np.uint8)[:count]).tolist() == intersect(x, y, y, x).tolist()
    listed = rows.copy()
    expected = spheres.hits(x, y, y, rows, radius=9)
    found = spheres.hits(x, y, y, listed, radius=9, out=listed.reshape(-1).view(np.uint8)[: len(rows)])
    assert found.tolist() == expected.tolist()


@pytest.mark.without_jit
def test_out_in_the_pixels_of_sprites_or_of_the_frame():
    x, y = scene(40)
    shape, frame = np.zeros(40, np.int32), np.zeros((480, 640), np.uint8)
    frame[50:150, 50:150] = 1
    square = np.ones((30, 30), np.uint8)
    images, sprites = bitmap.pack([square]), masks.pack([square])
    close = pairs(x, y)
    expected = bitmap.hits(x, y, shape, images, frame, solid=[1])
    assert bitmap.hits(x, y, shape, images, frame, solid=[1], out=images.pixels[:40]).tolist() == expected.tolist()
    assert 0 < expected.sum() < 40
    images, ground = bitmap.pack([square]), frame.copy()
    for out in (ground[50, 50:90], ground[0, :40]):
        assert bitmap.hits(x, y, shape, images, ground, solid=[1], out=out).tolist() == expected.tolist()
        ground[...] = frame
    expected = masks.hits(x, y, shape, sprites, close[:90])
    out = sprites.words.view(np.uint8)[: len(expected)]
    assert masks.hits(x, y, shape, sprites, close[:90], out=out).tolist() == expected.tolist()


@pytest.mark.without_jit
def test_arrays_that_are_both_written_are_apart():
    frame, x = np.zeros((480, 640), np.uint8), np.zeros(2, np.int32)
    images, shape = bitmap.pack([np.ones((3, 3), np.uint8)]), np.zeros(2, np.int32)
    with pytest.raises(ValueError, match="out shares memory with frame: allowed separate arrays, both are written"):
        bitmap.draw(x, x, shape, images, frame, solid=[1], out=frame[7, :2])
    game = np.zeros(4, objects.OBJECT)
    with pytest.raises(ValueError, match="out shares memory with objects"):
        objects.check_all(game, np.zeros((1, 4), np.int16), out=game.view(np.int32).reshape(-1, 2))
    work = workspace(2)
    rows, flags = work.view(np.int32)[:4].reshape(2, 2), work.view(np.uint8)[:2]
    for method in ("four_shifts", "brute_force"):
        with pytest.raises(ValueError, match="out shares memory with workspace"):
            sectors.reports(x, x, method=method, workspace=work, out=rows)
        with pytest.raises(ValueError, match="out shares memory with workspace"):
            sectors.collided(x, x, method=method, workspace=work, out=flags)
    work = np.zeros(999, np.uint32)
    with pytest.raises(ValueError, match="out shares memory with workspace"):
        sectors.tally_tests(x, x, workspace=work, out=work[:198].view(np.int64).reshape(11, 9))


@pytest.mark.without_jit
@pytest.mark.parametrize("column", ["first", "height", "words_per_row"])
def test_sprites_that_were_changed_are_refused(column):
    x, shape, pair = np.zeros(2, np.int32), np.zeros(2, np.int32), np.array([[0, 1]], np.int32)
    for number in (-1, 1000, 2**31 - 1):
        sprites = masks.pack([np.ones((3, 3), np.uint8)] * 2)
        getattr(sprites, column)[1] = number
        with pytest.raises(ValueError, match="sprite 1 is not in its table: allowed what `pack` returns"):
            masks.hits(x, x, shape, sprites, pair)
    for wrong in (sprites.first[:1], sprites.first.astype(np.int64), [0, 3], None):
        with pytest.raises(ValueError, match="allowed what `pack` returns"):
            masks.contacts(x, x, shape, sprites._replace(**{column: wrong}), pair)
