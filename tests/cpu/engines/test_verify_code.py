"""Emitted code stays in its memory, which the verifier proves; it says so when a mask, a bound or an index is wrong.

--full takes every handler of every model and every ROM with every timing; without it
a handler of each row with the table, a sample of the others, and every third region of one ROM.
"""

from __future__ import annotations

import copy
import itertools
import operator
import random
import re

import pytest

from retrosim.cpu.engines.clock_table import memo_emit, memo_region
from retrosim.cpu.engines.emit import CONTEXT_ENTRIES, POINTER_BYTES, Emitter
from retrosim.cpu.engines.handlers.handlers import FIELDS_WORD, Chain, HandlerEmitter
from retrosim.cpu.engines.regions import recompile
from retrosim.cpu.engines.regions.recompile import RegionEmitter
from retrosim.cpu.engines.regions.regions import discover
from retrosim.cpu.m68k import mc68040_cache
from retrosim.cpu.ppc import mpc601_cache
from retrosim.cpu.spec import semantics
from retrosim.cpu.spec.cpu import ADDRESS_MASK, Cpu
from retrosim.cpu.spec.semantics import ExecutionContext
from retrosim.cpu.spec.values import Word
from retrosim.cpu.x86 import i486_cache
from retrosim.machine import open_machine
from tests.helpers.amount import FULL
from tests.helpers.cpu.code_ranges import BINARY, CodeFunction, Ranges, compared, full
from tests.helpers.cpu.emitted_code import (
    MODELS,
    apart,
    cpu_of,
    decoded,
    field_ranges,
    handlers_text,
    region_text,
    verify_handlers,
    verify_regions,
)
from tests.helpers.cpu.field_ranges import insns_of
from tests.helpers.cpu.verify_code import CODE, INDEX, RAM, RECORD, SLOT, STATE, Report, verify
from tests.helpers.machine.flat import MACHINES

IS_LONG = FULL
SOME = [model for model in MODELS if model not in ("i386_flat", "i486_real")]  # each processor and each mode
SAMPLED = {"table": 4, "full": 24, "causes": 48, "off": 48}  # every so manieth handler; and with the table one a row
ROMS = ("sectors", "xquest", "tanks", "shooter", "objects") if IS_LONG else ("sectors",)
BITS, MASK = 16, 0xFFFF  # of the words that the intervals of operators are tried on


def proved(report: Report, *bases: str) -> Report:
    """Check that there was something to prove, and that it is proved."""
    print(report)
    assert not report.faults, "\n".join(report.faults[:20])
    for base in bases:
        assert report.accesses[base] > 0, base
    return report


def timings(cpu: Cpu) -> list[str]:
    """Return the timings that are models of their own, the table first."""
    models = {cpu.timing[name]: name for name in sorted(cpu.timing, key=lambda name: name == "table")}
    return sorted(models.values(), key=lambda name: name != "table")


@pytest.mark.full
@pytest.mark.parametrize("model", MODELS if IS_LONG else SOME)
def test_handlers_stay_in_their_memory(model: str) -> None:
    """Those of all rows, undefined encodings and all; what they hold of records is what decoding gives."""
    cpu, ranges = cpu_of(model), field_ranges(model)
    handlers = list(cpu.handlers())
    one_each = {row.key: number for number, (row, _) in enumerate(handlers)}
    for timing in timings(cpu):
        wanted = {*range(3, len(handlers), SAMPLED[timing]), *(one_each.values() if timing == "table" else ())}
        part = handlers if IS_LONG else [handlers[number] for number in sorted(wanted)]
        report = verify_handlers(cpu, timing, part, ranges)
        assert report.functions >= len(part)
        proved(report, *((RAM, CODE, STATE, RECORD, INDEX, SLOT) if timing == "table" else (STATE, RECORD)))


