"""Replay a scenario tape in a window, or without one, and compare its hashes.

examples:
  retrosim replay storm-200
  retrosim replay mine.rtape --machine native --headless
  retrosim replay gem-run --export gem-run.gif
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from retrosim.errors import TapeError
from retrosim.report.text import counted

from .. import arguments, values
from ..debugging import add_causes
from ..display import NoWindow, open_window, opens_none
from ..output import print_json, say, shown_path
from ..parser import Parser
from ..progress import Progress
from ..settings import BudgetSettings, MachineSettings, WindowSettings, check_machines

EVERY, MAX_EVERY = 2, 10_000  # frames from one picture of a clip to the next

if TYPE_CHECKING:
    from retrosim.machine.interface import AnyMachine
    from retrosim.screen.overlay import View
    from retrosim.tape import Player, Tape
    from retrosim.window.clip import Picture


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("tape", metavar="TAPE", help="tape file, or a name from `retrosim list tapes`")
    arguments.add_tape_rom(parser)
    help = "default: the one the tape was recorded on"
    parser.add_argument("--machine", type=values.machine, metavar="MACHINE", help=help)
    arguments.add_engine(parser)
    arguments.add_timing(parser)
    arguments.add_frames(parser, "stop after N frames")
    arguments.add_budget(parser, "the replay")
    arguments.add_screenshot(parser)
    help = "write what is seen as a .gif, .apng or .mp4, at the pace of the simulated machine; implies --headless"
    parser.add_argument("--export", type=values.clip, metavar="CLIP", help=help)
    help = f"with --export: a picture every N frames; default: {EVERY}"
    parser.add_argument("--every", type=values.whole(1, MAX_EVERY), default=EVERY, metavar="N", help=help)
    arguments.add_window(parser)
    add_causes(parser, "the window's debugger")
    arguments.add_json(parser, "; implies --headless")
    parser.need(["--every"], "--export")


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    on = _chosen(options)
    limits = BudgetSettings.of(options, [on.machine], on.settings.timing)
    output = _Output(options.frames, options.screenshot, options.export, options.every, options.force, options.json)
    window = WindowSettings.of(options)
    if opens_none(vars(options), "screenshot", "export", "json"):
        return _replay_headless(on, output, window.overlay, limits)
    try:
        return _replay_window(on, window)
    except NoWindow as error:
        say(f"{error}; replaying without a window")
        return _replay_headless(on, output, window.overlay, limits)


def show(options: argparse.Namespace) -> None:
    """Replay in the window until it is closed. Errors: NoWindow, and those of the command."""
    _replay_window(_chosen(options), WindowSettings.of(options))


@dataclass(frozen=True)
class _Output:
    """What a replay without a window leaves: frames: at most so many; export: a clip, with a picture every so many."""

    frames: int | None
    screenshot: str | None
    export: str | None
    every: int
    is_replacing: bool
    as_json: bool


@dataclass(frozen=True)
class _Replay:
    """A tape, and what it is replayed on; rom: instead of the one that it names."""

    tape: Tape
    settings: MachineSettings
    rom: str | None
    is_unverified: bool

    @property
    def machine(self) -> str:
        return self.settings.machine or self.tape.machine

    def open(self, note: Callable[[str], None]) -> tuple[AnyMachine, Player]:
        """Return the machine, and what plays the tape on it. Errors: RomError, TapeError."""
        from retrosim.tape import Player, open_for

        with _bad_tape(self.tape.name):
            of_cpu = self.settings.of_cpu(self.machine)
            machine = open_for(self.tape, self.machine, self.rom, progress=note, **of_cpu)
            return machine, Player(self.tape, machine, force=self.is_unverified)


def _chosen(options: argparse.Namespace) -> _Replay:
    """Return what is to be replayed. Errors: ArgumentError, TapeError; RomError before a window opens."""
    from retrosim.rom import load_rom
    from retrosim.tape import load_tape

    tape = load_tape(options.tape)
    settings = _settings(MachineSettings.of(options), tape, options.causes)
    load_rom(options.rom or tape.scenario)
    if tape.note:
        say(f"{tape.name}: {tape.note}")
    return _Replay(tape, settings, options.rom, options.unverified)


def _settings(given: MachineSettings, tape: Tape, causes: bool) -> MachineSettings:
    """Return what to replay a tape with. Errors: ArgumentError; TapeError if the tape's machine is unknown here."""
    if given.machine is not None:
        check_machines([given.machine])
    else:
        with _bad_tape(tape.name, argparse.ArgumentError):
            check_machines([tape.machine])
    machine = given.machine or tape.machine
    chosen = given.with_causes(machine) if causes else given
    chosen.of_cpu(machine)
    return chosen


