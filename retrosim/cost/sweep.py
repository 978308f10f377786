"""What a call costs over the values of an argument, and the law that the cost follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt

from rich.console import Group, RenderableType
from rich.text import Text

from retrosim.report.json import SPREAD
from retrosim.report.page import Column, PageSection, facts, page, paragraph, plot, table
from retrosim.report.tables import number_table
from retrosim.report.text import warmth

from .report import Origin
from .text import parameters_of, program_of, repeated

LAWS = ("constant", "linear", "quadratic")
BETTER = 0.5  # of the residuals of a simpler law: what a law with more terms has to come to
BAR = 36  # characters
SHOWN = 40  # values in the terminal


@dataclass(frozen=True)
class Law:
    """How clocks follow a value.

    exact         does it give every point
    coefficients  of 1, n and n*n, as far as it has them
    residual_maximum, residual_rms  clocks by which points are off, at most and as the root mean square
    """

    name: str
    exact: bool
    coefficients: list[float]
    residual_maximum: float
    residual_rms: float


@dataclass(frozen=True)
class SweepPoint:
    """What the call took for a value; low, high: between which the clocks plausibly are, None without an interval."""

    value: int
    cycles: int
    low: int | None
    high: int | None
    instructions: int
    result: int


@dataclass(frozen=True)
class SweepReport:
    """A call over the values of an argument: `retrosim cost --sweep ... --json`.

    unset_registers  that the call for the first value read before anything had set them
    name             what takes the values
    """

    origin: Origin = field(metadata=SPREAD)
    machine: str
    model: str
    clock_hz: int
    timing: str
    build: str
    entry: str | int
    warm: int
    unset_registers: list[str]
    points: list[SweepPoint]
    name: str
    law: Law


def fit(points: Sequence[tuple[int, int]]) -> Law:
    """Return the simplest law that clocks follow: constant, linear or quadratic.

    points   (value, clocks), two or more different values

    The first law that is exact is taken. Where none is, a law with more terms has to halve the residuals (their root
    mean square); the coefficients are then those of least squares, computed in fractions.
    """
    laws: list[Law] = []
    for degree in range(min(len(LAWS), len(points))):
        terms = _polynomial(points, degree)
        residuals = [clocks - sum(c * value**k for k, c in enumerate(terms)) for value, clocks in points]
        rms = sqrt(sum(residual * residual for residual in residuals) / len(points))
        largest = float(max(map(abs, residuals)))
        laws.append(Law(LAWS[degree], not any(residuals), [float(c) for c in terms], largest, rms))
        if laws[-1].exact:
            return laws[-1]
    for number, law in enumerate(laws):
        if all(other.residual_rms > BETTER * law.residual_rms for other in laws[number + 1 :]):
            return law
    return laws[-1]


def _polynomial(points: Sequence[tuple[int, int]], degree: int) -> list[Fraction]:
    """Return the coefficients of the polynomial that is nearest to the points, by least squares."""
    size = degree + 1
    sums = [Fraction(sum(x**k for x, _ in points)) for k in range(2 * size - 1)]
    rows = [[*sums[row : row + size], Fraction(sum(y * x**row for x, y in points))] for row in range(size)]
    for column in range(size):  # the matrix is positive definite: no pivot is 0
        rows[column] = [entry / rows[column][column] for entry in rows[column]]
        for row in range(size):
            if row != column:
                factor = rows[row][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column])]
    return [row[-1] for row in rows]


def law_text(law: Law, name: str) -> str:
    """Return a law in a sentence."""
    terms = ["", f" {name}", f" {name}^2"]
    parts = [f"{abs(c):.6g}{term}" for c, term in zip(law.coefficients, terms)]
    signs = ["-" if c < 0 else "+" for c in law.coefficients]
    formula = ("-" if signs[0] == "-" else "") + parts[0]
    formula += "".join(f" {sign} {part}" for sign, part in zip(signs[1:], parts[1:]))
    if law.exact:
        return f"{law.name}: {formula} clocks, exactly"
    off = f"off by {law.residual_rms:.3g} clocks (root mean square), {law.residual_maximum:.3g} at most"
    return f"{law.name}: about {formula} clocks, {off}"


def sweep_title(swept: SweepReport) -> str:
    """Return what was run."""
    build = f", build {swept.build}" if swept.build else ""
    first, last = swept.points[0].value, swept.points[-1].value
    return f"{swept.entry}, {swept.name} = {first}..{last}, on {swept.machine}{build}, timing {swept.timing}"


def render_sweep(swept: SweepReport) -> RenderableType:
    """Return the law, and the clocks as bars."""
    points, name = swept.points, swept.name
    highest = max(point.cycles for point in points) or 1
    shown = points[:: -(-len(points) // SHOWN)]
    has_interval = points[0].low is not None
    chart = number_table(name, "clocks", *(["between"] if has_interval else []), "instructions")
    chart.add_column("")
    for point in shown:
        bar = "█" * round(BAR * point.cycles / highest)
        between = [f"{point.low:,}..{point.high:,}"] if has_interval else []
        chart.add_row(str(point.value), f"{point.cycles:,}", *between, f"{point.instructions:,}", bar)
    left = [Text(f"{len(shown)} of {len(points)} values; --json has all")] if len(shown) < len(points) else []
    law = Text(law_text(swept.law, name), style="bold")
    again = repeated({"Command": swept.origin.command, "Version": f"retrosim {swept.origin.version}"})
    return Group(Text(sweep_title(swept), style="bold"), law, Text(), chart, *left, Text(), again)


def sweep_page(swept: SweepReport) -> str:
    """Return the page."""
    points, name, law = swept.points, swept.name, swept.law
    pairs = [(point.value, point.cycles) for point in points]
    fitted = [(value, sum(c * value**k for k, c in enumerate(law.coefficients))) for value, _ in pairs]
    has_interval = points[0].low is not None
    ranges = [(p.value, p.low, p.high) for p in points if p.low is not None and p.high is not None]
    columns = [Column(name), Column("clocks"), *([Column("low"), Column("high")] if has_interval else [])]
    columns += [Column("fitted", digits=1), Column("instructions"), Column("result")]
    rows = []
    for point, (_, at) in zip(points, fitted):
        between = [point.low, point.high] if has_interval else []
        rows.append((point.value, point.cycles, *between, round(at, 1), point.instructions, point.result))
    machine = {"Machine": f"{swept.machine} ({swept.model}, {swept.clock_hz / 1e6:g} MHz)"}
    machine |= {"Program": program_of(swept.origin, swept.build), "Parameters": parameters_of(swept.origin)}
    machine |= {"Timing": swept.timing, "Caches at the start": warmth(swept.warm), "Command": swept.origin.command}
    head = [paragraph(law_text(law, name), "big"), facts(machine)]
    drawing, numbers = plot(pairs, fitted, name, "clocks", ranges), table("values", columns, rows)
    return page(sweep_title(swept), head, [PageSection("Cost", [drawing]), PageSection("Values", [numbers])])
