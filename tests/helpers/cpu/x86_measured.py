"""Rows of measured clocks of the 286, 386 and 486: what one holds, how those of each source are made, and its clocks.

A body is repeated in a row, all of it in the cache, and the clocks of a repetition counted; or it is a loop of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.machine.boards import local_bus_board
from retrosim.machine.presets import PRESETS
from tests.helpers.amount import FULL
from tests.helpers.cpu.x86_programs import core_with
from tests.helpers.measured import Range, known, of_preset, values

BOARDS = {  # of the 386 a board without wait states, as open as the preset's; of the i486 nothing counts: all is cached
    "i286": known(1, 1, 1, 3, 3),
    "i386": tuple(Range(each.low, 0, each.high) for each in PRESETS["i386dx-33"].memory.values()),
    "i486": known(4, 7, 2, 10, 10),
}
NO_WAITS = known(0, 0, 0, 3, 3)  # of the i286: the PC/XT-286 and the PS/2 50Z
I386DX33 = of_preset(PRESETS["i386dx-33"].memory)
DX33 = of_preset(local_bus_board(33_000_000, 1))  # the bus at the clock of the CPU
REPEATED = 40
REGISTERS = {"ebx": 0x2000, "esi": 0x20, "edi": 0x2100, "ebp": 0x30, "esp": 0x4000, "ecx": 1 << 14, "eax": 1 << 14}


@dataclass(frozen=True)
class Row:
    """A measured row: clocks of one repetition, the range that counts as met, ours, and why it is missed if it is.

    decided   what of the model the row decided; "" if it was not used
    board     memory, None for that of the model in BOARDS
    before    code in front of the repetitions
    stack     bytes on the stack for each repetition, behind which lies the address of the next one
    repeated  how often in a row; more than REPEATED: all are counted together
    counted   what is divided by: moves in a pass of a loop, or 2 for a loop of one instruction, which goes on twice
    """

    name: str
    model: str
    body: str
    clocks: float
    ours: float
    source: str
    spread: float = 0
    miss: str = ""
    decided: str = ""
    is_loop: bool = False
    board: tuple[Range, ...] | None = None
    before: str = ""
    stack: int | None = None
    repeated: int = REPEATED
    counted: int = 1

    @property
    def memory(self) -> tuple[Range, ...]:
        return self.board or BOARDS[self.model[:4]]


def real(name: str, body: str, clocks: float, source: str, **more) -> Row:
    return Row(name, "i486_real", body, clocks, more.pop("ours", clocks), f"Abrash {source}", **more)


def at(name: str, body: str, measured: float, source: str, refresh: tuple[float, float] = (0.05, 0.06), **more) -> Row:
    """Return a row of the AT clone, without the refresh of its memory.

    measured  clocks, to a tenth
    refresh   share of them that it takes: "a little over five percent of all available memory accesses"
    """
    low, high = (
        share * (measured + rounding) for share, rounding in zip((1 - refresh[1], 1 - refresh[0]), (-0.05, 0.05))
    )
    clocks, spread = round((low + high) / 2, 2), round((high - low) / 2, 2)
    return Row(name, "i286_real", body, clocks, more.pop("ours", clocks), f"Abrash {source}", spread, **more)


def flat(name: str, body: str, clocks: float, source: str, **more) -> Row:
    return Row(name, "i486_flat", body, clocks, more.pop("ours", clocks), source, **more)


def timed(
    name: str, model: str, body: str, measured: dict[float, float], source: str, rounding: float = 1, **more
) -> Row:
    """Return a row of one or more machines with the same memory, the refresh of which is not known.

    measured   MHz -> microseconds
    rounding   microseconds
    Refresh takes 0 to 6 % of the time at 10 MHz and above, and as many clocks below. No machine can have needed more
    than the quickest took, nor less than any took less its refresh.
    """
    low = max((1 - 0.06 * max(10 / mhz, 1)) * (time - rounding) * mhz for mhz, time in measured.items())
    high = min((time + rounding) * mhz for mhz, time in measured.items())
    clocks, spread = round((low + high) / 2), round((high - low) / 2)
    return Row(name, model, body, clocks, more.pop("ours", clocks), source, spread, is_loop=True, **more)


def clocks_of(row: Row, choices: dict[str, str] | None = None, memory: tuple[int, ...] = ()) -> float:
    """Return the clocks of a repetition once all is in the cache that fits; memory: if it is not that of the row."""
    body, before = bytes.fromhex(row.body), bytes.fromhex(row.before)
    code = body
    if not row.is_loop:
        code = before + body * row.repeated
        size = 5 if row.model.endswith("flat") else 3
        code += b"\xe9" + (-len(code) - size).to_bytes(size - 1, "little", signed=True)
    core = core_with(row.model, code.hex(), "full", readings=choices, **REGISTERS)
    core.state["memory"] = memory or values(row.memory)
    evaluator, start = Evaluator(core), int(core.state["pc"])
    if row.stack is not None:
        filling = bytes(row.stack)
        returns = (len(before) + len(body) * (number + 1) for number in range(row.repeated))
        core.write(REGISTERS["esp"], b"".join(filling + address.to_bytes(2, "little") for address in returns))

    def go(address: int) -> int:
        evaluator.run(1)
        evaluator.run(10_000, {address})
        return int(core.state["cycles"])

    if row.is_loop:
        go(start)
        before = go(start)
        times = 4 if FULL or row.ours * row.counted < 1000 else 1  # long ones take the same each time
        for _ in range(times):
            after = go(start)
        return (after - before) / times / row.counted
    clocks = go(start)
    if row.repeated > REPEATED:
        return (go(start) - clocks) / row.repeated
    start += len(before)
    clocks = go(start + 4 * len(body))
    return (go(start + 24 * len(body)) - clocks) / 20
