"""The commands and their options. Whatever needs a machine to be judged (its name, a ROM's builds) is judged later."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from retrosim.cli import values
from retrosim.cli.output import say

MACHINE, ROM = "mc68040-25", "sectors"  # the defaults
MOST_FRAMES = 2**31 - 1  # what a tape can hold
ENGINES = ("auto", "evaluate", "interpret", "recompile")  # of retrosim.machine, which brings a compiler along
TIMINGS = ("off", "table", "full")
SHELL_NOTES = """\
exit status: 0 ok, 1 failure, 2 usage, 3 divergence, 4 bad or corrupt input file
RETROSIM_HOME=FOLDER  holds compiled code and the user's files instead of the XDG folders
RETROSIM_DEBUG=1      shows the traceback of an error"""


class Parser(argparse.ArgumentParser):
    """Ends a usage error with one line and status 2; abbreviations of options are none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options)

    def error(self, message: str) -> None:
        say(f"{message} ({self.prog} --help)")
        raise SystemExit(2)


class ShowVersion(argparse.Action):
    """Prints the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from retrosim.cli.version import find_version

        print(f"retrosim {find_version()}")
        parser.exit()


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command line; `place` is the function that carries it out.

    Errors   SystemExit after help, version, or a usage error
    """
    return build_parser().parse_args(argv)


def build_parser() -> Parser:
    """Return the parser of the whole command line."""
    parser = Parser(
        prog="retrosim",
        description="Simulates machines of 1994 that run collision routines, and counts their cycles.",
        epilog=f"{_examples('run', 'replay storm-200', 'verify storm-200 --on all', 'timing')}\n\n{SHELL_NOTES}",
    )
    parser.add_argument("--version", action=ShowVersion, nargs=0, help="print the version")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for add in (
        _add_run,
        _add_record,
        _add_replay,
        _add_verify,
        _add_timing,
        _add_study,
        _add_cost,
        _add_bench,
        _add_list,
        _add_host,
        _add_guide,
    ):
        add(commands)
    return parser


def _examples(*commands: str) -> str:
    return "examples:\n" + "\n".join(f"  retrosim {command}" for command in commands)


def _command(commands: Any, name: str, place: str, help: str, *examples: str, more: str = "") -> Parser:
    described = f"{help[0].upper()}{help[1:]}." + (f"\n\n{more}" if more else "")
    epilog = _examples(*(f"{name} {example}".rstrip() for example in examples))
    parser = commands.add_parser(name, help=help, description=described, epilog=epilog)
    parser.set_defaults(place=place)
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _add_machine(parser: Parser, machine: str | None = MACHINE) -> None:
    """Add what chooses a machine and how it runs; without a default it is the one a tape was recorded on."""
    default = machine or "that of the tape"
    parser.add_argument("--machine", default=machine, metavar="NAME", help=f"a machine of `list`; default: {default}")
    if machine:
        parser.add_argument("--build", metavar="B", help="build of the ROM, for example O0; default: the ROM's")
    _add_engine(parser)
    parser.add_argument("--timing", choices=TIMINGS, metavar="T", help="off, table or full; default: full")


def _add_memory(parser: Parser) -> None:
    parser.add_argument(
        "--memory",
        action="append",
        default=[],
        type=values.assignment,
        metavar="NAME=N",
        help="a parameter of caches and bus, as `list machines` shows them: copyback=0",
    )


def _add_engine(parser: Parser) -> None:
    about = "auto, evaluate (Python, no compiler), interpret or recompile (compiled, at once); default: auto"
    parser.add_argument("--engine", choices=ENGINES, metavar="E", help=about)


def _add_parameters(parser: Parser) -> None:
    parser.add_argument("--objects", type=values.whole(0, 2**32 - 1), metavar="N", help="number of objects")
    parser.add_argument("--seed", type=values.whole(0, 2**32 - 1), metavar="N", help="seed of the random numbers")
    parser.add_argument(
        "--set",
        dest="parameters",
        action="append",
        default=[],
        type=values.assignment,
        metavar="NAME=N",
        help="any parameter of the ROM",
    )


