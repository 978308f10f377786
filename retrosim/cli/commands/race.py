"""Play one tape on several machines side by side, and say how long each works.

A program works on a frame, then waits for its screen, which has 60.147 Hz on a
Macintosh and 70.086 Hz on a PC: machines are compared by their work.
Machines are given by name, or as name:build for another build of the program.
Each runs at its own speed, as if they stood side by side; with --in-step all
show the same frame. Without a display only the figures are printed.

examples:
  retrosim race storm-200 --on mc68040-25,i486dx2-66,native
  retrosim race storm-200 --on mc68040-25:O0,mc68040-25:fast --export race.mp4
  retrosim race gem-run --on mc68040-25,i386dx-33 --in-step --screenshot a.png
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from retrosim.errors import RetrosimError
from retrosim.machine.choices import NATIVE
from retrosim.report.text import counted

from .. import arguments, values
from ..output import columns, print_json, print_lines, say, shown_path
from ..parser import Parser
from ..progress import Progress
from ..settings import BudgetSettings, check_machines

if TYPE_CHECKING:
    from retrosim.tape import Tape
    from retrosim.tape.race import Race, Racer
    from retrosim.window.clip import Picture

MIN_RACERS, MAX_RACERS = 2, 4
PICTURES_PER_SECOND = 30  # of a clip
MAX_RACE_SECONDS = 3600


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("tape", metavar="TAPE", help="tape file, or a name from `retrosim list tapes`")
    help = f"{MIN_RACERS} to {MAX_RACERS} machines separated by commas, each NAME or NAME:BUILD"
    parser.add_argument("--on", type=values.machines, required=True, metavar="MACHINES", help=help)
    parser.add_argument("--rom", metavar="ROM", help="folder or rom.toml to use instead of the ROM the tape names")
    parser.add_argument("--in-step", action="store_true", help="all machines show the same frame")
    parser.add_argument(
        "--frames", type=values.whole(1, arguments.MAX_FRAMES), metavar="N", help="play the first N frames only"
    )
    help = "end the race after N simulated seconds; default: when the last machine has finished"
    parser.add_argument("--seconds", type=values.whole(1, MAX_RACE_SECONDS), metavar="N", help=help)
    arguments.add_budget(parser, "the run of each machine")
    parser.add_argument("--headless", action="store_true", help="open no window")
    arguments.add_screenshot(parser, "write the picture at the end to a file; implies --headless")
    help = "write the race as a .gif, .apng or .mp4; implies --headless"
    parser.add_argument("--export", type=values.clip, metavar="CLIP", help=help)
    arguments.add_json(parser, "; implies --headless")


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.report.files import FORCE, check_free
    from retrosim.screen.png import write_png
    from retrosim.tape import load_tape
    from retrosim.tape.race import Race
    from retrosim.window.clip import check_clip, write_clip
    from retrosim.window.race import draw_race

    _check_racers(options.on)
    limits = BudgetSettings.of(options)
    tape = load_tape(options.tape)
    if options.screenshot:
        check_free(options.screenshot, overwrite=options.force, advice=FORCE)
    frames = min(tape.frames - tape.first_frame, options.frames or tape.frames)
    if options.export:
        pictures = frames if options.in_step else PICTURES_PER_SECOND * (options.seconds or 1)
        check_clip(options.export, pictures, overwrite=options.force)
    with Progress(is_quiet=options.json) as progress:
        racers = [_open_racer(name, tape, frames, options.rom, progress) for name in options.on]
        race = Race(racers, options.in_step)
    has_window = not (options.headless or options.screenshot or options.export or options.json or limits.is_given)
    if not (has_window and _show(race)):
        for racer in racers:
            racer.machine.budget = limits.budget()
        with Progress(is_quiet=options.json) as progress:
            moments = _moments(race, options.seconds, bool(options.export), progress)
            if options.export:
                write_clip(options.export, moments, overwrite=options.force)
            for _ in moments:
                pass
    if options.screenshot:
        write_png(options.screenshot, draw_race(race), overwrite=options.force)
    files = {"screenshot": options.screenshot, "export": options.export}
    result = _result(race, tape) | files
    if options.json:
        print_json(result)
    else:
        _print(race, result)
    for racer in racers:
        racer.player.check()
    return 0


def _show(race: Race) -> bool:
    """Show the race in a window until that is closed; return whether there can be one."""
    from retrosim.window.race import RaceSession, RaceWindow

    from ..display import missing_display

    reason = missing_display()
    try:
        if not reason:
            RaceWindow(RaceSession(race)).run()
            return True
    except RetrosimError as error:
        reason = str(error).partition("; ")[0]
    say(f"{reason}; racing without a window")
    return False


def _check_racers(names: list[str]) -> None:
    if not MIN_RACERS <= len(names) <= MAX_RACERS:
        raise argparse.ArgumentError(
            None, f"--on: {counted(len(names), 'machine')}: allowed {MIN_RACERS}..{MAX_RACERS} different ones"
        )
    check_machines([name.partition(":")[0] for name in names])
    if f"{NATIVE}:" in "".join(names):
        raise argparse.ArgumentError(None, f"--on: {NATIVE} has no builds")


def _open_racer(name: str, tape: Tape, frames: int, rom: str | None, progress: Progress) -> Racer:
    from retrosim.tape import Player, open_for
    from retrosim.tape.race import Racer

    machine, _, build = name.partition(":")
    opened = open_for(tape, machine, rom, progress=progress.note, **({"build": build} if build else {}))
    return Racer(name, Player(tape, opened, force=True), opened, frames)


def _moments(race: Race, seconds: int | None, has_pictures: bool, progress: Progress) -> Iterator[Picture]:
    """Run the race, so many simulated seconds or to its end; yield its picture at every moment, if asked to."""
    from retrosim.window.clip import Picture
    from retrosim.window.race import draw_race

    pause = Fraction(1, PICTURES_PER_SECOND)
    while not race.is_finished and (seconds is None or race.time < seconds):
        before = race.time
        race.advance(pause)
        slowest = min(race.racers, key=lambda racer: racer.shown.frame)
        progress.step(slowest.shown.frame, slowest.frames, f"racing; {slowest.name} is last")
        if has_pictures:
            yield Picture(draw_race(race), None, race.time - before)


def _result(race: Race, tape: Tape) -> dict[str, Any]:
    rows = []
    for racer in race.racers:
        frames, seconds = racer.shown.frame, float(racer.shown.seconds)
        rows.append(
            {
                "name": racer.name,
                "machine": racer.machine.name,
                "frames": frames,
                "is_finished": racer.is_finished,
                "seconds": seconds,
                "frames_per_second": frames / seconds if seconds else None,
                "work_ms_a_frame": racer.work,
                "wait_ms_a_frame": racer.wait,
                "screen_hz": float(racer.machine.frame_hz),
                "clocks_a_frame": racer.total / frames if racer.total and frames else None,
                "busiest_frame": racer.busiest or None,
                "clocks_of_a_period": float(racer.frame_clocks) or None,
                "world": racer.machine.hash("world"),
            }
        )
    return {"tape": tape.path, "in_step": race.is_in_step, "seconds": float(race.time), "racers": rows}


def _print(race: Race, result: dict[str, Any]) -> None:
    from retrosim.tape import tape_name

    frames = max(racer.shown.frame for racer in race.racers)
    played = f"{shown_path(tape_name(result['tape']))}, {counted(frames, 'frame')}"
    print(": ".join(filter(None, (played, race.verdict()))))
    ranking = race.ranking()
    print_lines(
        columns([["", "work per frame", "wait for the screen", "in all"], *(_row(r, ranking) for r in ranking)])
    )
    for key in ("screenshot", "export"):
        if result[key]:
            print(f"{'picture' if key == 'screenshot' else 'clip'} {shown_path(result[key])}")


def _row(racer: Racer, ranking: list[Racer]) -> list[str]:
    """Return what is printed of a racer: name, work and wait per frame, and how far it came."""
    shown, first, hz = racer.shown, ranking[0].work, f"{float(racer.machine.frame_hz):.3f} Hz"
    played = f"{float(shown.seconds):.2f} s" if racer.is_finished else f"{counted(shown.frame, 'frame')} so far"
    if racer.work is None or racer.wait is None or first is None:
        return [racer.name, "no frame yet" if racer.machine.clock_hz else "no CPU", hz, played]
    times = "" if racer is ranking[0] else f", {racer.work / first:.2f} times as long"
    clocks = f"{racer.total / shown.frame:,.0f} clocks"
    return [racer.name, f"{racer.work:.2f} ms{times}; {clocks}", f"{racer.wait:.2f} ms, {hz}", played]
