"""The debugger as a full screen of the terminal: everything at once, by keyboard and mouse.

The command line at the bottom takes the commands of the line debugger; the parts above show what its `view` shows, from
the same code. While a command runs, it has the machine, on a thread of its own; the screen draws when it has ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.suggester import Suggester
from textual.widgets import Footer, Input, RichLog, Static

from retrosim.console import commands, panes, texts
from retrosim.console.texts import Reply
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.debug.stack import stack_pointer
from retrosim.debug.views import Decoder
from retrosim.errors import RetrosimError

from .loop import completer

if TYPE_CHECKING:
    from retrosim.console.session import ConsoleSession


# The parts of the debugger's screen, and their keys.


class Suggestions(Suggester):
    """Completes commands, symbols, registers and source files while they are typed."""

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._line = ""
        self._complete = completer(session, lambda: self._line)

    async def get_suggestion(self, value: str) -> str | None:
        """Return the line as it may go on."""
        self._line = value
        word = value[max(map(value.rfind, " ,=[]()+*/")) + 1 :]
        found = self._complete(word, 0) if word else None
        return value + found[len(word) :].rstrip() if found else None


def joined(lines: list[Text], width: int) -> Content:
    """Return lines as a widget shows them, none of them longer than so many columns."""
    for line in lines:
        line.truncate(max(1, width), overflow="ellipsis")
    return Content("\n").join(Content.from_rich_text(line) for line in lines)


class ScreenPart(Static, can_focus=True):
    """A part of the screen; the keys of a focused one are its own."""

    def put(self, lines: list[Text], title: str) -> None:
        """Show lines."""
        holder = self.parent if isinstance(self.parent, VerticalScroll) else self
        holder.border_title = title
        self.update(joined(lines, self.size.width))


class Code(ScreenPart):
    """Code around the cursor. Its keys are those of the window's debugger."""

    BINDINGS = [  # noqa: RUF012
        Binding("up", "app.move_cursor(-1)", "Up", show=False),
        Binding("down", "app.move_cursor(1)", "Down", show=False),
        Binding("home", "app.go_to_pc", "Next instruction", show=False),
        Binding("b", "app.do('toggle')", "Break"),
        Binding("r,enter", "app.until_cursor", "Run to here"),
        *(
            Binding(key, f"app.command('{command}')", name, show=False)
            for key, command, name in (
                ("c", "continue", "Continue"),
                ("s", "stepi", "Step"),
                ("n", "nexti", "Over"),
                ("f", "finish", "Finish"),
                ("C", "reverse-continue", "Back"),
                ("S", "reverse-stepi", "Step back"),
                ("N", "reverse-nexti", "Over, back"),
                ("F", "reverse-finish", "To the call"),
            )
        ),
    ]


class MemoryPart(ScreenPart):
    """Memory in hexadecimal."""

    BINDINGS = [  # noqa: RUF012
        Binding("up", "app.scroll_memory(-1)", "Up", show=False),
        Binding("down", "app.scroll_memory(1)", "Down", show=False),
        Binding("pageup", "app.scroll_memory(-8)", "Before", show=False),
        Binding("pagedown", "app.scroll_memory(8)", "After", show=False),
    ]


WIDE = 130  # columns from which on there is room for more of everything
ROW_BYTES, NARROW_BYTES, ROW_WIDTH = 16, 8, 90  # bytes of memory in a row, columns that the longer one takes
LOG_LINES = 2000
SCROLLBAR = 2  # columns
HOTTEST = "Hottest"
MAX_HISTORY = 500
STYLES = """
Screen { layout: vertical; }
#title { height: 1; background: $primary; color: $text; padding: 0 1; text-wrap: nowrap; }
#body { height: 1fr; }
#left { width: 1fr; }
#right { width: 30; }
.wide #right { width: 62; }
.part { border-top: solid $primary; border-title-color: $text; border-title-style: bold; }
.part:focus, #panes:focus-within { border-top: heavy $accent; }
#code { height: 1fr; }
#memory { height: 6; }
.wide #memory { height: 10; }
#register-rows { height: auto; max-height: 60%; scrollbar-size-vertical: 1; }
#registers { height: auto; }
#panes { height: 1fr; min-height: 5; }
#tabs { height: auto; border-top: solid $primary; }
#pane-rows { height: 1fr; scrollbar-gutter: stable; scrollbar-size-vertical: 1; }
#pane { height: auto; }
#log { height: 4; border-top: solid $primary; }
#answer { display: none; height: 1fr; border-top: heavy $accent; border-title-color: $text; border-title-style: bold; }
.answered #answer { display: block; }
.answered #body { display: none; }
.wide #log { height: 9; }
#line { height: 1; border: none; padding: 0; background: $surface; }
#prompt { width: 12; height: 1; }
#entry { height: 1; }
"""


