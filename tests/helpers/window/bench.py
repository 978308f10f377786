"""The window's session with a machine, for tests of its panels."""

from retrosim.machine import open_machine
from retrosim.window.compose import compose
from retrosim.window.pyglet_window import Inputs
from retrosim.window.session import Session


class Bench:
    """A session with a machine, its keyboard and mouse, and a clock that the test moves."""

    def __init__(self, tmp_path, machine="mc68040-25", rom="shooter", **options):
        self.now = 0
        self.machine = open_machine(machine, rom, engine="interpret", **options)
        self.session = Session(self.machine, folder=lambda kind: tmp_path / kind, clock=lambda: self.now)
        self.inputs = Inputs(lambda: self.session, self.session.do)

    @property
    def panel(self):
        return self.session.panel

    def keys(self, *names):
        for name in names:
            *modifiers, key = name.split("+")
            self.inputs.key_down(key, **{modifier.lower(): True for modifier in modifiers})
            self.inputs.text(key.lower())
            self.inputs.key_up(key)

    def write(self, text):
        for letter in text:
            self.inputs.text(letter)
        self.keys("RETURN")

    def ticks(self, count=1):
        for _ in range(count):
            self.now += 16_700_000
            self.session.advance()

    def click(self, action, argument=None):
        """Click where the panel has drawn what carries out an action."""
        compose(self.session, 640)
        zone = next(z for z in self.panel.zones if z.action == action and argument in (None, z.argument))
        left, top, right, bottom = zone.rect
        assert self.inputs.panel_clicked((left + right) / 2, (top + bottom) / 2)
