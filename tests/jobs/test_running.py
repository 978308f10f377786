"""Jobs here and in other processes: results in order, errors in a line, progress, resumption, deaths."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from retrosim.errors import RetrosimError
from retrosim.jobs import HERE, Job, Workers, run_jobs, usable_cores
from retrosim.jobs.tasks import JobFiles, lay_out
from tests.jobs.work import dies, dies_once, noted, squared, text_of

TWO = Workers(2)


@pytest.mark.first_case
@pytest.mark.parametrize("workers", [HERE, Workers(3)], ids=["here", "three"])
def test_results_come_in_order(workers: Workers) -> None:
    ended: list[int] = []
    found = run_jobs(squared, [Job(number) for number in range(5)], workers, ended.append)
    assert [result for result, _ in found] == [0, 1, 4, 9, 16] and sorted(ended) == list(range(5))
    processes = {process for _, process in found}
    assert (processes == {os.getpid()}) == (workers is HERE) and len(processes) <= workers.processes
    assert run_jobs(squared, [], workers) == []


@pytest.mark.parametrize("workers", [HERE, TWO], ids=["here", "two"])
def test_an_error_ends_them(workers: Workers) -> None:
    with pytest.raises(RetrosimError, match=r"^x\.rtape: -1 is below 0$") as error:
        run_jobs(squared, [Job(4), Job(-1)], workers)
    assert error.value.exit_status == 4


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    jobs = [Job([str(tmp_path), number]) for number in range(4)]
    (tmp_path / "stop").touch()
    with pytest.raises(KeyboardInterrupt):
        run_jobs(noted, jobs)
    (tmp_path / "stop").unlink()
    ended: list[int] = []
    assert run_jobs(noted, jobs, Workers(resume=True), ended.append) == [0, 1, 2, 3] and ended == [0, 1, 2, 3]
    assert (tmp_path / "done").read_text().split() == ["0", "1", "2", "2", "3"]  # 0 and 1 were kept
    run_jobs(noted, jobs, Workers(resume=True))
    assert len((tmp_path / "done").read_text().split()) == 9  # nothing is kept of a complete run


def test_what_a_dead_process_did_is_done_by_another(tmp_path: Path) -> None:
    assert run_jobs(dies_once, [Job(str(tmp_path))] * 2, TWO) == ["done", "done"]


def test_a_job_that_kills_every_process_ends_the_run() -> None:
    with pytest.raises(RetrosimError, match="died 3 times without a result"):
        run_jobs(dies, [Job("a"), Job("b")], TWO)


def test_files_travel_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "folder" / "below").mkdir(parents=True)
    (tmp_path / "a").write_text("one")
    (tmp_path / "folder" / "below" / "b").write_text("two")
    job = Job("given", (str(tmp_path / "a"), str(tmp_path / "folder")))
    expected = ["given", "a: one", "b: two"]
    assert run_jobs(text_of, [job]) == [expected]
    files = JobFiles()
    task = files.task(text_of, job)
    contents = {digest: path.read_bytes() for digest, path in files.paths.items()}
    places = [lay_out(tree, contents, tmp_path / "elsewhere") for tree in task.trees]
    assert text_of("given", *places) == expected
    (tmp_path / "a").write_text("other")
    assert JobFiles().task(text_of, job).key("") != task.key("")
    with pytest.raises(ValueError, match="damaged on the way"):
        lay_out(task.trees[0], dict.fromkeys(contents, b"?"), tmp_path / "third")
    with pytest.raises(ValueError, match="not a path below a folder"):
        lay_out(("x", {"../y": "0"}), {"0": b""}, tmp_path / "third")


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"processes 0: allowed 1\.\.256"):
        Workers(0)
    with pytest.raises(ValueError, match="not plain data"):
        run_jobs(squared, [Job(b"bytes")])
    with pytest.raises(ValueError, match="not a function of a module"):
        run_jobs(lambda number: number, [Job(1)])
    with pytest.raises(RetrosimError, match="nowhere: No such file"):
        run_jobs(text_of, [Job("", ("nowhere",))])
    assert usable_cores() >= 1
