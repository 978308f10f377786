"""Instructions that are overwritten again and again: known variants run without the host, regions go on around them."""

from __future__ import annotations

import random

import pytest

from retrosim.asm import assemble
from retrosim.cost.counting import CompiledCounter, SteppingCounter
from retrosim.cpu.engines import core as core_module
from retrosim.machine import Machine
from retrosim.machine.presets import preset
from tests.helpers.counted import by_address
from tests.helpers.machine import programs

# Each round makes a number of 0..15 by a generator, and an addition or exclusive-or of it, which then runs thrice.
M68K = """
_start: moveq   #23,d0
        eori.l  #$12345678,d1           ; so that its handler is there
next:   mulu.w  #16645,d0
        addi.l  #1013904223,d0
        move.l  d0,d3
        lsr.l   #7,d3
        moveq   #15,d2
        and.l   d3,d2
        move.l  d2,slot+2
        move.w  #$0681,d4               ; ADDI.L #number,d1
        btst    #4,d3
        beq     keep
        move.w  #$0a81,d4               ; EORI.L #number,d1
keep:   move.w  d4,slot
        moveq   #2,d2
slot:   addi.l  #$12345678,d1
        addq.l  #1,d5
        dbra    d2,slot
        bra     next
"""
X86 = """
        bits 32
_start: mov eax,23
        xor ebx,12345678h
next:   imul eax,eax,1664525
        add eax,1013904223
        mov edx,eax
        shr edx,7
        mov ecx,edx
        and ecx,15
        mov [slot+2],ecx
        mov byte [slot+1],0c3h          ; ADD EBX,number
        test edx,16
        jz keep
        mov byte [slot+1],0f3h          ; XOR EBX,number
keep:   mov ecx,3
slot:   add ebx,12345678h
        inc esi
        dec ecx
        jnz slot
        jmp next
"""
PPC = """
_start: li      3,23
        xoris   7,7,0x1234
        lis     9,slot@ha
        addi    9,9,slot@l
next:   mulli   3,3,16645
        addi    3,3,12345
        rlwinm  4,3,25,27,31
        rlwinm. 5,4,0,27,27
        lis     6,0x38e7                # addi r7,r7,number
        beq     keep
        lis     6,0x6ce7                # xoris r7,r7,number
keep:   rlwinm  4,4,0,28,31
        or      6,6,4
        stw     6,0(9)
        li      8,3
slot:   addi    7,7,0x1234
        addi    10,10,1
        addic.  8,8,-1
        bne     slot
        b       next
"""
SOURCES = {"mc68000-8": M68K, "mc68040-25": M68K, "i386dx-33": X86, "i486dx2-66": X86, "ppc601-80": PPC}
ROUND = 22  # instructions, about
LONG = "\n".join(" add.l d5,d6\n eor.l d6,d5" for _ in range(20))


def program(name: str, source: str) -> tuple[Machine, dict[str, Machine], int]:
    """Return a machine on the evaluator, others on the compiled engines, with the same program; where `slot` is."""
    isa = preset(name).isa
    made = assemble(source, isa, origin=programs.ENTRY)
    image = programs.image(made.code.hex(), isa=isa, boot="flat" if isa.startswith("i") else "")
    slow, *fast = (Machine(name, image, engine=each) for each in ("evaluate", *programs.COMPILED))
    return slow, dict(zip(programs.COMPILED, fast)), made.symbols["slot"]


def run_all(machines: list[Machine], **limits) -> None:
    first, *others = (each.run(**limits) for each in machines)
    assert all(each == first for each in others)
    for each in machines[1:]:
        assert programs.content(each) == programs.content(machines[0])
        assert each.cycles == machines[0].cycles


