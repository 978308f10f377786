"""Tries inputs in processes of their own, as jobs (retrosim.jobs), and makes what they find smaller."""

from __future__ import annotations

import faulthandler
import gc
import hashlib
import math
import multiprocessing
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache, reduce
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from retrosim.jobs import Job, Workers, run_jobs

from .target import Find, Target, limits
from .targets import TARGETS

HANG_SECONDS = 20.0  # of processor time, after which an input is stopped
STILL_SECONDS = 300  # without any input tried: a deadlock
SPARE_BYTES = 3 << 30  # of address space that a process may ask for beyond what it has
MINIMISE_SECONDS = 20.0
PART_SECONDS = 10.0  # of a search that has a time
PARTS = 8  # a process, of one that has a number of inputs
FAR = 10**9  # numbers from one part of a search that has a time to the next
FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Finding:
    """An input that did what none may do.

    what     in one line, equal for what is probably the same defect
    details  a traceback, or ""
    """

    number: int
    what: str
    details: str


@dataclass
class Tally:
    """How far a target has come."""

    tried: int = 0
    accepted: int = 0
    findings: tuple[Finding, ...] = ()


def input_of(target: Target, seed: int, number: int) -> bytes:
    """Return the input of a number."""
    return target.make(Random(f"{seed} {target.name} {number}"))


def outcome(target: Target, data: bytes) -> tuple[bool, str, str]:
    """Try an input in this process: whether it was accepted, what is wrong in one line or "", and the details."""
    accepted = [False]
    signal.setitimer(signal.ITIMER_PROF, HANG_SECONDS)
    try:
        with limits(target, accepted):
            accepted[-1] = target.attempt(data)
    except Find as find:
        return False, str(find), ""
    except BaseException as error:  # whatever comes out is a find
        last = traceback.extract_tb(error.__traceback__)[-1]
        return False, f"{type(error).__name__} in {Path(last.filename).name}:{last.name}", traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return accepted[-1], "", ""


