"""One number for all answers of the library: equal everywhere, or something is wrong with a host, a version, or us.

python -m retrosim.collide._golden                 10,000 scenes, compared with the number that is expected
python -m retrosim.collide._golden --scenes 500 --threads 2

The scenes are made of whole numbers by arithmetic that wraps at 64 bits, not by a library's random numbers. Each scene
goes through the calls of `world`, `groups`, `scene`, `contacts`, `convex` and `masks`; the digest is over all that they
return. The exit status is 1 if it is another one than EXPECTED has.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from . import contacts, convex, groups, masks, world
from .scene import Scene

EXPECTED = {
    40: "8fa8257546b2823e876aef26bc3272e1",
    10_000: "2e3a4a3e13f72b8e6491922644e5a815",
}
"""Scenes -> the digest of their answers."""
LARGE, LARGE_COUNT = 25, 600  # every so many scenes one has so many objects
SHAPES = convex.pack(
    [[(0, 0)], [(-9, 2), (9, -2)], [(-8, -6), (10, 0), (-8, 6)], [(-12, -5), (11, -7), (12, 5), (-11, 7)],
     [(14, 0), (4, 13), (-11, 8), (-11, -8), (4, -13)], [(0, 0), (900, 0), (900, 3), (0, 3)]],
    radius=[7, 4, 0, 0, 2, 1],
)  # fmt: skip
SPRITES = masks.pack(
    [((np.arange(w)[None, :] * 5 + np.arange(h)[:, None] * 3) % m == 0).astype(np.uint8)
     for w, h, m in ((1, 1, 1), (8, 8, 2), (31, 7, 3), (33, 20, 4), (70, 40, 7))]
)  # fmt: skip


def random_words(scene: int, column: int, count: int) -> np.ndarray:
    """Return numbers without any pattern, uint64[count]: splitmix64 of scene, column and index."""
    word = np.arange(count, dtype=np.uint64) + np.uint64((scene * 64 + column) << 20)
    word = word * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        word = (word ^ (word >> np.uint64(shift))) * np.uint64(factor)
    return word


def between(scene: int, column: int, count: int, first: int, last: int) -> np.ndarray:
    """Return numbers first..last, int64[count]."""
    return (random_words(scene, column, count) % np.uint64(last - first + 1)).astype(np.int64) + first


def answers(scene: int) -> Iterator[np.ndarray]:
    """Make a scene, and yield what all calls say about it."""
    count = LARGE_COUNT if scene % LARGE == LARGE - 1 else int(between(scene, 0, 1, 0, 24)[0])
    scale = 1 << (scene % 12)
    side = 4 * scale * max(1, round(count**0.5))
    corner = (0, -side // 2, (1 << 31) - 1 - 9 * side, -(1 << 31))[scene % 4]
    x, y = (between(scene, column, count, corner, corner + side) for column in (1, 2))
    size = between(scene, 3, 2 * count, 1, 4 * scale).reshape(count, 2)
    if scene % 5 == 0:
        size[: count // 8] *= 8
    category, mask = (between(scene, column, count, 1, 7) for column in (4, 5))
    given: dict[str, Any] = {"size": size, "closed": scene % 3 == 0}
    if scene % 2:
        given |= {"category": category, "mask": mask}
    yield from (call(x, y, **given) for call in (world.pairs, world.collided, world.counts, world.first))
    half = count // 2
    first, second = (x[:half].copy(), y[:half].copy()), (x[half:].copy(), y[half:].copy())
    sizes: dict[str, Any] = {"size": size[:half].copy(), "other": size[half:].copy(), "closed": scene % 3 == 0}
    yield from (call(*first, *second, **sizes) for call in (groups.pairs, groups.collided, groups.counts, groups.first))
    kept = Scene(closed=scene % 3 == 0)
    kept.add(x, y, size=size, category=category, mask=mask)
    yield from kept.events()
    step = between(scene, 6, 2 * half, -scale, scale).reshape(half, 2)
    kept.move(np.arange(half), *(np.maximum(axis[:half] + step[:, k], -(1 << 31)) for k, axis in enumerate((x, y))))
    kept.remove(np.arange(0, count, 7))
    yield from kept.events()
    yield np.frombuffer(bytes.fromhex(kept.hash()), np.uint8)
    points = [between(scene, column, 6, corner, corner + side) for column in (7, 8, 9, 10)]
    yield from (kept.at_points(*points[:2]), kept.nearest(*points[:2], k=3), kept.in_boxes(*points[:2], size=2 * scale))
    yield kept.in_circles(*points[:2], radius=between(scene, 11, 6, 0, 4 * scale))
    yield from (*kept.on_segments(*points), *kept.cast(*points))
    if count < 2:
        return
    pairs = between(scene, 12, 2 * 12, 0, count - 1).reshape(12, 2).astype(np.int32)
    small = between(scene, 13, count, 0, min(4 * scale, 65535))
    move_x, move_y = (between(scene, c, count, -min(4 * scale, 65535), min(4 * scale, 65535)) for c in (14, 15))
    yield from contacts.boxes(x, y, pairs, size=size)
    yield from contacts.circles(x, y, pairs, radius=small)
    yield from contacts.sweep_boxes(x, y, move_x, move_y, pairs, size=size)
    impacts = contacts.sweep_circles(x, y, move_x, move_y, pairs, radius=small)
    yield impacts.hit
    yield impacts.numerator[impacts.hit > 0]
    near_x, near_y = (between(scene, column, count, corner, corner + 60) for column in (16, 17))
    shape = between(scene, 18, count, 0, len(SHAPES.outlines) - 1).astype(np.int32)
    yield from convex.contacts(near_x, near_y, shape, SHAPES, pairs)
    sprite = between(scene, 19, count, 0, len(SPRITES.first) - 1).astype(np.int32)
    yield masks.contacts(near_x, near_y, sprite, SPRITES, pairs)


def digest_of(scene: int) -> bytes:
    """Return the digest of the answers about one scene, whatever types they have here."""
    digest = hashlib.blake2b(digest_size=16)
    for found in answers(scene):
        digest.update(np.array(found.shape, "<i8").tobytes() + np.ascontiguousarray(found, "<i8").tobytes())
    return digest.digest()


def golden_hash(scenes: int, threads: int = 1) -> str:
    """Return 32 hex digits for so many scenes, asked by one thread or by several."""
    total = hashlib.blake2b(digest_size=16)
    with ThreadPoolExecutor(threads) as pool:
        for each in pool.map(digest_of, range(scenes)) if threads > 1 else map(digest_of, range(scenes)):
            total.update(each)
    return total.hexdigest()


def main(argv: Sequence[str] | None = None) -> int:
    """Run it as a program; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m retrosim.collide._golden", description=__doc__.partition("\n")[0])
    parser.add_argument("--scenes", type=int, default=10_000, metavar="N", help="scenes; default: 10000")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads that ask; default: 1")
    options = parser.parse_args(argv)
    if options.scenes < 1 or not 1 <= options.threads <= 64:
        parser.error("--scenes: allowed 1 or more; --threads: allowed 1..64")
    found, expected = golden_hash(options.scenes, options.threads), EXPECTED.get(options.scenes)
    verdict = "no expected one for this number" if expected is None else "ok" if found == expected else expected
    print(f"{options.scenes} scenes, {options.threads} threads: {found} ({verdict})")
    return int(expected not in (None, found))


if __name__ == "__main__":
    sys.exit(main())
