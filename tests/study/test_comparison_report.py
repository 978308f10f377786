"""The verdict of the study and its bars, from results that are written by hand."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from retrosim.cli.output import print_table
from retrosim.study.comparison import Comparison, ComparisonSettings, Errors, FrameClocks, MethodRow, SceneKind
from retrosim.study.comparison_report import charted, draw_comparison, render_comparison, verdict

NONE = Errors(0, 0)


def row(method: str, seen: Errors, stated: Errors = NONE, **clocks: float) -> MethodRow:
    cycles = {
        name.replace("_", "-"): FrameClocks("shapes", "O2", "F", value, 1.0, 1.0) for name, value in clocks.items()
    }
    operations = dict.fromkeys(("additions", "multiplications", "comparisons", "bits"), 1.0)
    return MethodRow(method, "D 1994", "title", "squares", stated, seen, {"random": seen}, 1.0, operations, 1.0, cycles)


def result(*rows: MethodRow, machines: list[str] | None = None) -> Comparison:
    scenes = [SceneKind("random", 2, 24, 1000, 9, "")]
    return Comparison(scenes, list(rows), machines or [], ComparisonSettings(1, 2, 24, 276, 2), [])


THREE = (
    row("a", Errors(3, 1), mc68040_25=1200.0, ppc601_80=50.0),
    row("b", Errors(0, 4), Errors(1, 0), mc68040_25=900.0, ppc601_80=60.0),
    row("c", Errors(5, 1), Errors(0, 1)),
)


def test_the_verdict() -> None:
    study = result(*THREE, machines=["ppc601-80", "mc68040-25"])
    assert verdict(study) == [
        "Fewest clocks per frame: a on ppc601-80; b on mc68040-25.",
        "Fewest wrong answers as seen: a and b, 4 of 1,000 pairs; most: c, 6.",
        "Against what its document states, 1 of 3 methods err nowhere; b and c do.",
    ]
    assert charted(study) == "mc68040-25" and charted(result(*THREE, machines=["ppc601-80"])) == "ppc601-80"


@pytest.mark.parametrize(
    ("rows", "machines", "sentence"),
    [
        (THREE, [], "No clocks were measured."),
        (THREE[2:], ["mc68040-25"], "No clocks were measured."),
        (THREE[:1], ["mc68040-25"], "Fewest clocks per frame: a on mc68040-25."),
        (THREE[:1], ["mc68040-25", "ppc601-80"], "Fewest clocks per frame: a, on every machine."),
    ],
)
def test_who_is_the_quickest(rows, machines, sentence) -> None:
    assert verdict(result(*rows, machines=machines))[0] == sentence


def test_nobody_is_worst_where_all_are_alike() -> None:
    study = result(THREE[0], replace(THREE[0], method="x"))
    assert verdict(study)[1:] == [
        "Fewest wrong answers as seen: a and x, 4 of 1,000 pairs.",
        "Against what its document states, 2 of 2 methods err nowhere.",
    ]


def test_bars_the_quickest_first(capsys) -> None:
    print_table(render_comparison(result(*THREE, machines=["mc68040-25"])))
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("Clocks per frame on mc68040-25, and pairs that are wrong as seen")
    assert [line.split() for line in lines[at + 3 : at + 5]] == [
        ["b", "900", "█" * 30, "4"],
        ["a", "1,200", "█" * 40, "4"],
    ]
    assert lines[at + 5] == "", "c has no clocks"


def per_pair(study: Comparison) -> Comparison:
    """Return a result whose clocks of a frame are those of a pair."""
    rows = [
        replace(row, cycles={name: replace(c, cycles_per_pair=c.cycles_per_frame) for name, c in row.cycles.items()})
        for row in study.rows
    ]
    return replace(study, rows=rows)


def test_the_picture_of_bars() -> None:
    """Pixel by pixel, where clocks span decades, and without machines: look at what has another digest."""
    machines = ["mc68040-25", "ppc601-80"]
    many = [row(f"m{n}", Errors(n, 2 * n), mc68040_25=12.0 * 2.5**n, ppc601_80=9.0 + n) for n in range(12)]
    digests = [
        hashlib.blake2b(draw_comparison(per_pair(study)).tobytes(), digest_size=8).hexdigest()
        for study in (result(*THREE, machines=machines), result(*many, machines=machines), result(*THREE))
    ]
    assert digests == ["507ce36336356bb3", "498b344ff62a89df", "ab23f57be3b0569c"]
