"""C compiled for this host, as a contender: the ROM's routine, the programs of `bench`, and a program of the user's.

Every lap is a process of its own that times itself.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from retrosim.errors import RetrosimError
from retrosim.rom import Rom
from retrosim.rom.formats.sources import FLAGS

from .contenders import LONGEST_RUN, Contender, Lap
from .peers import PACKAGES, runs
from .workload import RepeatedWork, Workload

NO_ROM_SOURCES = "the ROM's sources are not here (they are in the repository, not in the installed package)"
COMPILERS = ("cc", "gcc", "clang")
ROUTINE_SOURCES = ("src/sectors.c", "src/objects.c")
PROGRAM_SOURCES = "src/*.c"
NOT_NATIVE = ("selfmod",)  # of the programs of `bench`: what the host's C cannot do
# The sources know the 68K, i386 and PowerPC. Claiming to be the i386 gives 16-bit scalars on any host; nothing else in
# these two files depends on it. The attribute that keeps functions apart for measuring is taken away: this is plain C.
_C_FLAGS = ("-O2", "-std=gnu11", "-D__i386__", "-Dnoipa=")
_CLOCK = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct timespec start;

static void start_clock(void)
{
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
}

static double seconds(void)
{
    struct timespec end;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return difftime(end.tv_sec, start.tv_sec) + 1e-9 * (end.tv_nsec - start.tv_nsec);
}
"""
_ROUTINE_DRIVER = r"""
void Seed(unsigned seed);
void RandomizeObjects(short count);
void DetermineCollisions(void);
extern unsigned char gCollisionArray[];

int main(int number, char **words)
{
    long i, objects, checks;

    if (number != 4)
        return 2;
    objects = atol(words[2]);
    checks = atol(words[3]);
    Seed(strtoul(words[1], 0, 10));
    RandomizeObjects(objects);
    start_clock();
    for (i = 0; i < checks; i++)
        DetermineCollisions();
    printf("%.9f ", seconds());
    for (i = 0; i < objects; i++)
        printf("%02x", gCollisionArray[i]);
    return 0;
}
"""
_PROGRAMS_DRIVER = r"""
#include "bench.h"

static const struct { const char *name; unsigned (*routine)(void); } programs[] = {PROGRAMS};

int main(int number, char **words)
{
    unsigned sum = 0, i = 0;
    long count;

    if (number != 3)
        return 2;
    while (strcmp(programs[i].name, words[1]))
        i++;
    count = atol(words[2]);
    programs[i].routine();
    start_clock();
    while (count--)
        sum = programs[i].routine();
    printf("%.9f %08x", seconds(), sum);
    return 0;
}
"""
_MAIN = "main_of_the_program"
_PROGRAM_DRIVER = r"""
static const char *taken;
static unsigned readings;

void yield_frame(void)
{
}

unsigned microseconds(void)
{
    return ++readings * 1000000u;
}

void write_text(const char *from, unsigned size)
{
    fwrite(from, 1, size < 4096 ? size : 4096, stdout);
}

/* However the program ends: write its text, and the seconds it took. */
static void end(void)
{
    double used = seconds();
    FILE *file;

    fflush(stdout);
    file = fopen(taken, "w");
    fprintf(file, "%.9f", used);
    fclose(file);
    _Exit(0);
}

void exit_program(int status)
{
    exit(status);
}

int main_of_the_program();

int main(int count, char **names)
{
    char *none = NULL;

    (void)count;
    taken = names[1];
    atexit(end);
    start_clock();
    exit(main_of_the_program(0, &none));
}
"""


class Native(Contender):
    """C with a driver that times it; `close` removes the executable."""

    def __init__(self, driver: str, folder: Path) -> None:
        self._folder, self._executable = folder, folder / "native"
        self._driver = folder / "driver.c"
        self._driver.write_text(_CLOCK + driver)

    def _compile(self, *words: str | Path) -> None:
        """Call the compiler. Errors: RetrosimError."""
        call_tool([find_compiler() or "cc", *map(str, words)])

    def _execute(self, *words: str | int | Path) -> str:
        """Return what the executable prints. Errors: RetrosimError."""
        return call_tool([str(self._executable), *map(str, words)])

    def close(self) -> None:
        self._executable.unlink(missing_ok=True)


