"""A lesson in the terminal: answers, a number that is none, leaving, the window, the picture without one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from retrosim.cli import teaching
from retrosim.cli.display import NoWindow
from retrosim.cli.teaching import Class, Commands
from retrosim.errors import RetrosimError
from retrosim.lessons.lesson import CommandRun, load_lesson
from tests.lessons.test_lesson import SMALL

TWO_STEPS = SMALL + SMALL[SMALL.index("[[step]]") :].replace('picture = "first"\n', "").replace("Pairs", "More")


@pytest.fixture
def teach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run the small lesson with some lines typed, None for no terminal; return what it wrote."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Commands, "_run", lambda self, command: CommandRun({"pairs": {"tested": 4}}, b"a picture"))
    monkeypatch.setattr(teaching, "missing_display", lambda: "no display")
    Path("small.toml").write_text(TWO_STEPS)

    def teach(typed: list[str] | None, first: int = 1) -> str:
        for stream in ("stdin", "stdout"):
            monkeypatch.setattr(f"sys.{stream}.isatty", lambda: typed is not None, raising=False)
        lines = iter(typed or [])

        def answer(prompt: str) -> str:
            print(prompt)
            try:
                return next(lines)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", answer)
        Class(load_lesson("small.toml")).teach(first)
        assert next(lines, None) is None, "all was asked for"
        return capsys.readouterr().out

    return teach


def test_a_pipe_goes_through_without_waiting(teach, tmp_path) -> None:
    out = teach(None)
    assert "Step 1 of 2: Pairs" in out and "Step 2 of 2: More" in out and out.count("4 of 1,002.") == 2
    assert "answer" not in out and "You said" not in out
    assert "picture small-1.png" in out and (tmp_path / "small-1.png").read_bytes() == b"a picture"
    assert out.index("Look at this.") < out.index("  retrosim replay") < out.index("How many?") < out.index("So it is.")


def test_answers(teach) -> None:
    out = teach(["many", "1,200.5", "", ""])
    assert out.count("Please a number") == 1 and "You said 1,200.5; measured: 4." in out
    assert out.count("You said") == 1, "Enter is no answer"


def test_leaving(teach) -> None:
    for typed in (["q"], [" Q "], []):
        out = teach(typed)
        assert "4 of 1,002." not in out and "Please" not in out
    out = teach(["3", "q"])
    assert "4 of 1,002." in out and "Step 2" not in out


def test_it_begins_with_a_step(teach) -> None:
    out = teach(None, 2)
    assert "Step 2 of 2" in out and "Step 1" not in out and "picture" not in out


def test_the_window(teach, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    """With a display and a terminal the window shows the tape; no file is written."""
    opened = []
    monkeypatch.setattr(teaching, "missing_display", lambda: "")
    monkeypatch.setattr(
        "retrosim.cli.commands.replay._replay_window", lambda on, settings: opened.append(settings) or 0
    )
    out = teach(["3", "", "3"])
    assert len(opened) == 1 and opened[0].overlay["tested"] and "The window opens" in out
    assert not list(tmp_path.glob("*.png"))
    teach(None)
    assert len(opened) == 1 and list(tmp_path.glob("*.png")), "nobody would close it"


def test_a_window_that_does_not_open(teach, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    def refuse(on: object, settings: object) -> int:
        raise NoWindow("no OpenGL")

    monkeypatch.setattr(teaching, "missing_display", lambda: "")
    monkeypatch.setattr("retrosim.cli.commands.replay._replay_window", refuse)
    out = teach(["3", "", "3"])
    assert "picture small-1.png" in out and (tmp_path / "small-1.png").read_bytes() == b"a picture"


def test_a_picture_that_cannot_be_written(teach, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teaching, "free_name", lambda stem, suffix: Path("nowhere") / f"{stem}{suffix}")
    with pytest.raises(RetrosimError, match=r"nowhere/small-1\.png: cannot be written"):
        teach(None)


def test_commands_run_once_and_say_nothing(monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    commands = Commands()
    command = ("replay", "wind-50", "--machine", "native", "--frames", "3", "--overlay", "tested")
    run = commands(command)
    pairs = run.report["pairs"]
    assert pairs["objects"] == 50 and 1225 > pairs["tested"] >= pairs["hits"] > 0 and run.report["values"]["frame"] == 3
    assert run.picture is not None and run.picture[1:4] == b"PNG"
    assert commands(command) is run
    assert capsys.readouterr() == ("", "") and not list(tmp_path.iterdir())
    assert commands(("replay", "wind-50", "--machine", "native", "--frames", "3")).picture is None
