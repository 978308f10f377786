"""What a debugger shows: registers and memory that changed, code around an address, the hottest functions."""

from __future__ import annotations

import pytest

from retrosim.debug import views
from tests.helpers.bounds.programs import opened

PROGRAM = "moveq #5,d0; l: subq.l #1,d0; bne.s l; lea 0x3000,a0; move.l d0,(a0); rts"


@pytest.fixture
def debugger(tmp_path):
    machine = opened(tmp_path, PROGRAM)
    machine.regs["pc"] = 0x2000
    return machine.debugger


def test_registers(debugger) -> None:
    before = debugger.registers()
    assert not any(row.is_changed for row in views.registers(debugger))
    debugger.step()
    rows = {row.name: row for row in views.registers(debugger, before)}
    assert {name for name, row in rows.items() if row.is_changed} == {"d0", "pc"}
    assert (rows["d0"].value, rows["d0"].text, rows["d0"].bits) == (5, "00000005", 32)
    assert (rows["sr"].bits, len(rows["sr"].text)) == (16, 4)
    assert not any(row.is_changed for row in views.registers(debugger, {})), "what is not known has not changed"


def test_memory(debugger) -> None:
    data = bytes(range(40))
    debugger.machine.write(0x3000, data)
    rows = views.memory(debugger, 0x3000, 40)
    assert [(row.address, row.data) for row in rows] == [
        (0x3000, data[:16]), (0x3010, data[16:32]), (0x3020, data[32:]),
    ]  # fmt: skip
    assert not any(row.changed for row in rows)
    before = bytearray(data)
    before[3] = before[17] = before[39] = 0x77
    assert [row.changed for row in views.memory(debugger, 0x3000, 40, bytes(before))] == [(3,), (1,), (7,)]
    assert [row.address for row in views.memory(debugger, 0x3000, 20, row=8)] == [0x3000, 0x3008, 0x3010]
    for address in (-1, 1 << 24):
        with pytest.raises(ValueError, match=rf"address {address}: allowed 0\.\.16777215"):
            views.memory(debugger, address, 4)


def test_code(debugger) -> None:
    debugger.breakpoint(0x2004)
    debugger.step()
    rows = views.code(debugger, 0x2004, 3, 2)
    texts = [row.text.split()[0] for row in rows]
    assert texts == ["MOVEQ", "SUBQ.l", "Bne", "LEA", "MOVE.l"]
    assert [row.address for row in rows] == [0x2000, 0x2002, 0x2004, 0x2006, 0x200A]
    assert [row.point is not None for row in rows] == [False, False, True, False, False]
    assert [row.is_pc for row in rows] == [False, True, False, False, False]
    assert [row.clocks for row in rows[:2]] == ["4", "8"]
    assert [(row.symbol, row.is_entry) for row in rows[:2]] == [("routine", True), ("routine+0x2", False)]
    assert rows[3].code.hex() == "41f83000" and not rows[0].file
    debugger.machine.write(0x3000, b"\xff\xff")
    (wrong,) = views.code(debugger, 0x3000, 1)
    assert (wrong.text, wrong.code, wrong.clocks) == ("(no instruction)", b"\xff\xff", "")


def test_time(debugger, monkeypatch) -> None:
    monkeypatch.setattr(views, "SAMPLES", 6)
    start = debugger.time
    for _ in range(3):
        debugger.step()
    passed = views.elapsed(debugger.machine, start, debugger.time)
    assert (passed.clocks, passed.instructions, passed.frames) == (4 + 8 + 10, 3, 0)
    assert passed.seconds == pytest.approx(22 / debugger.machine.clock_hz)
    rows = views.hottest(debugger, start.instructions)
    assert [(row.function, row.clocks, row.share) for row in rows] == [("routine", 22, 1.0)]
    assert debugger.time.instructions == start.instructions + 3
    for begin in (start.instructions - 1, debugger.time.instructions):
        with pytest.raises(ValueError, match="nothing has run since the debugger began"):
            views.hottest(debugger, begin)


def test_characters() -> None:
    assert views.MemoryRow(0, b"\x1f ~\x7fA").characters == ". ~.A"
