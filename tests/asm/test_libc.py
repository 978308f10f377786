"""The kit's C library on every family, beside Python: digits and functions of floating point, memory, text, jumps."""

from __future__ import annotations

import math
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest

from retrosim import Machine
from retrosim.asm.linking import link_sources
from retrosim.errors import RomError
from retrosim.machine.presets import PRESETS
from retrosim.rom.formats.sources import COMPILERS

MACHINES = ("mc68000-8", "i386dx-33", "ppc601-80")
FORMATS = (
    "%5.2f|",
    "%-9.1f|",
    "%+.0f|",
    "%e|",
    "%.3E|",
    "%g|",
    "%G|",
    "%.14g|",
    "%.17g|",
    "%010.4f|",
    "%#g|",
    "% .20f|",
)
NUMBERS = (0.0, -0.0, 0.5, 2.5, -0.125, 999999.5, 0.1, 1e22, 1e23, 123456789.0, 5e-324, 1.7976931348623157e308)
NUMBERS += (9.5, 0.0001, 0.00001, 99999.95, 2.2250738585072011e-308)
INTEGERS = (("%d|", 42), ("%5d|", -42), ("%-5d|", 7), ("%05d|", -7), ("%+d|", 7), ("% d|", 7), ("%x|", 0xBEEF))
INTEGERS += (("%#X|", 0xBEEF), ("%.3d|", 7), ("%8.3d|", 7), ("%u|", 2000000000), ("%c|", 65), ("%%|", ()))
TEXTS = ("0.1", "-3.25e2", "1e-310", "1.7976931348623157e308", "1.7976931348623159e308", "4.9e-324", "2.4e-324", ".5")
TEXTS += ("123456789012345678901234567890", "2.2250738585072011e-308", "9007199254740993", "9007199254740993.0000001")
TEXTS += ("8.5e22", "1" + "0" * 60, "0." + "0" * 40 + "17", "inf", "6.0221409e+23", "0.30000000000000004")
FUNCTIONS = {"exp": (-700.5, -1.0, 1e-9, 0.7, 1.0, 709.5), "log": (5e-324, 0.3, 0.999999, 1.0, 10.0, 1e300)}
FUNCTIONS |= {"log10": (1e-5, 1.5, 1000.0, 1e22), "log2": (0.125, 3.0, 2.0**1000)}
FUNCTIONS |= dict.fromkeys(("sin", "cos", "tan"), (-1e-5, 0.5, 1.5707963267948966, 3.0, 355.0, 1e6, 1e22, 1.7e308))
FUNCTIONS |= {"atan": (-1e300, -1.0, 1e-9, 0.3, 2.0), "asin": (-1.0, -0.3, 0.99), "acos": (-1.0, -0.3, 0.99)}
FUNCTIONS |= dict.fromkeys(("sinh", "cosh", "tanh"), (-3.0, 1e-5, 0.3, 0.6, 20.5)) | {"cbrt": (27.0, -2.0, 1e-300)}
EXACT = {
    "sqrt": (2.0, 16.0, 5e-324, 1e300, 0.3),
    "floor": (-0.5, 2.7, 1e300),
    "ceil": (-0.5, 2.1),
    "trunc": (-2.7, 1e17),
}
EXACT |= {"fabs": (-0.0, -2.5)}
PAIRS = {
    "pow": ((2.5, 3.5), (10.0, 22.0), (2.0, -1074.0), (0.9, 5000.0), (-3.0, 3.0)),
    "hypot": ((3.0, 4.0), (1e300, 1e300)),
}
PAIRS |= {"atan2": ((1.0, -1.0), (-0.0, -1.0), (3.0, 1e-300)), "fmod": ((1e300, 7.0), (-5.5, 2.0), (1.0, 3.0))}
MAX_APART = 3  # units in the last place, of functions that are not exact


def apart(ours: float, theirs: float) -> int:
    """Return how many doubles lie between two."""
    words = [int(np.float64(each).view(np.int64)) for each in (ours, theirs)]
    first, second = (word if word >= 0 else -(1 << 63) - word for word in words)
    return abs(first - second)


def exact(number: float) -> str:
    """Return a C expression of a double by its bits."""
    return f"from({struct.unpack('<Q', struct.pack('<d', number))[0]:#x}ull)"


def printed() -> tuple[list[str], list[str]]:
    """Return statements that print, and what they must print."""
    lines, expected = [], []
    for number in NUMBERS:
        lines.append("".join(f'printf("{each}", {exact(number)});' for each in FORMATS))
        expected.append("".join(each % number for each in FORMATS))
    for form, number in INTEGERS:
        lines.append(f'printf("{form}"{f", {number}" if number != () else ""});')
        expected.append(form % number)
    for text in TEXTS:
        lines.append(f'printf("%.17g", strtod("{text}", NULL));')
        expected.append(f"{float(text):.17g}")
    return lines, expected


def computed() -> tuple[list[str], list[tuple[str, float, int]]]:
    """Return statements that print results, and for each what it is, its value, and how far off it may be."""
    lines, expected = [], []
    allowed = [(name, (number,), MAX_APART) for name, numbers in FUNCTIONS.items() for number in numbers]
    allowed += [(name, (number,), 0) for name, numbers in EXACT.items() for number in numbers]
    allowed += [(name, pair, 0 if name == "fmod" else MAX_APART) for name, pairs in PAIRS.items() for pair in pairs]
    for name, given, limit in allowed:
        lines.append(f'printf("%.17g", {name}({", ".join(map(exact, given))}));')
        judge = math if hasattr(math, name) and name not in ("floor", "ceil", "trunc") else np  # floats, -0.0 too
        expected.append((f"{name}{given}", float(getattr(judge, name)(*given)), limit))
    return lines, expected


@pytest.mark.full
@pytest.mark.parametrize("name", MACHINES)
def test_library(name: str, tmp_path: Path) -> None:
    commands = COMPILERS[PRESETS[name].isa].commands
    if not any(shutil.which(command[0]) for command in commands):
        pytest.skip(f"none of {', '.join(command[0] for command in commands)} is installed")
    lines = printed()[0] + computed()[0]
    (tmp_path / "printed.h").write_text("".join(f'{line} puts("");\n' for line in lines))
    path = Path(__file__).parent / "library.c"
    image = link_sources([path], name, flags=("-I", str(tmp_path)))
    machine = Machine(name, image, engine="interpret", timing="off")
    machine.run(instructions=200_000_000)
    *lines, last, failed = machine.text.splitlines()
    assert last == "end" and failed.endswith("assertion failed: value == 5")
    texts, results = printed()[1], computed()[1]
    assert lines[: len(texts)] == texts
    assert len(lines) == len(texts) + len(results)
    for line, (what, expected, limit) in zip(lines[len(texts) :], results):
        assert apart(float(line), expected) <= limit, (what, line, expected)


def test_a_header_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    if not any(shutil.which(command[0]) for command in COMPILERS["m68040"].commands):
        pytest.skip("no cross compiler is installed")
    path = tmp_path / "program.c"
    path.write_text("#include <sys/socket.h>\nint main(void) { return 0; }\n")
    with pytest.raises(RomError, match=r"sys/socket\.h: No such file.*there are assert\.h.*stdlib\.h") as raised:
        link_sources([path], "mc68040-25")
    assert "\n" not in str(raised.value)
