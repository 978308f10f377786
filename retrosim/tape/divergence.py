"""Finding where a replay leaves its tape: the frame, then the field, register or bytes.

Hash lines tell between which two frames it happened. A second machine that agrees with the tape at both of them tells
the rest: it runs frame by frame in step with the failing one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .format import Tape
from .play import Player

if TYPE_CHECKING:
    from retrosim.machine.interface import PlayableMachine, SimulatedMachine

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first frame after which two machines differ, and in what.

    frame     of the first difference
    field     world column, "stop", "cycles", register, or "memory"
    index     entry of the column; first address for memory; else 0
    expected  on the trusted machine
    found     on the failing one
    trusted   name of the trusted machine
    """

    frame: int
    field: str
    index: int
    expected: int | str | None
    found: int | str | None
    trusted: str


def locate_world(
    tape: Tape,
    failing: PlayableMachine,
    trusted: PlayableMachine,
    good: int,
    bad: int,
    *,
    force: bool = False,
    on_progress: Progress | None = None,
) -> Divergence | str:
    """Find the first frame whose world differs from a trusted machine's, or in which the program stops.

    tape         a loaded tape
    failing      the machine that diverged; both machines are reset
    trusted      another machine; it must agree with every hash line up to frame `bad`
    good         last frame known to agree
    bad          frame of the first hash line that differs, or in which the program stopped
    force        as for `Player`
    on_progress  as for `Player.run`
    Returns      the divergence, or a sentence saying why none can be given
    Errors       TapeError as for `Player`
    """
    ours, theirs = Player(tape, failing, force=force), Player(tape, trusted, force=force)
    repeats = ours.run(good + 1, on_progress) and not ours.world_mismatch
    found = None
    if theirs.run(good + 1, on_progress) and repeats:
        found = _step_worlds(ours, theirs, bad, on_progress)
    theirs.run(bad + 1, on_progress)
    if spent := ours.spent or theirs.spent:
        return f"not located: budget used up: {spent}"
    if theirs.world_ok is False:
        return f"{trusted.name} does not agree with the tape either: {theirs.world_mismatch or theirs.stop_reason}"
    return found or f"{failing.name} did not diverge in the same place when replayed together with {trusted.name}"


def _step_worlds(ours: Player, theirs: Player, bad: int, on_progress: Progress | None) -> Divergence | None:
    """Play both frame by frame up to frame `bad` or the first difference."""
    name = theirs.machine.name
    while ours.frame <= bad and theirs.step():
        if not ours.step():
            if ours.spent:
                return None
            return Divergence(ours.frame, "stop", 0, "a complete frame", ours.stop_reason, name)
        difference = theirs.machine.world().difference(ours.machine.world())
        if difference is not None:
            return Divergence(
                ours.frame - 1, difference.column, difference.index, difference.ours, difference.theirs, name
            )
        if on_progress:
            on_progress(ours.frame, ours.tape.frames)
    return None


def locate_machine(
    tape: Tape,
    failing: SimulatedMachine,
    reference: SimulatedMachine,
    good: int,
    bad: int,
    *,
    force: bool = False,
    on_progress: Progress | None = None,
) -> Divergence | str:
    """Find the first frame whose cycles, registers or memory differ between two machines of one name.

    tape         a loaded tape
    failing      the machine whose machine hash differs; both machines are reset
    reference    the same kind of machine, for example with another engine
    good         last frame known to agree
    bad          frame of the first machine hash that differs
    force        as for `Player`
    on_progress  as for `Player.run`
    Returns      the divergence, or a sentence saying why none can be given
    Errors       TapeError as for `Player`
    """
    ours, theirs = Player(tape, failing, force=force), Player(tape, reference, force=force)
    for player in (ours, theirs):
        player.run(good + 1, on_progress, keep_on=True)
    while ours.frame <= bad and ours.step() and theirs.step():
        difference = machine_difference(reference, failing)
        if difference is not None:
            return Divergence(ours.frame - 1, *difference, f"the reference {reference.name}")
        if on_progress:
            on_progress(ours.frame, tape.frames)
    if spent := ours.spent or theirs.spent:
        return f"not located: budget used up: {spent}"
    return f"two machines {failing.name} agree with each other, but not with the tape"


def machine_difference(
    expected: SimulatedMachine, found: SimulatedMachine
) -> tuple[str, int, int | str, int | str] | None:
    """Compare cycles, registers and memory of two simulated machines.

    Returns  (what, first address or 0, expected, found), or None if they agree; for memory, at most the first 8 bytes
             of the first range that differs, in hexadecimal
    """
    if expected.cycles != found.cycles:
        return "cycles", 0, expected.cycles, found.cycles
    for name, value in dict(expected.regs).items():
        if found.regs[name] != value:
            return name, 0, value, found.regs[name]
    if np.array_equal(expected.mem, found.mem):
        return None
    differing = np.flatnonzero(expected.mem != found.mem)
    first = int(differing[0])
    gaps = np.flatnonzero(np.diff(differing) > 1)
    length = min(8, int(gaps[0]) + 1 if len(gaps) else len(differing))
    wanted, here = (machine.mem[first : first + length].tobytes().hex(" ") for machine in (expected, found))
    return "memory", first, wanted, here
