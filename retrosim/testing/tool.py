"""What the fixture `retro` gives a test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from retrosim.asm.project import BOOTS, load_for
from retrosim.cost.cost import cost_report, prepare
from retrosim.cost.report import CostReport
from retrosim.machine import Machine
from retrosim.machine.choices import MAX_STEPPED, WARM_CALLS
from retrosim.report.json import to_json
from retrosim.rom import Rom

from .budgets import Figure, figure_of


@dataclass(frozen=True)
class Cost:
    """What one call of a routine cost.

    name      of the call in the budgets file
    measured  everything
    figure    what the budgets file keeps of it
    accepted  the figure that was accepted last, None if there is none
    """

    name: str
    measured: CostReport = field(repr=False)
    figure: Figure = field(repr=False)
    accepted: Figure | None = field(repr=False)
    is_updating: bool = field(repr=False)

    @property
    def report(self) -> dict[str, Any]:
        """Everything, as `retrosim cost --json` prints it."""
        return cast("dict[str, Any]", to_json(self.measured))

    @property
    def cycles(self) -> int:
        """CPU clocks from the first instruction of the routine to its return."""
        return self.figure.cycles

    @property
    def instructions(self) -> int:
        """Instructions executed."""
        return self.figure.instructions

    @property
    def microseconds(self) -> float:
        """The same time on that machine."""
        return self.measured.totals.microseconds

    @property
    def low(self) -> int | None:
        """Lower end of the interval in which the cycles plausibly are; None without `interval=True`."""
        return self.measured.totals.low

    @property
    def high(self) -> int | None:
        """Upper end of that interval."""
        return self.measured.totals.high

    @property
    def result(self) -> int:
        """What the routine returned, as an unsigned word."""
        return self.measured.totals.result

    @property
    def result_signed(self) -> int:
        """The same as a signed word."""
        return self.measured.totals.result_signed

    @property
    def budget(self) -> int:
        """The accepted cycles of the budgets file; with --update-budgets the present ones, which become accepted.

        Errors   LookupError where none have been accepted
        """
        __tracebackhide__ = True
        if self.is_updating:
            return self.cycles
        if self.accepted is None:
            raise LookupError(
                f"no accepted figure for {self.name}: pytest --update-budgets accepts {self.cycles:,} cycles"
            )
        return self.accepted.cycles


class Retro:
    """Opens programs and measures routines; each test gets its own.

    machine  by name, of every call that names none; None: the first that can run the program
    costs    what the test has measured, in order
    """

    def __init__(
        self,
        folders: Iterable[Path],
        machine: str | None = None,
        accepted: Mapping[str, Figure] | None = None,
        is_updating: bool = False,
    ) -> None:
        """Set it up.

        folders      where files with a relative path are looked for, in this order
        accepted     the test's figures in the budgets file, by the name of the call
        is_updating  whether figures of this run become the accepted ones
        """
        self.machine, self.costs = machine, list[Cost]()
        self._folders, self._accepted, self._is_updating = tuple(folders), dict(accepted or {}), is_updating

    def __repr__(self) -> str:
        return f"<retrosim on {self.machine}>" if self.machine else "<retrosim>"

    def open(
        self,
        program: str | Path | Sequence[str | Path],
        machine: str | None = None,
        *,
        at: int | None = None,
        bits: int | None = None,
        parameters: Mapping[str, int] | None = None,
        **options: Any,
    ) -> Machine:
        """Load a program and switch a machine on, to call its routines and to look at registers and memory.

        program  file of any format that `retrosim cost` takes, beside the test or below pytest's root folder, or a ROM;
                 several sources and objects are linked
        machine  by name
        at       address of a flat binary
        bits     x86: 16 for real mode
        parameters, options  as for `retrosim.open_machine`
        Errors   RomError, AssemblyError, ValueError
        """
        if bits not in BOOTS:
            raise ValueError(f"bits {bits}: allowed 16, 32")
        first, *others = map(self._path, _several(program))
        loaded = load_for(first, machine or self.machine, others=others, boot=BOOTS[bits], at=at, note=print)
        return Machine(loaded.machine, loaded.program, parameters=parameters, **options)

    def cost(
        self,
        program: str | Path | Sequence[str | Path],
        entry: str | int,
        *arguments: int | str,
        machine: str | None = None,
        regs: Mapping[str, int | str] | None = None,
        mem: Mapping[int | str, bytes] | None = None,
        load: Mapping[int | str, str | Path] | None = None,
        before: Iterable[str | int] = (),
        convention: str = "c",
        warm: int = WARM_CALLS,
        interval: bool = False,
        max_instructions: int = MAX_STEPPED,
        **options: Any,
    ) -> Cost:
        """Call a routine and return what it cost. A ROM first runs one frame; of a file nothing runs beforehand.

        program    as for `open`, which also takes `options`
        entry      symbol or address of the routine
        arguments  words, or symbols for their addresses
        regs       register -> word or symbol, what the routine finds there
        mem        address or symbol -> bytes, written before the call
        load       address or symbol -> file, written before the call
        before     routines to call first, without arguments; what they write stays
        convention "c", "pascal", "regparm"
        warm       calls before the one that counts; 0: with empty caches
        interval   also find `low` and `high`, for which the routine runs a dozen times more
        Errors     RomError, AssemblyError, ValueError; CpuFault, RetrosimError where the routine does not return
        """
        opened = self.open(program, machine, **options)
        registers = dict(regs or {})
        if opened.rom is not None:
            opened.run(frames=1)
        prepare(
            opened,
            files=[(self._path(path), where) for where, path in (load or {}).items()],
            memory=list((mem or {}).items()),
            before=before,
            max_instructions=max_instructions,
        )
        report = cost_report(
            opened,
            entry,
            *arguments,
            warm=warm,
            interval=interval,
            convention=convention,
            registers=registers,
            max_instructions=max_instructions,
        )
        figure = figure_of(report, opened.timing_revision, self._text)
        called = ", ".join([*map(str, arguments), *(f"{name}={_shown(value)}" for name, value in registers.items())])
        build = f" {opened.image.build}" if isinstance(opened.rom, Rom) else ""
        name = self._unused(f"{Path(_several(program)[0]).name}{build}: {entry}({called}) on {opened.name}")
        cost = Cost(name, report, figure, self._accepted.get(name), self._is_updating)
        self.costs.append(cost)
        return cost

    def _unused(self, name: str) -> str:
        """Return a name that no call of the test has had: the second of a name gets #2."""
        number = 1 + sum(cost.name.partition(" #")[0] == name for cost in self.costs)
        return name if number == 1 else f"{name} #{number}"

    def _path(self, name: str | Path) -> str | Path:
        """Return the path of a file; what is no file anywhere is left as it is: the name of a ROM."""
        paths = (folder / name for folder in self._folders)
        files = ("", "rom.toml", "retrosim.toml")
        return next((path for path in paths if any((path / file).is_file() for file in files)), name)

    def _text(self, file: str, line: int) -> str:
        """Return a source line, "" if it cannot be read."""
        try:
            lines = Path(self._path(file)).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return ""
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def _several(program: str | Path | Sequence[str | Path]) -> list[str | Path]:
    return [program] if isinstance(program, str | Path) else list(program)


def _shown(value: int | str) -> str:
    return value if isinstance(value, str) else f"{value:#x}"
