"""What travels to whoever does a job: the name of a function, JSON, and files by the SHA-256 of their content.

A task is told apart by its key, a digest of all that its result depends on: function, argument, files, sources.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

from retrosim.cache.sources import CACHE, source_digest
from retrosim.cache.store import RESULT_SUFFIX
from retrosim.errors import RetrosimError
from retrosim.reading import digest_of
from retrosim.report.files import write_whole

MAX_FILES, MAX_BYTES = 1000, 64 << 20  # of one file or folder that a job names


@dataclass(frozen=True)
class Job:
    """A call of a function.

    argument  plain data, as JSON has it
    files     paths of files and folders that the function reads; it gets them as further arguments, wherever it runs
    """

    argument: Any
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """A job, ready to be sent.

    work   "module:function"
    text   the argument as JSON
    trees  for each file or folder: its own name, and the SHA-256 of each file by its path below that name's folder
    """

    work: str
    text: str
    trees: tuple[tuple[str, Mapping[str, str]], ...] = field(default=())

    def key(self, sources: str) -> str:
        """Return the digest that names the result; `sources` stands for the version of the program."""
        whole = json.dumps([self.work, self.text, self.trees, sources], sort_keys=True)
        return digest_of(whole.encode())


class JobFiles:
    """The files of a run's jobs, each read once."""

    def __init__(self) -> None:
        self.paths: dict[str, Path] = {}  # by SHA-256
        self._trees: dict[str, tuple[str, Mapping[str, str]]] = {}

    def task(self, work: Callable[..., Any], job: Job) -> Task:
        """Make a job ready to be sent. Errors: ValueError for what is not plain data; RetrosimError for files."""
        try:
            text = json.dumps(job.argument, sort_keys=True, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ValueError(f"the argument of a job is not plain data: {error}") from None
        return Task(name_of(work), text, tuple(self._tree(path) for path in job.files))

    def _tree(self, name: str) -> tuple[str, Mapping[str, str]]:
        if name not in self._trees:
            self._trees[name] = Path(name).name, self._digests(Path(name))
        return self._trees[name]

    def _digests(self, path: Path) -> dict[str, str]:
        below = [each for each in sorted(path.rglob("*")) if each.is_file()] if path.is_dir() else [path]
        size, found = 0, {}
        for number, each in enumerate(below, 1):
            try:
                size += each.stat().st_size
                if number > MAX_FILES or size > MAX_BYTES:
                    raise RetrosimError(f"{path}: more than {MAX_FILES} files or {MAX_BYTES >> 20} MiB to be sent")
                content = each.read_bytes()
            except OSError as error:
                raise RetrosimError(f"{each}: {error.strerror}") from None
            digest = digest_of(content)
            self.paths[digest] = each
            found["" if each == path else each.relative_to(path).as_posix()] = digest
        return found


def name_of(work: Callable[..., Any]) -> str:
    """Return "module:function". Errors: ValueError for what another process cannot import by that name."""
    module, name = work.__module__, work.__qualname__
    if getattr(import_module(module), name, None) is not work:
        raise ValueError(f"{module}.{name} is not a function of a module")
    return f"{module}:{name}"


@cache
def function_of(name: str) -> Callable[..., Any]:
    """Return the function of a name."""
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


def carry_out(work: Callable[..., Any], argument: Any, paths: tuple[Path, ...]) -> str:
    """Do a job; return its result as JSON."""
    return json.dumps(work(argument, *paths), allow_nan=False)


def outcome_of(task: Task, paths: tuple[Path, ...]) -> dict[str, Any]:
    """Do a task; return {"result": JSON}, or {"error": text, "status": exit status} of a RetrosimError."""
    try:
        return {"result": carry_out(function_of(task.work), json.loads(task.text), paths)}
    except RetrosimError as error:
        return {"error": str(error), "status": error.exit_status}


def result_of(outcome: Mapping[str, Any]) -> str:
    """Return the JSON of an outcome. Errors: RetrosimError, as the job raised it."""
    if "error" in outcome:
        error = RetrosimError(outcome["error"])
        error.exit_status = outcome["status"]
        raise error
    result: str = outcome["result"]
    return result


def lay_out(tree: tuple[str, Mapping[str, str]], contents: Mapping[str, bytes], folder: Path) -> Path:
    """Write a file or folder that was sent into a folder, unless it is there; return its path. Errors: OSError."""
    name, digests = tree
    place = folder / digest_of(json.dumps(tree, sort_keys=True).encode())[:32]
    for below, digest in digests.items():
        if any(part in ("", ".", "..") for part in PurePosixPath(name, below).parts):
            raise ValueError(f"{name}/{below}: not a path below a folder")
        path = place / name / below if below else place / name
        if path.is_file():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if digest_of(contents[digest]) != digest:
            raise ValueError(f"{name}/{below}: damaged on the way")
        write_whole(path, contents[digest], overwrite=True)
    return place / name


# Results of a run that is not complete yet, in the cache: an interrupted run goes on where it was with `--resume`.


@cache
def sources() -> str:
    """Return the digest of the sources that this process runs."""
    return source_digest()


class Finished:
    """The results of the present sources, by the keys of their tasks."""

    def __init__(self) -> None:
        self.sources = sources()
        self._store = CACHE.store("jobs", self.sources)

    def read(self, key: str) -> str | None:
        """Return the JSON of a result, None if there is none."""
        content = self._store.read(key + RESULT_SUFFIX)
        return None if content is None else content.decode()

    def keep(self, key: str, result: str) -> None:
        """Keep the JSON of a result."""
        self._store.write(key + RESULT_SUFFIX, result.encode(), sync=False)

    def forget(self, keys: list[str]) -> None:
        """Remove results: whoever asked for them has them all."""
        for key in keys:
            self._store.remove(key + RESULT_SUFFIX)
