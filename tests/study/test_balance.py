"""Two claims of Rekaby 2011: how corners are counted, and what is said of it. --full measures the blocks too."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from retrosim.study import balance
from retrosim.study.balance import Balance, BroadPhase, Corners, Points, measure_balance, render_balance

PAIRS = 60
CLOCKS = {"all": 900, "shifted": 400, "16": 500, "32": 300, "64": 310, "128": 400, "256": 600}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let few pairs of rectangles be made, and no machine be run; return which machines are asked."""
    asked = []

    def measured(rows: list[BroadPhase], name: str, seed: int, engine: str) -> None:
        asked.append(f"{name} {seed} {engine}")
        for row in rows:
            clocks = CLOCKS.get(str(row.side), 900)
            row.cycles[name] = clocks if name != "ppc601-80" else 1000 - clocks
            row.handlers, row.checks, row.tests = 1, 22, 3333

    monkeypatch.setattr(balance, "PAIRS", PAIRS)
    monkeypatch.setattr(balance, "_measure_blocks", measured)
    return asked


def test_clocks_have_their_thousands_apart(few: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CLOCKS, "16", 1234567)
    result = measure_balance(["mc68000-8"], lambda *step: None, seed=3, engine="interpret")
    text = io.StringIO()
    Console(width=80, file=text).print(render_balance(result))
    assert "1,234,567" in text.getvalue()


def test_what_is_measured(few: list[str]) -> None:
    said = []
    result = measure_balance(
        ["mc68000-8", "ppc601-80", "mc68000-8"], lambda *step: said.append(step), seed=3, engine="interpret"
    )
    assert few == ["mc68000-8 3 interpret", "ppc601-80 3 interpret"]
    assert said == [
        (0, 3, "blocks on mc68000-8"), (1, 3, "blocks on ppc601-80"), (2, 3, "points"), (3, 3, "done"),
    ]  # fmt: skip
    assert [row.side for row in result.blocks if row.side] == [16, 32, 64, 128, 256]
    assert result.optimum == {"mc68000-8": "blocks 32", "ppc601-80": "blocks 256"}
    assert (result.objects, result.seed) == (96, 3)
    with pytest.raises(ValueError, match="machine 'z80'"):
        measure_balance(["z80"])
    few.clear()
    measure_balance()
    assert {line.split()[0] for line in few} >= {"mc68000-8", "i486dx2-66"} and few[0].endswith(" 2011 auto")


def test_corners_until_one_is_inside() -> None:
    """Of squares that lie straight: x, y, half width, half height in 1/32 pixels, angle."""
    here = (0, 0, 320, 320, 0)
    assert balance._tested(here, (3200, 0, 320, 320, 0), 1) == (5, False)
    assert balance._tested(here, (3200, 0, 320, 320, 0), 4) == (8, False)
    tested, is_inside = balance._tested(here, (64, 64, 3200, 3200, 0), 1)
    assert (tested, is_inside) == (1, True)  # all of A lies in B: the first corner tells
    tested, is_inside = balance._tested((0, 0, 3200, 3200, 0), (64, 64, 320, 320, 0), 1)
    assert (tested, is_inside) == (5, True)


def test_points(few: list[str]) -> None:
    points = balance._count_points(7)
    five, eight = points.five, points.eight
    assert points.pairs == PAIRS and 0 < points.collisions < PAIRS
    apart = PAIRS - points.collisions
    assert (five.apart, eight.apart) == (5 * apart, 8 * apart) and five.apart < five.points <= 5 * PAIRS
    assert five.missed >= eight.missed and eight.points <= 8 * PAIRS and five.points <= eight.points
    assert points.saved_apart == 1 - 5 / 8 and points.saved == 1 - five.points / eight.points
    assert balance._count_points(7) == points != balance._count_points(8)


def test_rectangles(few: list[str]) -> None:
    found = balance._rectangles(5)
    assert found.shape == (PAIRS, 2, 5)
    middles, halves, angles = found[..., :2], found[..., 2:4], found[..., 4]
    assert middles.min() >= 0 and 1000 < middles.max() < 1280
    assert 64 <= halves.min() < 90 and 440 < halves.max() < 464
    assert angles.min() >= 0 and angles.max() > 0


def shown(result: Balance) -> str:
    console = Console(width=100, file=io.StringIO())
    console.print(render_balance(result))
    return console.file.getvalue()


def test_the_report() -> None:
    points = Points(2000, 800, Corners(7000, 30, 6000), Corners(9000, 10, 9600), 0.2222, 0.375)
    rows = [
        BroadPhase("all pairs", None, {"a-1": 900, "b-2": 800}, 1, 4560, 4560),
        BroadPhase("blocks 32", 32, {"a-1": 300, "b-2": 310}, 12, 1234, 345),
        BroadPhase("blocks 64", 64, {"a-1": 305, "b-2": 300}, 6, 2345, 345),
    ]
    text = shown(Balance(96, 2011, rows, {"a-1": "blocks 32", "b-2": "blocks 64"}, points))
    assert text.startswith("Best size of blocks: 32 pixels on a-1, 64 pixels on b-2.")
    assert "Five points for eight: 37.5% fewer where two rectangles are apart, 22.2% over all 2000 pairs; 20 more" in (
        " ".join(text.split())
    )
    assert "300*" in text and "310*" not in text and "305*" not in text and text.count("300*") == 2
    assert "1,234" in text and "96 objects, line algorithm, seed 2011" in text
    assert "9000" in text and "6000" in text
    both = shown(Balance(96, 2011, rows, {"a-1": "blocks 32", "b-2": "blocks 32"}, points))
    assert both.startswith("Best size of blocks: 32 pixels on all.")
    one = shown(Balance(96, 2011, rows, {"a-1": "blocks 32"}, points))
    assert one.startswith("Best size of blocks: 32 pixels on a-1.")


@pytest.mark.full
def test_blocks_on_a_machine() -> None:
    rows = [BroadPhase("blocks 32", 32)]
    balance._measure_blocks(rows, "mc68000-8", 2011, "interpret")
    assert rows[0].cycles["mc68000-8"] > 0 and rows[0].tests > 0
