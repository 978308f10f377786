"""The services that a measured program gets, from every emulator alike."""

from types import SimpleNamespace

import pytest

from retrosim.bench.peers import STEP, Musashi, Services, Unicorn


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


def interrupted(isa: str, number: int, registers: dict[str, int], code: bytes = b"") -> tuple[list, list, str]:
    """Let Unicorn meet an exception; return services that were asked for, registers written, and what is wrong."""
    asked, written, stops = [], [], []
    emulator = Unicorn.__new__(Unicorn)
    emulator._isa, emulator._wrong = isa, ""
    emulator.register = registers.__getitem__
    emulator.set_register = lambda *register: written.append(register)
    emulator.read = lambda address, size: code[address : address + size]

    def serve(service: int) -> bool:
        asked.append(service)
        if service > 3:
            raise ValueError(f"service {service}")
        return service == 2

    emulator._services = SimpleNamespace(serve=serve)
    emulator._interrupted(SimpleNamespace(emu_stop=lambda: stops.append(True)), number, None)
    assert bool(stops) == (asked[-1:] == [2] or bool(emulator._wrong))
    return asked, written, emulator._wrong


@pytest.mark.parametrize(
    "isa, number, registers, expected",
    [
        ("m68040", 10, {"pc": 2}, ([2], [("pc", 4)], "")),  # the word A002 at address 2
        ("m68000", 10, {"pc": 4}, ([4], [("pc", 6)], "service 4")),
        ("m68040", 0x61, {"pc": 2}, ([1], [], "")),
        ("ppc601", 8, {"r0": 2}, ([2], [], "")),
        ("i386", 0x62, {}, ([2], [], "")),
        ("i486", 0x60, {}, ([0], [], "")),
        ("i386", 8, {}, ([8 - 0x60], [], "")),
        ("i386", 0x70, {}, ([0x10], [], "service 16")),
    ],
)
def test_how_unicorn_asks_for_a_service(isa: str, number: int, registers: dict, expected: tuple) -> None:
    assert interrupted(isa, number, registers, bytes.fromhex("4e71 a002 a004")) == expected


def test_musashi_runs_from_trap_to_trap() -> None:
    """Three slices, of which two end with a trap: the words A001 and A002 just before the program counter."""
    memory, places, traps, asked = bytes.fromhex("a001 4e71 a002"), [], iter([True, False, True]), []
    pcs = iter([2, 6])
    cpu = SimpleNamespace(
        w_pc=places.append, r_pc=lambda: next(pcs), execute=lambda clocks: SimpleNamespace(was_trap=next(traps))
    )
    emulator = Musashi.__new__(Musashi)
    emulator._machine = SimpleNamespace(cpu=cpu)
    emulator.read = lambda address, size: memory[address : address + size]
    services = SimpleNamespace(serve=lambda number: [asked.append(number), number == 2][1])
    assert emulator.run_program(0x1000, services) >= 0
    assert places == [0x1000] and asked == [1, 2]


def test_a_long_clock_fills_both_registers() -> None:
    registers = {"d0": 0, "d1": 0}
    services = Services(registers.__getitem__, registers.__setitem__, lambda at, size: b"", ("d0", "d1"))
    for _ in range(4295):
        services.serve(1)
    assert registers == {"d0": 4_295_000_000 - (1 << 32), "d1": 1}
