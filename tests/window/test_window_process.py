"""The window in a process of its own: without a display, and driven by a real keyboard and mouse."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from retrosim import errors

PACKAGE = Path(errors.__file__).parent.parent


def finished(code, **environment):
    """Run Python code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(PACKAGE)} | environment,
        capture_output=True,
        text=True,
        timeout=180,
    )


OPEN = """
from tests.helpers.window.fake_machine import FakeMachine
from retrosim.errors import RetrosimError
from retrosim.window.pyglet_window import Window
try:
    Window(FakeMachine())
except RetrosimError as error:
    print(error)
"""


@pytest.mark.first_case
@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
@pytest.mark.parametrize("environment", [{}, {"DISPLAY": ":987"}])
def test_without_a_display_one_line_says_how_to_run(environment):
    result = finished(OPEN, **environment)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("cannot open a window: there is no display; ") and result.stdout.count("\n") == 1
    assert "retrosim run --headless --frames 120 --screenshot shot.png" in result.stdout


PROGRAM = """
import sys
from pathlib import Path
from tests.helpers.window.fake_machine import FakeMachine
from retrosim.window.pyglet_window import Window
folder = Path(sys.argv[1])
window = Window(lambda report: FakeMachine(), folder=folder.joinpath, title="retrosim test", scale=1)
window.run()
session = window.session
machine = session.machine
steps = machine.instructions % machine.steps
print(machine.frame_number, machine.pads.count(1), session.view.grid, session.shows_help, steps)
"""


@pytest.mark.full
@pytest.mark.skipif(shutil.which("xdotool") is None, reason="xdotool is not installed")
def test_a_real_process_driven_by_a_real_keyboard_and_mouse(display, tmp_path):
    """X events, not pyglet's: keys held and pressed, "?" typed, a button clicked, Shift+., Ctrl+Q."""
    environment = os.environ | {"PYTHONPATH": str(PACKAGE), "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    def xdotool(*words):
        return subprocess.run(
            ["xdotool", *words], check=True, capture_output=True, text=True, timeout=60
        ).stdout.strip()

    try:
        window = xdotool("search", "--sync", "--onlyvisible", "--name", "retrosim test").split()[0]
        xdotool("windowfocus", "--sync", window)
        time.sleep(0.5)
        xdotool("keydown", "Left")
        time.sleep(0.3)
        xdotool("keyup", "Left")
        xdotool("key", "g", "g", "question", "F12", "shift+F3")
        time.sleep(0.2)
        xdotool("mousemove", "--window", window, "20", "8", "click", "1")  # Pause
        time.sleep(0.2)
        xdotool("key", "shift+period", "shift+period", "shift+period", "ctrl+q")
        output, _ = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
    frames, winds, *rest = output.split()
    assert process.returncode == 0
    assert int(frames) > 20 and 5 <= int(winds) <= 40
    assert rest == ["1", "True", "3"], "grid of the second pass, key list, three instructions into a frame"
    assert len(list((tmp_path / "shots").iterdir())) == 1
    assert [path.name[:22] for path in (tmp_path / "states").iterdir()] == ["sectors-mc68040-25-slo"]
