"""Registers and variables that clients of both protocols read and write."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from retrosim.serve.dap_messages import Arguments
from retrosim.serve.dap_views import GLOBALS, REGISTERS, Views
from retrosim.serve.gdb_session import RegisterFile, Slot


class Registers(RegisterFile):
    """Three registers of 4, 2 and 4 bytes, of which the machine has the first two."""

    def __init__(self, order: str = "big") -> None:
        self._regs, self.written = {"d0": 0x01020304, "sr": 0x2700}, []
        self._set, self._order = lambda *register: self.written.append(register), order
        names = (("d0", 4, "d0"), ("ps", 2, "sr"), ("fp0", 4, None))
        self.slots = [Slot(name, size, ours, "feature", "int32") for name, size, ours in names]


def test_registers_as_digits() -> None:
    assert Registers().read_all() == "010203042700xxxxxxxx"
    assert Registers("little").read_all() == "040302010027xxxxxxxx"


@pytest.mark.parametrize(
    "digits, written",
    [
        ("010203042700xxxxxxxx", []),  # as they are
        ("AABBCCDD270000000000", [("d0", 0xAABBCCDD)]),
        ("0102030427FFxxxxxxxx", [("sr", 0x27FF)]),
        ("0102030x2701xxxxxxxx", [("sr", 0x2701)]),
        ("XXXXXXXX000012345678", [("sr", 0)]),
        ("ffffffffffffffffffff", [("d0", 0xFFFFFFFF), ("sr", 0xFFFF)]),
    ],
)
def test_all_registers_are_written_but_those_of_x(digits: str, written: list) -> None:
    file = Registers()
    file.write_all(digits)
    assert file.written == written


def test_registers_of_a_wrong_size() -> None:
    file = Registers()
    for digits in ("", "010203042700", "010203042700xxxxxxxx00"):
        with pytest.raises(ValueError, match="not as many registers as there are"):
            file.write_all(digits)
    with pytest.raises(ValueError, match="ps: 3 bytes, it has 2"):
        file.write(1, "001122")
    file.write(2, "00112233")  # one that no machine has
    file.write(1, "0011")
    assert file.written == [("sr", 0x11)]


@pytest.fixture
def target() -> SimpleNamespace:
    """A machine with a register of 16 bits, and with variables of 2 and 8 bytes."""
    symbols = {
        "gPlace": SimpleNamespace(kind="object", size=2, address=0x100),
        "gTable": SimpleNamespace(kind="object", size=8, address=0x200),
        "Main": SimpleNamespace(kind="function", size=2, address=0x300),
    }
    regs, writes = {"sr": 0x2700}, []
    host = SimpleNamespace(registers={"sr": SimpleNamespace(bits=16)})
    machine = SimpleNamespace(
        regs=regs,
        core=SimpleNamespace(cpu=SimpleNamespace(host=host)),
        image=SimpleNamespace(symbols=symbols, byte_order="big"),
    )
    debugger = SimpleNamespace(evaluate=lambda text: int(text, 0))
    return SimpleNamespace(
        debugger=debugger, machine=machine, set_register=regs.__setitem__, writes=writes,
        write=lambda *write: writes.append(write),
    )  # fmt: skip


def set_variable(target: SimpleNamespace, number: int, name: str, value: str) -> dict:
    views = Views.__new__(Views)
    views._target = target
    return views.set_variable(Arguments({"variablesReference": number, "name": name, "value": value}))


def test_registers_and_variables_take_what_fits(target: SimpleNamespace) -> None:
    assert set_variable(target, REGISTERS, "sr", "0x12345") == {"value": "0x2345"}
    assert target.machine.regs == {"sr": 0x2345} and not target.writes
    assert set_variable(target, GLOBALS, "gPlace", "0x1ffff") == {"value": "65535 (0xffff)"}
    assert set_variable(target, GLOBALS, "gPlace", "-2") == {"value": "65534 (0xfffe)"}
    assert target.writes == [(0x100, b"\xff\xff"), (0x100, b"\xff\xfe")]


@pytest.mark.parametrize(
    "number, name",
    [(REGISTERS, "gPlace"), (GLOBALS, "sr"), (GLOBALS, "gTable"), (GLOBALS, "Main"), (GLOBALS, "gOther"), (2, "sr")],
)
def test_variables_that_cannot_be_set(target: SimpleNamespace, number: int, name: str) -> None:
    with pytest.raises(ValueError, match=f"'{name}': allowed a register, or a global variable of 1, 2 or 4 bytes"):
        set_variable(target, number, name, "1")
    assert not target.writes and target.machine.regs == {"sr": 0x2700}
