"""Plants small faults in the package, one at a time, and tells which the tests do not find.

Sites are drawn over all folders, as many in each as it has (at least one), from a seed; the same seed draws the same
sites of the same sources. A fault is one of: a comparison, a sign or an operator exchanged for its neighbour, a number
one larger, a condition reversed, `and` for `or`, True for False, `break` for `continue`, a result that is None.

Each fault is tried in a copy of the checkout, by the tests that run its line. Which these are is found out first, by
all tests under coverage.py, which takes twice as long as without. Where coverage cannot tell, in kernels and in what is
done once in a process, test files are asked that import the module, if only through others: that of its name, then the
nearest. A test that fails without a fault is not asked; one that does not end in time has found the fault.

The order is drawn too, so a part of a run is a sample like the whole. With --output, what stands in the file is not
tried again. Files named in SKIPPED are left out, each with its reason.

    python tools/mutants.py --count 500
    python tools/mutants.py --count 20 --under retrosim/bench --seed 7

Besides what the tests need it takes coverage 7.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from queue import Queue

import coverage
import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE, TESTS = ROOT / "retrosim", ROOT / "tests"
SKIPPED = {
    "retrosim/examples": "programs to read, run as a whole by one test each",
    "retrosim/__main__.py": "one call",
}
COMPARISONS = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
OPERATORS = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Div: "*", ast.Mod: "*",
    ast.LShift: ">>", ast.RShift: "<<", ast.BitAnd: "|", ast.BitOr: "&", ast.BitXor: "|",
}  # fmt: skip
FORBIDDING = {"frozen", "slots", "strict"}  # keywords
MAX_FILES = 12  # test files that are asked about one fault
FEW = 6  # tests that run a line, below which files are asked too: it may be run once in a process
MAX_SECONDS = 30.0  # of single tests, by the time that they took under coverage
OPTIONS = ("-q", "-n", "0", "-p", "no:cacheprovider", "--tb=no", "--no-header")
SECONDS = 240.0  # for all tests of a fault that run its line, and for each file


@dataclass(frozen=True)
class Fault:
    """A fault: `new` in place of the text from `start` to `end`, offsets into the file of `path`."""

    path: str
    line: int
    start: int
    end: int
    old: str
    new: str


@dataclass
class Outcome:
    """What became of a fault.

    found_by  the test or the file that failed, "time" where it took too long, None where none failed
    tests     what was asked: single tests, or files
    """

    fault: Fault
    found_by: str | None
    tests: list[str]
    seconds: float


class _Text:
    """A source with the offsets of its lines, counted in UTF-8 as `ast` does."""

    def __init__(self, source: str) -> None:
        self.data = source.encode()
        self._lines = [0]
        for line in self.data.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def span(self, node: ast.AST) -> tuple[int, int]:
        start = self._lines[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        return start, self._lines[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]


def faults_of(path: Path) -> list[Fault]:
    """Return every fault that can be planted in a file."""
    source = path.read_text(encoding="utf-8")
    text, tree = _Text(source), ast.parse(source)
    name = path.relative_to(ROOT).as_posix()
    passive = {id(node) for top in ast.walk(tree) for node in _passive(top)}
    faults = []
    for node in ast.walk(tree):
        if id(node) in passive:
            continue
        for start, end, new in _changes(node, text):
            old = text.data[start:end].decode()
            if old != new:
                faults.append(Fault(name, node.lineno, start, end, old, new))  # type: ignore[attr-defined]
    return sorted(set(faults), key=lambda fault: (fault.start, fault.end, fault.new))


def _passive(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is not executed, or only says something: annotations, texts, assertions, checks for types.

    And what only forbids: `frozen=True`, `strict=True`.
    """
    parts: list[ast.AST | None] = []
    if isinstance(node, ast.AnnAssign | ast.arg):
        parts.append(node.annotation)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        parts.append(node.returns)
    elif isinstance(node, ast.keyword) and node.arg in FORBIDDING:
        parts.append(node.value)
    elif isinstance(node, ast.JoinedStr | ast.Assert) or ast.unparse(getattr(node, "test", node)) == "TYPE_CHECKING":
        parts.append(node)
    for part in parts:
        if part is not None:
            yield from ast.walk(part)