class NativeRoutine(Native):
    """The routine of the ROM `sectors`, on the objects of a workload."""

    def __init__(self, rom: Rom, workload: Workload, folder: Path) -> None:
        super().__init__(_ROUTINE_DRIVER, folder)
        self._load = workload
        objects = [folder / f"{number}.o" for number in range(len(ROUTINE_SOURCES) + 1)]
        for source, to in zip(ROUTINE_SOURCES, objects):
            self._compile(*_C_FLAGS, "-c", rom.path / source, "-o", to)
        self._compile(*_C_FLAGS[:2], "-c", self._driver, "-o", objects[-1])
        self._compile(*objects, "-o", self._executable)

    def run(self, count: int) -> Lap:
        seconds, flags = self._execute(self._load.seed, self._load.objects, count).split()
        return Lap(float(seconds), bytes.fromhex(flags), None)


class NativePrograms(Native):
    """The programs of the ROM `bench`.

    job    what is repeated; another may be put in its place
    order  of the bytes of a checksum
    """

    def __init__(self, rom: Rom, job: RepeatedWork, order: Literal["big", "little"], folder: Path) -> None:
        table = ", ".join(f'{{"{name}", {name}}}' for name in rom.constants if name not in NOT_NATIVE)
        super().__init__(_PROGRAMS_DRIVER.replace("PROGRAMS", table), folder)
        self.job, self._order = job, order
        sources = sorted(rom.path.glob(PROGRAM_SOURCES))
        self._compile("-O2", "-std=gnu11", f"-I{rom.path / 'src'}", *sources, self._driver, "-o", self._executable)

    def run(self, count: int) -> Lap:
        seconds, checksum = self._execute(self.job.name, count).split()
        return Lap(float(seconds), int(checksum, 16).to_bytes(4, self._order), None)


class NativeProgram(Native):
    """A program of the user's own, of C sources; its result is the text that it writes."""

    def __init__(self, sources: Sequence[Path], flags: Sequence[str], folder: Path) -> None:
        super().__init__(_PROGRAM_DRIVER, folder)
        own, joined = [folder / f"{number}.o" for number in range(len(sources))], folder / "program.o"
        for source, to in zip(sources, own):
            self._compile(*FLAGS, *flags, f"-Dmain={_MAIN}", "-w", "-c", source.resolve(), "-o", to)
        self._compile("-r", "-nostdlib", *own, "-o", joined)
        # the program's own printf or malloc must not become those of the host's library
        call_tool([shutil.which("objcopy") or "objcopy", f"--keep-global-symbol={_MAIN}", str(joined)])
        self._compile("-O2", "-no-pie", self._driver, joined, "-lm", "-o", self._executable)

    def run(self, count: int) -> Lap:
        seconds, text, taken = 0.0, "", self._folder / "seconds"
        for _ in range(count):
            text = self._execute(taken)
            seconds += float(taken.read_text())
        return Lap(seconds, text.encode(), None)


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


def find_compiler() -> str | None:
    """Return the path of a C compiler: $CC, else the first of COMPILERS that is there, else None."""
    return next((path for name in (os.environ.get("CC"), *COMPILERS) if name and (path := shutil.which(name))), None)


def why_missing(engine: str, isa: str, are_sources_here: bool, without: str = NO_ROM_SOURCES) -> str | None:
    """Return why a contender cannot run on this host, or not the code of an ISA; None if it can.

    without  the reason of native C if its sources are not here
    """
    if engine == "native-c":
        if not are_sources_here:
            return without
        return None if find_compiler() else f"no C compiler is installed ({', '.join(COMPILERS)})"
    if engine in PACKAGES and not runs(engine, isa):
        return f"it has no CPU for code of the {isa}"
    if engine in PACKAGES and importlib.util.find_spec(PACKAGES[engine]) is None:
        return f"the Python package {PACKAGES[engine]} is not installed"
    return None
