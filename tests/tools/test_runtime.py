"""roms/common/runtime: what GCC calls by itself computes what C says; the ROM is made for the test."""

from __future__ import annotations

import random

import build_roms
import pytest
from image_builder import BuildError

from retrosim.machine import Machine, open_machine
from retrosim.rom import load_rom, load_toolchains

MANIFEST = """
format = 1
name = "runtime"
title = "Calls of the runtime"
library = true
[build]
sources = ["src/runtime.c"]
[[images]]
isa = "m68000"
"""
SOURCE = """
typedef unsigned long size_t;
void *memset(void *, int, size_t), *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t);
int memcmp(const void *, const void *, size_t);

int Product(int a, int b) { return a * b; }
int Quotient(int a, int b) { return a / b; }
int Remainder(int a, int b) { return a % b; }
unsigned UnsignedQuotient(unsigned a, unsigned b) { return a / b; }
unsigned UnsignedRemainder(unsigned a, unsigned b) { return a % b; }
void Fill(char *a, int value, int size) { memset(a, value, size); }
void Copy(char *a, const char *b, int size) { memcpy(a, b, size); }
void Move(char *a, const char *b, int size) { memmove(a, b, size); }
int Compare(const char *a, const char *b, int size) { return memcmp(a, b, size); }
"""
ODD = 0x9001  # address of bytes that are written


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    try:
        build_roms.check_compiler(load_toolchains().by_name["m68k"])
    except BuildError as error:
        pytest.skip(f"images cannot be built here: {error}")
    folder = tmp_path_factory.mktemp("roms") / "runtime"
    (folder / "src").mkdir(parents=True)
    (folder / "rom.toml").write_text(MANIFEST)
    (folder / "src" / "runtime.c").write_text(SOURCE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build_roms, "ROMS", folder.parent)
        assert build_roms.main([]) == 0
    return open_machine("mc68000-8", load_rom(folder), engine="evaluate", timing="off")


def signed(word: int) -> int:
    return word - 2**32 if word >= 2**31 else word


def operands() -> list[tuple[int, int]]:
    draw, edges = random.Random(68000), (1, 2, 255, 256, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
    pairs = [(a, b) for a in (0, *edges) for b in edges]
    return pairs + [
        (draw.getrandbits(draw.randint(1, 32)), draw.getrandbits(draw.randint(1, 32)) or 1) for _ in range(60)
    ]


@pytest.mark.full
def test_arithmetic_of_long_words(machine: Machine) -> None:
    for a, b in operands():
        x, y = signed(a), signed(b)
        quotient = abs(x) // abs(y) * (-1 if (x < 0) != (y < 0) else 1)
        expected = {
            "Product": x * y,
            "Quotient": quotient,
            "Remainder": x - quotient * y,
            "UnsignedQuotient": a // b,
            "UnsignedRemainder": a % b,
        }
        found = {name: machine.measure(name, a, b, warm=0).result for name in expected}
        assert found == {name: value % 2**32 for name, value in expected.items()}, f"{a:#x}, {b:#x}"


def test_memory_at_odd_addresses(machine: Machine) -> None:
    text = bytes(range(20))

    def after(routine: str, *words: int) -> bytes:
        machine.write(ODD, text)
        machine.measure(routine, *words, warm=0)
        return bytes(machine.mem[ODD : ODD + len(text)])

    assert after("Fill", ODD + 1, 7, 5) == text[:1] + b"\7" * 5 + text[6:]
    assert after("Fill", ODD + 1, 7, 0) == text
    assert after("Copy", ODD, ODD + 10, 3) == text[10:13] + text[3:]
    assert after("Move", ODD + 2, ODD, 8) == text[:2] + text[:8] + text[10:]
    assert after("Move", ODD, ODD + 2, 8) == text[2:10] + text[8:]
    machine.write(ODD, b"abcabd")
    compared = [signed(machine.measure("Compare", ODD, ODD + 3, size, warm=0).result) for size in (0, 2, 3)]
    assert compared == [0, 0, -1] and machine.measure("Compare", ODD + 3, ODD, 3).result == 1
