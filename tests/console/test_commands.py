"""Commands of the debugger: their help, and the stopwatch."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from retrosim.console import commands
from retrosim.console.commands import _help, _help_rows, stopwatch

ABOUT = "shows where the clocks went since the machine is being debugged"


@pytest.mark.parametrize(
    "width, expected",
    [
        (120, [f"  hot{' ' * 39}{ABOUT}"]),
        (
            74,
            [
                f"  hot{' ' * 39}shows where the clocks went",
                f"{' ' * 44}since the machine is being",
                f"{' ' * 44}debugged",
            ],
        ),
        (73, ["  hot", f"      {ABOUT}"]),
        (20, ["  hot", "      shows where the clocks went", "      since the machine is being", "      debugged"]),
    ],
)
def test_commands_beside_what_they_do_or_above_it(width: int, expected: list[str]) -> None:
    assert [str(row) for row in _help_rows("hot", ABOUT, width)] == expected


def session(has=lambda name: True, width: int = 120) -> SimpleNamespace:
    return SimpleNamespace(has=has, width=width)


def test_help_of_one_command_has_its_other_names() -> None:
    lines = [str(line) for line in _help(session(), "step").lines]
    assert lines[0].startswith("step") and "(also: s" in lines[0] and lines[1].startswith("  ")
    alone = next(command for command in commands.BY_NAME.values() if not command.names[1:])
    assert "also" not in str(_help(session(), alone.names[0]).lines[0])
    with pytest.raises(ValueError, match=r"'stap': no command; .*step"):
        _help(session(), "stap")


def test_help_lists_what_this_session_has() -> None:
    lines = [str(line) for line in _help(session(), "").lines]
    assert set(commands.GROUPS) <= set(lines) and lines[-1].startswith("WHERE: ")
    few = [str(line) for line in _help(session(lambda name: name == "step"), "").lines]
    assert len(set(commands.GROUPS) & set(few)) == 1 and sum(line.startswith("  step") for line in few) == 1


TIMES = [SimpleNamespace(instructions=n, clocks=10 * n, frame=0) for n in (3, 7, 20)]


class Watched:
    """A session whose debugger comes to one place after the other, for these reasons."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *reasons: str) -> None:
        monkeypatch.setattr(commands.views, "elapsed", lambda machine, start, end: (start, end))
        monkeypatch.setattr(commands.texts, "elapsed_line", lambda time: ("elapsed", *time))
        monkeypatch.setattr(commands.texts, "stop_line", lambda stop: stop.reason)
        self.places: list[str] = []
        self._stops = iter(reasons)
        self.debugger = SimpleNamespace(time=TIMES[0], until=self._until, resolve_all=lambda where: [len(where)])
        self.machine, self.watch_started, self.measured, self.marks = None, TIMES[0], None, 0
        self.where, self.interruptible = str, lambda run: run()

    def _until(self, place: str) -> SimpleNamespace:
        self.places.append(place)
        self.debugger.time = TIMES[len(self.places)]
        reason, _, pc = next(self._stops).partition(" at ")
        return SimpleNamespace(reason=reason, pc=int(pc or 0))

    def mark(self) -> None:
        self.marks += 1


def test_a_stopwatch_between_two_places(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch, "breakpoint at 5", "until")
    reply = stopwatch(watched, "begin, end")
    assert watched.places == ["begin", "end"] and watched.marks == 1
    assert reply.lines == [("elapsed", TIMES[1], TIMES[2]), "until"] and reply.has_moved
    assert watched.measured == ("begin, end", (TIMES[1], TIMES[2])) and watched.watch_started is TIMES[2]


@pytest.mark.parametrize(
    "reasons, places", [(["breakpoint at 4"], 1), (["exception"], 1), (["until", "breakpoint at 4"], 2)]
)
def test_a_stopwatch_that_something_else_stops(monkeypatch: pytest.MonkeyPatch, reasons: list, places: int) -> None:
    watched = Watched(monkeypatch, *reasons)
    reply = stopwatch(watched, "begin,end")
    assert str(reply.lines[0]) == "something else stopped the machine" and reply.has_moved
    assert len(watched.places) == places and watched.measured is None


def test_a_stopwatch_since_the_last_time(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch)
    watched.debugger.time = TIMES[2]
    assert stopwatch(watched, "").lines == [("elapsed", TIMES[0], TIMES[2])] and watched.watch_started is TIMES[2]
    with pytest.raises(ValueError, match="a second place, after a comma"):
        stopwatch(watched, "begin")
