"""What a program's CPU cannot do: fault objects when nothing handles it, the program's handler when one does."""

from __future__ import annotations

import pytest

from retrosim.errors import CpuFault
from retrosim.machine.memory import STACK_START
from tests.helpers.machine import programs
from tests.helpers.machine.programs import ENTRY

ENGINES = programs.ENGINES
ADDRESS_ERROR = 3
SIX_WORDS = (
    5,
    6,
    7,
)  # division by zero, CHK, TRAPV: frames of format 2, with the instruction's address (MC68040UM 8.4)

# program -> (vector, reason, address, bytes there, listing)
FAULTS = {
    "illegal": ("7005 4afc", 4, "illegal instruction", 0x1002, "4afc", "ILLEGAL"),
    "no such word": ("4e7c", 4, "illegal instruction", 0x1000, "4e7c", "ILLEGAL $4e7c"),
    "reserved full format": ("2031 2909", 4, "illegal instruction", 0x1000, "2031", "ILLEGAL $2031"),
    "line F": ("ffff 4e71", 11, "unimplemented F-line instruction", 0x1000, "ffff", "LINE-F $ffff"),
    "line A": ("4e71 a00f", 10, "unimplemented A-line instruction", 0x1002, "a00f", "LINE-A #15"),
    "jump to an odd address": ("4ef8 1003 4e71", 3, "address error", 0x1003, None, None),
    "branch to an odd address": ("60ff 0000 0fff", 3, "address error", 0x2001, None, None),
    "return to an odd address": ("4878 1005 4e75", 3, "address error", 0x1005, None, None),
    "trap": ("4e43", 35, "TRAP #3", 0x1000, "4e43", "TRAP #3"),
    "division by zero": ("7005 7200 80c1", 5, "division by zero", 0x1004, "80c1", "DIVU.w d1,d0"),
    "long division by zero": ("4c40 1001", 5, "division by zero", 0x1000, "4c40 1001", "DIVUL.l d0,d1:d1"),
    "bounds": ("70ff 4180", 6, "CHK out of bounds", 0x1002, "4180", "CHK.w d0,d0"),
    "overflow": ("44fc 0002 4e76", 7, "TRAPcc or TRAPV", 0x1004, "4e76", "TRAPV"),
}


@pytest.fixture(params=FAULTS)
def fault(request) -> tuple:
    return FAULTS[request.param]


@pytest.mark.first_case
@pytest.mark.parametrize("engine", ENGINES)
def test_fault_objects(fault: tuple, engine: str) -> None:
    code, _, reason, address, content, listing = fault
    ours = programs.machine(code, engine=engine)
    result = ours.run(instructions=20)
    found = result.fault
    assert (result.reason, result.pc, ours.regs["pc"]) == ("fault", address, address)
    assert isinstance(found, CpuFault)
    assert (found.model, found.reason, found.pc) == ("MC68040", reason, address)
    if content is not None:
        assert (found.code, found.listing) == (bytes.fromhex(content), listing)
        assert str(found) == f"MC68040: {reason} at {address:06X}: {listing}"
    assert result.instructions <= 3 and result.frames == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_fault_stays_until_it_is_mended(fault: tuple, engine: str) -> None:
    """Running on meets it again with all registers as they were; a NOP in its place lets the program go on."""
    code, _, _, address, _, _ = fault
    ours = programs.machine(code, engine=engine)
    ours.run(instructions=20)
    before = dict(ours.regs)
    again = ours.run(instructions=20)
    assert (again.reason, again.pc, dict(ours.regs)) == ("fault", address, before)
    with pytest.raises(CpuFault):
        ours.step()
    if not address & 1:
        ours.write(address, bytes.fromhex("4e71 4e71 4e71 4e71"))
        ours.run(instructions=2)
        assert ours.regs["pc"] == address + 4


