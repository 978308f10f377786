"""Programs that run wild end with a clear reason or their budget: random images harm nothing and hang nothing.

Random images by default with one timing on each machine, and exceptions nested 3000 deep; --full: both
timings, and 16 MiB of exceptions.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.helpers.amount import FULL, SOAK, amount, usually
from tests.helpers.machine import programs, wild
from tests.helpers.machine.programs import COMPILED, ENGINES, MACHINES

IMAGES = amount(160, 160)  # in all, --full --times 600 takes half an hour of one CPU
CHECKED = 40  # each of so many is run on the evaluator too
SEED = 1_000_000  # number of the first image
SECONDS = 600  # for a run of no images; and for each image, most of which take 5 ms
SECONDS_EACH = 1.0
STACK = 24_000  # bytes of exceptions that nest by default
TIMINGS = [(name, timing) for name in MACHINES for timing in ("full", "off")]
if not SOAK:
    TIMINGS = usually([("mc68000-8", "off"), ("mc68040-25", "full")], TIMINGS)


@pytest.mark.full
@pytest.mark.parametrize(("name", "timing"), TIMINGS)
@pytest.mark.parametrize("engine", COMPILED[:1])
def test_random_images(engine: str, name: str, timing: str, tmp_path: Path) -> None:
    """In a process of their own: a crash or a hang of the host is a failure that names the image."""
    count, progress, began = IMAGES // (2 * len(MACHINES)), tmp_path / "image", time.monotonic()
    arguments = (name, timing, engine, str(SEED), str(count), str(CHECKED), str(progress))
    try:
        done = subprocess.run(
            [sys.executable, "-m", wild.__name__, *arguments],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            timeout=SECONDS + SECONDS_EACH * count,
        )
    except subprocess.TimeoutExpired as slow:
        pytest.fail(
            f"{name} {timing}: {count} images take more than {slow.timeout:.0f} s, now at {progress.read_text()}"
        )
    assert done.returncode == 0, (
        f"{name} {timing}: status {done.returncode} at image {progress.read_text()}\n{done.stderr}"
    )
    found = json.loads(done.stdout)
    print(f"{name} {timing}: images {SEED}..{SEED + count - 1}, {time.monotonic() - began:.0f} s: {found}")
    assert sum(found["reasons"].values()) == count
    assert found["compared"] == len(range(-SEED % CHECKED, count, CHECKED))
    assert count < 100 or {"instructions", "fault: illegal instruction"} < found["reasons"].keys()


def machine(name: str, engine: str, code: str, *more: tuple[int, str], timing: str = "off"):
    ours = programs.complete(name, programs.image(code, isa=MACHINES[name]), engine=engine, timing=timing)
    for address, content in more:
        ours.write(address, bytes.fromhex(content))
    return ours


@pytest.mark.full
@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("engine", COMPILED)
def test_an_exception_storm_ends_with_its_budget(engine: str, name: str) -> None:
    """The illegal instruction handler is illegal: exceptions nest until the stack has come round to it."""
    ours = machine(name, engine, "4afc 4afc", (8, "00001000" * 62), timing="full")
    if not FULL:
        ours.regs["a7"] = programs.ENTRY + STACK
    depth = (ours.regs["a7"] - programs.ENTRY) // 8  # frames of 6 or 8 bytes
    result = ours.run(instructions=depth * 11 // 8)
    assert result.reason in ("instructions", "fault") and result.instructions > depth


@pytest.mark.parametrize("engine", ENGINES)
def test_behind_the_last_byte_comes_the_first(engine: str) -> None:
    """move.l #n,(a0)+; bra, over the end of memory."""
    ours = machine("mc68040-25", engine, "20fc 1234 5678 60f8")
    ours.regs["a0"] = 0xFFFF01
    ours.run(instructions=1000)
    assert ours.mem[0xFFFFFD:].tobytes().hex() == "123456" and ours.mem[:5].tobytes().hex() == "7812345678"
    wild.check(ours.core, len(ours.core.ram))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_jump_into_noughts_goes_round_memory(engine: str) -> None:
    """0000 0000 is ori.b #0,d0: from the end of memory a program slides on at its first address."""
    ours = machine("mc68040-25", engine, "4ef9 00ff fff0")
    ours.mem[0xFFFFF0:] = 0
    result = ours.run(instructions=1 + 4 + 2)
    assert (result.reason, result.pc) == ("instructions", 8)


