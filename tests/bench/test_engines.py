"""The benchmark: shape, arithmetic, and that nobody gets a figure for a wrong result. No host time is asserted."""

import csv
import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from retrosim.bench import engines, native
from retrosim.bench.contenders import ENGINES, PEERS, SIMULATED, Lap
from retrosim.bench.engines import (
    MACHINE,
    RegionTimes,
    Starts,
    benchmark_engines,
    engines_csv,
    region_times,
    render_engines,
    startup_times,
)
from retrosim.bench.workload import LOOPS, prepare
from retrosim.errors import RetrosimError
from retrosim.report.json import to_json
from retrosim.rom import load_rom
from tests.helpers.amount import usually

ROM = load_rom("sectors")
UNTRIED = ("recompile-full", "recompile-table")  # to compile them takes long; recompile-off is the same code
TRIED = usually(["kernel", "interpret-off", "unicorn"], [engine for engine in ENGINES if engine not in UNTRIED])
TINY = {"objects": (12,), "rounds": 2, "seconds": 0.002, "startup": False}


@pytest.fixture(scope="module")
def calls():
    return []


@pytest.fixture(scope="module")
def result(calls):
    return benchmark_engines(**TINY, engines=TRIED, progress=lambda *call: calls.append(call))


REGIONS = [
    RegionTimes("O2", "full", 0x2000, 9, 69, 0.75, 0.04),
    RegionTimes("O2", "full", 0x3000, 2, 3, 0.05, 0.01),
    RegionTimes("O2", "off", 0x2000, 9, 69, 0.25, 0.01),
    RegionTimes("O2", "off", 0x3000, 2, 3, 0.02, 0.0),
]
STARTS = {"cold": Starts({"import": 0.25, "open": 1.0, "frame": 0.1, "process": 1.5}, 1)}


def text_of(result, width=80):
    out = io.StringIO()
    Console(file=out, width=width).print(render_engines(result))
    return out.getvalue()


@pytest.mark.full
def test_every_engine_here_has_a_case(result):
    skipped = {each.engine for each in result.skipped}
    assert [case.engine for case in result.cases] == [engine for engine in TRIED if engine not in skipped]
    assert not skipped & {*SIMULATED, "kernel"}
    for case in result.cases:
        assert case.error is None
        assert case.name == "sectors O2, 12 objects"
        assert case.per_second > 0 and case.laps == 2 and case.checks >= 1 and case.spread >= 0


@pytest.mark.full
def test_ratios_and_rates_belong_together(result):
    rates = {case.engine: case.per_second for case in result.cases}
    for case in result.cases:
        measured = [peer for peer in PEERS if peer in rates and peer != case.engine]
        assert case.ratio_to == {peer: case.per_second / rates[peer] for peer in measured}
        if case.engine in ("kernel", "native-c"):
            assert case.machine_code is None
        else:
            assert 4000 < case.machine_code.instructions_per_second / case.per_second < 9000
            assert 8000 < case.machine_code.times_machine * 25_000_000 / case.per_second < 20000


