"""Damaged files of every format: a program comes out, or RomError in one line; quickly and in little memory.

--times N makes N times as many files.
"""

from __future__ import annotations

import random
import time
import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest
from fuzzing.work import scaled

from retrosim.errors import RomError
from retrosim.rom import Image
from retrosim.rom.formats import File, load_file
from retrosim.rom.image import RAM_END
from retrosim.rom.library import kit_folder
from tests.helpers.amount import amount
from tests.helpers.rom.program_files import hunk_program, mz_program, prg_program

SAMPLES = Path(__file__).parent / "samples"
WRITTEN = {
    "count.hunk": hunk_program(),
    "short.hunk": hunk_program(short=True),
    "count.prg": prg_program(),
    "count.exe": mz_program(),
}
NAMES = [
    *(f"count-{family}{kind}" for family in ("m68k", "i386", "ppc") for kind in (".o", "-relocs.elf", "-shared.elf")),
    *("count-i386-pic.o", "count-ppc-small.o", "count-m68k.a", "count-m68k.srec", "count-i386.ihex", "count.com"),
    *WRITTEN,
]
EDGES = (0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF)
FILES = len(NAMES) * amount(40, 100)
SEED = 1994
MAX_SECONDS, MAX_MEMORY = 1.0, 256 << 20


def content_of(name: str) -> bytes:
    return WRITTEN.get(name) or (SAMPLES / name).read_bytes()


def load(name: str, content: bytes) -> Image | None:
    """Return the image of a file, None if it is refused as it may be."""
    try:
        return load_file(File(Path(name), content, None if name.endswith((".o", ".a")) else "m68000", kit_folder()))
    except RomError as error:
        assert "\n" not in str(error) and len(str(error)) < 700, str(error)
        return None


def check(image: Image) -> None:
    """Check that a machine can be given an image: sorted segments inside RAM that do not overlap."""
    spans = sorted([(at, at + len(data)) for at, data in image.segments] + [(at, at + size) for at, size in image.bss])
    assert all(0x400 <= start < end <= RAM_END for start, end in spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert all(0 <= symbol.address < 1 << 32 for symbol in image.symbols.values())
    assert any(start <= image.entry < end for start, end in spans)


def damaged(content: bytes, draw: random.Random) -> bytes:
    """Return a file with some bytes changed, cut, repeated or moved; where headers are, more than elsewhere."""
    changed = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 4, 16))):
        place = draw.randrange(min(len(changed), 128)) if draw.random() < 0.4 else draw.randrange(len(changed))
        if (kind := draw.random()) < 0.75:
            changed[place] = draw.choice(EDGES) if draw.random() < 0.5 else draw.randrange(256)
        elif kind < 0.85:
            size = draw.choice((2, 4))
            changed[place : place + size] = draw.choice((b"\xff" * size, bytes(size), b"\x7f" + b"\xff" * (size - 1)))
        elif kind < 0.9:
            changed = changed[: place + 1]
        elif kind < 0.95:
            changed[place:place] = changed[place : place + draw.randrange(1, 64)]
        else:
            del changed[place : place + draw.randrange(1, 16)]
        if not changed:
            return b"\0"
    return bytes(changed)


@pytest.mark.parametrize("name", NAMES)
def test_files_as_they_are(name: str) -> None:
    image = load(name, content_of(name))
    assert image is not None
    check(image)


@pytest.mark.first_case
@pytest.mark.parametrize("name", NAMES)
def test_damaged_files(name: str) -> None:
    draw, content = random.Random(f"{SEED} {name}"), content_of(name)
    slowest, refused = 0.0, 0
    for _ in range(max(1, FILES // len(NAMES))):
        changed = damaged(content, draw)
        started = time.process_time()
        image = load(name, changed)
        slowest = max(slowest, time.process_time() - started)
        refused += image is None
        if image is not None:
            check(image)
    print(f"{name}: {refused} refused, slowest {slowest:.3f} s")
    assert slowest < scaled(MAX_SECONDS)


def longs(*values: int) -> bytes:
    return b"".join(value.to_bytes(4, "big") for value in values)


GREEDY = {
    "many.hunk": longs(0x3F3, 0, 1024, 0, 1023, *[0x3FFFFFFF] * 1024),
    "bss.hunk": longs(0x3F3, 0, 1, 0, 0, 0x3FFFFFFF, 0x3EB, 0x3FFFFFFF, 0x3F2),
    "count.hunk": longs(0x3F3, 0, 1, 0, 0, 4, 0x3E9, 4, 0, 0, 0, 0, 0x3EC, 0xFFFFFFFF, 0),
    "again.hunk": longs(0x3F3, 0, 1, 0, 0, 4, 0x3E9, 4, 0, 0, 0, 0, 0x3EC) + longs(0x70000, 0, *[0] * 0x70000, 0),
    "ends.hunk": longs(0x3F3, 0, 1, 0, 0, 4, 0x3E9, 4, 0, 0, 0, 0) + longs(0x3F2) * 1_000_000,
    "bss.prg": b"\x60\x1a" + longs(2, 0, 0xFFFFFFFF, 0, 0, 0) + b"\0\0Nu" + bytes(4),
    "steps.prg": b"\x60\x1a" + longs(4, 0, 0, 0, 0, 0) + b"\0\0" + bytes(4) + longs(2) + b"\1" * 4_000_000,
    "symbols.prg": b"\x60\x1a" + longs(2, 0, 0, 4_000_000, 0, 0) + b"\0\0Nu" + b"\x82" * 4_000_000,
    "relocations.exe": b"MZ" + b"\xff\xff" * 13 + bytes(4_000_000),
    "members.a": b"!<arch>\n" + (b" " * 48 + b"0         `\n") * 60_000,
    "long.srec": b"S1" + b"00" * 2_000_000,
    "lines.srec": b"S\n" * 2_000_000,
    "overlaps.ihex": b":01000000FF00\n" * 290_000,
    "scattered.ihex": b"".join(
        b":01%04X00AA%02X\n" % (at & 0xFFFF, -(1 + (at >> 8 & 255) + (at & 255) + 0xAA) & 255)
        for at in range(0, 400_000, 2)
    ),
    "empty.ihex": b"\n" * 4_000_000,
    "big.com": bytes(4_000_000),
}


@pytest.mark.first_case
@pytest.mark.parametrize("name", GREEDY)
def test_files_that_ask_for_much(name: str) -> None:
    content = GREEDY[name]
    started = time.process_time()
    image = load(name, content)
    seconds = time.process_time() - started
    assert seconds < scaled(MAX_SECONDS), f"{seconds:.2f} s"
    tracemalloc.start()
    load(name, content[: 1 << 18])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MAX_MEMORY
    if image is not None:
        check(image)
