"""Random sprites and pairs of objects for the tests of masks."""

import numpy as np


def random_sprites(rng, count, widest, highest=12):
    """Return images from nearly empty to nearly full, some of the extreme widths, one without any opaque pixel."""
    sprites = []
    for number in range(count):
        wide = (1, widest, int(rng.integers(1, widest + 1)))[min(number % 4, 2)]
        high = int(rng.integers(1, highest + 1))
        opaque = rng.random((high, wide)) < rng.choice([0.03, 0.1, 0.5, 0.95])
        sprites.append((opaque * rng.integers(1, 256, (high, wide))).astype(np.uint8))
    sprites[-1] = np.zeros((highest, widest), np.uint8)
    return sprites


def objects_of(rng, sprites, count):
    """Return shapes and places of pairs of objects: mostly overlapping boxes, touching ones, and ones far apart."""
    shape = rng.integers(0, len(sprites), 2 * count).astype(np.int32)
    wide = np.array([sprite.shape[1] for sprite in sprites])[shape]
    high = np.array([sprite.shape[0] for sprite in sprites])[shape]
    x, y = (rng.integers(-16000, 16000, 2 * count).astype(np.int16) for _ in range(2))
    x[1::2] = x[::2] + rng.integers(-wide[1::2] - 1, wide[::2] + 2)
    y[1::2] = y[::2] + rng.integers(-high[1::2] - 1, high[::2] + 2)
    return shape, x, y, np.arange(2 * count, dtype=np.int32).reshape(-1, 2)
