"""Jobs here and in other processes: results in order, errors in a line, progress."""

from __future__ import annotations

import os

import pytest

from retrosim.errors import RetrosimError
from retrosim.jobs import run_jobs, usable_cores


def squared(number: int) -> tuple[int, int]:
    if number < 0:
        raise RetrosimError(f"{number}: below 0")
    return number * number, os.getpid()


@pytest.mark.parametrize("processes", [1, 3])
def test_results_come_in_order(processes: int) -> None:
    ended: list[int] = []
    found = run_jobs(squared, range(5), processes, ended.append)
    assert [result for result, _ in found] == [0, 1, 4, 9, 16] and sorted(ended) == list(range(5))
    workers = {process for _, process in found}
    assert (workers == {os.getpid()}) == (processes == 1) and len(workers) <= processes
    assert run_jobs(squared, [], processes) == []


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_ends_them(processes: int) -> None:
    with pytest.raises(RetrosimError, match=r"^-1: below 0$"):
        run_jobs(squared, [4, -1], processes)


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"processes 0: allowed 1\.\.256"):
        run_jobs(squared, [1], 0)
    assert usable_cores() >= 1
