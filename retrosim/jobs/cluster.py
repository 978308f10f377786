"""Tasks on a running dask cluster: its scheduler deals them out, repeats what a lost worker had, and moves files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from retrosim.errors import RetrosimError

from .tasks import Files, Task, lay_out, outcome_of, sources

EXTRA = "pip install 'retrosim[cluster]'"
CONNECT_SECONDS = 10
WAITING = 2000  # tasks at the scheduler at once: its memory stays small whatever a run's length


def outcomes(tasks: dict[int, Task], keys: dict[int, str], files: Files, address: str) -> Iterator[tuple[int, Any]]:
    """Do tasks on the workers of a scheduler; yield number and outcome of each as it ends.

    keys     of the tasks: equal ones are done once
    address  of the scheduler, such as tcp://host:8786
    Errors   RetrosimError where there is no scheduler or no dask, or workers have other sources; what a job raised
    """
    try:
        from dask.distributed import Client, as_completed
    except ImportError:
        raise RetrosimError(f"--scheduler needs dask.distributed: {EXTRA}") from None
    try:
        client = Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise RetrosimError(f"no dask scheduler at {address}: {str(error)[:100] or type(error).__name__}") from None
    with client:
        mine = sources()
        contents: dict[str, Any] = {}  # SHA-256 -> future of the bytes: the scheduler can make them again
        waiting = list(reversed(tasks.items()))
        numbers: dict[str, list[int]] = {}

        def submit() -> Any:
            number, task = waiting.pop()
            key = f"retrosim-{keys[number]}"
            numbers.setdefault(key, []).append(number)
            for digest in (digest for _, tree in task.trees for digest in tree.values()):
                if digest not in contents:
                    content = files.paths[digest].read_bytes()
                    contents[digest] = client.submit(_held, content, key=f"retrosim-file-{digest}", pure=True)
            needed = {digest: contents[digest] for _, tree in task.trees for digest in tree.values()}
            return client.submit(_remote, task.work, task.text, task.trees, needed, mine, key=key, pure=True)

        ended = as_completed([submit() for _ in range(min(WAITING, len(waiting)))])
        for future in ended:
            outcome = future.result()
            for number in numbers.pop(future.key, []):
                yield number, outcome
            future.release()
            if waiting:
                ended.add(submit())


def _held(content: bytes) -> bytes:
    """Hold a file's content on the cluster."""
    return content


def _remote(
    work: str,
    text: str,
    trees: tuple[tuple[str, Mapping[str, str]], ...],
    contents: Mapping[str, bytes],
    expected: str,
) -> dict[str, Any]:
    """Do a task on a worker."""
    from retrosim.version import __version__

    if sources() != expected:
        reason = f"a worker of the cluster has other sources of retrosim ({__version__}): install the same on all"
        return {"error": reason, "status": RetrosimError.exit_status}
    with tempfile.TemporaryDirectory(prefix="retrosim-") as folder:
        paths = tuple(lay_out(tree, contents, Path(folder)) for tree in trees)
        return outcome_of(Task(work, text, trees), paths)
