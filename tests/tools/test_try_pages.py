"""tools/try_pages.py stops at what a page says wrongly, and at commands that break instead of refusing."""

from __future__ import annotations

from pathlib import Path

import pytest
from trying.commands import Answer, Question, faults_of
from trying.output import missing_line
from trying.page import Change, Outcome, PageTrial
from trying.steps import Commands, Example, File, Gdb, steps_of

from retrosim.cli import main
from retrosim.rom.manifest import Rom

PAGE = """# A page

```text
; notes/blit.s
blit:   rts
```

```sh
SIZE=3
retrosim count notes/blit.s $SIZE  # lines
retrosim lose  # exit status 3
```

```text
file notes/blit.s, 2 lines
...
took ... s; 1,234 clocks
retrosim: lost
```

An example:

    pip install . && retrosim count notes/blit.s 1

```text
$ retrosim ask
(retrosim) continue
continue: stopped
```
"""
PROGRAM = """#!/bin/sh
case "$1" in
count) echo "a title"; echo "file $2, $(wc -l < $2) lines"; echo "size $3"; echo "took 0.$$ s; 1,234 clocks";;
lose) echo "retrosim: lost" >&2; exit 3;;
ask) while read word; do echo "$word: stopped"; done;;
*) echo "retrosim: unknown command '$1'" >&2; exit 2;;
esac
"""


@pytest.fixture
def tried(tmp_path: Path):
    """Carry out a page where `retrosim` is a small program of the shell."""
    program = tmp_path / "bin" / "retrosim"
    program.parent.mkdir()
    program.write_text(PROGRAM)
    program.chmod(0o755)

    def tried(text: str, **changes: Change) -> Outcome:
        page, folder = tmp_path / "start.md", tmp_path / "work"
        page.write_text(text)
        folder.mkdir()
        variables = {"PATH": f"{program.parent}:/usr/bin:/bin"}
        return PageTrial(
            page, folder, variables, None, {name.replace("_", " "): changes[name] for name in changes}
        ).run()

    return tried


def test_a_page_that_says_what_is_so(tried) -> None:
    outcome = tried(PAGE)
    assert (outcome.faults, outcome.notes) == ([], ["of a checkout: pip install ."])
    assert [text for _, text in outcome.seconds] == [
        "SIZE=3\nretrosim count notes/blit.s $SIZE",
        "SIZE=3\nretrosim lose",
        "retrosim count notes/blit.s 1",
        "retrosim ask",
    ]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "retrosim lose ",
            "retrosim loose ",
            "start.md:11: SIZE=3\nretrosim loose: status 2: retrosim: unknown command 'loose'",
        ),
        ("  # exit status 3", "", "start.md:11: SIZE=3\nretrosim lose: status 3: retrosim: lost"),
        ("1,234", "1,235", "start.md:10: shows 'took ... s; 1,235 clocks', which is not printed there:"),
        ("...\ntook", "took", "start.md:10: shows 'took ... s; 1,234 clocks', which is not printed there:"),
        (
            "; notes/blit.s",
            "; a program",
            "start.md:10: shows 'file notes/blit.s, 2 lines', which is not printed there:",
        ),
        ("continue: stopped", "continue: broken", "start.md:26: shows 'continue: broken'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tried, old: str, new: str, fault: str) -> None:
    faults = tried(PAGE.replace(old, new, 1)).faults
    assert faults and faults[0].startswith(fault)


def test_a_long_command_is_changed_and_that_is_told(tried) -> None:
    page = "```sh\nretrosim count start.md\nretrosim lose\n```\n"
    outcome = tried(page, retrosim_lose=Change(None, "takes a year"), retrosim_find=Change("--quick", "takes a day"))
    assert outcome.notes == ["not carried out: retrosim lose: takes a year"]
    assert outcome.faults[-1] == "start.md: is not there: retrosim find"


def test_commands_about_a_checkout_are_left_out(tmp_path: Path) -> None:
    page = tmp_path / "start.md"
    lines = ("pip install . && retrosim run", "retrosim list", "python tools/fuzz.py all", "retrosim run mine")
    page.write_text("```sh\n" + "\n".join(lines) + "\n```\n")
    steps, left_out = steps_of(page)
    assert [command.text for step in steps for command in step.commands] == ["retrosim run", "retrosim list"]
    assert left_out == ["pip install .", *lines[2:]]


def test_steps_of_a_page(tmp_path: Path) -> None:
    page = tmp_path / "start.md"
    page.write_text(f"{PAGE}\n```python\nprint(1)  # -> 1\n```\n\n```text\n(gdb) continue\nwell\n```\n")
    steps, _ = steps_of(page)
    assert [type(step) for step in steps] == [File, Commands, Commands, Commands, Example, Gdb]
    assert (steps[0].name, steps[4].shown, steps[5].typed) == ("notes/blit.s", ("1",), "continue\n")


@pytest.mark.parametrize(
    ("shown", "missing"),
    [
        ([], None),
        (["b", "c"], None),
        (["b", "d"], "d"),
        (["b", "...", "d"], None),
        (["d", "...", "b"], "b"),
        (["b", "(gdb) next", "d 1..."], "d 1..."),
        ([" b"], " b"),
    ],
)
def test_shown_lines_are_looked_for_in_order(shown: list[str], missing: str | None) -> None:
    assert missing_line(shown, "a\nb  \nc\nd\n") == missing


@pytest.fixture
def faults(capsys: pytest.CaptureFixture[str]):
    """Return what is wrong with the answer to a command that is carried out in this process."""

    def faults(*arguments: str) -> list[str]:
        status = main(arguments)
        return faults_of(Question(arguments, (0, 1, 2, 4)), Answer(status, *capsys.readouterr()))

    return faults


def test_a_machine_without_an_image_must_be_refused(faults, monkeypatch: pytest.MonkeyPatch) -> None:
    question = ("run", "sectors", "--machine", "i80286-12", "--headless", "--frames", "1")
    assert faults(*question) == []

    def broken(*_: object) -> None:
        raise KeyError("i286")

    monkeypatch.setattr(Rom, "image_info", broken)
    assert faults(*question)[0].startswith("an error that is not expected: [\"retrosim: unexpected KeyError: 'i286'")


@pytest.mark.parametrize(
    ("question", "answer", "fault"),
    [
        (Question(()), Answer(0, "well\n", ""), None),
        (Question(()), Answer(0, "", ""), "prints nothing"),
        (Question(()), Answer(4, "", "retrosim: no such file\n"), "status 4, not (0,): retrosim: no such file"),
        (Question((), (2,)), Answer(2, "", "retrosim: unexpected argument 'x'\n"), None),
        (Question((), (2,)), Answer(2, "", "retrosim: one\nretrosim: two\n"), "is not refused in one line"),
        (Question((), is_json=True), Answer(0, "{}\n", ""), None),
        (Question((), is_json=True), Answer(0, "{,}\n", ""), "no JSON: "),
        (
            Question((), width=9),
            Answer(0, "0123456789\n  retrosim run\n", ""),
            "1 lines are longer than 9: '0123456789'",
        ),
        (Question(()), Answer(0, "\x1b[1mwell\n", ""), "colours where there is no terminal"),
    ],
)
def test_answers_are_judged(question: Question, answer: Answer, fault: str | None) -> None:
    faults = faults_of(question, answer)
    assert faults == [] if fault is None else faults[0].startswith(fault)
