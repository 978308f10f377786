import numpy as np
import pytest

from retrosim.screen.font import text_mask
from retrosim.screen.palette import BLACK, RED, WHITE
from retrosim.window.chrome import (
    MIN_WIDTH,
    ONE_LINE_WIDTH,
    ROW,
    TOOLBAR_HEIGHT,
    button_at,
    draw_status_bar,
    draw_toolbar,
    status_bar_height,
)
from retrosim.window.controls import BY_CHORD, CONTROLS, PAD, SLOTS, chord_name, help_lines


def shows(pixels, text, bold=False, ink=BLACK):
    mask = text_mask(text, bold=bold)[:7]
    windows = np.lib.stride_tricks.sliding_window_view(pixels == ink, mask.shape)
    rows = [y for y in range(windows.shape[0]) if any((windows[y, x] == mask).all() for x in range(windows.shape[1]))]
    return bool(rows)


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
    assert {control.action for control in CONTROLS if not control.button} == {"scale", "quit"}, "the frame does these"


def test_buttons_fit_and_do_not_touch():
    sides = [side for button in ROW for side in (button.rect[0], button.rect[2])]
    assert sides == sorted(set(sides)) and sides[-1] <= MIN_WIDTH - 5
    for button in ROW:
        left, top, right, bottom = button.rect
        assert 0 < top < bottom < TOOLBAR_HEIGHT
        assert button_at(left, top) is button_at(right - 1, bottom - 1) is button.control
        assert button_at(right, top) is None and button_at(left, bottom) is None
    assert button_at(-1, 5) is None and button_at(10_000, 5) is None


@pytest.mark.parametrize("button", ROW, ids=lambda button: button.control.action)
def test_each_button_shows_its_text_and_inverts_when_active(button):
    left, top, right, bottom = button.rect
    speed = "1/64x"
    text = speed if button.control.action == "normal" else button.text
    for active, ink in (((), BLACK), ({button.control.action}, WHITE)):
        area = draw_toolbar(640, active, speed)[top:bottom, left:right]
        assert shows(area, text, ink=ink)
        assert (area[1, 1] == WHITE) == (ink == BLACK)


def test_toolbar_spans_the_window():
    assert draw_toolbar(1000, (), "1x").shape == (TOOLBAR_HEIGHT, 1000)
    assert draw_toolbar(100, (), "1x").shape == (TOOLBAR_HEIGHT, MIN_WIDTH)
    assert (draw_toolbar(1000, (), "1x")[-1] == BLACK).all()


@pytest.mark.parametrize("width", [640, ONE_LINE_WIDTH])
def test_status_bar_shows_lines_message_and_state(width):
    bar = draw_status_bar(width, ["first line", "second line"], "the message", "RUNNING")
    assert bar.shape == (status_bar_height(width), width)
    assert shows(bar, "first line") and shows(bar, "second line") and shows(bar, "the message")
    assert shows(bar, "RUNNING", bold=True) and RED not in bar
    assert draw_status_bar(width, [], "", "X").shape == bar.shape, "switching the metrics off moves nothing"


def test_what_stands_still_is_white_on_black():
    bar = draw_status_bar(640, [], "", "PAUSED", is_alarming=True)
    assert shows(bar, "PAUSED", bold=True, ink=WHITE) and not shows(bar, "PAUSED", bold=True)


def test_recording_is_a_red_dot_and_letters():
    bar = draw_status_bar(640, ["x" * 104], "", "RUNNING", is_recording=True)
    assert shows(bar, "REC", bold=True)
    red = np.argwhere(bar == RED)
    assert len(red) > 20 and np.ptp(red, axis=0).max() < 9
