"""`tunnel` on the native machine against its rules in plain Python; what it shows of tunnelling; states; refusals."""

from __future__ import annotations

import random
import struct

import pytest

from retrosim.machine.native import NativeMachine
from retrosim.machine.world import World
from retrosim.rom import load_rom
from retrosim.tape import load_tape
from tests.helpers.scenarios.native_checks import DOWN, FIRE, LEFT, RIGHT, UP, check_refused, forged_state, pads_of
from tests.oracle.objects import by_boxes
from tests.oracle.scenes import Random
from tests.oracle.swept import boxes_meet_in_frame

ROM = load_rom("tunnel")
MISSILE, SHIP = (0, 0, 6, 2), (0, 0, 8, 8)
LANE = ("x", "begin", "plain_hit", "swept_hit", "plain_burst", "swept_burst", "miss", "ship")


class Rules:
    """The scenario retold, with the oracles of Jon E P 2007."""

    def __init__(self, count: int, seed: int) -> None:
        self.random, self.frame, self.pad_before = Random(seed), 0, 0
        self.counts = dict.fromkeys(("speed", "shift", "flights", "plain", "swept", "missed"), 0) | {"speed": 25}
        self.lanes = [dict.fromkeys(LANE, 0) | {"ship": 60 + 53 * i % 160} for i in range(count)]
        for lane in self.lanes:
            self.launch(lane)
        for lane in self.lanes:
            lane["x"] -= self.random.scalar(276)

    def launch(self, lane: dict[str, int]) -> None:
        lane["x"] = lane["begin"] = 276 + self.random.scalar(25)
        lane["plain_hit"] = lane["swept_hit"] = 0

    def count(self, name: str) -> None:
        self.counts[name] = min(9999, self.counts[name] + 1)

    def step(self, pad: int) -> None:
        pressed, self.pad_before, counts = pad & ~self.pad_before, pad, self.counts
        counts["speed"] = max(1, min(40, counts["speed"] + (pressed >> 2 & 1)) - (pressed >> 3 & 1))
        if pressed & FIRE:
            for lane in self.lanes:
                self.launch(lane)
        before = counts["shift"]
        counts["shift"] = min(40, counts["shift"] + (pad & RIGHT))
        counts["shift"] = max(-40, counts["shift"] - 2 * (pad & LEFT))
        for lane in self.lanes:
            self.fly(lane, before, counts["shift"] - before)
        self.frame += 1

    def fly(self, lane: dict[str, int], shift: int, move: int) -> None:
        for name in ("plain_burst", "swept_burst", "miss"):
            lane[name] = max(0, lane[name] - 1)
        lane["begin"], speed = lane["x"], self.counts["speed"]
        lane["x"] -= speed
        apart = lane["begin"] - lane["ship"] - shift, 3
        meetings = {
            "swept": boxes_meet_in_frame(apart, (-speed - move, 0), MISSILE[2:], SHIP[2:]),
            "plain": by_boxes(apart[0] - speed - move, 3, MISSILE, SHIP),
        }
        for name, is_met in meetings.items():
            if is_met and not lane[f"{name}_hit"]:
                lane |= {f"{name}_hit": 1, f"{name}_burst": 6}
                self.count(name)
        if lane["x"] < 8:
            self.count("flights")
            if lane["swept_hit"] and not lane["plain_hit"]:
                lane["miss"] = 9
                self.count("missed")
            self.launch(lane)

    def columns(self) -> dict[str, list[int]]:
        scalars = {"count": len(self.lanes), "frame": self.frame, "random": self.random.state}
        scalars |= {"pad_before": self.pad_before} | self.counts
        return {name: [value] for name, value in scalars.items()} | {
            name: [lane[name] for lane in self.lanes] for name in LANE
        }


def machine(objects: int = 12, seed: int = 25) -> NativeMachine:
    return NativeMachine(ROM, parameters={"objects": objects, "seed": seed})


