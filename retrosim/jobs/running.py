"""Runs jobs: here, in processes of this computer, or on a cluster; the results come in the order of the jobs.

What does a job makes no difference to its result: argument and result pass through JSON, files are told apart by their
content, and a job's function sees nothing of where it runs. A process does one job at a time, and there are no more
processes than jobs. Each is a new interpreter, which imports what it needs: a job of less than a second is sooner done
here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import cluster, processes
from .tasks import Files, Finished, Job, Task, carry_out, result_of

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
    files, finished = Files(), Finished()
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
    files: Files,
    workers: Workers,
    here: Callable[..., Any],
) -> Iterator[tuple[int, str]]:
    """Yield index and result of each task as it ends."""
    if not tasks:
        return
    paths = {index: tuple(map(Path, jobs[index].files)) for index in tasks}
    if workers.scheduler is not None:
        for index, outcome in cluster.outcomes(tasks, {n: keys[n] for n in tasks}, files, workers.scheduler):
            yield index, result_of(outcome)
    elif workers.processes == 1 or len(tasks) == 1:
        for index, task in tasks.items():
            yield index, carry_out(here, json.loads(task.text), paths[index])
    else:
        for index, outcome in processes.outcomes(tasks, paths, workers.processes):
            yield index, result_of(outcome)