@pytest.mark.first_case
@pytest.mark.parametrize("model", MODELS if IS_LONG else SOME)
def test_regions_of_every_row_stay_in_their_memory(model: str) -> None:
    """An instruction of each row, or of each handler, with literal operands, in regions of a hundred."""
    cpu = cpu_of(model)
    insns = insns_of(cpu)
    if not IS_LONG:
        insns = list({insn.row.key: insn for insn in insns}.values())
    assert {insn.row.key for insn in insns} == {row.key for row in cpu.table.rows}
    for timing in timings(cpu)[: None if IS_LONG else 1]:
        regions = [apart(insns[start : start + 100]) for start in range(0, len(insns), 100)]
        proved(verify_regions(cpu, timing, regions), RAM, CODE, STATE, RECORD, INDEX, SLOT)


@pytest.mark.first_case
@pytest.mark.parametrize("rom", ROMS)
@pytest.mark.parametrize("name", MACHINES)
def test_regions_of_programs_stay_in_their_memory(name: str, rom: str) -> None:
    machine = open_machine(name, rom, engine="evaluate")
    regions, cpu = discover(machine.core, machine.code_roots), machine.core.cpu
    assert len(regions) > 3
    regions = regions if IS_LONG else regions[::3]
    for timing in timings(cpu) if IS_LONG else ["full"]:
        proved(verify_regions(cpu, timing, regions), RAM, CODE, STATE, RECORD, INDEX, SLOT)


# what is planted is found


def some_handlers(cpu: Cpu, *names: str) -> list:
    found = [(row, statics) for row, statics in cpu.handlers() if row.name in names]
    assert found
    return found


def faults_of(model: str, timing: str, *names: str) -> list[str]:
    cpu = cpu_of(model)
    ranges = field_ranges(model)
    return verify_handlers(cpu, timing, some_handlers(cpu, *names), ranges).faults


MOVES = {"68k": "MOVE", "flat x86": "MOV", "real x86": "MOV", "PowerPC": "lwzx"}


@pytest.mark.full
@pytest.mark.parametrize("model", MODELS)
def test_a_missing_mask_is_found(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not faults_of(model, "off", MOVES[MODELS[model]])
    monkeypatch.setattr(ExecutionContext, "_location", lambda self, address: address)
    found = faults_of(model, "off", MOVES[MODELS[model]])
    assert found and all("memory from" in each or "code marks from" in each for each in found)


@pytest.mark.parametrize("mask", [2 * ADDRESS_MASK + 1, ADDRESS_MASK + 2048])
def test_a_wrong_mask_is_found(mask: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantics, "ADDRESS_MASK", mask)
    assert any("memory from 0" in each for each in faults_of("MC68040", "off", "MOVE"))


def test_a_jump_without_a_mask_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ExecutionContext, "jump", lambda self, address: self._jump(address))
    for model, name in (("MC68040", "JMP"), ("i486_flat", "JMP"), ("MPC601", "bclr")):
        found = faults_of(model, "off", name)
        assert any("index from 0" in each for each in found) and any("not 0..16777215" in each for each in found)


def test_a_wrong_index_of_a_register_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    pointer = Emitter._state_pointer

    def one_off(self: Emitter, name: str, n=None) -> str:
        return pointer(self, name, None if n is None else n + 1)

    monkeypatch.setattr(Emitter, "_state_pointer", one_off)
    assert any("state from 4 to 72, not 0..68" in each for each in faults_of("MC68040", "off", "MOVE"))


def test_a_wrong_record_word_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A register number taken from the word of a displacement."""
    take = HandlerEmitter._take

    def other(self: HandlerEmitter):
        self._fields += self._fields == 5
        return take(self)

    monkeypatch.setattr(HandlerEmitter, "_take", other)
    assert any("state from" in each for each in faults_of("MC68040", "off", "MOVE"))


def test_decoding_out_of_bounds_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A field of four bits in place of three, in an array of sixteen and the zero register."""
    cpu, ranges = cpu_of("MC68040"), copy.deepcopy(field_ranges("MC68040"))
    for place, fields in ranges._ranges.items():
        if place[0] == "b":
            ranges._ranges[place] = [(8, 17)] * len(fields)
    found = verify_handlers(cpu, "off", some_handlers(cpu, "EXG", "UNLK"), ranges).faults
    assert any("state from 32 to 72, not 0..68" in each for each in found)