class DebugScreen(App[None]):
    """The screen.

    session  the machine and what is remembered
    name     of the program
    cursor   address in the code
    """

    CSS = STYLES
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [  # noqa: RUF012
        Binding("f1", "command('help')", "Help", priority=True),
        Binding("f2", "next_pane", "Pane", priority=True),
        Binding("f4", "until_cursor", "Here", priority=True),
        Binding("f5", "command('continue')", "Go", priority=True),
        Binding("f6", "command('reverse-continue')", "Back", priority=True),
        Binding("f7", "command('step')", "Step", priority=True),
        Binding("f8", "command('next')", "Next", priority=True),
        Binding("f9", "do('toggle')", "Break", priority=True),
        Binding("ctrl+c,escape", "interrupt", "Stop", show=False, priority=True),
        Binding("f10,ctrl+d", "leave", "Quit", priority=True),
    ]

    def __init__(self, session: ConsoleSession, name: str, first: list[str] | None = None) -> None:
        """Begin; first: commands to carry out at the start."""
        super().__init__()
        self.session, self.program = session, name
        self.cursor = session.machine.regs["pc"] & ADDRESS_MASK
        self.pane = next(iter(panes.PANES))
        self._first = first or []
        self._is_busy, self._last = False, ""
        self._history: list[str] = []
        self._recalled = 0
        self._hottest: list[panes.PaneLine] | None = None
        self._area = session.memory_area  # as chosen here; another one is the user's

    def compose(self) -> ComposeResult:
        """Lay the parts out."""
        yield Static(id="title")
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield Code(id="code", classes="part")
                yield MemoryPart(id="memory", classes="part")
            with Vertical(id="right"):
                with VerticalScroll(id="register-rows", classes="part"):
                    yield ScreenPart(id="registers")
                with Vertical(id="panes"):
                    yield Static(id="tabs")
                    with VerticalScroll(id="pane-rows"):
                        yield Static(id="pane")
        yield RichLog(id="answer", wrap=True, min_width=1, auto_scroll=False)
        yield RichLog(id="log", wrap=True, min_width=1, max_lines=LOG_LINES)
        with Horizontal(id="entry"):
            yield Static("(retrosim)", id="prompt")
            yield Input(id="line", compact=True, suggester=Suggestions(self.session), max_length=commands.MAX_LINE)
        yield Footer()

    def on_mount(self) -> None:
        """Begin with the first commands."""
        self.query_one("#line", Input).focus()
        self.set_interval(0.5, self._show_title)
        self.say([Text("help lists the commands; Tab goes from part to part; F5 continues, Ctrl-C stops")])
        self._run_next()

    def on_resize(self, event: events.Resize) -> None:
        """Use the room that there is."""
        self.screen.set_class(event.size.width >= WIDE, "wide")
        self.session.width = event.size.width - SCROLLBAR
        self.call_after_refresh(self.show)

    # commands

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Carry out a line; an empty one repeats a step."""
        line = event.value.strip()
        event.input.clear()
        if line and (not self._history or self._history[-1] != line):
            self._history = [*self._history, line][-MAX_HISTORY:]
        self._recalled = len(self._history)
        self.action_command(line or self._last)

    def action_command(self, line: str) -> None:
        """Carry out a line, unless another one still runs."""
        if self._is_busy or not line:
            return
        self._close_answer()
        command = commands.BY_NAME.get(line.partition(" ")[0])
        self._last = line if command is not None and command.repeats else ""
        self._is_busy = True
        self.query_one("#log", RichLog).write(Text(f"(retrosim) {line}", texts.TITLE))
        self._show_title()
        self.run_worker(lambda: self._carry_out(line), thread=True, exit_on_error=True)

    def _carry_out(self, line: str) -> None:
        """Carry out a line, on a thread of its own."""
        try:
            answer = commands.answer(self.session, line)
        except (ValueError, RetrosimError) as error:
            answer = Reply([Text(f"error: {error}", texts.POINT)])
        if answer.has_moved:
            self._hottest = None
        self._look_for_hottest()
        self.call_from_thread(self._answered, answer, line)

    def _look_for_hottest(self) -> None:
        """Find out where the clocks went, if that is to be shown: the past is run again, which takes a moment."""
        if self.pane == HOTTEST and self._hottest is None:
            self._hottest = panes.PANES[HOTTEST](self.session)

    def _answered(self, answer: Reply, line: str = "") -> None:
        self._is_busy = False
        if len(answer.lines) <= self.query_one("#log").size.height or answer.has_moved:
            self.say(list(answer.lines))
        else:
            self._open_answer(line, answer.lines)
        if answer.is_end:
            self.exit()
            return
        if answer.has_moved:
            self.cursor = self.session.machine.regs["pc"] & ADDRESS_MASK
        self.show()
        self._run_next()

    def _run_next(self) -> None:
        if self._first:
            self.action_command(self._first.pop(0))

    def say(self, lines: list[Text]) -> None:
        """Write lines above the command line."""
        log = self.query_one("#log", RichLog)
        for line in lines:
            log.write(line)

    def _open_answer(self, line: str, lines: Sequence[Text]) -> None:
        """Show an answer that has more lines than there is room for above the command line, in place of the parts."""
        pane = self.query_one("#answer", RichLog)
        pane.clear()
        pane.border_title = f"{line}   PgUp PgDn scroll, Esc closes"
        self.screen.add_class("answered")
        for text in lines:
            pane.write(text)
        pane.scroll_home(animate=False)
        self.query_one("#line", Input).focus()

    def _close_answer(self) -> None:
        if self.screen.has_class("answered"):
            self.screen.remove_class("answered")
            self.call_after_refresh(self.show)

    def action_interrupt(self) -> None:
        """Stop what runs; where nothing does, close an answer and go back to the command line."""
        if self._is_busy:
            self.session.wanted.set()
        else:
            self._close_answer()
            self.query_one("#line", Input).focus()

    async def action_leave(self) -> None:
        """End; a machine that runs is stopped first."""
        self.session.wanted.set()
        self.exit()

    def action_until_cursor(self) -> None:
        """Run to the cursor."""
        self.action_command(f"until {self.cursor:#x}")

    def action_do(self, action: str, argument: Any = None) -> None:
        """Carry out what a click means, see `panes.Line`; without an argument at the cursor."""
        at, session = self.cursor if argument is None else argument, self.session
        if self._is_busy:
            return
        if action == "toggle":
            points = session.debugger.points
            here = [point for point in points if at in point.marks]
            self.action_command(f"delete {here[0].number}" if here else f"break {at:#x}")
        elif action == "remove":
            self.action_command(f"delete {at}")
        elif action == "unwatch":
            self.action_command(f"undisplay {at}")
        elif action == "show":
            self._look_at(at & ADDRESS_MASK)
        elif action == "pane":
            self._show_other(str(argument))
        elif action == "at":
            self.cursor = at
            self.show()

    def on_click(self, event: events.Click) -> None:
        """Carry out what is under the mouse."""
        found = event.style.meta.get(texts.ACTION)
        if found and found[0]:
            self.action_do(*found)

    def on_key(self, event: events.Key) -> None:
        """Recall earlier lines; scroll an answer."""
        line = self.query_one("#line", Input)
        if event.key in ("pageup", "pagedown") and self.screen.has_class("answered"):
            pane = self.query_one("#answer", RichLog)
            (pane.scroll_page_up if event.key == "pageup" else pane.scroll_page_down)(animate=False)
            event.stop()
        if self.focused is line and event.key in ("up", "down") and self._history:
            self._recalled = max(0, min(len(self._history), self._recalled + (1 if event.key == "down" else -1)))
            line.value = self._history[self._recalled] if self._recalled < len(self._history) else ""
            line.cursor_position = len(line.value)
            event.stop()

    # looking around

    def action_move_cursor(self, rows: int) -> None:
        """Move the cursor by instructions."""
        if self._is_busy:
            return
        decoder = Decoder(self.session.machine)
        found = decoder.following(self.cursor, rows + 1) if rows > 0 else decoder.before(self.cursor, -rows)
        if found:
            self.cursor = found[-1 if rows > 0 else 0][0]
        self.show()

    def action_go_to_pc(self) -> None:
        """Show the next instruction."""
        if not self._is_busy:
            self.cursor = self.session.machine.regs["pc"] & ADDRESS_MASK
            self.show()

    def action_scroll_memory(self, rows: int) -> None:
        """Show memory before or after."""
        if self.session.memory_area is not None:
            self._look_at(self.session.memory_area[0] + rows * self._row_bytes)

    def _look_at(self, address: int) -> None:
        if not self._is_busy:
            self.session.look_at(*self._fitting(address))
            self._area = None
            self.show()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll the code or the memory."""
        self._wheel(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll the code or the memory."""
        self._wheel(event, -1)

    def _wheel(self, event: events.MouseEvent, rows: int) -> None:
        over, _ = self.get_widget_at(event.screen_x, event.screen_y)
        if isinstance(over, Code):
            self.action_move_cursor(rows)
        elif isinstance(over, MemoryPart):
            self.action_scroll_memory(rows)

    def action_next_pane(self) -> None:
        """Show the next of the small views."""
        names = list(panes.PANES)
        self._show_other(names[(names.index(self.pane) + 1) % len(names)])

    def _show_other(self, pane: str) -> None:
        self.pane = pane
        if not self._is_busy and pane == HOTTEST:
            self._is_busy = True
            self.session.wanted.clear()
            self.run_worker(self._sample, thread=True)
        self.show()

    def _sample(self) -> None:
        self._look_for_hottest()
        self.call_from_thread(self._answered, Reply())

    # drawing

    def _show_title(self) -> None:
        machine, time = self.session.machine, self.session.debugger.time
        state = "runs; Ctrl-C stops it" if self._is_busy else "stopped"
        counts = f"frame {time.frame:,}  clock {time.clocks:,}  instruction {time.instructions:,}"
        self.query_one("#title", Static).update(Content(f"{self.program} on {machine.name} {state}  {counts}"))

    def show(self) -> None:
        """Draw everything; not while the machine runs."""
        self._show_title()
        if self._is_busy:
            return
        session = self.session
        code = self.query_one("#code", Code)
        title = f"Code  {session.debugger.describe(self.cursor)}"
        code.put(session.code_around(self.cursor, max(1, code.size.height), code.size.width), title)
        registers = self.query_one("#registers", ScreenPart)
        registers.put(session.registers(registers.size.width), "Registers (* changed)")
        self._show_memory()
        self._show_pane()

    def _show_memory(self) -> None:
        """Show the memory that was chosen, else the top of the stack."""
        session, part = self.session, self.query_one("#memory", MemoryPart)
        follows_stack = session.memory_area == self._area
        address = stack_pointer(session.machine) if follows_stack else (session.memory_area or (0, 0))[0]
        area = self._fitting(address)
        if session.memory_area != area:
            session.look_at(*area)
        if follows_stack:
            self._area = area
        part.put(session.memory(self._row_bytes), f"{'Stack' if follows_stack else 'Memory'} {area[0]:06X} (* changed)")

    @property
    def _row_bytes(self) -> int:
        return ROW_BYTES if self.query_one("#memory").size.width >= ROW_WIDTH else NARROW_BYTES

    def _fitting(self, address: int) -> tuple[int, int]:
        """Return the memory that is shown from an address on."""
        size = self._row_bytes * max(1, self.query_one("#memory").size.height)
        return max(0, min(address & ADDRESS_MASK, ADDRESS_MASK + 1 - size)), size

    def _show_pane(self) -> None:
        lines = self._hottest or [] if self.pane == HOTTEST else panes.PANES[self.pane](self.session)
        lines = lines or [panes.PaneLine(panes.EMPTY.get(self.pane, ""))]
        shown = [Text(line.text, texts.clickable("", line.action, line.argument)) for line in lines]
        width = self.query_one("#pane-rows").scrollable_content_region.width
        self.query_one("#pane", Static).update(joined(shown, width))
        tabs = Text(" ").join(
            Text(f"[{name}]" if name == self.pane else name, texts.clickable("", "pane", name)) for name in panes.PANES
        )
        self.query_one("#tabs", Static).update(Content.from_rich_text(tabs))


def run_screen(session: ConsoleSession, name: str, first: list[str]) -> None:
    """Show the screen until the user has enough; first: commands to begin with."""
    DebugScreen(session, name, first).run()
