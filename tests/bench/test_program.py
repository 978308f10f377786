"""`bench program`: a program of the user's own beside others, and natively."""

from pathlib import Path

import pytest

from retrosim.bench.program import benchmark_program
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


@pytest.mark.full
def test_every_engine_ends_with_the_same_text(tmp_path: Path) -> None:
    source = tmp_path / "count.s"
    source.write_text(COUNT)
    options = {"machines": ["mc68040-25"], "rounds": 1, "seconds": 0.001}
    result = benchmark_program([str(source)], engines=["interpret-table", "unicorn", "musashi", "native-c"], **options)
    measured = {case.engine: case for case in result.cases}
    assert {case.error for case in result.cases} == {None}
    assert measured["interpret-table"].machine_code.instructions_per_second > 1e6
    assert "there are no C sources" in {skipped.engine: skipped.reason for skipped in result.skipped}["native-c"]
    assert result.verdict.startswith("count on mc68040-25") and "texts are equal" in result.verdict
    assert result.goals == [] and result.method.compared == "exit status and text"


def test_a_program_that_does_not_end_by_itself(tmp_path: Path) -> None:
    source = tmp_path / "fault.s"
    source.write_text("_start: dc.w 0x4AFC\n")
    with pytest.raises(RetrosimError, match="illegal instruction"):
        benchmark_program([str(source)], machines=["mc68000-8"])
    with pytest.raises(ValueError, match="a program that ends by itself"):
        benchmark_program(["sectors"], machines=["mc68000-8"])
