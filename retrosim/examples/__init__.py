"""Examples: short programs that use retrosim, run as `python -m retrosim.examples.NAME`.

Every one takes --help. Some need libraries that retrosim itself does without: pip install 'retrosim[examples]'.

    before_and_after  cycles of a routine before and after a change, on one or several machines
    bouncing_boxes    bouncing boxes in pygame
    camera_world      a world larger than the screen in pygame
    clocks_per_frame  clocks of every frame of a replayed tape, as a diagram or as bars of text
    rollback_server   a server without a display
    scripted_game     a game played by a script, recorded to a tape, and verified on another machine
    side_by_side      two machines on one tape, side by side
    turning_shapes    turning shapes in pyglet
"""

from __future__ import annotations

import argparse
import ast
import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retrosim import Machine

FOLDER = Path(__file__).parent


def list_examples() -> dict[str, str]:
    """Return what each example shows by its name; nothing is imported, so that none of its libraries is needed."""
    files = sorted(path for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))
    return {path.stem: (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n")[0] for path in files}


def example_parser(file: str) -> argparse.ArgumentParser:
    """Return a parser for the options of an example, with its docstring as the help; `file` is its `__file__`."""
    path = Path(file)
    return argparse.ArgumentParser(
        prog=f"python -m retrosim.examples.{path.stem}",
        description=ast.get_docstring(ast.parse(path.read_text())),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def need(library: str) -> Any:
    """Import a library that retrosim itself does without, or end with one line that says how to get it."""
    try:
        return import_module(library)
    except ImportError as error:
        raise SystemExit(f"{library} cannot be imported ({error}): pip install 'retrosim[examples]'") from None


def counting(machine: object) -> Machine:
    """Return the machine if it counts cycles. Errors: ValueError for the native one."""
    from retrosim import Machine

    if not isinstance(machine, Machine):
        raise ValueError("machine 'native': has no CPU whose cycles could be counted")
    return machine


def add_game_options(parser: argparse.ArgumentParser, screenshot: str) -> None:
    """Add what all games here can be told; screenshot: what the option of this name does."""
    parser.add_argument("--seed", type=int, default=1994, metavar="N", help="seed of the random numbers")
    parser.add_argument("--frames", type=int, metavar="N", help="stop after N frames; default: until the window closes")
    parser.add_argument("--screenshot", metavar="PNG", help=screenshot)


class PygameWindow:
    """A window of pygame, or a picture of its last frame.

    screen  the surface to draw on
    held    () -> the keys that are held down
    """

    FRAMES_PER_SECOND, SHOWN = 60, 120  # the latter: frames for a picture, unless others are asked for

    def __init__(self, title: str, size: tuple[int, int], frames: int | None, screenshot: str | None) -> None:
        """Open a window; frames: after how many it closes; screenshot: no window, but a file with the last of them."""
        if screenshot:
            os.environ["SDL_VIDEODRIVER"] = "dummy"
        os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
        self.pygame, self.done = need("pygame"), 0
        self._frames, self._screenshot = frames or (self.SHOWN if screenshot else None), screenshot
        try:
            self.pygame.display.init()
            self.screen = self.pygame.display.set_mode(size)
        except self.pygame.error as error:
            raise SystemExit(f"no window can be opened ({error}); --screenshot PNG needs none") from None
        self.pygame.display.set_caption(title)
        self.held = self.pygame.key.get_pressed
        self._clock = self.pygame.time.Clock()

    def frames(self) -> Iterator[int]:
        """Count frames, 0, 1, 2 .., show each one when it has been drawn, and close the window at last."""
        events = self.pygame.event
        while self.done != self._frames and not any(event.type == self.pygame.QUIT for event in events.get()):
            yield self.done
            self.pygame.display.flip()
            self.done += 1
            if not self._screenshot:
                self._clock.tick(self.FRAMES_PER_SECOND)
        if self._screenshot:
            self.pygame.image.save(self.screen, self._screenshot)
        self.pygame.quit()
