"""Pages of costs, profiles and comparisons in a browser."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from retrosim.cost.against import against_page, compare_costs
from retrosim.cost.cost import cost_report
from retrosim.cost.counting import CompiledCounter
from retrosim.cost.page import cost_page, profile_page
from retrosim.cost.report import CostReport, profile_report
from retrosim.cost.sweep import SweepPoint, SweepReport, fit, sweep_page
from retrosim.machine import Machine
from retrosim.report.records import bench_page, study_page, timing_page
from retrosim.study.operations import KINDS
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
    cell = {"machine": "mc68040-25", "build": "O2", "objects": 50, "cycles": 1234.5, "low": None, "ratio": 0.75}
    answer = {"machine": "mc68040-25", "build": "O2", "reason": "why", "rows": [cell], "verdict": "so be it"}
    notes, method = ["a note"], {"seed": 1, "memory": {"mc68040-25": {"write": 4}}, "full": False}
    timing = {"answer": [answer], "rows": [cell], "split": [], "analysis": [], "notes": notes, "method": method}
    row = {"method": "a", "document": "b", "title": "c", "reference": "d", "stated": {"false_positives": 1}}
    row |= {"seen": {"false_positives": 2}, "scenes": {}, "tests": 3, "operations": dict.fromkeys(KINDS, 4)}
    row |= {"host_ns_per_pair": 5.5, "cycles": {"mc68000-8": {"cycles_per_pair": 100.0}}}
    study = {"rows": [row], "machines": ["mc68000-8"], "scenes": [{"scene": "x"}], "notes": notes, "method": method}
    host = {"processor": "a <b>", "cpus": 2, "system": "c", "python": "3", "packages": {"numpy": "2"}}
    case = {"name": "sectors", "engine": "kernel", "per_second": 2e6, "ratio_to": {"unicorn": 3.5}, "error": None}
    bench = {"cases": [case], "skipped": [{"engine": "musashi", "reason": "why"}], "host": host, "method": method}
    points = [SweepPoint(n, 10 * n, 9 * n, 12 * n, n, 0) for n in (1, 2, 3)]
    law = fit([(point.value, point.cycles) for point in points])
    sweep = SweepReport("mc68000-8", "MC68000", 8_000_000, "full", "", "f", 1, points, "n", law)
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
