"""What runs machine code in a race: our engines and emulators of others; and the kernel, which does the same without.

Each repeats what it is given, and says how long it took, what came out, and, if it runs a ROM's routine, a digest of
all that the routine has written. C compiled for this host is in `native`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from retrosim.cache.sources import PACKAGE
from retrosim.collide import workspace
from retrosim.collide.kernels.pairs.sectors import mark_four_shifts
from retrosim.errors import RetrosimError
from retrosim.jit import kernel
from retrosim.machine import Machine

from .peers import PACKAGES
from .race import Ready
from .workload import STALE, RepeatedWork, Workload, digest

SIMULATED = {
    "recompile-full": ("recompile", "full"),
    "recompile-table": ("recompile", "table"),
    "recompile-off": ("recompile", "off"),
    "interpret-full": ("interpret", "full"),
    "interpret-table": ("interpret", "table"),
    "interpret-off": ("interpret", "off"),
    "evaluate": ("evaluate", "off"),
}
"""Engine of the benchmark -> engine and timing of a Machine."""

PEERS = (*PACKAGES, "native-c")
ENGINES = (*SIMULATED, "kernel", *PEERS)
HOST_PACKAGES = ("numba", "llvmlite", "numpy", *PACKAGES.values())
ON_REQUEST = ("evaluate",)  # one run of a program takes it seconds
LONGEST_RUN = 120  # seconds a process may take for anything
WARM_INSTRUCTIONS = 2_000_000  # after which what is found at run time has been recompiled

_SIDE = 30


@dataclass(frozen=True)
class Lap:
    """One timed run.

    seconds  of processor time for the checks asked for: other programs of the host do not count
    result   bytes, afterwards
    written  digest of what the ROM's routine wrote, None where no ROM runs
    """

    seconds: float
    result: bytes
    written: str | None


class Contender:
    """What repeats something in a race."""

    def run(self, count: int) -> Lap:
        """Repeat it `count` times, 1 or more. Errors: RetrosimError."""
        raise NotImplementedError

    def warm_up(self) -> None:
        """Have what is found at run time recompiled; others have nothing to do."""

    def close(self) -> None:
        """Give back what is held."""


class Simulated(Contender):
    """Machine code on one of our engines.

    engine   that the machine was opened with
    job      what is repeated; another may be put in its place
    """

    def __init__(self, engine: str, machine: Machine, job: RepeatedWork) -> None:
        self._engine, self._machine, self.job = engine, machine, job

    def run(self, count: int) -> Lap:
        machine, job = self._machine, self.job
        machine.write(job.result[0], bytes([STALE]) * job.result[1])
        for name, value in (job.registers | {job.counter: count, "pc": job.start}).items():
            machine.regs[name] = value
        start = time.thread_time()
        result = machine.run(until=job.end)
        seconds = time.thread_time() - start
        if result.reason != "until":
            raise result.fault or RetrosimError(f"the loop ended with {result.reason!r}")
        if machine.engine != self._engine:
            raise RetrosimError(f"the loop ran on {machine.engine!r}")
        return Lap(seconds, self._read(*job.result), digest(self._read(*part) for part in job.written))

    def warm_up(self) -> None:
        """Run the job until its code has been found and recompiled."""
        end = self._machine.instructions + WARM_INSTRUCTIONS
        while self._machine.instructions < end:
            self.run(1)

    def _read(self, address: int, size: int) -> bytes:
        return self._machine.mem[address : address + size].tobytes()

    def close(self) -> None:
        del self._machine


@kernel
def repeat_checks(x, y, size, work, flags, count):
    """Make `count` checks inside compiled code; the arguments are those of `mark_four_shifts`."""
    for _ in range(count):
        mark_four_shifts(x, y, size, True, work, flags)


class Kernel(Contender):
    """The Numba kernel, looping in compiled code."""

    def __init__(self, workload: Workload) -> None:
        self._load, self._work = workload, workspace(workload.objects)
        repeat_checks(workload.x, workload.y, _SIDE, self._work, np.zeros(workload.objects, np.uint8), 1)

    def run(self, count: int) -> Lap:
        flags = np.full(self._load.objects, STALE, np.uint8)
        start = time.thread_time()
        repeat_checks(self._load.x, self._load.y, _SIDE, self._work, flags, count)
        return Lap(time.thread_time() - start, flags.tobytes(), None)

    def close(self) -> None:
        del self._work


class Peer(Contender):
    """Another emulator in a child process, see `peers`.

    isa     of the code
    memory  16 MiB, the loop of each job in place
    job     what is repeated; another may be put in its place
    folder  for the memory, until this is closed
    """

    def __init__(self, name: str, isa: str, memory: bytes, job: Any, folder: Path) -> None:
        self._name, self.job = name, job
        file = folder / "memory"
        file.write_bytes(memory)
        command = [sys.executable, "-m", f"{__package__}.peers", name, str(file)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=child_environment(),
        )
        self._say(json.dumps(isa))

    def _say(self, line: str) -> None:
        try:
            print(line, file=self._process.stdin, flush=True)
        except OSError:
            self._fail()

    def _fail(self) -> None:
        self._process.kill()
        last = self._process.communicate()[1].strip().splitlines()[-1:]
        raise RetrosimError(f"{self._name} ended: {last[0] if last else f'status {self._process.returncode}'}")

    def run(self, count: int) -> Lap:
        self._say(json.dumps(asdict(self.job) | {"count": count}))
        guard = threading.Timer(LONGEST_RUN, self._process.kill)
        guard.start()
        try:
            answer = self._process.stdout.readline() if self._process.stdout else ""
        finally:
            guard.cancel()
        if not answer:
            self._fail()
        fields = json.loads(answer)
        return Lap(fields["seconds"], bytes.fromhex(fields["result"]), fields["written"])

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


Opened = TypeVar("Opened", bound=Contender)


@contextmanager
def opened(
    engines: Iterable[str], open_one: Callable[[str, Path], Opened], step: Callable[[str], None]
) -> Iterator[dict[str, Opened | RetrosimError]]:
    """Open contenders until the block ends; who cannot be opened has its error in place of a contender.

    open_one  engine, a folder of its own for files -> contender
    step      called with the engine that comes next
    """
    contenders: dict[str, Opened | RetrosimError] = {}
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="retrosim-bench-"))
        for engine in engines:
            step(engine)
            try:
                contenders[engine] = contender = open_one(
                    engine, Path(tempfile.mkdtemp(prefix=f"{engine}-", dir=folder))
                )
                stack.callback(contender.close)
            except RetrosimError as error:
                contenders[engine] = error
        yield contenders


def ready_for(engine: str, contender: Contender, run: Callable[[int], float]) -> Ready:
    """Return a contender that is warm; of one that takes seconds for a repetition a lap is one, and nothing before."""
    if engine in ON_REQUEST:
        return Ready(run, is_slow=True)
    contender.warm_up()
    return Ready(run)


def child_environment(**variables: str) -> dict[str, str]:
    """Return the environment for a Python child that finds this very package."""
    paths = [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)} | variables


@dataclass(frozen=True)
class OfMachineCode:
    """Figures of what runs machine code: `times_machine` is its speed over the machine's own, by the full timing."""

    instructions_per_second: float
    times_machine: float


def of_machine_code(engine: str, rate: float | None, instructions: int, seconds: float) -> OfMachineCode | None:
    """Return the figures of an engine that runs machine code; None for another one, or one without a speed.

    rate     repetitions per second
    seconds  of one on the machine itself; it has so many instructions
    """
    if not rate or (engine not in SIMULATED and engine not in PACKAGES):
        return None
    return OfMachineCode(rate * instructions, rate * seconds)
