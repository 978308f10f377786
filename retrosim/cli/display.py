"""The window, if this host can have one."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from retrosim.errors import RetrosimError

from .settings import WindowSettings

Report = Callable[[str], None]


class NoWindow(RetrosimError):
    """No window can be opened: there is no display, or no OpenGL on it."""


def missing_display() -> str:
    """Return why no window can be opened as far as the environment tells, or "" if one may be."""
    if sys.platform in ("win32", "darwin") or os.environ.get("DISPLAY"):
        return ""
    if os.environ.get("WAYLAND_DISPLAY"):
        return "no X display (DISPLAY is not set; Wayland alone is not enough, start Xwayland)"
    return "no display (DISPLAY is not set)"


def open_window(
    settings: WindowSettings,
    make_machine: Callable[[Report], Any],
    *,
    on_start: Callable[[Any], None] = lambda session: None,
    on_turn: Callable[[Any], None] = lambda session: None,
    **hooks: Any,
) -> Any:
    """Open the window; its `run` shows it until it is closed.

    make_machine  opens the machine while the window is already shown
    on_start      gets the `Session` when the machine is open, before its first frame
    on_turn       gets it again and again, between frames
    hooks         recorder, player, subject: as for `retrosim.window.pyglet_window.Window`
    Errors        NoWindow
    """
    reason = missing_display()
    if reason:
        raise NoWindow(reason)
    from retrosim.screen.overlay import View
    from retrosim.window.pyglet_window import Window

    class StartedWindow(Window):
        """Tells when the session begins."""

        is_started = False

        def turn(self) -> None:
            super().turn()
            if self.session is not None and not self.is_started:
                self.is_started = True
                self.session.view = View(**settings.overlay)
                if settings.speed is not None:
                    self.session.transport.pacer.set_speed(settings.speed, self.clock())
                on_start(self.session)
            if self.session is not None:
                on_turn(self.session)

    try:
        return StartedWindow(make_machine, scale=settings.scale, is_fullscreen=settings.is_fullscreen, **hooks)
    except RetrosimError as error:
        raise NoWindow(str(error).partition("; ")[0].removeprefix("cannot open a window: ")) from error


OF_WINDOW = ("causes", "fullscreen", "gdb", "scale", "speed")  # options that only a window heeds
WITHOUT = ("headless", "frames", "max_cycles", "max_seconds", "max_memory")  # options that ask for none


def opens_none(options: Mapping[str, Any], *others: str, heeded: bool = False) -> bool:
    """Tell whether options ask for no window; refuse those for one beside them.

    options  name -> value; "rom": for advice
    others   what asks for none besides WITHOUT
    heeded   --causes has another use
    Errors   ArgumentError
    """
    given = {name for name, value in options.items() if value is not None and value is not False}
    asking = next((name.replace("_", "-") for name in (*WITHOUT, *others) if name in given), None)
    if asking is None:
        return False
    for name in OF_WINDOW:
        if name in given and not (name == "causes" and heeded):
            advice = f"; without one use `retrosim gdb {options['rom']}`" if name == "gdb" else ""
            needed = "--profile or a window" if name == "causes" and "profile" in options else "a window"
            raise argparse.ArgumentError(None, f"--{name}: needs {needed}, and --{asking} opens none{advice}")
    if options["overlay"] and not options.get("screenshot"):
        raise argparse.ArgumentError(None, "--overlay: needs a window or --screenshot")
    return True


def data_folder(kind: str) -> Path:
    """Return the folder for the user's files of a kind; create it if need be. Errors: RetrosimError."""
    from retrosim.cache.folders import user_folder

    folder = user_folder("data") / kind
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RetrosimError(f"{folder}: cannot be created: {error.strerror or error}") from None
    return folder


def stamped(stem: str) -> str:
    """Return a name with the date and time appended."""
    return f"{stem}-{datetime.now():%Y%m%d-%H%M%S}"
