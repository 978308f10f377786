"""The layers of guide/house.md: one decorator, one window, short files, light import, top level."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "retrosim"
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)
MAX_LINES = 900  # a class stands in one file; about 700 is long

CHANGED_RECORDS = {
    "AbstractState", "BroadPhase", "Budget", "Change", "Chunk", "Contents", "Corners", "Entrant", "Event",
    "Executed", "Hook", "InstalledRegion", "Known", "Limit", "LimitedCall", "LinkedSection", "Loop", "Macro",
    "Object", "Outside", "Point", "RoutineFlow", "Section", "Segment", "State", "Step", "Watched", "_Stack",
}  # fmt: skip
ISAS = ("cpu.m68k", "cpu.x86", "cpu.ppc")
SPEC = ("cpu.spec.rows", "cpu.assembly", "cpu.spec")
BASE = ("errors", "checks", "lazy", "reading", "version", "cache", "jit", "numeric", "report")

# folder (or module of the package itself) -> what it may import; each names only what stands before it
LAYERS: dict[str, tuple[str, ...]] = {
    "errors": (),
    "checks": ("errors",),
    "lazy": (),
    "reading": ("errors",),
    "version": (),
    "cache": ("errors",),
    "jit": ("errors", "cache"),
    "numeric": ("errors", "checks", "jit"),
    "report": ("errors", "checks", "cache", "version"),
    "guide": ("report",),
    "collide.kernels": BASE,
    "collide": (*BASE, "collide.kernels"),
    "cpu": (),
    "cpu.spec.rows": ("errors",),
    "cpu.assembly": ("errors", "checks", "cpu.spec.rows"),  # how operands are written and encoded
    "cpu.spec": ("errors", "checks", "cpu.spec.rows", "cpu.assembly"),
    "cpu.assembly.assembler": ("errors", "checks", *SPEC),  # the rows backwards: from a text to an encoding
    **dict.fromkeys(ISAS, ("errors", *SPEC)),
    "cpu.engines": ("errors", "cache", *SPEC),
    "rom": ("errors", "checks", "reading"),
    "screen": ("errors", "report"),
    "scenarios": (*BASE, "collide", "collide.kernels", "rom", "screen"),
    "machine": (*BASE, "cpu", *SPEC, *ISAS, "cpu.engines", "rom", "screen", "scenarios"),
}
LAYERS["debug"] = (*LAYERS["machine"], "machine")
LAYERS["asm"] = ("errors", "checks", "lazy", "reading", "cpu", *SPEC, "cpu.assembly.assembler", "rom", "machine")
LAYERS["jobs"] = ("errors", "reading", "cache", "report", "version")
LAYERS["tape"] = (*BASE, "rom", "machine", "debug", "jobs")
LAYERS["cost"] = (*LAYERS["debug"], "debug", "asm", "jobs", "cpu.assembly.assembler")
LAYERS["reference"] = (*LAYERS["cost"], "cost")
LAYERS["bounds"] = (*LAYERS["cost"], "cost")
LAYERS["table_1994"] = (*LAYERS["cost"], "cost", "collide", "collide.kernels")
LAYERS["study"] = (*LAYERS["table_1994"], "table_1994")
LAYERS["bench"] = (*LAYERS["study"], "study")
LAYERS["console"] = (*BASE, *SPEC, "rom", "screen", "machine", "debug", "cost", "tape")
LAYERS["window"] = (*LAYERS["study"], "tape", "study", "console")
LAYERS["serve"] = ("errors", "checks", "reading", *SPEC, "rom", "machine", "debug", "console")
LAYERS["root"] = ("lazy",)  # the package itself: its public names are in __init__.pyi
LAYERS["lessons"] = ("errors", "checks", "report", "rom")
LAYERS["testing"] = (*LAYERS["cost"], "cost")
LAYERS["examples"] = (*LAYERS["window"], "window", "root")
LAYERS["cli"] = (*LAYERS["window"], "window", "bounds", "bench", "reference", "guide", "serve", "examples", "lessons")
LAYERS["__main__"] = ("cli",)


def module_of(path: Path) -> str:
    """Return the dotted name of a file of the package."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


def layer_of(module: str) -> str:
    """Return the layer of a module of the package: the longest name of a folder in LAYERS that it begins with."""
    parts = module.split(".")[1:]
    if not parts:
        return "root"
    return max((name for name in LAYERS if parts[: name.count(".") + 1] == name.split(".")), key=len, default=parts[0])


