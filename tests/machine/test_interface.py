"""The protocols of machines: both kinds have what is promised of them, and so have the stand-ins of the tests."""

from __future__ import annotations

from retrosim.machine import Machine, NativeMachine
from retrosim.machine.interface import AnyMachine, PlayableMachine, SimulatedMachine, has_cpu
from tests.helpers.tape import drift_machine
from tests.helpers.window import fake_machine


def test_both_kinds_of_machine() -> None:
    native, simulated = NativeMachine(), Machine("mc68000-8", engine="evaluate")
    assert isinstance(native, AnyMachine) and not isinstance(native, SimulatedMachine) and not has_cpu(native)
    assert isinstance(simulated, SimulatedMachine) and has_cpu(simulated)


def test_stand_ins_are_no_less_than_they_stand_for() -> None:
    assert isinstance(drift_machine.FakeMachine(), PlayableMachine)
    assert not isinstance(drift_machine.FakeMachine(), AnyMachine), "it has no picture"
    assert isinstance(fake_machine.FakeMachine(), SimulatedMachine)
    assert isinstance(fake_machine.FakeNative(), AnyMachine) and not has_cpu(fake_machine.FakeNative())


def test_native_promises_nothing_of_a_cpu() -> None:
    native = NativeMachine()
    assert (native.image, native.engine, native.mode, native.is_compiling) == (None, None, "demo", False)
    native.run(frames=3)
    state, world = native.snapshot(), native.hash("world")
    native.run(frames=3)
    native.restore(state)
    assert (native.frame_number, native.hash("world")) == (3, world)
