"""`retrosim bench kernels`: scenes, the judge, and that whoever answers wrongly gets no figure."""

import csv
import io
from itertools import pairwise

import numpy as np
import pytest
from rich.console import Console

from retrosim.bench import kernel_peers
from retrosim.bench import kernels as kernel_bench
from retrosim.bench.kernel_peers import CONTENDERS, FLAGS, PAIRS, Contender, is_missing
from retrosim.bench.kernels import (
    Judge,
    benchmark_kernels,
    every_pair,
    kernels_csv,
    lowest_ratio,
    moving_scene,
    render_kernels,
)
from retrosim.collide import plane

TINY = {"objects": [40], "rounds": 2, "seconds": 0.001}
PEERS = [name for name, contender in CONTENDERS.items() if contender.package not in (None, "numpy")]


def test_scenes_have_the_density_of_200_on_the_screen_and_move():
    frames = moving_scene(3200, 1)
    assert len(frames) == 4 and all(axis.dtype == np.int32 for frame in frames for axis in frame)
    for x, y in frames:
        assert (x.min() >= 0, x.max() < 4 * 640, y.min() >= 0, y.max() < 4 * 480) == (True,) * 4
        assert x.max() > 4 * 600 and y.max() > 4 * 450
    for before, after in pairwise(frames):
        for axis in range(2):
            apart = abs(before[axis] - after[axis])
            assert apart.max() == kernel_bench.MAX_STEP and np.count_nonzero(apart) > 2000
    assert all(np.array_equal(a, b) for a, b in zip(frames[3], moving_scene(3200, 1)[3]))
    assert len(moving_scene(50, 1)) == 16 and moving_scene(1, 1)[0][0].shape == (1,)


def test_the_judge():
    frames = moving_scene(300, 7)
    judge, right = Judge(frames), every_pair(*frames[2])
    assert judge.method == "every pair" and np.array_equal(right, plane.pairs(*frames[2]))
    assert judge.difference(PAIRS, 2, right[::-1, ::-1]) is None, "any order will do"
    assert judge.difference(PAIRS, 2, right[1:]) == f"wrong pairs: {len(right) - 1}, expected {len(right)}"
    assert judge.difference(PAIRS, 2, np.concatenate([right, right[:1]])).startswith("wrong pairs")
    flags = plane.collided(*frames[2])
    assert judge.difference(FLAGS, 2, flags) is None and judge.difference(FLAGS, 2, flags > 0) is None
    flags[5] ^= 1
    assert judge.difference(FLAGS, 2, flags) == "wrong collision flags: 1 of 300"
    assert judge.difference(FLAGS, 2, flags[1:]) == "wrong collision flags: 300 of 300"
    alone = Judge([(np.array([5], np.int32), np.array([5], np.int32))])
    assert alone.difference(PAIRS, 0, []) is None and alone.difference(FLAGS, 0, [0]) is None


def test_a_tiny_run():
    texts = []
    names = ["collided", "collided-batch", "four-shifts", "numpy", "pairs", "pairs-batch", "numpy-pairs"]
    result = benchmark_kernels(**TINY, engines=names, progress=lambda done, total, text: texts.append((done, total)))
    assert [case["engine"] for case in result["cases"]] == names and result["skipped"] == []
    for case in result["cases"]:
        assert (case["error"], case["laps"], case["judged"]) == (None, 2, "every pair")
        assert case["seconds"] == pytest.approx(1 / case["per_second"]) and 0 < case["best_seconds"] <= case["seconds"]
        peer = {FLAGS: ["numpy"], PAIRS: ["numpy-pairs"]}[case["question"]]
        assert list(case["ratio_to"]) == list(case["best_ratio_to"]) == (peer if "numpy" not in case["engine"] else [])
    ours, peer = result["cases"][0], result["cases"][3]
    assert lowest_ratio(ours) == (peer["seconds"] / ours["seconds"], "numpy")
    assert texts[0][0] == 0 and texts[-1][0] == texts[-1][1] == len(names) + 2
    rows = list(csv.DictReader(io.StringIO(kernels_csv(result))))
    assert [row["engine"] for row in rows] == names and float(rows[0]["ratio_to_numpy"]) == lowest_ratio(ours)[0]
    console = Console(width=80, file=io.StringIO())
    console.print(render_kernels(result))
    text = console.file.getvalue()
    assert "flags, time of a frame: median lap" in text and "peer/collided" in text and "pairs-batch" in text
    assert set(result["host"]) == {"system", "processor", "cpus", "python", "packages"}


def test_a_peer_that_takes_very_long_has_one_lap(monkeypatch):
    monkeypatch.setattr(kernel_bench, "VERY_LONG", 0.0)
    ours, peer = benchmark_kernels(**TINY, engines=["collided", "numpy"])["cases"]
    assert (peer["laps"], peer["frames"], peer["error"]) == (1, 1, None) and peer["seconds"] > 0
    assert ours["laps"] == 2 and list(ours["ratio_to"]) == ["numpy"]


@pytest.mark.parametrize("name", PEERS)
def test_peers_answer_as_we_do(name):
    if is_missing(CONTENDERS[name]):
        pytest.skip(f"{CONTENDERS[name].package} is not installed: pip install '.[bench]'")
    (case,) = benchmark_kernels(**TINY, engines=[name])["cases"]
    assert case["judged"] == "every pair" and case["error"] is None and case["per_second"] > 0


def test_wrong_and_broken_and_absent_contenders(monkeypatch):
    def break_off(frames):
        raise RuntimeError("no index today")

    monkeypatch.setitem(CONTENDERS, "lazy", Contender(FLAGS, lambda frames: lambda number: np.zeros(40, bool), "numpy"))
    monkeypatch.setitem(CONTENDERS, "broken", Contender(FLAGS, break_off, "numpy"))
    monkeypatch.setitem(CONTENDERS, "absent", Contender(PAIRS, break_off, "no_such_package"))
    result = benchmark_kernels(**TINY, engines=["collided", "lazy", "broken", "absent"])
    ours, lazy, broken = result["cases"]
    assert lazy["error"].startswith("wrong collision flags: ") and broken["error"] == "RuntimeError: no index today"
    assert lazy["seconds"] is None and ours["ratio_to"] == {} and lowest_ratio(ours) is None
    assert result["skipped"] == [{"engine": "no_such_package", "reason": "not installed"}]
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


def test_scenes_within_a_contender_s_limits():
    result = benchmark_kernels(objects=[200, 300], rounds=1, seconds=0.001, engines=["four-shifts", "collided"])
    assert [(case["engine"], case["objects"]) for case in result["cases"]] == [
        ("four-shifts", 200),
        ("collided", 200),
        ("collided", 300),
    ]
    assert kernel_peers.CONTENDERS["four-shifts"].max_objects == kernel_bench.ON_SCREEN
