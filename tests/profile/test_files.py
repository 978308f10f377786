"""Files for other profilers, read by those that are installed, and pages of costs in a browser."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from retrosim.cost.against import against_page, compare_costs
from retrosim.cost.cost import cost_report
from retrosim.cost.files import callgrind, perfetto, speedscope
from retrosim.cost.page import cost_page
from retrosim.cost.sweep import fit, sweep_page
from retrosim.cost.text import cost_title
from retrosim.machine import Machine
from retrosim.report.records import bench_page, study_page, timing_page
from retrosim.study.operations import KINDS
from tests.helpers.browser import CHROMIUM, Browser

SOURCES = Path(__file__).resolve().parents[2] / "roms" / "sectors" / "src"
FRAME_KEYS = {"name", "file", "line", "col"}


@pytest.fixture(scope="module")
def report() -> dict:
    machine = Machine("mc68040-25", "sectors", timing="causes", engine="interpret", parameters={"objects": 3})
    machine.run(until="DetermineCollisions")
    return cost_report(machine, "DetermineCollisions", warm=0, interval=False, sources=[SOURCES])


def test_the_tree_adds_up(report) -> None:
    total, own = report["totals"]["cycles"], {}
    for row in report["calls"]:
        own[row["function"]] = own.get(row["function"], 0) + row["cycles"]
    assert sum(own.values()) == total == report["calls"][0]["inclusive_cycles"]
    assert own == {row["function"]: row["cycles"] for row in report["functions"]}
    assert sum(cycles for _, cycles in report["timeline"]) == total
    below = [row for row in report["calls"] if row["parent"] == 0]
    assert report["calls"][0]["cycles"] + sum(row["inclusive_cycles"] for row in below) == total
    calls = {(row["function"], row["site_line"]): row["calls"] for row in below}
    assert calls["UpdateSectors", 51] == calls["UpdateCollisionArray", 58] == 1
    update = {row["function"]: row for row in report["functions"]}["UpdateCollisionArray"]
    assert update["inclusive"] > update["cycles"]


@pytest.mark.skipif(not shutil.which("callgrind_annotate"), reason="callgrind_annotate (valgrind) is not installed")
def test_callgrind_annotate_reads_it(report, tmp_path) -> None:
    path = tmp_path / "callgrind.out"
    path.write_text(callgrind(report, cost_title(report)))
    command = ["callgrind_annotate", "--threshold=100", "--inclusive=yes", f"--include={SOURCES}", path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not re.search("WARNING|Line .* of profile", done.stdout + done.stderr), done.stdout
    for row in report["functions"]:
        assert re.search(rf"^ *{row['inclusive']:,} \(.*:{row['function']}$", done.stdout, re.M), row
    line = max((row for row in report["lines"] if row["file"] == "sectors.c"), key=lambda row: row["line"] == 23)
    assert re.search(rf"^ *{line['cycles']:,} .*\*head\+\+ = 0;", done.stdout, re.M)


def test_speedscope(report) -> None:
    """The fields that its file-format-schema.json requires, of the types that it names."""
    document = json.loads(speedscope(report, "title"))
    frames, (profile,) = document["shared"]["frames"], document["profiles"]
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert all(set(frame) <= FRAME_KEYS and isinstance(frame["name"], str) for frame in frames)
    assert {"type", "name", "unit", "startValue", "endValue", "samples", "weights"} == set(profile)
    assert (profile["type"], profile["unit"], profile["startValue"]) == ("sampled", "none", 0)
    assert len(profile["samples"]) == len(profile["weights"])
    assert sum(profile["weights"]) == profile["endValue"] == report["totals"]["cycles"]
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
    assert not stack and last == pytest.approx(report["totals"]["microseconds"])
    begun = sum(event["ph"] == "B" and event["name"] == "CalcCollisionsInSector" for event in events)
    assert begun == sum(row["calls"] for row in report["calls"] if row["function"] == "CalcCollisionsInSector")


@pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")
def test_the_page_in_a_browser(report, tmp_path) -> None:
    """RETROSIM_SCREENSHOTS: a folder in which pictures of the page are left."""
    path = tmp_path / "report.html"
    path.write_text(cost_page(report), encoding="utf-8")
    browser = Browser(tmp_path / "profile")
    try:
        browser.open(path)
        names = "[...document.querySelectorAll('#flame button')].map(b => b.textContent)"
        assert {row["function"] for row in report["calls"]} >= set(browser.evaluate(names)) > {"UpdateSectors"}
        cell = "document.querySelector('#functions tbody tr').cells"
        assert browser.evaluate(f"{cell}[0].textContent") == report["functions"][0]["function"]
        browser.click("#functions th button", 3)
        assert browser.evaluate(f"{cell}[0].textContent") == "DetermineCollisions"  # most clocks with calls
        browser.click("#functions th button", 3)
        assert int(browser.evaluate(f"{cell}[3].dataset.value")) == min(row["inclusive"] for row in report["functions"])

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
    points = [
        {"value": n, "cycles": 10 * n, "low": 9 * n, "high": 12 * n, "instructions": n, "result": 0} for n in (1, 2, 3)
    ]
    about = {
        "machine": "mc68000-8",
        "model": "MC68000",
        "clock_hz": 8_000_000,
        "timing": "full",
        "build": "",
        "warm": 1,
    }
    sweep = about | {"entry": "f", "name": "n", "points": points, "law": fit([(n, 10 * n) for n in (1, 2, 3)])}
    pages = [timing_page(timing), study_page(study), bench_page(bench), sweep_page(sweep)]
    pages.append(against_page(compare_costs(report, report | {"machine": "other"})))
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
