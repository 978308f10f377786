"""Kernels that draw random numbers; several scenarios share them.

words  int64[k]  of a scenario, its random state among them
"""

from __future__ import annotations

from retrosim.jit import kernel
from retrosim.numeric.random import advance, rand_scalar, rand_value

from .scenario import RANDOM


@kernel
def random_bits(words, mask):
    """Draw a number and return some of its bits."""
    words[RANDOM] = advance(words[RANDOM])
    return rand_value(words[RANDOM]) & mask


@kernel
def random_below(words, end):
    """Draw a number 0..end-1."""
    words[RANDOM] = advance(words[RANDOM])
    return rand_scalar(end, words[RANDOM])
