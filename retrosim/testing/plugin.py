"""What pytest loads: the fixture `retro`, one for each machine (`retro_mc68000_8`), and --update-budgets.

Every run of pytest imports this module where retrosim is installed, so it imports the rest of retrosim only when a test
uses a fixture. With pytest-xdist each process sends its figures to the first, which writes the file.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .budgets import Budgets, Figure
    from .tool import Retro

INI, OPTION, SENT = "retrosim_budgets", "--update-budgets", "retrosim_budgets"
PREFIX = "retro_"
FILE = "retrosim-budgets.json"
SHOWN = 10  # lines of each list
Line = tuple[str, str, int, int]


class BudgetSession:
    """The budgets of one run of pytest.

    measured   test -> call -> figure, of tests that passed
    noted      lines of the summary
    """

    def __init__(self, config: pytest.Config) -> None:
        self.folder, self.name = config.rootpath, str(config.getini(INI))
        self.is_updating = bool(config.getoption(OPTION))
        self.measured: Budgets = {}
        self.noted: list[str] = []
        self._accepted: Budgets | None = None
        self.has_machines = False

    @property
    def accepted(self) -> Budgets:
        """The figures of the file. A damaged one fails the test that asks."""
        if self._accepted is None:
            from .budgets import read_budgets

            try:
                self._accepted = read_budgets(self.folder / self.name)
            except ValueError as error:
                pytest.fail(str(error), pytrace=False)
        return self._accepted

    def end(self) -> None:
        """Accept the measured figures if asked to, and note what differs from the file."""
        from .budgets import write_budgets

        accepted = self.accepted
        changes, below = [], 0
        for test, calls in self.measured.items():
            known = accepted.get(test, {})
            for name, figure in calls.items():
                was = known.get(name)
                if was is None:
                    changes.append(f"{test}: {name}: {figure.cycles:,} cycles, new")
                elif was.cycles != figure.cycles:
                    changed = difference(figure.cycles, was.cycles)
                    changes.append(f"{test}: {name}: {was.cycles:,} -> {figure.cycles:,} cycles, {changed}")
                    below += figure.cycles < was.cycles
        if self.is_updating:
            try:
                write_budgets(self.folder / self.name, {**accepted, **self.measured})
            except OSError as error:
                self.noted = [f"retrosim: {self.name} cannot be written: {error.strerror}"]
                return
            self.noted = [f"retrosim: accepted in {self.name}: {len(changes)} changed", *changes]
        elif below:
            count = "1 call costs" if below == 1 else f"{below} calls cost"
            self.noted = [f"retrosim: {count} less than accepted; pytest {OPTION} makes that the budget"]


KEY = pytest.StashKey[BudgetSession]()
RETRO = pytest.StashKey[list["Retro"]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("retrosim", "retrosim: what routines cost on machines of 1994")
    group.addoption(
        OPTION, action="store_true", help="accept the cycles of all calls of retro.cost in tests that pass as budgets"
    )
    parser.addini(INI, f"file of accepted cycles, in pytest's root folder; default: {FILE}", default=FILE)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[KEY] = BudgetSession(config)


@pytest.fixture
def retro(request: pytest.FixtureRequest) -> Retro:
    """What routines cost on machines of 1994: retro.cost(FILE, SYMBOL, machine=NAME).cycles, retro.open(FILE)."""
    return _retro(request, getattr(request, "param", None))


def _retro(request: pytest.FixtureRequest, machine: str | None) -> Retro:
    from .tool import Retro

    session, node = request.config.stash[KEY], request.node
    folders = (Path(node.path).parent, request.config.rootpath, request.config.invocation_params.dir)
    made = Retro(folders, machine, session.accepted.get(node.nodeid), session.is_updating)
    node.stash.setdefault(RETRO, []).append(made)
    return made


def _of_machine(name: str) -> Callable[[pytest.FixtureRequest], Retro]:
    def fixture(request: pytest.FixtureRequest) -> Retro:
        return _retro(request, name)

    fixture.__doc__ = f"As `retro`, on the {name}."
    return fixture


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Define the fixtures of the machines when a test asks for one: their names need the instruction sets."""
    session = item.config.stash[KEY]
    if session.has_machines or not any(name.startswith(PREFIX) for name in getattr(item, "fixturenames", ())):
        return
    from retrosim.machine.presets import PRESETS

    session.has_machines = True
    names = {PREFIX + name.replace("-", "_"): name for name in PRESETS}
    fixtures = {fixture: pytest.fixture(name=fixture)(_of_machine(machine)) for fixture, machine in names.items()}
    holder = ModuleType("retrosim-machines")  # pytest looks for fixtures in modules and classes
    vars(holder).update(fixtures)
    item.config.pluginmanager.register(holder, holder.__name__)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Show the costs of a test that failed, and keep those of one that passed."""
    report = yield
    made = item.stash.get(RETRO, [])
    if call.when != "call" or not made:
        return report
    costs = [cost for each in made for cost in each.costs]
    if report.passed:
        item.config.stash[KEY].measured[item.nodeid] = {cost.name: cost.figure for cost in costs}
    elif report.failed:
        for cost in costs:
            report.sections.append(("retrosim", described(cost.name, cost.figure, cost.accepted)))
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    own = session.config.stash[KEY]
    sent = getattr(session.config, "workeroutput", None)
    if sent is not None and own.measured:
        from .budgets import as_json

        sent[SENT] = {
            test: {name: as_json(figure) for name, figure in calls.items()} for test, calls in own.measured.items()
        }
    elif own.measured:
        own.end()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the figures of a process of pytest-xdist."""
    received = getattr(node, "workeroutput", {}).get(SENT)
    if received:
        from .budgets import from_json

        measured = node.config.stash[KEY].measured
        for test, calls in received.items():
            measured[test] = {name: from_json(values) for name, values in calls.items()}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for line in config.stash[KEY].noted:
        terminalreporter.write_line(line)


