"""The profile of a whole program (see `profile.program`) in the terminal and as a page."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from retrosim.profile.page import Section, facts, page, paragraph

from . import cost_page
from .cost_page import assumptions, call_sections, line_table, source_parts
from .cost_text import call_tree, causes_table, heading, hottest_functions, hottest_lines

NOTE = (
    "Counted, not sampled: every instruction, call and return. Clocks are busy ones; waiting for the next frame or for "
    "an interrupt is left out."
)


def profile_summary(report: dict[str, Any]) -> list[str]:
    """Return the figures that matter first."""
    totals = report["totals"]
    share = 100 * totals["cycles"] / ((totals["cycles"] + totals["waited"]) or 1)
    lines = [f"{totals['cycles']:,} busy clocks ({share:.1f} %), {totals['instructions']:,} instructions"]
    if totals["frames"]:
        low, mean, high = (round(totals[f"cycles_{which}"]) for which in ("minimum", "mean", "maximum"))
        lines.append(f"{totals['frames']:,} frames, busy clocks of one: {mean:,} on average, {low:,} to {high:,}")
    return lines


def render_profile(report: dict[str, Any], top: int) -> RenderableType:
    """Return lines, functions and calls, the `top` hottest of each, for a rich console."""
    parts: list[RenderableType] = [Text(line) for line in profile_summary(report)]
    parts.append(Text())
    if report["totals"]["causes"]:
        parts += [Text("What the clocks went to", style="bold"), causes_table(report)]
    if report["lines"]:
        parts += [heading("Hottest source lines", report["lines"], top), hottest_lines(report["lines"][:top])]
    parts += [heading("Hottest functions", report["functions"], top), hottest_functions(report["functions"][:top])]
    parts += [heading("Calls", report["calls"], top), call_tree(report["calls"], top), Text(NOTE)]
    return Group(*parts)


def profile_page(report: dict[str, Any], title: str) -> str:
    """Return the page."""
    head = [paragraph(line, "big") for line in profile_summary(report)]
    head += [facts(assumptions(report)), paragraph(NOTE, "dim")]
    sections = call_sections(report)
    if report["totals"]["causes"]:
        sections.insert(0, Section("What the clocks went to", [cost_page.causes_table(report)]))
    if report["lines"]:
        sections.append(Section("Source lines", [line_table(report)]))
    sections.append(Section("Source and instructions", source_parts(report)))
    return page(title, head, sections)
