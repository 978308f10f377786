"""x86 clocks typed from the manuals, and the rules of the full model on programs that can be counted by hand."""

from __future__ import annotations

import pytest

from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.spec.sources import CONFIDENCE
from retrosim.cpu.x86.clocks import table
from retrosim.machine.boards import MAX_MEMORY_CLOCKS
from tests.helpers.cpu.x86_programs import core_with, run

FAST = [4, 7, 2, 10, 10]  # i486: first double word, line, write, video read, video write


def clocks(model: str, code: str, steps: int = 1, timing: str = "table", memory: list[int] | None = None, **registers):
    core = core_with(model, code, timing, **registers)
    core.state["memory"] = memory or [0] * 5
    evaluator, found = Evaluator(core), []
    for _ in range(steps):
        before = int(core.state["cycles"])
        evaluator.run(1)
        found.append(int(core.state["cycles"]) - before)
    return found


# code, i386, i486 (Intel 386 PRM 1986, i486 PRM 1990 appendix E)
PRINTED = [
    ("01d8", 2, 1), ("0103", 7, 3), ("0303", 6, 2), ("0500000000", 2, 1), ("830301", 7, 3),
    ("3b03", 6, 2), ("3903", 5, 2), ("8503", 5, 2), ("40", 2, 1), ("ff03", 6, 3), ("f71b", 6, 3),
    ("89d8", 2, 1), ("8b03", 4, 1), ("8903", 2, 1), ("b800000000", 2, 1), ("a100100000", 4, 1), ("8d4304", 2, 1),
    ("0fb603", 6, 3), ("0fbec3", 3, 3), ("8703", 5, 5), ("93", 3, 3), ("90", 3, 1),
    ("d1e0", 3, 3), ("c1e005", 3, 2), ("d3e0", 3, 3), ("d103", 7, 4), ("c1d005", 9, 8 + 22 * 5 // 31), ("d1d0", 9, 3),
    ("0fa4d805", 3, 2), ("0fadd8", 3, 3), ("0fa3d8", 3, 3), ("0fba2301", 6, 3), ("0fab03", 13, 13),
    ("50", 2, 1), ("58", 4, 1), ("ff33", 5, 4), ("60", 18, 11), ("61", 24, 9), ("9c", 4, 3), ("c9", 4, 5),
    ("c8000000", 10, 14), ("c8000001", 12, 17), ("c8000003", 15 + 4 * 2, 17 + 3 * 3),
    ("f6f1", 14, 16), ("f7f1", 38, 40), ("66f7f1", 22, 25), ("f7f9", 43, 43),
    ("f7e1", 9, 13), ("a4", 7, 7), ("a6", 10, 8), ("aa", 4, 5), ("ac", 5, 5), ("ae", 7, 6),
    ("7500", 7, 3), ("7400", 3, 1), ("e200", 11, 7), ("e300", 5, 5), ("eb00", 7, 3), ("e800000000", 7, 3),
    ("c3", 10, 5),
    ("27", 4, 2), ("d40a", 17, 15), ("d50a", 19, 14), ("d7", 5, 4), ("98", 3, 3), ("99", 2, 3), ("f8", 2, 2),
    ("0f94c0", 4, 3), ("0f9403", 5, 4), ("cf", 38, 20), ("e460", 6, 9),
]  # fmt: skip


@pytest.mark.parametrize("code, i386, i486", PRINTED)
def test_printed_clocks(code: str, i386: int, i486: int) -> None:
    registers = {"eax": 100, "ecx": 7, "edx": 0, "ebx": 0x2000, "ebp": 0x3000}
    assert clocks("i386_flat", code, **registers) == [i386]
    assert clocks("i486_flat", code, **registers) == [i486]


def test_branches_not_taken() -> None:
    assert clocks("i386_flat", "7500", zf=1) == [3]
    assert clocks("i486_flat", "7500", zf=1) == [1]
    assert clocks("i386_flat", "e200", ecx=1) == [11]
    assert clocks("i486_flat", "e200", ecx=1) == [6]


def test_m_is_spent_by_the_instruction_that_is_gone_to() -> None:
    """JMP 7+m: opcode 1; opcode and ModR/M 2; opcode, ModR/M, displacement and immediate 4; a prefix one more."""
    for target, m, alone in (("90", 1, 3), ("01d8", 2, 2), ("81430400000000", 4, 7), ("6601d8", 3, 2)):
        assert clocks("i386_flat", "eb00" + target, 2, ebx=0x2000) == [7, alone + m]
        assert clocks("i486_flat", "eb00" + target, 1, ebx=0x2000) == [3]


@pytest.mark.parametrize(
    "multiplier, i386, i486",
    [(0, 9, 13), (1, 9, 13), (8, 9, 13), (9, 10, 14), (0xFF, 14, 18), (0xFFFF, 22, 26), (0xFFFFFFFF, 38, 42)],
)
def test_multipliers_end_early(multiplier: int, i386: int, i486: int) -> None:
    """386: max(ceil(log2 m), 3) + 6; i486: 10 + max(log2 m, 3)."""
    assert clocks("i386_flat", "f7e1", ecx=multiplier) == [i386]
    assert clocks("i486_flat", "f7e1", ecx=multiplier) == [i486]


def test_negative_multipliers() -> None:
    assert clocks("i386_flat", "0fafc1", ecx=0xFFFFFFFF) == [9]
    assert clocks("i486_flat", "0fafc1", ecx=0xFFFFFFFF) == [15]  # least exponent 5


def test_scans() -> None:
    assert clocks("i386_flat", "0fbcc1", ecx=0x100) == [10 + 3 * 8]
    assert clocks("i386_flat", "0fbdc1", ecx=0x100) == [10 + 3 * 23]
    assert clocks("i486_flat", "0fbcc1", ecx=1) == [6]
    assert clocks("i486_flat", "0fbcc1", ecx=1 << 31) == [42]
    for code in ("0fbcc1", "0fbdc1", "660fbcc1", "660fbdc1"):  # PRM, BSF, operation: an operand of 0 is not searched
        assert clocks("i386_flat", code, ecx=0) == [10]
        assert clocks("i486_flat", code, ecx=0) == [6 + code.startswith("66")]


REPEATS = [  # code, fixed and each of the i386, of the i486 (1 or more)
    ("f3a4", 5, 4, 12, 3),
    ("f3aa", 5, 5, 7, 4),
    ("f3ac", 5, 6, 7, 4),
    ("f3a6", 5, 9, 7, 7),
    ("f2ae", 5, 8, 7, 5),
]


@pytest.mark.parametrize("code, fixed, each, fixed486, each486", REPEATS)
@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_repeats(code: str, fixed: int, each: int, fixed486: int, each486: int, count: int) -> None:
    registers = {"ecx": count, "esi": 0x2000, "edi": 0x3000, "eax": 1}
    steps = max(count, 1)
    assert sum(clocks("i386_flat", code, steps, **registers)) == fixed + each * count
    expected = {0: 5, 1: 13 if code == "f3a4" else fixed486 + each486}.get(count, fixed486 + each486 * count)
    assert sum(clocks("i486_flat", code, steps, **registers)) == expected
    assert sum(clocks("i486_flat", "67" + code, steps, **registers)) == expected + 1


def test_i486_prefixes_take_a_clock_each() -> None:
    assert clocks("i486_flat", "6601d8") == [2]
    assert clocks("i486_flat", "6667" + "8b03", ebx=0x2000) == [3]
    assert clocks("i386_flat", "6601d8") == [2]


def test_exceptions_cost_what_int_does() -> None:
    core = core_with("i386_real", "f7f1", "table", ecx=0)
    core.write(0, (0x500).to_bytes(4, "little"))
    run(core)
    assert core.state["cycles"] == 37 and core.state["refill"] == 1


# --- full model, i386


def test_the_queue_keeps_up_with_short_instructions() -> None:
    """2-byte instructions of 2 clocks need one byte a clock, the bus brings two."""
    found = clocks("i386_flat", "01d8" * 20, 20, "full")
    assert found == [2] * 20


def test_wait_states_limit_the_fetch() -> None:
    """With 3 wait states a double word takes 5 clocks: 2.5 clocks an instruction of 2 bytes and 2 clocks."""
    found = clocks("i386_flat", "01d8" * 60, 60, "full", [3, 0, 0, 0, 0])
    assert sum(found[20:60]) == pytest.approx(2.5 * 40, abs=3)


def test_a_target_across_double_words_is_waited_for() -> None:
    for place, wait in ((0, 0), (3, 2)):
        code = "eb" + f"{2 + place:02x}" + "90" * (2 + place) + "01d8" + "90" * 4
        assert clocks("i386_flat", code, 2, "full")[1] == 2 + 2 + wait


def test_data_wait_states_and_operands_across_double_words() -> None:
    waits = [0, 2, 3, 0, 20]
    assert clocks("i386_flat", "8b03", 1, "full", waits, ebx=0x2000) == [4 + 2]
    assert clocks("i386_flat", "8b03", 1, "full", waits, ebx=0x2002) == [4 + 2 + 2 + 2]
    assert clocks("i386_flat", "668b03", 1, "full", waits, ebx=0x2002) == [4 + 2]
    first, second = clocks("i386_flat", "8803 8803", 2, "full", waits, ebx=0x800000)
    assert first == 2 and second > 15  # a posted write to video memory, and one that waits for it


def test_wait_states_of_a_target_count_once() -> None:
    """3 for its first double word, 5 for another one."""
    for place, wait in ((0, 3), (3, 3 + 5)):
        code = "eb" + f"{2 + place:02x}" + "90" * (2 + place) + "01d8" + "90" * 4
        assert clocks("i386_flat", code, 2, "full", [3, 0, 0, 0, 0])[1] == 2 + 2 + wait


def test_the_accesses_of_an_instruction_follow_each_other() -> None:
    """PUSHA holds 2 clocks for each of 8 writes; a wait state each is one more for all that another one follows."""
    assert clocks("i386_flat", "60", 1, "full", [0, 0, 1, 0, 0]) == [18 + 7]
    assert clocks("i386_flat", "61", 1, "full", [0, 1, 0, 0, 0]) == [24 + 7]


def test_a_repeat_goes_at_the_speed_of_the_bus() -> None:
    """A read of 2 clocks and a write of 5: 7 an iteration, and no more behind it."""
    registers = {"ecx": 10, "esi": 0x2000, "edi": 0x3000}
    found = clocks("i386_flat", "f3a5 90 90 90 90 90 90 90 90", 14, "full", [0, 0, 3, 0, 0], **registers)
    assert found == [4, *[7] * 8, 9 + 3, 3, 3, 3, 3]


def test_an_exception_leaves_nothing_on_the_bus() -> None:
    """push, div by 0: the handler begins with an idle bus, although the write would still take long."""
    core = core_with("i386_real", "50 f7f1", "full", ecx=0)
    core.state["memory"] = [0, 0, MAX_MEMORY_CLOCKS, 0, 0]
    core.write(0, (0x500).to_bytes(4, "little"))
    run(core, 2)
    assert core.state["pc"] == 0x500 and core.state["bus_free"] == core.state["cycles"] < MAX_MEMORY_CLOCKS


# --- full model, i486


def warm(code: str, steps: int, **registers) -> list[int]:
    """Clocks of the second pass of a program that ends in a jump back to its start."""
    size = len(bytes.fromhex(code))
    loop = code + "eb" + f"{-(size + 2) & 0xFF:02x}"
    return clocks("i486_flat", loop, 2 * (steps + 1), "full", FAST, **registers)[steps + 1 : -1]


def test_address_generation_interlock() -> None:
    assert warm("89cb 8b03", 2, ecx=0x2000) == [1, 2]
    assert warm("89cb 90 8b03", 3, ecx=0x2000) == [1, 1, 1]
    assert warm("50 5b", 2) == [1, 1]  # PUSH and POP leave ESP ready
    assert warm("83c400 50 5b", 3) == [1, 2, 1]  # ADD ESP does not
    assert warm("b300 8b03", 2, ebx=0x2000) == [1, 3]  # a byte of the base: one more


def test_index_and_immediate_clocks() -> None:
    assert warm("8b0443", 1, ebx=0x2000, eax=0) == [2]  # scaled index
    assert warm("8b440304", 1, ebx=0x2000, eax=0) == [2]  # base, index, displacement
    assert warm("8b0433", 1, ebx=0x2000, esi=4) == [2]  # base and index: the manual makes no difference
    assert warm("c6430401", 1, ebx=0x2000) == [2]  # displacement and immediate


def test_prefixes_hide_behind_long_predecessors() -> None:
    assert warm("90 6601d8", 2) == [1, 2]
    assert warm("f7e1 6601d8", 2, ecx=1) == [13, 1]
    assert warm("6601d8 6601d8 6601d8", 3) == [2, 2, 2]  # what a prefix takes hides no other one
    assert warm("f7e1 90 6601d8", 3, ecx=1) == [13, 1, 1]  # decoded while NOP waited behind MUL
    assert warm("f7e1 90 90 6601d8", 4, ecx=1) == [13, 1, 1, 2]
    assert warm("83c302 668b03", 2, ebx=0x2000) == [1, 2]  # D2 would have had to wait for EBX as long


def test_bytes_of_registers() -> None:
    assert warm("00d8 01c1", 2) == [1, 2]  # AL is written, EAX read
    assert warm("00d8 88c1", 2) == [1, 1]  # AL is read
    assert warm("00d8 90 01c1", 3) == [1, 1, 1]
    assert warm("00d8 b805000000", 2) == [1, 1]  # EAX is not read
    assert warm("6601d8 01c1", 2) == [2, 1]  # a word: no source has a penalty


def test_a_repeat_is_not_a_jump_to_itself() -> None:
    """MOVS across the end of a line: the clock of a target across lines is not lost in every iteration."""
    registers = {"ecx": 5, "esi": 0x2000, "edi": 0x3000}
    found = clocks("i486_flat", "90" * 15 + "f3a4", 20, "full", [0] * 5, **registers)
    assert found[15:] == [3, 3, 3, 3, 12 + 3]


def test_readings_of_the_i386() -> None:
    for code, option, expected in (("8b0433", "free", 4), ("8b0433", "clock", 5), ("8b047300", "clock", 5)):
        core = core_with("i386_flat", code, "full", readings={"two-registers": option}, ebx=0x2000)
        assert run(core).state["cycles"] == expected
    for option, fixed in (("manual", 5), ("data-sheet", 8)):
        core = core_with("i386_flat", "f3a4", "table", readings={"string-moves": option}, ecx=9, esi=0x2000, edi=0x3000)
        assert run(core, 9).state["cycles"] == fixed + 4 * 9


def test_rotates_through_carry_and_multiplications_on_the_i386() -> None:
    """Those of memory were not timed through carry."""
    registers = {"ebx": 0x2000, "ecx": 0x7FFF}
    for code, manual, other in (
        ("d1d0", 9, 3), ("d3d8", 9, 8), ("c1d202", 9, 8), ("c0d803", 9, 8), ("d01b", 10, 10), ("d313", 10, 10),
        ("f7e1", 15 + 6, 15 + 9), ("f7e9", 15 + 6, 15 + 9), ("0fafc1", 15 + 6, 15 + 9), ("f6e1", 8 + 6, 8 + 9),
        ("6bc105", 3 + 6, 3 + 9), ("66f7e1", 15 + 6, 15 + 9), ("f723", 9 + 3, 12 + 3), ("f7f9", 43, 43), ("d3c0", 3, 3),
    ):  # fmt: skip
        for option, expected in (("manual", manual), ("timed", other)):
            readings = {"rotate-carry": option, "multiplier": option}
            core = core_with("i386_flat", code, "table", readings=readings, **registers)
            assert run(core).state["cycles"] == expected, (code, option)


def test_loops_on_the_i386() -> None:
    """One that goes on has the steps of JCXZ; one that ends takes what is printed."""
    for code, zf in (("e200", 0), ("e100", 1), ("e000", 0)):  # LOOP, LOOPE, LOOPNE
        for count, manual, microcode in ((7, 11, 9), (1, 11, 11)):
            for option, expected in (("manual", manual), ("microcode", microcode)):
                core = core_with("i386_real", code, "table", readings={"loop": option}, ecx=count, zf=zf)
                assert run(core).state["cycles"] == expected, (code, count, option)


def test_a_far_jump_on_the_i386() -> None:
    """Through memory; in protected mode nobody doubts what is printed."""
    for option, expected in (("manual", 43), ("listed", 17)):
        core = core_with("i386_real", "ff2e0020", "table", readings={"far-jump": option})
        assert run(core).state["cycles"] == expected and core.state["refill"]


def test_pop_of_memory_on_the_i486() -> None:
    """Of a register, 8F C0 takes the same with either option."""
    for model, address in (("i486_real", "0620"), ("i486_flat", "0500200000")):
        for option, memory in (("manual", 5), ("timed", 6)):
            for code, expected in ((f"8f{address}", memory), ("8fc0", 4)):
                core = core_with(model, code, "table", readings={"pop-memory": option}, esp=0x4000)
                assert run(core).state["cycles"] == expected


def test_loads_of_segment_registers_on_the_i486() -> None:
    """Printed 3/9: by mode as POP of one, less than LES; or of a register and memory."""
    for model, address in (("i486_real", "0620"), ("i486_flat", "0500200000")):
        for option, register, memory in (("modes", *((3, 3) if model == "i486_real" else (9, 9))), ("operands", 3, 9)):
            for code, expected in (("8ec0", register), (f"8e{address}", memory)):
                core = core_with(model, code, "table", readings={"segment-load": option})
                assert run(core).state["cycles"] == expected, (model, option, code)


def test_every_entry_says_where_it_is_from() -> None:
    for name, row in table().items():
        for part in ("i386", "i486"):
            has_clocks = any(row[f"{part}{form}"] for form in ("", " mem", " flat", " flat mem"))
            assert bool(row[f"{part} source"]) == has_clocks, name
            assert row[f"{part} confidence"] in CONFIDENCE if has_clocks else not row[f"{part} confidence"], name


def test_misaligned_operands() -> None:
    assert warm("8b03", 1, ebx=0x2002) == [4]
    assert warm("8903", 1, ebx=0x2003) == [4]


def test_cache_misses_and_hits() -> None:
    line = clocks("i486_flat", "8b03 8b4304 8b4310", 3, "full", FAST, ebx=0x2000)
    assert line[0] == 1 + 4 + 7  # code line, then behind it the data line: its first double word 4 after 7
    assert line[1] == 1 + 2  # the line is complete at 7 + 7, this begins at 12
    assert line[2] == 1 + 4  # the bus is free again


def test_four_ways_hold_four_lines_of_a_set() -> None:
    loads = ["a1" + (0x4100 + 0x800 * n).to_bytes(4, "little").hex() for n in range(5)]
    assert warm("".join(loads[:4]), 4) == [1, 1, 1, 1]
    assert sum(clocks > 1 for clocks in warm("".join(loads), 5)) >= 3  # the fifth drives out others


def test_four_write_buffers() -> None:
    stores = "8903" * 8
    found = warm(stores, 8, ebx=0x2000)
    assert found[:4] == [1, 1, 1, 1] and sum(found) > 8