@contextmanager
def _bad_tape(path: str, kind: type[Exception] = ValueError) -> Iterator[None]:
    """Blame the tape for asking for something that this program does not have: raise TapeError."""
    try:
        yield
    except kind as error:
        raise TapeError(path, str(error)) from error


def _replay_window(on: _Replay, settings: WindowSettings) -> int:
    players: list[Player] = []

    def make(report: Callable[[str], None]) -> AnyMachine:
        machine, player = on.open(report)
        players.append(player)
        return machine

    subject = f"{on.tape.name}: {on.rom or on.tape.scenario} on {on.machine}"
    window = open_window(settings, make, player=lambda machine: players[0], subject=subject)
    window.run()
    if window.session is not None:
        players[0].check()
    return 0


def _replay_headless(on: _Replay, output: _Output, overlay: Mapping[str, Any], limits: BudgetSettings) -> int:
    from retrosim.machine.headless import check_view, picture_of
    from retrosim.report.files import FORCE, check_free
    from retrosim.screen.overlay import View
    from retrosim.screen.png import write_png
    from retrosim.window.clip import check_clip, write_clip

    view, tape = View(**overlay), on.tape
    if output.screenshot:
        check_free(output.screenshot, overwrite=output.is_replacing, advice=FORCE)
    budget = limits.budget()
    end = min(tape.frames, tape.first_frame + (output.frames or tape.frames))
    if output.export:
        check_clip(output.export, -(-(end - tape.first_frame) // output.every), overwrite=output.is_replacing)
    with Progress(is_quiet=output.as_json) as progress:
        machine, player = on.open(budget.before(progress.note))
        check_view(machine, view)
        machine.budget = budget
        begun = time.perf_counter()

        def report(frame: int, frames: int) -> None:
            progress.step(frame, end, f"replaying {tape.name} on {on.machine}")

        pictures = None
        if output.export:
            shown = _pictures(player, machine, end, output.every, view, report)
            pictures = write_clip(output.export, shown, overwrite=output.is_replacing)
        else:
            player.run(end, report)
        seconds = time.perf_counter() - begun
    if output.screenshot:
        write_png(output.screenshot, *picture_of(machine, view), overwrite=output.is_replacing)
    result = {
        "path": tape.path,
        "machine": on.machine,
        "engine": machine.engine,
        "frames": player.frame - tape.first_frame,
        "compared": player.compared,
        "world_ok": player.world_ok,
        "machine_ok": player.machine_ok,
        "verified": player.is_verified,
        "note": player.note or player.machine_reason,
        "budget": player.spent or None,
        "world": machine.hash("world"),
        "values": {name: int(column[0]) for name, column in machine.world().columns.items() if len(column) == 1},
        "pairs": _pairs(machine),
        "cycles": machine.cycles,
        "seconds": seconds,
        "screenshot": output.screenshot,
        "export": output.export,
        "pictures": pictures,
    }
    if output.as_json:
        print_json(result)
    else:
        _print_summary(result)
    player.check()
    return 0


def _pairs(machine: AnyMachine) -> dict[str, int] | None:
    """Return how many objects there are, and how many pairs were tested and hit in the last frame; None without any."""
    shapes = machine.shapes()
    if shapes is None:
        return None
    return {"objects": len(shapes.hit), "tested": len(shapes.tested), "hits": len(shapes.hits)}


def _pictures(
    player: Player, machine: AnyMachine, end: int, every: int, view: View, report: Callable[[int, int], None]
) -> Iterator[Picture]:
    """Play the tape; yield what is seen after every so many frames, for as long as they took."""
    from retrosim.machine.headless import picture_of
    from retrosim.window.clip import Picture

    while player.frame < end and not player.is_finished:
        frame, cycles = player.frame, machine.cycles
        player.run(min(frame + every, end), report)
        ran, passed = player.frame - frame, machine.cycles - cycles
        yield Picture(
            *picture_of(machine, view), Fraction(passed) / machine.clock_hz if passed else ran / machine.frame_hz
        )


def _print_summary(result: dict[str, Any]) -> None:
    from retrosim.tape import tape_name
    from retrosim.tape.verify import OUTCOMES

    unverified = "" if result["verified"] else ", UNVERIFIED"
    frames, hashes = counted(result["frames"], "frame"), counted(result["compared"], "hash line")
    print(f"{shown_path(tape_name(result['path']))} on {result['machine']}: {frames}, {result['seconds']:.2f} s")
    print(f"{hashes}: world {OUTCOMES[result['world_ok']]}, machine {OUTCOMES[result['machine_ok']]}{unverified}")
    if result["note"]:
        print(result["note"])
    print(f"world {result['world']}")
    if result["screenshot"]:
        print(f"picture {shown_path(result['screenshot'])}")
    if result["export"]:
        print(f"{shown_path(result['export'])}: {counted(result['pictures'], 'picture')}")
