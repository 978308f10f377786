"""Record a scenario tape in a window, or from a script without one.

A tape is never overwritten; in a folder it is named by the next free number.
--input is a list of steps "FRAME pad=N", separated by semicolons: from that
frame on the pad is in this state, the sum of 1 left, 2 right, 4 up, 8 down and
16 fire.

examples:
  retrosim record mine.rtape
  retrosim record tapes --objects 100
  retrosim record cross.rtape --scene cross --frames 60
  retrosim record wind.rtape --input '0 pad=2; 300 pad=16; 301 pad=0'
  retrosim record wind.rtape --continue --input '0 pad=2; 300 pad=16; 301 pad=0'
  retrosim record mine.rtape --continue
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrosim.errors import BudgetUsedUp, RetrosimError, TapeError
from retrosim.reading import read_regular
from retrosim.report.text import counted

from .. import arguments, values
from ..display import NoWindow, data_folder, open_window, opens_none, stamped
from ..opening import Chosen, choose_runnable
from ..output import print_json, print_lines, shown_path
from ..parser import Parser
from ..progress import Progress
from ..settings import BudgetSettings, MachineSettings, WindowSettings, refuse
from ..values import bad_arguments

if TYPE_CHECKING:
    from retrosim.machine.budget import Budget
    from retrosim.machine.interface import AnyMachine
    from retrosim.rom import Rom
    from retrosim.tape import Tape

FRAMES = 600  # ten seconds of simulated time
MAX_SCRIPT = 1 << 20  # characters
HEADLESS = (
    "to record without one: retrosim record TAPE --headless --frames 600 --input '0 pad=2; 300 pad=16; 301 pad=0'"
)


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("tape", metavar="TAPE", help="file to create, or a folder for a numbered one")
    parser.add_argument(
        "--rom", metavar="ROM", help=f"name, folder or rom.toml; default: the scene's, or {arguments.ROM}"
    )
    arguments.add_machine(parser)
    arguments.add_parameters(parser)
    arguments.add_scene(parser)
    arguments.add_frames(parser, f"record N frames, {FRAMES} if not given")
    parser.add_argument("--input", metavar="SCRIPT", help="input steps, or @FILE to read them; implies --headless")
    parser.add_argument("--title", default="", metavar="TEXT", help="title of the tape")
    parser.add_argument("--author", default="", metavar="TEXT", help="author of the tape")
    parser.add_argument("--description", default="", metavar="TEXT", help="description of the tape")
    help = "frames from one hash line to the next; default: 60"
    parser.add_argument("--hash-every", type=values.whole(1, arguments.MAX_FRAMES), default=60, metavar="N", help=help)
    parser.add_argument(
        "--continue",
        dest="is_continued",
        action="store_true",
        help="go on with an interrupted TAPE, on its machine and with its parameters; give the other options as when "
        "it was begun",
    )
    arguments.add_budget(parser, "the recording")
    arguments.add_window(parser)
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.rom import Rom

    is_headless = opens_none(vars(options), "input")
    settings, window = MachineSettings.of(options), WindowSettings.of(options)
    labels = {key: getattr(options, key) for key in ("title", "author", "description", "hash_every")}
    if options.is_continued:
        if is_headless:
            script = _Script(options.input or "", options.frames or FRAMES, BudgetSettings.of(options), options.json)
            reason, continued = _continue_script(options.tape, settings, script)
        else:
            reason, continued = _continue_window(options.tape, settings, window)
        return _end(Path(options.tape), reason, continued, options.json)
    chosen = choose_runnable(settings)
    if not isinstance(chosen.program, Rom):
        raise refuse(f"{chosen.rom}: a tape needs a ROM with a rom.toml, and this has none")
    chosen.check()
    limits = BudgetSettings.of(options, [chosen.machine], chosen.settings.timing)
    path = _new_tape(options.tape, chosen.program)
    try:
        with output_file():
            if is_headless:
                script = _Script(options.input or "", options.frames or FRAMES, limits, options.json)
                reason, machine = _record_script(path, chosen, script, labels)
            else:
                reason, machine = _record_window(path, chosen, window, labels)
    except KeyboardInterrupt:
        advice = f"; {shown_path(path)} can be replayed up to here" if path.exists() else ""
        raise KeyboardInterrupt(f"interrupted{advice}") from None
    return _end(path, reason, machine, options.json)


@dataclass(frozen=True)
class _Script:
    """How a tape is recorded without a window; text: of the input, or @FILE."""

    text: str
    frames: int
    limits: BudgetSettings
    is_quiet: bool

    def steps(self) -> Any:
        """Return the steps. Errors: ArgumentError, RetrosimError."""
        from retrosim.tape import parse_script

        with bad_arguments():
            return parse_script(_script(self.text))


def _end(path: Path, reason: str, machine: AnyMachine, as_json: bool) -> int:
    """Tell what was recorded. Errors: BudgetUsedUp."""
    _report(path, reason, machine, as_json)
    if reason == "budget":
        raise BudgetUsedUp(machine.budget.spent)
    return 0


def _replayed(
    settings: MachineSettings, tape: Tape, budget: Budget, note: Callable[[str], None], step: Callable[[int], None]
) -> AnyMachine:
    """Return a machine that has played an interrupted tape to its end.

    note     gets a line of text before long work
    step     gets the number of frames played
    Errors   TapeError, TapeDiverged, RomError, BudgetUsedUp
    """
    from retrosim.rom import load_rom
    from retrosim.tape import Player, open_for

    rom = settings.rom if settings.rom and load_rom(settings.rom).name == tape.scenario else None
    engine = {"engine": settings.engine} if settings.engine else {}
    _check_same(settings, tape)
    try:
        machine = open_for(tape, tape.machine, rom, progress=budget.before(note), **engine)
        player = Player(tape, machine)
    except ValueError as error:  # a machine or an option that only the tape asks for
        raise TapeError(tape.name, str(error)) from error
    machine.budget = budget
    player.run(on_progress=lambda done, _: step(done))
    player.check()
    return machine


def _check_same(settings: MachineSettings, tape: Tape) -> None:
    """Refuse settings that contradict what an interrupted tape says. Errors: ArgumentError."""
    given: dict[str, Any] = dict(settings.parameters)
    recorded: dict[str, Any] = {name: tape.parameters.get(name) for name in given}
    if settings.machine is not None:
        given["machine"], recorded["machine"] = settings.machine, tape.machine
    for name, value in given.items():
        if recorded[name] != value:
            raise refuse(f"{name} {value}: {tape.name} was begun with {recorded[name]}, and goes on with that")


def _continue_script(name: str, settings: MachineSettings, script: _Script) -> tuple[str, AnyMachine]:
    """Record on without a window; return why the machine stopped, and the machine."""
    from retrosim.tape import continue_script, load_tape

    frames, steps = script.frames, script.steps()
    tape, budget = load_tape(Path(name)), script.limits.budget()
    with Progress(is_quiet=script.is_quiet) as progress:
        replayed = _counting(progress, frames, "replaying what was recorded")
        machine = _replayed(settings, tape, budget, progress.note, replayed)
        recorded = _counting(progress, frames, "recording frames")
        with bad_arguments():
            result = continue_script(tape, machine, frames, steps, on_progress=recorded)
    if result is not None and result.fault is not None:
        raise result.fault
    return ("frames" if result is None else result.reason), machine


def _counting(progress: Progress, frames: int, text: str) -> Callable[[int], None]:
    """Return what says how many of the frames are done."""
    return lambda done: progress.step(done, frames, text)


def _new_tape(name: str, rom: Rom) -> Path:
    """Return the file to create. Errors: RetrosimError if it exists or its folder cannot be written to."""
    from retrosim.report.files import check_free
    from retrosim.tape import numbered_path

    with output_file():
        path = numbered_path(name, rom.name) if os.path.isdir(name) else Path(name)
        check_free(path)
    return path


def _record_script(path: Path, chosen: Chosen, script: _Script, labels: dict[str, Any]) -> tuple[str, AnyMachine]:
    """Record without a window; return why the machine stopped, and the machine."""
    from retrosim.tape import record_script

    frames, steps = script.frames, script.steps()
    budget = script.limits.budget()
    with Progress(is_quiet=script.is_quiet) as progress:
        machine = chosen.open(budget.before(progress.note))
        machine.budget = budget
        recorded = _counting(progress, frames, "recording frames")
        with bad_arguments():
            result = record_script(path, machine, frames, steps, **labels, on_progress=recorded)
    if result.fault is not None:
        raise result.fault
    return result.reason, machine


def _script(text: str) -> str:
    """Return the input script, read from its file if it is given as @FILE."""
    if not text.startswith("@"):
        return text
    try:
        script = read_regular(text[1:], MAX_SCRIPT).decode("utf-8")
    except FileNotFoundError:
        raise RetrosimError(f"{text[1:]}: no such file") from None
    except (OSError, ValueError) as error:
        raise RetrosimError(f"{text[1:]}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(script) > MAX_SCRIPT:
        raise ValueError(f"{text[1:]}: longer than {MAX_SCRIPT:,} characters")
    return script


def _record_window(
    path: Path, chosen: Chosen, settings: WindowSettings, labels: dict[str, Any]
) -> tuple[str, AnyMachine]:
    """Record from the first frame on until the recording is stopped or the window closed; return as `_in_window`."""
    recorder = _recorder(chain([path], _window_paths(chosen.name)), labels)
    return _in_window(settings, chosen.open, recorder, f"{chosen.name} on {chosen.machine}")


def _continue_window(name: str, settings: MachineSettings, window: WindowSettings) -> tuple[str, AnyMachine]:
    """Record on in the window from where an interrupted tape ends; return as `_in_window`."""
    from retrosim.machine.budget import Budget
    from retrosim.tape import Recorder, load_tape

    tape = load_tape(Path(name))
    if tape.is_complete:
        raise TapeError(tape.name, "was recorded to its end; there is nothing to continue")
    others = window_recorder(tape.scenario)
    begun: list[Recorder] = []

    def recorder(machine: Any, history: Any) -> Any:
        if begun:
            return others(machine, history)
        begun.append(Recorder.resume(tape, machine))
        return begun[0]

    def make(report: Callable[[str], None]) -> AnyMachine:
        return _replayed(
            settings, tape, Budget(), report, lambda done: report(f"replaying frame {done:,} of {tape.frames:,}")
        )

    return _in_window(window, make, recorder, f"{tape.scenario} on {settings.machine or tape.machine}")


def _in_window(
    settings: WindowSettings,
    make: Callable[[Callable[[str], None]], AnyMachine],
    recorder: Callable[[Any, Any], Any],
    subject: str,
) -> tuple[str, AnyMachine]:
    """Record in a window, from the beginning until the recording is stopped or the window closed.

    make      opens the machine
    recorder  starts or continues the tape
    subject   what is to run
    Returns   "frames", and the machine
    """
    failure: list[str] = []

    def begin(session: Any) -> None:
        session.do("record")
        if session.recording is None:
            failure.append(session.message)
            window.close()

    try:
        window = open_window(settings, make, on_start=begin, recorder=recorder, subject=subject)
    except NoWindow as error:
        raise RetrosimError(f"{error}; {HEADLESS}") from None
    window.run()
    if failure:
        raise RetrosimError(failure[0])
    if window.session is None:
        raise RetrosimError("nothing was recorded: the window was closed before the machine was ready")
    return "frames", window.session.machine


def window_recorder(stem: str) -> Callable[[Any, Any], Any]:
    """Return what starts a tape from the window: in the user's folder of tapes, named by date and time."""
    return _recorder(_window_paths(stem), {})


