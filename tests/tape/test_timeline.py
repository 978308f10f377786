"""The inputs of a run by frame."""

from __future__ import annotations

from retrosim.tape import InputTimeline


def noted(*pads: int) -> InputTimeline:
    timeline = InputTimeline()
    for frame, pad in enumerate(pads):
        timeline.note(frame, {"pad": pad})
    return timeline


def test_inputs_are_stored_where_they_change() -> None:
    timeline = noted(0, 0, 1, 1, 3, 0)
    assert timeline.changes == [(0, {"pad": 0}), (2, {"pad": 1}), (4, {"pad": 3}), (5, {"pad": 0})]
    assert [timeline.at(frame)["pad"] for frame in range(7)] == [0, 0, 1, 1, 3, 0, 0]
    assert InputTimeline(timeline.changes).changes == timeline.changes


def test_inputs_are_forgotten_from_a_frame_on() -> None:
    timeline = noted(0, 0, 1, 1, 3, 0)
    timeline.forget_from(4)
    assert timeline.changes == [(0, {"pad": 0}), (2, {"pad": 1})]
    timeline.note(4, {"pad": 1})
    assert len(timeline.changes) == 2, "still the same"
    timeline.forget_from(0)
    assert timeline.changes == [] and timeline.at(3) == {}


def test_before_the_first_change_there_are_no_states() -> None:
    timeline = InputTimeline([(7, {"pad": 2})])
    assert (timeline.at(6), timeline.at(7), timeline.at(1000)) == ({}, {"pad": 2}, {"pad": 2})


def test_nobody_else_changes_a_timeline() -> None:
    states = {"pad": 1}
    timeline = InputTimeline([(0, states)])
    timeline.note(1, states | {"pad": 2})
    states["pad"] = 9
    timeline.changes[0][1]["pad"] = 9
    assert timeline.at(0) == {"pad": 1}