def _prepare() -> None:
    """Limit the process; what it says on the way goes nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    faulthandler.disable()
    with open("/proc/self/statm", "rb") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + SPARE_BYTES, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, resource.RLIM_INFINITY))


def _work(target: Target, seed: int, numbers: range, end: float, now, tried, accepted, found) -> None:
    """Try inputs until there are none, or the time has come; the others see how far it is."""
    _prepare()
    seen: set[str] = set()
    for number in numbers:
        if time.monotonic() > end:
            break
        now.value = number
        is_accepted, what, details = outcome(target, input_of(target, seed, number))
        tried.value += 1
        accepted.value += is_accepted
        if what and what not in seen:
            seen.add(what)
            found.send(Finding(number, what, details))
        if tried.value % 500 == 0:
            gc.collect()
    now.value = -1
    os._exit(0)


class _Worker:
    """A process that tries one input after the other; it is started again behind an input that ended it."""

    def __init__(self, target: Target, seed: int, numbers: range, end: float) -> None:
        self._target, self._seed, self._numbers, self._end = target, seed, numbers, end
        self.tried, self.accepted, self._now = (FORK.Value("q", 0, lock=False) for _ in range(3))
        self.findings: list[Finding] = []
        self._start()

    def _start(self) -> None:
        self._receiver, sender = FORK.Pipe(duplex=False)
        self._now.value = -1
        shared = (self._now, self.tried, self.accepted, sender)
        self._process = FORK.Process(target=_work, args=(self._target, self._seed, self._numbers, self._end, *shared))
        self._process.start()
        sender.close()
        self._last, self._at = -1, time.monotonic()

    def look(self) -> bool:
        """Take what was found; return whether there is more to come."""
        try:
            while self._receiver.poll():
                self.findings.append(self._receiver.recv())
        except EOFError:
            pass
        if self.tried.value != self._last:
            self._last, self._at = self.tried.value, time.monotonic()
        elif time.monotonic() - self._at > STILL_SECONDS:
            self._process.kill()
        if self._process.is_alive():
            return True
        self._process.join()
        number = self._now.value
        if number < 0:
            return False
        self.findings.append(Finding(number, ending(self._process.exitcode or 0), ""))
        self.tried.value += 1
        self._numbers = range(number + 1, self._numbers.stop)
        self._start()
        return True

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()


def ending(status: int) -> str:
    """Say how a process ended that should not have."""
    if status == -signal.SIGPROF:
        return f"takes {HANG_SECONDS:.0f} s and more of processor time"
    return f"ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"


def try_inputs(argument: dict[str, Any], report: Callable[[Tally], None] = lambda tally: None) -> dict[str, Any]:
    """Try inputs of a target; return the tally. Findings are told on stderr too, as they come.

    argument  target, seed, first number and count, seconds that it may take or None
    report    called now and then
    """
    target, seed, first = TARGETS[argument["target"]], argument["seed"], argument["first"]
    seconds = argument["seconds"]
    input_of(target, seed, first)  # what is read once is read before the processes divide
    _made_ready(target)
    end = time.monotonic() + seconds if seconds else float("inf")
    worker = _Worker(target, seed, range(first, first + argument["count"]), end)
    count = 0
    try:
        begun, is_busy = time.monotonic(), True
        while is_busy:
            is_busy = worker.look()
            for finding in worker.findings[count:]:
                print(
                    f"{target.name}: input {finding.number} of seed {seed}: {finding.what}", file=sys.stderr, flush=True
                )
            count = len(worker.findings)
            tally = Tally(worker.tried.value, worker.accepted.value, tuple(worker.findings))
            report(tally)
            time.sleep(0.02 if time.monotonic() < begun + 2 else 0.2)
    finally:
        worker.stop()
    return asdict(tally)


def search(
    target: Target,
    seed: int,
    inputs: int,
    seconds: float | None,
    workers: Workers,
    report: Callable[[Tally], None],
    done: Callable[[int, int], None],
) -> Tally:
    """Try inputs 0..inputs-1, or as many as there is time for.

    report  called now and then while inputs are tried in this process
    done    called with the number of parts that are done, and of all, after each
    """
    jobs = [
        Job(
            {
                "target": target.name,
                "seed": seed,
                "sources": _sources(),
                "first": first,
                "count": count,
                "seconds": time,
            }
        )
        for first, count, time in _parts(inputs, seconds, workers)
    ]
    before = Tally()
    ended = 0

    def here(argument: dict[str, Any]) -> dict[str, Any]:
        nonlocal before
        found = try_inputs(argument, lambda tally: report(_sum(before, tally)))
        before = _sum(before, _tally(found))
        return found

    def one_more(index: int) -> None:
        nonlocal ended
        ended += 1
        done(ended, len(jobs))

    return reduce(_sum, map(_tally, run_jobs(try_inputs, jobs, workers, one_more, here)), Tally())


def _parts(inputs: int, seconds: float | None, workers: Workers) -> list[tuple[int, int, float | None]]:
    """Divide a search: first number, count and seconds of each part."""
    if seconds:
        rounds = math.ceil(seconds / PART_SECONDS)
        return [(FAR * part, FAR, seconds / rounds) for part in range(rounds * workers.processes)]
    count = 1 if workers.processes == 1 else min(inputs, PARTS * workers.processes)
    return [(first, end - first, None) for first, end in pairwise(inputs * part // count for part in range(count + 1))]


@cache
def _made_ready(target: Target) -> None:
    target.prepare()


@cache
def _sources() -> str:
    """Return a digest of these tools: results of others are not taken up."""
    paths = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def _tally(found: dict[str, Any]) -> Tally:
    return Tally(found["tried"], found["accepted"], tuple(Finding(**each) for each in found["findings"]))


def _sum(a: Tally, b: Tally) -> Tally:
    """Add two tallies; of findings that say the same the first remains."""
    first = {finding.what: finding for finding in reversed((*a.findings, *b.findings))}
    return Tally(a.tried + b.tried, a.accepted + b.accepted, tuple(sorted(first.values(), key=lambda f: f.number)))


def judged(target: Target, data: bytes) -> str:
    """Try an input in a process of its own; return what is wrong in one line, or ""."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _prepare()
        os.write(writing, outcome(target, data)[1].encode()[:4000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        text = answer.read().decode()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return ending(status) if status else text


def minimised(target: Target, data: bytes, what: str) -> bytes:
    """Return a smaller input that does the same: parts are left out, ever smaller ones, while that is so."""
    end = time.monotonic() + MINIMISE_SECONDS
    size = max(1, len(data) // 2)
    while size:
        place, is_smaller = 0, False
        while place < len(data) and time.monotonic() < end:
            shorter = data[:place] + data[place + size :]
            for candidate in dict.fromkeys((shorter, target.mend(shorter))):
                if len(candidate) < len(data) and judged(target, candidate) == what:
                    data, is_smaller = candidate, True
                    break
            else:
                place += size
        if not is_smaller or time.monotonic() > end:
            size //= 2
    return data
