"""The whole screen of `retrosim debug`: typed commands, keys, clicks, an interruption."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("textual", reason="textual is not installed (extra `debug`)")

from textual.widgets import Input, RichLog, Static

from retrosim.cli.terminal import screen
from retrosim.cli.terminal.screen import DebugScreen
from retrosim.console.panes import PANES
from retrosim.console.session import ConsoleSession
from retrosim.console.target import Target
from retrosim.machine import Machine

Act = Callable[[DebugScreen, Any], Coroutine[Any, Any, None]]


def shown(app: DebugScreen, part: str) -> str:
    return str(app.query_one(part, Static).render())


async def typed(app: DebugScreen, pilot: Any, line: str) -> None:
    app.query_one("#line", Input).value = line
    app.query_one("#line").focus()
    await pilot.press("enter")
    await settled(app, pilot)


async def settled(app: DebugScreen, pilot: Any) -> None:
    for _ in range(500):
        await pilot.pause(0.01)
        if not app._is_busy:
            return
    raise AssertionError("a command has not ended")


def on_screen(act: Act, size: tuple[int, int]) -> DebugScreen:
    machine = Machine("mc68000-8", "sectors", engine="interpret", parameters={"objects": 2})
    app = DebugScreen(ConsoleSession(Target(machine)), "sectors")

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await settled(app, pilot)
            await act(app, pilot)

    asyncio.run(run())
    return app


@pytest.mark.full
def test_commands_keys_and_clicks_do_the_same() -> None:
    async def act(app: DebugScreen, pilot: Any) -> None:
        debugger = app.session.debugger
        await typed(app, pilot, "break DetermineCollisions")
        await pilot.press("f5")
        await settled(app, pilot)
        assert "=>" in shown(app, "#code") and "DetermineCollisions:" in shown(app, "#code")
        assert "*" in shown(app, "#registers") and "#1  RunDemo" in shown(app, "#pane")
        await typed(app, pilot, "display long[gFrame]")
        await pilot.press("f2")
        assert "1: long[gFrame] = 0" in shown(app, "#pane") and "[Watch]" in shown(app, "#tabs")
        row = next(n for n, line in enumerate(shown(app, "#code").splitlines()) if "=>" in line)
        await pilot.click("#code", offset=(4, row + 1))  # below the title
        await settled(app, pilot)
        assert not debugger.points
        app.query_one("#code").focus()
        await pilot.press("down", "b")
        await settled(app, pilot)
        assert [point.address for point in debugger.points] == [app.cursor] and app.cursor != debugger.registers()["pc"]
        before = debugger.time
        await pilot.press("s")
        await settled(app, pilot)
        await pilot.press("S")
        await settled(app, pilot)
        assert debugger.time == before
        app.action_do("unwatch", 1)
        await settled(app, pilot)
        assert not app.session.displays and len(debugger.points) == 1
        await typed(app, pilot, "nonsense")
        await typed(app, pilot, "memory gFrame")
        assert f"{debugger.resolve('gFrame'):06X}" in shown(app, "#memory")
        await typed(app, pilot, "quit")

    assert not on_screen(act, (80, 24)).is_running


def test_a_running_program_is_interrupted() -> None:
    async def act(app: DebugScreen, pilot: Any) -> None:
        app.action_command("continue")
        await pilot.pause(0.1)
        assert app._is_busy
        await pilot.press("ctrl+c")
        await settled(app, pilot)
        assert app.session.debugger.time.instructions > 0

    on_screen(act, (80, 24))


@pytest.mark.full
@pytest.mark.parametrize("size", [(60, 24), (100, 35), (200, 50)])
def test_a_long_answer_has_a_pane_that_scrolls(size: tuple[int, int]) -> None:
    async def act(app: DebugScreen, pilot: Any) -> None:
        pane, body = app.query_one("#answer", RichLog), app.query_one("#body")
        await pilot.press("f1")
        await settled(app, pilot)
        await pilot.pause()
        rows = [row.text.rstrip() for row in pane.lines]
        assert rows[0] == "run" and any("so does Ctrl-D" in row for row in rows)
        assert max(map(len, rows)) <= pane.scrollable_content_region.width
        assert not body.display and pane.scroll_y == 0 and pane.size.height > size[1] // 2
        await pilot.press("pagedown")
        assert pane.scroll_y > 0
        await pilot.press("escape")
        assert body.display and not pane.display
        await typed(app, pilot, "help")
        await typed(app, pilot, "print 4")
        assert body.display and "4 (0x4)" in [row.text.rstrip() for row in app.query_one("#log", RichLog).lines]

    on_screen(act, size)


class Idle(DebugScreen):
    """A screen that is not shown and notes which commands are to be carried out; memory has rows of 16 bytes."""

    _row_bytes = 16

    def __init__(self, *points: tuple[int, list[int]]) -> None:
        marked = [SimpleNamespace(number=number, marks=marks) for number, marks in points]
        machine = SimpleNamespace(regs={"pc": 0xFF001000})
        debugger = SimpleNamespace(points=marked)
        wanted = SimpleNamespace(clear=lambda: None)
        session = SimpleNamespace(machine=machine, debugger=debugger, memory_area=(0x40, 64), wanted=wanted)
        super().__init__(session, "sectors")
        self.done: list[object] = []

    def action_command(self, line: str) -> None:
        self.done.append(line)

    def show(self) -> None:
        self.done.append(("shown", self.cursor))

    def _look_at(self, address: int) -> None:
        self.done.append(("memory", address))


@pytest.mark.parametrize(
    "action, expected",
    [
        (("toggle", None), ["break 0x1000"]),
        (("toggle", 0x2002), ["delete 7"]),
        (("toggle", 0x2004), ["break 0x2004"]),
        (("remove", 3), ["delete 3"]),
        (("unwatch", 2), ["undisplay 2"]),
        (("show", 0x1_0000_1234), [("memory", 0x1234)]),
        (("at", 0x2000), [("shown", 0x2000)]),
        (("pane", "Watch"), [("shown", 0x1000)]),
        (("", 0x2000), []),
    ],
)
def test_what_a_click_means(action: tuple, expected: list) -> None:
    app = Idle((5, [0x2000]), (7, [0x2002, 0x2006]))
    app.action_do(*action)
    assert app.done == expected and app.pane == ("Watch" if action[0] == "pane" else next(iter(PANES)))
    app.done.clear()
    app._is_busy = True
    app.action_do(*action)
    assert not app.done, "not while the machine runs"


def test_the_cursor_moves_by_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Down to the instruction that is so many further; up to the first of those that lead here; nowhere without any."""

    class Decoder:
        def __init__(self, machine: object) -> None:
            pass

        def following(self, address: int, count: int) -> list[tuple[int, None]]:
            return [(address + 2 * n, None) for n in range(count)]

        def before(self, address: int, count: int) -> list[tuple[int, None]]:
            return [(address - 2 * n, None) for n in range(count, 0, -1)] if address > 0x1000 else []

    monkeypatch.setattr(screen, "Decoder", Decoder)
    app, cursors = Idle(), []
    for rows in (1, 8, -1, -2, -6, -1):
        app.action_move_cursor(rows)
        cursors.append(app.cursor)
    assert cursors == [0x1002, 0x1012, 0x1010, 0x100C, 0x1000, 0x1000] and len(app.done) == 6
    app._is_busy = True
    app.action_move_cursor(1)
    app.action_go_to_pc()
    assert app.cursor == 0x1000 and len(app.done) == 6
    app._is_busy, app.cursor = False, 0x3000
    app.action_go_to_pc()
    assert app.done[-1] == ("shown", 0x1000), "the program counter's lower 24 bits"


