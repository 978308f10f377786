"""A call on every machine that can run it: --machine all."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from retrosim.errors import BudgetUsedUp, RetrosimError, RomError

from ...progress import Progress
from ...settings import refuse
from .call import CostSettings, prepare_call

if TYPE_CHECKING:
    from retrosim.cost.machines import MachineCost, MachinesReport

ALL = "all"
OTHERS = ("against", "bounds", "sweep", "csv", "html", "callgrind", "speedscope", "perfetto")
"""Options that are about one machine."""


def check_options(options: argparse.Namespace) -> None:
    """Refuse options that are about one machine. Errors: ArgumentError."""
    for name in OTHERS:
        if getattr(options, name):
            raise refuse(f"--{name}: not allowed with --machine {ALL}")


def cost_on_all(settings: CostSettings, progress: Progress) -> MachinesReport:
    """Return what a call costs on every machine that can run it.

    Errors   what the first machine refused the call with, where none can run it; BudgetUsedUp
    """
    from retrosim.cost.machines import MachinesReport, Refused
    from retrosim.cost.report import Origin
    from retrosim.machine import PRESETS
    from retrosim.version import __version__

    entry: str | int = ""
    costs: list[MachineCost] = []
    errors: dict[str, Exception] = {}
    parameters: dict[str, int] = {}
    for number, name in enumerate(PRESETS):
        progress.step(number, len(PRESETS), "machines")
        try:
            cost, entry, parameters = _cost_on(name, settings, progress)
        except BudgetUsedUp:
            raise
        except (RetrosimError, argparse.ArgumentError) as error:
            errors[name] = error
        else:
            costs.append(cost)
    if not costs:
        raise next(iter(errors.values()))
    call = settings.call
    return MachinesReport(
        origin=Origin(settings.program, parameters, __version__, settings.command),
        entry=entry if isinstance(entry, str) else f"{entry:06X}",
        arguments=list(map(str, call.arguments)),
        registers={register: str(word) for register, word in call.registers.items()},
        warm=call.warm,
        machines=sorted(costs, key=lambda cost: cost.microseconds),
        refused=[Refused(name, _reason(error, settings.machine.rom)) for name, error in errors.items()],
    )


def _reason(error: Exception, file: str | None) -> str:
    """Return why a machine cannot run a call, without the file and without advice to choose another."""
    text = error.reason if isinstance(error, RomError) else str(error)
    return text.splitlines()[0].removeprefix(f"{file}: ").partition("; choose")[0]


def _cost_on(name: str, settings: CostSettings, progress: Progress) -> tuple[MachineCost, str | int, dict[str, int]]:
    """Return what a call costs on a machine, what was called, and the parameters of the program."""
    from retrosim.cost.cost import place_stack
    from retrosim.cost.machines import MachineCost
    from retrosim.cost.report import timing_of
    from retrosim.cost.unset import unset_reads

    call = settings.call
    prepared = prepare_call(replace(settings, machine=replace(settings.machine, machine=name)), progress)
    machine = prepared.machine
    place_stack(machine)
    before = machine.snapshot()
    words = [word for word in prepared.arguments if word is not None]
    cost = machine.measure(prepared.entry, *words, **call.keywords())
    machine.restore(before)
    entry = machine.address(prepared.entry)
    unset = unset_reads(machine, entry, words, call.convention_and_registers(), cost.instructions)
    result = MachineCost(
        machine=name,
        model=machine.core.cpu.model,
        clock_hz=machine.clock_hz,
        build=machine.image.build,
        timing=timing_of(machine),
        cycles=cost.cycles,
        low=cost.low,
        high=cost.high,
        instructions=cost.instructions,
        microseconds=cost.cycles * 1e6 / machine.clock_hz,
        unset_registers=unset,
    )
    return result, prepared.entry, dict(machine.parameters)
