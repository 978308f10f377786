"""Bounds of small routines on each machine: no call lies outside, and what is between has its reason.

A row has the clocks by which a bound is wider than the extremes of calls with random registers, memory and caches:
0, 0 where it is exact. It is wider where

    the bus is still busy when the routine begins, or what it waits for depends on what was before (a clock or two)
    several misses, each with a line to be written out, are not told to exclude each other, or were not met
    a number is not known, on which multiplication, division, a shift or a search for a bit depends

The numbers tell what the engine knows: one that grows is something that it does not know any more.
"""

import pytest

from retrosim.bounds.call import bound
from tests.helpers.amount import FULL
from tests.helpers.bounds.programs import calls, opened_all

REGISTERS = {  # those that point to memory, and those that hold any number
    "mc68000-8": ("a0 a1", "d0 d1"),
    "mc68040-25": ("a0 a1 a2", "d0 d1"),
    "i386dx-33": ("ebx esi edi", "eax ecx edx"),
    "i486dx2-66": ("ebx esi edi", "eax ecx edx"),
    "ppc601-80": ("r3 r4 r6", "r5 r7"),
}
CALLS, FEW = 48, 2  # of each routine; of each machine
ROUTINES = {
    "mc68000-8": [
        ("mulu.w d1,d0; rts", 0, 0),
        ("cmp.l d0,d1; beq.s x; move.l (a0),d0; rts; x: move.l (a1),d0; move.l (a1),d0; rts", 0, 0),
        ("lsl.l d1,d0; rts", 0, 0),
        ("divu.w d1,d0; rts", 10, 0),
        ("movem.l d2-d4,-(sp); movem.l (sp)+,d2-d4; rts", 0, 0),
        ("tst.l d0; bmi.s x; nop; x: rts", 0, 0),
        ("cmp.w d1,d0; bls.s x; mulu.w d0,d0; x: rts", 0, 0),
        ("moveq #7,d2; and.l d0,d2; lsl.l d2,d1; rts", 0, 0),
        ("divs.w d1,d0; rts", 16, 44),
        ("muls.w d1,d0; rts", 0, 0),
    ],
    "mc68040-25": [
        ("x: move.l x(pc),d0; move.l x(pc),d1; rts", 6, 0),
        ("rts", 0, 0),
        ("move.l (a0),d0; move.l (a0),d0; rts", 4, 22),
        ("move.l (a0),d0; move.l (a1),d1; rts", 4, 44),
        ("move.l d0,(a0); move.l (a0),d1; rts", 4, 22),
        ("move.l d0,-(sp); bsr.s f; addq.l #4,sp; rts; f: move.l 4(sp),d0; rts", 6, 0),
        ("move.l 0x3000,d0; move.l 0x3004,d1; move.l d0,0x3010; rts", 4, 0),
        ("movem.l d2-d4,-(sp); movem.l (sp)+,d2-d4; rts", 1, 0),
        ("moveq #3,d0; l: move.l (a0)+,d1; subq.l #1,d0; bne.s l; rts", 0, 37),
        ("mulu.w d1,d0; mulu.w d1,d0; rts", 0, 0),
        ("cmp.l d0,d1; beq.s x; move.l (a0),d0; x: rts", 2, 22),
        ("move.l d0,(a0); move.l d1,(a1); rts", 4, 44),
        ("bsr.s f; nop; rts; f: rts", 5, 0),
    ],
    "i386dx-33": [
        ("mov eax,[ebx]; mov eax,[esi]; ret", 0, 2),
        ("mov [ebx],eax; mov edx,[ebx]; ret", 1, 2),
        ("mul edx; ret", 0, 2),
        ("cmp eax,edx; je x; mov eax,[ebx]; ret; x: mov eax,[esi]; mov eax,[esi]; ret", 0, 2),
        ("push eax; call f; add esp,4; ret; f: mov eax,[esp+4]; ret", 1, 1),
        ("mov ecx,5; rep movsd; ret", 0, 2),
        ("xor edx,edx; div ecx; ret", 0, 2),
        ("mov [ebx],eax; mov [esi],eax; ret", 1, 2),
        ("mov ecx,3; l: dec ecx; jnz l; ret", 0, 2),
        ("shl eax,cl; ret", 0, 2),
        ("bsf eax,edx; ret", 0, 171),
    ],
    "i486dx2-66": [
        ("call f; f: pop eax; mov eax,[eax]; ret", 0, 11),
        ("ret", 0, 2),
        ("mov eax,[ebx]; mov eax,[ebx]; ret", 0, 8),
        ("mov eax,[ebx]; mov ecx,[esi]; ret", 0, 9),
        ("mov [ebx],eax; mov edx,[ebx]; ret", 0, 6),
        ("push eax; call f; add esp,4; ret; f: mov eax,[esp+4]; ret", 0, 0),
        ("mov [ebx],eax; mov [ebx+4],eax; mov [esi],eax; mov [edi],eax; mov [esi+4],eax; ret", 0, 0),
        ("mov eax,[0x3000]; mov edx,[0x3004]; mov [0x3010],eax; ret", 0, 10),
        ("mul edx; ret", 0, 11),
        ("cmp eax,edx; je x; mov eax,[ebx]; x: ret", 0, 7),
        ("mov ecx,3; l: mov eax,[ebx]; add ebx,4; dec ecx; jnz l; ret", 0, 16),
        ("mov ecx,2; rep movsd; ret", 0, 35),
    ],
    "ppc601-80": [
        ("blr", 0, 0),
        ("lwz 5,0(3); lwz 6,0(3); blr", 1, 91),
        ("lwz 5,0(3); lwz 6,0(4); blr", 1, 94),
        ("stw 5,0(3); lwz 6,0(3); blr", 1, 91),
        ("mullw 3,5,7; blr", 1, 1),
        ("cmpw 5,7; beq x; lwz 5,0(3); x: blr", 1, 76),
        ("li 9,3; mtctr 9; l: addi 3,3,4; bdnz l; blr", 1, 63),
        ("lbz 5,1(3); lwz 6,4(4); stw 6,8(3); blr", 1, 108),
        ("add 3,5,7; mullw 3,3,3; divwu 3,3,7; blr", 1, 1),
    ],
}


@pytest.mark.parametrize("name", ROUTINES)
def test_bounds_hold_all_calls_and_little_more(tmp_path, name):
    routines = ROUTINES[name] if FULL else ROUTINES[name][:FEW]
    texts, *_ = zip(*routines, strict=True)
    machine, addresses = opened_all(tmp_path, texts, name)
    for address, (text, *wider) in zip(addresses, routines, strict=True):
        report = bound(machine, address)
        clocks = calls(machine, address, *REGISTERS[name], CALLS)
        assert len(clocks) > CALLS // 2
        assert report.minimum <= min(clocks) and max(clocks) <= report.maximum, text
        assert [min(clocks) - report.minimum, report.maximum - max(clocks)] == wider, text
