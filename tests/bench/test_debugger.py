"""The cost of the debugger: what is reported."""

from __future__ import annotations

import pytest
from rich.console import Console

from retrosim.bench.debugger import CONTENDERS, WITHOUT, benchmark_debugger, debugger_csv, render_debugger
from retrosim.report.json import to_json


def test_each_contender_is_compared_with_the_machine_without_a_debugger() -> None:
    steps: list[int] = []
    result = benchmark_debugger(
        machines=["mc68000-8"],
        engines=["interpret"],
        rounds=1,
        seconds=0.01,
        progress=lambda done, *_: steps.append(done),
    )
    cases = {case.name: case for case in result.cases}
    assert list(cases) == list(CONTENDERS) and cases[WITHOUT].ratio == 1
    assert all(case.per_second > 0 and 0 < case.ratio < 10 for case in cases.values())
    assert steps[-1] == 5 and len(debugger_csv(result).splitlines()) == 1 + len(cases)
    keys = ["machine", "engine", "name", "per_second", "ratio", "worst_ratio", "laps"]
    published = to_json(result)
    assert list(published) == ["verdict", "cases", "host", "made", "method"] and list(published["cases"][0]) == keys
    console = Console(width=100)
    with console.capture() as shown:
        console.print(render_debugger(result))
    assert "half" in shown.get() and "mc68000-8" in shown.get()


def test_what_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="allowed recompile, interpret"):
        benchmark_debugger(machines=["mc68000-8"], engines=["evaluate"])