@pytest.mark.first_case
@pytest.mark.parametrize("name", SOURCES)
def test_known_variants_run_without_the_host(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow, fast, slot = program(name, SOURCES[name])
    r = random.Random(name)
    for _ in range(40):
        run_all([slow, *fast.values()], instructions=r.randrange(1, 4 * ROUND))
    run_all([slow, *fast.values()], instructions=200 * ROUND)
    for each in (slow, *fast.values()):
        assert each.core.unsteady == {slot}
    decoded: list[int] = []
    for each in fast.values():
        monkeypatch.setattr(each.core, "decode", lambda pc, decode=each.core.decode: decoded.append(pc) or decode(pc))
    run_all([slow, *fast.values()], instructions=50 * ROUND)
    assert slot not in decoded


def test_variants_that_share_a_place_of_the_table() -> None:
    slow, fast, _ = program("mc68040-25", M68K)
    run_all([slow, *fast.values()], instructions=100 * ROUND)
    for number in range(5):
        for each in fast.values():
            places = each._engine._interpreter._variants._places
            (known,) = set(places[places != 0][number : number + 1].tolist())
            places[:] = known
        run_all([slow, *fast.values()], instructions=20 * ROUND)


def test_stops_states_and_writes_from_outside() -> None:
    slow, fast, slot = program("i486dx2-66", X86)
    machines = [slow, *fast.values()]
    run_all(machines, instructions=100 * ROUND)
    for number in range(6):
        run_all(machines, until=slot, instructions=500)
        assert slow.core.state["pc"] == slot
        state = slow.save()
        for each in machines:
            each.write(slot, bytes([0x81, 0xC3, number, 0, 0, 0]))
        run_all(machines, instructions=5)
        for each in machines:
            each.load(state)
        run_all(machines, instructions=ROUND)


def test_a_variant_of_another_length_and_one_that_is_undefined() -> None:
    """ADDI.L and MOVEQ with a word that is no instruction behind it, which a branch over it hides."""
    source = """
_start: lea     forms,a0
        moveq   #2,d7
next:   move.l  (a0)+,slot
        move.w  (a0)+,slot+4
slot:   addi.l  #1,d1
        addq.l  #1,d5
        dbra    d7,next
        bra     _start
forms:  addi.l  #$20003,d1
        moveq   #7,d1
        bra.s   *+4
        dc.w    $4afc
        bra.s   *+6
        dc.w    $4afc,$4afc
"""
    slow, fast, slot = program("mc68040-25", source)
    for _ in range(30):
        run_all([slow, *fast.values()], instructions=17)
    assert all(slot in each.core.unsteady for each in fast.values())


def test_a_region_goes_on_around_an_instruction() -> None:
    source = M68K.replace("addq.l  #1,d5", LONG)
    _, fast, slot = program("mc68040-25", source)
    machine = fast["recompile"]
    for _ in range(2):
        machine.run(instructions=1_000_000)
        if machine._engine._worker is not None:
            machine._engine._worker.join()
    machine.run(instructions=1)
    inside = {insn.pc for each in machine._engine._interpreter._entered.values() for insn in each.insns.values()}
    assert len(inside) > 40 and slot not in inside
    other = fast["interpret"]
    other.run(instructions=2_000_001)
    assert programs.content(machine) == programs.content(other) and machine.cycles == other.cycles


@pytest.mark.full
def test_a_profile_counts_every_variant() -> None:
    slow, fast, slot = program("mc68040-25", M68K)
    run_all([slow, fast["interpret"]], instructions=100 * ROUND)
    compiled, stepping = CompiledCounter(fast["interpret"]), SteppingCounter(slow)
    stepping.run(40 * ROUND)
    fast["interpret"].run(instructions=40 * ROUND)
    counts = by_address(stepping.counted())
    assert by_address(compiled.counted()) == counts and counts[slot][0] > ROUND


def test_what_is_written_from_outside_stays_steady(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, fast, slot = program("mc68040-25", "_start: addq.l #1,d0\nslot: addq.l #2,d0\n bra _start")
    for number in range(2 * core_module.UNSTEADY_AFTER):
        for each in (slow, *fast.values()):
            each.write(slot, bytes.fromhex("5480" if number % 2 else "5280"))
        run_all([slow, *fast.values()], instructions=7)
    assert not any(each.core.unsteady for each in fast.values())
