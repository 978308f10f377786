"""Two machines on one tape, side by side: the same world, different clocks.

python -m retrosim.examples.side_by_side first-wave --left mc68000-8 --right ppc601-80 --output both.png
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from retrosim import Machine, RetrosimError, load_tape
from retrosim.examples import counting, example_parser
from retrosim.report.files import check_free
from retrosim.screen.font import LEADING, draw_text
from retrosim.screen.png import write_png
from retrosim.tape import Player, Tape, open_for

GAP, SCALE = 8, 2  # pixels; of the captions
PAPER, INK = (204, 204, 204), (0, 0, 0)


def played(tape: Tape, name: str, frames: int) -> Machine:
    """Return a machine after some frames of the tape, every hash line up to there compared."""
    machine = counting(open_for(tape, name))
    player = Player(tape, machine)
    player.run(tape.first_frame + frames)
    player.check()
    return machine


def caption(machine: Machine) -> list[str]:
    """Return what stands below the screen of a machine."""
    seconds = float(machine.cycles / machine.clock_hz)
    rate = machine.frame_number / seconds
    return [
        f"{machine.name}: frame {machine.frame_number} after {seconds:.2f} s",
        f"{machine.cycles:,} clocks, {machine.frame_cycles:,} in this frame",
        f"{rate:.1f} frames a second",
        f"world {machine.hash('world')}",
    ]


def picture(machines: Sequence[Machine]) -> np.ndarray:
    """Return the screens with their captions: uint8[height, width, 3]."""
    panels = []
    for machine in machines:
        screen = machine.palette[machine.frame]
        lines = caption(machine)
        panel = np.full(
            (len(screen) + SCALE * LEADING * len(lines) + 2 * GAP, screen.shape[1] + GAP, 3), PAPER, np.uint8
        )
        panel[: len(screen), : screen.shape[1]] = screen
        for number, line in enumerate(lines):
            draw_text(panel, GAP, len(screen) + GAP + SCALE * LEADING * number, line, INK, scale=SCALE)
        panels.append(panel)
    return np.hstack(panels)[:, :-GAP]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    parser = example_parser(__file__)
    parser.add_argument("tape", nargs="?", default="first-wave", help="file, or a shipped tape; default: first-wave")
    parser.add_argument("--left", default="mc68000-8", metavar="NAME", help="default: mc68000-8")
    parser.add_argument("--right", default="mc68040-25", metavar="NAME", help="default: mc68040-25")
    parser.add_argument("--frames", type=int, default=300, metavar="N", help="frames to replay; default: 300")
    parser.add_argument("--output", metavar="PNG", help="write both screens to a new file")
    options = parser.parse_args(argv)
    try:
        if options.output:
            check_free(options.output)
        tape = load_tape(options.tape)
        machines = [played(tape, name, options.frames) for name in (options.left, options.right)]
        if options.output:
            write_png(options.output, picture(machines))
    except (RetrosimError, ValueError) as error:
        raise SystemExit(str(error)) from None
    for machine in machines:
        print("\n  ".join(caption(machine)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
