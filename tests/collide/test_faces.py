"""The face of the library, by introspection: no public function without `out=`, an example, and errors of one line.

CALLS has a good call of each public function; a function that the table has not, or has alone, is refused.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import retrosim.collide
from retrosim.collide import (
    batch,
    bitmap,
    blocks,
    boxes,
    compound,
    masks,
    objects,
    overlap,
    plane,
    rectangles,
    scenes,
    spheres,
    swept,
)
from retrosim.collide import sectors as sectors_module
from retrosim.collide.kernels import grid

INTERNAL = {"arguments", "results"}  # checks and arrays of the others
ALLOCATES = {"workspace"}  # makes the scratch array that spares others their own
X, Y = np.array([10, 35, 300], np.int16), np.array([10, 12, 300], np.int16)
PAIRS = np.array([[0, 1], [1, 2]], np.int32)
SPRITE = np.array([[0, 1], [1, 1]], np.uint8)
SHAPE, MASKS, IMAGES = np.zeros(3, np.int32), masks.pack([SPRITE]), bitmap.pack([SPRITE])
PLACES, COUPLES = {"x": X, "y": Y}, {"x": X, "y": Y, "pairs": PAIRS}
MOVES = {"move_x": np.array([5, -5, 0], np.int16), "move_y": np.zeros(3, np.int16)}
SCENES = {"x": np.stack([X, Y]), "y": np.stack([Y, X])}
PARTS = {"parts": np.array([[0, 0, 30, 30]] * 3, np.int16), "first": np.arange(4, dtype=np.int32)}
TURNED = {"half": np.full((3, 2), 400, np.int16), "angle": np.array([0, 37, 256], np.int16)}
SCREEN = {"shape": SHAPE, "images": IMAGES, "frame": np.zeros((480, 640), np.uint8), "solid": [1]}
LOOK = {"shape": SHAPE, "sprites": MASKS}


def game() -> dict:
    records = np.zeros(3, objects.OBJECT)
    records["type"], records["active"], records["detection"], records["count"] = (1, 2, 3), 1, 2, 1
    return {"objects": records, "shapes": np.array([[0, 0, 9, 81]], np.int16)}


CALLS: dict[Callable, dict] = {
    sectors_module.collided: PLACES | {"size": 30, "workspace": grid.workspace(3)},
    sectors_module.reports: PLACES | {"size": np.full(3, 30)},
    sectors_module.pairs: PLACES | {"size": np.full((3, 2), 30)},
    sectors_module.count_tests: PLACES,
    sectors_module.tally_tests: PLACES,
    batch.collided: SCENES | {"starts": None},
    batch.pairs: SCENES,
    overlap.intersect: {"x0": X, "y0": Y, "x1": X, "y1": Y, "size": 30, "other": np.full(3, 8)},
    grid.workspace: {"count": 3},
    plane.collided: PLACES | {"size": 30, "threads": 1},
    plane.pairs: PLACES | {"size": 30},
    masks.make_mask: {"sprite": SPRITE},
    masks.make_wide_mask: {"sprite": SPRITE},
    masks.pack: {"sprites": [SPRITE]},
    masks.hits: COUPLES | LOOK | {"method": "dword"},
    masks.contacts: COUPLES | LOOK,
    masks.contact_rows: PLACES | LOOK | {"a": 0, "b": 0},
    boxes.hits: COUPLES | {"size": np.full((3, 2), 30, np.int32), "circle": np.array([0, 1, 1], bool)},
    boxes.pairs: PLACES | {"size": 30, "circle": True, "category": np.ones(3, np.uint16), "mask": 1},
    boxes.count_operations: PLACES | {"method": "two_additions"},
    compound.hits: COUPLES | PARTS | {"circle": False},
    compound.pairs: PLACES | PARTS | {"category": 1, "mask": np.ones(3, np.uint16)},
    blocks.pairs: PLACES | {"size": 30, "block": 64},
    blocks.tally_tests: PLACES | {"size": np.full(3, 30)},
    spheres.hits: COUPLES | {"z": Y, "radius": 15},
    spheres.pairs: PLACES | {"z": Y, "radius": np.full(3, 15)},
    rectangles.hits: COUPLES | TURNED | {"method": "line_1"},
    rectangles.pairs: PLACES | TURNED,
    rectangles.count_operations: COUPLES | TURNED | {"method": "point_1"},
    rectangles.corners: PLACES | TURNED,
    objects.make_circles: {"circles": np.array([[0, 0, 5], [1, 2, 181]])},
    objects.check_all: game(),
    bitmap.pack: {"sprites": [SPRITE]},
    bitmap.hits: PLACES | SCREEN,
    bitmap.draw: PLACES | SCREEN,
    swept.hits: COUPLES | MOVES | {"size": np.full(3, 8)},
    swept.pairs: PLACES | MOVES | {"radius": np.full(3, 8)},
    scenes.random_scene: {"count": 3, "seed": 1},
    scenes.even_scene: {"each": 2, "seed": 1},
}
BESIDE = {batch.pairs}  # an array of another length is returned beside `out`: test_batch.py
ARRAYS = {
    function
    for function in CALLS.keys() - BESIDE
    if "np.ndarray" in str(inspect.signature(function).return_annotation) and function.__name__ not in ALLOCATES
}

# positional arguments stand in this order; what is not here is an option, and a keyword
ORDER = (
    "x", "x0", "y", "y0", "x1", "y1", "z", "move_x", "move_y", "half", "angle", "parts", "first", "objects", "shapes",
    "shape", "sprites", "images", "frame", "pairs", "a", "b", "sprite", "circles", "count", "each", "seed",
)  # fmt: skip


def name_of(function: Callable) -> str:
    return f"{function.__module__.removeprefix('retrosim.collide.')}.{function.__name__}"


of_every_function = pytest.mark.parametrize("function", CALLS, ids=name_of)
of_every_array = pytest.mark.parametrize("function", sorted(ARRAYS, key=name_of), ids=name_of)


def public() -> Iterator[Callable]:
    """Find what the package offers: public functions of its modules, but for kernels, oracles and checks."""
    for info in pkgutil.iter_modules(retrosim.collide.__path__):
        if info.name in INTERNAL or info.name.startswith("reference"):
            continue
        module = importlib.import_module(f"retrosim.collide.{info.name}")
        for name, value in vars(module).items():
            if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_"):
                yield value


def call(function: Callable, **change: object) -> object:
    """Call with the arguments of the table, some changed; arrays are copies."""
    given = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in CALLS[function].items()} | change
    positional = [p.name for p in inspect.signature(function).parameters.values() if p.kind is not p.KEYWORD_ONLY]
    places = [given.pop(name) for name in positional]
    return function(*places, **given)


def test_the_table_is_complete():
    assert {name_of(function) for function in public()} == {name_of(function) for function in CALLS}


def test_public_names_are_faces():
    for name in retrosim.collide.__all__:
        assert name == "METHODS" or getattr(retrosim.collide, name) in CALLS


@of_every_function
def test_signature(function):
    """Places, what lies there, pairs; options by keyword, all typed; `out`, None unless given, last."""
    parameters = list(inspect.signature(function).parameters.values())
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    options = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    assert len(positional) + len(options) == len(parameters)
    assert [ORDER.index(name) for name in positional] == sorted(ORDER.index(name) for name in positional)
    assert not {p.name for p in options} & set(ORDER)
    assert all(p.annotation is not p.empty for p in parameters)
    assert inspect.signature(function).return_annotation is not inspect.Signature.empty
    has_out = [p.name for p in options][-1:] == ["out"]
    assert has_out == (function in ARRAYS | BESIDE)
    assert "out" not in [p.name for p in parameters][:-1]
    if has_out:
        assert options[-1].default is None


def examples(module: str) -> Iterator[str]:
    """Return the names that the examples of a module call."""
    for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(module)):
        for example in test.examples:
            for node in ast.walk(ast.parse(example.source)):
                if isinstance(node, ast.Call):
                    yield node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


@of_every_function
def test_documented_with_an_example(function):
    assert function.__doc__ and function.__doc__.split("\n")[0].endswith((".", ":")), "a sentence first"
    assert "Returns" in function.__doc__ or function.__doc__.startswith(("Return ", "Run ", "Put ", "Make "))
    assert function.__name__ in {*examples(function.__module__), *examples("retrosim.collide.sectors")}
    if function.__module__.split(".")[-1] not in ("grid", "compound"):  # whose conventions are those of another
        module = importlib.import_module(function.__module__)
        assert "Errors" in module.__doc__ or "Errors" in function.__doc__


def flat(result: object) -> list:
    return [np.asarray(each).tolist() for each in (result if isinstance(result, tuple) else (result,))]


@of_every_array
def test_out_is_where_the_result_is(function):
    """The same numbers as without it, in the memory that was handed over."""
    expected = call(function)
    stacked = np.array(expected) if isinstance(expected, tuple) else expected
    out = np.full(stacked.shape, 77, stacked.dtype)
    found = call(function, out=out)
    assert flat(found) == flat(expected)
    for each in found if isinstance(found, tuple) else (found,):
        assert np.shares_memory(each, out) and each.size


@of_every_array
def test_wrong_out_is_refused(function):
    right = call(function)
    right = np.array(right) if isinstance(right, tuple) else right
    fixed = np.zeros(right.shape, right.dtype)
    fixed.flags.writeable = False
    wrong = [fixed, right.tolist(), right.astype(float), right[None], right.astype(">i2"), right.astype(bool)]
    wrong += [right[:0], np.repeat(right, 2, axis=-1)[..., ::2], np.zeros((), right.dtype)]
    for out in wrong:
        refused(function, out=out)


def refused(function: Callable, **change: object) -> None:
    """Check that a call is refused by a ValueError of one line that names the argument and what is allowed."""
    (name,) = change
    with pytest.raises(ValueError, match=r"allowed|there are|this scene has") as info:
        call(function, **change)
    message = str(info.value)
    assert "\n" not in message and len(message) < 200
    assert name.removeprefix("move_")[:3].rstrip("s") in message, (name, message)


ARRAY_ARGUMENTS = [
    (function, name)
    for function, given in CALLS.items()
    for name, value in given.items()
    if isinstance(value, np.ndarray)
]


@pytest.mark.parametrize(
    ("function", "name"), ARRAY_ARGUMENTS, ids=[f"{name_of(each)}-{name}" for each, name in ARRAY_ARGUMENTS]
)
def test_wrong_arrays_are_refused(function, name):
    """Other types, shapes and numbers than documented, all that a caller gets wrong."""
    right = CALLS[function][name]
    wrong = ["text", right[None, None], np.array(7, right.dtype), np.zeros((2, 5, 3), right.dtype)]
    if inspect.signature(function).parameters[name].default is not None:
        wrong.append(None)
    if right.dtype.names is None:
        wrong += [right.astype(complex), np.full(right.shape, np.nan), np.full(right.shape, "a")]
    if name not in ("size", "other", "radius", "circle", "category", "mask", "circles", "sprite"):
        wrong += [right.tolist(), np.repeat(right, 2, axis=-1)[..., ::2]]  # these may be numbers, or of any layout
    for each in wrong:
        refused(function, **{name: each})


@pytest.mark.parametrize(
    ("function", "name"), ARRAY_ARGUMENTS, ids=[f"{name_of(each)}-{name}" for each, name in ARRAY_ARGUMENTS]
)
def test_extreme_numbers_are_computed_with_or_refused(function, name):
    """The ends of the word: a result of the right form, or an error of one line; never a crash or another error."""
    right = CALLS[function][name]
    if right.dtype.names is not None:
        pytest.skip("records: test_objects.py has them by field")
    limits = np.iinfo(right.dtype) if right.dtype != bool else np.iinfo(np.uint8)
    for number in {limits.min, max(limits.min, -1), 0, limits.max}:
        try:
            result = call(function, **{name: np.full(right.shape, number, right.dtype)})
        except ValueError as error:
            assert "\n" not in str(error) and "allowed" in str(error)
        else:
            assert result is not None


WRONG_OPTIONS = {
    "size": [None, -1, 1 << 40, 2.5, "30", True], "radius": [None, -1, 1 << 40, 2.5, "30"], "other": [-1, 2.5, "30"],
    "method": ["no such", 3], "abs": ["no such", None], "block": [0, 63, 1 << 40, 2.5], "threads": [0, 3, "two"],
    "category": [-1, 65536, 2.5], "mask": [-1, 65536, "all"], "circle": [2, -1, 1 << 20, 0.5],
    "solid": [[256], [-1], ["red"], [1.5]], "workspace": [5, np.zeros(3, np.uint32), np.zeros(999, np.int32)],
    "count": [-1, 1 << 40, 2.5, "3", None], "each": [0, 1 << 40, 2.5], "seed": [-1, 1 << 32, 1.5],
    "a": [-1, 3, 1 << 40, 0.5], "b": [-1, 3, None], "sprite": [b"", "text", 5, None, np.zeros((2, 2))],
    "sprites": [[b""], [5]], "circles": [[(0, 0, 182)], [(0, 0)], [(1 << 70, 0, 5)], [(0, 0, 5), (1,)], ["abc"], 5],
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_OPTIONS)
def test_wrong_options_are_refused(name):
    """Every function that has the option, every wrong value."""
    having = [function for function in CALLS if name in inspect.signature(function).parameters]
    assert having
    for function in having:
        if function.__module__.endswith("swept") and name in ("size", "radius"):
            continue  # exactly one of them: test_swept.py
        if function is not masks.pack and function is not bitmap.pack and name == "sprites":
            continue  # what `pack` returns
        for value in WRONG_OPTIONS[name]:
            with pytest.raises(ValueError, match="allowed") as info:
                call(function, **{name: value})
            assert "\n" not in str(info.value)
