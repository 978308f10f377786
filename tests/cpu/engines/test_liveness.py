"""Fields that are said to be dead where a block begins make no difference to what follows."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from retrosim.cpu import m68k, ppc, x86
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.regions.liveness import MAX_AHEAD, dead_fields, register_use
from retrosim.cpu.spec.cpu import Cpu
from retrosim.cpu.spec.hits import FIELD as HITS
from tests.helpers.amount import amount
from tests.helpers.cpu import m68k_streams as streams
from tests.helpers.cpu import ppc_streams as streams_ppc
from tests.helpers.cpu import x86_streams
from tests.helpers.cpu.agreement import SEED
from tests.helpers.cpu.cores import same_memory

PROGRAMS = amount(12_000, 30_000) // 1000


def decoded(cpu: Cpu, code: str) -> list:
    core = Core(cpu, "off")
    core.write(0x1000, bytes.fromhex(code))
    pc, insns = 0x1000, []
    while pc < 0x1000 + len(code) // 2:
        insns.append(core.decode(pc))
        pc = insns[-1].end
    return insns


@pytest.mark.parametrize(
    "model, code, dead",
    [
        ("MC68040", "3011 9050", "xnzvc"),  # move.w (a1),d0; sub.w (a0),d0
        ("MC68040", "40c0 9050", ""),  # move sr,d0 reads all flags
        ("MC68040", "d180", "nvc"),  # addx.l d0,d0 reads x, and z stays unless the result is not 0
        ("MC68040", "3080 d040", "nzvc"),  # behind move.w d0,(a0) the host may see x
        ("MC68000", "3011 9050", ""),  # move.w (a1),d0 may abort before it sets anything
        ("MC68040", "6602 d040", ""),  # bne, and add on one way only
    ],
)
def test_flags(model: str, code: str, dead: str) -> None:
    found = {name for name, _ in dead_fields(m68k.cpu(model), decoded(m68k.cpu(model), code))[0] if name != "r"}
    assert found == set(dead)


def test_registers() -> None:
    """moveq #1,d3; move.b d3,d4: a byte keeps the rest of d4"""
    cpu = m68k.cpu("MC68040")
    assert {n for name, n in dead_fields(cpu, decoded(cpu, "7601 1803"))[0] if name == "r"} == {3}


@pytest.mark.parametrize(
    "code, is_used, is_changed, results",
    [
        ("2f0d", False, False, ()),  # move.l a5,-(sp) saves it
        ("48e7 0004", False, False, ()),  # movem.l a5,-(sp)
        ("4e55 fffc", False, True, ()),  # link a5,#-4
        ("bbc0", True, False, ()),  # cmpa.l d0,a5
        ("2a40", False, True, ()),  # movea.l d0,a5
        ("202d fffc", True, False, (0xFFFFFC,)),  # move.l (-4,a5),d0
        ("41ed 0040", True, False, (0x40,)),  # lea (64,a5),a0
        ("2035 0800", True, False, ()),  # move.l (a5,d0.l),d0: where is not known
        ("200d", True, False, (0,)),  # move.l a5,d0
        ("4ed5", True, False, ()),  # jmp (a5)
        ("2a6d 0008", True, True, (8,)),  # movea.l (8,a5),a5
        ("2014", False, False, ()),  # move.l (a4),d0
    ],
)
def test_what_becomes_of_the_value_of_a5(code: str, is_used: bool, is_changed: bool, results: tuple) -> None:
    cpu = m68k.cpu("MC68040")
    use = register_use(cpu, decoded(cpu, code)[0], 13)
    assert (use.is_used, use.is_changed) == (is_used, is_changed)
    assert not is_used or tuple(place & 0xFFFFFF for place in use.results) == results


def of_68k(model: str) -> Callable[[int], Callable[[Core], None]]:
    generator = streams.Generator(m68k.cpu(model), SEED)

    def prepare(number: int) -> Callable[[Core], None]:
        program = generator.code(), generator.data(), generator.registers(), generator.random.getrandbits(5)
        return lambda core: streams.load(core, *program)

    return prepare


def of_601(number: int) -> Callable[[Core], None]:
    generator = streams_ppc.Generator(ppc.cpu("MPC601"), SEED + number)
    program = generator.code(), generator.data(), generator.registers(), generator.random.getrandbits(82)
    return lambda core: streams_ppc.load(core, *program)


def of_x86(model: str) -> Callable[[int], Callable[[Core], None]]:
    return lambda number: x86_streams.program(x86_streams.Generator(x86.cpu(model), SEED + number))


@pytest.mark.first_case
@pytest.mark.parametrize(
    "cpu, prepare",
    [
        (m68k.cpu("MC68000"), of_68k("MC68000")),
        (m68k.cpu("MC68040"), of_68k("MC68040")),
        (x86.cpu("i386_real"), of_x86("i386_real")),
        (x86.cpu("i486_flat"), of_x86("i486_flat")),
        (ppc.cpu("MPC601"), of_601),
    ],
    ids=lambda value: value.model if isinstance(value, Cpu) else "",
)
def test_what_dead_fields_hold_does_not_matter(cpu: Cpu, prepare: Callable[[int], Callable[[Core], None]]) -> None:
    """On the evaluator, which knows nothing of them."""
    choice, changed = random.Random(SEED), 0
    first, second = Core(cpu, "off"), Core(cpu, "off")
    engines = Evaluator(first), Evaluator(second)
    for number in range(PROGRAMS):
        load = prepare(number)
        for core in (first, second):
            load(core)
        pc, insns = int(first.state["pc"]), []
        for _ in range(MAX_AHEAD):
            insns.append(first.decode(pc))
            pc = insns[-1].end
        dead, taken = dead_fields(cpu, insns)
        for name, n in dead:
            bits, count = cpu.layout.fields[name]
            second.state[name][n if count > 1 else ()] = choice.getrandbits(bits)
        changed += len(dead)
        for engine in engines:
            engine.run(taken)
        where = f"seed {SEED}, program {number}: {[insn.text for insn in insns]}, dead {sorted(dead)}"
        for name in cpu.layout.fields.keys() - {HITS}:
            assert np.array_equal(first.state[name], second.state[name]), f"{where}: {name}"
        assert same_memory(first, second), where
    print(f"{cpu.model}: {changed} fields in {PROGRAMS} programs, seed {SEED}")
    assert changed > PROGRAMS / 2
