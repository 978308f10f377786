"""`retrosim race`: figures, picture, clip, refusals."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest

from retrosim.cli.commands.race import _row


def test_two_builds(run, tmp_path) -> None:
    on = "mc68040-25:O2,mc68040-25:fast"
    result = run("race", "wind-50", "--on", on, "--frames", 4, "--screenshot", "a.png", "--json").json()
    slow, fast = result["racers"]
    assert (slow["name"], fast["name"]) == ("mc68040-25:O2", "mc68040-25:fast")
    assert slow["world"] == fast["world"] and slow["frames"] == fast["frames"] == 4
    assert slow["clocks_a_frame"] > fast["clocks_a_frame"] > 0
    assert slow["work_ms_a_frame"] == pytest.approx(slow["clocks_a_frame"] / 25_000)
    assert (tmp_path / "a.png").read_bytes()[1:4] == b"PNG"


@pytest.mark.full
def test_first_line_tells_who_works_the_least_though_its_screen_is_slower(run) -> None:
    race = ("race", "storm-200", "--on", "i486dx2-66,ppc601-80,native", "--frames", 2)
    slow, fast, native = run(*race, "--json").json()["racers"]
    assert slow["seconds"] < fast["seconds"] and slow["work_ms_a_frame"] > fast["work_ms_a_frame"]
    assert fast["work_ms_a_frame"] == pytest.approx(1000 * fast["clocks_a_frame"] / 80e6)
    assert fast["work_ms_a_frame"] + fast["wait_ms_a_frame"] == pytest.approx(1000 * fast["seconds"] / 2)
    assert (round(slow["screen_hz"], 3), round(fast["screen_hz"], 3)) == (70.086, 60.147)
    assert native["work_ms_a_frame"] is native["wait_ms_a_frame"] is native["clocks_a_frame"] is None
    title, _, *rows = run(*race).out.splitlines()
    assert title == (f"storm-200, 2 frames: ppc601-80 works the least per frame, {fast['work_ms_a_frame']:.2f} ms")
    assert [row.split()[0] for row in rows] == ["ppc601-80", "i486dx2-66", "native"]
    times = slow["work_ms_a_frame"] / fast["work_ms_a_frame"]
    assert (
        f"{slow['work_ms_a_frame']:.2f} ms, {times:.2f} times as long; {slow['clocks_a_frame']:,.0f} clocks" in rows[1]
    )
    assert f"  {slow['wait_ms_a_frame']:.2f} ms, 70.086 Hz  " in rows[1]


def test_one_cpu_has_no_rival(run) -> None:
    ran = run("race", "wind-50", "--on", "native,mc68040-25", "--frames", 3, "--in-step")
    title, _, first, second = ran.out.splitlines()
    assert ran.status == 0 and title == "wind-50, 3 frames"
    assert (first.split()[0], second.split()[:3]) == ("mc68040-25", ["native", "no", "CPU"])


def test_budget(run) -> None:
    ran = run("race", "wind-50", "--on", "mc68040-25,native", "--max-cycles", 1_000_000)
    assert ran.status == 5 and "budget used up: 1,000,000 cycles" in ran.err


def test_refusals(run) -> None:
    run("race", "wind-50", "--on", "native").is_refused(2, "--on: 1 machine: allowed 2..4")
    run("race", "wind-50", "--on", "native,z80").is_refused(2, "machine 'z80': allowed")
    run("race", "wind-50", "--on", "native:O2,mc68040-25").is_refused(2, "native has no builds")
    run("race", "wind-50", "--on", "native,mc68040-25:O9").is_refused(4, "O9")
    run("race", "wind-50").is_refused(2, "--on")


def racer(work: float | None, wait: float | None = 2.5, frame: int = 4, **more: object) -> SimpleNamespace:
    shown = SimpleNamespace(seconds=Fraction(1, 4), frame=frame)
    machine = SimpleNamespace(frame_hz=Fraction(60147, 1000), clock_hz=25_000_000)
    fields = {"name": "mine", "is_finished": True, "total": 4_938} | more
    return SimpleNamespace(work=work, wait=wait, shown=shown, machine=machine, **fields)


def test_what_a_row_says_of_a_racer() -> None:
    first = racer(1.5)
    assert _row(first, [first]) == ["mine", "1.50 ms; 1,234 clocks", "2.50 ms, 60.147 Hz", "0.25 s"]
    second = racer(3.75, is_finished=False)
    assert _row(second, [first, second])[1:] == [
        "3.75 ms, 2.50 times as long; 1,234 clocks", "2.50 ms, 60.147 Hz", "4 frames so far",
    ]  # fmt: skip
    for racing, ranking in ((racer(None), first), (racer(1.0, None), first), (racer(1.0), racer(None))):
        assert _row(racing, [ranking, racing]) == ["mine", "no frame yet", "60.147 Hz", "0.25 s"]
    native = racer(None)
    native.machine.clock_hz = None
    assert _row(native, [first, native])[1] == "no CPU"
