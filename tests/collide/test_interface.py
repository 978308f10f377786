"""The interface of the library, by introspection: every public function has `out=`, an example, and errors of one line.

Public is what stands in a module of `retrosim.collide` whose name does not begin with an underscore; nothing lists
them. Functions are called with SAMPLES, by the names of their parameters.

By default examples are answered as the first calls of an installation are, where those do not wait for the compiler,
and arguments in files are mapped all at once; --full has the compiled answers and each argument as well.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import retrosim.collide
import retrosim.numeric
from retrosim.collide import _first_calls, convex, documents, masks, workspace
from retrosim.collide.documents import bitmap, objects
from retrosim.collide.scene import Scene
from retrosim.jit import JIT
from tests.helpers.amount import usually

SPRITE = np.array([[0, 1], [1, 1]], np.uint8)
X, Y = np.array([10, 35, 300], np.int16), np.array([10, 12, 300], np.int16)


def game() -> np.ndarray:
    records = np.zeros(3, objects.OBJECT)
    records["type"], records["active"], records["detection"], records["count"] = (1, 2, 3), 1, 2, 1
    return records


POSITIONAL = {
    "x": X, "x0": X, "y": Y, "y0": Y, "x1": X, "y1": Y, "z": Y,
    "move_x": np.array([5, -5, 0], np.int16), "move_y": np.zeros(3, np.int16),
    "half": np.full((3, 2), 400, np.int16), "angle": np.array([0, 37, 256], np.int16),
    "parts": np.array([[0, 0, 30, 30]] * 3, np.int16), "first": np.arange(4, dtype=np.int32),
    "objects": game(), "shapes": np.array([[0, 0, 9, 81]], np.int16),
    "shape": np.zeros(3, np.int32), "sprites": masks.pack([SPRITE]), "images": bitmap.pack([SPRITE]),
    "polygons": convex.pack([[(0, 0), (30, 0), (30, 30), (0, 30)]], radius=2),
    "frame": np.zeros((480, 640), np.uint8), "pairs": np.array([[0, 1], [1, 2]], np.int32), "a": 0, "b": 0,
    "sprite": SPRITE, "circles": np.array([[0, 0, 5], [1, 2, 181]]), "count": 3, "each": 2, "seed": 1,
    "values": [0.5, -3.25], "outlines": [[(0, 0)], [(0, 0), (9, 0), (0, 9)]],
}  # fmt: skip
"""A good argument for each parameter; positional arguments stand in this order."""

OPTIONS = {
    "size": np.full(3, 30), "other": np.full(3, 8), "radius": np.full(3, 15), "circle": np.array([0, 1, 1], bool),
    "category": np.ones(3, np.uint16), "mask": np.ones(3, np.uint16), "workspace": workspace(3), "solid": [1],
}  # fmt: skip
"""The same for options; those that are not here keep their default."""

SAMPLES = POSITIONAL | OPTIONS
EXCEPTIONS: dict[str, dict] = {
    "sectors.collided": {"size": 30},
    "sectors.pairs": {"size": np.full((3, 2), 30)},
    "plane.collided": {"size": 30, "threads": 1},
    "plane.pairs": {"x": X.astype(np.int32), "y": Y.astype(np.int32), "size": 30},
    "batch.collided": {"x": np.stack([X, Y]), "y": np.stack([Y, X]), "size": 30, "starts": None},
    "batch.pairs": {"x": np.stack([X, Y]).astype(np.int32), "y": np.stack([Y, X]).astype(np.int32), "size": 30},
    "masks.pack": {"sprites": [SPRITE]},
    "bitmap.pack": {"sprites": [SPRITE]},
    "masks.hits": {"method": "dword"},
    "convex.pack": {"radius": 3},
    "boxes.hits": {"size": np.full((3, 2), 30, np.int32)},
    "boxes.count_operations": {"method": "two_additions"},
    "rectangles.hits": {"method": "line_1"},
    "rectangles.count_operations": {"method": "point_1"},
    "swept.hits": {"radius": None},
    "swept.pairs": {"size": None},
}
"""Functions that take something else by these names, or are called with one of their options."""


def name_of(function: Callable) -> str:
    return f"{function.__module__.removeprefix('retrosim.collide.').removeprefix('documents.')}.{function.__name__}"


def modules_of(package: ModuleType) -> list[ModuleType]:
    """Return the public modules of a package, without the packages in it."""
    found = [info.name for info in pkgutil.iter_modules(package.__path__) if not info.ispkg and info.name[0] != "_"]
    return [importlib.import_module(f"{package.__name__}.{name}") for name in found]


MODULES = [*modules_of(retrosim.collide), *modules_of(documents)]


def public() -> Iterator[Callable]:
    """Find what the library offers."""
    for module in MODULES:
        for name, value in vars(module).items():
            if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_"):
                yield value


def arguments_of(function: Callable) -> dict[str, object]:
    """Return the arguments of a good call."""
    given = {}
    for name, parameter in inspect.signature(function).parameters.items():
        changed = EXCEPTIONS.get(name_of(function), {})
        if name in changed or name in SAMPLES:
            given[name] = changed.get(name, SAMPLES.get(name))
        else:
            assert parameter.default is not parameter.empty, f"{name_of(function)}: give `{name}` a sample here"
    return given


CALLS = {function: arguments_of(function) for function in public()}
WITHOUT_OUT = {
    "sectors.workspace",  # makes the scratch array that saves others their own
    "world.chunks",  # makes many arrays: test_world.py
}
WITHOUT_OUT |= {"convex.bounds", "masks.bounds"}  # make three arrays, once for a broad phase
MORE_THAN_OUT = {"batch.pairs"}  # returns an array of another length as well: test_batch.py
ARRAYS = {
    function
    for function in CALLS
    if "np.ndarray" in str(inspect.signature(function).return_annotation)
    and name_of(function) not in WITHOUT_OUT | MORE_THAN_OUT
}

OUTS_OF_EACH_KIND = [
    function
    for function in sorted(ARRAYS, key=name_of)
    if name_of(function)
    in (
        "boxes.hits",
        "masks.hits",
        "plane.collided",
        "plane.pairs",
        "rectangles.pairs",
        "sectors.intersect",
        "swept.pairs",
    )
]

of_every_function = pytest.mark.parametrize("function", CALLS, ids=name_of)
of_every_array = pytest.mark.parametrize("function", sorted(ARRAYS, key=name_of), ids=name_of)
of_every_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)


def call(function: Callable, **change: object) -> object:
    """Call with samples, some changed; arrays are copies."""
    given = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in CALLS[function].items()} | change
    positional = [p.name for p in inspect.signature(function).parameters.values() if p.kind is not p.KEYWORD_ONLY]
    arguments = [given.pop(name) for name in positional]
    return function(*arguments, **given)


def test_the_search_finds_functions_and_the_exceptions_are_some_of_them():
    assert len(CALLS) > 30 and {name.split(".")[0] for name in map(name_of, CALLS)} >= {"sectors", "boxes", "swept"}
    assert EXCEPTIONS.keys() | WITHOUT_OUT | MORE_THAN_OUT <= {name_of(function) for function in CALLS}


def test_exported_names_are_public_functions():
    for name in retrosim.collide.__all__:
        assert name == "METHODS" or getattr(retrosim.collide, name) in CALLS


@of_every_module
def test_modules_are_listed_in_the_documentation(module):
    """`help(retrosim.collide)` has a line for each, and the module's own first line says what it does."""
    name = module.__name__.split(".")[-1]
    lines = [line for line in retrosim.collide.__doc__.splitlines() if line.startswith(f"    {name} ")]
    assert len(lines) == 1, f"retrosim/collide/__init__.py: give {name} a line"
    assert module.__doc__.split("\n")[0].endswith((".", ":"))


