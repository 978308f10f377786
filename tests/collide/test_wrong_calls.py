"""Calls with something wrong in them: a ValueError of one line, or the answer that plain copies of the arguments give.

--times N makes N times as many.
"""

import numpy as np
import pytest

from retrosim.collide import convex
from retrosim.collide.scene import Scene
from tests.helpers.amount import amount

from .test_interface import CALLS, WITHOUT_OUT, flat, name_of

COUNT = amount(120, 120)


class Subclass(np.ndarray):
    """Like an array, and not one."""


def scattered(values):
    """Return the same numbers, not side by side in memory."""
    wide = np.zeros((*values.shape, 3), values.dtype)
    wide[..., 1] = values
    return wide[..., 1]


def read_only(values):
    values = values.copy()
    values.flags.writeable = False
    return values


def with_one(number):
    def change(values):
        if values.dtype.kind not in "iuf" or not values.size:
            return values.astype(np.float64) + number
        changed = values.astype(np.float64 if isinstance(number, float) else np.int64)
        changed.reshape(-1)[values.size // 2] = number
        return changed

    return change


OF_ARRAYS = {
    **{f"as {kind}": (lambda v, kind=kind: v.astype(kind)) for kind in "?bBhHiIqQefdFO"},
    "as text": lambda v: v.astype("U"), "in the other order": lambda v: v.astype(v.dtype.newbyteorder()),
    "a list": lambda v: v.tolist(), "a tuple": lambda v: tuple(v.tolist()) if v.ndim else (), "None": lambda v: None,
    "bytes": lambda v: v.tobytes(), "text": lambda v: "wrong", "an object": lambda v: object(), "a dict": lambda v: {},
    "shorter": lambda v: v[:-1], "longer": lambda v: np.concatenate([v, v[-1:]]), "empty": lambda v: v[:0],
    "one number": lambda v: v.reshape(-1)[0], "no dimension": lambda v: np.array(v.reshape(-1)[0]),
    "one more dimension": lambda v: v[None], "a column": lambda v: v[:, None],
    "scattered": scattered, "backwards": lambda v: v[::-1], "turned": lambda v: np.asfortranarray(v.copy().T).T,
    "read-only": read_only, "masked": lambda v: np.ma.masked_array(v, np.zeros(v.shape, bool)),
    "a subclass": lambda v: v.copy().view(Subclass), "a view of bytes": lambda v: memoryview(v.copy()),
    **{f"with {n}": with_one(n) for n in (-1, 0, 1, 1 << 15, -(1 << 31), (1 << 31) - 1, 1 << 31, -(1 << 63))},
    **{f"with {n}": with_one(n) for n in (0.5, np.nan, np.inf, -np.inf)},
}  # fmt: skip
OTHERS = (
    None, True, False, -1, 0, 1, 31, 1 << 15, 1 << 31, -(1 << 31), 1 << 63, 1 << 70, 0.5, float("nan"), float("inf"),
    "", "wrong", b"", [], [1, 2, 3], (), {}, object(), 1j, np.int16(3), np.float64(2), np.bool_(True), np.array(3),
    np.array([]), np.array([[1]]), np.array(["a"]), np.array([None]), range(3), Ellipsis, int, convex.pack([[(0, 0)]]),
)  # fmt: skip
WRITING = {"objects.check_all", "bitmap.draw"}  # change what they are given
SLOW = {("scenes.random_scene", "count"), ("scenes.random_scenes", "count"), ("sectors.workspace", "count")}


def plain(value):
    """Return an argument as a caller would pass it who knows what is wanted: a copy of its own."""
    if isinstance(value, np.ma.MaskedArray) or not isinstance(value, np.ndarray):
        return value
    return np.array(value, order="C", subok=False)


def outcome(function, given):
    """Return what comes out of a call: lists of numbers, or the text of an error."""
    try:
        result = function(**given)
        return flat(list(result) if hasattr(result, "__next__") else result)
    except ValueError as error:
        text = str(error)
        assert text and "\n" not in text and len(text) < 300, text
        return None


def made_wrong(rng, right, names):
    """Return arguments of which one or two of these are wrong, and what was done to them."""
    given, changes = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in right.items()}, []
    for name in rng.permutation(names)[: rng.integers(1, 3)].tolist():
        value = given[name]
        if rng.random() < 0.1:
            given[name], change = given[rng.choice(names)], "another argument"  # aliasing
        elif isinstance(value, np.ndarray) and rng.random() < 0.9:
            change = str(rng.choice(list(OF_ARRAYS)))
            try:
                with np.errstate(all="ignore"):
                    given[name] = OF_ARRAYS[change](value)
            except (TypeError, ValueError, IndexError):
                continue  # this change does not exist for such an array
        else:
            given[name] = OTHERS[rng.integers(len(OTHERS))]
            change = repr(given[name])
        changes.append(f"{name}: {change}")
    return given, changes


