"""gdb itself on each processor: symbols, lines, registers, memory, steps, calls."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from retrosim.console.target import Target
from retrosim.machine import Machine
from retrosim.serve.programs import elf_of, file_of
from tests.helpers.amount import usually
from tests.helpers.machine.flat import MACHINES

from .gdb_client import needs_gdb, run_gdb

GDB_NAMES = {"a6": "fp", "a7": "sp", "sr": "ps"}


def opened(name: str) -> Machine:
    """A build with frame pointers, because these images have no unwind tables."""
    return Machine(name, "sectors", build="O0", engine="interpret")


def elf(machine: Machine) -> bytes:
    assert machine.rom is not None
    return elf_of(machine, file_of(machine.rom, machine.image, "sectors"))


@pytest.mark.full
@needs_gdb
@pytest.mark.parametrize("name", usually(("mc68040-25", "i486dx2-66", "ppc601-80"), MACHINES))
def test_a_session(name: str, tmp_path: Path) -> None:
    machine, twin = opened(name), opened(name)
    state = tmp_path / "state"
    line = next(row[2] for row in machine.image.lines if row[1].endswith("sectors.c") and row[2] > 48)
    said = run_gdb(
        Target(machine),
        [
            "break *&DetermineCollisions",
            f"tbreak sectors.c:{line}",
            "continue",
            "info registers",
            "bt 2",
            "x/2i $pc",
            "x/16xb $pc",
            "delete 1",
            "continue 1",
            "bt",
            "next",
            "step",
            "info symbol $pc",
            "stepi",
            "finish",
            "set var gFrame = 12345",
            "print gFrame",
            "monitor clocks",
            "monitor frame",
            "watch *(int *)&gFrame",
            "continue 2",
            "info registers pc",
            "monitor wrote gFrame",
            "reverse-stepi",
            "info registers pc ",
            "reverse-continue",
            "delete",
            "monitor limit DetermineCollisions, 100",
            "monitor points",
            "monitor catch divergence",
            "continue 3",
            "print/x $pc = &DetermineCollisions",
            "monitor clocks",
            f"monitor save {state}",
            f"monitor load {state}",
            "monitor nonsense",
            "x/xb 0x1000000",
        ],
        elf(machine),
    )
    entry = twin.address("DetermineCollisions")
    twin.run(until=entry)
    shown = dict(line.split()[:2] for line in said["info registers"].splitlines() if line.strip())
    for register, value in twin.regs.items():
        assert (
            int(shown[GDB_NAMES.get(register, "eip" if "eip" in shown and register == "pc" else register)], 16) == value
        )
    assert "DetermineCollisions" in said["bt 2"] and "RunDemo" in said["bt 2"]
    code = [int(word, 16) for line in said["x/16xb $pc"].splitlines() for word in line.partition(":")[2].split()]
    assert bytes(code) == twin.mem[entry : entry + 16].tobytes()
    assert f"sectors.c:{line}" in said["continue 1"]
    assert "Main" in said["bt"]
    assert f"\n{line + 1}\t" in f"\n{said['next']}" and said["info symbol $pc"].startswith("UpdateSectors")
    assert "DetermineCollisions () at" in said["finish"]
    assert "12345" in said["print gFrame"]
    assert f"{entry:#x}" in said["print/x $pc = &DetermineCollisions"]
    assert "Old value = 12345" in said["continue 2"] and "New value = 12346" in said["continue 2"]
    assert "RunDemo" in said["monitor wrote gFrame"]
    after, before = (int(said[f"info registers pc{n}"].split()[1], 16) for n in ("", " "))
    writing = twin.core.decode(before)
    assert writing.end == after and f"{before:06X}" in said["monitor wrote gFrame"]
    assert "instructions" in said["monitor clocks"] and "% of a period" in said["monitor frame"]
    assert state.stat().st_size > 1000 and "frame 0" in said[f"monitor load {state}"]
    assert "no command; `help` lists them" in said["monitor nonsense"]
    assert "more than 100 clocks in DetermineCollisions" in said["monitor points"]
    assert "plays no tape" in said["monitor catch divergence"]
    assert "SIGTRAP" in said["continue 3"]
    assert "Cannot access memory" in said["x/xb 0x1000000"]


@pytest.mark.first_case
@needs_gdb
@pytest.mark.parametrize("name", usually(("mc68040-25", "i386dx-33"), ("mc68040-25", "i386dx-33", "ppc601-80")))
def test_backtraces_of_optimized_code(name: str) -> None:
    machine = Machine(name, "sectors", engine="interpret")
    served = elf(machine)
    commands, wanted = [], []
    debugger = machine.debugger
    debugger.until("UpdateSectors")
    for stop in range(4):  # before, inside and behind the frame
        commands += [f"stepi {stop * 23}" if stop else "stepi", f"bt {-20 - stop}"]
    said = run_gdb(Target(machine), commands, served)
    debugger.go_to(debugger.beginning)
    debugger.until("UpdateSectors")
    for stop in range(4):
        debugger.step(stop * 23 or 1)
        wanted.append([frame.function for frame in debugger.call_stack()])
    for stop, functions in enumerate(wanted):
        lines = said[f"bt {-20 - stop}"].strip().splitlines()
        shown = [re.sub(r"#\d+ +(0x\w+ in )?", "", line).split()[0] for line in lines if line.startswith("#")]
        assert [each for each in shown if each in functions] == functions, said[f"bt {-20 - stop}"]
        assert functions[-3:] == ["RunDemo", "Main", "_start"]
