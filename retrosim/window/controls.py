"""Every command of the window, its panels and a race, in four tables: its keys, its button, its line of help.

Key bindings, toolbars, tooltips, lists of keys and the guide's tables all come from here. A chord is written
"Ctrl+Shift+M": modifiers in that order, then the key's name in capitals (pyglet's names, digits without their
underscore). With Shift, X11 names a key after the character that Shift gives, other systems after the one without
Shift; the tables have both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrosim.machine.memory import PAD_KEYS

MODIFIERS = ("Ctrl", "Alt", "Shift")
PAD = {"SPACE" if name == "fire" else name.upper(): bit for name, bit in PAD_KEYS.items()}
"""Key -> bit of the machine's input word `pad`. These keys go to the machine, with or without Shift."""
SLOTS = tuple(range(1, 11))
SCALES = (1, 2, 3, 4)


@dataclass(frozen=True)
class Control:
    """One command.

    action   name of the action that `Session.do` or the window carries out
    chords   key chord -> argument of the action
    shown    the keys as the help panel writes them
    does     what the help panel says
    button   text of its button, "" for none
    is_held  True if it lasts as long as the key or button is down
    value    argument of the action when the button is clicked
    at_release  True if it is carried out when the key comes up. For what puts another window of the system in place of
                the window, as full screen does on X11: that one would not be told that the key came up
    """

    action: str
    chords: dict[str, int]
    shown: str
    does: str
    button: str = ""
    is_held: bool = False
    value: int = 0
    at_release: bool = False


def _keys(*chords: str) -> dict[str, int]:
    return dict.fromkeys(chords, 0)


CONTROLS = (
    Control("pause", _keys("P", "PAUSE"), "P  Pause", "pause or resume", "Pause"),
    Control("frame", _keys("PERIOD"), ".", "advance one frame", "Frame"),
    Control(
        "instruction",
        _keys("Shift+PERIOD", "Shift+GREATER", "Shift+COLON"),
        "Shift+.",
        "advance one instruction",
        "Step",
    ),
    Control("rewind", _keys("COMMA", "BACKSPACE"), ",  Backspace", "rewind while held", "Back", is_held=True),
    Control("fast", _keys("TAB"), "Tab", "fast forward while held", "Fast", is_held=True),
    Control("jump", {"PAGEDOWN": 1, "PAGEUP": -1}, "PgDn PgUp", "ten seconds on or back in a tape; also click its bar"),
    Control("ends", {"HOME": -1, "END": 1}, "Home End", "start or end of a tape"),
    Control("mark", {"Shift+PAGEDOWN": 1, "Shift+PAGEUP": -1}, "Shift+PgDn PgUp", "next or last place you paused at"),
    Control("slower", _keys("MINUS", "NUM_SUBTRACT"), "-", "halve the speed", "-"),
    Control("normal", _keys("0"), "0", "speed of the real machine", "1x"),
    Control("faster", _keys("EQUAL", "Shift+EQUAL", "PLUS", "Shift+PLUS", "NUM_ADD"), "=", "double the speed", "+"),
    Control("reset", _keys("Ctrl+R"), "Ctrl+R", "reset the machine", "Reset"),
    Control("record", _keys("Ctrl+Shift+M"), "Ctrl+Shift+M", "start or stop recording a tape", "Rec"),
    Control(
        "save",
        {f"Shift+F{n}": n for n in SLOTS},
        "Shift+F1..F10",
        "save state to slot 1..10 (button: slot 1)",
        "Save",
        value=1,
    ),
    Control(
        "load", {f"F{n}": n for n in SLOTS}, "F1..F10", "load state from slot 1..10 (button: slot 1)", "Load", value=1
    ),
    Control("shot", _keys("F12"), "F12", "save a screenshot", "Shot"),
    Control("collisions", _keys("V"), "V", "show shapes and hits, then tested pairs too, then off", "Hits"),
    Control("grid", _keys("G"), "G", "show the grid, then its next pass, then off", "Grid"),
    Control("metrics", _keys("M"), "M", "show or hide the metrics", "Info"),
    Control("walk", _keys("W"), "W", "walk through the frame's collision check", "Walk"),
    Control("debugger", _keys("D"), "D", "open or close the debugger", "Dbg"),
    Control("fullscreen", _keys("F11"), "F11", "full screen on or off", "Full", at_release=True),
    Control(
        "help",
        _keys("Shift+SLASH", "QUESTION", "Shift+QUESTION", "H"),
        "?  H",
        "show or hide the list of all keys",
        "?",
    ),
    Control("scale", {f"Alt+{n}": n for n in SCALES}, "Alt+1..4", "size of the picture: scale 1 to 4"),
    Control("leave", _keys("ESCAPE"), "Esc", "close this list, or the panel that is open; else, pressed twice, quit"),
    Control("quit", _keys("Ctrl+Q"), "Ctrl+Q", "quit"),
)

