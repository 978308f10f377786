"""Options that several commands share, and the readers of their values.

A metavar names the kind of a value: MACHINE, ROM, BUILD, TAPE, PNG, FILE. The completion of shells goes by it. Whatever
a machine or a ROM must be opened for (builds, parameters) is checked later, in `opening`.
"""

from __future__ import annotations

from retrosim.machine.choices import ENGINES, MAX_WARM_CALLS, TIMINGS, WARM_CALLS

from . import values
from .parser import Parser

MACHINE, ROM = "mc68040-25", "sectors"  # the defaults
MAX_FRAMES = 2**31 - 1  # what a tape can hold
SECONDS, MEMORY = 600, 4096  # budget without a window: real seconds, MiB
MAX_SECONDS = 10**9
FRAME_SECONDS = 60  # simulated, without a completed frame


def add_others(parser: Parser) -> None:
    help = "sources and objects to link with the first: .s, .asm, .S, .c, .o, .a; these need no linker"
    parser.add_argument("others", nargs="*", metavar="FILE", help=help)
    add_cflags(parser)


def add_cflags(parser: Parser) -> None:
    parser.add_argument(
        "--cflags", metavar="FLAGS", help="flags for the compiler of C sources, after retrosim's own: --cflags=-O1"
    )


def add_json(parser: Parser, note: str = "") -> None:
    """Add --json. `note`: what else it does."""
    parser.add_argument("--json", action="store_true", help=f"print JSON{note}")


def add_formats(parser: Parser, csv: str) -> None:
    """Add --json and --csv, of which one may be given; `csv` says what the lines are."""
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--json", action="store_true", help="print JSON")
    formats.add_argument("--csv", action="store_true", help=f"print comma-separated values, {csv}")


def add_tape_rom(parser: Parser, tape: str = "the tape names", note: str = "", dest: str = "rom") -> None:
    """Add --rom and --unverified for a tape. `note`: when they apply."""
    help = f"{note}folder or rom.toml to use instead of the ROM {tape}"
    parser.add_argument("--rom", dest=dest, metavar="ROM", help=help)
    help = f"{note}accept a ROM other than the recorded one"
    parser.add_argument("--unverified", action="store_true", help=help)


def add_machine(parser: Parser, more: str = "") -> None:
    """Add the options that choose a machine and how it runs; more: what else --machine takes."""
    help = (
        f"see `retrosim list machines`{more}; default: {MACHINE}, for a program of your own the first that can run it"
    )
    parser.add_argument("--machine", type=values.machine, metavar="MACHINE", help=help)
    parser.add_argument("--build", metavar="BUILD", help="build of the ROM, such as O0; see `retrosim list roms`")
    add_engine(parser)
    add_timing(parser)


def add_machines(parser: Parser) -> None:
    parser.add_repeatable("--machine", "MACHINE", "only this machine", type=values.machine)


def add_at(parser: Parser) -> None:
    """Add the options that say of a program's file what it does not say itself."""
    help = "the file is a flat binary, whose first byte goes to this address"
    parser.add_argument("--at", type=values.address(0, 2**24 - 1), metavar="ADDRESS", help=help)
    parser.add_argument("--bits", type=int, choices=(16, 32), help="x86: real mode (16) or flat mode; default: 32")


def add_engine(parser: Parser) -> None:
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        metavar="ENGINE",
        help="what executes the machine code, always with the same results: auto (the default, which moves on to "
        "faster engines as they are compiled), evaluate (plain Python), interpret or recompile",
    )


def add_timing(parser: Parser) -> None:
    parser.add_argument(
        "--timing",
        choices=TIMINGS,
        metavar="TIMING",
        help="how cycles are counted: full (the default: pipeline, caches and bus), table (the manual's figures alone) "
        "or off",
    )


def add_memory(parser: Parser) -> None:
    parser.add_repeatable(
        "--memory",
        "NAME=N",
        "change a cache or bus parameter, such as copyback=0; see `retrosim list machines --details`",
        type=values.assignment,
    )


def add_readings(parser: Parser) -> None:
    parser.add_repeatable(
        "--reading",
        "NAME=OPTION",
        "answer a question that the sources of the clocks leave open, such as lead=printed; see `retrosim list "
        "machines`",
        type=values.choice,
        dest="readings",
    )


