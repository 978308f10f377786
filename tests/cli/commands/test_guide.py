"""`retrosim guide`: topics, pages, names that are nearly right, and a terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from retrosim.cli.commands import guide
from retrosim.guide import TOPICS, Page, fact_names, read_page
from tests.cli.conftest import ROOT, Ran

Run = Callable[..., Ran]


def test_it_lists_the_topics_with_a_line_each(run: Run) -> None:
    listed = run("guide")
    assert (listed.status, listed.err) == (0, "")
    first, *lines = listed.out.splitlines()
    assert "retrosim guide TOPIC" in first
    assert [line.split()[0] for line in lines] == [*TOPICS, *fact_names()]
    assert all(line.endswith(read_page(line.split()[0]).title) for line in lines)


def test_it_lists_the_topics_as_json(run: Run) -> None:
    listed = run("guide", "--json").json()
    assert [each["name"] for each in listed["topics"]] == list(TOPICS)
    assert [each["name"] for each in listed["facts"]] == fact_names()
    assert all(each["title"] for each in [*listed["topics"], *listed["facts"]])


@pytest.mark.parametrize("name", [*TOPICS, *fact_names()])
def test_a_pipe_gets_the_text_of_a_page(run: Run, name: str) -> None:
    assert run("guide", name) == Ran(0, read_page(name).text, "")


def test_a_page_as_json(run: Run) -> None:
    page = read_page("tapes")
    assert run("guide", "tapes", "--json").json() == {"topic": "tapes", "title": page.title, "text": page.text}


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("Tapes", "tapes"),
        ("tapes.md", "tapes"),
        ("facts/measured.md", "facts/measured"),
        ("measured", "facts/measured"),
    ],
)
def test_names_as_pages_write_them(run: Run, given: str, name: str) -> None:
    assert run("guide", given).out == read_page(name).text


@pytest.mark.parametrize(
    ("given", "hint"),
    [("taps", "tapes"), ("speeds", "speed"), ("measurd", "measured"), ("facts/m68040_timng", "facts/m68040_timing")],
)
def test_an_unknown_topic_is_refused_with_a_suggestion(run: Run, given: str, hint: str) -> None:
    run("guide", given).is_refused(2, repr(given), f"did you mean {hint}?")


def test_a_topic_like_no_other(run: Run) -> None:
    run("guide", "zzzzzz").is_refused(2, "'zzzzzz'", "lists the topics")
    run("guide", "../__init__").is_refused(2, "lists the topics")


@pytest.mark.parametrize(("lines", "is_paged"), [(500, False), (20, True)])
def test_a_terminal_gets_a_set_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lines: int, is_paged: bool
) -> None:
    """Headings and tables are drawn; what is longer than the terminal goes through the pager."""
    paged: list[str] = []
    monkeypatch.setattr("pydoc.pager", paged.append)
    for name, value in (("LINES", lines), ("COLUMNS", 100), ("TERM", "xterm")):
        monkeypatch.setenv(name, str(value))
    guide._show(read_page("tapes"))
    written, text = capsys.readouterr().out, "".join(paged)
    assert bool(text) == is_paged and bool(written) != is_paged
    shown = written + text
    assert "Tapes: record a game" in shown and "# Tapes" not in shown and "|---" not in shown


def test_a_narrow_terminal_gets_whole_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("LINES", 500), ("COLUMNS", 80), ("TERM", "xterm")):
        monkeypatch.setenv(name, str(value))
    guide._show(read_page("speed"))
    shown = capsys.readouterr().out
    assert "recompiler" in shown and "…" not in shown
    code = {
        f"  {line}"
        for block in re.findall(r"```\w+\n(.*?)```", read_page("speed").text, re.S)
        for line in block.splitlines()
    }
    assert all(len(line) <= 80 or line in code for line in shown.splitlines())


def test_the_manual_as_pages(run: Run, tmp_path: Path) -> None:
    assert run("guide", "--html", "manual").out.endswith("; open manual/index.html\n")
    run("guide", "--html", "manual").is_refused(1, "manual: is not empty; --force replaces files in it")
    assert run("guide", "--html", "manual", "--force", "--json").json()["index"] == "manual/index.html"
    (tmp_path / "file").touch()
    run("guide", "--html", "file", "--force").is_refused(1, "file: is no folder")
    run("guide", "cost", "--html", "other").is_refused(2, "--html: writes all pages")


def test_it_is_quick_and_needs_no_compiler(tmp_path: Path) -> None:
    code = (
        "import sys; from retrosim.cli import main; status = main(['guide', 'start'])\n"
        "print(status, sorted({'numba', 'llvmlite', 'numpy', 'pyglet', 'rich'} & set(sys.modules)), file=sys.stderr)"
    )
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == "0 []\n" and done.stdout.startswith("# Start")


@pytest.mark.parametrize("columns", [60, 80])
def test_a_table_that_does_not_fit_is_a_list_of_rows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    for name, value in (("LINES", 5000), ("COLUMNS", columns), ("TERM", "xterm")):
        monkeypatch.setenv(name, str(value))
    long = "retrosim cost sectors --build fast --entry DetermineCollisions --machine mc68040-25 --objects 1"
    row = "| spheres | Rekaby 2011 |  | open, where the distance is less than both radii together |"
    text = f"| method | document | wrong | tested |\n|---|---|---|---|\n{row}\n\n```sh\n{long}\n```\n"
    guide._show(Page("x", "X", text))
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("spheres")
    assert lines[at + 1].startswith("  document: Rekaby 2011; tested: open, where")
    assert "…" not in "".join(lines) and f"  {long}" in lines
    assert all(len(line.rstrip()) <= columns for line in lines if long not in line)
