"""The programs of the ROM `bench`: their checksums by other means, every engine, and what the benchmark says of them.

--times runs every program on every machine, engine and timing (some minutes).
"""

import binascii
import csv
import io
import json

import pytest
from rich.console import Console

from retrosim.bench import programs
from retrosim.bench.contenders import Contender, Lap
from retrosim.bench.programs import (
    benchmark_programs,
    geometric_mean,
    goals_of,
    one_of_each,
    open_programs,
    programs_csv,
    render_programs,
)
from retrosim.machine.presets import preset
from retrosim.report.json import to_json
from retrosim.rom import load_rom
from tests.helpers.amount import SOAK, usually

ROM = load_rom("bench")
MACHINES = one_of_each({info.isa for info in ROM.images})
ASSEMBLY = ["block", "decimal", "selfmod"]  # short, and not the same C everywhere
MASK = 0xFFFFFFFF


def random_words(seed):
    while True:
        seed = (seed * 1664525 + 1013904223) & MASK
        yield seed


def mixed(words, total=0):
    for word in words:
        total = (total ^ word & MASK) * 16777619 & MASK
    return total


def python_sort():
    def signed(word):
        return (word - (word >> 31 << 32)) >> 8

    drawn = ([signed(word) for word, _ in zip(random_words(seed), range(600))] for seed in (1, 2, 3))
    return mixed(key for keys in drawn for key in sorted(keys))


def python_crc():
    data = bytes(word >> 24 for word, _ in zip(random_words(14), range(1500)))
    low, high = 1, 0
    for byte in data:
        low = (low + byte) % 65521
        high = (high + low) % 65521
    return mixed([binascii.crc32(data), binascii.crc_hqx(data, 0xFFFF), high << 16 | low])


@pytest.mark.parametrize(("program", "oracle"), [("sort", python_sort), ("crc", python_crc)])
def test_checksums_by_python(program, oracle):
    assert ROM.constants[program] == oracle()


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("name", "chosen"),
    usually(
        [("mc68040-25", ["selfmod"]), ("i386dx-33", ["decimal"]), ("ppc601-80", ["block"])],
        [(name, ASSEMBLY) for name in ("mc68040-25", "i386dx-33", "ppc601-80")],
    ),
)
def test_checksums_by_the_evaluator(name, chosen):
    """By default one program on each machine, each once; --full has all of them everywhere."""
    machine, _ = open_programs(name, ROM, ASSEMBLY, engine="evaluate", timing="off")
    for program in chosen:
        assert machine.call(program, returns="u32") == ROM.constants[program], program


@pytest.mark.skipif(not SOAK, reason="without --times: takes minutes")
@pytest.mark.parametrize("name", MACHINES)
def test_every_engine_and_timing(name):
    """Twice each: what has been found and compiled in the first run serves the second."""
    clocks = {}
    for engine in ("evaluate", "interpret", "recompile", "auto"):
        for timing in ("off", "table", "full"):
            machine, _ = open_programs(name, ROM, ROM.constants, engine=engine, timing=timing)
            for program, checksum in ROM.constants.items():
                for run in range(1 if engine == "evaluate" else 2):
                    found = machine.measure(program, warm=0)
                    assert found.result & MASK == checksum, (program, engine, timing)
                    if run == 0 and timing != "full":
                        assert clocks.setdefault((program, timing), found.cycles) == found.cycles, (program, engine)


class Fake(Contender):
    """Returns a checksum after a given time for each run."""

    def __init__(self, seconds, result):
        self.seconds, self.result = seconds, result

    def run(self, count):
        return Lap(self.seconds * count, self.result, None)


