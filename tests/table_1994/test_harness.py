"""Experiments of 1994: samples and full runs count what the program counts, and they agree."""

import numpy as np
import pytest

import retrosim.table_1994.harness as harness
from retrosim.errors import RetrosimError
from retrosim.machine import open_machine
from retrosim.rom import load_rom
from retrosim.table_1994.analysis import parts, scene_tests, solve
from tests.helpers.experiments import run_experiment

MACHINE = "mc68040-25"
ROM = load_rom("sectors")
READS_BEFORE = 5  # clock reads before the checks of the first scene: two for the base and the end, while, before, after


def clock_reads(build, objects, count):
    """Run the harness and return what its first `count` clock reads gave, and the instructions up to each."""
    machine = open_machine(MACHINE, ROM, build=build, mode="harness", parameters={"objects": objects})
    reads, instructions = [], []
    for _ in range(count):
        machine.run(until="Microseconds")
        machine.run(instructions=1)  # the trap
        reads.append(machine.regs["d0"])
        instructions.append(machine.instructions)
    return reads, instructions


@pytest.mark.parametrize(("build", "objects"), [("O0", 20), ("O2", 100), ("O1", 0)])
def test_a_sample_counts_what_the_clock_reads_say(build, objects):
    """One scene: from the read that fixes the end to the one after the last check, less random placement."""
    reads, instructions = clock_reads(build, objects, READS_BEFORE + 50 + 2)
    base, start, _, before, after, *rest = reads
    assert base <= start
    done = run_experiment(MACHINE, ROM, build, objects, seconds=1e-6)
    assert (done.checks, done.scenes) == (50, 1)
    assert done.microseconds == pytest.approx(rest[-1] - start - (after - before), abs=2)
    counted = instructions[-1] - instructions[1] - (instructions[4] - instructions[3])
    assert done.instructions == pytest.approx(counted, abs=150)


def test_a_sample_ends_with_a_scene():
    done = run_experiment(MACHINE, ROM, "O2", 50, seconds=0.1)
    assert done.checks == 50 * done.scenes and done.scenes >= 2
    assert done.weights.tolist() == [50] * done.scenes
    assert 0.09e6 < done.microseconds < 0.15e6


def test_samples_do_not_depend_on_their_length_where_scenes_do_not_differ():
    """With one object in the list, every check takes the same time."""
    short, long = (run_experiment(MACHINE, ROM, "O2", 0, seconds=seconds) for seconds in (0.1, 1))
    assert short.cycles_per_check == pytest.approx(long.cycles_per_check, rel=2e-4)
    assert long.checks > 8 * short.checks


@pytest.mark.full
def test_the_full_thirty_seconds_and_a_sample_agree():
    """Within four standard deviations of what the choice of scenes makes of a check."""
    seconds = []
    full = run_experiment(MACHINE, ROM, "O2", 200, seconds=None, progress=seconds.append, engine="interpret")
    assert seconds == list(range(1, seconds[-1] + 1)) and seconds[-1] >= 30
    assert 30_000_000 <= full.microseconds < 30_010_000
    assert full.weights.sum() == full.checks and 0 < full.weights[-1] <= 50
    sample = run_experiment(MACHINE, ROM, "O2", 200, seconds=1)
    rows = [(n, run_experiment(MACHINE, ROM, "O2", n, seconds=0.2).cycles_per_check) for n in (0, 50, 100)]
    rows.append((200, sample.cycles_per_check))
    split = solve([parts(n, scene_tests(n, 1994, 20).mean()) for n, _ in rows], [clocks for _, clocks in rows])
    deviation = split.pair_test * scene_tests(200, 1994, 300).std()
    limit = 4 * deviation * (1 / sample.scenes + 1 / full.scenes) ** 0.5
    assert abs(sample.cycles_per_check - full.cycles_per_check) < limit < 0.1 * full.cycles_per_check


def test_the_same_experiment_twice_is_the_same():
    assert run_experiment(MACHINE, ROM, "O1", 30, seconds=0.05) == run_experiment(MACHINE, ROM, "O1", 30, seconds=0.05)
    other = run_experiment(MACHINE, ROM, "O1", 30, seconds=0.05, seed=3)
    assert other != run_experiment(MACHINE, ROM, "O1", 30, seconds=0.05)


def test_wrong_flags_are_not_measured(monkeypatch):
    monkeypatch.setattr(harness, "collided", lambda x, y: np.ones(len(x), np.uint8))
    with pytest.raises(RetrosimError, match="flags of scene 1 are not those of the kernel"):
        run_experiment(MACHINE, ROM, "O2", 10, seconds=0.001)


def test_a_harness_that_ends_early_is_an_error():
    program = harness.Harness(MACHINE, ROM, mode="harness")
    program.write(0xF00424, (201).to_bytes(4, "big"))
    with pytest.raises(RetrosimError, match="ended with status 1 before RandomizeObjects"):
        program.reach("RandomizeObjects")


@pytest.mark.parametrize("seconds", [0, -1, 11])
def test_refused_lengths(seconds):
    with pytest.raises(ValueError, match=rf"seconds {seconds}: allowed above 0, to 10"):
        run_experiment(MACHINE, ROM, "O2", 10, seconds=seconds)


def test_refused_objects():
    with pytest.raises(ValueError, match=r"objects 201: allowed 0\.\.200"):
        run_experiment(MACHINE, ROM, "O2", 201)
