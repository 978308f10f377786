"""Coordinates of 16 bits (68K, x86) and of 32 bits (PowerPC): the builds differ only where 16 bits are left.

Off the screen there are no sectors: the function that compares the objects of one list is called with a list made here,
beside the kernel that compares all pairs on coordinates of the same type.
"""

from __future__ import annotations

import numpy as np
import pytest

from retrosim.collide import collided
from retrosim.machine import Machine
from retrosim.rom import load_rom
from tests.helpers.amount import FULL
from tests.helpers.machine.flat import MACHINE_OF
from tests.helpers.rom.simulators import object_rows
from tests.roms.test_sectors_flags import SEED

BUILDS = [(info.isa, info.build) for info in load_rom("sectors").images if info.build != "fast"]
# Builds whose differences are never cut to a `scalar`.
MACROS = ("period", "period-68000", "period-registers", "period-divide", "period-level0")
EDGES = [
    # x of two objects, and whether they collide: in 16 bits, cut to 16 bits or as an int, and in 32 bits
    ((-32768, 32760), True, False, False),  # 65528 is -8
    ((32767, -32768), True, False, False),  # 65535 is -1
    ((-32768, 0), True, False, False),  # -32768, whose absolute value is itself
    ((-32740, 32767), True, False, False),  # 65507 is -29
    ((-32739, 32767), False, False, False),  # 65506 is -30
    ((-16384, 16383), False, False, False),  # 32767 fits
    ((32767, 32738), True, True, True),
    ((-32768, -32738), False, False, False),
]
WRAPPED = [  # what 16 bits cannot hold is stored modulo 2^16
    ((65536 + 5, 5), True, True, False),
    ((70000, 4464 + 29), True, True, False),
    ((-65536, 30), False, False, False),
]


def flags(machine: Machine, x: np.ndarray, y: np.ndarray) -> list[int]:
    """Put objects into one list and let the image compare them."""
    start = machine.address("gObjects")
    order = {"big": ">", "little": "<"}[machine.image.byte_order]
    types = [np.dtype(order + code) for code in object_rows(machine.image.isa)]
    rows = np.zeros(len(x), list(zip(("x", "y", "sector_link", "link"), types)))
    rows["x"], rows["y"] = x.astype(types[0]), y.astype(types[0])
    rows["sector_link"][:-1] = start + rows.itemsize * np.arange(1, len(x))
    machine.mem[start : start + rows.nbytes] = rows.view(np.uint8)
    at = machine.address("gCollisionArray")
    machine.mem[at : at + len(x)] = 0
    machine.measure("CalcCollisionsInSector", start, warm=0)
    return machine.mem[at : at + len(x)].tolist()


@pytest.fixture(scope="module", params=BUILDS, ids="-".join)
def opened(request: pytest.FixtureRequest) -> tuple[Machine, str, str]:
    """Return a machine on which the routine has been entered: period builds set the base of their globals there."""
    isa, build = request.param
    machine = Machine(MACHINE_OF[isa], build=build, engine="interpret", timing="off", parameters={"objects": 1})
    machine.run(frames=1)
    return machine, isa, build


def kernel(x: np.ndarray, y: np.ndarray, bits: int, macro: bool) -> list[int]:
    scalar = {16: np.int16, 32: np.int32}[bits]
    build = "macro" if macro else "inline"
    return collided(x.astype(scalar), y.astype(scalar), abs=build, method="brute_force").tolist()


@pytest.mark.first_case
def test_differences_of_16_bits_give_the_same_flags(opened: tuple[Machine, str, str]) -> None:
    machine, draw = opened[0], np.random.default_rng(SEED)
    hits = 0
    for _ in range(40 if FULL else 15):
        spread = int(draw.choice([40, 200, 32766]))
        middle = draw.integers(-(1 << 14) + spread // 2, (1 << 14) - spread // 2 + 1, 2)
        x, y = middle[:, None] + draw.integers(-spread // 2, spread // 2, (2, 20))
        found = flags(machine, x, y)
        for bits, macro in ((16, False), (16, True), (32, False)):
            assert found == kernel(x, y, bits, macro), (bits, macro, x.tolist(), y.tolist())
        hits += sum(found)
    assert hits > 75


def test_greater_differences_tell_the_builds_apart(opened: tuple[Machine, str, str]) -> None:
    machine, isa, build = opened
    bits = 32 if isa == "ppc601" else 16
    is_macro = build in MACROS
    zero = np.zeros(2, np.int64)
    for places, cut, whole, wide in EDGES + WRAPPED:
        expected = [int(wide if bits == 32 else whole if is_macro else cut)] * 2
        x = np.array(places)
        for one, other in ((x, zero), (zero, x)):
            assert flags(machine, one, other) == expected, places
            assert kernel(one, other, bits, is_macro) == expected, places
