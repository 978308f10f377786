"""Programs of users in every debugger: an ELF file, an Amiga executable, and one of DOS in real mode."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from retrosim.cli.commands.dap import launch
from retrosim.console import commands
from retrosim.console.session import ConsoleSession
from retrosim.console.target import Target
from retrosim.serve.programs import elf_of
from retrosim.window.debugger.panel import DebugPanel
from retrosim.window.debugger.view import draw_debugger
from retrosim.window.pad import Pad
from tests.helpers.rom.program_files import hunk_program

from .gdb_client import needs_gdb, run_gdb

SAMPLES = Path(__file__).resolve().parents[1] / "rom" / "samples"
STEPS = 3
Opened = Callable[[], Target]


@pytest.fixture(params=["elf", "hunk", "com"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """Opens a program with the machine at its first instruction."""
    (tmp_path / "count").write_bytes(hunk_program())
    program = {"elf": SAMPLES / "count-ppc-relocs.elf", "hunk": tmp_path / "count", "com": SAMPLES / "count.com"}
    return lambda: launch({"program": str(program[request.param]), "engine": "evaluate"}, print).target


def places(opened: Opened) -> list[int]:
    """Where the first steps of the program lead."""
    target = opened()
    return [target.machine.regs["pc"], *(target.debugger.step().pc for _ in range(STEPS))]


def test_the_terminal_and_the_window(opened: Opened) -> None:
    start, *_, last = places(opened)
    session = ConsoleSession(opened())
    for line in (f"break {last:#x}", "continue"):
        answer = commands.answer(session, line)
    assert (answer.stop.reason, answer.stop.pc) == ("breakpoint", last)
    view = "\n".join(line.plain for line in commands.answer(session, "view").lines)
    assert f"  1 => {last:06X}" in view and "#0" in view
    assert commands.answer(session, f"rsi {STEPS}").stop.pc == start
    assert commands.answer(session, "rc").stop.reason == "beginning"

    panel = DebugPanel(opened().machine, Pad())
    before = draw_debugger(panel)
    for key in "SSS":
        panel.key(key)
    assert panel.cursor == last and not np.array_equal(draw_debugger(panel), before)
    panel.key("S", shift=True)
    panel.do("command")
    panel.text(f"until {last:#x}")
    panel.key("RETURN")
    assert panel.cursor == last, panel.message


@pytest.mark.parametrize("opened", ["hunk", "com"], indirect=True)
def test_an_editor(opened: Opened) -> None:
    client = pytest.importorskip("tests.serve.dap_client")
    _, _, between, last = places(opened)
    with client.editor(lambda *_: client.Opened(opened(), [])) as ide:
        ide.ask("launch")
        point = {"instructionReference": f"{last:#x}"}
        assert ide.ask("setInstructionBreakpoints", breakpoints=[point]).breakpoints[0].verified
        ide.ask("configurationDone")
        ide.until_stopped()
        ide.ask("continue", threadId=1)
        assert ide.until_stopped().reason == "instruction breakpoint"
        ide.ask("stackTrace", threadId=1)
        assert ide.body["stackFrames"][0]["instructionPointerReference"] == f"{last:#x}"
        ide.ask("stepBack", threadId=1, granularity="instruction")
        ide.until_stopped()
        ide.ask("stackTrace", threadId=1)
        assert ide.body["stackFrames"][0]["instructionPointerReference"] == f"{between:#x}"


@needs_gdb
@pytest.mark.parametrize("opened", ["com"], indirect=True)
def test_gdb(opened: Opened) -> None:
    _, first, _, last = places(opened)
    target = opened()
    said = run_gdb(
        target,
        [f"break *{last:#x}", "continue", "reverse-stepi 2", "print/x $pc", "x/i $pc", "monitor stack", "stepi"],
        elf_of(target.machine, None),
    )
    assert "Breakpoint 1" in said["continue"] and f"= {first:#x}" in said["print/x $pc"]
    assert f"{first:#x}" in said["x/i $pc"] and "#0" in said["monitor stack"]