GROUP_STARTS = ("slower", "reset", "save", "collisions", "help")
"""Actions whose button has a larger gap before it."""
IN_PANELS = ("shot", "fullscreen", "help", "leave", "quit")
"""Actions that the list of a panel's keys names too."""
FIRST = ("pause", "fast", "rewind", "collisions", "debugger", "help", "quit")
"""Actions that the first screen names, before there is a picture."""


# The panels that stand in place of the picture, and a race in a window of its own.


@dataclass(frozen=True)
class PanelCommand:
    """One command of a panel, or of a race.

    action   name of what the panel carries out
    chords   keys, as of a `Control`
    shown    the keys as the help panel writes them
    does     what the help panel says
    button   text of its button, "" for none
    """

    action: str
    chords: tuple[str, ...]
    shown: str
    does: str
    button: str = ""


WALK = (
    PanelCommand("start", ("HOME",), "Home", "to the beginning of the check", "|<"),
    PanelCommand("back_pass", ("PAGEUP",), "PgUp", "to the pass before", "<Pass"),
    PanelCommand("back_sector", ("UP",), "Up", "to the sector before", "<Sect"),
    PanelCommand("back_pair", ("LEFT",), "Left  wheel", "to the pair before", "<Pair"),
    PanelCommand("back_step", ("Shift+S",), "Shift+S", "one instruction back", "<Step"),
    PanelCommand("go", ("SPACE", "P"), "Space  P", "walk by itself, or stop", "Walk"),
    PanelCommand("step", ("S",), "S", "one instruction", "Step"),
    PanelCommand("pair", ("RIGHT",), "Right  wheel", "to the next pair", "Pair"),
    PanelCommand("sector", ("DOWN",), "Down", "to the next sector with two objects or more", "Sect"),
    PanelCommand("pass", ("PAGEDOWN",), "PgDn", "to the next pass", "Pass"),
    PanelCommand("end", ("END",), "End", "to the end of the check", ">|"),
    PanelCommand("back_frame", ("Shift+N",), "Shift+N", "to the check of the frame before"),
    PanelCommand("frame", ("N", "PERIOD"), "N", "to the check of the next frame", "Frame"),
    PanelCommand("backwards", ("R",), "R", "walk backwards, or forwards again", "Rev"),
    PanelCommand("slower", ("MINUS", "NUM_SUBTRACT"), "-", "walk at half the pace", "-"),
    PanelCommand(
        "faster", ("EQUAL", "Shift+EQUAL", "PLUS", "Shift+PLUS", "NUM_ADD"), "=", "walk at twice the pace", "+"
    ),
    PanelCommand("hits", ("V",), "V", "to the next pair that is found in collision", "Hit"),
    PanelCommand("walk", ("W", "D"), "W  Esc", "close the walk; the frame runs to its end", "Close"),
)
"""The keys of the walk through a check."""

