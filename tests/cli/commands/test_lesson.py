"""`retrosim lesson`: the list, JSON, sheets, notebooks, refusals; and the lessons themselves, measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from retrosim.cli.teaching import Commands
from retrosim.lessons.lesson import lesson_names, load_lesson
from tests.lessons.test_lesson import SMALL, fake


def test_the_list(run) -> None:
    first, *lines = run("lesson").out.splitlines()
    assert "retrosim lesson LESSON" in first and [line.split()[0] for line in lines] == lesson_names()
    listed = run("lesson", "--json").json()["lessons"]
    assert [lesson["name"] for lesson in listed] == lesson_names() and all(lesson["minutes"] for lesson in listed)


@pytest.fixture
def small(run, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(Commands, "_run", lambda self, command: fake(command))
    Path("small.toml").write_text(SMALL)
    return "small.toml"


def test_steps_as_json(run, small: str) -> None:
    lesson = run("lesson", small, "--json").json()
    assert [lesson[key] for key in ("name", "title", "minutes", "words")] == [
        "small",
        "Small",
        5,
        {"pair": "Two objects."},
    ]
    (step,) = lesson["steps"]
    assert (step["step"], step["values"], step["answer"]) == (1, {"tested": 4, "pairs": 1002}, "4 of 1,002.")
    assert {"title", "look", "commands", "question", "why"} < set(step)
    assert not list(Path().glob("*.png"))


def test_sheets(run, small: str) -> None:
    assert run("lesson", small, "--sheet", "a.html").out == "sheet a.html\n"
    page = Path("a.html").read_text()
    assert "data:image/png" in page and "So it is." not in page
    run("lesson", small, "--sheet", "a.html", "--answers").is_refused(1, "a.html: exists already", "--force")
    assert run("lesson", small, "--sheet", "a.html", "--answers", "--force").status == 0
    assert "So it is." in Path("a.html").read_text()


def test_notebooks(run, small: str) -> None:
    assert run("lesson", "tunnel", "--notebook", "t.ipynb").out == "notebook t.ipynb\n"
    assert json.loads(Path("t.ipynb").read_text()) == json.loads(load_lesson("tunnel").notebook.read_text())
    run("lesson", "tunnel", "--notebook", "t.ipynb").is_refused(1, "exists already", "--force")
    run("lesson", small, "--notebook", "s.ipynb").is_refused(2, "--notebook: small has none")


def test_refusals(run) -> None:
    run("lesson", "tunel").is_refused(2, "'tunel'", "did you mean tunnel?")
    run("lesson", "nowhere.toml").is_refused(4, "nowhere.toml: no such file")
    run("lesson", "tunnel", "--step", 9).is_refused(2, "--step 9: allowed 1..3")
    run("lesson", "tunnel", "--sheet", "a.pdf").is_refused(2, "ends in .html")
    run("lesson", "tunnel", "--notebook", "a.py").is_refused(2, "ends in .ipynb")
    run("lesson", "tunnel", "--answers").is_refused(2, "--answers: needs --sheet")
    run("lesson", "tunnel", "--force").is_refused(2, "--force: needs --sheet or --notebook")
    run("lesson", "tunnel", "--sheet", "a.html", "--json").is_refused(2, "--json: not allowed with --sheet")
    for option in (("--step", 1), ("--sheet", "a.html"), ("--notebook", "a.ipynb")):
        run("lesson", *option).is_refused(2, f"{option[0]}: needs a lesson")


CLAIMS = {
    "broad-phase": [
        lambda v: v["tested"] < v["pairs"] / 10 and 0 < v["hits"] <= v["tested"],
        lambda v: 1 < v["times_as_long"] < v["times_as_many_tests"],
        lambda v: v["times_as_long"] > 25 / 8 and v["clocks_of_the_68000"] > v["clocks_of_the_68040"],
    ],
    "tunnel": [
        lambda v: 40 < v["percent_missed"] < 60 and v["found_by_path"] >= v["missiles"],
        lambda v: v["speed"] == 8 + 6 - 1 and v["missed_when_slow"] == 0 < v["missed_when_fast"],
        lambda v: v["times_as_long"] > 1 and v["missed_by_boxes"] == 3 and v["missed_by_swept_boxes"] == 0,
    ],
    "cache": [
        lambda v: v["misses"] > 0 and v["clocks_each"] > 2,
        lambda v: v["misses"] == v["stores"] == 0 and v["spared"] > 0.4 * v["clocks_when_cold"],
        lambda v: v["clocks"] > v["clocks_when_cold"] > v["clocks_when_warm"] and v["stores"] > v["clocks"] / 2,
    ],
}
"""What the explanations of the steps rest on."""


@pytest.mark.full
@pytest.mark.parametrize("name", lesson_names())
def test_what_is_measured_bears_the_explanation_out(run, name: str) -> None:
    steps = run("lesson", name, "--json").json()["steps"]
    assert len(steps) == len(CLAIMS[name])
    for step, holds in zip(steps, CLAIMS[name]):
        assert holds(step["values"]), step
