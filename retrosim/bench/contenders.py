"""What runs in the benchmark: our engines, the kernel, emulators of others, and the routine's C compiled natively.

Each repeats complete checks of a workload and says how long it took, what flags came out, and, if it runs the ROM, a
digest of all that the routine has written.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from retrosim.cache.sources import PACKAGE
from retrosim.collide import workspace
from retrosim.collide.kernels.documents.four_shifts import mark_four_shifts
from retrosim.errors import RetrosimError
from retrosim.jit import kernel
from retrosim.machine import Machine
from retrosim.rom import Rom

from .peers import PACKAGES, runs
from .workload import STALE, Job, Workload, digest, job_of_checks, open_at_first_check

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
COMPILERS = ("cc", "gcc", "clang")
LONGEST_RUN = 120  # seconds a process may take for anything
WARM_INSTRUCTIONS = 2_000_000  # after which what is found at run time has been recompiled

_SIDE = 30
_SOURCES = ("src/sectors.c", "src/objects.c")
# The sources know the 68K, i386 and PowerPC. Claiming to be the i386 gives 16-bit scalars on any host; nothing else in
# these two files depends on it. The attribute that keeps functions apart for measuring is taken away: this is plain C.
_C_FLAGS = ("-O2", "-std=gnu11", "-D__i386__", "-Dnoipa=")
_DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void Seed(unsigned seed);
void RandomizeObjects(short count);
void DetermineCollisions(void);
extern unsigned char gCollisionArray[];

int main(int number, char **words)
{
    struct timespec start, end;
    long i, objects, checks;

    if (number != 4)
        return 2;
    objects = atol(words[2]);
    checks = atol(words[3]);
    Seed(strtoul(words[1], 0, 10));
    RandomizeObjects(objects);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (i = 0; i < checks; i++)
        DetermineCollisions();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    printf("%.9f ", difftime(end.tv_sec, start.tv_sec) + 1e-9 * (end.tv_nsec - start.tv_nsec));
    for (i = 0; i < objects; i++)
        printf("%02x", gCollisionArray[i]);
    return 0;
}
"""


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


class Contender(Protocol):
    """What the benchmark needs of each."""

    def run(self, count: int) -> Lap:
        """Make `count` checks, 1 or more. Errors: RetrosimError."""

    def close(self) -> None:
        """Give back what is held."""


class Simulated:
    """Machine code on one of our engines.

    engine   that the machine was opened with
    job      what is repeated; another may be put in its place
    """

    def __init__(self, engine: str, machine: Machine, job: Job) -> None:
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


class Kernel:
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


class Peer:
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


class NativeC:
    """The ROM's own C source, compiled for this host; every lap is a process that times itself."""

    def __init__(self, rom: Rom, workload: Workload, folder: Path) -> None:
        self._load, self._program = workload, folder / "native"
        (folder / "driver.c").write_text(_DRIVER)
        objects = []
        for number, source in enumerate([*(rom.path / name for name in _SOURCES), folder / "driver.c"]):
            flags = _C_FLAGS if number < len(_SOURCES) else _C_FLAGS[:2]
            objects.append(str(folder / f"{number}.o"))
            call_tool([find_compiler() or "cc", *flags, "-c", str(source), "-o", objects[-1]])
        call_tool([find_compiler() or "cc", *objects, "-o", str(self._program)])

    def run(self, count: int) -> Lap:
        output = call_tool([str(self._program), str(self._load.seed), str(self._load.objects), str(count)])
        seconds, flags = output.split()
        return Lap(float(seconds), bytes.fromhex(flags), None)

    def close(self) -> None:
        self._program.unlink(missing_ok=True)


def call_tool(command: list[str]) -> str:
    """Return what a program prints. Errors: RetrosimError."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_RUN, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RetrosimError(f"{Path(command[0]).name}: {error}") from None
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"status {done.returncode}"]
        raise RetrosimError(f"{Path(command[0]).name}: {last[0]}")
    return done.stdout


def child_environment(**variables: str) -> dict[str, str]:
    """Return the environment for a Python child that finds this very package."""
    paths = [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)} | variables


def find_compiler() -> str | None:
    """Return the path of a C compiler: $CC, else the first of COMPILERS that is there, else None."""
    return next((path for name in (os.environ.get("CC"), *COMPILERS) if name and (path := shutil.which(name))), None)


def missing_peer(engine: str, isa: str) -> str | None:
    """Return why an emulator of others cannot run here, or not the code of an ISA; None if it can, or is ours."""
    if engine not in PACKAGES:
        return None
    if not runs(engine, isa):
        return f"it has no CPU for code of the {isa}"
    if importlib.util.find_spec(PACKAGES[engine]) is None:
        return f"the Python package {PACKAGES[engine]} is not installed"
    return None


def why_missing(engine: str, rom: Rom, isa: str) -> str | None:
    """Return why an engine cannot run on this host, or not the code of an ISA; None if it can."""
    if engine == "native-c":
        if not all((rom.path / name).is_file() for name in _SOURCES):
            return "the ROM's sources are not here (they are in the repository, not in the installed package)"
        if find_compiler() is None:
            return f"no C compiler is installed ({', '.join(COMPILERS)})"
    return missing_peer(engine, isa)


def open_contender(engine: str, rom: Rom, workload: Workload, folder: Path) -> Contender:
    """Make a contender ready.

    engine   one of ENGINES
    folder   for files it needs until it is closed
    Errors   RetrosimError
    """
    own = Path(tempfile.mkdtemp(prefix=f"{engine}-", dir=folder))
    if engine in SIMULATED:
        kind, timing = SIMULATED[engine]
        load = workload
        machine = open_at_first_check(
            load.machine, rom, load.build, load.objects, load.seed, engine=kind, timing=timing
        )
        return Simulated(kind, machine, job_of_checks(machine))
    if engine == "kernel":
        return Kernel(workload)
    if engine in PACKAGES:
        return Peer(engine, workload.isa, workload.memory, workload.job, own)
    return NativeC(rom, workload, own)