CACHES = {
    "MC68040": (mc68040_cache, "_victim", "MOVE"),
    "i486_flat": (i486_cache, "_look_up", "MOV"),
    "MPC601": (mpc601_cache, "_find", "lwz"),
}


@pytest.mark.first_case
@pytest.mark.parametrize("model", CACHES)
def test_an_index_of_a_cache_that_is_one_off_is_found(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, function, name = CACHES[model]
    original = getattr(module, function)
    assert not faults_of(model, "full", name)
    if function == "_look_up":
        monkeypatch.setattr(module, function, lambda m, line, *rest: original(m, line | 128, *rest))
        assert not faults_of(model, "full", name)  # still the same 128 sets
        monkeypatch.setattr(module, function, lambda m, line, *rest: _unmasked(original, m, line, *rest))
    else:
        monkeypatch.setattr(module, function, lambda m, *rest: original(m, *rest) + 1)
    assert any("state from" in each for each in faults_of(model, "full", name))


def _unmasked(original, m, line, *rest):
    """Look a line up in 256 sets."""
    element = m.element
    m.element = lambda name, n: element(name, n + (line & 128) if name == "lru" else n)
    try:
        return original(m, line, *rest)
    finally:
        del m.element


def test_a_lost_budget_and_other_calls_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu = cpu_of("MC68040")
    text = handlers_text(cpu, "off", some_handlers(cpu, "NOP"))
    assert not verify(text, cpu).faults
    behind = CONTEXT_ENTRIES * POINTER_BYTES
    for old, new, reason in (
        (r"ptr %p3, i64 24", "ptr %p3, i64 16", "writes to the context"),
        (r"ptr %p3, i64 24", f"ptr %p3, i64 {behind}", f"context from {behind}"),
        (r"getelementptr inbounds i8, ptr %p2, i64 128", "getelementptr inbounds i8, ptr %p2, i64 256", "record from"),
        (r"\(ptr %p0, ptr %p1", "(ptr %p1, ptr %p1", "passes another memory"),
        (r"musttail call (.*), ptr %v\d+, ptr %p3", r"musttail call \1, ptr %p2, ptr %p3", "no handler of"),
        (r"ret ptr %v0", "ret ptr %p3", "returns no record"),
        (r"store i64 %v(\d+), ptr %v", r"store ptr %p0, ptr %v", "stores a pointer"),
    ):  # fmt: skip
        changed = re.sub(old, new, text)
        assert changed != text, old
        assert any(reason in each for each in verify(changed, cpu).faults), (reason, verify(changed, cpu).faults)


def test_mirrors_bound_the_distances_in_regions(monkeypatch: pytest.MonkeyPatch) -> None:
    """move.l (disp,a0),d0, with distances up to the last one that the mirrors allow, and behind it."""
    cpu = cpu_of("MC68040")

    def faults() -> list[str]:
        code = [b"\x20\x28" + (distance & 0xFFFF).to_bytes(2, "big") for distance in (-1024, -1025, 1016, 1017, 2000)]
        return verify_regions(
            cpu, "off", [apart(decoded(cpu, each, 0x1000 + 4 * n) for n, each in enumerate(code))]
        ).faults

    assert not faults()
    monkeypatch.setattr(recompile, "MAX_ACCESS_BYTES", 2)
    assert not faults()  # 1017 + 4 bytes still lie in the mirror
    monkeypatch.setattr(recompile, "MIRROR_BYTES", 1025)
    assert any("memory from -1025" in each for each in faults())
    monkeypatch.setattr(recompile, "MIRROR_BYTES", 4096)
    assert any("memory from 2000" in each for each in faults())


def test_a_region_without_its_mask_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = open_machine("mc68040-25", "sectors", engine="evaluate")
    region = discover(machine.core, machine.code_roots)[0]
    monkeypatch.setattr(RegionEmitter, "_location", lambda self, address: address.zext(64))
    found = verify_regions(machine.core.cpu, "off", [region]).faults
    assert len(found) > 10 and all("memory from" in each or "code marks from" in each for each in found)


def test_a_place_of_the_table_without_its_mask_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = open_machine("mc68040-25", "sectors", engine="evaluate")
    region = discover(machine.core, machine.code_roots)[0]
    assert not verify_regions(machine.core.cpu, "full", [region]).faults
    monkeypatch.setattr(memo_region, "PLACE_MASK", 2 * memo_region.PLACE_MASK + 1)
    assert any("table from" in each for each in verify_regions(machine.core.cpu, "full", [region]).faults)
    monkeypatch.undo()
    regions = sorted(discover(machine.core, machine.code_roots), key=lambda region: len(region.blocks))
    region = next(each for each in regions if "!range" in region_text(machine.core.cpu, "full", each))
    assert not verify_regions(machine.core.cpu, "full", [region]).faults
    monkeypatch.setattr(memo_emit, "PLACES", 2 * memo_emit.PLACES)
    assert any("table from" in each for each in verify_regions(machine.core.cpu, "full", [region]).faults)


def test_a_record_looked_up_without_a_mask_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a region that takes any number for the address that it is entered at."""

    def number(self: Chain, number: int) -> Word:
        return self.m.word(32, self.code.value(f"load i32, ptr {self.address(FIELDS_WORD)}"))

    monkeypatch.setattr(Chain, "word", number)
    machine = open_machine("mc68040-25", "sectors", engine="evaluate")
    region = discover(machine.core, machine.code_roots)[0]
    assert any("index from" in each for each in verify_regions(machine.core.cpu, "off", [region]).faults)


@pytest.mark.first_case
@pytest.mark.parametrize("model", MODELS)
def test_each_mask_is_needed(model: str) -> None:
    """Taken out of the text one by one, each mask that an address comes from leaves an access that is not proved."""
    cpu, ranges, chance = cpu_of(model), field_ranges(model), random.Random(14)
    removed = 0
    for handler in chance.sample(list(cpu.table.handlers()), 60 if IS_LONG else 25):
        text = handlers_text(cpu, "off", [handler])
        words = ranges.of(*handler)
        assert not verify(text, cpu, lambda name, words=words: words if name[0] == "h" else ()).faults
        for mask in re.finditer(rf"(%v\d+) = and i32 (\S+), {ADDRESS_MASK}\n", text):
            if f"zext i32 {mask[1]} to i64" not in text or mask[2][0] != "%":
                continue
            lines = text[text.rindex("define", 0, mask.start()) : text.index("\n}", mask.start())].split("\n")
            before = Ranges(CodeFunction(lines), lambda place, bits: full(bits), precise=True).of(mask[2], 32)
            if before[1] <= ADDRESS_MASK:
                continue  # it is masked already
            changed = f"{text[: mask.start()]}{mask[1]} = add i32 {mask[2]}, 0\n{text[mask.end() :]}"
            assert verify(changed, cpu, lambda name, words=words: words if name[0] == "h" else ()).faults, mask[0]
            removed += 1
    print(f"{model}: {removed} masks")
    assert removed > (20 if IS_LONG else 8)


# the intervals themselves


def python(operation: str, a: int, b: int) -> int | None:
    """Return what an operation of LLVM gives on words of BITS bits; None where it gives nothing defined."""
    signs = [value - (value >> BITS - 1 << BITS) for value in (a, b)]
    if operation in ("shl", "lshr", "ashr") and b >= BITS:
        return None
    if operation in ("udiv", "urem", "sdiv", "srem") and (b == 0 or (a == 1 << BITS - 1 and b == MASK)):
        return None
    results = {
        "add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b, "and": lambda: a & b, "or": lambda: a | b,
        "xor": lambda: a ^ b, "shl": lambda: a << b, "lshr": lambda: a >> b, "ashr": lambda: signs[0] >> b,
        "udiv": lambda: a // b, "urem": lambda: a % b, "sdiv": lambda: int(signs[0] / signs[1]),
        "srem": lambda: signs[0] - int(signs[0] / signs[1]) * signs[1],
    }  # fmt: skip
    return results[operation]() & MASK


def holds(interval: tuple[int, int], value: int, bits: int) -> bool:
    return interval[0] <= value <= interval[1] or interval[0] <= value - (1 << bits) <= interval[1]


def function(*lines: str) -> CodeFunction:
    return CodeFunction(["define internal i64 @f(ptr  %p0, i64  %p1)  {", *lines])


@pytest.mark.parametrize("operation", BINARY)
def test_intervals_hold_all_results(operation: str) -> None:
    chance = random.Random(operation)
    points = (0, 1, 2, 5, BITS - 1, BITS, 0x7FFF, 0x8000, MASK - 1, MASK)
    for _ in range(300):
        a, b = (sorted(chance.choice((*points, chance.randint(0, MASK))) for _ in range(2)) for _ in range(2))
        low = chance.choice((0, 0, 1 << BITS))  # the same values, one turn lower
        found = BINARY[operation]((a[0] - low, a[1] - low) if a[0] > MASK // 2 else tuple(a), tuple(b), BITS)
        assert -(1 << BITS - 1) <= found[0] <= found[1] < 1 << BITS
        for _ in range(12):
            x, y = chance.choice((*a, chance.randint(*a))), chance.choice((*b, chance.randint(*b)))
            result = python(operation, x, y)
            assert result is None or holds(found, result, BITS), (operation, a, b, found, x, y)


@pytest.mark.parametrize("kind", ["eq", "ne", "ult", "ule", "ugt", "uge"])
@pytest.mark.parametrize("is_true", [True, False])
def test_comparisons_narrow_to_what_is_left(kind: str, is_true: bool) -> None:
    compare = getattr(operator, kind.replace("u", "", 1) if kind[0] == "u" else kind)
    for low, high, number in itertools.product(range(4), range(4, 8), range(9)):
        left = [value for value in range(low, high + 1) if compare(value, number) is is_true]
        found = compared((low, high), kind, number, is_true, 3)
        assert (
            not left
            or found == (min(left), max(left))
            or (kind in ("eq", "ne") and set(left) <= set(range(low, high + 1)))
        )


def test_facts_come_from_every_path() -> None:
    """Of a value that is compared: in the branch, behind it, in the loop, and where both meet again."""
    code = function(
        "%s = alloca i64", "store i64 0, ptr %s", "%a = icmp ult i64 %p1, 9", "br i1 %a, label %b1, label %b2",
        "b1:", "%c = icmp ne i64 %p1, 0", "br i1 %c, label %b3, label %b4",
        "b3:", "%x = add i64 %p1, 1", "br label %b5", "b4:", "br label %b5",
        "b5:", "%y = add i64 %p1, 1", "br label %b6",
        "b6:", "%t = load i64, ptr %s", "%u = and i64 %t, 7", "%v = add i64 %u, 1", "store i64 %v, ptr %s",
        "%w = icmp ult i64 %t, 5", "br i1 %w, label %b6, label %b2",
        "b2:", "%z = add i64 %p1, 1", "ret i64 %z",
    )  # fmt: skip
    ranges = Ranges(code, lambda place, bits: full(bits), precise=True)
    code.definitions["%p1"], code.block_of["%p1"] = "load i64, ptr %p0", 0
    assert ranges.of("%x", 64) == (2, 9) and ranges.of("%y", 64) == (1, 9)
    assert ranges.of("%z", 64) == full(64) and 8 <= ranges.of("%t", 64)[1] < 64
    assert [len(each) for each in code.facts] == [0, 1, 2, 2, 1, 1, 0]


def test_a_branch_with_a_known_condition_is_not_taken() -> None:
    lines = ["br i1 {}, label %b1, label %b2", "b1:", "ret i64 0", "b2:", "%a = udiv i64 %p1, 0", "ret i64 %a", "}"]
    text = "\n".join(["define internal i64 @f(ptr  %p0, i64  %p1)  {", *lines])
    cpu = cpu_of("MC68040")
    assert not verify(text.replace("{}", "1"), cpu).faults and verify(text.replace("{}", "0"), cpu).faults
