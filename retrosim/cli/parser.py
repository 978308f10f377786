"""The parser of the command line, built from the modules in `commands`; a usage error is one line and status 2."""

from __future__ import annotations

import argparse
import shlex
import textwrap
from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import groupby
from typing import Any, NoReturn

from retrosim.checks import check_choice, did_you_mean, shortened

from .commands import COMMANDS
from .output import say

USAGE = 2  # the exit status
WITH_SUBJECTS = ("bench",)  # commands that have subcommands of their own, one of which is usual
DESCRIPTION = """\
Simulate machines of 1994 that run collision routines as machine code, and count
their cycles."""
NOTES = """\
examples:
  retrosim run                         200 objects on a 25 MHz 68040
  retrosim replay storm-200            a recorded tape
  retrosim verify storm-200 --on all   the same tape on every machine, compared
  retrosim cost mine.elf --entry blit  what my routine costs on a 25 MHz 68040
  retrosim timing                      our cycles and the table of 1994
  retrosim guide                       the manual
  retrosim lesson                      lessons for a class
  retrosim help cost                   options of a command; or a page, by topic

exit status:
  0 ok, 1 failure, 2 usage, 3 divergence, 4 bad or corrupt input file,
  5 budget used up (--max-cycles, --max-seconds, --max-memory)

environment:
  RETROSIM_HOME=FOLDER  keep compiled code and the user's files in this folder
  RETROSIM_CACHE_MB=512 keep at most so much compiled code, what was used last
  RETROSIM_DEBUG=1      show the traceback of an error"""


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of examples and tables; prose that a narrow terminal would break is wrapped."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        columns = width + 2  # argparse leaves two free
        lines: list[str] = []
        for is_prose, block in groupby(text.splitlines(), lambda line: line[:1].strip() != ""):
            block_lines = list(block)
            if is_prose and max(map(len, block_lines)) > columns:
                block_lines = textwrap.wrap(" ".join(block_lines), columns)
            lines += block_lines
        return "\n".join(indent + line for line in lines)


class Parser(argparse.ArgumentParser):
    """Takes no abbreviated options, suggests the name that was probably meant, and lets no option go unheard."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=HelpFormatter, allow_abbrev=False, **options)
        self._needs: list[tuple[str, tuple[str, ...]]] = []
        self._excluded: list[tuple[str, str]] = []

    def add_repeatable(self, name: str, metavar: str, help: str, **others: Any) -> None:
        """Add an option that may be given several times; without it the value is an empty list."""
        self.add_argument(name, action="append", default=[], metavar=metavar, help=f"{help}; may be repeated", **others)

    def need(self, options: Iterable[str], *others: str) -> None:
        """Let each of some options be a usage error where none of the others is given: alone it would do nothing."""
        self._needs += [(option, others) for option in options]

    def exclude(self, options: Iterable[str], other: str) -> None:
        """Let each of some options be a usage error where the other is given, which has no use for it."""
        self._excluded += [(option, other) for option in options]

    def check_together(self, argv: Sequence[str]) -> None:
        """Refuse options that do nothing beside or without others. Errors: SystemExit."""
        given = {word.partition("=")[0] for word in argv if word.startswith("-")}
        for option, others in self._needs:
            if option in given and not given.intersection(others):
                *first, last = others
                self.error(f"{option}: needs {', '.join(first)}{' or ' if first else ''}{last}")
        for option, other in self._excluded:
            if option in given and other in given:
                self.error(f"{option}: not allowed with {other}")

    def error(self, message: str) -> NoReturn:
        missing = message.removeprefix("the following arguments are required: ")
        if missing == message:  # argparse calls an option "argument --json"
            message = message.removeprefix("argument ").replace("not allowed with argument ", "not allowed with ")
        else:
            message = f"missing {', '.join(dict.fromkeys(missing.split(', ')))}"
        say(f"{message} ({self.prog} --help)")
        raise SystemExit(USAGE)

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """End with a usage error about arguments that the command does not take."""
        first = unknown[0]
        if not first.startswith("-"):
            self.error(f"unexpected argument {shortened(first)!r}")
        name = first.partition("=")[0]
        self.error(f"unknown option {shortened(name)}{did_you_mean(name, self._option_string_actions)}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None:
            try:
                check_choice("value", str(value), map(str, action.choices))
            except ValueError as error:
                raise argparse.ArgumentError(action, str(error).removeprefix("value ")) from None


class ShowVersion(argparse.Action):
    """Prints the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from retrosim.version import __version__

        print(f"retrosim {__version__}")
        parser.exit()


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command line, which is `command_line`; `carry_out` is the function that takes them.

    Errors   SystemExit after help, version, or a usage error
    """
    argv = _helped(argv)
    name = argv[0] if argv else ""
    parser = build_parser([name] if name in COMMANDS else COMMANDS)
    if not name:
        parser.print_help()
        parser.exit()
    if name not in COMMANDS and name not in parser._option_string_actions:
        if name.startswith("-"):
            parser.error(f"missing COMMAND before {shortened(name)}")
        parser.error(f"unknown command {shortened(name)!r}{did_you_mean(name, COMMANDS)}")
    command_line = shlex.join(["retrosim", *argv])
    try:
        argv = completed(argv)
    except argparse.ArgumentError as error:
        parser.error(str(error))
    options, unknown = parser.parse_known_args(argv)
    if unknown:
        options.parser.refuse(unknown)
    options.parser.check_together(argv)
    options.command_line = command_line
    return options


def _helped(argv: Sequence[str]) -> Sequence[str]:
    """Return what `help`, `help COMMAND` and `help TOPIC` stand for; other command lines as they are."""
    if not argv or argv[0] != "help":
        return argv
    if len(argv) == 1 or argv[1] in COMMANDS:
        return [*argv[1:], "--help"]
    return ["guide", *argv[1:]]


def completed(argv: Sequence[str]) -> list[str]:
    """Return a command line with the usual subject of a command where none is named. Errors: ArgumentError."""
    if not argv or argv[0] not in WITH_SUBJECTS:
        return list(argv)
    module = import_module(f"retrosim.cli.commands.{COMMANDS[argv[0]]}")
    return [argv[0], *module.completed(argv[1:])]


def build_parser(names: Iterable[str] = COMMANDS) -> Parser:
    """Return the parser of the whole command line, or of a few commands."""
    parser = Parser(prog="retrosim", description=DESCRIPTION, epilog=NOTES)
    parser.add_argument("--version", action=ShowVersion, nargs=0, help="print the version")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in names:
        module = import_module(f"retrosim.cli.commands.{COMMANDS[name]}")
        text = module.__doc__ or name
        title = text.partition("\n")[0].removesuffix(".")
        command = commands.add_parser(name, help=title[0].lower() + title[1:], description=text.strip())
        command.set_defaults(carry_out=module.run, parser=command)
        module.add_options(command)
    return parser