def described(name: str, figure: Figure, accepted: Figure | None) -> str:
    """Return what a failed test shows of one call."""
    head = [name, f"{figure.cycles:,} cycles, {figure.instructions:,} instructions"]
    return "\n".join([*head, "", *_hottest(figure), "", *_changes(figure, accepted)])


def difference(new: int, old: int) -> str:
    """Return how much more a number is than another, signed, with its percentage."""
    percent = f" ({100 * (new - old) / old:+.1f} %)" if old else ""
    return f"{new - old:+,}{percent}"


def _hottest(figure: Figure) -> list[str]:
    lines = sorted(figure.lines, key=lambda line: -line[2])
    more = f", {SHOWN} of {len(lines)}" if len(lines) > SHOWN else ""
    rows = [("cycles", "%", "visits", "line", "")]
    for place, text, cycles, visits in lines[:SHOWN]:
        rows.append((f"{cycles:,}", f"{100 * cycles / figure.cycles:.1f}", f"{visits:,}", place, text))
    return [f"hottest lines{more}", *_table(rows)]


def _changes(figure: Figure, accepted: Figure | None) -> list[str]:
    if accepted is None:
        return ["no accepted figure to compare with; pytest --update-budgets accepts the figures of tests that pass"]
    head = f"accepted {accepted.cycles:,} cycles: {difference(figure.cycles, accepted.cycles)}"
    if accepted.instructions != figure.instructions:
        head += f"; {accepted.instructions:,} instructions: {difference(figure.instructions, accepted.instructions)}"
    notes = [head]
    if accepted.revision != figure.revision:
        notes.append(f"timing of the machine: was {accepted.revision}, is {figure.revision}")
    if figure.lines == accepted.lines:
        return [*notes, "no line has changed"]
    changed = sorted(_changed(accepted.lines, figure.lines), key=lambda row: -abs(row[1] - row[0]))
    rows = [("was", "is", "change", "line", "")]
    for was, now, place, text in changed[:SHOWN]:
        rows.append((f"{was:,}", f"{now:,}", f"{now - was:+,}", place, text))
    more = f", {SHOWN} of {len(changed)}" if len(changed) > SHOWN else ""
    return [*notes, f"lines that changed{more}", *_table(rows)] if changed else [*notes, "lines have moved only"]


def _changed(old: tuple[Line, ...], new: tuple[Line, ...]) -> list[tuple[int, int, str, str]]:
    """Return (cycles then, now, place, text) of lines whose cycles differ; lines are the same if their texts are."""
    found = []
    matcher = SequenceMatcher(None, [line[1] for line in old], [line[1] for line in new], autojunk=False)
    for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            pairs = zip(old[old_start:old_end], new[new_start:new_end])
            found += [(was[2], now[2], now[0], now[1]) for was, now in pairs if was[2] != now[2]]
        else:
            found += [(was[2], 0, f"{was[0]} (gone)", was[1]) for was in old[old_start:old_end]]
            found += [(0, now[2], f"{now[0]} (new)", now[1]) for now in new[new_start:new_end]]
    return found


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return lines of columns: numbers to the right, the last two to the left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            text.ljust(width) if column >= len(row) - 2 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    ]
