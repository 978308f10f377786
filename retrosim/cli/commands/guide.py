"""Show the manual in the terminal.

Without a topic, list all of them.

examples:
  retrosim guide
  retrosim guide cost
  retrosim guide --html manual
  retrosim guide instructions/m68k
  retrosim guide facts/machines_1994
  retrosim guide notes/security
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from retrosim.checks import did_you_mean
from retrosim.errors import RetrosimError
from retrosim.guide import TOPICS, Page, fact_names, note_names, read_page
from retrosim.report.text import counted

from .. import arguments
from ..output import columns, print_json, print_lines
from ..parser import Parser
from ..progress import Progress

MAX_WIDTH = 110  # columns of text that the eye still follows
MANY_COLUMNS = 4  # of a table, from which on it becomes a list of rows where it does not fit
WIDE = 10_000  # more columns than any table has


def add_options(parser: Parser) -> None:
    what = "a topic, facts/NAME, notes/NAME or instructions/FAMILY; default: list them"
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help=what)
    help = "write the whole manual into a folder, pages with a search, which needs no network"
    parser.add_argument("--html", metavar="FOLDER", help=help)
    arguments.add_force(parser, "--html")
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    if options.html is not None:
        return _write_html(options)
    if options.topic is None:
        return _list_topics(options.json)
    page = _made(options.topic, options.json) or _find(options.topic)
    if options.json:
        print_json({"topic": page.name, "title": page.title, "text": page.text})
    elif sys.stdout.isatty():
        _show(page)
    else:
        sys.stdout.write(page.text)
    return 0


MADE = ("instructions/m68k", "instructions/x86", "instructions/ppc")  # when they are asked for


def _made(topic: str, is_quiet: bool) -> Page | None:
    """Return a page that is made from the instruction sets, None for another topic."""
    name = topic.lower().removesuffix(".md")
    if name not in MADE:
        return None
    from retrosim.reference.instructions import instruction_page

    with Progress(is_quiet) as progress:
        text = instruction_page(name, progress.step)
    return Page(name, text.partition("\n")[0].removeprefix("# "), text)


def _write_html(options: argparse.Namespace) -> int:
    from retrosim.guide.html import write_manual

    folder = Path(options.html)
    if options.topic is not None:
        raise argparse.ArgumentError(None, f"--html: writes all pages: {options.topic} is not needed")
    if folder.exists() and not (folder.is_dir() and (options.force or not any(folder.iterdir()))):
        what = "is not empty; --force replaces files in it" if folder.is_dir() else "is no folder"
        raise RetrosimError(f"{folder}: {what}")
    try:
        count = write_manual(folder)
    except OSError as error:
        raise RetrosimError(f"{folder}: cannot be written: {error.strerror or error}") from None
    index = folder / "index.html"
    if options.json:
        print_json({"pages": count, "index": str(index)})
    else:
        print_lines([f"{counted(count, 'page')}; open {index}"])
    return 0


def _list_topics(as_json: bool) -> int:
    kinds = {"topics": TOPICS, "facts": fact_names()}
    pages = {kind: [(name, read_page(name).title) for name in names] for kind, names in kinds.items()}
    if as_json:
        print_json({kind: [{"name": name, "title": title} for name, title in found] for kind, found in pages.items()})
        return 0
    print_lines(["retrosim guide TOPIC shows one of these:", *columns([*pages["topics"], *pages["facts"]])])
    return 0


def _find(name: str) -> Page:
    """Return the page of a name, with or without its suffix. Errors: ArgumentError that suggests a name."""
    known = [*TOPICS, *MADE, *fact_names(), *note_names()]
    wanted = name.lower().removesuffix(".md")
    if wanted in known:
        return read_page(wanted)
    names = {each.removeprefix("facts/"): each for each in known}
    if wanted in names:
        return read_page(names[wanted])
    hint = did_you_mean(wanted, [*known, *names]) or "; `retrosim guide` lists the topics"
    raise argparse.ArgumentError(None, f"unknown topic {name!r}{hint}")


def _show(page: Page) -> None:
    """Show a page in the terminal; through the pager if it is longer than that."""
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.markdown import CodeBlock, Markdown, TableElement
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    class WholeTable(TableElement):
        """A table; where the terminal is too narrow for many columns, its rows one after the other."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for table in super().__rich_console__(console, options):
                if isinstance(table, Table):
                    width = table.__rich_measure__(console, options.update(max_width=WIDE)).maximum
                    if width > options.max_width and len(table.columns) >= MANY_COLUMNS:
                        yield from _rows(table)
                        continue
                    for column in table.columns:
                        column.overflow = "fold"  # long words go on in the next line; rich cuts them off
                yield table

    class WholeCode(CodeBlock):
        """Lines as they are, however long."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for line in str(self.text).rstrip().split("\n"):
                yield Text(f"  {line}", style="markdown.code_block", no_wrap=True, overflow="ignore")

    class WholeMarkdown(Markdown):
        code = {"fence": WholeCode, "code_block": WholeCode}  # noqa: RUF012
        elements = {**Markdown.elements, "table_open": WholeTable, **code}  # noqa: RUF012

    def _rows(table: Table) -> RenderResult:
        first, *others = table.columns
        headings = [str(column.header) for column in others]
        for name, *cells in zip(first.cells, *(column.cells for column in others), strict=True):
            yield Text.assemble(name, style="bold")
            parts = [Text.assemble(f"{heading}: ", cell) for heading, cell in zip(headings, cells, strict=True) if cell]
            yield Padding(Text("; ").join(parts), (0, 0, 0, 2))
        yield Text()

    console = Console(highlight=False)
    console.width = min(console.width, MAX_WIDTH)
    markdown = WholeMarkdown(page.text, hyperlinks=False)
    if len(console.render_lines(markdown)) < console.height:
        console.print(markdown, crop=False)
        return
    pager = os.environ.get("PAGER") or ("less" if shutil.which("less") else "")
    if "less" in pager:
        os.environ.setdefault("LESS", "-R")  # let colours through
    with console.pager(styles="less" in pager):
        console.print(markdown, crop=False)
