"""`retrosim bench kernels`: what is reported, and that whoever answers wrongly gets no figure."""

import csv
import io

import numpy as np
import pytest
from rich.console import Console

from retrosim.bench import kernels
from retrosim.bench.kernel_peers import FINDERS, Finder, is_missing
from retrosim.bench.kernel_scenes import FLAGS, ON_SCREEN, PAIRS
from retrosim.bench.kernels import benchmark_kernels, kernels_csv, render_kernels
from retrosim.bench.race import Skipped
from retrosim.report.json import to_json

TINY = {"objects": [40], "rounds": 2, "seconds": 0.001}
PEERS = [name for name, finder in FINDERS.items() if finder.package not in (None, "numpy")]


def test_a_tiny_run():
    texts = []
    names = ["collided", "four-shifts", "numpy", "pairs", "numpy-pairs"]
    result = benchmark_kernels(**TINY, engines=names, progress=lambda done, total, text: texts.append((done, total)))
    assert [case.engine for case in result.cases] == names and result.skipped == []
    for case in result.cases:
        assert (case.error, case.laps, case.judged) == (None, 2, "every pair")
        assert case.seconds == pytest.approx(1 / case.per_second) and 0 < case.best_seconds <= case.seconds
        peer = {FLAGS: ["numpy"], PAIRS: ["numpy-pairs"]}[case.question]
        assert list(case.ratio_to) == list(case.best_ratio_to) == (peer if "numpy" not in case.engine else [])
    ours, peer = result.cases[0], result.cases[2]
    assert ours.ratio_to == {"numpy": peer.seconds / ours.seconds}
    assert texts[0][0] == 0 and texts[-1][0] == texts[-1][1] == len(names) + 2
    rows = list(csv.DictReader(io.StringIO(kernels_csv(result))))
    assert [row["engine"] for row in rows] == names and float(rows[0]["ratio_to_numpy"]) == ours.ratio_to["numpy"]
    console = Console(width=80, file=io.StringIO())
    console.print(render_kernels(result))
    text = console.file.getvalue()
    assert "flags, time of a frame: median lap" in text and "peer/collided" in text and "numpy-pairs" in text
    published = to_json(result)
    assert list(published) == ["cases", "skipped", "host", "made", "method"]
    assert set(published["host"]) == {"system", "processor", "cpus", "python", "packages"}
    assert published["made"].keys() == {"date", "sources"}
    assert published["method"] == {"rounds": 2, "seconds": 0.001, "seed": 1994, "side": 30}


@pytest.mark.full
def test_batches():
    batches = benchmark_kernels(**TINY, engines=["collided-batch", "pairs-batch"]).cases
    assert [case.error for case in batches] == [None, None]
    assert all(case.frames % kernels.FINDERS[case.engine].scenes == 0 for case in batches)


def test_the_time_of_a_frame(monkeypatch):
    """Of a call that answers for four frames, each takes a quarter."""

    def nothing(frames):
        return lambda number: np.empty((0, 2))

    monkeypatch.setattr(kernels.Judge, "difference", lambda *_: None)
    monkeypatch.setattr(kernels, "_lap", lambda answer, frames, count: 0.001 * count)
    monkeypatch.setitem(FINDERS, "ours", Finder(PAIRS, nothing))
    monkeypatch.setitem(FINDERS, "ours-batch", Finder(PAIRS, nothing, scenes=4))
    monkeypatch.setitem(FINDERS, "peer", Finder(PAIRS, nothing, "numpy"))
    result = benchmark_kernels(objects=[40], rounds=2, seconds=0.01, engines=["ours", "ours-batch", "peer"])
    ours, batch, peer = result.cases
    assert [case.seconds for case in result.cases] == pytest.approx([0.001, 0.00025, 0.001])
    assert [case.frames for case in result.cases] == [10, 40, 10]
    assert ours.ratio_to == pytest.approx({"peer": 1}) and batch.ratio_to == pytest.approx({"peer": 4})
    assert batch.best_ratio_to == pytest.approx({"peer": 4}) and peer.ratio_to == {}
    monkeypatch.setattr(kernels, "_lap", lambda answer, frames, count: 1.0 * count)
    (case,) = benchmark_kernels(objects=[40], rounds=15, seconds=0.01, engines=["ours"]).cases
    assert case.laps == 5, "fewer than rounds, since one takes long"


def test_a_peer_that_takes_very_long_has_one_lap(monkeypatch):
    monkeypatch.setattr(kernels, "VERY_LONG", 0.0)
    ours, peer = benchmark_kernels(**TINY, engines=["collided", "numpy"]).cases
    assert (peer.laps, peer.frames, peer.error) == (1, 1, None) and peer.seconds > 0
    assert ours.laps == 2 and list(ours.ratio_to) == ["numpy"]


@pytest.mark.parametrize("name", PEERS)
def test_peers_answer_as_we_do(name):
    if is_missing(FINDERS[name]):
        pytest.skip(f"{FINDERS[name].package} is not installed: pip install '.[bench]'")
    (case,) = benchmark_kernels(**TINY, engines=[name]).cases
    assert case.judged == "every pair" and case.error is None and case.per_second > 0


def test_wrong_and_broken_and_absent_finders(monkeypatch):
    def break_off(frames):
        raise RuntimeError("no index today")

    monkeypatch.setitem(FINDERS, "lazy", Finder(FLAGS, lambda frames: lambda number: np.zeros(40, bool), "numpy"))
    monkeypatch.setitem(FINDERS, "broken", Finder(FLAGS, break_off, "numpy"))
    monkeypatch.setitem(FINDERS, "absent", Finder(PAIRS, break_off, "no_such_package"))
    result = benchmark_kernels(**TINY, engines=["collided", "lazy", "broken", "absent"])
    ours, lazy, broken = result.cases
    assert lazy.error.startswith("wrong collision flags: ") and broken.error == "RuntimeError: no index today"
    assert lazy.seconds is None and ours.ratio_to == {}
    assert result.skipped == [Skipped("no_such_package", "not installed")]
    console = Console(width=80, file=io.StringIO())
    console.print(render_kernels(result))
    assert "no_such_package: left out, not installed" in console.file.getvalue()


def test_bad_arguments():
    for wrong, message in (
        ({"engines": ["warp"]}, "engine 'warp': allowed collided"),
        ({"objects": [0]}, r"objects 0: allowed 1\.\.4194304"),
        ({"rounds": 0}, "rounds 0"),
        ({"seconds": 0}, "seconds 0"),
    ):
        with pytest.raises(ValueError, match=message):
            benchmark_kernels(**wrong)


def test_scenes_within_a_finder_s_limits():
    result = benchmark_kernels(objects=[200, 300], rounds=1, seconds=0.001, engines=["four-shifts", "collided"])
    assert [(case.engine, case.objects) for case in result.cases] == [
        ("four-shifts", 200),
        ("collided", 200),
        ("collided", 300),
    ]
    assert FINDERS["four-shifts"].max_objects == ON_SCREEN