def _window_paths(stem: str) -> Iterator[Path]:
    from retrosim.tape import numbered_path

    while True:
        yield numbered_path(data_folder("tapes"), stamped(stem))


def _recorder(paths: Iterator[Path], labels: dict[str, Any]) -> Callable[[Any, Any], Any]:
    def start(machine: Any, history: list[tuple[int, dict[str, int]]] | None) -> Any:
        from retrosim.tape import Recorder

        try:
            return Recorder(next(paths), machine, history=history, from_state=history is None, **labels)
        except ValueError as error:
            raise RetrosimError(str(error)) from error

    return start


@contextmanager
def output_file() -> Iterator[None]:
    """Turn errors about a tape that is written into plain failures: no input file is to blame."""
    try:
        yield
    except TapeError as error:
        raise RetrosimError(str(error)) from error


def _report(path: Path, reason: str, machine: AnyMachine, as_json: bool) -> None:
    from retrosim.tape import load_tape

    tape = load_tape(path)
    ending = {"reason": reason, "budget": machine.budget.spent or None, "engine": machine.engine}
    if as_json:
        entry = {"path": str(path), "machine": tape.machine, "parameters": tape.parameters, "frames": tape.frames}
        print_json(entry | {"inputs": len(tape.inputs), "hashes": len(tape.hashes)} | ending)
        return
    frames, inputs = counted(tape.frames, "frame"), counted(len(tape.inputs), "input line")
    lines = [f"{shown_path(path)}: {frames} on {tape.machine}, {inputs}"]
    print_lines([*lines, *(["the program exited"] if reason == "exit" else [])])
