"""The timing contract: hooks that nobody declared, prices that are missing and data that nobody tells are errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from retrosim.cpu import m68k, ppc, x86
from retrosim.cpu.engines.handlers.handlers import HANDLER, HandlerEmitter
from retrosim.cpu.m68k import mc68000, mc68040
from retrosim.cpu.m68k.hooks import M68kHooks
from retrosim.cpu.m68k.state import M68K
from retrosim.cpu.ppc import mpc601_clocks
from retrosim.cpu.spec.cpu import Cpu
from retrosim.cpu.spec.instruction_set import InstructionSet
from retrosim.cpu.spec.ir import Function, Module
from retrosim.cpu.spec.operands import Field
from retrosim.cpu.spec.rows import Row
from retrosim.cpu.spec.timing import Timing, hook
from retrosim.cpu.x86 import clocks as x86_clocks
from retrosim.errors import SpecError
from tests.helpers.amount import FULL
from tests.helpers.cpu import m68k_encodings, x86_streams

CPUS = [family.cpu(model) for family in (m68k, x86, ppc) for model in family.MODEL_NAMES]
MODELS = [cpu.model for cpu in CPUS]


class ToyHooks(Timing, declares=True):
    @hook
    def shift_count(self, count) -> None: ...

    @hook
    def overflow(self) -> None: ...


class ToyTable(ToyHooks):
    counts = True

    @hook
    def shift_count(self, count) -> None: ...


PRICES = {"ADD": False, "SHL": True}


def price(row: Row, forms: dict) -> bool:
    """Price the rows of the toy: True where clocks depend on data."""
    if row.cost[0] not in PRICES:
        raise SpecError(f"no clocks for {row.cost[0]!r}")
    return PRICES[row.cost[0]]


def toy() -> InstructionSet:
    return InstructionSet("toy", {"n": Field("n")}, word_bytes=1, max_bytes=1, hooks=ToyHooks)


def table(isa: InstructionSet, **options):
    return isa.table("toy", price, [ToyHooks, ToyTable], **options)


# --- declared, or an error


def test_a_row_says_what_its_price_varies_with() -> None:
    isa = toy()
    isa.insn("ADD", "00000000", ref="r")(lambda m: None)
    isa.insn("SHL {n}", "0000nnn1", varies="shift_count", ref="r")(lambda m, n: m.vary(n))
    assert [row.varies for row in table(isa).rows] == ["", "shift_count"]


def test_a_misspelt_hook_of_a_row_is_refused_where_the_row_is_declared() -> None:
    with pytest.raises(SpecError, match=r"SHL \{n\}: varies with 'shift_cuont'; declared are overflow, shift_count"):
        toy().insn("SHL {n}", "0000nnn1", varies="shift_cuont", ref="r")


def test_a_misspelt_hook_of_a_model_is_refused_where_its_class_is_made() -> None:
    with pytest.raises(SpecError, match="Model: no hook 'shift_cuont'; declared are overflow, shift_count"):

        class Model(ToyHooks):
            @hook
            def shift_cuont(self, count) -> None: ...


def test_models_know_what_they_price() -> None:
    class Deeper(ToyTable):
        @hook
        def overflow(self) -> None: ...

    assert (ToyHooks.priced, ToyTable.priced, Deeper.priced) == (set(), {"shift_count"}, {"shift_count", "overflow"})


# --- prices, when the table is built


def test_a_row_without_a_price_is_refused() -> None:
    isa = toy()
    isa.insn("SUB", "00000000", ref="r")(lambda m: None)
    with pytest.raises(SpecError, match="SUB: no clocks for 'SUB'"):
        table(isa)


def test_a_row_that_stands_for_no_instruction_has_a_price_too() -> None:
    isa = toy()
    isa.insn("ADD", "00000000", ref="r")(lambda m: None)
    with pytest.raises(SpecError, match="NONE: no clocks for 'NONE'"):
        table(isa, undefined=[Row("NONE", "NONE", "", lambda m: None, (), {}, ("NONE",), "r")])


def test_clocks_that_depend_on_data_need_a_row_that_varies() -> None:
    isa = toy()
    isa.insn("SHL", "00000000", ref="r")(lambda m: None)
    with pytest.raises(SpecError, match="SHL: its clocks on the toy depend on data"):
        table(isa)


def test_clocks_that_depend_on_data_need_models_that_price_them() -> None:
    isa = toy()
    isa.insn("SHL", "00000000", varies="overflow", ref="r")(lambda m: None)
    with pytest.raises(SpecError, match="SHL: varies with 'overflow', which ToyTable does not price"):
        table(isa)


REAL_PRICES = {
    "MC68000": mc68000.has_data_clocks,
    "MC68040": mc68040.has_data_clocks,
    **{model: partial(x86_clocks.has_data_clocks, model=model) for model in x86.MODEL_NAMES},
    "MPC601": mpc601_clocks.has_data_clocks,
}


@pytest.mark.parametrize("cpu", CPUS, ids=MODELS)
def test_a_real_row_cannot_be_without_a_price(cpu: Cpu) -> None:
    """A copy of a row whose cost no table names keeps the table of each model that it is on from being built."""
    for row in cpu.table.rows[::40]:
        isa = InstructionSet(cpu.isa.name, cpu.isa.kinds, cpu.isa.word_bytes, cpu.isa.max_bytes)
        isa.rows = [replace(row, cost=("NOWHERE",))]
        with pytest.raises(SpecError, match=f"no {cpu.model} clocks for 'NOWHERE' in .*_?clocks.csv"):
            isa.table(cpu.model, REAL_PRICES[cpu.model])


def checked_forms(cpu: Cpu) -> dict[str, set[tuple]]:
    """Return the forms of each row for which its price is looked up when the table is built."""
    rows = cpu.table.rows
    return {row.key: {form for forms in row.forms(cpu.model) for form in forms.items()} for row in rows}


@pytest.mark.first_case
@pytest.mark.parametrize("model", ["MC68000", "MC68040"])
def test_prices_are_checked_for_every_form_that_decoding_finds(model: str) -> None:
    checked = checked_forms(m68k.cpu(model))
    for insn in m68k_encodings.samples(m68k.cpu(model)):
        found = {("registers", 0xFFFF) if name == "registers" else (name, form) for name, form in insn.forms.items()}
        assert found <= checked[insn.row.key], insn


@pytest.mark.parametrize("model", x86.MODEL_NAMES)
def test_prices_are_checked_for_every_form_of_the_x86(model: str) -> None:
    checked, generator = checked_forms(x86.cpu(model)), x86_streams.Generator(x86.cpu(model), 386)
    for _ in range(4000 if FULL else 1500):
        insn = generator.instruction()
        names = {"s", "ea", "rep", "control"} - ({"ea"} if "moffs" in dict(insn.row.operands) else set())
        found = {(name, insn.forms[name]) for name in names & insn.forms.keys()}
        assert found <= checked[insn.row.key], insn  # an address in the code has one price, whatever it is


# --- what rows tell when they run


def emit(cpu: Cpu, timing: type[Timing], row: Row, statics: tuple) -> None:
    HandlerEmitter(cpu, timing, Function(Module(), HANDLER, "handler_0")).emit(row, statics)


def sampled(cpu: Cpu) -> Iterator[tuple[Row, tuple]]:
    """Yield (row, statics) so that every static of every operand occurs; those of some operands change together."""
    for row in (*cpu.table.rows, *{row.syntax: row for row, _ in cpu.handlers() if not row.pattern}.values()):
        kinds = [list(kind.statics(row)) for _, kind in row.operands]
        for number in range(max(map(len, kinds), default=1)):
            yield row, tuple(statics[number % len(statics)] for statics in kinds)


def recording(base: type[Timing], heard: set[str]) -> type[Timing]:
    """Return a timing model that notes which hooks it is heard."""

    def note(name: str):
        return hook(lambda self, *data: heard.add(name))

    return type("Recording", (base,), {name: note(name) for name in base.hooks})


@pytest.mark.first_case
@pytest.mark.parametrize("cpu", CPUS, ids=MODELS)
def test_every_row_tells_what_its_price_varies_with(cpu: Cpu) -> None:
    """All rows and statics: a hook that is not there is an AttributeError, data that no row names a SpecError."""
    heard: dict[str, set[str]] = {}
    for row, statics in sampled(cpu):
        hooks: set[str] = set()
        emit(cpu, recording(cpu.timing["off"], hooks), row, statics)
        heard.setdefault(row.key, set()).update(hooks)
    rows = {row.key: row for row, _ in sampled(cpu)}
    events = EVENTS[cpu.isa.name]
    for key, row in rows.items():
        assert heard[key] - events == ({row.varies} - {""}), row.syntax
    assert set().union(*heard.values()) == set(cpu.timing["off"].hooks) - UNTOLD.get(cpu.model, set())


# Told by operations that rows share, whatever the price of the row varies with.
EVENTS = {
    "m68k": {"exception"},
    "x86": {"whole_register"},
    "ppc": {"exception", "condition_field", "stored_condition", "branch_register"},
}
UNTOLD = {  # of instructions that they have not
    "MC68000": {"bounds", "field_crosses", "frame_format"},
    "i286_real": {"scanned"},
}


def test_data_that_no_row_names_are_refused() -> None:
    isa = InstructionSet("m68k", M68K.kinds, word_bytes=2, max_bytes=22, hooks=M68kHooks)
    isa.insn("ONE {d}", "0000ddd000000001", cost="NOP", ref="r")(lambda m, d: m.vary(m.reg(d)))
    isa.insn("TWO {d}", "0000ddd000000010", cost="NOP", ref="r")(lambda m, d: m.timing.shift_cuont(m.reg(d)))
    cpu = m68k.cpu("MC68040")
    for timing in cpu.timing.values():
        for row, error in zip(isa.rows, (SpecError, AttributeError), strict=True):
            with pytest.raises(error, match=r"the row does not say what its price varies with|shift_cuont"):
                emit(cpu, type("Free", (timing,), {"start": lambda self, row, operands, take: None}), row, (None,))
