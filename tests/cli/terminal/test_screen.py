"""The whole screen of `retrosim debug`: typed commands, keys, clicks, an interruption."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

pytest.importorskip("textual", reason="textual is not installed (extra `debug`)")

from textual.widgets import Input, RichLog, Static

from retrosim.cli.terminal.screen import DebugScreen
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
