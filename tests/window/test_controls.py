from retrosim.window.controls import BY_CHORD, CONTROLS, PAD, SLOTS, chord_name, help_lines


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


def test_escape_never_quits_and_the_machine_keeps_its_keys():
    assert not any("ESCAPE" in chord for chord in BY_CHORD)
    assert not set(PAD) & set(BY_CHORD)
    assert PAD == {"LEFT": 1, "RIGHT": 2, "UP": 4, "DOWN": 8, "SPACE": 16}


def test_chords_are_spelled_one_way():
    assert chord_name("M", shift=True, ctrl=True) == "Ctrl+Shift+M"
    assert chord_name("_0") == "0" and chord_name("_3", alt=True) == "Alt+3" and chord_name("F10") == "F10"


def test_every_control_has_a_help_line_and_everything_can_be_clicked():
    assert len(help_lines()) == len(CONTROLS) + 2
    by_frame, by_bar = {"scale", "quit"}, {"jump", "ends", "mark"}
    assert {control.action for control in CONTROLS if not control.button} == by_frame | by_bar
