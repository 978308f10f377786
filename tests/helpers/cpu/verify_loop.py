"""Proves of the one function of the engines that Numba compiles that it stays in its memory.

Its text is LLVM's, after all optimizations. An address is a base and a constant offset inside it:

    table, results, error   what it allocates, the two words of its result, the pointer to an error
    record                  the first word of the record that it is given the number of, once that is known to be one

What it calls is the handler of that record, with the memory, state, record and table that are its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from retrosim.cpu.engines.handlers import RECORD_BYTES

TABLE, RECORD = "table", "record"
BASES = {"%retptr": ("results", 16), "%excinfo": ("error", 8)}
DATA = "%arg.{}.4"
"""Where the bytes of an array begin, among the arguments."""
NUMBER, COUNT = "%arg.start", "%arg.records.5.0"
HARMLESS = ("icmp", "phi", "sub", "ptrtoint", "freeze", "select", "shl")
BYTES = {"i64": 8, "ptr": 8}
ALLOCATED = re.compile(r"alloca \[(\d+) x ptr\]")
PLACE = re.compile(r"getelementptr (?:inbounds )?(?:nuw )?i8, ptr (\S+), i64 (\S+)")
ACCESS = re.compile(r"(?:load|store) (?:(ptr|i64) (?:\S+), ptr (\S+)|(ptr|i64), ptr (\S+)), align 8(?:, !.*)?")
CALLED = re.compile(r"call ptr (\S+)\((.*)\)")
BRANCH = re.compile(r"br i1 (\S+), label (\S+), label (\S+)")
BELOW = (f"icmp ult i64 {NUMBER}, {COUNT}",)
BETWEEN = (f"icmp sgt i64 {NUMBER}, -1", f"icmp slt i64 {NUMBER}, {COUNT}")


class _Loop:
    """The text of a function, taken apart."""

    def __init__(self, text: str) -> None:
        body = text[text.index("{\n", text.index("\ndefine ")) + 2 :]
        self.lines = [line.partition(" ; ")[0].strip() for line in body[: body.index("\n}")].split("\n")]
        self.values = dict(line.split(" = ", 1) for line in self.lines if " = " in line)
        self.branches = [match for line in self.lines if (match := BRANCH.fullmatch(line))]
        self.jumps = [line.rpartition("%")[2] for line in self.lines if line.startswith("br label")]
        self.block = ""

    def faults(self) -> Iterator[str]:
        """Yield what is not proved."""
        for line in filter(None, self.lines):
            if line.endswith(":"):
                self.block = line[:-1]
            elif reason := self._reason(line.partition(" = ")[2] or line):
                yield f"{line}: {reason}"

    def _reason(self, instruction: str) -> str:
        """Say what is wrong with an instruction, "" if nothing is."""
        kind = instruction.partition(" ")[0]
        if kind in ("load", "store"):
            return self._access(instruction)
        if kind == "call":
            return self._call(instruction)
        if kind == "sdiv":
            return "" if instruction.endswith(f", {RECORD_BYTES}") else "divides by another number"
        is_harmless = kind in (*HARMLESS, "br", "ret") or ALLOCATED.match(instruction) or PLACE.match(instruction)
        return "" if is_harmless else "unknown"

    def _access(self, instruction: str) -> str:
        match = ACCESS.fullmatch(instruction)
        if not match:
            return "unknown"
        place = match[2] or match[4]
        found = self._place(place)
        if found is None:
            return f"{place} is no address of its own"
        base, offset, size = found
        if not 0 <= offset <= size - BYTES[match[1] or match[3]]:
            return f"{base} at {offset}, which has {size} bytes"
        if base == RECORD:
            if instruction.startswith("store"):
                return "writes to the record"
            if not self._is_number():
                return "the number of the record is not checked"
        return ""

    def _place(self, name: str, offset: int = 0) -> tuple[str, int, int] | None:
        """Return base, offset and bytes of what an address leads to."""
        if name in BASES:
            base, size = BASES[name]
            return base, offset, size
        made = self.values.get(name, "")
        if match := ALLOCATED.match(made):
            return TABLE, offset, 8 * int(match[1])
        if match := PLACE.fullmatch(made):
            if match[1] == DATA.format("records") and self._is_distance(match[2]):
                return RECORD, offset, 8
            return self._place(match[1], offset + int(match[2])) if match[2].isdigit() else None
        return None

    def _is_distance(self, name: str) -> bool:
        shift = RECORD_BYTES.bit_length() - 1
        return re.fullmatch(rf"shl (nuw |nsw )*i64 {re.escape(NUMBER)}, {shift}", self.values.get(name, "")) is not None

    def _is_number(self) -> bool:
        """Is this block only reached where the number is that of a record?"""
        ways = [branch for branch in self.branches if f"%{self.block}" in (branch[2], branch[3])]
        if len(ways) != 1 or self.block in self.jumps or ways[0][2] == ways[0][3] or ways[0][3] == f"%{self.block}":
            return False
        known = set(self._parts(ways[0][1]))
        return known >= set(BELOW) or known >= set(BETWEEN)

    def _parts(self, condition: str) -> Iterator[str]:
        """Yield the comparisons that hold where a condition does."""
        made = self.values.get(condition, "")
        both = re.fullmatch(r"select i1 (\S+), i1 (\S+), i1 false", made) or re.fullmatch(r"and i1 (\S+), (\S+)", made)
        if both:
            yield from (*self._parts(both[1]), *self._parts(both[2]))
        yield made

    def _call(self, instruction: str) -> str:
        match = CALLED.match(instruction)
        if not match:
            return "calls what is no handler"
        callee = self.values.get(match[1], "").replace(",", "").split()
        if callee[:2] != ["load", "ptr"] or (self._place(callee[3]) or ("",))[0] != RECORD:
            return "calls what is no handler"
        ram, state, record, table, _ = (argument.split()[-1] for argument in match[2].split(", "))
        if (ram, state) != (DATA.format("ram"), DATA.format("state")) or record != callee[3]:
            return "passes other memory"
        return "" if self._place(table) == (TABLE, 0, 32) else "passes another table"


def faults_of_loop(text: str) -> list[str]:
    """Return what is not proved of a function that Numba has compiled: its text, as `inspect_llvm` gives it."""
    return list(_Loop(text).faults())
