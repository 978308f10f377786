"""The engine "auto": what runs when, and that nothing of it shows in the machine."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from retrosim.cpu.engines import tiers
from retrosim.cpu.engines.handlers.handler_cache import HandlerCache
from retrosim.machine import Machine
from tests.helpers.cpu.cores import same_memory
from tests.helpers.machine import programs

# loop: moveq #20,d1; addq.l #1,d0; dbra d1; bsr f; bra loop; f: add.l d0,d2; rts
KNOWN = "7214 5280 51c9 fffc 6102 60f4 d480 4e75"
# a program that writes another one: addq.l #1,d0; eor.l d0,d3; bra, and goes there
MET = "33fc 5280 0000 3000 33fc b183 0000 3002 33fc 60fa 0000 3004 4ef8 3000"
SLICE = 500  # instructions


@pytest.fixture(autouse=True)
def quick_compiler() -> None:
    """Here it is as users have it."""


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Small limits and nothing on disk; returns what the interpreters take in, as it happens."""
    seen: list[str] = []

    def kind(cache: HandlerCache) -> str:
        return "quick handlers" if cache.quick else "handlers"

    class Seen(tiers.Interpreter):
        def __init__(self, core, cache) -> None:
            super().__init__(core, cache)
            seen.append(kind(cache))

        def use(self, cache) -> None:
            super().use(cache)
            seen.append(kind(cache))

        def install(self, compiled) -> None:
            super().install(compiled)
            seen.append("region")

    monkeypatch.setattr(tiers, "Interpreter", Seen)
    monkeypatch.setattr(tiers, "is_ready", lambda *arguments: False)
    monkeypatch.setattr(tiers, "is_compiled", lambda name: False)
    monkeypatch.setattr(tiers, "BUSY", 4 * SLICE)
    monkeypatch.setattr(tiers, "LOOK_AFTER", 2 * SLICE)
    monkeypatch.setattr(tiers, "MISSES_TO_COMPILE", 100)
    return seen


def wait_for_compiler(ours: Machine) -> bool:
    """Return whether there was something to wait for."""
    worker = ours._engine._worker
    if worker is not None:
        worker.join()
    return worker is not None or bool(ours._engine._made)


def run_both(slow: Machine, fast: Machine, slices: int) -> bool:
    """Run slice by slice, comparing after each; return whether something was compiled in the background."""
    compiled = False
    for number in range(slices):
        for each in (slow, fast):
            each.run(instructions=SLICE)
        compiled |= wait_for_compiler(fast)
        assert dict(fast.regs) == dict(slow.regs), number
        assert (fast.cycles, fast.instructions) == (slow.cycles, slow.instructions), number
        assert same_memory(fast.core, slow.core), number
    return compiled


def test_known_code_gets_better_handlers_then_regions(events: list[str]) -> None:
    slow, fast = (programs.machine(KNOWN, engine=engine, timing="table") for engine in ("evaluate", "auto"))
    assert events == ["quick handlers"] and fast.engine == "interpret"
    assert not run_both(slow, fast, 3)  # not busy yet
    assert events == ["quick handlers"] and fast._engine._wanted
    assert run_both(slow, fast, 3)
    assert events[:3] == ["quick handlers", "handlers", "region"] and set(events[3:]) <= {"region"}
    assert fast.engine == "recompile" and not fast._engine._wanted
    run_both(slow, fast, 3)


def test_code_met_at_run_time_gets_handlers_then_regions(events: list[str]) -> None:
    slow, fast = (programs.machine(MET, engine=engine, timing="table") for engine in ("evaluate", "auto"))
    assert run_both(slow, fast, 12)
    known, late = events.index("region"), len(events) - 1 - events[::-1].index("region")
    assert events.count("quick handlers") == 2 and events.count("handlers") == 2 and known < late
    assert set(fast._engine._interpreter._entered) >= {0x3000}
    assert fast._engine._interpreter.bridged == 0
    run_both(slow, fast, 3)


def test_a_machine_that_does_not_compile_ahead_bridges_with_what_it_has(events: list[str]) -> None:
    """Engine interpret: handlers for code met at run time, no region."""
    slow, fast = (programs.machine(MET, engine=engine, timing="table") for engine in ("evaluate", "interpret"))
    assert not run_both(slow, fast, 8)
    assert "region" not in events and fast.engine == "interpret" and events[-1] == "quick handlers"


@pytest.mark.parametrize("engine", ["auto", "recompile"])
def test_what_cannot_be_compiled_stays_with_the_interpreter(
    events: list[str], monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    def broken(*arguments: object) -> None:
        raise RuntimeError("Cannot select: nothing")

    warnings = []
    monkeypatch.setattr(tiers, "CompiledRegion", broken)
    monkeypatch.setattr(tiers, "warn_once", lambda kind, text: warnings.append(text))
    slow, fast = programs.machine(KNOWN, timing="table"), programs.machine(KNOWN, engine=engine, timing="table")
    run_both(slow, fast, 12)
    assert fast.engine == "interpret"
    assert set(warnings) == {"some code could not be compiled and runs more slowly: Cannot select: nothing"}


def test_an_error_of_ours_is_raised_by_run(events: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise KeyError("a field that no model has")

    monkeypatch.setattr(tiers, "CompiledRegion", broken)
    ours = programs.machine(KNOWN, engine="auto", timing="table")
    with pytest.raises(KeyError, match="a field that no model has"):
        for _ in range(12):
            ours.run(instructions=SLICE)
            wait_for_compiler(ours)
    before = ours.instructions
    ours.run(instructions=SLICE)  # and the machine goes on
    assert ours.instructions == before + SLICE


def test_a_machine_that_is_done_with_compiles_no_more(events: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told so while the compiler is at the handlers: the regions behind them are dropped."""
    ours, make, go_on = programs.machine(KNOWN, engine="auto", timing="table"), tiers.handler_cache, threading.Event()

    def slow(*arguments) -> HandlerCache:
        go_on.wait(60)
        return make(*arguments)

    monkeypatch.setattr(tiers, "handler_cache", slow)
    while not ours.is_compiling:
        ours.run(instructions=SLICE)
    ours.stop_compiling()
    go_on.set()
    assert wait_for_compiler(ours)
    ours.run(instructions=SLICE)
    assert events == ["quick handlers", "handlers"] and not ours.is_compiling


LEAVES = """
from retrosim.cpu.engines import tiers
from tests.helpers.machine import programs
tiers.BUSY = 1
ours = programs.machine({code!r}, engine="auto", timing="table")
while ours._engine._worker is None:
    ours.run(instructions=10)
print("compiling" if ours._engine._worker.is_alive() else "too late")
"""


@pytest.mark.full
def test_a_process_may_end_while_the_compiler_is_at_work(tmp_path) -> None:
    path = os.pathsep.join(p for p in sys.path if p)
    environment = os.environ | {"RETROSIM_HOME": str(tmp_path), "PYTHONPATH": path}
    command = [sys.executable, "-c", LEAVES.format(code=KNOWN)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout, done.stderr) == (0, "compiling\n", "")
