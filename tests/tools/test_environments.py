"""tools/environments.py tells what fails, differs, or cannot be had."""

from __future__ import annotations

import sys

import environments
import pytest

FOUND = {"as-it-is": {"a": 1, "tape": 3}, "same": {"a": 1}, "other": {"a": 2}}


@pytest.fixture
def report(monkeypatch, capsys):
    """Run the command over some environments that are made up."""

    def skip(place):
        raise environments.Skipped("it rains")

    def probe(place):
        name = place.variables["NAME"]
        if name == "broken":
            raise RuntimeError("status 1: no luck")
        return FOUND[name]

    def named(name):
        return lambda place: place.variables.update(NAME=name)

    def run(*names):
        every = {name: skip if name == "rainy" else named(name) for name in ("as-it-is", *names)}
        monkeypatch.setattr(environments, "ENVIRONMENTS", every)
        monkeypatch.setattr(environments, "probe", probe)
        monkeypatch.setattr(sys, "argv", ["environments.py"])
        return environments.main(), capsys.readouterr().out

    return run


def test_all_is_well(report) -> None:
    status, out = report("same", "rainy")
    assert status == 0
    assert "\nsame             ok (" in out and "\nrainy            skipped: it rains (" in out
    assert out.endswith("  a: 1\n  tape: 3\n")


@pytest.mark.parametrize(("name", "said"), [("other", "differs in a"), ("broken", "failed: status 1: no luck")])
def test_something_is_wrong(report, name: str, said: str) -> None:
    status, out = report(name, "same")
    assert status == 1 and f"{name:16} {said} (" in out and "same             ok (" in out


def test_what_a_process_says_is_looked_at(tmp_path, monkeypatch) -> None:
    place = environments.Place(tmp_path)
    for program, words in (
        ("import sys; print('odd', file=sys.stderr); print(1)", "status 0: odd"),
        ("1 / 0", "status 1: .*ZeroDivisionError"),
    ):
        monkeypatch.setattr(environments, "PROBE", program)
        with pytest.raises(RuntimeError, match=words):
            environments.probe(place)
    monkeypatch.setattr(environments, "PROBE", "import sys; print('retrosim: well', file=sys.stderr); print('{}')")
    assert environments.probe(place) == {}
