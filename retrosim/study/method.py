"""What the study knows of a method: a row. Each file of `methods` has the rows of one text; a new file joins by itself.

A frame of a method is what a program does once a frame to find all collisions: methods for pairs go over all pairs,
sectors and blocks over their lists; the loop of Jon E P 2007 goes over all pairs in both orders, and what collides
leaves it; the bitmap method looks under each object, on a screen that is empty at first, and draws it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .forms import Forms

if TYPE_CHECKING:
    from .unit import Routine

Of = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Frame:
    """A frame to run, again and again.

    calls   kernels and their arguments
    hits    returns for each pair of the scene whether they find it, uint8[m]
    fresh   makes what a frame begins with as it was before `calls`
    result  array that `calls` write, if that is not about each pair
    """

    calls: list[tuple[Any, tuple]]
    hits: Callable[[], np.ndarray]
    fresh: Callable[[], None] = lambda: None
    result: np.ndarray | None = None

    def run(self) -> None:
        """Run the kernels."""
        for kernel, arguments in self.calls:
            kernel(*arguments)


def as_it_is(array: np.ndarray) -> np.ndarray:
    """Return an array unchanged: the `of` of a frame that compiled kernels run."""
    return array


@dataclass(frozen=True)
class Method:
    """A row of the study.

    name       in options and results
    document   author and year of the text that it is from
    title      what it does
    reference  what is exact for the very forms that it is given
    test       the kernel that tests a pair, or an object; its calls are counted
    prepare    makes a frame of a scene's forms; `of` is applied to all arrays of geometry, to count operations on them
    exact      tells whether two objects collide, by a function of `exact`
    routine    its machine code in a ROM, None without one: then it has no clocks
    is_exact   False if it is known to differ from `exact`, as its text has it
    """

    name: str
    document: str
    title: str
    reference: str
    test: Any
    prepare: Callable[[Forms, Of], Frame]
    exact: Callable[[Forms, int, int], bool]
    routine: Routine | None = None
    is_exact: bool = True

    def frame(self, forms: Forms, of: Of = as_it_is) -> Frame:
        """Return a frame; with the `of` of a Count, one for its `plain` kernels."""
        return self.prepare(forms, of)


def integers(column: np.ndarray, dtype: type = np.int32) -> np.ndarray:
    """Return a column as kernels take it."""
    return np.ascontiguousarray(column, dtype)


def pair_frame(forms: Forms, loop: Any, *before: Any, after: tuple = ()) -> Frame:
    """Return a frame that tests all pairs by a loop with the arguments (*before, pairs, *after, out)."""
    pairs = forms.scene.pairs
    out = np.zeros(len(pairs), np.uint8)
    return Frame([(loop, (*before, pairs, *after, out))], lambda: out)


def pair_rows(forms: Forms, times: int = 1) -> np.ndarray:
    """Return int32[.., 2] with enough rows for all pairs, so many times, and -1 in all of them."""
    return np.full((times * forms.count * (forms.count - 1) // 2, 2), -1, np.int32)


def is_listed(forms: Forms, found: np.ndarray) -> np.ndarray:
    """Return for each pair whether a list has it, uint8[m]; rows below 0 were not filled."""
    table = np.zeros((forms.count, forms.count), np.uint8)
    rows = np.sort(found[found[:, 0] >= 0], axis=1)
    table[rows[:, 0], rows[:, 1]] = 1
    return table[np.triu_indices(forms.count, 1)]