def one_call(rng, functions):
    """Make a call wrong, or two of its arguments; return whether it was refused."""
    function = functions[rng.integers(len(functions))]
    names = [name for name in CALLS[function] if (name_of(function), name) not in SLOW]
    given, changes = made_wrong(rng, CALLS[function], names)
    try:
        found = outcome(function, given)
        if found is not None and name_of(function) not in WITHOUT_OUT | WRITING:
            assert found == outcome(function, {name: plain(value) for name, value in given.items()})
    except Exception as error:
        raise AssertionError(
            f"{name_of(function)} with {'; '.join(changes)}: {type(error).__name__}: {error}"
        ) from error
    return found is None


@pytest.mark.filterwarnings("error")
def test_wrong_calls():
    rng, functions = np.random.default_rng(1), list(CALLS)
    refused = sum(one_call(rng, functions) for _ in range(COUNT))
    assert COUNT // 3 < refused < COUNT


def numbers(*values):
    return np.array(values)


X, Y, SIZE = numbers(3, 40, 90), numbers(3, 40, 80), numbers([30, 30], [8, 9], [4, 4])
WORDS = {"category": numbers(1, 2, 3), "mask": numbers(3, 3, 3)}
SEGMENTS = {"x0": X, "y0": Y, "x1": Y[::-1].copy(), "y1": X[::-1].copy()}
OF_SCENES = {
    "add": {"x": X, "y": Y, "size": SIZE, **WORDS}, "move": {"ids": numbers(0, 2, 3), "x": X, "y": Y, "size": SIZE},
    "remove": {"ids": numbers(0, 2, 3)}, "at_points": {"x": X, "y": Y}, "on_segments": SEGMENTS, "cast": SEGMENTS,
    "in_boxes": {"x": X, "y": Y, "size": numbers(10, 20, 30), **WORDS}, "nearest": {"x": X, "y": Y, "k": 2},
    "in_circles": {"x": X, "y": Y, "radius": numbers(10, 20, 30)}, "chunks": {"rows": 2},
}  # fmt: skip
OF_SCENES |= dict.fromkeys(("any_in_boxes", "counts_in_boxes", "first_in_boxes"), OF_SCENES["in_boxes"])


def new_scene():
    scene, places = Scene(), np.arange(0, 60, 10)
    scene.add(places, places, size=numbers(15, 20, 15, 20, 15, 20))
    scene.events()
    return scene


@pytest.mark.filterwarnings("error")
def test_wrong_calls_of_scenes():
    """What is refused leaves the scene as it was."""
    rng, refused = np.random.default_rng(2), 0
    for _ in range(COUNT):
        scene, other, name = new_scene(), new_scene(), str(rng.choice(list(OF_SCENES)))
        given, changes = made_wrong(rng, OF_SCENES[name], list(OF_SCENES[name]))
        try:
            found = outcome(getattr(scene, name), given)
            if found is not None:
                assert found == outcome(getattr(other, name), {word: plain(value) for word, value in given.items()})
            assert scene.hash() == other.hash() and scene.pairs().tolist() == other.pairs().tolist()
        except Exception as error:
            raise AssertionError(f"{name} with {'; '.join(changes)}: {type(error).__name__}: {error}") from error
        refused += found is None
    assert COUNT // 3 < refused < COUNT
