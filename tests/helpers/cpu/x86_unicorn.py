"""Unicorn's 486 as a judge of single instructions. Some of its faults end the process, so it runs in a child.

Faults that are known (unicorn 2.1.4) and what is done about them: state is restored before every run, since a second
#DE in one instance becomes another exception; translated code is dropped before every run; exception 6 comes as an
error, others by the hook.
"""

from __future__ import annotations

import multiprocessing
from typing import Any

from tests.helpers.cpu.x86_streams import Start

MEMORY = 1 << 24
NAMES = ("EAX", "ECX", "EDX", "EBX", "ESP", "EBP", "ESI", "EDI")
SEGMENTS = ("ES", "CS", "SS", "DS", "FS", "GS")

# registers, selectors, EFLAGS, linear pc, address -> byte written, exception or None
Result = tuple[list[int], list[int], int, int, dict[int, int], int | None]


class Unicorn:
    """One 486 with 16 MiB of memory."""

    def __init__(self, bits: int, memory: bytes) -> None:
        from unicorn import UC_ARCH_X86, UC_HOOK_INTR, UC_HOOK_MEM_WRITE, UC_MODE_16, UC_MODE_32, Uc, x86_const

        self.bits, self.base = bits, memory
        self.uc = Uc(UC_ARCH_X86, UC_MODE_16 if bits == 16 else UC_MODE_32)
        self.uc.ctl_set_cpu_model(x86_const.UC_CPU_X86_486)
        self.uc.mem_map(0, MEMORY)
        self.uc.mem_write(0, memory)
        self.registers = [getattr(x86_const, f"UC_X86_REG_{name}") for name in NAMES]
        self.segments = [getattr(x86_const, f"UC_X86_REG_{name}") for name in SEGMENTS]
        self.flags, self.ip = x86_const.UC_X86_REG_EFLAGS, x86_const.UC_X86_REG_EIP
        self.written: list[tuple[int, int]] = []
        self.exception: int | None = None
        self.uc.hook_add(UC_HOOK_INTR, self._interrupt)
        self.uc.hook_add(UC_HOOK_MEM_WRITE, self._write)
        self.blank = self.uc.context_save()

    def _write(self, uc: Any, kind: int, at: int, size: int, value: int, _: Any) -> None:
        self.written.append((at, size))

    def _interrupt(self, uc: Any, number: int, _: Any) -> None:
        self.exception = number
        uc.emu_stop()

    def run(self, begin: Start) -> Result | None:
        """Run one instruction; None where Unicorn could not (memory that is not there)."""
        from unicorn import UC_ERR_INSN_INVALID, UcError

        uc = self.uc
        uc.ctl_flush_tb()
        uc.context_restore(self.blank)
        uc.mem_write(begin.pc, begin.code)
        self.written.clear()
        self.exception = None
        for number, value in zip(self.registers, begin.registers):
            uc.reg_write(number, value)
        if self.bits == 16:
            for number, value in zip(self.segments, begin.selectors):
                uc.reg_write(number, value)
        uc.reg_write(self.flags, begin.flags)
        ok = True
        try:
            uc.emu_start(begin.pc, begin.pc + len(begin.code), 0, 0 if begin.repeats else 1)
        except UcError as error:
            ok = error.errno == UC_ERR_INSN_INVALID
            self.exception = 6
        if any(at + size > MEMORY for at, size in self.written):  # reported before the fault
            ok, self.written = False, [w for w in self.written if sum(w) <= MEMORY]
        code = uc.reg_read(self.segments[1]) << 4 if self.bits == 16 else 0
        result = (
            [uc.reg_read(number) for number in self.registers],
            [uc.reg_read(number) for number in self.segments],
            uc.reg_read(self.flags),
            code + uc.reg_read(self.ip),
            {at + i: byte for at, size in self.written for i, byte in enumerate(uc.mem_read(at, size))},
            self.exception,
        )
        for at, size in self.written:
            uc.mem_write(at, self._old(at, size))
        uc.mem_write(begin.pc, self._old(begin.pc, len(begin.code)))
        return result if ok else None

    def _old(self, at: int, size: int) -> bytes:
        return self.base[at : at + size].ljust(size, b"\0")


def _serve(pipe: Any, bits: int, memory: bytes) -> None:
    unicorn = Unicorn(bits, memory)
    try:
        while True:
            pipe.send([unicorn.run(begin) for begin in pipe.recv()])
    except EOFError:
        return  # the test has ended


class UnicornProcess:
    """Unicorn in a child process that is started again when a run ends it."""

    def __init__(self, bits: int, memory: bytes) -> None:
        self.bits, self.memory, self.deaths = bits, memory, 0
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, child = context.Pipe()
        self.process = context.Process(target=_serve, args=(child, self.bits, self.memory), daemon=True)
        self.process.start()
        child.close()

    def run(self, batch: list[Start]) -> list[Result | None]:
        """Run a batch; the instruction that ends the process gives None."""
        try:
            self.pipe.send(batch)
            return self.pipe.recv()
        except (EOFError, ConnectionError):
            self.deaths += 1
            self._start()
            if len(batch) == 1:
                return [None]
            half = len(batch) // 2
            return self.run(batch[:half]) + self.run(batch[half:])