@pytest.mark.first_case
@pytest.mark.parametrize("objects, seed", [(7, 2**32 - 1), (1, 0), (12, 25)])
def test_frames_are_those_of_the_rules(objects: int, seed: int) -> None:
    ours, rules, draw, pad = machine(objects, seed), Rules(objects, seed), random.Random(seed), 0
    for number in range(500):
        if number % 5 == 0:
            pad = draw.choice((0, 0, LEFT, RIGHT, LEFT | RIGHT, UP, UP, DOWN, FIRE | RIGHT))
        ours.set_input("pad", pad)
        ours.run(frames=1)
        rules.step(pad)
        assert ours.world().difference(World(rules.columns())) is None, f"frame {number} of seed {seed}"
    assert rules.counts["swept"] > 30 * objects // 2


@pytest.mark.parametrize("presses, is_tunnelling", [(0, True), (12, False)])
def test_what_is_missed(presses: int, is_tunnelling: bool) -> None:
    """At 25 pixels a frame some missiles pass the ship; at 13 none does: both are 14 wide together."""
    ours = machine()
    for pad in [DOWN, 0] * presses + [FIRE]:
        ours.set_input("pad", pad)
        ours.run(frames=1)
    begin = {name: int(column[0]) for name, column in ours.world().columns.items() if len(column) == 1}
    ours.run(frames=900)
    counts = {name: int(ours.world().columns[name][0]) - begin[name] for name in ("flights", "swept", "missed")}
    assert begin["speed"] == 25 - presses
    assert abs(counts["swept"] - counts["flights"]) <= 12, "the swept test finds every one"
    assert (0.3 < counts["missed"] / counts["flights"] < 0.6) if is_tunnelling else counts["missed"] == 0


def test_the_misses_are_shown() -> None:
    """The word is written beside a ship whose missile came through."""
    ours = machine()
    seen = 0
    for _ in range(80):
        ours.run(frames=1)
        for lane, miss in enumerate(ours.world().columns["miss"]):
            top = 56 + 34 * lane + 5
            word = ours.frame[top : top + 4, 256:304]
            assert (word != 255).any() == bool(miss) or (ours.frame[top + 6 : top + 8, 256:304] != 255).any()
            seen += int(miss > 0)
    assert seen > 20


@pytest.mark.parametrize("name", ["twenty-five", "rule-of-thumb"])
def test_tapes_end_as_they_say(name: str) -> None:
    tape = load_tape(ROM.path / "tapes" / f"{name}.rtape")
    rules = Rules(tape.parameters["objects"], tape.parameters["seed"])
    for pad in pads_of(tape, tape.frames):
        rules.step(pad)
    assert World(rules.columns()).hash() == tape.hashes[-1].world
    assert rules.counts["missed"] > 10


def forged(words=(25, 0, 0, 0, 0, 0), lane=(100, 125, 0, 0, 0, 0, 0), frames=1) -> bytes:
    return forged_state("tunnel", struct.pack("<6i7h", *words, *lane), frames=frames)


@pytest.mark.parametrize(
    "state, message",
    [
        (forged((41, 0, 0, 0, 0, 0)), r"speed 41: allowed 1\.\.40"),
        (forged((25, -41, 0, 0, 0, 0)), r"shift -41: allowed -40\.\.40"),
        (forged((25, 0, 0, 0, 0, 10000)), r"missed 10000: allowed 0\.\.9999"),
        (forged(lane=(7, 32, 0, 0, 0, 0, 0)), "least x 7: allowed 8 or more"),
        (forged(lane=(100, 301, 0, 0, 0, 0, 0)), "greatest begin 301"),
        (forged(lane=(100, 125, 2, 0, 0, 0, 0)), "greatest plain_hit 2"),
        (forged(lane=(100, 125, 0, 0, 0, 7, 0)), "greatest swept_burst 7"),
        (forged(frames=0), "frame 0 with something other than zeros"),
        (forged_state("tunnel", bytes(39)), "holds 39 bytes, with its parameters it has 38"),
    ],
)
def test_impossible_states_are_refused(state: bytes, message: str) -> None:
    ours = machine(4)
    check_refused(ours, state, message)
    ours.load(forged())
    ours.run(frames=50)
