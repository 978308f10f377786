#!/usr/bin/env python3
"""Make the scenario tapes that are shipped with the ROMs from the list below, or check them.

    tools/make_tapes.py            write the tapes that are missing
    tools/make_tapes.py --renew    write all of them again, after a change of this list, a ROM or the timing
    tools/make_tapes.py --check    run the list again and compare; exit status 1 if a tape differs

A tape differs if its scenario, inputs or worlds do; also if machine hashes or cycles do, unless it was recorded with
another spec or timing revision.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from retrosim.machine import Machine, open_machine  # noqa: E402  (the checkout needs no installation)
from retrosim.rom import load_rom  # noqa: E402
from retrosim.tape import Tape, load_tape, record_script  # noqa: E402

ROMS = ROOT / "roms"
MACHINE = "mc68040-25"
AUTHOR = "the retrosim project"
FRAMES, HASH_EVERY = 600, 20
COMPARED = ("title", "author", "description", "scenario", "parameters", "seed", "roms", "inputs", "machine", "start")


@dataclass(frozen=True)
class Plan:
    """One tape to make.

    rom      which program
    name     of the file, without suffix
    objects  number of objects
    seed     of the random numbers
    script   input steps; pad is the sum of 1 left, 2 right, 4 up, 8 down, 16 fire
    frames   how many
    """

    rom: str
    name: str
    title: str
    description: str
    objects: int
    seed: int
    script: str = ""
    frames: int = FRAMES


TAPES = (
    Plan(
        rom="sectors",
        name="wind-50",
        title="Fifty in a turning wind",
        description="The wind blows right, down, left and up for a second each, to two corners, and against itself.",
        objects=50,
        seed=1994,
        script="60 pad=2; 120 pad=8; 180 pad=1; 240 pad=4; 300 pad=10; 360 pad=5; 420 pad=3; 480 pad=12; 540 pad=0",
    ),
    Plan(
        rom="sectors",
        name="scatter-100",
        title="A hundred, scattered",
        description="Fire pressed once, held for a second (which scatters once), in a wind, and three times fast.",
        objects=100,
        seed=621,
        script="100 pad=16; 101 pad=0; 200 pad=16; 260 pad=0; 300 pad=2; 320 pad=18; 321 pad=2; 360 pad=0; "
        "420 pad=16; 421 pad=0; 422 pad=16; 423 pad=0; 424 pad=16; 425 pad=0",
    ),
    Plan(
        rom="sectors",
        name="storm-200",
        title="Two hundred in a storm",
        description="A pull downwards all the time, gusts from both sides, and a new scatter every three seconds.",
        objects=200,
        seed=7,
        script="0 pad=8; 90 pad=10; 120 pad=8; 150 pad=9; 180 pad=24; 181 pad=8; 240 pad=10; 300 pad=9; 360 pad=24; "
        "361 pad=8; 420 pad=13; 480 pad=14; 540 pad=31; 541 pad=0",
    ),
    Plan(
        rom="sectors",
        name="calm-200",
        title="Two hundred, left alone",
        description="The demo as it starts, without any input.",
        objects=200,
        seed=1994,
    ),
    Plan(
        rom="xquest",
        name="gem-run",
        title="Twenty-one gems, eight bumps",
        description="The ship goes after gems for ten seconds, turning every third of a second.",
        objects=60,
        seed=1995,
        script="20 pad=2; 40 pad=10; 60 pad=5; 80 pad=6; 100 pad=5; 120 pad=4; 140 pad=6; 160 pad=10; 180 pad=6; "
        "200 pad=5; 220 pad=8; 240 pad=0; 300 pad=5; 320 pad=8; 340 pad=2; 360 pad=1; 380 pad=8; 400 pad=5; "
        "420 pad=0; 440 pad=1; 460 pad=4; 480 pad=5; 500 pad=8; 520 pad=4; 540 pad=6; 560 pad=2; 580 pad=8",
    ),
    Plan(
        rom="xquest",
        name="crowd-120",
        title="A hundred and twenty in the field",
        description="From wall to wall through the crowd; fire pressed, held, and pressed twice in a row.",
        objects=120,
        seed=25,
        script="0 pad=2; 90 pad=9; 150 pad=5; 200 pad=21; 240 pad=6; 300 pad=16; 301 pad=0; 302 pad=16; 303 pad=10; "
        "390 pad=3; 420 pad=12; 450 pad=31; 480 pad=1; 540 pad=0",
    ),
    Plan(
        rom="tanks",
        name="twenty-hits",
        title="Twenty hits, two bumps",
        description="A good gunner: turns to the nearest tank, drives at it when it is far, "
        "and shoots when it is in line.",
        objects=24,
        seed=7,
        script="10 pad=6; 16 pad=20; 18 pad=4; 20 pad=6; 21 pad=4; 41 pad=20; 43 pad=4; 45 pad=5; 46 pad=4; "
        "58 pad=20; 60 pad=4; 66 pad=0; 74 pad=20; 76 pad=4; 94 pad=6; 118 pad=20; 120 pad=4; 142 pad=5; "
        "148 pad=20; 150 pad=4; 152 pad=5; 153 pad=4; 169 pad=5; 170 pad=4; 190 pad=20; 192 pad=4; "
        "206 pad=6; 207 pad=4; 211 pad=2; 223 pad=10; 225 pad=24; 227 pad=8; 229 pad=10; 247 pad=20; "
        "249 pad=4; 271 pad=2; 296 pad=16; 298 pad=0; 304 pad=16; 306 pad=0; 308 pad=6; 314 pad=4; "
        "322 pad=6; 323 pad=4; 327 pad=6; 328 pad=4; 336 pad=6; 337 pad=4; 341 pad=20; 343 pad=4; 345 pad=6; "
        "346 pad=4; 350 pad=0; 354 pad=2; 355 pad=0; 359 pad=5; 365 pad=1; 366 pad=16; 368 pad=0; 378 pad=6; "
        "384 pad=20; 386 pad=4; 408 pad=2; 413 pad=16; 415 pad=0; 425 pad=6; 436 pad=20; 438 pad=4; "
        "448 pad=1; 449 pad=0; 453 pad=6; 461 pad=20; 463 pad=4; 465 pad=0; 469 pad=2; 470 pad=0; 478 pad=1; "
        "486 pad=16; 488 pad=0; 494 pad=20; 496 pad=4; 522 pad=5; 528 pad=20; 530 pad=4; 532 pad=5; "
        "533 pad=4; 553 pad=6; 554 pad=4; 558 pad=5; 564 pad=20; 566 pad=4; 580 pad=2; 581 pad=0; 585 pad=1; "
        "590 pad=16; 592 pad=0",
    ),
    Plan(
        rom="tanks",
        name="crush-48",
        title="Forty-eight in the field",
        description="A bad driver: round and round, forward and back through the crowd, fire held, all keys at once.",
        objects=48,
        seed=11,
        script="0 pad=4; 60 pad=6; 120 pad=22; 160 pad=5; 200 pad=21; 201 pad=5; 260 pad=8; 300 pad=24; 330 pad=9; "
        "360 pad=4; 400 pad=16; 401 pad=0; 402 pad=20; 440 pad=6; 470 pad=31; 500 pad=3; 520 pad=12; 540 pad=20; "
        "580 pad=0",
    ),
    Plan(
        rom="shooter",
        name="first-wave",
        title="The first wave",
        description="Most of forty aliens are shot in ten seconds: 530 points, no ship lost.",
        objects=40,
        seed=2007,
        script="0 pad=26; 15 pad=1; 30 pad=0; 45 pad=16; 60 pad=24; 75 pad=22; 90 pad=20; 105 pad=17; 120 pad=24; "
        "135 pad=1; 150 pad=17; 165 pad=20; 180 pad=17; 195 pad=21; 210 pad=18; 225 pad=1; 240 pad=22; "
        "255 pad=17; 270 pad=22; 285 pad=16; 300 pad=25; 315 pad=21; 330 pad=16; 345 pad=2; 360 pad=21; "
        "375 pad=1; 390 pad=22; 405 pad=25; 420 pad=2; 450 pad=18; 465 pad=24; 480 pad=22; 510 pad=26; "
        "525 pad=22; 540 pad=16; 555 pad=26; 570 pad=16; 585 pad=17",
    ),
    Plan(
        rom="shooter",
        name="three-ships",
        title="Three ships lost, and another game",
        description="A careless player loses three ships; fire begins the next game.",
        objects=20,
        seed=41,
        frames=1120,
        script="0 pad=26; 20 pad=1; 40 pad=16; 60 pad=26; 80 pad=16; 120 pad=22; 140 pad=21; 180 pad=22; 200 pad=1; "
        "220 pad=20; 240 pad=17; 260 pad=25; 280 pad=21; 320 pad=17; 360 pad=18; 400 pad=21; 420 pad=0; "
        "440 pad=20; 460 pad=0; 480 pad=25; 500 pad=1; 520 pad=24; 540 pad=25; 560 pad=18; 580 pad=16; 600 pad=2; "
        "620 pad=16; 640 pad=2; 660 pad=18; 680 pad=16; 700 pad=17; 720 pad=16; 740 pad=0; 760 pad=22; "
        "780 pad=24; 800 pad=18; 820 pad=16; 840 pad=0; 860 pad=16; 880 pad=21; 900 pad=1; 920 pad=21; 940 pad=2; "
        "960 pad=26; 980 pad=22; 1000 pad=18; 1020 pad=16; 1040 pad=26; 1060 pad=22; 1080 pad=21; 1100 pad=22",
    ),
    Plan(
        rom="tunnel",
        name="twenty-five",
        title="Twenty-five pixels a frame",
        description="As it starts, then steered into the missiles and away from them.",
        objects=12,
        seed=25,
        script="200 pad=1; 240 pad=2; 300 pad=0; 400 pad=2; 420 pad=1; 470 pad=3; 500 pad=0",
    ),
    Plan(
        rom="tunnel",
        name="rule-of-thumb",
        title="Slower until nothing is missed",
        description="From 25 pixels a frame down to 13, where no missile passes a ship; then up again.",
        objects=8,
        seed=2007,
        script="60 pad=8; 64 pad=0; 90 pad=8; 94 pad=0; 120 pad=8; 124 pad=0; 130 pad=8; 134 pad=0; 140 pad=8; "
        "144 pad=0; 150 pad=8; 154 pad=0; 160 pad=8; 164 pad=0; 170 pad=8; 174 pad=0; 180 pad=8; 184 pad=0; "
        "190 pad=8; 194 pad=0; 200 pad=8; 204 pad=0; 210 pad=8; 214 pad=0; 400 pad=4; 404 pad=0; 410 pad=4; "
        "414 pad=0; 420 pad=6; 424 pad=2; 440 pad=16; 441 pad=0; 500 pad=20; 501 pad=0; 560 pad=31; 561 pad=0",
    ),
    Plan(
        rom="gallery",
        name="every-method",
        title="Every method on one scene",
        description="All eight methods for 75 frames each, from boxes to colours, on all pairs.",
        objects=48,
        seed=2011,
        script="; ".join(f"{frame} pad=2; {frame + 1} pad=0" for frame in range(75, 600, 75)),
    ),
    Plan(
        rom="gallery",
        name="block-sizes",
        title="Sectors, and blocks of 16 to 256 pixels",
        description="Lines, on every broad phase for 80 frames; back once, and scattered twice.",
        objects=96,
        seed=1994,
        script="0 pad=1; 1 pad=0; 2 pad=1; 3 pad=0; "
        + "; ".join(f"{frame} pad=8; {frame + 1} pad=0" for frame in range(80, 500, 80))
        + "; 520 pad=16; 521 pad=0; 540 pad=4; 541 pad=0; 560 pad=20; 561 pad=0",
    ),
)


def path_of(plan: Plan, roms: Path = ROMS) -> Path:
    """Return the file of a tape: in the folder of its ROM, below `roms`."""
    return roms / plan.rom / "tapes" / f"{plan.name}.rtape"


def make(plans: Iterable[Plan], roms: Path = ROMS, engine: str = "auto") -> Iterator[Path]:
    """Record tapes, those of one ROM on one machine. Errors: TapeError if a file exists already."""
    for rom, group in groupby(plans, lambda plan: plan.rom):
        machine = open_machine(MACHINE, load_rom(ROMS / rom), engine=engine)
        for plan in group:
            yield record(plan, machine, path_of(plan, roms))
        machine.stop_compiling()


def record(plan: Plan, machine: Machine, path: Path) -> Path:
    """Record a tape. Errors: TapeError if its file exists already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    machine.parameters = {"objects": plan.objects, "seed": plan.seed}
    labels = {"title": plan.title, "author": AUTHOR, "description": plan.description}
    result = record_script(path, machine, plan.frames, plan.script, hash_every=HASH_EVERY, **labels)
    if result.reason != "frames":
        raise SystemExit(f"{path}: the program stopped: {result.fault or result.reason}")
    return path