def _add_window(parser: Parser) -> None:
    parser.add_argument("--speed", type=values.speed, metavar="X", help="1/64 .. 8 times real time, in the window")
    parser.add_argument("--scale", type=values.whole(1, 4), metavar="N", help="window pixels per pixel, 1..4")
    parser.add_argument(
        "--overlay",
        type=values.overlay,
        default={},
        metavar="LIST",
        help="draw shapes, tested (pairs), grid1 .. over the picture: in the window, in the screenshot",
    )
    parser.add_argument("--fullscreen", action="store_true", help="open the window in full screen")


def _add_picture(parser: Parser) -> None:
    parser.add_argument("--screenshot", metavar="PNG", help="write the last picture; implies --headless")
    parser.add_argument("--force", action="store_true", help="replace the screenshot's file if it exists")


def _add_run(commands: Any) -> None:
    parser = _command(
        commands,
        "run",
        "run.run",
        "run a ROM in the window, or without one",
        "",
        "sectors --objects 50 --speed 1/4",
        "--headless --frames 120 --screenshot shot.png",
        "tanks --overlay shapes,tested,grid1 --screenshot tanks.png",
        more="Without a display it says so, runs 120 frames and writes the picture to retrosim-ROM.png.",
    )
    parser.add_argument("rom", nargs="?", default=ROM, metavar="ROM", help="name, folder, rom.toml or ELF file")
    _add_machine(parser)
    _add_memory(parser)
    _add_parameters(parser)
    parser.add_argument("--headless", action="store_true", help="no window")
    parser.add_argument(
        "--frames",
        type=values.whole(1, MOST_FRAMES),
        metavar="N",
        help="frames to run, default 120; implies --headless",
    )
    _add_picture(parser)
    _add_window(parser)


def _add_record(commands: Any) -> None:
    parser = _command(
        commands,
        "record",
        "recording.record",
        "record a scenario tape in the window, or from a script without one",
        "mine.rtape",
        "tapes --objects 100",
        "wind.rtape --frames 600 --input '0 pad=2; 300 pad=16; 301 pad=0'",
        more="A tape is never overwritten; in a folder it gets the next free number.\n"
        "An input step is a frame and the devices' states from there on; pad is the sum of\n"
        "1 left, 2 right, 4 up, 8 down, 16 fire.",
    )
    parser.add_argument("tape", metavar="TAPE", help="file to create, or a folder for a numbered one")
    parser.add_argument("--rom", default=ROM, metavar="ROM", help=f"name, folder or rom.toml; default: {ROM}")
    _add_machine(parser)
    _add_parameters(parser)
    parser.add_argument("--headless", action="store_true", help="no window; 600 frames unless --frames says otherwise")
    parser.add_argument(
        "--frames", type=values.whole(1, MOST_FRAMES), metavar="N", help="frames to record; implies --headless"
    )
    parser.add_argument("--input", metavar="SCRIPT", help="input steps, or @FILE with them; implies --headless")
    parser.add_argument("--title", default="", metavar="TEXT", help="title of the tape")
    parser.add_argument("--author", default="", metavar="TEXT", help="its author")
    parser.add_argument("--description", default="", metavar="TEXT", help="its description")
    parser.add_argument(
        "--hash-every",
        type=values.whole(1, MOST_FRAMES),
        default=60,
        metavar="N",
        help="frames between hash lines, default 60",
    )
    _add_window(parser)


def _add_replay(commands: Any) -> None:
    parser = _command(
        commands,
        "replay",
        "replay.replay",
        "replay a scenario tape in the window, or without one, and compare its hashes",
        "storm-200",
        "mine.rtape --machine native --headless",
    )
    parser.add_argument("tape", metavar="TAPE", help="tape file, or a name in `list`")
    parser.add_argument("--rom", metavar="ROM", help="folder or rom.toml instead of the ROM the tape names")
    _add_machine(parser, None)
    parser.add_argument("--unverified", action="store_true", help="replay with another ROM than the recorded one")
    parser.add_argument("--headless", action="store_true", help="no window")
    parser.add_argument(
        "--frames", type=values.whole(1, MOST_FRAMES), metavar="N", help="stop after N frames; implies --headless"
    )
    _add_picture(parser)
    _add_window(parser)


