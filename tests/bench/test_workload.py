"""The loop that every emulator repeats."""

from retrosim.bench.engines import MACHINE
from retrosim.bench.workload import LOOP, job_of_checks, open_at_first_check
from retrosim.rom import load_rom


def test_the_loop_is_what_its_listing_says():
    machine = open_at_first_check(MACHINE, load_rom("sectors"), "O2", 5, 1, timing="off", engine="evaluate")
    job_of_checks(machine)
    lines = [line.split(maxsplit=1)[1] for line in machine.listing(LOOP, 4)]
    entry = machine.address("DetermineCollisions")
    assert lines[0].startswith(f"4eb9 {entry >> 16:04x} {entry & 0xFFFF:04x}")
    assert [line.split()[0] for line in lines[1:]] == ["5387", "66f6", "a002"]
    machine.regs["d7"], machine.regs["pc"] = 3, LOOP
    assert machine.run(until=LOOP + 10).reason == "until"
    assert machine.regs["d7"] == 0
