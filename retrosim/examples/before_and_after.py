"""Cycles of a routine before and after a change, on one or several machines.

The two programs are builds of a ROM, as ROM:BUILD, or ELF files of your own. The verdict comes first:

    python -m retrosim.examples.before_and_after sectors:O2 sectors:fast --entry DetermineCollisions
    python -m retrosim.examples.before_and_after old.elf new.elf --entry blit --arg 64 --machine i486dx2-66
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from retrosim import RetrosimError, open_machine
from retrosim.examples import counting, example_parser

MACHINE, ENTRY = "mc68040-25", "DetermineCollisions"


@dataclass(frozen=True)
class Cost:
    """What one call of the routine took; `world` is the hash of the ROM's objects after it, or ""."""

    program: str
    cycles: int
    instructions: int
    microseconds: float
    world: str


def measured(name: str, program: str, entry: str, arguments: Sequence[int], frames: int) -> Cost:
    """Return the cost of one call; a ROM runs some frames before, so that there is something to do."""
    rom, _, build = program.partition(":")
    machine = counting(open_machine(name, rom, build=build or None))
    if machine.rom is not None:
        machine.run(frames=frames)
    cost = machine.measure(entry, *arguments)
    world = machine.hash("world") if machine.rom is not None else ""
    return Cost(program, cost.cycles, cost.instructions, 1e6 * cost.cycles / machine.clock_hz, world)


def verdict(name: str, entry: str, before: Cost, after: Cost) -> str:
    """Return the comparison in one line."""
    change = 100 * (after.cycles / before.cycles - 1)
    amount = f"{abs(change):.0f} % {'fewer' if change < 0 else 'more'} cycles than"
    text = f"{entry} on {name}: {after.program} takes {amount if change else 'as many cycles as'} {before.program}"
    return text + ("" if before.world == after.world else ", but ANOTHER RESULT")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    parser = example_parser(__file__)
    parser.add_argument("before", nargs="?", default="sectors:O2", help="ROM:BUILD or ELF file; default: sectors:O2")
    parser.add_argument(
        "after", nargs="?", default="sectors:fast", help="the same after the change; default: sectors:fast"
    )
    parser.add_argument("--entry", default=ENTRY, metavar="SYMBOL", help=f"the routine; default: {ENTRY}")
    parser.add_argument(
        "--arg",
        action="append",
        default=[],
        type=lambda text: int(text, 0),
        metavar="N",
        help="an argument of the call; may be repeated",
    )
    parser.add_argument("--machine", action="append", metavar="NAME", help=f"may be repeated; default: {MACHINE}")
    parser.add_argument("--frames", type=int, default=1, metavar="N", help="frames that a ROM runs first; default: 1")
    options = parser.parse_args(argv)
    try:
        for name in options.machine or [MACHINE]:
            costs = [
                measured(name, program, options.entry, options.arg, options.frames)
                for program in (options.before, options.after)
            ]
            print(verdict(name, options.entry, *costs))
            print(f"  {'':24} {'cycles':>12} {'instructions':>12} {'microseconds':>12}")
            for cost in costs:
                print(f"  {cost.program:24} {cost.cycles:12,} {cost.instructions:12,} {cost.microseconds:12,.1f}")
    except (RetrosimError, ValueError) as error:
        raise SystemExit(str(error)) from None
    return 0


if __name__ == "__main__":
    sys.exit(main())
