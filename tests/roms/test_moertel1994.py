"""The ROM `moertel1994`: its collisions are the oracle's, its lines add up, on every machine and build."""

from __future__ import annotations

import re
import struct

import numpy as np
import pytest

from retrosim import open_machine
from retrosim.rom import load_rom
from tests.helpers.machine.flat import MACHINE_OF
from tests.oracle.sectors import check

ROM = load_rom("moertel1994")
LINE = re.compile(r"(\d+) objects: (\d+) in (\d+) us: (\d+)\.(\d\d) us/iter, (\d+)\.(\d\d) iter/s")
FIRE = 16
MILLISECONDS = 4
BUILDS = [*((isa, "O2") for isa in MACHINE_OF), ("m68040", "O0"), ("ppc601", "ticks")]


def opened(isa: str, build: str):
    return open_machine(MACHINE_OF[isa], ROM, build=build, timing="table", parameters={"milliseconds": MILLISECONDS})


def place(machine, isa: str, x, y, links: str) -> None:
    """Write objects, each linked to the next by the member `links`."""
    (code, size), first = ("i", 16) if isa == "ppc601" else ("h", 12), machine.address("gObjects")
    order = ">" if machine.image.byte_order == "big" else "<"
    for i, (at_x, at_y) in enumerate(zip(x, y)):
        after = first + (i + 1) * size if i + 1 < len(x) else 0
        both = (after, 0) if links == "sector_link" else (0, after)
        machine.write(first + i * size, struct.pack(f"{order}2{code}2I", at_x, at_y, *both))


def flags(machine, count: int) -> list[int]:
    start = machine.address("gCollisionArray")
    return machine.mem[start : start + count].tolist()


@pytest.mark.first_case
@pytest.mark.parametrize(("isa", "build"), [(image.isa, image.build) for image in ROM.images])
def test_flags_are_the_oracles(isa, build):
    machine, rng = opened(isa, build), np.random.default_rng(1994)
    bits, form = 32 if isa == "ppc601" else 16, "macro" if build == "macros" else "inline"
    for count in (1, 50, 100, 200):
        x, y = rng.integers(0, 640, count).tolist(), rng.integers(0, 480, count).tolist()
        place(machine, isa, x, y, "obj_link")
        machine.call("_DetermineCollisions")
        assert flags(machine, count) == check(x, y, bits=bits, abs=form)[0]
    for x in ((-32768, 32760), (0, 29), (0, 30), (-32768, 0)):  # two of a sector, wherever they are
        place(machine, isa, x, (7, 7), "sector_link")
        machine.call("_ClearCollisionArray")
        machine.call("_CalcCollisionsInSector", machine.address("gObjects"))
        wraps = bits == 16 and form == "inline" and x in ((-32768, 32760), (-32768, 0))
        assert flags(machine, 2) == [int(wraps or x == (0, 29))] * 2, x


@pytest.mark.parametrize(("isa", "build"), BUILDS)
def test_lines_and_picture(isa, build):
    machine = opened(isa, build)
    assert machine.run(frames=4).reason == "frames"
    title, *lines = machine.text.splitlines()
    assert title == "Collision testing..." and len(lines) == 4
    found = [LINE.fullmatch(line).groups() for line in lines]
    assert [int(line[0]) for line in found] == [0, 50, 100, 200]
    for _, iterations, total, *fractions in found:
        iterations, total = int(iterations), int(total)
        each, rate = (int(whole) + int(part) / 100 for whole, part in (fractions[:2], fractions[2:]))
        assert iterations >= 1 and total >= 1000 * MILLISECONDS
        assert each == pytest.approx(total / iterations, abs=0.01) and each <= total / iterations
        assert rate == pytest.approx(1e6 * iterations / total, abs=0.01) and rate <= 1e6 * iterations / total
        if build == "ticks":
            assert total % 16666 == 0
    assert flags(machine, 200) == check(*corners(machine, isa), bits=32 if isa == "ppc601" else 16)[0]
    assert 0.05 < np.mean(machine.frame == 255) < 0.5
    machine.set_input("pad", FIRE)
    assert machine.run(frames=2).reason == "exit" and machine.exit_status == 0


def corners(machine, isa: str) -> tuple[list[int], list[int]]:
    scalar, size = (np.int32, 16) if isa == "ppc601" else (np.int16, 12)
    order = ">" if machine.image.byte_order == "big" else "<"
    start = machine.address("gObjects")
    rows = machine.mem[start : start + 200 * size].reshape(200, size)
    places = np.ascontiguousarray(rows[:, : size - 8]).view(np.dtype(scalar).newbyteorder(order))
    return places[:, 0].tolist(), places[:, 1].tolist()
