"""Running in pieces: where it pauses, what ends it, and how large a piece becomes."""

from __future__ import annotations

from retrosim.machine.pieces import TURN_NS, Turn, frames_in_pieces, next_size
from tests.helpers.window.fake_machine import FakeMachine


def test_a_machine_pauses_where_it_is_told_to_and_at_the_end() -> None:
    machine, seen = FakeMachine(), []
    machine.run(frames=2)
    for result in frames_in_pieces(machine, 9, lambda frame: frame - frame % 4 + 4):
        seen.append((result.reason, machine.frame_number))
    assert seen == [("frames", 4), ("frames", 8), ("frames", 9)]
    assert list(frames_in_pieces(machine, 9, lambda frame: frame + 1)) == []


def test_a_piece_that_ends_otherwise_is_the_last() -> None:
    machine = FakeMachine(ends_at=5)
    reasons = [result.reason for result in frames_in_pieces(machine, 9, lambda frame: frame + 3)]
    assert reasons == ["frames", "exit"] and machine.frame_number < 9
    machine, spent = FakeMachine(), [10_000_000, 100_000]
    pieces = frames_in_pieces(machine, 9, lambda frame: frame + 2, lambda: {"cycles": spent.pop(0)})
    assert [result.reason for result in pieces] == ["frames", "cycles"] and machine.frame_number == 2


def test_a_turn_is_over_after_its_time() -> None:
    now = 100
    turn = Turn(lambda: now)
    assert turn.begun == 100 and not turn.is_over
    now += TURN_NS - 1
    assert not turn.is_over
    now += 1
    assert turn.is_over


def test_pieces_become_as_large_as_their_time_allows() -> None:
    assert next_size(8, 0.01, 0.02) == 16
    assert next_size(8, 0.02, 0.02) == 4
    assert next_size(1, 1.0, 0.02) == 1 and next_size(300, 1.0, 0.02, 200) == 200
