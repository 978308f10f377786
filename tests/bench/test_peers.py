"""The services that a measured program gets, from every emulator alike."""

import pytest

from retrosim.bench.peers import STEP, Services


def test_services_answer_everybody_alike() -> None:
    registers = {"r3": 0, "r4": 0}
    services = Services(registers.__getitem__, registers.__setitem__, lambda at, size: b"x" * size, ("r3", "r4"))
    assert [services.serve(number) for number in (0, 1, 1)] == [False] * 3
    assert registers == {"r3": 2 * STEP, "r4": 0}
    registers["r4"] = 1 << 30
    assert not services.serve(3) and services.serve(2)
    assert services.outcome() == (2 * STEP).to_bytes(4, "big") + b"x" * 4096
    with pytest.raises(ValueError, match="service 9"):
        services.serve(9)
