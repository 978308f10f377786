"""An X server for the window's tests."""

import pytest

from tests.helpers.window.x_server import display_name


@pytest.fixture(scope="session")
def display():
    """The name of a display of 1400x1100 pixels; DISPLAY names it while the fixture lives."""
    with display_name() as name, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISPLAY", name)
        yield name
