"""Options of commands that profile: files for other profilers, pages, how much the tables show."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrosim.report.files import write_text

from . import arguments, values
from .parser import Parser

if TYPE_CHECKING:
    from retrosim.cost.report import Report

TOP = 10  # rows of a table
PROFILES = {
    "callgrind": "write a profile for KCachegrind and callgrind_annotate",
    "speedscope": "write a profile for speedscope.app",
    "perfetto": "write a trace for ui.perfetto.dev and chrome://tracing",
}
"""Name of an option, as in `retrosim.cost.files.WRITERS` -> what it does."""

MAX_TOP = 100_000
PLACES = ("", "src", "../src")  # of sources, beside a program's file


def add_html(parser: Parser) -> None:
    parser.add_argument("--html", metavar="FILE", help="write a page with everything, which needs no network")


def add_files(parser: Parser, *others: str) -> None:
    """Add the options for files of other profilers, and for where source files are; `others` write files, too."""
    for name, help in PROFILES.items():
        parser.add_argument(f"--{name}", metavar="FILE", help=help)
    parser.add_repeatable(
        "--source",
        "FOLDER",
        "look for source files here too, besides the program's folder, its src/ and the present folder",
        dest="sources",
        type=values.folder,
    )
    arguments.add_force(parser, *others, *(f"--{name}" for name in PROFILES))


def add_top(parser: Parser) -> None:
    help = f"show N lines, functions and calls; default: {TOP}"
    parser.add_argument("--top", type=values.whole(1, MAX_TOP), default=TOP, metavar="N", help=help)


def source_folders(given: Iterable[str], program: Any, rom: str) -> list[Path]:
    """Return where source files may be: what was given, beside the program's file or the ROM, the present folder."""
    from retrosim.rom import toolchains

    path = Path(getattr(program, "path", rom))
    folder = path if path.is_dir() else path.parent
    return [*map(Path, given), *toolchains.source_folders(program), *(folder / place for place in PLACES), Path()]


@dataclass(frozen=True)
class OutputFiles:
    """The files that a command was told to write.

    html          a page
    profiles      format of another profiler -> file
    is_replacing  whether files that exist are replaced
    """

    html: str | None
    profiles: Mapping[str, str]
    is_replacing: bool

    @classmethod
    def of(cls, options: argparse.Namespace) -> OutputFiles:
        """Return what was given, as far as a command has such options."""
        given = vars(options)
        profiles = {name: given[name] for name in PROFILES if given.get(name) is not None}
        return cls(given.get("html"), profiles, options.force)

    def check(self) -> None:
        """Refuse files that could not be written, before the work. Errors: RetrosimError."""
        from retrosim.report.files import FORCE, check_free

        for path in (*([] if self.html is None else [self.html]), *self.profiles.values()):
            check_free(path, overwrite=self.is_replacing, advice=FORCE)

    def write_html(self, page: Callable[[], str]) -> None:
        """Write the page, if one was asked for. Errors: RetrosimError."""
        if self.html is not None:
            write_text(Path(self.html), page(), overwrite=self.is_replacing)

    def write_profiles(self, report: Report, title: str) -> None:
        """Write the files for other profilers that were asked for. Errors: RetrosimError."""
        from retrosim.cost.files import WRITERS

        for name, path in self.profiles.items():
            write_text(Path(path), WRITERS[name](report, title), overwrite=self.is_replacing)
