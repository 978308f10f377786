"""Tasks in processes of this computer; those of a process that dies are done by another."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from retrosim.errors import RetrosimError

from .tasks import Task, outcome_of

DEATHS = 3  # without a result between them


def outcomes(tasks: dict[int, Task], paths: dict[int, tuple[Path, ...]], processes: int) -> Iterator[tuple[int, Any]]:
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
