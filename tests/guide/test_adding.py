"""What the pages on adding show works as it is printed: in a copy of the sources, with tests of its own."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.helpers.pages import GUIDE, ROOT, blocks

KERNEL, TOOLS = GUIDE / "adding-kernel.md", GUIDE / "adding-tools.md"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("retrosim", "tests", "roms"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def block(page: Path, start: str) -> str:
    """Return the only block that begins with something."""
    (found,) = (text for text in blocks(page, "text") if text.startswith(start))
    return found


def replace(file: Path, old: str, new: str) -> None:
    """Put `new` in the place of `old`, which is there once."""
    text = file.read_text()
    assert text.count(old) == 1, f"{file.name}: {old!r} is there {text.count(old)} times"
    file.write_text(text.replace(old, new))


def insert(file: Path, after: str, text: str) -> None:
    replace(file, after, after + text)


def below(file: Path, row: str, text: str) -> None:
    """Insert below the first line that begins with `row`, as far in as that."""
    listed = next(line for line in file.read_text().splitlines(keepends=True) if line.lstrip().startswith(row))
    insert(file, listed, textwrap.indent(textwrap.dedent(text), listed[: -len(listed.lstrip())]))


def judge(checkout: Path, *tests: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


@pytest.mark.full
def test_a_kernel_joins(checkout: Path) -> None:
    for text in blocks(KERNEL, "text"):
        if match := re.match(r"# (\S+\.py)\n", text):
            (checkout / match[1]).write_text(text)
    below(checkout / "retrosim/collide/__init__.py", "spheres ", block(KERNEL, "    diamonds    Example"))
    maps = {
        "collide/kernels/shapes": "spheres ",
        "collide/documents": "spheres ",
        "study/methods": "rekaby",
    }
    for folder, row in maps.items():
        below(checkout / "retrosim" / folder / "__init__.py", row, "diamonds  squares that stand on a corner\n")
    judge(checkout, "tests/collide/test_diamonds.py", "tests/collide/test_oracle.py", "tests/test_layers.py")
    judge(checkout, "tests/collide/test_interface.py", "-k", "diamonds")


@pytest.mark.full
def test_a_format_of_profiles_is_written(checkout: Path) -> None:
    insert(checkout / "retrosim/cost/files.py", "WRITERS = {", '"folded": folded, ')
    replace(checkout / "retrosim/cost/files.py", "\n\nWRITERS", f"\n\n{block(TOOLS, 'def folded')}\n\nWRITERS")
    insert(checkout / "retrosim/cli/profiling.py", "PROFILES = {\n", block(TOOLS, '    "folded"'))
    tests = checkout / "tests/cost/test_files.py"
    replace(tests, "import callgrind, ", "import callgrind, folded, ")
    tests.write_text(f"{tests.read_text()}\n\n{block(TOOLS, 'def test_folded')}")
    judge(checkout, "tests/cost/test_files.py", "-k", "folded")


@pytest.mark.full
def test_an_event_stops_the_debugger(checkout: Path) -> None:
    observer = checkout / "retrosim/debug/observer.py"
    insert(checkout / "retrosim/debug/points.py", "EVENTS = (", '"second", ')
    insert(observer, '        self._event("frame", frame, None)\n', block(TOOLS, "        second ="))
    insert(observer, '        self._registers = b""\n', "        self._second = 0\n")
    beginning = "        self.stop, self._hits, self._frame = None, [], self.machine.frame_number\n"
    insert(observer, beginning, block(TOOLS, "        self._second = now"))
    tests = "tests/machine/test_second.py"
    (checkout / tests).write_text(block(TOOLS, f"# {tests}"))
    judge(checkout, tests)