@cache
def imports(path: Path) -> list[tuple[int, str]]:
    """Return (line, module) of every import in a file, wherever it stands; relative ones made absolute."""
    module = module_of(path)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            base = ".".join(parents[: len(parents) - node.level + 1]) if node.level else ""
            source = ".".join(part for part in (base, node.module) if part)
            for alias in node.names:
                whole = f"{source}.{alias.name}"
                found.append((node.lineno, whole if whole in MODULES or not source else source))
    return found


def of_package(path: Path) -> list[tuple[int, str]]:
    return [(line, name) for line, name in imports(path) if name.split(".")[0] == "retrosim"]


def users(*names: str) -> set[str]:
    """Return the files that import one of these distributions."""
    return {
        path.relative_to(PACKAGE).as_posix()
        for path in FILES
        if any(name.split(".")[0] in names for _, name in imports(path))
    }


def test_the_table_itself_goes_downward() -> None:
    before: set[str] = set()
    for layer, allowed in LAYERS.items():
        assert set(allowed) <= before, layer
        before.add(layer)


@pytest.mark.full
def test_the_parser_sees_every_kind_of_import() -> None:
    """A check of the checker: each of these is known to be there, relative, absolute and inside a function."""
    seen = {(path.relative_to(PACKAGE).as_posix(), name) for path in FILES for _, name in imports(path)}
    assert ("cpu/m68k/arith.py", "retrosim.cpu.m68k.ea") in seen  # from .ea import
    assert ("cpu/m68k/models.py", "retrosim.cpu.m68k.logic") in seen  # from . import shift
    assert ("cpu/m68k/state.py", "retrosim.cpu.spec.cpu") in seen  # from ..spec.cpu import
    assert ("machine/machine.py", "retrosim.machine.state_file") in seen
    assert ("window/pyglet_window.py", "pyglet") in seen  # inside a function


@pytest.mark.full
def test_imports_go_downward() -> None:
    wrong = []
    for path in FILES:
        layer = layer_of(module_of(path))
        assert layer in LAYERS, f"{layer} has no layer yet"
        for line, name in of_package(path):
            other = layer_of(name)
            if other != layer and other not in LAYERS[layer]:
                wrong.append(f"{path.relative_to(PACKAGE)}:{line}: {layer} imports {name} ({other})")
    assert not wrong, "\n".join(wrong)


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that import each other, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in sorted(edges[module]):
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            group = stack[stack.index(module) :]
            del stack[-len(group) :]
            if len(group) > 1:
                found.append(sorted(group))

    for module in sorted(edges):
        if module not in index:
            visit(module)
    return found


def test_no_modules_import_each_other() -> None:
    """Not inside functions either, and not for annotations; a folder's `__init__` counts as a module."""
    edges = {module: {name for _, name in of_package(path) if name in MODULES} for module, path in MODULES.items()}
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [["b", "c"]]  # a check of the checker
    assert circles(edges) == []


def test_each_folder_has_a_map() -> None:
    """The docstring of `__init__` names every file of the folder."""
    missing = []
    for init in PACKAGE.rglob("__init__.py"):
        text = ast.get_docstring(ast.parse(init.read_text())) or ""
        words = set(re.findall(r"[\w.]+", text))
        parts = [path.stem for path in init.parent.glob("*.py") if path.stem not in ("__init__", "__main__")]
        missing += [f"{init.parent.relative_to(PACKAGE)}: {name}" for name in sorted(parts) if name not in words]
    assert not missing, "\n".join(missing)


def test_every_layer_is_there() -> None:
    """A renamed folder must not leave its rules without effect."""
    present = {layer_of(module) for module in MODULES}
    assert set(LAYERS) == present


def test_isas_never_import_each_other() -> None:
    for path in FILES:
        ours = layer_of(module_of(path))
        if ours in ISAS:
            others = {layer_of(name) for _, name in of_package(path)} & set(ISAS) - {ours}
            assert not others, path


def test_only_presets_know_instruction_sets_by_name() -> None:
    """What else there is to know of a CPU is part of its description (cpu/spec/cpu.py)."""
    outside = {path for path in FILES if layer_of(module_of(path)) not in (*ISAS, "cpu.spec", "cpu.engines")}
    knowing = {path for path in outside for _, name in of_package(path) if layer_of(name) in ISAS}
    assert {path.relative_to(PACKAGE).as_posix() for path in knowing} == {"machine/presets.py"}


