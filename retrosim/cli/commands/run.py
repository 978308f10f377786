"""Run a ROM in a window, or without one.

Press ? in the window for its keys. Without a display retrosim says so, runs 120
frames and writes the picture to retrosim-ROM.png.

examples:
  retrosim run
  retrosim run sectors --objects 50 --speed 1/4
  retrosim run --headless --frames 120 --screenshot shot.png
  retrosim run game.prg --headless
  retrosim run tanks --overlay shapes,tested,grid1 --screenshot tanks.png
  retrosim run --scene cross
  retrosim run sectors --frames 60 --profile
  retrosim run game.prg --instructions 1000000 --profile game.html
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from retrosim.errors import BudgetUsedUp
from retrosim.machine.choices import NATIVE
from retrosim.report.json import SPREAD
from retrosim.report.text import counted

from .. import arguments, profiling, values
from ..debugging import HOST, add_causes
from ..display import NoWindow, open_window, opens_none
from ..opening import Chosen, choose_runnable
from ..output import free_name, print_json, print_lines, print_table, say, shown_path
from ..parser import Parser
from ..profiling import OutputFiles
from ..progress import Progress
from ..settings import BudgetSettings, MachineSettings, WindowSettings, refuse

if TYPE_CHECKING:
    import socket

    from retrosim.console.target import Target
    from retrosim.cost.counting import CompiledCounter
    from retrosim.cost.report import ProfileReport
    from retrosim.machine import Machine
    from retrosim.machine.headless import HeadlessRun
    from retrosim.serve.stream import Stream
    from retrosim.window.session import Session


FRAMES = 120  # two seconds of simulated time
MAX_FRAMES = arguments.MAX_FRAMES
MAX_LINES = 200  # of a program's text, the last ones
PROFILES = ("profile", *profiling.PROFILES)
IMPLYING = ("instructions", "screenshot", "json", *PROFILES)  # that no window is wanted


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "rom", nargs="?", metavar="ROM", help=f"name, folder, rom.toml, or a program's file; default: {arguments.ROM}"
    )
    arguments.add_others(parser)
    arguments.add_machine(parser)
    add_causes(parser, "the window's debugger and --profile")
    arguments.add_at(parser)
    arguments.add_memory(parser)
    arguments.add_readings(parser)
    arguments.add_parameters(parser)
    arguments.add_scene(parser)
    arguments.add_frames(parser, f"run N frames, {FRAMES} if not given")
    help = "run N instructions, or --frames if they come first; implies --headless"
    parser.add_argument("--instructions", type=values.whole(1, 2**62), metavar="N", help=help)
    help = (
        "count what every instruction, line and function of the run takes, and print it or write it as a page "
        "(.html); implies --headless"
    )
    parser.add_argument("--profile", nargs="?", const="", metavar="FILE", help=help)
    profiling.add_top(parser)
    profiling.add_files(parser, "--profile", "--screenshot")
    arguments.add_budget(parser)
    arguments.add_screenshot(parser, force=False)
    arguments.add_window(parser)
    parser.add_argument(
        "--gdb",
        type=values.whole(0, 65535),
        metavar="N",
        help="let gdb connect to this TCP port while the window is open, 0: any that is free; without a window use "
        "`retrosim gdb`",
    )
    arguments.add_json(parser, "; implies --headless")
    profiles = [f"--{name}" for name in PROFILES]
    parser.need(["--top"], profiles[0])
    parser.need(["--source"], *profiles)


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from .record import window_recorder

    chosen = choose_runnable(MachineSettings.of(options)).with_causes(options.causes)
    chosen.check()
    limits = BudgetSettings.of(options, [chosen.machine], chosen.settings.timing)
    if options.instructions and chosen.machine == NATIVE:
        raise refuse(f"--instructions: {NATIVE} has no CPU that executes any")
    profile = None
    if any(getattr(options, name) is not None for name in PROFILES):
        sources, command = tuple(options.sources), options.command_line
        profile = _Profiling(options.profile, OutputFiles.of(options), sources, options.top, command)
        chosen = profile.chosen(chosen)
    headless = _Headless(
        options.frames, options.instructions, options.screenshot, options.force, options.overlay, options.json, profile
    )
    if opens_none(vars(options) | {"rom": chosen.rom}, *IMPLYING, heeded=profile is not None):
        return headless.run(chosen, limits)
    hooks: dict[str, Any] = {"subject": f"{chosen.name} on {chosen.machine}"}
    command = ""
    if options.gdb is not None:
        hooks["on_turn"], command = _gdb_server(chosen, options.gdb)
    try:
        window = open_window(WindowSettings.of(options), chosen.open, recorder=window_recorder(chosen.name), **hooks)
    except NoWindow as error:
        if options.gdb is not None:
            raise NoWindow(f"{error}; without a window use `retrosim gdb {chosen.rom}`") from error
        say(f"{error}; running {FRAMES} frames without a window")
        picture = str(free_name(f"retrosim-{chosen.name}", ".png"))
        return replace(headless, screenshot=picture).run(chosen, limits)
    if command:
        print_lines(["waiting for gdb beside the window:", f"  {command}"])
        sys.stdout.flush()
    window.run()
    return 0


def _gdb_server(chosen: Chosen, port: int) -> tuple[Callable[[Any], None], str]:
    """Listen for gdb; return what is called on the window's turns, and the command that connects.

    Errors   ArgumentError, RetrosimError
    """
    from retrosim.machine.presets import preset
    from retrosim.rom import Image
    from retrosim.serve.programs import file_of

    from ..debugging import connecting, listening_on

    if chosen.machine == NATIVE:
        raise refuse(f"--gdb: {NATIVE} runs no machine code that could be debugged")
    program = chosen.program
    if isinstance(program, Image):
        image = program
    else:
        image = program.image(preset(chosen.machine).isa, chosen.settings.build)
    file = file_of(program, image, chosen.rom)
    listening = listening_on(HOST, port)
    return WindowGdb(listening, file).turn, connecting(program, image, *listening.getsockname()[:2])


@dataclass(frozen=True)
class _Profiling:
    """How a run is profiled; page: --profile, None where it was not given, "" for the terminal."""

    page: str | None
    files: OutputFiles
    sources: tuple[str, ...]
    top: int
    command: str

    def chosen(self, chosen: Chosen) -> Chosen:
        """Return what is to run, on the engine that counts.

        Errors   ArgumentError for what has no profile; RetrosimError for files that could not be written
        """
        settings = chosen.settings
        if chosen.machine == NATIVE:
            raise refuse(f"--profile: {NATIVE} has no CPU whose cycles could be counted")
        if settings.timing == "off":
            raise refuse("--profile: timing 'off' counts no cycles; allowed table, full")
        if settings.engine == "evaluate":
            raise refuse("--profile: engine 'evaluate' has none; allowed auto, interpret, recompile")
        if self.page and not self.page.endswith(".html"):
            raise refuse(f"--profile {self.page}: allowed nothing, or a file whose name ends in .html")
        self._files.check()
        return replace(chosen, settings=replace(settings, engine="interpret"))

    @property
    def _files(self) -> OutputFiles:
        return replace(self.files, html=self.page or None)

    def report(self, machine: Machine, counter: CompiledCounter, chosen: Chosen) -> ProfileReport:
        """Return what was counted."""
        from retrosim.cost.report import profile_report

        folders = profiling.source_folders(self.sources, chosen.program, chosen.rom)
        return profile_report(machine, counter.counted(), folders, chosen.rom, self.command)

    def write(self, report: ProfileReport, title: str) -> None:
        """Write the files. Errors: RetrosimError."""
        from retrosim.cost.page import profile_page

        self._files.write_html(lambda: profile_page(report, f"Profile of {title}"))
        self._files.write_profiles(report, title)


@dataclass(frozen=True)
class _Headless:
    """A run without a window: how long, and what it leaves."""

    frames: int | None
    instructions: int | None
    screenshot: str | None
    is_replacing: bool
    overlay: Mapping[str, Any]
    as_json: bool
    profile: _Profiling | None

    def run(self, chosen: Chosen, limits: BudgetSettings) -> int:
        """Run, and print what happened. Errors: BudgetUsedUp, RetrosimError."""
        from retrosim.machine.headless import run_headless
        from retrosim.screen.overlay import View

        budget = limits.budget()
        with Progress(is_quiet=self.as_json) as progress:
            machine = chosen.open(budget.before(progress.note))

            def step(done: int, frames: int) -> None:
                meanwhile = " while the program is being compiled" if getattr(machine, "is_compiling", False) else ""
                progress.step(done, frames, f"running frames{meanwhile}")

            machine.budget = budget
            counter = None
            if self.profile:  # what counting needs, Numba among it, takes a third of a second to import
                from retrosim.cost.counting import CompiledCounter

                counter = CompiledCounter(cast("Machine", machine))
            result = run_headless(
                machine,
                self.frames or (MAX_FRAMES if self.instructions else FRAMES),
                self.screenshot,
                step,
                overwrite=self.is_replacing,
                view=View(**self.overlay),
                instructions=self.instructions,
            )
            profile = None
            if self.profile and counter:
                profile = self.profile.report(cast("Machine", machine), counter, chosen)
        report = RunReport.of(result, machine, profile)
        if self.profile and profile:
            self.profile.write(profile, f"{result.rom or Path(chosen.rom).name} on {machine.name}")
        if self.as_json:
            print_json(report)
        else:
            print_lines(_summary(report))
            if self.profile and profile and self.profile.page == "":
                from retrosim.cost.page import render_profile

                print_lines([""])
                print_table(render_profile(profile, self.profile.top))
        if result.budget:
            raise BudgetUsedUp(result.budget)
        return 0


@dataclass(frozen=True)
class RunReport:
    """What a run did, and what that depends on; build, engine, timing, memory, readings: None where there is no CPU."""

    run: HeadlessRun = field(metadata=SPREAD)
    scene: str | None
    parameters: dict[str, int]
    build: str | None
    engine: str | None
    timing: str | None
    memory: dict[str, int] | None
    memory_changed: dict[str, int] | None
    readings: dict[str, str] | None
    readings_changed: dict[str, str] | None
    exit_status: int | None
    simulated_seconds: float | None
    profiles: dict[str, ProfileReport] = field(metadata=SPREAD)  # its key "profile"

    @classmethod
    def of(cls, run: HeadlessRun, machine: Any, profile: ProfileReport | None) -> RunReport:
        """Return what a machine has done."""
        from retrosim.machine.presets import changed_memory

        image, memory = getattr(machine, "image", None), getattr(machine, "memory_clocks", None)
        return cls(
            run=run,
            scene=machine.scene and Path(machine.scene.path).stem,
            parameters=dict(machine.parameters),
            build=image and image.build,
            engine=getattr(machine, "engine", None),
            timing=getattr(machine, "timing", None),
            memory=memory,
            memory_changed=None if memory is None else changed_memory(machine.preset, memory),
            readings=getattr(machine, "readings", None),
            readings_changed=_changed_readings(machine),
            exit_status=getattr(machine, "exit_status", None),
            simulated_seconds=float(machine.cycles / machine.clock_hz) if machine.clock_hz else None,
            profiles={"profile": profile} if profile else {},
        )


def _changed_readings(machine: Any) -> dict[str, str] | None:
    from retrosim.cpu.spec.sources import changed_readings

    core = getattr(machine, "core", None)
    return core and changed_readings(core.cpu.readings, core.cpu.choices)


def _summary(report: RunReport) -> list[str]:
    """Return the lines that say what a run without a window did."""
    run = report.run
    parameters = ", ".join(f"{name} {value}" for name, value in report.parameters.items())
    chosen = {"build": report.build, "engine": report.engine, "timing": report.timing}
    settings = ", ".join(f"{name} {value}" for name, value in chosen.items() if value)
    memory = ", ".join(f"{name} {value}" for name, value in (report.memory_changed or {}).items())
    readings = ", ".join(f"{name}={option}" for name, option in (report.readings_changed or {}).items())
    scene = f"scene {report.scene}" if report.scene else ""
    about = "; ".join(part for part in (scene, parameters, settings, memory, readings) if part)
    lines = [f"{run.rom or 'program'} on {run.machine}" + (f" ({about})" if about else "")]
    did = [counted(run.frames, "frame")]
    if run.cycles:
        did += [counted(run.cycles, "cycle"), counted(run.instructions, "instruction")]
    pace = f"{run.seconds:.2f} s"
    if report.simulated_seconds:
        times = report.simulated_seconds / max(run.seconds, 1e-9)
        pace = f"{report.simulated_seconds:.2f} s simulated in {pace}, {times:.1f} times real time"
    lines.append(f"{', '.join(did)}; {pace}")
    if run.reason == "exit":
        lines.append(f"the program exited with status {report.exit_status}")
    if run.text:
        written = run.text.splitlines()
        cut = f" (the last {MAX_LINES} of {len(written)} lines; --json has more)" if len(written) > MAX_LINES else ""
        lines += [f"it wrote{cut}:", *(f"  {line}" for line in written[-MAX_LINES:])]
    if run.world:
        lines.append(f"world {run.world}")
    if run.screenshot:
        lines.append(f"picture {shown_path(run.screenshot)}")
    return lines


# gdb beside a window: the machine is the window's until gdb connects, gdb's then, and the window's again afterwards.
#
# Two threads share the machine. It changes hands on the window's thread, between two of its turns, so that only one of
# them runs it at any time; the window goes on drawing.

NAME = "gdb"
LATE_SECONDS = 0.1  # behind the machine's own pace, which then begins anew


class WindowGdb:
    """The server; `turn` is called on the window's thread, again and again.

    listening  what clients connect to
    file       of the program, None where it has none
    """

    def __init__(self, listening: socket.socket, file: Path | None) -> None:
        self._listening, self._file = listening, file
        self._session: Session | None = None
        self._target: Target | None = None
        self._wanted, self._given = "", threading.Event()
        self._due, self._clock = 0.0, 0

    @property
    def _machine(self) -> Machine:
        assert self._session is not None
        return cast("Machine", self._session.machine)

    def turn(self, session: Session) -> None:
        """Start when the machine is open; hand it over."""
        if self._session is None:
            self._session = session
            threading.Thread(target=self._serve_all, name=NAME, daemon=True).start()
        if session.controller != self._wanted:
            session.control(self._wanted)
            self._given.set()

    def _serve_all(self) -> None:
        from retrosim.serve.stream import serve_clients

        serve_clients(self._listening, self._serve)

    def _serve(self, stream: Stream) -> bool:
        from retrosim.console.target import Target
        from retrosim.serve.gdb_session import GdbSession
        from retrosim.serve.programs import elf_of

        self._ask(NAME)
        try:
            if self._target is None:
                self._target = Target(self._machine, between_frames=self._between_frames)
            self._clock = self._machine.cycles
            return GdbSession(self._target, stream, elf_of(self._machine, self._file), attached=True).serve()
        finally:
            self._ask("")

    def _ask(self, wanted: str) -> None:
        """Wait until the window has handed the machine over, or taken it back."""
        self._given.clear()
        self._wanted = wanted
        self._given.wait()

    def _between_frames(self) -> None:
        """Give the machine what is pressed in the window, and keep its pace."""
        machine = self._machine
        if self._session is not None and (machine.rom is None or "pad" in machine.rom.inputs):
            machine.set_input("pad", self._session.pad.word(machine.frame_number))
        passed, self._clock = machine.cycles - self._clock, machine.cycles
        self._due = max(self._due, time.monotonic() - LATE_SECONDS) + max(0, passed) / machine.clock_hz
        time.sleep(max(0.0, self._due - time.monotonic()))
