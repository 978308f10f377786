"""Registers that a routine reads before anything has set them."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrosim.asm.project import BOOTS, load_for
from retrosim.cost.cost import cost_report
from retrosim.cost.unset import unset_reads
from retrosim.machine import Machine, open_machine

MODELS = {"68K": "mc68040-25", "x86": "i486dx2-66", "286": "i80286-12", "PPC": "ppc601-80"}


def opened(folder: Path, model: str, code: str) -> Machine:
    source = folder / "routine.s"
    source.write_text(" .globl f\nf: " * (model == "PPC") + "f: " * (model != "PPC") + code.replace("; ", "\n ") + "\n")
    program = load_for(source, MODELS[model], MODELS[model], boot=BOOTS[16 if model == "286" else None]).program
    machine = open_machine(MODELS[model], program, engine="evaluate")
    assert isinstance(machine, Machine)
    return machine


def unset(machine: Machine, *words: int, **how) -> list[str]:
    return cost_report(machine, "f", *words, interval=False, warm=0, **how).unset_registers


@pytest.mark.parametrize(
    "model, code, names",
    [
        ("68K", "moveq #3,d1; move.l (a0)+,(a1)+; dbra d1,f+2; rts", "a0 a1"),
        ("68K", "add.l (a0),d0; tst.l d2; cmp.l d3,d1; rts", "d0 a0 d2 d1 d3"),
        ("68K", "move.l d4,$3000; movem.l d5-d6,$3010; rts", "d4 d5 d6"),
        ("68K", "move.l d7,-(sp); add.l d7,(sp); addq.l #4,sp; rts", "d7"),
        ("x86", "mov ecx,2; mov eax,[edi]; add edx,esi; rep stosd; ret", "edi edx esi"),
        ("286", "mov ax,[si]; cmp bl,3; ret", "si bx"),
        ("PPC", "add 3,3,4; lwz 5,0(6); stw 7,0x3000(0); blr", "r3 r4 r6 r7"),
    ],
)
def test_what_reads(tmp_path: Path, model: str, code: str, names: str) -> None:
    """Results, flags, addresses and stores depend on them; in the order in which the instructions come."""
    assert unset(opened(tmp_path, model, code)) == names.split()


@pytest.mark.parametrize(
    "model, code",
    [
        ("68K", "movem.l d2-d7/a2-a6,-(sp); moveq #0,d2; movem.l (sp)+,d2-d7/a2-a6; rts"),
        ("68K", "link a6,#-8; move.l d3,-4(a6); move.l a5,-8(a6); movea.l -8(a6),a5; unlk a6; rts"),
        ("68K", "eor.l d0,d0; sub.l d1,d1; suba.l a0,a0; clr.l d2; subx.l d3,d3; add.l (a0),d0; rts"),
        ("68K", "move.b #1,d0; add.b d0,d0; move.l a1,a1; bsr.s *+4; moveq #1,d1; rts"),
        ("x86", "push ebx; push ebp; mov ebp,esp; mov [ebp-4],esi; xor ebx,ebx; sbb ecx,ecx; pop ebp; pop ebx; ret"),
        ("x86", "sub edx,edx; mov al,5; lea esi,[esi+0]; xchg edi,edi; mov eax,[esp+4]; ret"),
        ("286", "pusha; push bp; mov bp,sp; mov ax,[bp+4]; pop bp; popa; ret"),
        ("PPC", "stwu 1,-96(1); mflr 0; stw 0,100(1); stmw 20,40(1); mr 31,1; lwz 5,8(31); lwz 1,0(1); blr"),
        ("PPC", "xor 7,7,7; subf 8,8,8; li 3,1; blr"),
    ],
)
def test_what_does_not_read(tmp_path: Path, model: str, code: str) -> None:
    """To save them, to clear them, to set a part, and what the call itself sets: stack, frame and return."""
    assert unset(opened(tmp_path, model, code)) == []


def test_what_a_call_sets(tmp_path: Path) -> None:
    """Also to 0."""
    ours = opened(tmp_path, "PPC", "add 3,3,4; blr")
    assert (unset(ours), unset(ours, 0), unset(ours, 0, 0)) == (["r3", "r4"], ["r4"], [])
    assert unset(ours, 0, registers={"r4": 0}) == []
    pc = opened(tmp_path, "x86", "add eax,edx; ret")
    assert unset(pc, 0, convention="regparm") == ["edx"] and unset(pc, registers={"edx": 0}) == ["eax"]


def test_a_program_that_has_run_has_set_all(tmp_path: Path) -> None:
    ours = opened(tmp_path, "68K", "add.l d1,d0; rts")
    assert unset(ours) == ["d0", "d1"]
    ours.frame_number = 1
    assert unset(ours) == []


def test_nothing_else_changes(tmp_path: Path) -> None:
    """The first instructions of a call that is stepped through for it, and what looks at them."""
    ours = opened(tmp_path, "68K", "move.l d1,(a0)+; move.l d2,-(sp); addq.l #4,sp; rts")
    before = ours.measure("f", registers={"a0": 0x3000}, warm=0)
    call = {"convention": "c", "registers": {"a0": 0x3000}}
    ours.write(0x3000, b"\xff" * 4)
    assert unset_reads(ours, ours.address("f"), (), call, 1) == ["d1"]
    assert ours.regs["a0"] == 0x3004 and not ours.mem[0x3000:0x3004].any() and ours.mem[0x3004] == 0
    assert unset_reads(ours, ours.address("f"), (), call, 0) == [] and before.instructions == 4