def test_the_oracles_stand_alone() -> None:
    """They judge the kernels, so they share no code with them, and no product module imports a judge."""
    oracles = sorted((PACKAGE.parent / "tests" / "oracle").glob("*.py"))
    assert len(oracles) > 5
    for path in oracles:
        nodes = list(ast.walk(ast.parse(path.read_text())))
        names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
        names += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        assert not {name.split(".")[0] for name in names} & {"retrosim", "numba", "numpy", "llvmlite"}, path
    assert not {path for path in FILES for _, name in imports(path) if name.split(".")[0] == "tests"}


def test_distributions_are_used_where_they_belong() -> None:
    assert users("pyglet") == {"window/pyglet_window.py"}
    assert users("numba") == {"jit.py", "collide/kernels/pairs/simd.py"}
    emitting = {"collide/kernels/pairs/simd.py", "cpu/engines/compiled.py"}
    assert users("llvmlite") == emitting | {"jit.py"}  # whose version names its entries
    assert {file.split("/")[0] for file in users("unicorn", "machine68k", "capstone")} <= {"bench"}
    assert {file.split("/")[0] for file in users("elftools")} == {"rom"}
    assert users("platformdirs") == {"cache/folders.py"} and users("shtab") == {"cli/commands/completion.py"}
    assert users("textual") == {"cli/terminal/screen.py"}
    assert users("PIL", "imageio_ffmpeg") == {"window/clip.py"}
    assert {file.split("/")[0] for file in users("pygame", "matplotlib")} <= {"bench", "examples"}


def test_one_place_decorates_for_numba() -> None:
    """Outside jit.py numba is only `types` and the documented `intrinsic`, imported by name."""
    for path in FILES:
        text = path.read_text()
        if path.name == "jit.py" or "numba" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                assert not any(alias.name.split(".")[0] == "numba" for alias in node.names), path
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba":
                names = {alias.name for alias in node.names}
                assert names <= {"types", "intrinsic"}, f"{path}:{node.lineno}: {names}"


@pytest.mark.first_case
def test_files_are_short() -> None:
    long = {path: len(path.read_text().splitlines()) for path in FILES}
    assert not {path.relative_to(PACKAGE): lines for path, lines in long.items() if lines > MAX_LINES}


def run_without_display(code: str) -> str:
    """Run Python code in a new process that has no display; return what it prints."""
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment["PYTHONPATH"] = os.pathsep.join(p for p in (str(PACKAGE.parent), os.environ.get("PYTHONPATH")) if p)
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


TOP_LEVEL = {"pyproject.toml", "README.md", "LICENSE", ".gitignore", ".ci", "retrosim", "roms", "tests", "tools"}


def test_records_are_frozen_unless_they_are_changed() -> None:
    """A record whose fields are assigned to later is one of few, and is named here."""
    kinds = {
        name: kind or ""
        for path in FILES
        for kind, name in re.findall(r"^@dataclass(\(.*\))?\nclass (\w+)", path.read_text(), re.MULTILINE)
    }
    assert {name for name, kind in kinds.items() if "frozen=True" not in kind} == CHANGED_RECORDS
    assert len(kinds) > 200 and not any("frozen=False" in kind for kind in kinds.values())


def test_the_top_level_is_fixed() -> None:
    if not (PACKAGE.parent / ".git").exists() or shutil.which("git") is None:
        pytest.skip("needs git, and a checkout")
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True, check=True).stdout
    assert {name.split("/")[0] for name in listed.split("\0") if name} == TOP_LEVEL


HEAVY = "import sys; print(sorted({'pyglet', 'numba', 'llvmlite', 'unicorn', 'machine68k'} & set(sys.modules)))"


def test_import_is_light() -> None:
    assert run_without_display(f"import retrosim; {HEAVY}").strip() == "[]"


@pytest.mark.full
def test_no_module_needs_a_display() -> None:
    """Importing every module loads neither pyglet nor a peer, and works without a display."""
    modules = [module for module in MODULES if module != "retrosim.__main__"]
    printed = run_without_display(f"import importlib\nfor m in {modules}: importlib.import_module(m)\n{HEAVY}")
    assert printed.strip() == "['llvmlite', 'numba']"
