"""Dataclasses as plain data: order, hidden fields, fields whose keys stand among their owner's."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from retrosim.report.json import HIDDEN, SPREAD, spread, to_json


@dataclass(frozen=True)
class Inner:
    base: float
    rest: tuple[int, ...]


@dataclass(frozen=True)
class Outer:
    name: str
    misses: dict[str, int] = field(metadata=spread("{}_misses"))
    inner: Inner | None = field(metadata=SPREAD)
    text: str = field(metadata=HIDDEN)
    rows: list[Inner] = field(default_factory=list)


def test_a_report_as_plain_data() -> None:
    report = Outer("a", {"data": 1, "code": 2}, Inner(0.5, (1, 2)), "unseen", [Inner(1.0, ())])
    plain = to_json(report)
    assert plain == {
        "name": "a",
        "data_misses": 1,
        "code_misses": 2,
        "base": 0.5,
        "rest": [1, 2],
        "rows": [{"base": 1.0, "rest": []}],
    }
    assert list(plain) == ["name", "data_misses", "code_misses", "base", "rest", "rows"]
    assert json.loads(json.dumps(plain)) == plain


def test_what_is_not_there_has_no_keys() -> None:
    assert to_json([Outer("a", {}, None, "")]) == [{"name": "a", "rows": []}]
    assert to_json({"x": (None, 1)}) == {"x": [None, 1]}