def differences(shipped: Tape, fresh: Tape) -> list[str]:
    """Return how a shipped tape differs from a fresh recording of its plan."""
    found = [f"header {key}" for key in COMPARED if shipped.header[key] != fresh.header[key]]
    if shipped.inputs != fresh.inputs:
        found.append("inputs")
    if shipped.frames != fresh.frames or not shipped.is_complete:
        found.append(f"{shipped.frames} frames, complete: {shipped.is_complete}")
    lines, fresh_lines = ({line.frame: line for line in tape.hashes} for tape in (shipped, fresh))
    if lines.keys() != fresh_lines.keys():
        return [*found, "frames of the hash lines"]
    worlds = [frame for frame, line in lines.items() if line.world != fresh_lines[frame].world]
    if worlds:
        found.append(f"world after frame {worlds[0]}")
    machines = [frame for frame, line in lines.items() if line.machines != fresh_lines[frame].machines]
    if machines and shipped.header["machines"] == fresh.header["machines"]:
        found.append(f"machine hash or cycles after frame {machines[0]}")
    return found


def check(roms: Path = ROMS, plans: Collection[Plan] = TAPES, engine: str = "auto") -> list[str]:
    """Return a line for every tape that is missing, not in the list, or different from its plan.

    plans   those that are recorded again to be compared
    engine  that records them
    """
    planned = {path_of(plan, roms) for plan in TAPES}
    present = sorted(roms.glob("*/tapes/*.rtape"))
    wrong = [f"{path.name}: is not in the list" for path in present if path not in planned]
    wrong += [f"{plan.name}: is missing" for plan in TAPES if path_of(plan, roms) not in present]
    recorded = [plan for plan in plans if path_of(plan, roms) in present]
    with tempfile.TemporaryDirectory() as fresh:
        for plan, path in zip(recorded, make(recorded, Path(fresh), engine), strict=True):
            found = differences(load_tape(path_of(plan, roms)), load_tape(path))
            if found:
                wrong.append(f"{plan.name}: differs in {', '.join(found)}")
    return wrong


def wanted(renew: bool) -> Iterator[Plan]:
    """Yield the plans of the tapes to write one after the other, removing the present file first if `renew`."""
    for plan in TAPES:
        if renew:
            path_of(plan).unlink(missing_ok=True)
        if not path_of(plan).exists():
            yield plan


def main() -> int:
    parser = argparse.ArgumentParser(description="Make or check the scenario tapes that are shipped with the ROMs.")
    parser.add_argument("--check", action="store_true", help="compare the tapes with the list")
    parser.add_argument("--renew", action="store_true", help="write all tapes again")
    options = parser.parse_args()
    if options.check:
        wrong = check()
        print("\n".join(wrong) or f"{len(TAPES)} tapes are as listed")
        return int(bool(wrong))
    for path in make(wanted(options.renew)):
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