@of_every_module
def test_kernels_stand_in_their_own_folder(module):
    assert not hasattr(module, "kernel")


@of_every_module
def test_modules_have_a_file_of_tests(module):
    """With at least one that also runs without the compiler."""
    name = module.__name__.split(".")[-1]
    path = Path(__file__).with_name(f"test_{name}.py")
    assert path.exists() and "pytest.mark.without_jit" in path.read_text(), f"{path.name}: mark a test without_jit"


@pytest.mark.first_case
@pytest.mark.without_jit
@pytest.mark.parametrize(
    "module",
    [retrosim.collide, *MODULES, *modules_of(retrosim.numeric)],
    ids=lambda module: module.__name__,
)
@pytest.mark.parametrize("calls", usually(["first"], ["first", "later"]))
def test_examples(module, calls, monkeypatch):
    if calls == "first" and JIT:
        monkeypatch.setattr(_first_calls.COMPILER, "is_done", lambda name, job: False)
    result = doctest.testmod(module, extraglobs={"Scene": Scene})  # whose methods stand in two modules
    assert result.failed == 0
    assert result.attempted > 0 or "collide" not in module.__name__


@of_every_function
def test_signature(function):
    """Coordinates, what is there, pairs; options by keyword, all typed; `out`, None unless given, last."""
    parameters = list(inspect.signature(function).parameters.values())
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    options = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    assert len(positional) + len(options) == len(parameters)
    assert positional == [name for name in POSITIONAL if name in positional], "in the order of POSITIONAL"
    assert not {p.name for p in options} & POSITIONAL.keys()
    assert all(p.annotation is not p.empty for p in parameters)
    assert inspect.signature(function).return_annotation is not inspect.Signature.empty
    has_out = [p.name for p in options][-1:] == ["out"]
    assert has_out == (function in ARRAYS or name_of(function) in MORE_THAN_OUT)
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
    assert function.__name__ in {*examples(function.__module__), *examples("retrosim.collide.documents.sectors")}
    module = importlib.import_module(function.__module__)
    if "Conventions are those of" not in module.__doc__:
        assert "Errors" in module.__doc__ or "Errors" in function.__doc__


