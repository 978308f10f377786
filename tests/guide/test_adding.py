"""What the pages on adding show works as it is printed: in a copy of the sources, with tests of its own."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.helpers.pages import GUIDE, ROOT, blocks

PAGE, KERNEL, TOOLS = GUIDE / "adding.md", GUIDE / "adding-kernel.md", GUIDE / "adding-tools.md"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("retrosim", "tests", "tools", "roms"):
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


def test_the_instruction_of_the_page_is_there() -> None:
    rows = (ROOT / "retrosim/cpu/m68k/flow.py").read_text()
    assert block(PAGE, '@insn(\n    "BKPT') in rows
    assert block(PAGE, '    "bkpt #5"') in (ROOT / "tests/cpu/m68k/test_exceptions.py").read_text()
    assert block(PAGE, "BKPT ") in (ROOT / "retrosim/cpu/m68k/meanings.txt").read_text()


@pytest.mark.full
def test_a_parameter_reaches_the_kernels(checkout: Path) -> None:
    """Without compilers: the images stay as they are, only the native machine is asked."""
    (table,) = (text for text in blocks(PAGE, "toml") if text.startswith("[parameters.hits]"))
    replace(checkout / "roms/tanks/rom.toml", "\n[constants]\n", f"\n{table}\n[constants]\n")
    scenario = checkout / "retrosim/scenarios/tanks/scenario.py"
    below(scenario, 'mark = b"RS_TANKS"', block(PAGE, "    takes ="))
    reads = next(line for line in scenario.read_text().splitlines(keepends=True) if "self._seed = " in line)
    replace(scenario, reads, block(PAGE, "        objects, self._seed, self._hits"))
    starts = block(PAGE, "        rules.start(")
    replace(scenario, starts.splitlines(keepends=True)[0], starts)
    judge(checkout, "tests/scenarios/test_all.py", "-k", "tanks")
    worlds = []
    for hits in (0, 41):
        command = f"-m retrosim run tanks --machine native --set hits={hits} --frames 1 --headless --json".split()
        done = subprocess.run([sys.executable, *command], cwd=checkout, capture_output=True, text=True, check=True)
        worlds.append(json.loads(done.stdout)["world"])
    assert worlds[0] != worlds[1]


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
    study = "from retrosim.study.comparison import compare_methods; print(compare_methods([], ['diamonds'], scenes=1))"
    done = subprocess.run([sys.executable, "-c", study], cwd=checkout, capture_output=True, text=True)
    assert "stated=Errors(false_positives=0, false_negatives=0)" in done.stdout, done.stdout + done.stderr


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
def test_a_format_of_program_files_is_loaded(checkout: Path) -> None:
    formats, module = checkout / "retrosim/rom/formats", "# retrosim/rom/formats/human68k.py"
    below(formats / "registry.py", 'Format("Atari executable"', block(TOOLS, '    Format("X68000'))
    replace(formats / "registry.py", "import dos, elf, hunk,", "import dos, elf, human68k, hunk,")
    (formats / "human68k.py").write_text(block(TOOLS, module))
    below(formats / "__init__.py", "hunk ", "human68k     X68000 executables (.X)\n")
    below(checkout / "retrosim/guide/programs.md", "| Atari executable", block(TOOLS, "| X68000"))
    files, damaged, commands = (
        checkout / "tests" / name
        for name in ("helpers/rom/program_files.py", "rom/test_formats_damaged.py", "cli/test_formats.py")
    )
    files.write_text(f"{files.read_text()}\n\n{block(TOOLS, 'def x_program')}")
    for test in (damaged, commands):
        replace(test, "prg_program\n", "prg_program, x_program\n")
    below(damaged, '"count.exe"', block(TOOLS, '    "count.x"'))
    commands.write_text(f"{commands.read_text()}\n\n{block(TOOLS, 'def test_an_x68000')}")
    judge(checkout, "tests/rom/test_formats_damaged.py", "-k", "count.x")
    judge(checkout, "tests/cli/test_formats.py", "-k", "x68000")
    judge(checkout, "tests/test_layers.py")


@pytest.mark.full
def test_a_kind_of_point_stops_the_debugger(checkout: Path) -> None:
    points, commands = checkout / "retrosim/debug/points.py", checkout / "retrosim/console/commands.py"
    decorator = "@dataclass(eq=False, kw_only=True)\n"
    replace(points, f"{decorator}class Hook", f"{block(TOOLS, f'{decorator}class Second')}\n\n{decorator}class Hook")
    replace(commands, "import EVENTS, Point\n", "import EVENTS, Point, Second\n")
    replace(commands, "\n\ndef points(", f"\n\n{block(TOOLS, 'def second')}\n\ndef points(")
    below(commands, 'Command(("limit",)', block(TOOLS, '        Command(("second",)'))
    tests = "tests/debug/test_second.py"
    (checkout / tests).write_text(block(TOOLS, f"# {tests}"))
    judge(checkout, tests)
