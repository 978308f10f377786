"""Every command of the window, in one table: its keys, its button, its line of help.

Key bindings, toolbar and help panel all come from this table. A chord is written "Ctrl+Shift+M": modifiers in that
order, then the key's name in capitals (pyglet's names, digits without their underscore). With Shift, X11 names a key
after the character that Shift gives, other systems after the one without Shift; the table has both.
"""

from __future__ import annotations

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
    Control("quit", _keys("Ctrl+Q"), "Ctrl+Q", "quit"),
)

GROUP_STARTS = ("slower", "reset", "save", "collisions", "help")
"""Actions whose button has a larger gap before it."""
FIRST = ("pause", "fast", "rewind", "collisions", "debugger", "help", "quit")
"""Actions that the first screen names, before there is a picture."""


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


def first_lines() -> list[tuple[str, str]]:
    """Return the rows of the first screen, (keys, meaning): the keys of the program, and the window's chief ones."""
    chief = [(control.shown, control.does) for control in CONTROLS if control.action in FIRST]
    return [("Arrows  Space", "direction keys and fire button of the program"), *chief]