def flat(result: object) -> list:
    return [np.asarray(each).tolist() for each in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.full
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


@pytest.mark.parametrize("function", sorted(usually(OUTS_OF_EACH_KIND, ARRAYS), key=name_of), ids=name_of)
def test_wrong_out_is_refused(function):
    right = call(function)
    right = np.array(right) if isinstance(right, tuple) else right
    fixed = np.zeros(right.shape, right.dtype)
    fixed.flags.writeable = False
    wrong = [fixed, right.tolist(), right.astype(float), right[None], right.astype(">i2"), right.astype(bool)]
    wrong += [right[:0], np.repeat(right, 2, axis=-1)[..., ::2], np.zeros((), right.dtype), np.ma.array(right)]
    wrong += [as_strided(right.copy(), right.shape, (0,) * right.ndim), right.astype(object)]
    if right.dtype.itemsize > 1:
        wrong.append(right.astype(right.dtype.newbyteorder()))
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
    if right.dtype.itemsize > 1 and name != "circles":
        wrong.append(right.astype(right.dtype.newbyteorder()))
    wrong += [np.ma.array(right), right.astype(object)]
    if right.dtype.names is None:
        wrong += [right.astype(complex), np.full(right.shape, np.nan), np.full(right.shape, "a")]
    if name not in OPTIONS.keys() - {"workspace"} | {"circles", "sprite"}:
        wrong += [right.tolist(), np.repeat(right, 2, axis=-1)[..., ::2]]  # the others may be numbers, or of any layout
    for each in wrong:
        refused(function, **{name: each})


@pytest.mark.parametrize("function", sorted(usually(OUTS_OF_EACH_KIND[:1], ARRAYS), key=name_of), ids=name_of)
def test_read_only_files(function, tmp_path):
    """Arguments in files that are mapped for reading are arguments like others; as `out` they are refused."""

    def mapped(value):
        if not isinstance(value, np.ndarray) or not value.size:
            return value
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.npy"
        np.save(path, value)
        return np.load(path, mmap_mode="r")

    expected = call(function)
    changed = {"objects", "workspace"} | ({"frame"} if function.__name__ == "draw" else set())
    names = [name for name in CALLS[function] if name not in changed]
    for some in usually([names], [names, *([name] for name in names)]):
        assert flat(call(function, **{name: mapped(CALLS[function][name]) for name in some})) == flat(expected)
    refused(function, out=mapped(np.array(expected) if isinstance(expected, tuple) else expected))


@pytest.mark.parametrize(
    ("function", "name"),
    usually([argument for argument in ARRAY_ARGUMENTS if name_of(argument[0]) == "plane.collided"], ARRAY_ARGUMENTS),
    ids=lambda value: value if isinstance(value, str) else name_of(value),
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
    "closed": [2, -1, None, "yes"], "scale": [0, 3, 1 << 25, 2.5, None], "rounding": ["up", None],
    "rows": [0, 2.5, None],
    "values": [None, "text", [None], [1, [2]], [float("nan")], [1e300], [2**31], [1j], [2**70], [True]],
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
        if function.__name__ != "pack" and name == "sprites":
            continue  # what `pack` returns
        for value in WRONG_OPTIONS[name]:
            with pytest.raises(ValueError, match="allowed") as info:
                call(function, **{name: value})
            assert "\n" not in str(info.value)
