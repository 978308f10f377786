"""Shared by all tests: where the conformance vectors are, and memory freed between files."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers import amount

ROOT = Path(__file__).resolve().parent.parent
LONGEST = (  # files that are begun first, so that no process is left with one at the end
    "cpu/m68k/test_lockstep.py",
    "cpu/x86/test_regions.py",
    "roms/test_game_images.py",
    "collide/test_interface.py",
    "machine/test_code_written.py",
    "roms/test_shipped_tapes.py",
    "cpu/x86/test_lockstep.py",
    "collide/test_without_jit.py",
    "cpu/m68k/test_conformance.py",
    "bench/test_kernels.py",
    "machine/test_memory_use.py",
)
LATE = (  # files that use kernels which others compile: two processes would compile them at the same time
    "collide/test_golden.py",
    "machine/test_builds.py",
    "machine/test_native.py",
    "scenarios/test_all.py",
    "scenarios/test_random.py",
    "scenarios/test_shapes.py",
    "study/test_comparison.py",
    "cli/commands/test_warmup.py",
)

QUICK_COMPILER = {"NUMBA_OPT": "1", "NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0"}

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # processes that tests start find compiled modules
sys.dont_write_bytecode = False


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="every test; without it one case of each kind")
    parser.addoption("--times", type=int, default=1, metavar="N", help="--full, with N times as many random inputs")


def pytest_configure(config: pytest.Config) -> None:
    amount.set_amounts(config.getoption("full"), config.getoption("times"))
    if not amount.FULL:  # kernels in half of the time; with --full they are those that users have
        os.environ.update(QUICK_COMPILER)


class Backwards(pytest.Package):
    """A folder of tests, collected from its end.

    Every second process does so: the two compile one half of the files each, and meet in the middle.
    """

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        return list(super().collect())[::-1]


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    is_second = os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579"
    return Backwards.from_parent(parent, path=path) if is_second and (path / "__init__.py").is_file() else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not amount.FULL:
        seen: set[tuple[Path, str]] = set()
        left = {item: None for item in items if in_short_form(item, seen)}
        config.hook.pytest_deselected(items=[item for item in items if item not in left])
        items[:] = list(left)
    tests, others = ROOT / "tests", len(LONGEST)
    order = {name: place for place, name in enumerate(LONGEST)} | dict.fromkeys(LATE, others + 1)
    places = {tests / name: place for name, place in order.items()}
    items.sort(key=lambda item: (places.get(item.path, others), item.path))


def in_short_form(item: pytest.Item, seen: set[tuple[Path, str]]) -> bool:
    """Tell whether a test is one of those without --full; `seen`: functions of which one case is in."""
    if item.get_closest_marker("first_case") is None:
        return item.get_closest_marker("full") is None
    function = item.path, item.name.partition("[")[0]
    is_first = function not in seen
    seen.add(function)
    return is_first


def pytest_collection_finish() -> None:
    free_cycles()


def free_cycles() -> None:
    """Free what nothing holds, and leave the rest alone from then on.

    That is modules and compiled code, which stay to the end: half a million objects, a third of a second each time.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def collected() -> Iterator[None]:
    """Free the memory of a file's machines: 32 MiB and more each, in cycles that the collector seldom looks at."""
    yield
    free_cycles()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with design data beside the project; RETROSIM_SHARED names another."""
    folder = Path(os.environ.get("RETROSIM_SHARED") or ROOT.parent / "shared")
    if not (folder / "conformance").is_dir():
        pytest.skip("no shared/conformance beside the project and RETROSIM_SHARED is not set")
    return folder
