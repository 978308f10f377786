"""Profiles whole programs: what each instruction, line and function of a run took, and who called whom.

Everything is counted, nothing sampled: the interpreter counts while it runs (see `cpu.engines.profiling`). The clocks
are those in which the program was busy. What it waits for the next frame, or stopped for an interrupt, is told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from retrosim.cpu.engines.profiling import Profile
from retrosim.cpu.engines.regions.counting import CLOCK, KIND_SHIFT
from retrosim.cpu.spec.cpu import SERVICE
from retrosim.cpu.spec.readings import changed_readings
from retrosim.cpu.spec.rows import Insn
from retrosim.machine import Machine
from retrosim.machine.clockwork import YIELD_FRAME
from retrosim.machine.options import changed_memory

from .calls import BRANCH, ENTER, INTERRUPT, LEAVE, PASS, CallTree, Functions, kind_of
from .report import call_rows, function_rows, line_rows
from .sources import source_texts

MAX_STRETCHES = 200_000  # of time between two calls or returns that a timeline keeps
SERVICES = {1: "(service: microseconds)", 2: "(service: exit)", 3: "(service: text)"}
OTHER, INTERRUPT_ENTRY = 14, 15  # of what the machine does, beside the services
HOST = {**SERVICES, OTHER: "(service)", INTERRUPT_ENTRY: "(interrupt is taken)"}
CAUSES, SERVICE_CAUSE = "causes", "services"  # the timing that counts by cause; what is no instruction's
COLUMNS = ["cycles", "instructions"]


class ProgramProfile:
    """Counts what a machine executes, from now on until `report`.

    waited   clocks in which the program waited for the next frame or an interrupt
    frames   busy clocks of each frame that was completed
    """

    def __init__(self, machine: Machine) -> None:
        """Begin. Errors: ValueError for a machine on the evaluator, and for one that counts no clocks."""
        if machine.timing == "off":
            raise ValueError("timing 'off': counts no cycles; allowed table, full")
        self._machine, self._state = machine, machine.core.state
        self._functions = Functions(machine.image.symbol_table)
        self._tree = CallTree(self._functions, int(self._state["pc"]), len(COLUMNS), True, MAX_STRETCHES)
        self.waited, self.frames = 0, list[int]()
        self._begun = self._ended = self._frame_began = machine.cycles
        self._instructions = machine.instructions
        self._causes = self._counted_causes()
        self._pc, self._is_yield, self._stopped = int(self._state["pc"]), False, False
        self._tree.totals[0] = machine.cycles
        machine.attach_profile(Profile(machine.core, self._kind, self._consume, self._between))

    def _counted_causes(self) -> dict[str, int]:
        """Return clocks by cause so far, with those between instructions; none where the timing counts none."""
        if self._machine.timing != CAUSES:
            return {}
        counts = self._state["causes"].tolist()
        named = dict(zip(self._machine.core.cpu.causes, counts, strict=True))
        return named | {SERVICE_CAUSE: self._machine.cycles - sum(counts)}

    def _kind(self, insn: Insn) -> int | None:
        kind = kind_of(insn)
        if kind is None:
            function = self._functions.at(insn.pc)
            places = [insn.end] if insn.target is None else [insn.end, insn.target]
            kind = BRANCH if any(self._functions.at(place) != function for place in places) else None
        return kind

    def _between(self, instructions: int = 0) -> None:
        """Note what the machine has done since the program was under way: a service, a wait, an interrupt.

        instructions  of the run that begins
        """
        now, pc = self._machine.cycles, int(self._state["pc"])
        passed, service = now - self._ended, self._service
        if service == YIELD_FRAME or (service is None and self._stopped):
            self.waited += passed
            self._tree.totals[0] += passed
            if service == YIELD_FRAME:
                self.frames.append(self._ended - self._frame_began)
                self._frame_began = now
        elif passed:
            number = INTERRUPT_ENTRY if service is None else service if service in SERVICES else OTHER
            self._note(ENTER, number, self._ended)
            self._note(LEAVE, 0, now)
        if pc != self._pc and service is None:
            self._note(INTERRUPT, pc, now)
        self._tree.totals[1] = -instructions

    def _note(self, kind: int, following: int, clock: int) -> None:
        self._tree.add([self._pc | kind << KIND_SHIFT, following, self._pc], [clock, self._tree.totals[1]])

    def _consume(self, log: np.ndarray, left: int) -> None:
        """Take the log of a run of the engine, of which so many instructions are left."""
        if len(log):
            self._tree.add(log[:, :CLOCK], log[:, CLOCK:])
        state = self._state
        self._tree.add([PASS << KIND_SHIFT, 0, 0], [int(state["cycles"]), -left])
        self._ended, self._pc = int(state["cycles"]), int(state["pc"])
        self._service = int(state["detail"]) if state["reason"] == SERVICE else None
        self._stopped = bool(state["stopped"])

    _service: int | None = None

    def report(self, sources: Sequence[Path] = ()) -> dict[str, Any]:
        """End the profile; return what was counted.

        sources  folders in which the text of source files is looked for
        Returns  dict: machine, model, clock_hz, timing, build, memory, memory_changed, readings, readings_changed;
                 totals {cycles (busy), waited, instructions, frames, and of a frame cycles_minimum, cycles_mean,
                 cycles_maximum; causes: cause -> busy clocks, None unless the timing is "causes"}; functions,
                 lines, calls, sources, timeline and listing as of `study.cost.cost_report`,
                 the listing without base clocks, stalls and causes; a program that rewrites itself has the last text
        """
        machine, image = self._machine, self._machine.image
        counts = machine.profile_counts()
        machine.attach_profile(None)
        self._between()
        listing = [self._row(address, *each) for address, each in sorted(counts.items()) if each[0]]
        calls = call_rows(self._tree, COLUMNS, image, HOST)
        texts = source_texts((row["file"] for row in listing), sources)
        core = machine.core
        return {
            "machine": machine.name,
            "model": core.cpu.model,
            "clock_hz": machine.clock_hz,
            "timing": "full" if machine.timing == CAUSES else machine.timing,
            "build": image.build,
            "memory": machine.memory_clocks,
            "memory_changed": changed_memory(machine.preset, machine.memory_clocks),
            "readings": machine.readings,
            "readings_changed": changed_readings(core.cpu.readings, machine.readings),
            "totals": self._totals(),
            "functions": function_rows(listing, calls),
            "lines": line_rows(listing, texts),
            "calls": calls,
            "listing": listing,
            "sources": texts,
            "timeline": self._tree.stretches(),
        }

    def _totals(self) -> dict[str, Any]:
        frames = self.frames
        mean = sum(frames) / len(frames) if frames else None
        totals = {"cycles": self._machine.cycles - self._begun - self.waited, "waited": self.waited}
        totals |= {"instructions": self._machine.instructions - self._instructions, "frames": len(frames)}
        low, high = (min(frames), max(frames)) if frames else (None, None)
        causes = {name: clocks - self._causes[name] for name, clocks in self._counted_causes().items()}
        if causes:
            causes[SERVICE_CAUSE] -= self.waited
        return totals | {"cycles_minimum": low, "cycles_mean": mean, "cycles_maximum": high, "causes": causes or None}

    def _row(self, address: int, visits: int, cycles: int) -> dict[str, Any]:
        machine = self._machine
        insn = machine.core.decode(address)
        function, offset = machine.image.symbol_at(address) or (None, None)
        file, line = machine.image.source_line(address) or (None, None)
        code = machine.mem[address : address + insn.length].tobytes().hex(" ", 2)
        row = {"address": address, "code": code, "text": insn.text, "function": function, "offset": offset}
        row |= {"file": file, "line": line, "visits": visits, "cycles": cycles, "average": cycles / visits}
        return row
