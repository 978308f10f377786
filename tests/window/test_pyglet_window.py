"""The window itself, on an X server of the tests' own."""

import threading
import time

import numpy as np
import pytest

from retrosim.errors import RetrosimError
from retrosim.screen.framebuffer import macintosh_palette
from retrosim.screen.overlay import View
from retrosim.window.chrome import ROW, layout, scaled, tip_rect, window_size
from retrosim.window.compose import compose, draw_tip
from retrosim.window.pyglet_window import TIP_NS, Window
from tests.helpers.amount import usually
from tests.helpers.window.fake_machine import FakeMachine


class Desk:
    """A window with a clock the test moves, and what a user does with it."""

    def __init__(self, tmp_path, machine=None, **given):
        self.now = 0
        self.machine = machine or FakeMachine(200)
        self.window = Window(
            machine or self.machine, folder=lambda kind: tmp_path / kind, clock=lambda: self.now, **given
        )
        self.pyglet = self.window._window
        self.settle()

    def settle(self, seconds=0.1):
        """Let the X server's events arrive."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.window.is_open:
            self.pyglet.dispatch_events()
            time.sleep(0.005)

    def ticks(self, count=1):
        for _ in range(count):
            self.now += 16_700_000
            self.window.turn()
        return self.window.session.machine.frame_number

    def key(self, name, *modifiers):
        from pyglet.window import key

        mask = sum(getattr(key, f"MOD_{modifier.upper()}") for modifier in modifiers)
        self.event("on_key_press", getattr(key, name), mask)
        self.event("on_key_release", getattr(key, name), mask)

    def event(self, *arguments):
        """Let pyglet have an event, as from the X server."""
        self.pyglet.dispatch_event(*arguments)
        self.pyglet.dispatch_pending_events()

    def click(self, action, release=True):
        """Click the button of an action where it is on the screen."""
        from retrosim.window.chrome import ROW

        (button,) = [button for button in ROW if button.control.action == action]
        areas = layout(*self.pyglet.get_framebuffer_size())
        x = (button.rect[0] + button.rect[2]) / 2 * areas.chrome_scale
        y = self.pyglet.height - 1 - (button.rect[1] + button.rect[3]) / 2 * areas.chrome_scale
        self.event("on_mouse_press", x, y, 1, 0)
        if release:
            self.event("on_mouse_release", x, y, 1, 0)

    def seen(self):
        """Draw, and read back what OpenGL drew: uint8[height, width, 3], upper row first."""
        from pyglet import gl

        self.pyglet.switch_to()
        self.window.on_draw()
        width, height = self.pyglet.get_framebuffer_size()
        pixels = np.zeros((height, width, 3), np.uint8)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(0, 0, width, height, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, pixels.ctypes.data)
        return pixels[::-1]

    def resize(self, width, height):
        self.pyglet.set_size(width, height)
        self.settle()


@pytest.fixture
def desk(display, tmp_path):
    desk = Desk(tmp_path, scale=1)
    yield desk
    desk.window.close()


def wanted(desk):
    """What the whole window must show, composed without OpenGL."""
    width, height = desk.pyglet.get_framebuffer_size()
    areas = layout(width, height)
    machine, palette = desk.window.session.machine, macintosh_palette()
    images = compose(desk.window.session, areas.chrome_width)
    whole = np.zeros((height + 40, width + 40, 3), np.uint8)
    picture = machine.palette[machine.frame]
    if images.overlay is not None:
        shown = images.overlay[..., 3:] > 0
        picture = np.where(shown, images.overlay[..., :3], picture)
    scales = (int(areas.scale), int(areas.chrome_scale), int(areas.chrome_scale))
    parts = (picture, palette[images.toolbar], palette[images.status_bar])
    for pixels, rect, scale in zip(parts, (areas.picture, areas.toolbar, areas.status_bar), scales):
        large = pixels.repeat(scale, axis=0).repeat(scale, axis=1)
        whole[rect[1] : rect[3], rect[0] : rect[2]] = large[:, : width + 40 - rect[0]]
    return whole[:height, :width]


@pytest.mark.parametrize("scale", [1, 2])
def test_every_pixel_of_the_window_is_right(display, tmp_path, scale):
    desk = Desk(tmp_path, scale=scale)
    desk.ticks(3)
    assert desk.seen().shape[:2] == window_size(scale, 4000, 4000)[::-1]
    assert (desk.seen() == wanted(desk)).all()
    for action in ("collisions", "grid", "help"):
        desk.window.act(action)
        assert (desk.seen() == wanted(desk)).all(), action
    desk.window.close()


def test_every_palette_entry_is_looked_up(desk):
    machine = desk.machine
    machine.frame[:] = np.arange(480 * 640).reshape(480, 640) % 256
    assert (desk.seen() == wanted(desk)).all()
    machine.palette = np.random.default_rng(3).integers(0, 256, (256, 3), dtype=np.uint8)
    left, top, right, bottom = layout(640, 531).picture
    assert (desk.seen()[top:bottom, left:right] == machine.palette[machine.frame]).all()


SIZES = [(1280, 1062), (1280, 1001), (901, 700), (1399, 531), (640, 1000)]


@pytest.mark.parametrize("size", usually((SIZES[0], SIZES[2], SIZES[4]), SIZES))
def test_resizing_keeps_whole_pixels_and_black_around(desk, size):
    desk.ticks(2)
    desk.resize(*size)
    assert desk.pyglet.get_framebuffer_size() == size
    assert (desk.seen() == wanted(desk)).all()


@pytest.mark.parametrize("size", [(960, 771), (1279, 1000)])
def test_half_a_pixel_is_mixed_by_area(desk, size):
    """At scale 3/2: the picture enlarged to three times its size, then the mean of every two by two pixels."""
    desk.ticks(2)
    desk.window.act("collisions")
    desk.resize(*size)
    parts = layout(*size)
    left, top, right, bottom = parts.picture
    assert parts.scale == 1.5 and parts.chrome_scale == 1 and (right - left, bottom - top) == (960, 720)
    machine = desk.machine
    overlay = compose(desk.window.session, parts.chrome_width).overlay
    alpha = overlay[..., 3:] / 255
    layers = (machine.palette[machine.frame], overlay[..., :3] * alpha, alpha)
    plain, over, share = (layer.repeat(3, 0).repeat(3, 1).reshape(720, 2, 960, 2, -1).mean((1, 3)) for layer in layers)
    assert np.abs(desk.seen()[top:bottom, left:right] - (plain * (1 - share) + over)).max() <= 2
    toolbar = macintosh_palette()[compose(desk.window.session, parts.chrome_width).toolbar]
    assert (desk.seen()[: parts.toolbar[3]] == toolbar[:, : size[0]]).all(), "the toolbar is sharp"


STRANGE_SIZES = [(400, 300), (640, 1), (1, 531), (1, 1), (3, 2), (3000, 20), (9000, 17), (20, 3000), (17, 9000)]


@pytest.mark.first_case
@pytest.mark.parametrize("size", usually(STRANGE_SIZES[::2], STRANGE_SIZES))
def test_a_window_of_any_size_draws_and_grows_again(desk, size):
    desk.pyglet.set_minimum_size(1, 1)  # as under a window manager that does not look at it
    desk.resize(*size)
    seen = desk.seen()
    assert seen.shape == (*desk.pyglet.get_framebuffer_size()[::-1], 3) == (*size[::-1], 3)
    assert min(size) < 9 or len(np.unique(seen.reshape(-1, 3), axis=0)) > 1
    desk.ticks(2)
    desk.resize(640, 531)
    assert (desk.seen() == wanted(desk)).all()


def test_screenshot_key_writes_the_frame(desk, tmp_path):
    from tests.screen.test_png import decoded

    desk.ticks(5)
    desk.key("F12")
    (file,) = (tmp_path / "shots").iterdir()
    pixels, _ = decoded(file.read_bytes())
    assert (pixels == desk.machine.frame).all()


def test_keys(desk):
    session = desk.window.session
    desk.ticks(2)
    desk.key("P")
    assert desk.ticks(3) == 2
    desk.key("PERIOD")
    assert desk.machine.frame_number == 3
    desk.key("PERIOD", "shift")
    assert desk.machine.instructions == 25
    desk.key("P")
    desk.key("MINUS")
    assert session.transport.pacer.speed == 0.5
    desk.key("_0")
    assert session.transport.pacer.speed == 1
    desk.key("G")
    desk.key("V")
    desk.key("M")
    assert session.view == View(shapes=True, grid=0) and not session.shows_metrics
    desk.key("R", "ctrl")
    assert desk.machine.frame_number == 0
    desk.key("ESCAPE")
    assert desk.window.is_open
    desk.key("ESCAPE")
    assert not desk.window.is_open


def test_control_q_quits_at_once(desk):
    desk.key("Q", "ctrl")
    assert not desk.window.is_open


def test_the_mouse_over_a_button_shows_its_tooltip(desk):
    desk.ticks(2)
    plain = desk.seen()
    x, y = 20, desk.pyglet.height - 1 - 8  # the button Pause
    desk.event("on_mouse_motion", x, y, 1, 1)
    assert (desk.seen() == plain).all(), "not at once"
    desk.now += TIP_NS
    image = draw_tip("P  Pause: pause or resume")
    left, top, right, bottom = tip_rect(image, ROW[0].rect, layout(*desk.pyglet.get_framebuffer_size()))
    assert (desk.seen()[top:bottom, left:right] == image[..., :3]).all() and top < 20
    desk.event("on_mouse_press", x, y, 1, 0)
    assert desk.window._tip is None
    desk.event("on_mouse_motion", x, y, 1, 1)
    desk.event("on_mouse_leave", 0, 0)
    desk.now += TIP_NS
    assert desk.window._tip is None


def test_a_tooltip_stays_in_the_window():
    image = draw_tip("a long text about the last button of all")
    last = ROW[-1].rect
    left, top, right, _ = tip_rect(image, last, layout(640, 531))
    assert right <= 640 and top > last[3] and right - left == image.shape[1]
    left, _, right, _ = tip_rect(image, scaled(last, 2), layout(1280, 1062))
    assert right <= 1280 and right - left == 2 * image.shape[1]


def test_help_by_key_text_and_mouse(desk):
    session = desk.window.session
    desk.key("SLASH", "shift")
    desk.event("on_text", "?")
    assert session.shows_help
    desk.click("help")
    assert not session.shows_help
    desk.event("on_text", "?")
    assert session.shows_help
    desk.event("on_mouse_press", 300, 200, 1, 0)
    assert not session.shows_help


@pytest.mark.parametrize("size", [(640, 531), (1280, 1062), (1280, 1001), (1001, 700)])
def test_buttons_are_where_they_are_seen(desk, size):
    desk.resize(*size)
    desk.click("pause")
    assert desk.window.session.transport.is_paused
    desk.click("frame")
    assert desk.machine.frame_number == 1
    desk.click("fast", release=False)
    assert desk.window.session.held == {"fast"}
    desk.event("on_mouse_release", 0, 0, 1, 0)
    assert desk.window.session.held == set()


def test_controllers_are_looked_for_when_the_machine_is_ready(display, tmp_path, monkeypatch):
    managers = [None]
    monkeypatch.setattr("retrosim.window.pyglet_window.controller_manager", lambda: managers.pop())
    go = threading.Event()
    desk = Desk(tmp_path, lambda report: go.wait(10) and FakeMachine(), scale=1)
    desk.window.turn()
    assert managers == [None]
    go.set()
    desk.window._worker.join(10)
    desk.ticks(3)
    assert managers == [], "once, and without a controller all goes on"
    desk.window.close()


def test_losing_focus_releases_keys(desk):
    from pyglet.window import key

    desk.event("on_key_press", key.LEFT, 0)
    desk.event("on_key_press", key.TAB, 0)
    assert desk.window.session.pad.down == 1 and desk.window.session.held == {"fast"}
    desk.event("on_deactivate")
    assert desk.window.session.pad.down == 0 and desk.window.session.held == set()
    assert desk.ticks(1) == 1, "the machine runs on"


def test_scale_keys_set_the_size_and_say_when_it_cannot_be(desk):
    desk.key("_2", "alt")
    desk.settle()
    assert desk.pyglet.get_framebuffer_size() == (1280, 1001)
    desk.key("_1", "alt")
    desk.settle()
    assert desk.pyglet.get_framebuffer_size() == (640, 531)
    desk.key("_4", "alt")
    assert "too small for scale 4" in desk.window.session.message


def test_fullscreen_and_back(desk):
    desk.key("F11")
    desk.settle(0.3)
    assert desk.pyglet.fullscreen and desk.pyglet.get_framebuffer_size() == (1400, 1100)
    assert (desk.seen() == wanted(desk)).all()
    desk.key("_2", "alt")
    assert "leave full screen" in desk.window.session.message
    desk.key("F11")
    desk.settle(0.3)
    assert not desk.pyglet.fullscreen and (desk.seen() == wanted(desk)).all()


def test_full_screen_leaves_no_key_down(desk):
    """On X11 it is another window of the system, which is not told that the keys come up."""
    from pyglet.window import key

    pressed = desk.window._pressed_keys()
    for symbol in (key.LEFT, key.F11):
        desk.event("on_key_press", symbol, 0)
        pressed.add(symbol)
    assert not desk.pyglet.fullscreen and desk.window.session.pad.down == 1
    desk.event("on_key_release", key.F11, 0)
    assert desk.pyglet.fullscreen and desk.window.session.pad.down == 0 and not pressed


def test_closing_and_reopening(display, tmp_path):
    machine = FakeMachine()
    for number in range(3):
        desk = Desk(tmp_path, machine, scale=1)
        assert desk.ticks(2) == 2 * (number + 1)
        assert (desk.seen() == wanted(desk)).all()
        desk.event("on_close")
        assert not desk.window.is_open
        desk.window.close()
        desk.window.turn()


def test_two_windows_at_once_do_not_mix(display, tmp_path):
    desks = [Desk(tmp_path, FakeMachine(seed=seed), scale=1) for seed in (1, 2)]
    for desk in desks:
        desk.ticks(1)
    for desk in desks:
        assert (desk.seen() == wanted(desk)).all()
    for desk in desks:
        desk.window.close()


def test_the_machine_may_be_made_while_the_window_is_open(display, tmp_path):
    go, machine = threading.Event(), FakeMachine()

    def make(report):
        report("compiling the 68040 (first run only) ...")
        go.wait(10)
        return machine

    desk = Desk(tmp_path, make, scale=1)
    desk.window.turn()
    first = desk.seen()
    assert desk.window._notice.startswith("compiling") and len(np.unique(first.reshape(-1, 3), axis=0)) > 1
    desk.now += 700_000_000
    assert (desk.seen() != first).any(), "something moves"
    for name in ("P", "LEFT", "TAB", "V"):
        desk.key(name)
    go.set()
    desk.window._worker.join(10)
    desk.window.turn()
    assert desk.window.session.machine is machine and desk.ticks(2) == 2
    desk.window.close()


def test_a_machine_that_cannot_be_made_is_raised_by_run(display, tmp_path):
    def make(report):
        raise RetrosimError("no such ROM")

    desk = Desk(tmp_path, make, scale=1)
    with pytest.raises(RetrosimError, match="no such ROM"):
        desk.window.run()
    assert not desk.window.is_open


def test_run_paces_by_the_clock_and_ends_with_the_window(display, tmp_path):
    import pyglet

    machine = FakeMachine(20)
    window = Window(machine, folder=tmp_path.joinpath, scale=1)
    pyglet.clock.schedule_once(lambda _: window.close(), 1.0)
    window.run()
    assert not window.is_open
    assert 20 <= machine.frame_number <= 63, "60.147 frames a second, whatever the host's display does"


def test_another_scale_is_refused():
    with pytest.raises(ValueError, match=r"scale 5: allowed 1\.\.4"):
        Window(FakeMachine(), scale=5)