DEBUGGER = (
    PanelCommand("go", ("C",), "C", "continue, or stop", "Go"),
    PanelCommand("step", ("S",), "S", "one instruction", "Step"),
    PanelCommand("over", ("N",), "N", "one instruction, a call as one", "Over"),
    PanelCommand("out", ("F",), "F", "finish the routine", "Out"),
    PanelCommand("back_go", ("Shift+C",), "Shift+C", "back to the last breakpoint hit", "<Go"),
    PanelCommand("back_step", ("Shift+S",), "Shift+S", "one instruction back", "<Step"),
    PanelCommand("back_over", ("Shift+N",), "Shift+N", "back, a call as one", "<Over"),
    PanelCommand("back_out", ("Shift+F",), "Shift+F", "back to the call of the routine", "<Out"),
    PanelCommand("up", ("UP",), "Up Down", "move the cursor in the code"),
    PanelCommand("down", ("DOWN",), "", ""),
    PanelCommand("cursor", ("R", "RETURN", "ENTER"), "R  Enter", "run to the cursor", "Here"),
    PanelCommand("breakpoint", ("B",), "B  click at the left", "set or remove a breakpoint at the cursor", "Break"),
    PanelCommand("home", ("HOME",), "Home", "cursor to the next instruction"),
    PanelCommand("timer", ("T",), "T", "stopwatch: start at the cursor, end at the cursor, off", "Timer"),
    PanelCommand("goto", ("G",), "G", "code at an address, symbol, file.c:12", "Goto"),
    PanelCommand("memory", ("A",), "A", "memory at an address or expression", "Mem"),
    PanelCommand("memory_up", ("PAGEUP",), "PgUp PgDn  wheel", "memory before, memory after"),
    PanelCommand("memory_down", ("PAGEDOWN",), "", ""),
    PanelCommand("pixels", ("X",), "X", "memory as hex or as pixels"),
    PanelCommand("narrower", ("LEFT",), "Left Right", "pixels in a row of the memory"),
    PanelCommand("wider", ("RIGHT",), "", ""),
    PanelCommand("watch", ("W",), "W", "watch an expression; click it to remove it", "Watch"),
    PanelCommand(
        "command", ("E",), "E  click on the last line", "a command of `retrosim debug`: break Main if d0 == 1", "Cmd"
    ),
    PanelCommand("screen", ("V",), "V", "the machine's picture, and back", "View"),
    PanelCommand("pane", ("TAB",), "Tab", "stack, points, timer, hottest, causes, log"),
    PanelCommand("debugger", ("D",), "D  Esc", "close the debugger", "Close"),
)
"""The keys of the debugger. With Shift, a command that runs the machine goes back in time."""

RACE = (
    PanelCommand("pause", ("SPACE", "P", "PAUSE"), "Space  P", "pause or resume"),
    PanelCommand("frame", ("PERIOD", "RIGHT"), ".  Right", "advance one sixtieth of a second"),
    PanelCommand("slower", ("MINUS", "NUM_SUBTRACT"), "-", "halve the speed"),
    PanelCommand("normal", ("0",), "0", "speed of the real machines"),
    PanelCommand("faster", ("EQUAL", "Shift+EQUAL", "PLUS", "Shift+PLUS", "NUM_ADD"), "=", "double the speed"),
    PanelCommand("help", ("Shift+SLASH", "QUESTION", "Shift+QUESTION", "H"), "?  H", "show or hide this list"),
    PanelCommand("leave", ("ESCAPE",), "Esc", "close this list; else, pressed twice, quit"),
    PanelCommand("quit", ("Ctrl+Q",), "Ctrl+Q", "quit"),
)
"""The keys of a race."""


def _by_chord() -> dict[str, tuple[Control, int]]:
    table: dict[str, tuple[Control, int]] = {}
    for control in CONTROLS:
        for chord, argument in control.chords.items():
            if chord in table:
                raise ValueError(f"{chord} means both {table[chord][0].action} and {control.action}")
            table[chord] = (control, argument)
    return table


BY_CHORD = _by_chord()


def chord_name(key: str, *, ctrl: bool = False, alt: bool = False, shift: bool = False) -> str:
    """Return the chord of a key and the modifiers that are down.

    key      pyglet's name of the key
    """
    held = [name for name, down in zip(MODIFIERS, (ctrl, alt, shift)) if down]
    return "+".join([*held, key.removeprefix("_") if key[1:].isdigit() else key])


def help_lines() -> list[tuple[str, str]]:
    """Return the rows of the help panel, (keys, meaning); the keys of the simulated program come last."""
    lines = [(control.shown, control.does) for control in CONTROLS]
    return [*lines, ("Arrows", "direction keys of the program"), ("Space", "fire button of the program")]


def panel_lines(commands: Sequence[PanelCommand]) -> list[tuple[str, str]]:
    """Return rows of help about the commands of a panel, and about those of the window that work beside it."""
    lines = [(command.shown, command.does) for command in commands if command.shown]
    return [*lines, *((control.shown, control.does) for control in CONTROLS if control.action in IN_PANELS)]


def tip(control: Control | PanelCommand) -> str:
    """Return what the tooltip of a button says: its keys, and what it does."""
    return f"{control.shown}: {control.does}"


def first_lines() -> list[tuple[str, str]]:
    """Return the rows of the first screen, (keys, meaning): the keys of the program, and the window's chief ones."""
    chief = [(control.shown, control.does) for control in CONTROLS if control.action in FIRST]
    return [("Arrows  Space", "direction keys and fire button of the program"), *chief]
