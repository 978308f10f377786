import pytest

from retrosim.guide import read_page
from retrosim.window.controls import (
    BY_CHORD,
    CONTROLS,
    DEBUGGER,
    PAD,
    RACE,
    SLOTS,
    WALK,
    chord_name,
    help_lines,
    panel_lines,
    tip,
)


def test_keys_of_the_design_are_all_there():
    wanted = {
        "P": "pause",
        "PAUSE": "pause",
        "PERIOD": "frame",
        "Shift+PERIOD": "instruction",
        "COMMA": "rewind",
        "BACKSPACE": "rewind",
        "TAB": "fast",
        "MINUS": "slower",
        "EQUAL": "faster",
        "0": "normal",
        "Ctrl+R": "reset",
        "F11": "fullscreen",
        "F12": "shot",
        "Ctrl+Shift+M": "record",
        "V": "collisions",
        "G": "grid",
        "M": "metrics",
        "Shift+SLASH": "help",
        "Ctrl+Q": "quit",
    }
    wanted |= {f"Shift+F{n}": "save" for n in SLOTS} | {f"F{n}": "load" for n in SLOTS}
    wanted |= {f"Alt+{n}": "scale" for n in (1, 2, 3, 4)}
    assert {chord: BY_CHORD[chord][0].action for chord in wanted} == wanted
    assert BY_CHORD["Shift+F7"][1] == BY_CHORD["F7"][1] == 7 and BY_CHORD["Alt+3"][1] == 3


def test_the_machine_keeps_its_keys():
    assert not set(PAD) & set(BY_CHORD)
    assert PAD == {"LEFT": 1, "RIGHT": 2, "UP": 4, "DOWN": 8, "SPACE": 16}


def test_chords_are_spelled_one_way():
    assert chord_name("M", shift=True, ctrl=True) == "Ctrl+Shift+M"
    assert chord_name("_0") == "0" and chord_name("_3", alt=True) == "Alt+3" and chord_name("F10") == "F10"


def test_every_control_has_a_help_line_and_everything_can_be_clicked():
    assert len(help_lines()) == len(CONTROLS) + 2
    by_frame, by_bar = {"scale", "leave", "quit"}, {"jump", "ends", "mark"}
    assert {control.action for control in CONTROLS if not control.button} == by_frame | by_bar


@pytest.mark.parametrize("table", [WALK, DEBUGGER, RACE])
def test_a_key_of_a_panel_means_one_thing(table):
    chords = [chord for command in table for chord in command.chords]
    assert len(chords) == len(set(chords))


def test_escape_and_the_list_of_keys_are_the_same_everywhere():
    assert BY_CHORD["ESCAPE"][0].action == "leave" and BY_CHORD["H"][0].action == "help"
    for table in (WALK, DEBUGGER):
        chords = {chord for command in table for chord in command.chords}
        assert not chords & {"ESCAPE", "H", "QUESTION", "Shift+SLASH", "Ctrl+Q"}, "those are the window's"
        assert {"?  H", "Esc", "Ctrl+Q"} <= {keys for keys, _ in panel_lines(table)}
    of_race = {chord: command.action for command in RACE for chord in command.chords}
    shared = {chord: BY_CHORD[chord][0].action for chord in of_race.keys() & BY_CHORD.keys()}
    assert {chord: of_race[chord] for chord in shared} == shared and "ESCAPE" in shared and "H" in shared


def test_a_tooltip_says_keys_and_effect():
    assert tip(BY_CHORD["P"][0]) == "P  Pause: pause or resume"
    assert all(tip(command).startswith(f"{command.shown}: ") for command in (*WALK, *DEBUGGER) if command.button)


def test_the_guide_has_the_tables():
    def rows(lines):
        return "".join(f"| {keys.replace('  ', ' or ')} | {does} |\n" for keys, does in lines)

    head = "| keys | effect |\n|---|---|\n"
    for name, lines in (("window", help_lines()), ("walk", [(command.shown, command.does) for command in WALK])):
        assert head + rows(lines) + "\n" in read_page(name).text, f"its table has to be:\n{rows(lines)}"