def _changes(node: ast.AST, text: _Text) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, new text) of the faults at one node."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from _between(text, node.left, node.comparators[0], COMPARISONS.get(type(node.ops[0])))
    elif isinstance(node, ast.BinOp):
        yield from _between(text, node.left, node.right, OPERATORS.get(type(node.op)))
    elif isinstance(node, ast.BoolOp):
        yield from _between(text, node.values[0], node.values[1], "or" if isinstance(node.op, ast.And) else "and")
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield *text.span(node), str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield *text.span(node), str(node.value + 1)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield text.span(node)[0], text.span(node.operand)[0], ""
    elif isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(node.test, ast.Constant):
        start, end = text.span(node.test)
        yield start, end, f"not ({text.data[start:end].decode()})"
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield *text.span(node.value), "None"
    elif isinstance(node, ast.Break | ast.Continue):
        yield *text.span(node), "continue" if isinstance(node, ast.Break) else "break"


def _between(text: _Text, left: ast.AST, right: ast.AST, new: str | None) -> Iterator[tuple[int, int, str]]:
    """Yield the exchange of the operator between two operands, where nothing else stands there."""
    start, end = text.span(left)[1], text.span(right)[0]
    between = text.data[start:end].decode()
    if new is not None and between.strip() and not set(between) & set("()#\\\n"):
        yield start, end, f" {new} "


def sources(under: Sequence[str]) -> list[Path]:
    """Return the files in which faults are planted."""
    roots = [ROOT / name for name in under] or [PACKAGE]
    files = [path for root in roots for path in ([root] if root.is_file() else sorted(root.rglob("*.py")))]
    return [path for path in files if not any(path.relative_to(ROOT).as_posix().startswith(name) for name in SKIPPED)]


def drawn(files: Sequence[Path], count: int, seed: int) -> list[Fault]:
    """Draw faults over all folders: from each as its share of the sites is, and at least one."""
    folders: dict[str, list[Fault]] = defaultdict(list)
    for path in files:
        folders[path.parent.relative_to(ROOT).as_posix()] += faults_of(path)
    total = sum(map(len, folders.values()))
    chance, chosen = random.Random(seed), []
    for name in sorted(folders):
        share = min(max(round(count * len(folders[name]) / total), 1), len(folders[name]))
        chosen += chance.sample(folders[name], share)
    chance.shuffle(chosen)
    return chosen


def module_of(path: Path) -> str:
    """Return the name by which a file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> set[str]:
    """Return the modules that a file imports, and what they are imported for."""
    names, folder = set(), path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parents = folder[: len(folder) + 1 - node.level] if node.level else ()
            module = ".".join([*parents, *([node.module] if node.module else [])])
            names |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return names


def distances(module: str, imported: Mapping[Path, set[str]]) -> dict[str, int]:
    """Return how many imports lead from each module to this one."""
    importers = defaultdict(set)
    for path, names in imported.items():
        for name in names:
            importers[name].add(module_of(path))
    steps, todo = {module: 0}, deque([module])
    while todo:
        here = todo.popleft()
        for importer in importers[here] - set(steps):
            steps[importer] = steps[here] + 1
            todo.append(importer)
    return steps


def files_for(path: str, imported: Mapping[Path, set[str]]) -> list[str]:
    """Return at most MAX_FILES test files to ask about a module: of its name, then by distance, of its folders first.

    imported  what each file of the package and of the tests imports
    """
    parts = Path(path).with_suffix("").parts
    steps = distances(module_of(ROOT / path), imported)
    folders = [TESTS.joinpath(*parts[1:end]) for end in range(min(2, len(parts) - 1), len(parts))]

    def order(test: Path) -> tuple[bool, int, bool, str]:
        near = test.parent in folders
        named = near and test.name in (f"test_{parts[-1]}.py", f"test_{parts[-2]}.py")  # of a module, or of its folder
        return not named, steps.get(module_of(test), len(steps)), not near, test.as_posix()

    tests = [test for test in imported if test.name.startswith("test_") and TESTS in test.parents]
    asked = [test for test in tests if module_of(test) in steps or test.parent in folders]
    return [test.relative_to(ROOT).as_posix() for test in sorted(asked, key=order)][:MAX_FILES]


@dataclass
class Knowledge:
    """What is known of the tests before a fault is planted.

    lines    path -> line -> tests that run it
    seconds  test -> how long it took; these are all that were run
    failed   tests that fail without a fault
    """

    lines: dict[str, dict[str, list[str]]]
    seconds: dict[str, float]
    failed: list[str]

    def tests_for(self, fault: Fault) -> list[str]:
        """Return the tests that run the line of a fault, the nearest and quickest first; none where nobody knows."""
        lines = self.lines.get(fault.path, {})
        tests = {test for line in _statement(ROOT / fault.path, fault.line) for test in lines.get(str(line), [])}
        nearness = _nearness(fault.path)
        chosen, files, total = [], set(), 0.0
        for test in sorted(tests - set(self.failed), key=lambda test: (nearness(test), self.seconds[test], test)):
            file = test.partition("::")[0]
            total += self.seconds[test]
            if (chosen and total > MAX_SECONDS) or len(files | {file}) > MAX_FILES:
                break
            chosen.append(test)
            files.add(file)
        return chosen


def _nearness(path: str) -> Callable[[str], tuple[int, str]]:
    """Return a key by which tests and test files are sorted: of the module's name, of its folder, others."""
    parts = Path(path).with_suffix("").parts
    folder = Path("tests", *parts[1:-1]).as_posix()

    def order(test: str) -> tuple[int, str]:
        file = test.partition("::")[0]
        is_near = file.rpartition("/")[0] == folder
        return 0 if is_near and file.endswith(f"/test_{parts[-1]}.py") else 1 if is_near else 2, file

    return order


