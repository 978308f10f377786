"""Jobs on a real dask scheduler with two workers on the loopback, one of which is killed halfway."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed: pip install 'retrosim[cluster]'")

from retrosim.errors import RetrosimError
from retrosim.jobs import HERE, Job, Workers, run_jobs, running
from retrosim.machine import open_machine
from retrosim.rom import load_rom
from retrosim.tape import record_script
from retrosim.tape.parts import Verification, verify_parts
from tests.helpers.amount import amount, usually
from tests.jobs.work import squared

TAPES = amount(12, 30)


def start(*command: str | Path) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *map(str, command)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


class Cluster:
    """A scheduler and workers, as people start them."""

    def __init__(self, folder: Path) -> None:
        """Start a scheduler."""
        self._file = folder / "scheduler.json"
        self.processes = [start("scheduler", "--host", "127.0.0.1", "--port", 0, "--no-dashboard", *self._options())]

    def _options(self) -> tuple[str | Path, ...]:
        return "--scheduler-file", self._file

    def add_worker(self) -> None:
        """Start a worker that nobody starts again."""
        self.processes.append(start("worker", "--no-nanny", "--nthreads", 1, "--no-dashboard", *self._options()))

    @property
    def address(self) -> str:
        """Where the scheduler listens, as soon as it does."""
        for _ in range(300):
            if self._file.exists() and (text := self._file.read_text()):
                address: str = json.loads(text)["address"]
                return address
            time.sleep(0.1)
        raise AssertionError("the scheduler did not start")

    def stop(self) -> None:
        """End everything: the workers by themselves, the scheduler at once, as it waits ten seconds for clients."""
        scheduler, *workers = self.processes
        for each in workers:
            each.terminate()
        for each in workers:
            each.wait(10)
        scheduler.kill()
        scheduler.wait(10)


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    started = Cluster(tmp_path_factory.mktemp("dask"))
    assert started.address
    started.add_worker()
    started.add_worker()
    yield started
    started.stop()


@pytest.mark.full
def test_results_and_errors_are_those_of_one_process(workers: Cluster) -> None:
    there = Workers(scheduler=workers.address)
    found = run_jobs(squared, [Job(number) for number in (3, 4, 3)], there)
    assert [result for result, _ in found] == [9, 16, 9] and {process for _, process in found} <= {
        process.pid for process in workers.processes
    }
    with pytest.raises(RetrosimError, match=r"^x\.rtape: -1 is below 0$") as error:
        run_jobs(squared, [Job(-1)], there)
    assert error.value.exit_status == 4


@pytest.mark.full
def test_a_sweep_of_tapes_is_that_of_one_process_though_a_worker_is_killed(
    workers: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tapes and the folder of their ROM travel: the workers have neither."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(load_rom("sectors").path, "mine")
    names = [f"tape-{number:04}.rtape" for number in range(TAPES)]
    for number, name in enumerate(names):
        machine = open_machine("native", "sectors", parameters={"objects": 20, "seed": number})
        record_script(name, machine, 2 + number % 5, hash_every=1)
    shutil.copy(names[0], names[1])  # equal tapes are verified once, and both are in the report
    killed: list[int] = []

    def kill_halfway(ended: int, total: int) -> None:
        if ended == total // 2:
            os.kill(workers.processes[1].pid, signal.SIGKILL)
            killed.append(workers.processes[1].wait(10))

    def report(who: Workers, done: Callable[[int, int], None] = lambda *_: None) -> str:
        machines = usually(["mc68000-8"], ["native", "mc68000-8"])
        return json.dumps(verify_parts(names, lambda _: machines, Verification(rom="mine"), lambda _: who, done=done))

    expected = report(HERE)
    assert json.loads(expected)["tapes"][0]["results"][0]["compared"] == 2
    assert report(Workers(2)) == expected
    assert report(Workers(scheduler=workers.address), kill_halfway) == expected and killed == [-signal.SIGKILL]


@pytest.mark.full
def test_no_scheduler(monkeypatch) -> None:
    monkeypatch.setattr(running, "CONNECT_SECONDS", 1)
    with pytest.raises(RetrosimError, match=r"no dask scheduler at tcp://127\.0\.0\.1:9: "):
        run_jobs(squared, [Job(1)], Workers(scheduler="tcp://127.0.0.1:9"))
