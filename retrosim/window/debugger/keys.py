"""Every command of the debugger panel, in one table: its keys, its button, its line of help.

With Shift, a command that runs the machine goes back in time.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """One command of the panel.

    action   name of what `DebugPanel.do` carries out
    chords   keys, as in `controls`
    shown    the keys as the help panel writes them
    does     what the help panel says
    button   text of its button, "" for none
    """

    action: str
    chords: tuple[str, ...]
    shown: str
    does: str
    button: str = ""


COMMANDS = (
    Command("go", ("C",), "C", "continue, or stop", "Go"),
    Command("step", ("S",), "S", "one instruction", "Step"),
    Command("over", ("N",), "N", "one instruction, a call as one", "Over"),
    Command("out", ("F",), "F", "finish the routine", "Out"),
    Command("back_go", ("Shift+C",), "Shift+C", "back to the last breakpoint hit", "<Go"),
    Command("back_step", ("Shift+S",), "Shift+S", "one instruction back", "<Step"),
    Command("back_over", ("Shift+N",), "Shift+N", "back, a call as one", "<Over"),
    Command("back_out", ("Shift+F",), "Shift+F", "back to the call of the routine", "<Out"),
    Command("up", ("UP",), "Up Down", "move the cursor in the code"),
    Command("down", ("DOWN",), "", ""),
    Command("cursor", ("R", "RETURN", "ENTER"), "R  Enter", "run to the cursor", "Here"),
    Command("breakpoint", ("B",), "B  click at the left", "set or remove a breakpoint at the cursor", "Break"),
    Command("home", ("HOME",), "Home", "cursor to the next instruction"),
    Command("timer", ("T",), "T", "stopwatch: start at the cursor, end at the cursor, off", "Timer"),
    Command("goto", ("G",), "G", "code at an address, symbol, file.c:12", "Goto"),
    Command("memory", ("A",), "A", "memory at an address or expression", "Mem"),
    Command("memory_up", ("PAGEUP",), "PgUp PgDn  wheel", "memory before, memory after"),
    Command("memory_down", ("PAGEDOWN",), "", ""),
    Command("pixels", ("X",), "X", "memory as hex or as pixels"),
    Command("narrower", ("LEFT",), "Left Right", "pixels in a row of the memory"),
    Command("wider", ("RIGHT",), "", ""),
    Command("watch", ("W",), "W", "watch an expression; click it to remove it", "Watch"),
    Command(
        "command",
        ("E",),
        "E  click on the last line",
        "a command of `retrosim debug`: break Main if d0 == 1",
        "Cmd",
    ),
    Command("screen", ("V",), "V", "the machine's picture, and back", "View"),
    Command("pane", ("TAB",), "Tab", "stack, points, timer, hottest, causes, log"),
    Command("debugger", ("D", "ESCAPE"), "D  Esc", "close the debugger", "Close"),
)
BY_CHORD = {chord: command.action for command in COMMANDS for chord in command.chords}


def debugger_help() -> list[tuple[str, str]]:
    """Return the rows of the help panel, (keys, meaning)."""
    return [(command.shown, command.does) for command in COMMANDS if command.shown]