@cache
def _statements(path: Path) -> list[range]:
    """Return the lines of each statement of a file, of one with a body its head alone; inner ones last."""
    statements = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = body[0].lineno if isinstance(body, list) and body else (node.end_lineno or node.lineno) + 1
            statements.append(range(node.lineno, max(end, node.lineno + 1)))
    return statements


def _statement(path: Path, line: int) -> range:
    """Return the lines of the statement that a line belongs to."""
    around = [lines for lines in _statements(path) if line in lines]
    return min(around, key=len) if around else range(line, line + 1)


# Where this file is loaded as a plugin of pytest: tell coverage.py which test begins, and note how each went.


def pytest_runtest_protocol(item: pytest.Item) -> None:
    measured = coverage.Coverage.current()
    if measured is not None:
        measured.switch_context(item.nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    with Path(".reports").open("a") as file:
        file.write(json.dumps((report.nodeid, report.duration, report.failed)) + "\n")


def learn(copies: Sequence[Path]) -> Knowledge:
    """Run all tests under coverage.py, a part in each copy of the checkout."""
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    names = [path.relative_to(ROOT).as_posix() for path in tests]
    knowledge = Knowledge({}, {}, [])
    running = []
    for number, copy in enumerate(copies):
        command = [sys.executable, "-m", "coverage", "run", "--data-file", ".lines", "--source", "retrosim"]
        command += ["-m", "pytest", *OPTIONS, "-p", "mutants"]
        part = names[number :: len(copies)]
        running.append(subprocess.Popen([*command, *part], cwd=copy, env=_environment(copy), stdout=subprocess.DEVNULL))
    for copy, process in zip(copies, running, strict=True):
        process.wait()
        for test, seconds, has_failed in map(json.loads, (copy / ".reports").read_text().splitlines()):
            knowledge.seconds[test] = knowledge.seconds.get(test, 0.0) + seconds
            if has_failed:
                knowledge.failed.append(test)
        data = coverage.CoverageData(str(copy / ".lines"))
        data.read()
        for file in data.measured_files():
            lines = knowledge.lines.setdefault(Path(file).relative_to(copy.resolve()).as_posix(), {})
            for line, contexts in data.contexts_by_lineno(file).items():
                lines.setdefault(str(line), []).extend(test for test in contexts if test in knowledge.seconds)
    return knowledge


def _environment(copy: Path) -> dict[str, str]:
    paths = os.pathsep.join((str(copy), str(Path(__file__).parent)))
    return {**os.environ, "PYTHONPATH": paths, "RETROSIM_HOME": str(copy / ".home")}


def is_failing(tests: Sequence[str], copy: Path) -> bool:
    """Run tests or test files in a copy of the checkout; TimeoutExpired where it takes longer than SECONDS."""
    command = [sys.executable, "-m", "pytest", *OPTIONS, "-x", *tests]
    ran = subprocess.run(command, cwd=copy, env=_environment(copy), capture_output=True, timeout=SECONDS)
    if (
        ran.returncode == 4 and "::" in tests[0]
    ):  # a file is not as it was, or cannot be imported: look at it as a whole
        return is_failing(sorted({test.partition("::")[0] for test in tests}), copy)
    return ran.returncode not in (0, 5)  # 5: no test was collected


def tried(fault: Fault, knowledge: Knowledge, files: Sequence[str], copy: Path) -> Outcome:
    """Plant a fault in a copy of the checkout, ask the tests that run its line, else files, and take it out again."""
    file = copy / fault.path
    whole, began = file.read_bytes(), time.monotonic()
    bytecode = Path(importlib.util.cache_from_source(file))  # knows its source by size and second alone
    bytecode.unlink(missing_ok=True)
    file.write_bytes(whole[: fault.start] + fault.new.encode() + whole[fault.end :])
    tests = knowledge.tests_for(fault)
    left_out = [f"--deselect={test}" for test in knowledge.failed]
    runs = [tests] if tests else []
    runs += [[name, *left_out] for name in files if len(tests) < FEW]
    found = None
    try:
        for asked in runs:
            try:
                fails = is_failing(asked, copy)
            except subprocess.TimeoutExpired:
                found = "time"
                break
            if fails:
                found = asked[0].partition("::")[0]
                break
    finally:
        file.write_bytes(whole)
        bytecode.unlink(missing_ok=True)
    return Outcome(fault, found, [*tests, *(asked[0] for asked in runs[bool(tests) :])], time.monotonic() - began)


def read_outcomes(path: Path | None, faults: Sequence[Fault]) -> list[Outcome]:
    """Return what is known of these faults from an earlier run's file; nothing where there is none."""
    if path is None or not path.exists():
        return []
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    outcomes = [Outcome(**{**line, "fault": Fault(**line["fault"])}) for line in lines]
    return [outcome for outcome in outcomes if outcome.fault in set(faults)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=500, help="faults to plant; default: 500")
    parser.add_argument("--seed", type=int, default=1994, help="default: 1994")
    parser.add_argument("--under", action="append", default=[], metavar="PATH", help="only files of this folder")
    parser.add_argument("--jobs", type=int, default=2, help="copies of the checkout at work; default: 2")
    parser.add_argument("--output", type=Path, help="write the outcomes as JSON, a line each; what is there is kept")
    parser.add_argument("--knowledge", type=Path, help="read which test runs which line, or write it if there is none")
    options = parser.parse_args()
    faults = drawn(sources(options.under), options.count, options.seed)
    outcomes = read_outcomes(options.output, faults)
    imported = {path: imports_of(path) for folder in (PACKAGE, TESTS) for path in sorted(folder.rglob("*.py"))}
    copies: Queue[Path] = Queue()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.jobs):
            left_out = shutil.ignore_patterns(".git", "__pycache__")
            copies.put(Path(shutil.copytree(ROOT, Path(folder) / str(number), ignore=left_out)))

        if options.knowledge and options.knowledge.exists():
            knowledge = Knowledge(**json.loads(options.knowledge.read_text()))
        else:
            knowledge = learn(list(copies.queue))
            if options.knowledge:
                options.knowledge.write_text(json.dumps(asdict(knowledge)))
        for test in knowledge.failed:
            print(f"{test} fails without a fault: not asked", file=sys.stderr)

        def one(fault: Fault) -> None:
            copy = copies.get()
            try:
                outcome = tried(fault, knowledge, files_for(fault.path, imported), copy)
            finally:
                copies.put(copy)
            outcomes.append(outcome)
            if options.output:
                with options.output.open("a") as file:
                    file.write(json.dumps(asdict(outcome)) + "\n")
            if outcome.found_by is None:
                print(f"{fault.path}:{fault.line}: {fault.old.strip()} -> {fault.new.strip()}: not found", flush=True)
            if len(outcomes) % 10 == 0:
                missed = sum(outcome.found_by is None for outcome in outcomes)
                print(f"{len(outcomes)} of {len(faults)} tried, {missed} not found", file=sys.stderr, flush=True)

        with ThreadPoolExecutor(options.jobs) as pool:
            tried_before = {outcome.fault for outcome in outcomes}
            list(pool.map(one, [fault for fault in faults if fault not in tried_before]))
    missed = [outcome for outcome in outcomes if outcome.found_by is None]
    print(f"{len(outcomes)} faults, {len(outcomes) - len(missed)} found, {len(missed)} not")
    return 0


if __name__ == "__main__":
    sys.exit(main())
