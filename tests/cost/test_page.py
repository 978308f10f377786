"""Pages of costs, profiles and comparisons in a browser."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from retrosim.bench.engines import EngineCase, EngineMethod, EngineResult, Starts
from retrosim.bench.race import HostFacts, Made, Skipped, bench_page
from retrosim.cost.against import against_page, compare_costs
from retrosim.cost.cost import cost_report
from retrosim.cost.counting import CompiledCounter
from retrosim.cost.page import cost_page, profile_page
from retrosim.cost.report import CostReport, Origin, profile_report
from retrosim.cost.sweep import SweepPoint, SweepReport, fit, sweep_page
from retrosim.cost.text import settings
from retrosim.machine import Machine
from retrosim.study.comparison import Comparison, ComparisonSettings, Errors, FrameClocks, MethodRow, SceneKind
from retrosim.study.comparison_report import study_page
from retrosim.study.operations import KINDS
from retrosim.table_1994.report import timing_page
from retrosim.table_1994.timing import Answer, AnswerRow, ClockSettings, TimingMethod, TimingTable
from tests.helpers.browser import CHROMIUM, Browser
from tests.helpers.pages import ROOT

SOURCES = ROOT / "roms" / "sectors" / "src"


@pytest.fixture(scope="module")
def report() -> CostReport:
    machine = Machine("mc68040-25", "sectors", timing="causes", engine="interpret", parameters={"objects": 3})
    machine.run(until="DetermineCollisions")
    return cost_report(machine, "DetermineCollisions", warm=0, interval=False, sources=[SOURCES])


def test_the_page_of_a_profile(tmp_path) -> None:
    """Causes, lines, and clocks of instructions without what only single steps tell."""
    machine = Machine("mc68040-25", "sectors", timing="causes", engine="interpret", parameters={"objects": 3})
    counter = CompiledCounter(machine)
    machine.run(frames=1)
    text = profile_page(profile_report(machine, counter.counted(), [SOURCES]), "Profile of sectors")
    assert re.search(r'<table[^>]*id="causes"', text) and "<rich" not in text and "object at 0x" not in text
    assert "from the end of the one before it" in text
    assert "*head++ = 0;" in text and "busy clocks" in text


def test_a_page_says_how_to_repeat_it(report) -> None:
    page, shown = cost_page(report), settings(report)
    assert (shown["Program"], shown["Parameters"]) == ("sectors, build O2", "objects 3, seed 1994")
    assert all(f"<dd>{said}</dd>" in page for said in shown.values() if said)


@pytest.mark.full
@pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")
def test_the_page_in_a_browser(report, tmp_path) -> None:
    """RETROSIM_SCREENSHOTS: a folder in which pictures of the page are left."""
    path = tmp_path / "report.html"
    path.write_text(cost_page(report), encoding="utf-8")
    browser = Browser(tmp_path / "profile")
    try:
        browser.open(path)
        names = "[...document.querySelectorAll('#flame button')].map(b => b.textContent)"
        assert {row.function for row in report.breakdown.calls} >= set(browser.evaluate(names)) > {"UpdateSectors"}
        cell = "document.querySelector('#functions tbody tr').cells"
        assert browser.evaluate(f"{cell}[0].textContent") == report.breakdown.functions[0].function
        browser.click("#functions th button", 3)
        assert browser.evaluate(f"{cell}[0].textContent") == "DetermineCollisions"  # most clocks with calls
        browser.click("#functions th button", 3)
        minimum = min(row.inclusive for row in report.breakdown.functions)
        assert int(browser.evaluate(f"{cell}[3].dataset.value")) == minimum

        browser.click("#flame button", 1)
        chosen = browser.evaluate("document.activeElement.textContent")
        assert browser.evaluate("document.querySelector('#flame-detail').textContent").startswith(f"{chosen}: ")
        assert browser.evaluate("document.activeElement.style.width") == "100%" and chosen != "DetermineCollisions"
        browser.press("Escape")
        browser.press("ArrowDown")
        assert browser.evaluate("document.activeElement.textContent") == chosen
        browser.press("ArrowUp")
        assert browser.evaluate("document.activeElement.textContent") == "DetermineCollisions"
        browser.click("#flame-search")
        browser.type("sectors")
        assert browser.evaluate("document.querySelectorAll('#flame button.found').length") == 1
        assert "1 found" in browser.evaluate("document.querySelector('#flame-found').textContent")
        browser.click("#flame-reset")
        assert browser.evaluate("document.querySelectorAll('#flame button.found').length") == 0

        for width in (1280, 400):
            for dark in (False, True):
                browser.open(path, width=width, dark=dark)
                assert browser.evaluate("document.documentElement.scrollWidth") <= width
                colours = browser.evaluate("(s => [s.color, s.backgroundColor])(getComputedStyle(document.body))")
                light = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours]
                assert light[0] > light[1] + 400 if dark else light[0] + 400 < light[1]
                if folder := os.environ.get("RETROSIM_SCREENSHOTS"):
                    browser.screenshot(Path(folder) / f"cost-{width}-{'dark' if dark else 'light'}.png")
        assert not browser.problems
        assert not [url for url in browser.requests if not url.startswith("file://")]
    finally:
        browser.close()


@pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")
def test_pages_of_the_family_in_a_browser(report, tmp_path) -> None:
    """What `--against`, `--sweep`, `timing`, `study` and `bench` write, from results in small."""
    cell = AnswerRow(50, None, None, 1234.5, None, None, 0.75, None, None, None, None)
    clocks = ClockSettings({"mc68040-25": {"write": 4}}, {}, {}, {})
    answer = Answer("mc68040-25", "O2", "why", [cell], "so be it")
    timing = TimingTable([answer], [], [], [], [], TimingMethod(False, 1.0, None, 1, clocks), ["a note"])
    cycles = {"mc68000-8": FrameClocks("sectors", "O2", "f", 400.0, 40.0, 100.0)}
    row = MethodRow("a", "b", "c", "d", Errors(1, 0), Errors(2, 0), {}, 3, dict.fromkeys(KINDS, 4), 5.5, cycles)
    settings = ComparisonSettings(1, 2, 24, 276, 2)
    study = Comparison([SceneKind("x", 1, 2, 1, 0, "y")], [row], ["mc68000-8"], settings, ["a note"])
    host = HostFacts("c", "a <b>", 2, "3", {"numpy": "2"})
    case = EngineCase("sectors", "kernel", "O2", 50, 2e6, {"unicorn": 3.5}, None, 1, 1, None, None)
    method, skipped = EngineMethod("mc68040-25", 1, 0.1, 1, 1), [Skipped("musashi", "why")]
    starts = {"cold": Starts({"import": 1.5}, 1)}
    bench = EngineResult([case], skipped, starts, None, host, Made("2026-01-01", "0"), method)
    points = [SweepPoint(n, 10 * n, 9 * n, 12 * n, n, 0) for n in (1, 2, 3)]
    law = fit([(point.value, point.cycles) for point in points])
    sweep = SweepReport(
        Origin("p", {}, "1", ""), "mc68000-8", "MC68000", 8_000_000, "full", "", "f", 1, [], points, "n", law
    )
    pages = [timing_page(timing), study_page(study), bench_page(bench), sweep_page(sweep)]
    pages.append(against_page(compare_costs(report, replace(report, machine="other"))))
    browser = Browser(tmp_path / "profile")
    try:
        for number, text in enumerate(pages):
            path = tmp_path / f"{number}.html"
            path.write_text(text, encoding="utf-8")
            browser.open(path, width=400)
            assert browser.evaluate("document.documentElement.scrollWidth") <= 400, number
            browser.click("th button")
            assert browser.evaluate("document.querySelector('th').getAttribute('aria-sort')") in (
                "ascending",
                "descending",
            )
            if folder := os.environ.get("RETROSIM_SCREENSHOTS"):
                browser.screenshot(Path(folder) / f"family-{number}.png")
        assert not browser.problems
    finally:
        browser.close()
    assert "a &lt;b&gt;" in pages[2] and "linear: 0 + 10 n clocks, exactly" in pages[3]
