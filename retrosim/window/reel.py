"""A tape in the window: gives the inputs of any frame and compares after any frame, so that it can be rewound."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from retrosim.tape.records import Hash, Input

if TYPE_CHECKING:
    from retrosim.tape.play import Player


class Reel:
    """Gives `Session` what a tape says.

    player   a `tape.play.Player`: it found tape and machine to fit and brought the machine to the tape's start
    """

    def __init__(self, player: Player) -> None:
        self._frames = player.tape.frames
        self._compares_machine = not player.machine_reason
        records = player.tape.records
        self._inputs = [(record.frame, record.states) for record in records if isinstance(record, Input)]
        self._hashes = {record.frame: record for record in records if isinstance(record, Hash)}

    def inputs(self, frame: int) -> dict[str, int] | None:
        """Return the device states `frame` runs with, None after the last one."""
        if frame >= self._frames:
            return None
        at = bisect_right(self._inputs, frame, key=lambda entry: entry[0]) - 1
        return self._inputs[at][1] if at >= 0 else {}

    def check(self, machine: Any) -> str | None:
        """Compare the machine after a frame with the tape's hash line, if it has one; return what differs."""
        frame = machine.frame_number - 1
        line = self._hashes.get(frame)
        if line is None:
            return None
        found = machine.hash("world")
        if found != line.world:
            return f"after frame {frame:,} the world is {found}, on the tape {line.world}"
        if self._compares_machine and machine.name in line.machines:
            wanted, here = line.machines[machine.name], (machine.hash("machine"), machine.cycles)
            if here != wanted:
                return f"after frame {frame:,} the machine is {here[0]}:{here[1]}, on the tape {wanted[0]}:{wanted[1]}"
        return None