def test_a_peer_that_is_missing_is_skipped_with_a_reason(monkeypatch):
    monkeypatch.setattr(native.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(native.shutil, "which", lambda name: None)
    result = benchmark_engines(**TINY, engines=["kernel", *PEERS])
    assert [case.engine for case in result.cases] == ["kernel"]
    assert result.cases[0].ratio_to == {}
    reasons = {each.engine: each.reason for each in result.skipped}
    assert reasons["unicorn"] == "the Python package unicorn is not installed"
    assert reasons["musashi"] == "the Python package machine68k is not installed"
    assert "no C compiler" in reasons["native-c"]
    assert "unicorn: left out, the Python package unicorn" in text_of(result)


def test_without_the_sources_there_is_no_native_c(tmp_path, monkeypatch):
    monkeypatch.setattr(engines, "ROUTINE_SOURCES", ("src/elsewhere.c",))
    (skipped,) = benchmark_engines(**TINY, engines=["native-c"]).skipped
    assert skipped.engine == "native-c" and "sources are not here" in skipped.reason


class Fake:
    """Takes a tenth of a second for `per_tenth` checks and returns given results."""

    def __init__(self, per_tenth, flags, written=None):
        self.per_tenth, self.flags, self.written = per_tenth, flags, written
        self.closed = False

    def run(self, count):
        return Lap(count / self.per_tenth / 10, self.flags, self.written)

    def close(self):
        self.closed = True


def race_of(monkeypatch, **fakes):
    """Run the benchmark with fakes, made for the workload, in the place of engines."""
    made = {}

    def open_fake(engine, rom, workload, folder):
        made[engine] = fakes[engine.replace("-", "_")](workload)
        return made[engine]

    monkeypatch.setattr(engines, "open_contender", open_fake)
    monkeypatch.setattr(engines, "why_missing", lambda *_: None)
    result = benchmark_engines(**TINY, engines=[engine.replace("_", "-") for engine in fakes])
    return {case.engine: case for case in result.cases}, made, result


def test_speeds_and_ratios(monkeypatch):
    cases, made, _ = race_of(
        monkeypatch,
        kernel=lambda load: Fake(6000, load.flags),
        unicorn=lambda load: Fake(20, load.flags, load.after),
        native_c=lambda load: Fake(3000, load.flags),
    )
    assert cases["kernel"].per_second == pytest.approx(60000)
    assert cases["kernel"].ratio_to == pytest.approx({"unicorn": 300, "native-c": 2})
    assert cases["kernel"].checks == 120  # 0.002 s of them
    assert cases["unicorn"].ratio_to == pytest.approx({"native-c": 1 / 150})
    assert all(fake.closed for fake in made.values())


def test_a_wrong_result_gets_no_figure(monkeypatch):
    def turned(load):
        return bytes([load.flags[0] ^ 1]) + load.flags[1:]

    cases, made, result = race_of(
        monkeypatch,
        kernel=lambda load: Fake(100, load.flags),
        unicorn=lambda load: Fake(100, turned(load), load.after),
        musashi=lambda load: Fake(100, load.flags, "0" * 16),
        native_c=lambda load: Fake(100, load.flags[1:]),
    )
    assert cases["kernel"].error is None and cases["kernel"].ratio_to == {}
    assert "wrong collision flags: 1 of 12, the first of object [0]" in cases["unicorn"].error
    assert "right collision flags, but other memory" in cases["musashi"].error
    assert "wrong collision flags" in cases["native-c"].error
    assert [cases[peer].per_second for peer in PEERS] == [None] * 3
    assert "unicorn: wrong collision flags" in text_of(result)
    assert all(fake.closed for fake in made.values())


def test_a_contender_that_fails_is_an_error_of_its_own(monkeypatch):
    def broken(load):
        raise RetrosimError("it does not start")

    cases, _, _ = race_of(monkeypatch, kernel=lambda load: Fake(100, load.flags), unicorn=broken)
    assert cases["unicorn"].error == "it does not start"
    assert cases["kernel"].per_second == pytest.approx(1000)


def test_progress_counts_up_to_the_end(result, calls):
    done = [each for each, _, _ in calls]
    assert done[0] == 0 and done == sorted(done)
    assert calls[-1][0] == calls[-1][1] == 1 + len(result.cases) + 2


def test_published_keys(result):
    published = to_json(result)
    assert json.loads(json.dumps(published, allow_nan=False)) == published
    assert list(published) == ["cases", "skipped", "startup", "regions", "host", "made", "method"]
    assert published["startup"] is None and published["regions"] is None
    assert published["made"].keys() == {"date", "sources"}
    assert published["method"] == {"machine": "mc68040-25", "rounds": 2, "seconds": 0.002, "seed": 1994, "warm": 1}
    assert published["host"]["packages"]["numba"]
    for case in published["cases"]:
        of_machine_code = {"instructions_per_second", "times_machine"} & case.keys()
        assert len(of_machine_code) == (0 if case["engine"] in ("kernel", "native-c") else 2)
    more = to_json(replace(result, startup=STARTS, regions=REGIONS))
    assert more["startup"]["cold"] == {"import": 0.25, "open": 1.0, "frame": 0.1, "process": 1.5, "starts": 1}
    assert list(more["regions"][0]) == ["build", "timing", "address", "blocks", "instructions", "cold", "warm"]


def test_csv(result):
    rows = list(csv.DictReader(io.StringIO(engines_csv(result))))
    assert [row["engine"] for row in rows] == [case.engine for case in result.cases]
    assert [float(row["per_second"]) for row in rows] == [case.per_second for case in result.cases]
    text = engines_csv(replace(result, startup=STARTS, regions=REGIONS))
    assert "# cold start, open: 1.000 s\n" in text
    assert "# region 002000 of O2, timing full, 9 blocks, 69 instructions: 0.750 s cold, 0.040 s warm\n" in text


def test_text_fits_80_columns(result):
    text = text_of(replace(result, startup=STARTS, regions=REGIONS))
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text and "\x1b" not in text
    for case in result.cases:
        assert any(line.startswith(f"{case.engine} ") for line in text.splitlines())
    lines = [line.split() for line in text.splitlines()]
    assert ["cold", "0.25", "1.00", "0.10", "1.50", "1"] in lines
    assert ["O2", "002000", "9", "69", "0.75", "0.04", "0.25", "0.01"] in lines
    assert ["O2", "all", "11", "72", "0.80", "0.05", "0.27", "0.01"] in lines


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objects": (0,)}, r"objects 0: allowed 1\.\.200"),
        ({"rounds": 0}, "rounds 0: allowed 1 or more"),
        ({"seconds": 0}, "seconds 0: allowed above 0"),
        ({"engines": ["qemu"]}, "engine 'qemu': allowed recompile-full"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        benchmark_engines(**TINY | options)


def test_an_unknown_build_is_refused():
    with pytest.raises(RetrosimError, match="O9"):
        benchmark_engines(**TINY, builds=["O9"])


@pytest.mark.full
@pytest.mark.parametrize("name", ["i386dx-33", "i486dx2-66", "ppc601-80"])
def test_other_machines_make_the_same_checks(name):
    """Loop, registers and results beside Unicorn, and native-c and the kernel as ever; Musashi has no such CPU."""
    result = benchmark_engines(**TINY, machine=name, engines=["interpret-off", "kernel", "unicorn", "musashi"])
    assert result.skipped[-1].engine == "musashi" and "no CPU for code" in result.skipped[-1].reason
    skipped = {each.engine for each in result.skipped}
    assert [case.engine for case in result.cases] == [
        engine for engine in ("interpret-off", "kernel", "unicorn") if engine not in skipped
    ]
    assert [case.error for case in result.cases] == [None] * len(result.cases)
    assert result.method.machine == name
    load = prepare(name, ROM, "O2", 12, 1994)
    assert load.memory[load.job.end :].startswith(LOOPS[load.isa].exit)


@pytest.mark.full
def test_regions_are_compiled_once_and_loaded_once():
    texts = []
    regions = region_times(MACHINE, "fast", ["off"], texts.append)
    assert texts == ["regions of fast, timing off, cold", "regions of fast, timing off, warm"]
    assert len({region.address for region in regions}) == len(regions) > 3
    for region in regions:
        assert (region.build, region.timing) == ("fast", "off")
        assert 1 <= region.blocks <= region.instructions
        assert region.cold > 0 and region.warm > 0
    assert sum(region.warm for region in regions) < sum(region.cold for region in regions)


@pytest.mark.full
@pytest.mark.parametrize("machine", usually(["mc68000-8"], ["mc68000-8", "native"]))
def test_starts_are_timed_in_their_own_processes(machine):
    """By default of a machine, which compiles least."""
    texts = []
    times = startup_times(machine, cold=1, warm=1, progress=texts.append)
    assert texts == ["cold start 1 of 1", "warm start 1 of 1"]
    for kind in ("cold", "warm"):
        assert times[kind].starts == 1
        inside = sum(times[kind].seconds[stage] for stage in ("import", "open", "frame"))
        assert 0 < inside < times[kind].seconds["process"]


def test_what_cannot_be_started():
    with pytest.raises(ValueError, match="cold 0, warm 1"):
        startup_times("mc68000-8", cold=0, warm=1)
    with pytest.raises(RetrosimError, match="machine 'nothing'"):
        startup_times("nothing", cold=1, warm=1)
