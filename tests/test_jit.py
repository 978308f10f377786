"""Kernels on disk: which sources their folders are named by, and that only what we wrote is loaded."""

from __future__ import annotations

import ast
import dis
import importlib.util
import os
import pickle
import pkgutil
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType

import pytest
from numba.core.registry import CPUDispatcher, cpu_target

import retrosim
from retrosim import jit
from retrosim.cache import sources
from retrosim.cache.store import open_cache

ENTRY_POINT = "retrosim.__main__"


def modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(retrosim.__path__, "retrosim."):
        if info.name != ENTRY_POINT:
            yield importlib.import_module(info.name)


def globals_of(code: CodeType) -> set[str]:
    """Return the global names that a function reads."""
    return {each.argval for each in dis.get_instructions(code) if each.opname == "LOAD_GLOBAL"}


def imported_from(module: ModuleType) -> dict[str, str]:
    """Return the names that a module imports from the package, and from which of its modules."""
    found = {}
    package = module.__name__ if hasattr(module, "__path__") else module.__name__.rpartition(".")[0]
    for node in ast.walk(ast.parse(Path(module.__file__).read_text())):
        if isinstance(node, ast.ImportFrom):
            source = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            for alias in node.names if source.split(".")[0] == "retrosim" else ():
                whole = f"{source}.{alias.name}"
                found[alias.asname or alias.name] = whole if whole in sys.modules else source
    return found


def is_covered(module: str, kind: str) -> bool:
    """Is the file of a module among the sources that name the folder?"""
    path = Path(importlib.import_module(module).__file__).relative_to(sources.PACKAGE)
    return any(path.is_relative_to(source) for source in sources.SOURCES[kind])


def test_the_sources_that_name_a_folder_are_there() -> None:
    places = {place for names in sources.SOURCES.values() for place in names}
    assert {place for place in places if (sources.PACKAGE / place).exists()} == places


@pytest.mark.full
def test_kernels_come_from_sources_that_name_their_folder() -> None:
    """Numba notices when a kernel's own file has changed, but not where its callees and constants are from."""
    seen = 0
    for module in list(modules()):
        sources = imported_from(module)
        for value in vars(module).values():
            if isinstance(value, CPUDispatcher) and value.py_func.__module__ == module.__name__:
                for name in globals_of(value.py_func.__code__) & sources.keys():
                    assert is_covered(sources[name], "kernels"), f"{module.__name__}: {name}"
                    seen += 1
    assert seen > 200


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("edited", "kinds"),
    [
        ("cli/__init__.py", set()),
        ("table_1994/timing.py", set()),
        ("window/session.py", set()),
        ("machine/machine.py", set()),
        ("collide/documents/boxes.py", {"kernels"}),
        ("cpu/x86/flags.py", {"engines"}),
        ("cpu/spec/rows.py", {"engines", "kernels"}),
        ("errors.py", {"engines", "kernels"}),
    ],
)
def test_an_edit_starts_new_folders_of_what_it_can_reach(
    edited: str, kinds: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "retrosim"
    shutil.copytree(sources.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "*.elf", "*.md"))
    monkeypatch.setattr(sources, "PACKAGE", copy)

    def digests() -> dict[str, str]:
        return {kind: sources.source_digest(*places) for kind, places in sources.SOURCES.items()}

    everything, before = sources.source_digest(), digests()
    with (copy / edited).open("a") as file:
        file.write("# edited\n")
    assert {kind for kind, digest in digests().items() if digest != before[kind]} == kinds
    assert sources.source_digest() != everything


KERNELS = """
import sys
import numpy as np
from retrosim import jit
from retrosim.cache import sources

@jit.kernel
def twice(values, factor):
    for number in range(len(values)):
        values[number] *= factor

def made(factor):
    @jit.kernel
    def times(value):
        return value * factor
    return times

values = np.arange(3)
twice(values, 2)
print(values.tolist(), made(3)(5), made(4)(5), [dict(each.stats.cache_hits) != {} for each in (twice,)])
if "flush" in sys.argv:
    twice.recompile()
    print(len(sources.cached_files()))
"""


def run_kernels(home: Path, *arguments: str) -> list[str]:
    script = home.parent / "kernels.py"
    script.write_text(KERNELS)
    environment = os.environ | {"RETROSIM_HOME": str(home), "PYTHONPATH": str(sources.PACKAGE.parent)}
    command = [sys.executable, str(script), *arguments]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert ran.stderr == ""
    return ran.stdout.splitlines()


@pytest.mark.full
def test_kernels_are_loaded_only_as_they_were_written(tmp_path: Path) -> None:
    """What is in a file's place is executed if it is a pickle that is opened: it is not opened."""
    home = tmp_path / "home"
    assert run_kernels(home) == ["[0, 2, 4] 15 20 [False]"]
    files = sorted((home / "cache").rglob("*.kernel"))
    assert len(files) == 3  # a closure is another kernel for each value of its variables
    planted = f"cos\nsystem\n(S'touch {tmp_path / 'planted'}'\ntR."  # a pickle
    for file in files:
        file.write_bytes(planted.encode())
    assert run_kernels(home) == ["[0, 2, 4] 15 20 [False]"]
    assert run_kernels(home, "flush") == ["[0, 2, 4] 15 20 [True]", "3"]
    assert not (tmp_path / "planted").exists()


def test_code_of_another_optimization_has_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    cache, codegen = jit.KernelCache(globals_of, "Python"), cpu_target.target_context.codegen()
    names = {cache._name((), codegen)}
    for option, value in (("OPT", 0), ("LOOP_VECTORIZE", "another"), ("SLP_VECTORIZE", "another")):
        with monkeypatch.context() as patch:
            patch.setattr(jit.numba_config, option, value)
            names.add(cache._name((), codegen))
    assert len(names) == 4 and "" not in names


def test_code_that_numba_cannot_load_is_compiled_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Sealed by us, but no compiled code: as of a Numba that differs without telling."""
    store = open_cache(tmp_path / "cache").store("kernels", "0123456789abcdef")
    monkeypatch.setattr(jit, "STORES", {"kernels": store})

    def add(a, b):
        return a + b

    assert jit.kernel(add)(1, 2) == 3
    (name,) = store.names()
    for content in (b"no pickle", pickle.dumps((1, 2, 3))):
        store.write(name, content)
        again = jit.kernel(add)
        assert again(1, 2) == 3 and not again.stats.cache_hits
    again = jit.kernel(add)
    assert again(1, 2) == 3 and again.stats.cache_hits
