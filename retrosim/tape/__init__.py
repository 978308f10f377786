"""Scenario tapes: record what a player did, replay it on any machine, verify that the world comes out the same.

The grammar of the file is in format.py, its header in header.py, what a tape needs of a machine in machine.py. A frame
is one pass of the ROM's main loop; the world is the ISA-neutral state of its objects, equal on every machine. Nothing
here draws or prints; progress goes to callbacks.

    blame       who is to blame when a tape diverges
    divergence  finding where a replay leaves its tape
    files       what recording does to the disk, in one place
    format      scenario tapes (`.rtape`)
    header      the header of a scenario tape
    machine     what tapes ask of a machine beyond its interface, and where the saved state of a tape is
    parts       verifying in parts
    play        replaying scenario tapes, and the machines that play them
    race        several machines on one tape
    record      recording scenario tapes
    records     records of a scenario tape and their lines
    script      input scripts, and recording by one without a person
    verify      verifying tapes on machines
"""

from .divergence import Divergence, locate_machine, locate_world
from .files import find_tape, numbered_path, shipped_tapes, tape_name
from .format import Tape, load_tape, parse_tape, save_tape
from .play import InputTimeline, MachinePool, Mismatch, Player, open_for
from .record import Recorder
from .records import Checkpoint, Comment, End, Hash, Input, Other
from .script import continue_script, parse_script, record_script
from .verify import exit_status, report_lines, shortcoming, verify

__all__ = [
    "Checkpoint", "Comment", "Divergence", "End", "Hash", "Input", "InputTimeline", "MachinePool", "Mismatch",
    "Other", "Player", "Recorder", "Tape", "continue_script", "exit_status", "find_tape", "load_tape",
    "locate_machine", "locate_world", "numbered_path", "open_for", "parse_script", "parse_tape", "record_script",
    "report_lines", "save_tape", "shipped_tapes", "shortcoming", "tape_name", "verify",
]  # fmt: skip
