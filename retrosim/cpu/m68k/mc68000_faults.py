"""The MC68000's address error: the group-0 stack frame (M68000UM section 6.3.9).

SP+0  access: 11 bits that the manual leaves undefined (the instruction register's), R/W, I/N, function code
SP+2  access address    SP+6  instruction register    SP+8  status register    SP+10  program counter
"""

from __future__ import annotations

from ..spec.cpu import ACCESS_FETCH, ACCESS_WRITE
from ..spec.rows import Insn
from ..spec.semantics import ExecutionContext
from .exceptions import ADDRESS_ERROR, vector_or_fault
from .mc68000 import REGISTER_OR_IMMEDIATE, address_clocks, printed_clocks
from .state import get_sr, push, set_stack

READ = 16
DATA_SPACE, PROGRAM_SPACE, SUPERVISOR = 1, 2, 4


def address_error(m: ExecutionContext, insn: Insn) -> None:
    """Take the exception; `insn` has been aborted, its side effects up to the access stand."""
    access, address = m.get("access").known, m.get("detail")
    fetch, write = bool(access & ACCESS_FETCH), bool(access & ACCESS_WRITE)
    space = PROGRAM_SPACE if fetch or ("PC" in insn.forms.get("ea", "") and not write) else DATA_SPACE
    supervisor = SUPERVISOR if m.get("s").known else 0
    opcode = m.opcode
    if insn.row.name == "MOVE" and write and insn.forms.get("ea2") == "-(An)" and insn.forms["s"] == "W":
        opcode = m.core.word(insn.end)  # the next instruction has been taken up before the write
    word = (opcode & 0xFFE0) | (0 if write else READ) | space | supervisor
    sr = get_sr(m)

    def take(handler):
        m.raised = ADDRESS_ERROR
        m.exception_taken(ADDRESS_ERROR)
        m.set("cycles", m.get("cycles") + _elapsed(insn, access) + printed_clocks("Address error"))
        m.set("trace", m.const(2, 0))
        set_stack(m, m.const(1, 1), m.const(1, 0))
        push(m, m.const(32, _stacked_pc(insn, access)))
        push(m, sr)
        push(m, m.const(16, opcode))
        push(m, address)
        push(m, m.const(16, word))
        m.jump(handler)

    vector_or_fault(m, ADDRESS_ERROR, take)


# what the program counter has moved beyond the opcode's successor when an operand is accessed, by addressing mode
MOVED = {"-(An)": 2, "(xxx).W": 2, "(xxx).L": 4}


def _stacked_pc(insn: Insn, access: int) -> int:
    """Return the program counter at the access: it follows the prefetch, which runs ahead by mode and instruction."""
    name, forms = insn.row.name, insn.forms
    if access & ACCESS_FETCH:
        return _pc_at_a_jump(insn)
    if name == "MOVE" and access & ACCESS_WRITE and "ea2" in forms:
        return insn.end + _destination_ahead(forms)
    if name == "MOVEM":
        return insn.end + 2
    if name in ("ADDX", "SUBX", "CMPM", "UNLK", "DB"):
        return insn.pc + 4
    immediate = (
        {"B": 2, "W": 2, "L": 4}[forms["s"]] if insn.row.operands[1:2] and insn.row.operands[1][0] == "imm" else 0
    )
    if forms.get("ea") == "-(An)" and forms.get("s") == "L":
        return insn.pc + 2 + immediate
    return insn.pc + 2 + immediate + MOVED.get(forms.get("ea", ""), 0)


def _destination_ahead(forms: dict[str, str]) -> int:
    """Return what the prefetch is ahead of MOVE's last word at the write (guide/facts/m68000_timing.md section 2)."""
    if forms["ea2"] == "(xxx).L":
        return 0 if forms["ea"] in REGISTER_OR_IMMEDIATE else -2
    return {"-(An)": 2, "(An)": 2, "(An)+": 2}.get(forms["ea2"], 0)


def _pc_at_a_jump(insn: Insn) -> int:
    """Return the program counter when the first word at an odd target is fetched."""
    if insn.row.name == "BSR":
        return insn.fields[0]
    if insn.row.name == "JSR":
        return insn.end
    return insn.pc + (4 if insn.row.name == "DB" else 2)


# idle clocks and operand fetches before a jump fetches from its target (guide/facts/m68000_timing.md section 2)
JUMP = {"(An)": 0, "(d16,An)": 2, "(d8,An,Xn)": 6, "(xxx).W": 2, "(xxx).L": 4, "(d16,PC)": 2, "(d8,PC,Xn)": 6}
RETURNS = {"RTS": 8, "RTR": 12, "RTE": 12, "BSR": 10}


def _elapsed(insn: Insn, access: int) -> int:
    """Return the clocks between the start of an instruction and its aborted access."""
    name, forms, number = insn.row.name, insn.forms, access & 0xFF
    form, size = forms.get("ea", ""), 8 if forms.get("s") == "L" else 4
    if access & ACCESS_FETCH:
        return JUMP[form] if name in ("JMP", "JSR") else RETURNS.get(name, 2)  # others: an exception's odd handler
    if name in ("ADDX", "SUBX"):
        return 2 + (size if number else 0)
    if name == "CMPM":
        return size if number else 0
    if name == "MOVE" and access & ACCESS_WRITE and "ea2" in forms:
        destination = address_clocks(forms["ea2"], False) - (6 if forms["ea2"] == "-(An)" else 4)
        late = 4 if forms["ea2"] == "(xxx).L" and form not in REGISTER_OR_IMMEDIATE else 0
        return address_clocks(form, size == 8) + destination - late + (4 if forms["ea2"] == "-(An)" else 0)
    if name == "BSR":
        return 2
    if name in ("JSR", "PEA"):
        return (JUMP[form] if name == "JSR" else address_clocks(form, False) - 4) + 4
    if not form:
        return 0
    immediate = (
        {"B": 4, "W": 4, "L": 8}[forms["s"]] if insn.row.operands[1:2] and insn.row.operands[1][0] == "imm" else 0
    )
    mask = (2 if form == "-(An)" else 4) if name == "MOVEM" else 0  # its -(An) has no idle clocks
    return immediate + mask + address_clocks(form, False) - 4
