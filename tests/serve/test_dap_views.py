"""What editors read and set: variables, memory."""

from __future__ import annotations

import base64
from types import SimpleNamespace

import pytest

from retrosim.serve import dap_views
from retrosim.serve.dap_messages import Arguments
from retrosim.serve.dap_views import GLOBALS, REGISTERS, Views


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


@pytest.mark.parametrize(
    "place, count, expected",
    [
        (0x100, 3, {"address": "0x100", "data": "AAEC"}),
        (0xFFFFFE, 2, {"address": "0xfffffe", "data": "/v8="}),
        (0xFFFFFF, 3, {"address": "0xffffff", "data": "/w==", "unreadableBytes": 2}),
        (0x100, 5, {"address": "0x100", "data": "AAECAw==", "unreadableBytes": 1}),
        (0, 0, {"address": "0x0", "data": ""}),
        (0x1000000, 4, {"address": "0x1000000", "unreadableBytes": 4}),
        (-1, 4, {"address": "0x0", "unreadableBytes": 4}),
    ],
)
def test_memory_up_to_its_end(monkeypatch: pytest.MonkeyPatch, place: int, count: int, expected: dict) -> None:
    """An answer has at most MAX_BYTES, here 4; each byte is the lower half of its address."""
    monkeypatch.setattr(dap_views, "MAX_BYTES", 4)
    views = Views.__new__(Views)
    read = lambda address, size: bytes(at & 0xFF for at in range(address, min(address + size, 1 << 24)))  # noqa: E731
    views._target = SimpleNamespace(read=read)
    arguments = Arguments({"memoryReference": "x", "count": count})
    monkeypatch.setattr(arguments, "place", lambda name, last: place)
    assert views.read_memory(arguments) == expected
    assert base64.b64decode(expected.get("data", "")) == (read(place, min(count, 4)) if "data" in expected else b"")
