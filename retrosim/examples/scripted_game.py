"""A game played by a script, recorded to a tape, and verified on another machine.

The script plays `shooter`: it stays away from missiles, aims at the nearest alien and keeps firing.

    python -m retrosim.examples.scripted_game --frames 600 --output played.rtape --screenshot played.png
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from retrosim import NativeMachine, RetrosimError, World, open_machine
from retrosim.collide.documents.objects import ALIEN, MISSILE
from retrosim.examples import example_parser
from retrosim.screen.png import write_png
from retrosim.tape import Recorder, report_lines, verify

LEFT, RIGHT, FIRE = 1, 2, 16  # bits of the pad
NEAR = 24  # pixels


def choose(world: World) -> int:
    """Return the pad for the next frame; the ship is object 0."""
    columns = {name: values.astype(int) for name, values in world.columns.items()}
    centre = columns["x"] + columns["wide"] // 2
    away = centre - centre[0]
    active = columns["active"] == 1
    missiles = active & (columns["type"] == MISSILE) & (columns["vy"] > 0) & (columns["y"] > 300)
    close = away[missiles & (np.abs(away) < NEAR)]
    if len(close):
        return FIRE | (LEFT if close[0] >= 0 else RIGHT)
    aliens = away[active & (columns["type"] == ALIEN)]
    if not len(aliens):
        return FIRE
    nearest = aliens[np.abs(aliens).argmin()]
    return FIRE | (0 if abs(nearest) < 4 else RIGHT if nearest > 0 else LEFT)


def play(machine: NativeMachine, path: Path, frames: int) -> None:
    """Let the script play, and record what it does."""
    with Recorder(path, machine, title="Played by a script", author="scripted_game", live=False) as recorder:
        recorder.run(1)  # sets the game up
        for _ in range(1, frames):
            recorder.set_input("pad", choose(machine.world()))
            recorder.run(1)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    parser = example_parser(__file__)
    parser.add_argument("--frames", type=int, default=600, metavar="N", help="frames to play; default: 600")
    parser.add_argument("--objects", type=int, default=40, metavar="N", help="aliens of a wave, 1..50; default: 40")
    parser.add_argument("--seed", type=int, default=2007, metavar="N", help="seed of the game; default: 2007")
    parser.add_argument("--on", default="mc68040-25", metavar="NAME", help="machine to verify on; default: mc68040-25")
    parser.add_argument("--output", metavar="TAPE", help="keep the tape in this new file")
    parser.add_argument("--screenshot", metavar="PNG", help="write the last picture to a new file")
    options = parser.parse_args(argv)
    try:
        machine = open_machine("native", "shooter", parameters={"objects": options.objects, "seed": options.seed})
        with tempfile.TemporaryDirectory() as folder:
            path = Path(options.output or Path(folder) / "played.rtape")
            play(machine, path, options.frames)
            report = verify([path], [options.on])
        if options.screenshot:
            write_png(options.screenshot, machine.frame, machine.palette)
    except (RetrosimError, ValueError) as error:
        raise SystemExit(str(error)) from None
    game = machine.world().columns
    print(
        f"{options.frames} frames: score {10 * game['score'][0]}, wave {game['wave'][0]}, ships left {game['ships'][0]}"
    )
    print("\n".join(report_lines(report)[1:]))
    return 0 if all(result["world_ok"] for result in report["tapes"][0]["results"]) else 1


if __name__ == "__main__":
    sys.exit(main())
