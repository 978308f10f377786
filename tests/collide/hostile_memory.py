"""Every function of the library with hostile memory, as a program: what crashes is this process and not the tests.

    python -m tests.collide.hostile_memory guards     all arrays between pages that nobody may touch
    python -m tests.collide.hostile_memory SECONDS    all arrays written by another thread meanwhile, so long in all

Several of these are done one after the other.

The functions are those that `test_interface.public` finds; the last line on stdout says which one was running.
"""

from __future__ import annotations

import ctypes
import faulthandler
import mmap
import sys
import time
from collections.abc import Callable, Iterator
from threading import Event, Thread

import numpy as np

from retrosim.collide import workspace

from .test_interface import ARRAYS, CALLS, MORE_THAN_OUT, WITHOUT_OUT, flat, name_of

COUNT = 700  # objects: more than `kernels.small` takes
ANYWHERE = {"x", "y", "z", "x0", "y0", "x1", "y1"}
LISTS = {"pairs", "reports", "check_all"}  # functions that list indices
SWITCH = 1e-5  # seconds until another thread has its turn


def large(function: Callable, count: int = COUNT) -> dict[str, object]:
    """Return the arguments of a good call with so many objects."""
    rng, given = np.random.default_rng(1), {}
    for name, value in CALLS[function].items():
        if name == "first":
            value = np.arange(count + 1, dtype=np.int32)
        elif name == "pairs":
            value = rng.integers(0, count, (count, 2)).astype(np.int32)
        elif name == "workspace" and value is not None:
            value = workspace(count)
        elif name in ANYWHERE:
            value = rng.integers(0, 480, (*value.shape[:-1], count)).astype(value.dtype)
        elif isinstance(value, np.ndarray) and len(value) == 3:
            value = np.resize(value, (count, *value.shape[1:]))
        given[name] = value
    return given


def each_array(value: object, change: Callable[[np.ndarray], np.ndarray]) -> object:
    """Return an argument with its arrays changed: it is one, or a named tuple of some."""
    if isinstance(value, np.ndarray):
        return change(value)
    return type(value)(*map(change, value)) if hasattr(value, "_fields") else value


def out_of(function: Callable, result: object) -> dict[str, np.ndarray]:
    """Return an `out` in which the result has room, if the function has one."""
    if name_of(function) in MORE_THAN_OUT:
        return {"out": result[0].copy()}
    return {"out": np.array(result)} if function in ARRAYS else {}


def guarded(values: np.ndarray, at_end: bool) -> np.ndarray:
    """Return a copy that begins right behind a page that nobody may touch, or ends right before one."""
    size = -(-max(values.nbytes, 1) // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, size + 2 * mmap.PAGESIZE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page in (base, base + mmap.PAGESIZE + size):
        if ctypes.CDLL(None).mprotect(ctypes.c_void_p(page), ctypes.c_size_t(mmap.PAGESIZE), 0):
            raise OSError("mprotect failed")
    offset = mmap.PAGESIZE + (size - values.nbytes if at_end else 0)
    copy = np.frombuffer(memory, values.dtype, values.size, offset).reshape(values.shape)
    copy[...] = values
    return copy


def try_guards(function: Callable) -> None:
    """Compare results between guard pages with those in ordinary memory."""
    expected = function(**{name: each_array(value, np.copy) for name, value in large(function).items()})
    for at_end in (True, False):
        given = large(function) | out_of(function, expected)
        found = function(**{name: each_array(v, lambda a, e=at_end: guarded(a, e)) for name, v in given.items()})
        assert flat(found) == flat(expected) or name_of(function) in WITHOUT_OUT


def alternatives(values: np.ndarray) -> Iterator[np.ndarray]:
    """Find other contents: good numbers at other places, then numbers of any size."""
    rng = np.random.default_rng(2)
    first, last = values.reshape(-1)[:1], values.reshape(-1)[-1:]
    yield from (values, values[::-1], np.broadcast_to(first, values.shape), np.broadcast_to(last, values.shape))
    yield rng.permutation(values)
    yield np.frombuffer(rng.bytes(values.nbytes), values.dtype).reshape(values.shape)


def write(arrays: list[np.ndarray], is_good: bool, done: Event) -> None:
    """Write into arrays until it is done."""
    contents = [[each.copy() for each in alternatives(values)][: 5 if is_good else None] for values in arrays]
    turn = 0
    while not done.is_set():
        for array, choices in zip(arrays, contents):
            array[...] = choices[turn % len(choices)]
        turn += 1


def try_threads(function: Callable, seconds: float) -> int:
    """Call while another thread writes: a result of the right form, or a ValueError of one line. Return the calls."""
    expected = function(**{name: each_array(value, np.copy) for name, value in large(function).items()})
    calls = 0
    for is_good in (True, False):
        given = {name: each_array(v, np.copy) for name, v in (large(function) | out_of(function, expected)).items()}
        arrays = [a for v in given.values() for a in (v if isinstance(v, tuple) else [v]) if isinstance(a, np.ndarray)]
        done = Event()
        thread = Thread(target=write, args=([array for array in arrays if array.size], is_good, done))
        thread.start()
        end = time.perf_counter() + seconds / 2
        without = {name: value for name, value in given.items() if name != "out"}
        try:
            while time.perf_counter() < end:
                for arguments in (given, without):
                    calls += 1
                    try:
                        result = function(**arguments)
                    except ValueError as error:
                        assert "\n" not in str(error) and len(str(error)) < 200, error
                    else:
                        rows = result[0] if isinstance(result, tuple) else result
                        if function.__name__ in LISTS and arguments is without and rows.size:
                            assert rows.min() >= 0 and rows.max() < COUNT
        finally:
            done.set()
            thread.join()
    again = function(**{name: each_array(value, np.copy) for name, value in large(function).items()})
    assert flat(again) == flat(expected) or name_of(function) in WITHOUT_OUT
    return calls


def main(*modes: str) -> None:
    faulthandler.enable()
    sys.setswitchinterval(SWITCH)
    for mode in modes:
        for function in CALLS:
            print(mode, name_of(function), end=" ", flush=True)
            if mode == "guards":
                try_guards(function)
            else:
                print(try_threads(function, float(mode) / len(CALLS)), end=" ", flush=True)
            print("ok", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
