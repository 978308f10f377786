"""Registers that gdb reads and writes."""

from __future__ import annotations

import pytest

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