@pytest.mark.parametrize("timing", ["off", "full"])
@pytest.mark.parametrize("engine", ENGINES)
def test_writes_to_code_far_apart_cost_what_is_decoded(engine: str, timing: str) -> None:
    """cas2 into code at both ends of memory, again and again: 16 MiB lie between, nothing is searched there.

    1000 lea $1018,a0  1004 lea $fff000,a1  100a move.l #$60fe,d1 and d2  1014 cas2.w d1:d1,d2:d2,(a0):(a1)  101a bra
    """
    code = "41f8 101c 43f9 00ff f000 223c 0000 60fe 3401 0cfc 8081 9081 60f8 60fe"
    ours = machine("mc68040-25", engine, code, (0xFFF000, "60fe"), timing=timing)
    ours.listing(0x101C), ours.listing(0xFFF000)  # decodes them
    assert ours.run(instructions=200).reason == "instructions"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_stopped_machine_without_a_handler_ends(engine: str) -> None:
    """stop #$2000; the tick finds no handler: the same fault as when it comes while the program runs."""
    ours = machine("mc68040-25", engine, "4e72 2000 60fe", timing="full")
    result = ours.run(cycles=1_000_000)
    assert (result.reason, result.fault.reason) == ("fault", "exception vector 25")


@pytest.mark.parametrize("engine", ENGINES)
def test_an_interrupt_of_a_stopped_machine_may_overwrite_code(engine: str) -> None:
    """The stack is in the code: the frame of the tick that ends STOP lies over what the handler goes to.

    1000 lea $1018,sp  1004 bra 1014 or after a round 1008 stop #$2000; 1014 addq.l #1,d0; 1016 bra 1008;
    the frame has its program counter, 0000 100c, at 1012; the handler goes to 1012: ori.b #12,d0, then 1016
    """
    code = "4ff8 1018 600e 4e71 4e72 2000 4e71 4e71 4e71 4e71 5280 60f0"
    ours = machine("mc68040-25", engine, code, (0x64, "0000 1100"), (0x1100, "4ef8 1012"), timing="full")
    ours.run(instructions=3)
    assert ours.regs["d0"] == 1
    ours.run(until=0x1012, instructions=10)
    assert ours.listing(0x1012)[0].endswith("ORI.b #$c,d0")
    ours.run(instructions=1)
    assert ours.regs["d0"] == 13


@pytest.mark.parametrize("engine", ENGINES)
def test_a_traced_instruction_that_writes_code_is_traced(engine: str) -> None:
    """move #$a700,sr; move.w #$5480,$100c; nop; addq.l #1,d0: the trace handler counts in d7 what was traced."""
    code = "46fc a700 31fc 5480 100c 4e71 5280 60fe"
    ours = machine("mc68040-25", engine, code, (0x24, "0000 1100"), (0x1100, "5287 4e73"), timing="full")
    ours.run(until=0x100E, instructions=20)
    assert (ours.regs["d0"], ours.regs["d7"]) == (2, 3)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_exception_with_an_odd_handler_is_an_address_error(engine: str) -> None:
    """chk d1,d0 out of bounds, move to sr as a user, trap #0: their vectors are odd, that of address errors is not."""
    for code in ("70ff 7205 4181", "7000 46fc 0000 46c0", "7000 4e71 4e40"):
        odd = [(4 * vector, "0000 1101") for vector in (6, 8, 32)]
        ours = machine("mc68000-8", engine, code, *odd, (0xC, "0000 1100"), (0x1100, "60fe"), timing="full")
        result = ours.run(until=0x1100, instructions=10)
        assert (result.reason, ours.mem[ours.regs["a7"] + 2 :][:4].tobytes().hex()) == ("until", "00001101")
