"""Looks for colours and text in an overlay."""

import numpy as np

from retrosim.screen.font import text_mask


def where(overlay, colour):
    return (overlay == np.array(colour, np.uint8)).all(axis=2)


def has_text(overlay, text, colour):
    """Find a line of text anywhere: the mask fits with every dot in that colour and no dot between."""
    mask, image = text_mask(text)[:7], where(overlay, colour)
    windows = np.lib.stride_tricks.sliding_window_view(image, mask.shape)
    first = np.argwhere(windows[:, :, mask].all(axis=2) if mask.sum() < 60 else _candidates(windows, mask))
    return any((windows[y, x] == mask).all() for y, x in first)


def _candidates(windows, mask):
    dots = np.argwhere(mask)[:60]
    found = np.ones(windows.shape[:2], bool)
    for y, x in dots:
        found &= windows[:, :, y, x]
    return found
