"""Every command of the walk through a check, in one table: its keys, its button, its line of help."""

from __future__ import annotations

from .debug_keys import Command

COMMANDS = (
    Command("start", ("HOME",), "Home", "to the beginning of the check", "|<"),
    Command("back_pass", ("PAGEUP",), "PgUp", "to the pass before", "<Pass"),
    Command("back_sector", ("UP",), "Up", "to the sector before", "<Sect"),
    Command("back_pair", ("LEFT",), "Left  wheel", "to the pair before", "<Pair"),
    Command("back_step", ("Shift+S",), "Shift+S", "one instruction back", "<Step"),
    Command("go", ("SPACE", "P"), "Space  P", "walk by itself, or stop", "Walk"),
    Command("step", ("S",), "S", "one instruction", "Step"),
    Command("pair", ("RIGHT",), "Right  wheel", "to the next pair", "Pair"),
    Command("sector", ("DOWN",), "Down", "to the next sector with two objects or more", "Sect"),
    Command("pass", ("PAGEDOWN",), "PgDn", "to the next pass", "Pass"),
    Command("end", ("END",), "End", "to the end of the check", ">|"),
    Command("back_frame", ("Shift+N",), "Shift+N", "to the check of the frame before"),
    Command("frame", ("N", "PERIOD"), "N", "to the check of the next frame", "Frame"),
    Command("backwards", ("R",), "R", "walk backwards, or forwards again", "Rev"),
    Command("slower", ("MINUS", "NUM_SUBTRACT"), "-", "walk at half the pace", "-"),
    Command("faster", ("EQUAL", "Shift+EQUAL", "PLUS", "Shift+PLUS", "NUM_ADD"), "=", "walk at twice the pace", "+"),
    Command("hits", ("V",), "V", "to the next pair that is found in collision", "Hit"),
    Command("walk", ("W", "D", "ESCAPE"), "W  Esc", "close the walk; the frame runs to its end", "Close"),
)
BY_CHORD = {chord: command.action for command in COMMANDS for chord in command.chords}


def walk_help() -> list[tuple[str, str]]:
    """Return the rows of the help panel, (keys, meaning)."""
    return [(command.shown, command.does) for command in COMMANDS] + [("click", "on the bar: to that place")]
