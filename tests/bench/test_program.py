"""`bench program`: a program of the user's own beside others, and natively."""

from pathlib import Path

import pytest

from retrosim.bench.contenders import find_compiler
from retrosim.bench.peers import STEP, Services
from retrosim.bench.program import NativeSources, benchmark_own
from retrosim.errors import RetrosimError

COUNT = """_start: move.l #20000,d7
loop:   subq.l #1,d7
        bne loop
        dc.w 0xA001             ; the clock, twice
        dc.w 0xA001
        move.l d0,time
        move.l #time,d0
        moveq #4,d1
        dc.w 0xA003             ; write its second answer
        moveq #7,d0
        dc.w 0xA002
time:   dc.l 0
"""
PROGRAM = """#include <stdarg.h>
unsigned microseconds(void);
void write_text(const char *, unsigned);
int printf(const char *text, ...) { write_text(text, 3); return 3; }
main() { microseconds(); printf(microseconds() == 2000000 ? "yes" : "no!"); }
"""
HOSTS = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **names) { printf("%g %g %d\\n", sqrt(16), fabs(-0.5), count + !!names[0]); exit(3); }
"""


@pytest.mark.full
def test_every_engine_ends_with_the_same_text(tmp_path: Path) -> None:
    source = tmp_path / "count.s"
    source.write_text(COUNT)
    options = {"machines": ["mc68040-25"], "rounds": 1, "seconds": 0.001}
    found = benchmark_own([str(source)], engines=["interpret-table", "unicorn", "musashi", "native-c"], **options)
    measured = {case["engine"]: case for case in found["cases"]}
    assert {case["error"] for case in found["cases"]} == {None}
    assert measured["interpret-table"]["instructions_per_second"] > 1e6
    assert "there are no C sources" in {each["engine"]: each["reason"] for each in found["skipped"]}["native-c"]
    assert found["verdict"].startswith("count on mc68040-25") and "texts are equal" in found["verdict"]


@pytest.mark.skipif(find_compiler() is None, reason="no C compiler is installed")
def test_a_program_runs_natively_with_a_library_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(PROGRAM)
    assert NativeSources([tmp_path / "p.c"], (), tmp_path).run(2).result == b"yes"
    (tmp_path / "p.c").write_text(HOSTS)
    assert NativeSources([tmp_path / "p.c"], (), tmp_path).run(1).result == b"4 0.5 0\n"
    (tmp_path / "p.c").write_text("void start(void) {}")
    with pytest.raises(RetrosimError, match="error"):
        NativeSources([tmp_path / "p.c"], (), tmp_path)


def test_a_program_that_does_not_end_by_itself(tmp_path: Path) -> None:
    source = tmp_path / "fault.s"
    source.write_text("_start: dc.w 0x4AFC\n")
    with pytest.raises(RetrosimError, match="illegal instruction"):
        benchmark_own([str(source)], machines=["mc68000-8"])
    with pytest.raises(ValueError, match="a program that ends by itself"):
        benchmark_own(["sectors"], machines=["mc68000-8"])


def test_services_answer_everybody_alike() -> None:
    registers = {"r3": 0, "r4": 0}
    services = Services(registers.__getitem__, registers.__setitem__, lambda at, size: b"x" * size, ("r3", "r4"))
    assert [services.serve(number) for number in (0, 1, 1)] == [False] * 3
    assert registers == {"r3": 2 * STEP, "r4": 0}
    registers["r4"] = 1 << 30
    assert not services.serve(3) and services.serve(2)
    assert services.outcome() == (2 * STEP).to_bytes(4, "big") + b"x" * 4096
    with pytest.raises(ValueError, match="service 9"):
        services.serve(9)
