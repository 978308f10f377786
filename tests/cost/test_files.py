"""Files for other profilers, read by those that are installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from retrosim.cost.cost import cost_report
from retrosim.cost.files import callgrind, perfetto, speedscope
from retrosim.cost.report import CostReport
from retrosim.cost.text import cost_title
from retrosim.machine import Machine
from tests.helpers.pages import ROOT

SOURCES = ROOT / "roms" / "sectors" / "src"
FRAME_KEYS = {"name", "file", "line", "col"}


@pytest.fixture(scope="module")
def report() -> CostReport:
    machine = Machine("mc68040-25", "sectors", timing="causes", engine="interpret", parameters={"objects": 3})
    machine.run(until="DetermineCollisions")
    return cost_report(machine, "DetermineCollisions", warm=0, interval=False, sources=[SOURCES])


@pytest.mark.full
def test_the_tree_adds_up(report) -> None:
    total, own = report.totals.cycles, {}
    for row in report.breakdown.calls:
        own[row.function] = own.get(row.function, 0) + row.cycles
    assert sum(own.values()) == total == report.breakdown.calls[0].inclusive_cycles
    assert own == {row.function: row.cycles for row in report.breakdown.functions}
    assert sum(cycles for _, cycles in report.breakdown.timeline) == total
    below = [row for row in report.breakdown.calls if row.parent == 0]
    assert report.breakdown.calls[0].cycles + sum(row.inclusive_cycles for row in below) == total
    calls = {(row.function, row.site_line): row.calls for row in below}
    assert calls["UpdateSectors", 51] == calls["UpdateCollisionArray", 58] == 1
    update = {row.function: row for row in report.breakdown.functions}["UpdateCollisionArray"]
    assert update.inclusive > update.cycles


@pytest.mark.skipif(not shutil.which("callgrind_annotate"), reason="callgrind_annotate (valgrind) is not installed")
def test_callgrind_annotate_reads_it(report, tmp_path) -> None:
    path = tmp_path / "callgrind.out"
    path.write_text(callgrind(report, cost_title(report)))
    command = ["callgrind_annotate", "--threshold=100", "--inclusive=yes", f"--include={SOURCES}", path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not re.search("WARNING|Line .* of profile", done.stdout + done.stderr), done.stdout
    for row in report.breakdown.functions:
        assert re.search(rf"^ *{row.inclusive:,} \(.*:{row.function}$", done.stdout, re.M), row
    line = max((row for row in report.breakdown.lines if row.file == "sectors.c"), key=lambda row: row.line == 23)
    assert re.search(rf"^ *{line.cycles:,} .*\*head\+\+ = 0;", done.stdout, re.M)


def test_speedscope(report) -> None:
    """The fields that its file-format-schema.json requires, of the types that it names."""
    document = json.loads(speedscope(report, "title"))
    frames, (profile,) = document["shared"]["frames"], document["profiles"]
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert all(set(frame) <= FRAME_KEYS and isinstance(frame["name"], str) for frame in frames)
    assert {"type", "name", "unit", "startValue", "endValue", "samples", "weights"} == set(profile)
    assert (profile["type"], profile["unit"], profile["startValue"]) == ("sampled", "none", 0)
    assert len(profile["samples"]) == len(profile["weights"])
    assert sum(profile["weights"]) == profile["endValue"] == report.totals.cycles
    assert all(0 <= frame < len(frames) for stack in profile["samples"] for frame in stack)
    names = [[frames[frame]["name"] for frame in stack] for stack in profile["samples"]]
    assert ["DetermineCollisions", "UpdateCollisionArray", "CalcCollisionsInSector"] in names


def test_perfetto_nests_and_ends(report) -> None:
    events, stack, last = json.loads(perfetto(report, "title"))["traceEvents"], [], 0
    for event in events:
        if event["ph"] == "M":
            continue
        assert event["ts"] >= last
        last = event["ts"]
        if event["ph"] == "B":
            stack.append(event["name"])
        else:
            assert event["ph"] == "E" and stack.pop() == event["name"]
    assert not stack and last == pytest.approx(report.totals.microseconds)
    begun = sum(event["ph"] == "B" and event["name"] == "CalcCollisionsInSector" for event in events)
    assert begun == sum(row.calls for row in report.breakdown.calls if row.function == "CalcCollisionsInSector")
