"""What a counter has counted, as tests compare it."""

from retrosim.cost.counting import Counted


def by_address(counted: Counted) -> dict[int, tuple[int, int]]:
    """Return address -> visits and clocks of the instructions there."""
    sums: dict[int, tuple[int, int]] = {}
    for row in counted.executed:
        visits, cycles = sums.get(row.insn.pc, (0, 0))
        sums[row.insn.pc] = visits + row.visits, cycles + row.cycles
    return sums
