"""Unicorn's PowerPC 601, run for one instruction from a given state.

All state goes in and out by instructions and memory: Unicorn's register access misses parts of XER and knows no MQ. A
prologue in low memory loads everything, an epilogue stores everything; a copy of the epilogue, where branches go,
stores a mark too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

PROLOGUE, INSTRUCTION, LANDING = 0x1000, 0x10000, 0x10100
STATE, RESULT = 0x2000, 0x3000  # r0-r31, then the words of `Special`, then the mark
LOAD, STORE, LOAD_ALL, STORE_ALL = (
    0x80000000,
    0x90000000,
    0xB8000000,
    0xBC000000,
)  # lwz stw lmw stmw, by absolute address
MT, MF = 0x7C0003A6, 0x7C0002A6
SPECIAL = {"xer": 1, "lr": 8, "ctr": 9, "mq": 0}
XER_BITS = 0xE000FF7F  # the others are reserved


@dataclass
class State:
    """Registers before or after an instruction; `taken`: it went to LANDING."""

    r: list[int]
    cr: int
    xer: int
    lr: int
    ctr: int
    mq: int
    taken: bool = False


def _epilogue(mark: bool) -> list[int]:
    words = [STORE_ALL | RESULT, 0x7C000026, STORE | RESULT + 128]  # stmw r0; mfcr r0; stw r0
    for number, spr in enumerate(SPECIAL.values()):
        words += [MF | spr << 16, STORE | RESULT + 132 + 4 * number]
    return words + [0x38000000 | mark, STORE | RESULT + 148, 0x60000000]


def _prologue() -> list[int]:
    words = [LOAD | STATE + 128, 0x7C0FF120]  # mtcrf 255,r0
    for number, spr in enumerate(SPECIAL.values()):
        words += [LOAD | STATE + 132 + 4 * number, MT | spr << 16]
    words.append(LOAD_ALL | STATE)
    at = PROLOGUE + 4 * len(words)
    return [*words, 0x48000000 | (INSTRUCTION - at & 0x3FFFFFC)]


def _bytes(words: list[int]) -> bytes:
    return b"".join((word & 0xFFFFFFFF).to_bytes(4, "big") for word in words)


class Unicorn601:
    """One Unicorn; `written` lists (address, bytes) that the last instruction stored."""

    def __init__(self) -> None:
        unicorn = pytest.importorskip("unicorn", reason="unicorn is not installed")
        from unicorn import ppc_const

        self.uc = unicorn.Uc(unicorn.UC_ARCH_PPC, unicorn.UC_MODE_PPC32 | unicorn.UC_MODE_BIG_ENDIAN)
        self.uc.ctl_set_cpu_model(ppc_const.UC_CPU_PPC32_601_V1)
        self.uc.mem_map(0, 1 << 24)
        self.error = unicorn.UcError
        self.written: list[tuple[int, int]] = []
        self.uc.hook_add(unicorn.UC_HOOK_INTR, self._interrupt)
        self.uc.hook_add(unicorn.UC_HOOK_MEM_WRITE, self._write, begin=LANDING + 0x1000, end=(1 << 24) - 1)
        self.uc.mem_write(PROLOGUE, _bytes(_prologue()))
        for place, mark in ((INSTRUCTION + 4, False), (LANDING, True)):
            self.uc.mem_write(place, _bytes(_epilogue(mark)))

    def _interrupt(self, uc: Any, number: int, _: Any) -> None:
        self.trapped = True
        uc.emu_stop()

    def _write(self, uc: Any, access: int, address: int, size: int, value: int, _: Any) -> None:
        self.written.append((address, size))

    def run(self, word: int, before: State) -> State | None:
        """Run an instruction; None when it trapped or is unknown there."""
        uc = self.uc
        self.trapped = False
        self.written.clear()
        uc.mem_write(INSTRUCTION, word.to_bytes(4, "big"))
        uc.ctl_remove_cache(INSTRUCTION, INSTRUCTION + 4)
        special = [before.cr, before.xer, before.lr, before.ctr, before.mq]
        uc.mem_write(STATE, _bytes(before.r + special))
        uc.mem_write(RESULT + 148, b"\xff" * 4)
        try:
            uc.emu_start(PROLOGUE, 0, 0, len(_prologue()) + len(_epilogue(False)))
        except self.error:
            return None
        out = bytes(uc.mem_read(RESULT, 152))
        words = [int.from_bytes(out[i : i + 4], "big") for i in range(0, 152, 4)]
        if self.trapped or words[37] == 0xFFFFFFFF:
            return None
        return State(words[:32], *words[32:37], taken=bool(words[37]))