def test_panes_follow_each_other() -> None:
    app, names = Idle(), list(PANES)
    app._sample = app.run_worker = lambda *_, **__: None
    seen = []
    for _ in names:
        app._is_busy = False
        app.action_next_pane()
        seen.append(app.pane)
    assert seen == [*names[1:], names[0]]


def test_lines_are_recalled() -> None:
    """The same line twice is kept once, at most MAX_HISTORY of them; an empty one is the last that repeats."""
    app, typed = Idle(), []
    entry = SimpleNamespace(clear=lambda: typed.append("cleared"))
    for line in (" step ", "step", "", "print 4"):
        app.on_input_submitted(SimpleNamespace(value=line, input=entry))
    assert app._history == ["step", "print 4"] and app.done == ["step", "step", "", "print 4"]
    assert app._recalled == 2 and len(typed) == 4
    app._last = "next"
    app.on_input_submitted(SimpleNamespace(value="  ", input=entry))
    assert app.done[-1] == "next" and len(app._history) == 2
    for number in range(screen.MAX_HISTORY):
        app.on_input_submitted(SimpleNamespace(value=f"print {number + 10}", input=entry))
    assert len(app._history) == screen.MAX_HISTORY and app._history[0] == "print 10"


def test_memory_scrolls_by_rows() -> None:
    app = Idle()
    app.action_scroll_memory(-2)
    assert app.done == [("memory", 0x20)]
    app.session.memory_area = None
    app.action_scroll_memory(1)
    assert len(app.done) == 1