@pytest.fixture(scope="module")
def result():
    """What the benchmark makes of contenders with known speeds; one of them returns a wrong checksum."""
    right = ROM.constants["block"].to_bytes(4, "big")
    fakes = {
        "recompile-table": Fake(0.002, right),
        "interpret-table": Fake(0.01, right),
        "interpret-off": Fake(0.01, right[::-1]),
        "unicorn": Fake(0.04, right),
        "native-c": Fake(0.001, right),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(programs, "_open", lambda engine, *_: fakes[engine])
        patch.setattr(programs, "why_missing", lambda engine, *_: None if engine in fakes else "it is not here")
        return benchmark_programs(programs=["block"], machines=["mc68040-25"], rounds=2, seconds=0.1)


def test_ratios_and_means(result):
    cases = {case.engine: case for case in result.cases}
    table = cases["recompile-table"]
    assert table.per_second == pytest.approx(500) and table.count == 50 and table.laps == 2
    assert table.ratio_to == table.best_ratio_to == pytest.approx({"unicorn": 20, "native-c": 0.5})
    assert 8_000 < table.machine_code.instructions_per_second / 500 < 13_000 and table.machine_code.times_machine > 1
    assert cases["native-c"].machine_code is None
    means = {mean.engine: mean.ratio_to for mean in result.means}
    assert means["recompile-table"] == pytest.approx(table.ratio_to)
    assert geometric_mean([1, 4, 16]) == pytest.approx(4)


def test_a_wrong_checksum_gets_no_figure(result):
    wrong = next(case for case in result.cases if case.engine == "interpret-off")
    assert wrong.per_second is None and wrong.ratio_to == {}
    assert wrong.error.startswith("wrong checksum ")


def test_goals_and_verdict(result):
    assert [goal.met for goal in result.goals] == [True, False, True, True]
    assert result.verdict == "3 of 4 goals are met on every processor measured; 1 case has an error."
    assert result.goals[1].text.endswith("20.0 times Unicorn (mc68040-25); goal 25.0 times Unicorn: not met")
    assert [goal.program for goal in result.goals] == [None, None, "block", None]
    verdict, goals = goals_of([], [])
    assert [goal.met for goal in goals] == [None] * 4 and "No goal was measured" in verdict


def test_published_keys(result):
    published = to_json(result)
    assert json.loads(json.dumps(published, allow_nan=False)) == published
    assert {"machine": "mc68040-25", "engine": "musashi", "reason": "it is not here"} in published["skipped"]
    assert published["made"].keys() == {"date", "sources", "commit"}
    assert published["method"] == {"rounds": 2, "seconds": 0.1, "compared": "checksums"} and published["notes"] == []
    goal = {"engine", "peer", "over", "minimum", "met", "found", "machine", "program", "text"}
    assert {key for row in published["goals"] for key in row} == goal


def test_text_and_csv(result):
    out = io.StringIO()
    Console(file=out, width=80).print(render_programs(result))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80 and lines[0].startswith("3 of 4 goals")
    assert any(line.split()[:4] == ["block", "-", "50", "%"] for line in lines)
    assert "musashi: left out, it is not here" in lines
    rows = list(csv.DictReader(io.StringIO(programs_csv(result))))
    assert [float(row["ratio_to_unicorn"] or 0) for row in rows][:1] == pytest.approx([20])


def test_what_takes_very_long_runs_once(monkeypatch):
    right = ROM.constants["block"].to_bytes(4, "big")
    monkeypatch.setattr(programs, "_open", lambda engine, *_: Fake(0.001, right))
    result = benchmark_programs(programs=["block"], machines=["mc68040-25"], engines=["evaluate"], rounds=3)
    assert [(case.laps, case.count) for case in result.cases] == [(1, 1)]


def test_a_wrong_request_is_refused():
    for options, message in (
        ({"programs": ["bogosort"]}, "program 'bogosort': allowed sort, list"),
        ({"engines": ["kernel"]}, "engine 'kernel': allowed recompile-full"),
        ({"machines": ["pdp11"]}, "machine 'pdp11'"),
        ({"rounds": 0}, "rounds 0"),
    ):
        with pytest.raises(ValueError, match=message):
            benchmark_programs(**options)


def test_every_processor_is_there_once():
    assert sorted(preset(name).isa for name in MACHINES) == sorted({info.isa for info in ROM.images})


def test_without_sources_there_is_no_native_c(monkeypatch):
    monkeypatch.setattr(programs, "PROGRAM_SOURCES", "src/*.pl1")
    (skipped,) = benchmark_programs(programs=["block"], machines=["mc68040-25"], engines=["native-c"]).skipped
    assert skipped.engine == "native-c" and "sources are not here" in skipped.reason
