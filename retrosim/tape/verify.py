"""Verifying tapes on machines: is every hash line reproduced, and if not, where is the first difference?

The report is the plain data that `retrosim verify --json` prints:

    {"tapes": [{"path", "frames", "complete", "note", "results": [RESULT...], "error"?}...]}

    RESULT: machine, world_ok, machine_ok, first_bad_frame (null: not compared; nothing bad)
            verified      false if a wrong ROM was forced
            compared      number of hash lines compared
            engine        that ran at the end (null: none)
            note          why something was not compared or not located, or ""
            budget        what of the budget ended the replay before the tape's end (null: nothing)
        and for a divergence
            what          "world", "machine" or "stop"
            exact         whether first_bad_frame is exact, or that of the first bad hash line
            good_frame    last frame whose hash line agrees; -1 if none does
            field, index, expected, found, trusted    the first difference to the trusted machine
            blame         with `blame`: what is known of who made the difference (see `blame.Blame`)
        and for a machine that could not play the tape
            error

A world hash must be reproduced on every machine. Machine hash and cycles must be reproduced on the same machine with
the same spec and timing revisions and the same ROM image; on any other, machine_ok is null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from retrosim.errors import BudgetUsedUp, RetrosimError, TapeDiverged, TapeError
from retrosim.machine import NATIVE
from retrosim.machine.budget import Budget
from retrosim.machine.interface import AnyMachine, PlayableMachine, has_cpu

from .blame import blame as find_blame
from .blame import blame_lines
from .divergence import Divergence, locate_machine, locate_world
from .files import tape_name
from .format import Tape, load_tape
from .play import MachinePool, Mismatch, Opener, Player

Report = dict[str, Any]
OUTCOMES = {True: "ok", False: "DIVERGED", None: "not compared"}
"""How `world_ok` and `machine_ok` are shown to people."""


def verify(
    tapes: Iterable[str | Path],
    machines: Sequence[str] | None = None,
    *,
    opener: Opener | None = None,
    reference: Opener | None = None,
    force: bool = False,
    sync: dict[str, int | str] | None = None,
    on_progress: Callable[[str, str, int, int], None] | None = None,
    budget: Budget | None = None,
    blame: Opener | None = None,
) -> Report:
    """Replay tapes on machines and compare every hash line.

    tapes        paths
    machines     names; default: the machine each tape was recorded on, and native
    opener       opens the machine of a name for a tape; it may return the same machine again. Default: a `MachinePool`
    reference    opens a second machine of the same name, for example with another engine, to find the first register
                 or byte that differs when only the machine hash does; default: only the frames are reported
    force        replay with a wrong ROM as well; the result says so
    sync         settings of these runs, as given to the recorder
    on_progress  called with path, machine name, frame number, frames of the tape
    budget       what each replay may use up, from the opening of its machine to the first difference found; None:
                 without limits
    blame        opens a trusted machine of the same name, with the tape's own ROM: find out which instructions make a
                 divergence
    Returns      the report described above
    Errors       ValueError for an unknown machine name; bad tapes and ROMs are in the report
    """
    with MachinePool() if opener is None else nullcontext(opener) as machine_of:
        options = _Options(machine_of, reference, force, sync, on_progress, budget, blame)
        return {"tapes": [_verify_tape(path, machines, options) for path in tapes]}


@dataclass(frozen=True)
class _Options:
    """The arguments of `verify` that concern every replay."""

    opener: Opener
    reference: Opener | None
    force: bool
    sync: dict[str, int | str] | None
    on_progress: Callable[[str, str, int, int], None] | None
    budget: Budget | None
    blame: Opener | None

    def open(self, tape: Tape, name: str, opener: Opener | None = None) -> PlayableMachine:
        """Return a machine that has the budget."""
        machine = (opener or self.opener)(tape, name)
        if self.budget is not None and isinstance(machine, AnyMachine):
            machine.budget = self.budget
        return machine

    def progress(self, tape: Tape, name: str) -> Callable[[int, int], None] | None:
        call = self.on_progress
        return (lambda frame, frames: call(tape.path, name, frame, frames)) if call else None


def _verify_tape(path: str | Path, machines: Sequence[str] | None, options: _Options) -> Report:
    try:
        tape = load_tape(path)
    except TapeError as error:
        return {"path": str(path), "frames": 0, "complete": False, "note": "", "results": [], "error": error.reason}
    results = []
    for name in dict.fromkeys((tape.machine, NATIVE) if machines is None else machines):
        if options.budget is not None:
            options.budget.begin()
        try:
            results.append(_verify_on(tape, name, options))
        except BudgetUsedUp as error:
            results.append(_result(name, budget=error.spent))
        except RetrosimError as error:
            results.append(_result(name, error=str(error)))
    known = {"path": tape.path, "frames": tape.frames, "complete": tape.is_complete, "note": tape.note}
    return known | {"results": results}


def _result(name: str, **more: Any) -> Report:
    empty = {"machine": name, "engine": None, "world_ok": None, "machine_ok": None, "first_bad_frame": None}
    return empty | {"verified": False, "compared": 0, "note": "", "budget": None} | more


def _verify_on(tape: Tape, name: str, options: _Options) -> Report:
    if tape.state_sha256 is not None and name != tape.machine:
        return _result(name, note=f"the tape starts from a saved state of {tape.machine}")
    player = Player(tape, options.open(tape, name), force=options.force, sync=options.sync)
    player.run(on_progress=options.progress(tape, name))
    result = _result(
        name,
        engine=player.machine.engine,
        world_ok=player.world_ok,
        machine_ok=player.machine_ok,
        verified=player.is_verified,
        compared=player.compared,
        note=player.note or player.machine_reason,
        budget=player.spent or None,
    )
    if player.compared == 0 and player.stop is None and not player.spent:
        return result | {"note": "the tape has no hash line to compare"}
    if player.world_ok is False:
        return result | _blamed(player, _describe_world(player, options), options)
    if player.machine_mismatch:
        return result | _blamed(player, _describe_machine(player, player.machine_mismatch, options), options)
    return result


def _blamed(player: Player, described: Report, options: _Options) -> Report:
    """Add who made a divergence, if that is wanted and both machines have a CPU."""
    from retrosim.machine.machine import Machine  # brings a compiler along

    if options.blame is None or not isinstance(player.machine, Machine):
        return described
    trusted = options.open(player.tape, player.machine.name, options.blame)
    if not isinstance(trusted, Machine):
        return described
    if options.budget is not None:
        options.budget.begin()
    found = find_blame(player.tape, player.machine, trusted, described["first_bad_frame"])
    trusted.stop_compiling()
    return described | {"blame": found.as_dict()}


def _describe_world(player: Player, options: _Options) -> Report:
    """Say where the world of a replay went wrong, by comparing with a machine that agrees with the tape."""
    tape, machine, mismatch = player.tape, player.machine, player.world_mismatch
    good, bad = player.good_frame, mismatch.frame if mismatch else player.frame
    base: Report = {"what": "world" if mismatch else "stop", "first_bad_frame": bad, "good_frame": good}
    reasons = [str(mismatch) if mismatch else player.stop_reason]
    for name in dict.fromkeys((NATIVE, tape.machine)):
        if name == machine.name or (tape.state_sha256 is not None and name == NATIVE):
            continue
        try:
            trusted = options.open(tape, name)
            progress = options.progress(tape, machine.name)
            found = locate_world(tape, machine, trusted, good, bad, force=options.force, on_progress=progress)
        except (RetrosimError, ValueError) as error:
            found = f"{name} cannot be compared with: {error}"
        if isinstance(found, Divergence):
            return base | _located(found) | {"note": "" if mismatch else player.stop_reason}
        reasons.append(found)
    return base | {"exact": False, "note": "; ".join(reasons)}


def _describe_machine(player: Player, mismatch: Mismatch, options: _Options) -> Report:
    """Say where machine hash or cycles of a replay went wrong while its world is right."""
    tape, machine = player.tape, player.machine
    base: Report = {"what": "machine", "first_bad_frame": mismatch.frame, "good_frame": mismatch.good}
    reasons = [f"{mismatch}; the world agrees; the first difference is in frames {mismatch.good + 1}..{mismatch.frame}"]
    second = options.reference
    if second and has_cpu(machine) and has_cpu(reference := options.open(tape, machine.name, second)):
        progress = options.progress(tape, machine.name)
        found = locate_machine(
            tape, machine, reference, mismatch.good, mismatch.frame, force=options.force, on_progress=progress
        )
        if isinstance(found, Divergence):
            return base | _located(found) | {"note": "the world agrees"}
        reasons.append(found)
    return base | {"exact": False, "note": "; ".join(reasons)}


def _located(found: Divergence) -> Report:
    fields = asdict(found)
    return {"first_bad_frame": fields.pop("frame"), "exact": True} | fields


def shortcoming(entry: Report, allow_partial: bool = False) -> str:
    """Say why a tape of the report is not verified although nothing is wrong with what was compared, or "".

    allow_partial  an interrupted recording is verified by what it has
    """
    if not any(result["compared"] for result in entry["results"]):
        return "not verified: nothing was compared"
    if not entry["complete"] and not allow_partial:
        return "not verified as a whole: the recording was interrupted; --allow-partial accepts it"
    return ""


def exit_status(report: Report, allow_partial: bool = False) -> int:
    """Return the exit status of `retrosim verify`, the first that applies.

    allow_partial  as for `shortcoming`
    Returns        3 if anything diverged, 4 if a tape or ROM is bad, 5 if a budget was used up, 4 if a tape falls short
                   of being verified, 0
    """
    results = [result for tape in report["tapes"] for result in tape["results"]]
    if any(result["world_ok"] is False or result["machine_ok"] is False for result in results):
        return TapeDiverged.exit_status
    if any("error" in entry for entry in [*report["tapes"], *results]):
        return TapeError.exit_status
    if any(result["budget"] for result in results):
        return BudgetUsedUp.exit_status
    return TapeError.exit_status if any(shortcoming(tape, allow_partial) for tape in report["tapes"]) else 0


def report_lines(report: Report) -> list[str]:
    """Return the report as lines of text for people."""
    lines = []
    for tape in report["tapes"]:
        if "error" in tape:
            lines.append(f"{tape_name(tape['path'])}: {tape['error']}")
            continue
        lines.append(f"{tape_name(tape['path'])}: {tape['frames']} frames")
        if tape["note"]:
            lines.append(f"  {tape['note']}")
        width = max((len(result["machine"]) for result in tape["results"]), default=0)
        for result in tape["results"]:
            lines.append(f"  {result['machine']:{width}}  {_result_text(result)}")
            lines += [f"    {line}" for line in blame_lines(result["blame"])] if "blame" in result else []
    return lines


def _result_text(result: Report) -> str:
    if "error" in result:
        return f"not played: {result['error']}"
    lines = "line" if result["compared"] == 1 else "lines"
    text = f"world {OUTCOMES[result['world_ok']]} ({result['compared']} hash {lines}), "
    text += f"machine {OUTCOMES[result['machine_ok']]}"
    if not result["verified"] and result["compared"]:
        text += ", UNVERIFIED"
    if "what" in result:
        bound = "" if result["exact"] else " at the latest"
        text += f"; first bad frame {result['first_bad_frame']}{bound}"
    if "field" in result:
        where = f"{result['field']}[{result['index']}]"
        text += f": {where} is {result['found']}, {result['trusted']} has {result['expected']}"
    if result["budget"]:
        text += f"; budget used up: {result['budget']}"
    return f"{text}; {result['note']}" if result["note"] else text
