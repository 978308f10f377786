"""Verifying in parts: one tape on one machine is a job of plain data, so that many are done at once, here or elsewhere.

The report put together is the one that `verify` gives, but for `engine`: which of the automatic engines ran at the end
depends on how far compiling had come, so it is only stated where one was chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrosim.errors import RomError, TapeError
from retrosim.jobs import HERE, Job, Workers, run_jobs
from retrosim.machine import NATIVE
from retrosim.machine.budget import Budget
from retrosim.machine.interface import PlayableMachine
from retrosim.rom import load_rom

from .files import find_tape
from .format import Tape, load_tape
from .play import MachinePool, open_for
from .verify import Report, verify

Step = Callable[[str, str, int, int], None]


@dataclass(frozen=True)
class Verification:
    """How each tape is verified, as plain data.

    rom       folder or rom.toml to use instead of the ROM that the tapes name
    engine    of the simulated machines, None for the automatic one
    force     replay with a wrong ROM as well
    budget    limits of each replay, by the names of `Budget`
    blame     find out which instructions make a divergence
    """

    rom: str | None = None
    engine: str | None = None
    force: bool = False
    budget: dict[str, Any] = field(default_factory=dict)
    blame: bool = False


class Replays:
    """What verifies the parts one after the other in one process: its machines wait for the next tape of a program.

    on_progress  called with path, machine, frame, frames
    note         gets a line of text before long work
    """

    def __init__(self, on_progress: Step | None = None, note: Callable[[str], None] = lambda text: None) -> None:
        self._on_progress, self._note = on_progress, note
        self._how = Verification()
        self._pool = MachinePool(self._open)

    def __call__(self, given: dict[str, Any], tape: Path, *rom: Path) -> Report:
        """Do a part, see `verify_part`."""
        how = Verification(**given["how"])
        if how != self._how:
            self.close()
            self._how = how
        path, self._rom = given["path"], rom[0] if rom else None
        self._budget = Budget(**how.budget)
        try:
            report = self._verified(given["machine"], tape, path, how.force)
        except (RomError, ValueError) as error:  # a machine or a ROM that only the tape names
            return {"path": path, "results": [], "error": str(error)}
        entry: Report = report["tapes"][0] | {"path": path}
        if how.engine is None:
            entry["results"] = [result | {"engine": None} for result in entry["results"]]
        return entry

    def _verified(self, machine: str, tape: Path, path: str, force: bool) -> Report:
        on_progress = self._on_progress
        return verify(
            [tape],
            [machine],
            opener=self._pool,
            reference=lambda tape, name: open_for(tape, name, self._rom, progress=self._note, engine="interpret"),
            force=force,
            on_progress=on_progress and (lambda _, *place: on_progress(path, *place)),
            budget=self._budget,
            blame=self._open_trusted if self._how.blame else None,
        )

    def close(self) -> None:
        """Switch the machines off."""
        self._pool.__exit__(None, None, None)
        self._pool = MachinePool(self._open)

    def _open_trusted(self, tape: Tape, name: str) -> PlayableMachine:
        """Open a machine with the tape's own ROM; where that is what is verified, on another engine."""
        engine = {} if self._rom else {"engine": "interpret"}
        return open_for(tape, name, progress=self._budget.before(self._note), **engine)

    def _open(self, tape: Tape, name: str) -> PlayableMachine:
        settings: dict[str, Any] = {"engine": self._how.engine} if self._how.engine and name != NATIVE else {}
        return open_for(tape, name, self._rom, progress=self._budget.before(self._note), **settings)


_replays: list[Replays] = []
"""Those of a process that does parts for another."""


def verify_part(given: dict[str, Any], tape: Path, *rom: Path) -> Report:
    """Verify a tape on one machine.

    given    dict with path, as people know the tape; machine; how, the fields of a `Verification`
    tape     the file
    rom      the folder of the ROM, if it is not the one that the tape names
    Returns  the tape's entry of a report
    """
    if not _replays:
        _replays.append(Replays())
    return _replays[0](given, tape, *rom)


def verify_parts(
    names: Sequence[str],
    machines_of: Callable[[Tape], Sequence[str]],
    how: Verification,
    workers: Callable[[int], Workers] = lambda replays: HERE,
    *,
    done: Callable[[int, int], None] = lambda ended, total: None,
    on_progress: Step | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Report:
    """Verify tapes, each on its machines; return the report of `verify`.

    names        paths, or names from the library
    machines_of  names the machines of a tape
    workers      says who does it, when there are so many replays
    done         called with the number of replays that ended, and their total
    on_progress  called with path, machine, frame, frames, and
    note         with a line of text before long work, in this process only
    """
    entries: list[Report] = []
    jobs: list[Job] = []
    entry_of: list[Report] = []
    for name in names:
        entries.append({"path": name, "frames": 0, "complete": False, "note": "", "results": []})
        try:
            entries[-1]["path"] = path = str(find_tape(name))
            tape = load_tape(path)
            entries[-1] |= {"frames": tape.frames, "complete": tape.is_complete, "note": tape.note}
            parts = [_job(path, machine, how) for machine in dict.fromkeys(machines_of(tape))]
        except TapeError as error:
            entries[-1]["error"] = error.reason
        except (RomError, ValueError) as error:  # its ROM, or a machine that only the tape names
            entries[-1]["error"] = str(error)
        else:
            jobs += parts
            entry_of += [entries[-1]] * len(parts)
    ended: list[int] = []

    def one_more(index: int) -> None:
        ended.append(index)
        done(len(ended), len(jobs))

    replays = Replays(on_progress, note)
    try:
        found = run_jobs(verify_part, jobs, workers(len(jobs)), one_more, here=replays)
    finally:
        replays.close()
    for entry, part in zip(entry_of, found, strict=True):
        entry["results"] += part["results"]
        if "error" in part:
            entry["error"] = part["error"]
    return {"tapes": entries}


def _job(path: str, machine: str, how: Verification) -> Job:
    folder = [] if how.rom is None else [str(load_rom(how.rom).path)]
    given = {"path": path, "machine": machine, "how": {**vars(how), "rom": how.rom and folder[0]}}
    return Job(given, (path, *folder))