def _add_verify(commands: Any) -> None:
    parser = _command(
        commands,
        "verify",
        "verification.verify",
        "replay tapes and name the first frame and field that come out differently",
        "mine.rtape",
        "*.rtape --on all",
        "mine.rtape --on mc68040-25,native --json",
    )
    parser.add_argument("tapes", nargs="+", metavar="TAPE", help="tape files, or names in `list`")
    parser.add_argument(
        "--on",
        type=values.names,
        metavar="NAMES",
        help="machines, or all; default: the one it was recorded on, and native",
    )
    parser.add_argument("--rom", metavar="ROM", help="folder or rom.toml instead of the ROM the tapes name")
    _add_engine(parser)
    parser.add_argument("--unverified", action="store_true", help="replay with another ROM than the recorded one")


def _add_timing(commands: Any) -> None:
    parser = _command(
        commands,
        "timing",
        "studies.timing",
        "measure the routine's cycles beside the table printed in 1994",
        "",
        "--machine mc68040-25 --full",
        "--causes --build O0 --build period",
        "--memory copyback=0 --json",
    )
    repeated = "may be given more than once"
    parser.add_argument("--machine", action="append", metavar="NAME", help=f"only this machine; {repeated}")
    parser.add_argument("--build", action="append", metavar="B", help=f"only this build of the ROM; {repeated}")
    _add_engine(parser)
    _add_memory(parser)
    parser.add_argument("--full", action="store_true", help="run the experiments of 30 simulated seconds")
    parser.add_argument("--causes", action="store_true", help="show what the clocks of a check go to instead")
    parser.add_argument("--csv", action="store_true", help="print the rows as comma-separated values")


def _add_study(commands: Any) -> None:
    parser = _command(
        commands,
        "study",
        "studies.study",
        "compare the methods of the five documents: errors, operations, cycles",
        "",
        "--picture study.png",
        "--method point-1 --method line-1 --machine mc68040-25",
        "--scenes 100 --seed 7 --csv",
        more="All methods meet the same random and adversarial scenes; errors are counted against an\n"
        "exact test, cycles on ROM code.",
    )
    repeated = "may be given more than once"
    parser.add_argument("--machine", action="append", metavar="NAME", help=f"only this machine; {repeated}")
    parser.add_argument("--method", action="append", metavar="M", help=f"only this method of the table; {repeated}")
    parser.add_argument(
        "--scenes", type=values.whole(1, 1000), default=10, metavar="N", help="scenes of each random kind; default: 10"
    )
    parser.add_argument(
        "--seed", type=values.whole(0, 2**32 - 1), default=2011, metavar="N", help="of the random scenes; default: 2011"
    )
    _add_engine(parser)
    parser.add_argument("--csv", action="store_true", help="print comma-separated values, a line per method")
    parser.add_argument("--picture", metavar="PNG", help="also draw errors and clocks as bars")
    parser.add_argument("--force", action="store_true", help="replace the picture's file if it exists")


def _add_cost(commands: Any) -> None:
    parser = _command(
        commands,
        "cost",
        "cost.cost",
        "count the cycles of one routine, by instruction, source line and function",
        "mine.elf --entry blit --arg 64 --arg 0x2000",
        "sectors --build O1 --entry DetermineCollisions",
        "mine.elf --entry blit --machine mc68000-8 --csv",
        "mine.bin --raw --org 0x7c00 --bits 16 --entry 0x7c00 --machine i386dx-33",
        more="An ELF file is an executable of any m68k, x86 or PowerPC compiler, linked into RAM, 0x400\n"
        "to 0x7FFFFF, for example with gcc -nostdlib -static -Wl,-N,-Ttext-segment=0x2000.\n"
        "The routine follows the C convention. Of a ROM, the first frame runs before.",
    )
    parser.add_argument("rom", metavar="ELF", help="ELF file, flat binary, or a ROM's name, folder or rom.toml")
    parser.add_argument("--raw", action="store_true", help="the file is a flat binary, without any header")
    address = values.whole(0, 2**24 - 1)
    parser.add_argument("--org", type=address, metavar="N", help="address that a flat binary begins at")
    parser.add_argument("--bits", type=int, choices=(16, 32), help="x86: code of real or flat mode; default: 32")
    parser.add_argument("--convention", metavar="C", help="how it is called: c, in real mode also pascal")
    parser.add_argument("--entry", required=True, metavar="SYMBOL", help="the routine, or 0xADDRESS")
    parser.add_argument(
        "--arg",
        action="append",
        default=[],
        type=values.whole(-(2**31), 2**32 - 1),
        metavar="N",
        help="an argument of 32 bits; may be given repeatedly",
    )
    parser.add_argument("--machine", default=MACHINE, metavar="NAME", help=f"a simulated machine; default: {MACHINE}")
    parser.add_argument("--build", metavar="B", help="build of the ROM, for example O0; default: the ROM's")
    _add_engine(parser)
    parser.add_argument("--timing", choices=TIMINGS[:0:-1], metavar="T", help="full or table; default: full")
    _add_memory(parser)
    _add_parameters(parser)
    parser.add_argument(
        "--most", type=values.whole(1, 10**9), default=2_000_000, metavar="N", help="instructions, default 2000000"
    )
    parser.add_argument("--csv", action="store_true", help="print the annotated listing as comma-separated values")


