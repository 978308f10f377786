"""Runs jobs: here, in processes of this computer, or on a cluster; the results come in the order of the jobs.

What does a job makes no difference to its result: argument and result pass through JSON, files are told apart by their
content, and a job's function sees nothing of where it runs. A process does one job at a time, and there are no more
processes than jobs. Each is a new interpreter, which imports what it needs: a job of less than a second is sooner done
here.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrosim.errors import RetrosimError

from .tasks import Finished, Job, JobFiles, Task, carry_out, lay_out, outcome_of, result_of, sources

# Tasks in processes of this computer; those of a process that dies are done by another.

DEATHS = 3  # without a result between them


def process_outcomes(
    tasks: dict[int, Task], paths: dict[int, tuple[Path, ...]], processes: int
) -> Iterator[tuple[int, Any]]:
    """Do tasks in new processes; yield number and outcome of each as it ends.

    Errors   RetrosimError when processes die and die again; what a job raised besides
    """
    left, deaths = dict(tasks), 0
    while left:
        with ProcessPoolExecutor(min(processes, len(left)), multiprocessing.get_context("spawn")) as pool:
            futures = {pool.submit(outcome_of, task, paths[number]): number for number, task in left.items()}
            try:
                while futures:
                    ended, _ = wait(futures, return_when=FIRST_COMPLETED)
                    for each in sorted(ended, key=futures.__getitem__):
                        result = each.result()
                        number, deaths = futures.pop(each), 0
                        del left[number]
                        yield number, result
            except BrokenProcessPool:
                deaths += 1
                if deaths == DEATHS:
                    reason = "too little memory, or somebody ended them"
                    raise RetrosimError(
                        f"processes of this run died {DEATHS} times without a result: {reason}"
                    ) from None
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


# Tasks on a running dask cluster: its scheduler deals them out, repeats what a lost worker had, and moves files.

EXTRA = "pip install 'retrosim[cluster]'"
CONNECT_SECONDS = 10
WAITING = 2000  # tasks at the scheduler at once: its memory stays small whatever a run's length


def cluster_outcomes(
    tasks: dict[int, Task], keys: dict[int, str], files: JobFiles, address: str
) -> Iterator[tuple[int, Any]]:
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
    work: str, text: str, trees: tuple[tuple[str, Mapping[str, str]], ...], contents: Mapping[str, bytes], expected: str
) -> dict[str, Any]:
    """Do a task on a worker."""
    from retrosim.version import __version__

    if sources() != expected:
        reason = f"a worker of the cluster has other sources of retrosim ({__version__}): install the same on all"
        return {"error": reason, "status": RetrosimError.exit_status}
    with tempfile.TemporaryDirectory(prefix="retrosim-") as folder:
        paths = tuple(lay_out(tree, contents, Path(folder)) for tree in trees)
        return outcome_of(Task(work, text, trees), paths)


MAX_PROCESSES = 256


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Workers:
    """Who does the jobs.

    processes  of this computer, 1..256; with 1 nothing leaves this process
    scheduler  address of a dask scheduler, such as tcp://host:8786, whose workers do them instead
    resume     take the results that an interrupted run of the same jobs has left
    Errors     ValueError
    """

    processes: int = 1
    scheduler: str | None = None
    resume: bool = False

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        if not 1 <= self.processes <= MAX_PROCESSES:
            raise ValueError(f"processes {self.processes}: allowed 1..{MAX_PROCESSES}")


HERE = Workers()
"""In this process, one job after the other."""


def run_jobs(
    work: Callable[..., Any],
    jobs: Sequence[Job],
    workers: Workers = HERE,
    done: Callable[[int], None] = lambda index: None,
    here: Callable[..., Any] | None = None,
) -> list[Any]:
    """Run all jobs; return what each returned, in their order, as JSON gives it back (tuples are lists).

    work     a function of a module, `work(argument, *paths)`: other processes import it
    workers  who does them
    done     called with the index of each job as it ends
    here     what is called in place of `work` in this process: the same, but it may say how far it is
    Errors   ValueError; RetrosimError; what a job raised, after which no other begins. Results until then are kept for
             a run that resumes
    """
    files, finished = JobFiles(), Finished()
    tasks = [files.task(work, job) for job in jobs]
    keys = [task.key(finished.sources) for task in tasks]
    results: dict[int, str] = {}
    for index, key in enumerate(keys):
        if workers.resume and (kept := finished.read(key)) is not None:
            results[index] = kept
            done(index)
    left = {index: task for index, task in enumerate(tasks) if index not in results}
    for index, result in _results(left, keys, jobs, files, workers, here or work):
        results[index] = result
        finished.keep(keys[index], result)
        done(index)
    finished.forget(keys)
    return [json.loads(results[index]) for index in range(len(jobs))]


def _results(
    tasks: dict[int, Task],
    keys: list[str],
    jobs: Sequence[Job],
    files: JobFiles,
    workers: Workers,
    here: Callable[..., Any],
) -> Iterator[tuple[int, str]]:
    """Yield index and result of each task as it ends."""
    if not tasks:
        return
    paths = {index: tuple(map(Path, jobs[index].files)) for index in tasks}
    if workers.scheduler is not None:
        for index, outcome in cluster_outcomes(tasks, {n: keys[n] for n in tasks}, files, workers.scheduler):
            yield index, result_of(outcome)
    elif workers.processes == 1 or len(tasks) == 1:
        for index, task in tasks.items():
            yield index, carry_out(here, json.loads(task.text), paths[index])
    else:
        for index, outcome in process_outcomes(tasks, paths, workers.processes):
            yield index, result_of(outcome)
