"""The pages of the guide and the README: they are all there, and what they show runs, parses and exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from retrosim.cli.parser import Parser, build_parser, completed
from retrosim.guide import FOLDER, TOPICS, fact_names, note_names, read_page
from tests.helpers.pages import PAGES, ROOT, blocks, commands, mentioned, prose, shown

EXAMPLES = [(path, number) for path in PAGES for number in range(len(blocks(path, "python")))]
EXAMPLE_NAMES = [f"{shown(path)}-{number}" for path, number in EXAMPLES]
MADE_BY_READERS = re.compile(
    r"roms/(bits|solid)/|.*/(test_)?(diamonds|human68k|second)\.(py|c)$"
)  # recipes tell the reader to make them
# of fenced blocks; only Python runs here, C in test_recipes.py
KINDS = {"python", "sh", "text", "c", "pascal", "toml", "json", "lisp", "lua"}


def test_every_file_is_a_topic_or_a_fact() -> None:
    names = {path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.rglob("*.md")}
    assert names == {*TOPICS, *fact_names(), *note_names()} and len(TOPICS) == len(set(TOPICS))


@pytest.mark.parametrize("name", [*TOPICS, *fact_names(), *note_names()])
def test_a_page_has_one_title_and_says_what_it_leaves_out(name: str) -> None:
    page = read_page(name)
    assert page.text.replace("`", "").startswith(f"# {page.title}\n\n") and 5 < len(page.title) < 100
    assert len(re.findall(r"^# ", prose(FOLDER / f"{name}.md"), re.M)) == 1
    assert re.search(r"^(## )?Not (covered|modelled)|^## .*[Nn]ot (covered|modelled)", page.text, re.M), "not covered?"


@pytest.mark.parametrize("path", PAGES, ids=shown)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose(path)):
        assert "://" in target or (path.parent / target).is_file(), target


@pytest.mark.parametrize("path", PAGES, ids=shown)
def test_paths_of_the_project_exist(path: Path) -> None:
    """Whatever is written as a path below one of the project's folders, patterns included, is there."""
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"(?<![\w/.])((?:retrosim|tests|tools|roms)/[\w./*-]*\w)", text):
        assert MADE_BY_READERS.match(target) or list(ROOT.glob(target)), target


@pytest.mark.parametrize("path", PAGES, ids=shown)
def test_blocks_are_of_known_kinds(path: Path) -> None:
    fences = re.findall(r"^```(.*)$", path.read_text(encoding="utf-8"), re.M)
    assert set(fences[::2]) <= KINDS and set(fences[1::2]) <= {""}


@pytest.mark.first_case
@pytest.mark.parametrize(("path", "number"), EXAMPLES, ids=EXAMPLE_NAMES)
def test_python_runs(
    path: Path,
    number: int,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every block of Python runs by itself, and prints what stands behind "# -> "."""
    monkeypatch.chdir(tmp_path)
    code = blocks(path, "python")[number]
    exec(compile(code, f"{shown(path)} example {number + 1}", "exec"), {})
    printed = capsys.readouterr().out
    assert printed
    for said in re.findall(r"# -> (.*)", code):
        assert f"{said}\n" in printed


@pytest.mark.first_case
@pytest.mark.parametrize("path", PAGES, ids=shown)
def test_commands_are_understood(path: Path) -> None:
    for arguments in commands(path):
        build_parser().parse_args(completed(arguments))  # ends in SystemExit, after a line on stderr, if it is not


def options_of(parser: Parser) -> set[str]:
    """Return the options of a command and of its subjects."""
    tables = [action.choices for action in parser._actions if isinstance(action.choices, dict)]
    subjects = [choice for table in tables for choice in table.values() if isinstance(choice, Parser)]
    return set(parser._option_string_actions).union(*map(options_of, subjects))


def test_mentioned_commands_and_options_exist() -> None:
    """Code spans show parts of commands: the command is there, and so are its options."""
    known = next(action.choices for action in build_parser()._actions if action.choices)
    for path in PAGES:
        for command, *words in filter(None, mentioned(path)):
            assert command in known, f"{shown(path)}: retrosim {command}"
            options = {word.partition("=")[0] for word in words if word.startswith("--")}
            assert options <= options_of(known[command]), f"{shown(path)}: {options}"


def test_the_revisions_are_those_of_the_code() -> None:
    from retrosim.machine import PRESETS
    from retrosim.machine.state_file import MAGIC
    from retrosim.tape.format import MAJOR, MINOR

    text = read_page("changes").text
    revisions = {each for preset in PRESETS.values() for each in (preset.spec_revision, preset.timing_revision)}
    assert all(each in text for each in {*revisions, MAGIC.decode(), f"| {MAJOR}.{MINOR} |"})
