"""The kit on every family: floating point beside the host's (IEEE 754 too), bit for bit; headers for C."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from retrosim import Machine
from retrosim.asm.linking import link_sources
from retrosim.asm.project import FAMILIES
from retrosim.machine.presets import PRESETS
from retrosim.rom.formats.sources import COMPILERS
from retrosim.rom.image import family_of
from tests.helpers.amount import FULL

MACHINES = ("mc68000-8", "i386dx-33", "ppc601-80")
COMPUTED: dict[str, Callable] = {
    "__addsf3": np.add,
    "__subsf3": np.subtract,
    "__mulsf3": np.multiply,
    "__divsf3": np.divide,
}
COMPARED: dict[str, Callable] = {"__ltsf2": np.less, "__gesf2": np.greater_equal, "__eqsf2": np.equal}
CONVERTED = ("__floatsisf", "__fixsfsi", "__truncdfsf2")
# halfway cases, carries into the next exponent, the least normal and subnormal numbers, overflow, zeros, infinity, NaN
EDGES = (0x3F800001, 0xBF800000, 0x4B7FFFFF, 0x33800000, 0x00800000, 0x80000001, 0x7F7FFFFF, 0x80000000, 0xFF800000)
EDGES += (0x7FC00000, 0x00000000, 0x3EAAAAAB, 0xC2F6E979)
CALLS = {"m68k": " jsr {}\n", "i386": " call {}\n", "ppc": " bl {}\n"}


def bits(number: np.floating) -> int:
    return 0x7FC00000 if np.isnan(number) else int(np.float32(number).view(np.uint32))


def single(pattern: int) -> np.float32:
    return np.uint32(pattern).view(np.float32)


@pytest.mark.first_case
@pytest.mark.parametrize("name", MACHINES)
def test_floating_point(name: str, tmp_path: Path) -> None:
    call = CALLS[FAMILIES[family_of(PRESETS[name].isa).machine]]
    source = tmp_path / "calls.s"
    source.write_text("_start:\n" + "".join(map(call.format, (*COMPUTED, *COMPARED, *CONVERTED))))
    machine = Machine(name, link_sources([source], name), engine="interpret", timing="off")
    is_big = family_of(PRESETS[name].isa).byte_order == "big"
    random = np.random.default_rng(754)
    pairs = [(EDGES[i], EDGES[j]) for i, j in random.integers(0, len(EDGES), (12 if FULL else 7, 2)).tolist()]
    pairs += random.integers(0, 1 << 32, (6 if FULL else 3, 2)).tolist()
    with np.errstate(all="ignore"):
        for a, b in pairs:
            for routine, operation in COMPUTED.items():
                assert machine.call(routine, a, b) & 0xFFFFFFFF == bits(operation(single(a), single(b))), (
                    routine,
                    a,
                    b,
                )
            for routine, operation in COMPARED.items():
                signed = machine.call(routine, a, b)
                is_true = {"__ltsf2": signed < 0, "__gesf2": signed >= 0, "__eqsf2": signed == 0}[routine]
                assert is_true == operation(single(a), single(b)), (routine, a, b)
            assert machine.call("__floatsisf", a) & 0xFFFFFFFF == bits(np.float32(np.int32(np.uint32(a))))
            double = int(np.float64(np.uint64(a << 32 | b).view(np.float64)).view(np.uint64))
            words = (double >> 32, double & 0xFFFFFFFF)
            narrow = bits(np.float32(np.uint64(double).view(np.float64)))
            assert machine.call("__truncdfsf2", *(words if is_big else words[::-1])) & 0xFFFFFFFF == narrow
        for number in (0.0, 0.99, -1.5, 8388607.5, -123456.7):
            assert (
                machine.call("__fixsfsi", bits(np.float32(number))) & 0xFFFFFFFF == int(np.float32(number)) & 0xFFFFFFFF
            )


STRINGS = """
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static char text[64];

int _start(void)
{
    int wrong = 0;

    wrong |= (CHAR_BIT != 8 || INT_MAX != 0x7FFFFFFF || INT_MIN >= 0 || UINT_MAX != 0xFFFFFFFFu) << 0;
    wrong |= (UCHAR_MAX != 255 || USHRT_MAX != 0xFFFF || LONG_MIN + LONG_MAX != -1 || ULLONG_MAX + 1 != 0) << 1;
    wrong |= (strlen(strcat(strcpy(text, "collision"), "s")) != 10 || strcmp(text, "collisions")) << 2;
    wrong |= (strcmp("abc", "abd") >= 0 || strcmp("\\377", "a") <= 0 || strcmp("ab", "abc") >= 0) << 3;
    wrong |= (strncmp("abc", "abd", 2) || strncmp("abc", "abd", 3) >= 0 || strncmp("a", "b", 0)) << 4;
    wrong |= (strchr(text, 'l') != text + 2 || strchr(text, 'x') || strchr(text, 0) != text + 10) << 5;
    wrong |= (memcmp(memmove(text + 1, text, 10), "collisions", 10) || memset(text, 7, 3) != text) << 6;
    return wrong;
}
"""


@pytest.mark.parametrize("name", MACHINES)
def test_headers(name: str, tmp_path: Path) -> None:
    commands = COMPILERS[PRESETS[name].isa].commands
    if not any(shutil.which(command[0]) for command in commands):
        pytest.skip(f"none of {', '.join(command[0] for command in commands)} is installed")
    source = tmp_path / "strings.c"
    source.write_text(STRINGS)
    machine = Machine(name, link_sources([source], name), engine="interpret", timing="off")
    assert machine.call("_start") == 0
    source.write_text("#include <string.h>\nint _start(void) { return MINE; }")
    (tmp_path / "string.h").write_text("#define MINE 5\n")
    own = link_sources([source], name, flags=("-I", str(tmp_path)))
    assert Machine(name, own, engine="interpret", timing="off").call("_start") == 5
