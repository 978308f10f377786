"""Clocks of every frame of a replayed tape, as a diagram or as bars of text.

python -m retrosim.examples.clocks_per_frame first-wave --machine i386dx-33
python -m retrosim.examples.clocks_per_frame gem-run --output clocks.png
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from retrosim import Machine, RetrosimError, load_tape
from retrosim.examples import counting, example_parser, need
from retrosim.tape import Player, Tape, open_for

BARS, BAR_WIDTH = 24, 50  # lines, characters


def replay(tape: Tape, machine: Machine, frames: int) -> list[int]:
    """Play the tape; return the clocks that the program was busy in each frame."""
    player, clocks = Player(tape, machine), list[int]()
    while len(clocks) < frames and player.step():
        clocks.append(machine.frame_cycles)
    player.check()  # every hash line of the tape has come out again
    return clocks


def bars(clocks: list[int], per_period: float) -> list[str]:
    """Return lines of text: the longest frame of each stretch, and how many display periods it takes."""
    stretch = -(-len(clocks) // BARS)
    lines = []
    for first in range(0, len(clocks), stretch):
        longest = max(clocks[first : first + stretch])
        bar = "#" * round(BAR_WIDTH * longest / max(clocks))
        lines.append(f"{first:6}  {bar:{BAR_WIDTH}}  {longest:10,}  {longest / per_period:6.2f}")
    return [f"{'frame':>6}  {'':{BAR_WIDTH}}  {'clocks':>10}  periods", *lines]


def draw(path: str, title: str, clocks: list[int], per_period: float, period: str) -> None:
    """Write the diagram as a picture."""
    matplotlib = need("matplotlib")
    matplotlib.use("Agg")
    figure, axes = need("matplotlib.pyplot").subplots(figsize=(9, 4), layout="constrained")
    axes.plot(clocks, linewidth=0.8, color="black")
    axes.axhline(per_period, color="tab:red", label=f"one {period} of the display")
    axes.set(title=title, xlabel="frame", ylabel="clocks", ylim=(0, None), xlim=(0, len(clocks)))
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.legend()
    figure.savefig(path, dpi=100)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    parser = example_parser(__file__)
    parser.add_argument("tape", nargs="?", default="first-wave", help="file, or a shipped tape; default: first-wave")
    parser.add_argument("--machine", metavar="NAME", help="default: the one it was recorded on")
    parser.add_argument("--frames", type=int, metavar="N", help="only the first N frames")
    parser.add_argument("--output", metavar="PNG", help="draw a diagram with matplotlib into this file")
    options = parser.parse_args(argv)
    try:
        tape = load_tape(options.tape)
        machine = counting(open_for(tape, options.machine or tape.machine))
        clocks = replay(tape, machine, options.frames or tape.frames)
    except (RetrosimError, ValueError) as error:
        raise SystemExit(str(error)) from None
    per_period = float(machine.clock_hz / machine.frame_hz)
    late = sum(each > per_period for each in clocks)
    title = f"{options.tape} on {machine.name}"
    print(
        f"{title}: {late} of {len(clocks)} frames take longer than a {machine.frame_period} ({per_period:,.0f} clocks)"
    )
    if options.output:
        draw(options.output, title, clocks, per_period, machine.frame_period)
    else:
        print("\n".join(bars(clocks, per_period)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
