"""What takes long says how far it is."""

import time

import pytest

from retrosim.cli import progress


@pytest.mark.parametrize(
    ("done", "total", "line"),
    [(75, 2000, "searching: 75 of 2,000"), (75, None, "searching: 75"), (0, None, "searching")],
)
def test_lines_where_there_is_no_terminal(done, total, line, monkeypatch, capsys) -> None:
    monkeypatch.setattr(progress, "PLAIN_DELAY", 0)
    shown = progress.Progress()
    shown.step(done, total, "searching")
    with shown:
        time.sleep(0.05)
    assert capsys.readouterr().err.split("\n")[0].endswith(line)
