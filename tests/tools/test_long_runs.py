"""tools/long_runs.py compares what it says it compares."""

from __future__ import annotations

import sys

import long_runs
import pytest

USED = 100 << 20  # bytes


@pytest.fixture(autouse=True)
def memory_is_still(monkeypatch) -> None:
    """The amount of this process changes with what other tests have left to a background compiler."""
    monkeypatch.setattr(long_runs, "memory_in_use", lambda: USED)


def run(monkeypatch, capsys, *words: str) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["long_runs.py", *words])
    return long_runs.main(), capsys.readouterr().out


def test_time(monkeypatch, capsys) -> None:
    monkeypatch.setattr(long_runs, "SECONDS_BETWEEN", 1)
    status, out = run(monkeypatch, capsys, "hours", "--hours", "0.001")
    assert status == 0 and "hours: 244 frames on mc68040-25; " in out and out.endswith(" s, ok\n")
    monkeypatch.setattr(long_runs, "TIME", 0x3000)
    status, out = run(monkeypatch, capsys, "hours", "--hours", "0.001")
    assert status == 1 and "hours: the program was given 0 us, should be " in out


def test_machines_and_their_end(monkeypatch, capsys) -> None:
    status, out = run(monkeypatch, capsys, "machines", "--count", "2")
    assert (status, "machines: 2 machines mc68040-25" in out) == (0, True), out
    status, out = run(monkeypatch, capsys, "machines", "--count", "9", "--minutes", "0")
    assert status == 0 and "machines: 1 machines" in out


def test_growth_is_noticed(monkeypatch) -> None:
    memory = long_runs.Memory()
    memory.look(0.05)
    memory.look(0.1)
    memory.look(0.5)
    monkeypatch.setattr(long_runs, "memory_in_use", lambda: USED + 2 * long_runs.MAX_GROWTH)
    with pytest.raises(long_runs.Wrong, match="memory has grown from"):
        memory.look(1.0)
