"""Everything the window can be told, in one table: keys, button, help line.

The table gives the key look-up, the row of buttons and the help. A chord is written "Ctrl+Shift+M": modifiers in that
order, then the key's name in capitals (pyglet's names, digits without their underscore). With Shift, X11 names a key
after the character it then gives, other systems after the one without; both stand here.
"""

from __future__ import annotations

from dataclasses import dataclass

MODIFIERS = ("Ctrl", "Alt", "Shift")
PAD = {"LEFT": 1, "RIGHT": 2, "UP": 4, "DOWN": 8, "SPACE": 16}
"""Bits of the machine's input word `pad`: these keys go to the machine, whatever modifiers are down."""
SLOTS = tuple(range(1, 11))
SCALES = (1, 2, 3, 4)


@dataclass(frozen=True)
class Control:
    """One thing to do.

    action   what `Session.do` or the window is asked for
    chords   key chord -> argument
    shown    how the help writes the keys
    does     what the help says
    button   text of its button, "" for none
    is_held  True if it lasts as long as the key or button is down
    value    argument its button gives
    """

    action: str
    chords: dict[str, int]
    shown: str
    does: str
    button: str = ""
    is_held: bool = False
    value: int = 0


def _keys(*chords: str) -> dict[str, int]:
    return dict.fromkeys(chords, 0)


CONTROLS = (
    Control("pause", _keys("P", "PAUSE"), "P  Pause", "pause, go on", "Pause"),
    Control("frame", _keys("PERIOD"), ".", "one frame", "Frame"),
    Control(
        "instruction", _keys("Shift+PERIOD", "Shift+GREATER", "Shift+COLON"), "Shift+.", "one instruction", "Instr"
    ),
    Control("rewind", _keys("COMMA", "BACKSPACE"), ",  Backspace", "rewind while held", "Back", is_held=True),
    Control("fast", _keys("TAB"), "Tab", "fast forward while held", "Fast", is_held=True),
    Control("slower", _keys("MINUS", "NUM_SUBTRACT"), "-", "half the speed", "-"),
    Control("normal", _keys("0"), "0", "speed of the real machine", "1x"),
    Control("faster", _keys("EQUAL", "Shift+EQUAL", "PLUS", "Shift+PLUS", "NUM_ADD"), "=", "twice the speed", "+"),
    Control("reset", _keys("Ctrl+R"), "Ctrl+R", "reset the machine", "Reset"),
    Control("record", _keys("Ctrl+Shift+M"), "Ctrl+Shift+M", "record a tape, stop", "Rec"),
    Control("save", {f"Shift+F{n}": n for n in SLOTS}, "Shift+F1..F10", "save state (button: 1)", "Save", value=1),
    Control("load", {f"F{n}": n for n in SLOTS}, "F1..F10", "load state (button: 1)", "Load", value=1),
    Control("shot", _keys("F12"), "F12", "screenshot", "Shot"),
    Control("collisions", _keys("V"), "V", "shapes and hits, tested pairs, off", "Hits"),
    Control("grid", _keys("G"), "G", "grid, next pass, off", "Grid"),
    Control("metrics", _keys("M"), "M", "metrics below the screen", "Info"),
    Control("fullscreen", _keys("F11"), "F11", "full screen", "Full"),
    Control("help", _keys("Shift+SLASH", "QUESTION", "Shift+QUESTION", "H"), "?  H", "this list", "?"),
    Control("scale", {f"Alt+{n}": n for n in SCALES}, "Alt+1..4", "size of a pixel"),
    Control("quit", _keys("Ctrl+Q"), "Ctrl+Q", "quit"),
)

GROUP_STARTS = ("slower", "reset", "save", "collisions", "help")
"""Actions before whose button the row leaves a wider gap."""


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
    """Return the chord of a key's name and the modifiers that are down."""
    held = [name for name, down in zip(MODIFIERS, (ctrl, alt, shift)) if down]
    return "+".join([*held, key.removeprefix("_") if key[1:].isdigit() else key])


def help_lines() -> list[tuple[str, str]]:
    """Return the key list, (keys, meaning) per row; the machine's own keys come last."""
    lines = [(control.shown, control.does) for control in CONTROLS]
    return [*lines, ("arrows", "wind, or the pad of the machine"), ("space", "scatter, or fire")]
