"""The printed table: what its rounding leaves open, the line of an experiment, the build beside it."""

from __future__ import annotations

import pytest

from retrosim.rom import load_rom
from retrosim.table_1994.printed import REFERENCES, experiment_line, printed_cycles, printed_range, reference_of


@pytest.mark.parametrize(
    "machine, objects, per_second, slowest, fastest",
    [
        ("mc68040-25", 200, 81, 80.5, 81.5),
        ("mc68040-25", 0, 611, 610.5, 611.5),
        ("ppc601-80", 200, 788, 787.5, 788.5),
        ("ppc601-80", 0, 7640, 7635, 7645),  # the fourth digit was not printed
    ],
)
def test_clocks_of_the_printed_rates(
    machine: str, objects: int, per_second: int, slowest: float, fastest: float
) -> None:
    assert printed_cycles(machine, objects, 25_000_000) == 25_000_000 / per_second
    assert printed_range(machine, objects, 25_000_000) == (25_000_000 / fastest, 25_000_000 / slowest)


@pytest.mark.parametrize("machine, objects", [("mc68000-8", 200), ("mc68040-25", 7)])
def test_what_was_not_printed(machine: str, objects: int) -> None:
    assert printed_cycles(machine, objects, 8_000_000) is printed_range(machine, objects, 8_000_000) is None


def test_the_line_of_an_experiment() -> None:
    """2430 checks in 30 s are 12,345.679 us each, 81 in a second."""
    assert (
        experiment_line(200, 2430, 30_000_000) == "200 objects: 2430 in 30000000 us: 1.23e+04 us/iter, 8.10e+01 iter/s"
    )
    assert experiment_line(0, 1, 1) == "0 objects: 1 in 1 us: 1.00e+00 us/iter, 1.00e+06 iter/s"
    for wrong in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match=f"{wrong[0]} iterations in {wrong[1]} us: allowed 1 or more of each"):
            experiment_line(50, *wrong)


def test_which_build_stands_for_1994() -> None:
    rom = load_rom("sectors")
    assert reference_of("mc68040-25", rom) is REFERENCES["mc68040-25"]
    other = reference_of("mc68000-8", rom)
    assert other.build == rom.image("m68000").build and not other.doubt and "nothing was printed" in other.reason
