"""Random images on the PCs end with a clear reason or their budget."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from retrosim.errors import CpuFault
from retrosim.machine import Machine
from retrosim.rom import Image
from retrosim.rom.lines import LineTable
from retrosim.rom.symbols import SymbolTable
from tests.helpers.amount import FULL, amount
from tests.helpers.machine import programs

IMAGES = amount(4, 8)
BUDGET = 1000 if FULL else 400  # instructions
SEED = 2015


def random_image(isa: str, seed: int) -> Image:
    """Return an image of 1 KiB of noise at 0x1000, with handlers for all vectors somewhere in it or nowhere."""
    noise = random.Random(seed)
    code = noise.randbytes(1024)
    vectors = b"".join(
        noise.choice((0, 0x1000 + noise.randrange(1024), noise.getrandbits(32))).to_bytes(4, "big") for _ in range(64)
    )
    segments = [(0x8, vectors[8:]), (0x1000, code)]
    return Image(
        isa, "noise", 0x1000 + 2 * noise.randrange(512), segments, [], "0" * 64, SymbolTable({}), LineTable([], [])
    )


@pytest.mark.first_case
@pytest.mark.parametrize("boot", ["flat", "real"])
@pytest.mark.parametrize("name", ["i386dx-33", "i486dx2-66"])
def test_random_images_of_the_pcs(name: str, boot: str) -> None:
    """With handlers behind the vectors; the tick comes often."""
    empty = replace(random_image(name[:4], 0), boot=boot)
    machine = Machine(name, empty, engine="evaluate")
    reasons: dict[str, int] = {}
    for seed in range(IMAGES):
        noise = random.Random(SEED + seed)
        image = replace(random_image(name[:4], SEED + seed), boot=boot, entry=0x1000 + noise.randrange(1024))
        machine.image = image
        machine.reset()
        gates = b"".join(
            (0x1000 + noise.randrange(1024)).to_bytes(4, "little") + (b"" if boot == "real" else b"\0\x8e\0\0")
            for _ in range(128 if boot == "flat" else 256)
        )
        machine.write(0, gates[:1016])
        machine.regs["ebx"], machine.regs["esp"] = 0x800000 + seed, (0xF00000, 0, 0x100001, 0xFFFFFFFE)[seed % 4]
        machine._wait_until(machine._next_tick - noise.randrange(3000))
        result = machine.run(instructions=BUDGET, cycles=10_000_000)
        reasons[result.reason] = reasons.get(result.reason, 0) + 1
        assert result.reason in ("instructions", "cycles", "exit", "fault")
        assert (result.fault is None) == (result.reason != "fault")
        assert result.fault is None or isinstance(result.fault, CpuFault)
        assert result.instructions <= BUDGET
    print(f"{name} {boot}: {reasons}, seeds from {SEED}")
    assert len(reasons) > 1


def test_the_machine_hash_does_not_depend_on_slicing() -> None:
    """Through address 0, which is no shadow of anything; through one that a pop of SS or STI leaves behind."""
    for code in ("b8 00000000 ffe0", "fb 90 ebfc", "1e 17 90 ebfb"):  # jmp 0; sti; push ds, pop ss
        hashes = set()
        for size in (10, 1, 3):
            machine = programs.machine(code, name="i386dx-33")
            machine.write(0, bytes.fromhex("ebfe"))
            done = 0
            while done < 10:
                done += machine.run(instructions=min(size, 10 - done)).instructions
            hashes.add(machine.hash("machine"))
        assert len(hashes) == 1