@pytest.mark.parametrize("engine", ENGINES)
def test_a_handler_takes_it(fault: tuple, engine: str) -> None:
    """With an address in its vector each of them is an exception of the program's own."""
    code, vector, _, address, content, _ = fault
    ours = programs.machine(code, engine=engine)
    ours.write(4 * vector, (0x3000).to_bytes(4, "big"))
    ours.write(0x3000, bytes.fromhex("7e4d 60fe"))
    result = ours.run(until=0x3002, instructions=20)
    assert (result.reason, result.fault, ours.regs["d7"]) == ("until", None, 0x4D)
    if vector == ADDRESS_ERROR:
        return
    after = vector in SIX_WORDS or vector >= 32  # the instruction is complete: the next one's address is stacked
    length = len(bytes.fromhex(content)) if after else 0
    offset = 4 * vector + (0x2000 if vector in SIX_WORDS else 0)
    expected = f"{address + length:08x}{offset:04x}" + (f"{address:08x}" if vector in SIX_WORDS else "")
    sp = ours.regs["a7"]
    assert ours.mem[sp + 2 : STACK_START].tobytes().hex() == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_handlers_follow_the_vector_base(engine: str) -> None:
    ours = programs.machine("4e40", engine=engine)
    ours.regs["vbr"] = 0x8000
    ours.write(0x8000 + 4 * 32, (0x3000).to_bytes(4, "big"))
    ours.write(0x3000, bytes.fromhex("60fe"))
    assert ours.run(instructions=3).pc == 0x3000


@pytest.mark.parametrize("engine", ENGINES)
def test_a_user_program_cannot_leave_its_state(engine: str) -> None:
    """A trap switches to the supervisor's stack and RTE back."""
    ours = programs.machine("4e40 7201 60fe", engine=engine)
    ours.write(4 * 32, (0x3000).to_bytes(4, "big"))
    ours.write(0x3000, bytes.fromhex("740c 4e73"))
    ours.regs["usp"], ours.regs["a7"] = 0x50000, 0x60000
    ours.regs["sr"] = 0x0000
    ours.run(instructions=2)
    assert (ours.regs["a7"], ours.regs["sr"] & 0x2000, ours.regs["usp"]) == (0x60000 - 8, 0x2000, 0x50000)
    ours.run(instructions=2)
    assert (ours.regs["a7"], ours.regs["sr"] & 0x2000, ours.regs["d1"], ours.regs["d2"]) == (0x50000, 0, 1, 12)


@pytest.mark.parametrize("engine", ENGINES)
def test_no_program_reaches_beyond_its_memory(engine: str) -> None:
    """All 32 bits of addresses are reduced to 24; what is stored at the top comes back from there."""
    ours = programs.machine(
        "21fc 1122 3344 2000 23fc 5566 7788 ff00 2004 2039 fe00 2000 2239 0000 2004 60fe", engine=engine
    )
    assert ours.run(instructions=5).reason == "instructions"
    assert (ours.regs["d0"], ours.regs["d1"]) == (0x11223344, 0x55667788)
    ours = programs.machine("23fc 1122 3344 00ff fffe 2039 00ff fffe 4ef9 00ff fffe", engine=engine)
    result = ours.run(instructions=5)
    assert ours.regs["d0"] == 0x11223344
    assert ours.mem[0xFFFFFE:].tolist() == [0x11, 0x22] and ours.mem.shape == (1 << 24,)
    assert result.pc <= 0xFFFFFF


@pytest.mark.parametrize("engine", ENGINES)
def test_code_that_overwrites_itself_is_noticed(engine: str) -> None:
    """move.w #$5480,$1008 changes the addq.l #1,d0 there, ahead in the same stretch, into addq.l #2,d0."""
    ours = programs.machine("31fc 5480 1008 4e71 5280 60f4", engine=engine)
    ours.run(instructions=4)
    assert ours.regs["d0"] == 2 and ours.regs["pc"] == ENTRY
