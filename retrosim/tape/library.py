"""Where tapes are found: those that come with the ROMs, by name, and any file the user names."""

from __future__ import annotations

import os
from pathlib import Path

from retrosim.checks import did_you_mean
from retrosim.errors import TapeError
from retrosim.rom import Rom
from retrosim.rom.fields import FILE_NAME
from retrosim.rom.library import SHOWS, shipped_files, what_ships


def shipped_tapes() -> list[Path]:
    """Return the tapes that come with the ROMs, without those of ROMs that cannot be read."""
    return shipped_files(Rom.tapes)


def find_tape(name_or_path: str) -> str:
    """Return the path of a tape: the argument itself if there is such a file, else the shipped tape of that name.

    Errors   TapeError
    """
    if os.path.lexists(name_or_path):
        return name_or_path
    of_that_name = shipped_files(Rom.tapes, f"tapes/{name_or_path}.rtape") if FILE_NAME.fullmatch(name_or_path) else ()
    shipped = {path.stem: str(path) for path in of_that_name}
    if name_or_path not in shipped:
        near = did_you_mean(name_or_path, [path.stem for path in shipped_tapes()])
        if kind := what_ships(name_or_path):
            raise TapeError(name_or_path, f"is a {kind}, not a tape: `{SHOWS[kind]} {name_or_path}`")
        raise TapeError(name_or_path, f"no such file, and no tape of `retrosim list tapes`{near}")
    return shipped[name_or_path]
