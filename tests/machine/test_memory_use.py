"""What is left of a machine that nobody uses any more: nothing."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path
from weakref import WeakValueDictionary

import pytest

from retrosim.cpu.engines import compiled
from retrosim.cpu.engines.compiled import CompiledFunctions
from tests.helpers.amount import FULL, amount
from tests.helpers.machine import programs

ROOT = Path(__file__).resolve().parents[2]
KINDS = 6 if FULL else 3
MAX_GROWTH = 2 * KINDS  # MiB, for 4 machines of each kind: 5 before their code ended with them, 0.5 now

# addq.l #1,d0; addi, ori, eori .. of a size; bra: handlers differ each time, so that all is compiled anew
OPENS_AND_DROPS = """
import resource, sys
from tests.helpers.machine import programs

def open_and_drop(number):
    code = f"5280 {number:04x} 000f 60f8"
    for engine in ("interpret", "recompile"):
        ours = programs.machine(code, engine=engine, timing="table")
        ours.run(instructions=3000)
        ours.load(ours.save())
        ours.restore(ours.snapshot())

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20

for number in range(0x0000, 0x0004):
    open_and_drop(number)
before = resident()
for kind in (0x0000, 0x0200, 0x0400, 0x0600, 0x0A00, 0x0C00)[:int(sys.argv[1])]:
    for number in range(kind + 0x40, kind + 0x44):
        open_and_drop(number)
print(resident() - before)
"""


def machine_code() -> set[int]:
    """Return the addresses of all groups of functions."""
    return {id(each) for each in gc.get_objects() if type(each) is CompiledFunctions}


@pytest.mark.parametrize("engine", ["interpret", "recompile"])
def test_machine_code_ends_with_its_machine(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the garbage collector: it seldom looks at what has grown old."""
    monkeypatch.setattr(compiled, "_groups", WeakValueDictionary())  # none that other tests still hold
    programs.machine("60fe", engine=engine).run(instructions=1)  # the function that enters code serves all machines
    gc.collect()
    gc.disable()
    try:
        before = machine_code()
        ours = programs.machine("5280 5281 60fa", engine=engine)
        ours.run(instructions=3000)
        memory = weakref.ref(ours.core)
        assert machine_code() > before
        del ours
        assert memory() is None and machine_code() == before
    finally:
        gc.enable()


@pytest.mark.full
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process is read from /proc")
def test_many_machines_one_after_the_other(tmp_path) -> None:
    environment = os.environ | {"RETROSIM_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", OPENS_AND_DROPS, str(KINDS)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < MAX_GROWTH


MACHINES = amount(3, 3)
EACH = 40  # MiB, of a machine whose whole memory has been written
MANY_MACHINES = """
import resource, sys
from retrosim.machine import open_machine

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20

def opened():
    ours = open_machine("mc68040-25", engine="interpret")
    ours.run(frames=1)
    ours.write(0x200000, bytes(range(1, 256)) * 50_000)
    return ours

first = opened()
before = resident()
machines = [opened() for _ in range(int(sys.argv[1]))]
held = resident() - before
del machines
print(held / int(sys.argv[1]), held, resident() - before)
"""


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_many_machines_live_in_one_process() -> None:
    """40 MB each at most, and gone when they are dropped; the bound holds for 200 of them (--times 66)."""
    command = [sys.executable, "-c", MANY_MACHINES, str(MACHINES)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    each, held, left = map(float, ended.stdout.split())
    assert 12 < each < EACH, "what is written counts"
    assert held < 4096 and left < max(EACH, held / 10), (held, left)