def _add_bench(commands: Any) -> None:
    parser = _command(
        commands,
        "bench",
        "studies.bench",
        "measure the speed of engines and kernels on this host beside the peers installed",
        "",
        "--output bench.json",
        "--build O0 --build O2 --objects 200 --engine recompile-full --engine unicorn",
        "--machine i486dx2-66 --csv --objects 100 --engine kernel --engine native-c",
        "--kernels --objects 200 --objects 20000",
        more="Contenders are recompile-, interpret- with -full, -table or -off, evaluate, kernel,\n"
        "unicorn, musashi and native-c. They take turns; the median lap counts.\n"
        "--kernels: the routines of retrosim.collide beside pygame, scipy, shapely and others that are\n"
        "installed, at 50 to 2 000 000 objects, a frame in wall time.",
    )
    parser.add_argument(
        "--engine", action="append", metavar="E", help="only this contender; may be given more than once"
    )
    parser.add_argument("--kernels", action="store_true", help="the library's kernels instead of the engines")
    parser.add_argument("--machine", metavar="NAME", help=f"a simulated machine; default: {MACHINE}")
    parser.add_argument("--build", action="append", metavar="B", help="builds of the ROM; default: O2")
    parser.add_argument(
        "--objects", action="append", type=values.whole(1, 1 << 22), metavar="N", help="scenes; default: 200 and 50"
    )
    parser.add_argument(
        "--rounds", type=values.whole(1, 1000), metavar="N", help="laps of each contender; default: 25, of kernels 15"
    )
    parser.add_argument(
        "--no-startup", action="store_true", help="do not measure cold and warm starts and the compiling of regions"
    )
    parser.add_argument("--csv", action="store_true", help="print comma-separated values")
    parser.add_argument("--output", metavar="FILE", help="write JSON or CSV to a file")
    parser.add_argument(
        "--save", action="store_true", help="also keep the results in tools/bench of a checkout, by machine and host"
    )
    parser.add_argument("--force", action="store_true", help="replace those files if they exist")


def _add_list(commands: Any) -> None:
    what = "list ROMs with their builds, machines, and tapes"
    parser = _command(commands, "list", "catalogue.show_all", what, "", "machines", "tapes --json")
    parser.add_argument("what", nargs="?", choices=("roms", "machines", "tapes"), help="only this; default: everything")


def _add_host(commands: Any) -> None:
    doctor = _command(commands, "doctor", "host.doctor", "say what works on this host and what is not modelled", "")
    doctor.add_argument("--no-window", action="store_true", help="do not try to open a window")
    warmup = _command(
        commands,
        "warmup",
        "warmup.warmup",
        "compile ahead, so that nothing has to be waited for later",
        "",
        "--machine mc68040-25",
        more="First what commands run by default: the default builds of the shipped ROMs as a whole,\n"
        "timing full; after that the instructions of all builds for `timing` and `cost`. Commands\n"
        "with other settings start without it and compile while they run.",
    )
    warmup.add_argument(
        "--all", action="store_true", help="all builds as a whole in every timing, and every instruction of the CPUs"
    )
    warmup.add_argument("--machine", action="append", metavar="NAME", help="only this machine; may be given repeatedly")


def _add_guide(commands: Any) -> None:
    parser = _command(commands, "guide", "guide.guide", "show the manual: its topics, or one of them", "", "tapes")
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help="a topic of the list; default: list them")
