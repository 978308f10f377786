"""The race: laps, turns, errors, and the record of what it ran on. Contenders here say how long they took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from retrosim.bench import race as races
from retrosim.bench.race import (
    Entrant,
    RaceProgress,
    Ready,
    Skipped,
    cases_csv,
    check_laps,
    fill_lap,
    race,
    ratios,
    standing,
)
from retrosim.errors import RetrosimError
from retrosim.report.json import SPREAD

SECONDS = 0.01


class Runner:
    """Takes so many seconds for a repetition; what it is asked for is in `counts`."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.counts = seconds, []

    def __call__(self, count: int) -> float:
        self.counts.append(count)
        return self.seconds * count


def entry(name: str, run: Callable[[int], float], is_slow: bool = False) -> Entrant:
    return Entrant(name, lambda: Ready(run, is_slow))


def raced(*entries: Entrant, rounds: int = 3, **options: object) -> list[str]:
    """Let entries race; return the texts of the progress."""
    texts: list[str] = []
    steps = RaceProgress(lambda done, total, text: texts.append(f"{done}/{total} {text}"), len(entries) + rounds)
    race(entries, rounds, SECONDS, steps, "here", **options)
    steps.end()
    return texts


def test_contenders_take_turns_and_the_median_counts() -> None:
    fast, slow = Runner(0.0001), Runner(0.001)
    entries = entry("fast", fast), entry("slow", slow)
    texts = raced(*entries)
    assert [one.count for one in entries] == [100, 10] and [len(one.rates) for one in entries] == [3, 3]
    assert texts == [
        *("0/5 here: fast, first laps", "1/5 here: slow, first laps"),
        *(f"{number + 1}/5 here: lap {number} of 3; so far fast 1, slow 0.1" for number in (1, 2, 3)),
        "5/5 done",
    ]
    entries[0].rates = [1.0, 9.0, 2.0]
    assert (entries[0].rate, entries[0].best_rate, entries[0].spread) == (2.0, 9.0, 4.0)
    rates = {one.engine: one.rate for one in entries}
    assert ratios(2.0, rates, ["slow", "fast", "absent"], "fast") == pytest.approx({"slow": 0.002})
    assert ratios(None, rates, ["slow"], "fast") == {}


def test_who_is_ahead_so_far() -> None:
    assert standing({}) == standing({"a": 5.0}) == ""
    rates = {"a": 2.0, "b": 8.0, "c": 1.0, "d": 0.1, "e": 0.2}
    assert standing(rates) == "; so far b 1, a 0.25, c 0.12, e 0.025"


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_one_slow_lap_does_not_shorten_those_that_count(number: int) -> None:
    """A garbage collector in a first lap must not leave one repetition a lap, so that the call is measured."""
    laps = 0

    def disturbed(count: int) -> float:
        nonlocal laps
        laps += 1
        return count / 60000 + (0.1 if laps == number else 0)

    assert fill_lap(disturbed, 0.002)[0] == 120


def test_an_error_ends_one_race_only() -> None:
    def late(count: int) -> float:
        if len(counts) > 3:
            raise RetrosimError("it stopped")
        counts.append(count)
        return SECONDS

    def broken() -> Ready:
        raise RetrosimError("it does not start")

    counts: list[int] = []
    entries = entry("good", Runner(0.001)), entry("late", late), Entrant("broken", broken)
    raced(*entries)
    assert [one.error for one in entries] == [None, "it stopped", "it does not start"]
    assert [one.rate for one in entries] == [pytest.approx(1000), None, None]
    assert len(entries[1].rates) == 1 and entries[1].best_rate is entries[1].spread is None


def test_which_errors_are_reported() -> None:
    def broken() -> Ready:
        raise KeyError("no index today")

    with pytest.raises(KeyError):
        raced(Entrant("broken", broken))
    one = Entrant("broken", broken)
    raced(one, errors=(Exception,))
    assert one.error == "KeyError: 'no index today'"


def test_slow_contenders_run_fewer_laps() -> None:
    slow, long = Runner(9.0), Runner(1.0)
    entries = entry("slow", slow, is_slow=True), entry("long", long), entry("short", Runner(0.001))
    raced(*entries, rounds=15, is_sparing=True)
    assert slow.counts == [1] and [len(one.rates) for one in entries] == [1, 5, 15]
    entries = (entry("long", long),)
    raced(*entries, rounds=15)
    assert len(entries[0].rates) == 15


def test_contenders_that_are_to_do_the_same() -> None:
    entries = entry("first", Runner(0.001)), entry("second", Runner(0.002))
    raced(*entries, are_alike=True)
    assert [one.count for one in entries] == [10, 10]


def test_wrong_laps_are_refused() -> None:
    for rounds, seconds, message in ((0, 1, "rounds 0"), (1, 0, "seconds 0"), (1, 61, "seconds 61: allowed above 0")):
        with pytest.raises(ValueError, match=message):
            check_laps(rounds, seconds)


def test_cases_as_csv() -> None:
    @dataclass
    class Case:
        engine: str
        ratio_to: dict[str, float]
        more: dict[str, int] | None = field(metadata=SPREAD)

    cases = [Case("a", {"peer": 2.0}, {"clocks": 3}), Case("b, c", {}, None)]
    text = cases_csv(("engine", "clocks"), cases, ["peer"])
    assert text == 'engine,clocks,ratio_to_peer\na,3,2.0\n"b, c",,\n'
    assert cases_csv(["engine"], cases[:1]) == "engine\na\n"


def test_what_it_ran_on() -> None:
    host = races.host(["numpy", "no_such_package"])
    assert host.processor and list(host.packages) == ["numpy"] and "CPUs" in str(host)
    today = races.made_from()
    assert len(today.sources) > 8 and today.date.count("-") == 2


def test_who_was_left_out_is_said_once() -> None:
    lines = races.skipped_lines([Skipped("a", "it is not here"), Skipped("a", "it is not here"), Skipped("b", "why")])
    assert [line.plain for line in lines] == ["a: left out, it is not here", "b: left out, why"]
