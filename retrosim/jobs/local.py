"""Runs jobs one after the other, or in processes of this computer; the results come in the order of the jobs.

A job is a call of a function of a module with one argument; both the argument and what it returns are plain data, so
that they can go from process to process. A process runs one job at a time, and there are no more processes than jobs.
Each is a new interpreter, which imports what it needs: a job of less than a second is sooner done here.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

from retrosim.errors import RetrosimError

Job = TypeVar("Job")
Result = TypeVar("Result")
MAX_PROCESSES = 256


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_jobs(
    work: Callable[[Job], Result],
    jobs: Sequence[Job],
    processes: int = 1,
    done: Callable[[int], None] = lambda index: None,
) -> list[Result]:
    """Run all jobs; return what each returned, in their order.

    work       a function of a module: other processes import it
    processes  1..256; with 1 nothing leaves this process
    done       called with the index of each job as it ends
    Errors     ValueError; what a job raised, after which no other begins. An error of a job in another process that is
               a RetrosimError comes as one with its text
    """
    if not 1 <= processes <= MAX_PROCESSES:
        raise ValueError(f"processes {processes}: allowed 1..{MAX_PROCESSES}")
    processes = min(processes, len(jobs))
    if processes <= 1:
        results = []
        for index, job in enumerate(jobs):
            results.append(work(job))
            done(index)
        return results
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        futures = {pool.submit(_carry_out, work, job): index for index, job in enumerate(jobs)}
        try:
            for each in as_completed(futures):
                each.result()
                done(futures[each])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [each.result() for each in futures]


def _carry_out(work: Callable[[Job], Result], job: Job) -> Result:
    """Do a job; its error must be one that another process can build again from its text."""
    try:
        return work(job)
    except RetrosimError as error:
        raise RetrosimError(str(error)) from None