def add_parameters(parser: Parser) -> None:
    """Add the options that set parameters of a ROM."""
    parser.add_argument("--objects", type=values.whole(0, 2**32 - 1), metavar="N", help="number of objects")
    parser.add_argument("--seed", type=values.whole(0, 2**32 - 1), metavar="N", help="seed of the random numbers")
    parser.add_repeatable(
        "--set",
        "NAME=N",
        "set any parameter of the ROM; see `retrosim list roms`",
        type=values.assignment,
        dest="parameters",
    )


def add_scene(parser: Parser) -> None:
    parser.add_argument(
        "--scene",
        metavar="SCENE",
        help="place the objects as a scene says: a name from `retrosim scenes`, or a file; the ROM, the number of "
        "objects and the seed follow from it",
    )


def add_interval(parser: Parser) -> None:
    help = "leave out low and high: quicker, because the other answers to what the sources leave open are not run"
    parser.add_argument("--no-interval", dest="interval", action="store_false", help=help)


def add_jobs(parser: Parser) -> None:
    """Add the options that say who does long work."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--jobs", type=values.whole(1, 256), metavar="N", help="processes to use; default: one for each core"
    )
    help = "use the workers of a running dask cluster instead, such as tcp://host:8786; see `retrosim guide jobs`"
    where.add_argument("--scheduler", metavar="ADDRESS", help=help)
    parser.add_argument("--resume", action="store_true", help="go on where an interrupted run of the same work was")


def add_warm(parser: Parser) -> None:
    help = (
        "call the routine N times before the call that counts, so that caches are warm; what the calls write is "
        f"undone; default: {WARM_CALLS}, as for a routine that is called every frame; 0: caches as they are"
    )
    parser.add_argument("--warm", type=values.whole(0, MAX_WARM_CALLS), default=WARM_CALLS, metavar="N", help=help)


def add_frames(parser: Parser, help: str) -> None:
    parser.add_argument("--frames", type=values.whole(1, MAX_FRAMES), metavar="N", help=f"{help}; implies --headless")


def add_budget(
    parser: Parser, subject: str = "the run", note: str = "; implies --headless", where: str = "without a window"
) -> None:
    """Add the limits of what runs without a window.

    subject  of what
    note     what else the options do; without it the command has no window
    where    the defaults hold
    """
    usual = f"{where} the default is" if note else "default:"
    parser.add_argument(
        "--max-cycles",
        type=values.whole(1, 2**62),
        metavar="N",
        help=f"end {subject} N simulated cycles after power-on; {usual} to end when no "
        f"frame is completed in a simulated minute{note}",
    )
    parser.add_argument(
        "--max-seconds",
        type=values.whole(1, MAX_SECONDS),
        metavar="N",
        help=f"end {subject} after N seconds of real time, opening and compiling included (what is being compiled is "
        f"finished first); {usual} {SECONDS}{note}",
    )
    help = f"end {subject} when retrosim has more than MIB mebibytes in memory; {usual} {MEMORY}{note}"
    parser.add_argument("--max-memory", type=values.whole(64, 2**20), metavar="MIB", help=help)


def add_window(parser: Parser) -> None:
    """Add the options of the window."""
    parser.add_argument("--headless", action="store_true", help="open no window")
    parser.add_argument(
        "--speed", type=values.speed, metavar="X", help="speed in the window, 1/64 to 8 times real time"
    )
    parser.add_argument("--scale", type=values.whole(1, 4), metavar="N", help="window pixels per screen pixel, 1..4")
    help = (
        "draw over the picture what the routine tests: shapes, tested (pairs), grid1, grid2, ... separated by "
        "commas; in the window or the screenshot"
    )
    parser.add_argument("--overlay", type=values.overlay, default={}, metavar="LIST", help=help)
    parser.add_argument("--fullscreen", action="store_true", help="open the window in full screen")


def add_screenshot(
    parser: Parser, help: str = "write the last picture to a file; implies --headless", force: bool = True
) -> None:
    """Add --screenshot; force: and --force, which other options may have brought already."""
    parser.add_argument("--screenshot", type=values.png, metavar="PNG", help=help)
    if force:
        add_force(parser, "--screenshot", "--export")


def add_force(parser: Parser, *written: str) -> None:
    """Add --force; `written`: the options that write a file, where the command does not write one without."""
    if written:
        parser.need(["--force"], *written)
    parser.add_argument("--force", action="store_true", help="replace files that exist")
