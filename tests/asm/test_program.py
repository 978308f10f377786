"""Whole sources: labels, sections, directives, macros, conditions, files, errors, and the ELF file that comes of it."""

from __future__ import annotations

import gc
import subprocess
from pathlib import Path

import pytest

import retrosim
from retrosim.asm import assemble, assemble_file
from retrosim.errors import AssemblyError

COUNT = """
; how many bytes are not 0: d0 of n bytes at a0
SIZE    equ     8
        section .text
_start: moveq   #0,d0
        lea     buffer(pc),a0
        move.w  #SIZE-1,d1
.loop:  tst.b   (a0)+
        beq.s   .next
        addq.l  #1,d0
.next   dbra    d1,.loop
        dc.w    0xa002          | exit
buffer: dc.b    'hello',0,0,1
        data
where:  dc.l    buffer,SIZE*2
        bss
room:   ds.l    4
"""


def code(text: str, cpu: str = "m68040", **options) -> str:
    return assemble(text, cpu, **options).code.hex(" ", 2)


def messages(text: str, cpu: str = "m68000", **options) -> list[tuple[int, str]]:
    with pytest.raises(AssemblyError) as raised:
        assemble(text, cpu, **options)
    return [(line, sentence) for _, line, sentence in raised.value.messages]


@pytest.mark.parametrize("cpu, true", [("m68000", "ff"), ("ppc601", "ff"), ("i386", "01")])
def test_what_holds_is_what_the_usual_assembler_says(cpu: str, true: str) -> None:
    """GNU as and vasm have -1 for a comparison and 1 for the rest, NASM 1."""
    assert code(" .byte 1==1,2<1,1<2,1&&2,!0,!5" if cpu != "i386" else " db 1==1,2<1,1<2,1&&2,!0,!5", cpu) == (
        f"{true}00 {true}01 0100"
    )


def test_a_program_runs_with_its_lines_and_symbols(tmp_path: Path) -> None:
    source = tmp_path / "count.s"
    source.write_text(COUNT)
    made = assemble_file(source, "m68000")
    (tmp_path / "count.elf").write_bytes(made.elf)
    image = retrosim.load_elf(tmp_path / "count.elf")
    assert (image.isa, image.entry) == ("m68000", 0x2000)
    assert image.source_line(made.symbols["_start.loop"]) == (str(source), 8)
    assert image.symbol_at(0x2004) == ("_start", 4)
    assert image.symbols["buffer"].kind == "object" and image.bss == [(made.symbols["room"], 16)]
    assert [section.name for section in made.sections] == [".text", ".data", ".bss"]
    assert made.sections[1].content == made.symbols["buffer"].to_bytes(4, "big") + (16).to_bytes(4, "big")
    machine = retrosim.Machine("mc68000-8", image, engine="evaluate")
    result = machine.run(instructions=100)
    assert (result.reason, machine.regs["d0"]) == ("exit", 6)


def test_the_elf_file_is_one_for_gnu_too(tmp_path: Path) -> None:
    readelf = "m68k-linux-gnu-readelf"
    path = tmp_path / "count.elf"
    path.write_bytes(assemble(COUNT, "m68000").elf)
    try:
        ran = subprocess.run([readelf, "-aW", "--debug-dump=decodedline", path], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip(f"{readelf} (Debian: binutils-m68k-linux-gnu) is not installed")
    assert ran.returncode == 0 and ran.stderr == ""
    assert "m68000" in ran.stdout and "FUNC" in ran.stdout and "_start" in ran.stdout


def test_labels() -> None:
    assert code("a: nop\n.x: bra .x\nb: nop\n.x: bra .x") == "4e71 60fe 4e71 60fe"
    assert code("1: bra 1f\n nop\n1: bra 1b\n 1$: bra 1$") == "6002 4e71 60fe 60fe"
    assert code(".Lend: nop\nb: bra .Lend") == "4e71 60fc"  # GNU's are known in the whole file
    assert code("x: bra y\ny: rts").startswith("6000 0002")  # a displacement of 0 has no short form


def test_branches_and_addresses_take_the_shortest_form() -> None:
    near = code("a: bra b\n ds.b 126\nb: rts")
    far = code("a: bra b\n ds.b 128\nb: rts")
    assert near.startswith("607e") and far.startswith("6000 0082")
    assert code("a: bra b\n ds.b 40000\nb: rts").startswith("60ff 0000 9c44")
    assert messages("a: bra b\n ds.b 40000\nb: rts") == [(1, "BRA: not on the MC68000; the MC68040 has it")]
    assert code("x equ 4\n move.l x,d0\n move.l y,d0\ny: dc.l 1") == "2038 0004 203a 0002 0000 0001"


def test_a_chain_of_branches_settles() -> None:
    """Each of them is short only if the one behind it is."""
    lines = [f"l{n}: bra l{n + 1}\n ds.b 124" for n in range(40)] + ["l40: rts"]
    assert len(assemble("\n".join(lines), "m68040").code) == 40 * 126 + 2


def test_data_and_space() -> None:
    assert (
        code(" dc.b 'ab',1,-1,\"c\"\n even\n dc.w $1234,%101,@17\n dc.l 'abcd'")
        == "6162 01ff 6300 1234 0005 000f 6162 6364"
    )
    assert code(' .ascii "a\\n"\n .asciz "b"\n .byte 1,2\n .short 3\n .long 4') == "610a 6200 0102 0003 0000 0004"
    assert code(" dcb.w 2,7\n .space 2,255\n .fill 2,1,9\n ds.w 1") == "0007 0007 ffff 0909 0000"
    assert code(" nop\n .balign 8\n nop") == "4e71 4e71 4e71 4e71 4e71"
    assert code("a = 3\nb set a+1\nb set b*2\n dc.b a,b,b<<1,-7/2,7%4,~0&15,a==3,(1|2)^1") == "0308 10fd 030f ff02"


def test_sections_and_org() -> None:
    made = assemble(" org $3000\nx: nop\n org $4000\ny: nop\n data\n dc.l x,y", "m68040")
    assert [(each.address, each.bytes) for each in made.sections] == [(0x3000, 2), (0x4000, 2), (0x4004, 8)]
    assert "overlap" in messages(" org $3000\n ds.b 16\n org $3008\n nop")[0][1]
    assert messages(" bss\n dc.b 1") == [(2, "section .bss holds zeros only")]


def test_macros_conditions_and_repetition() -> None:
    gnu = " .macro twice what, n=1\n .rept 2\n \\what #\\n,d0\n .endr\n .endm\n twice addq.l\n twice subq.l,2\n"
    assert code(gnu) == "5280 5280 5580 5580"
    assert code("add2 macro\n addq.l #\\1,\\2\n\\@l: nop\n endm\n add2 2,d1\n add2 3,d2") == "5481 4e71 5682 4e71"
    assert code("X = 2\n if X==2\n nop\n ifdef Y\n rts\n else\n rte\n endif\n elseif X\n rts\n endif") == "4e71 4e73"
    assert code(" .ifndef DEFINED\n rts\n .else\n nop\n .endif", symbols={"DEFINED": 1}) == "4e71"
    assert code(" irp r,d0,d1\n clr.l \\r\n endr") == "4280 4281"


def test_files(tmp_path: Path) -> None:
    (tmp_path / "part.i").write_text("N = 5\n addq.l #N,d0\n")
    (tmp_path / "data.bin").write_bytes(b"12345678")
    (tmp_path / "main.s").write_text(' include "part.i"\n incbin "data.bin",2,4\n')
    made = assemble_file(tmp_path / "main.s", "m68000")
    assert made.code == b"\x5a\x80" + b"3456"
    assert made.lines[0][1:] == (str(tmp_path / "part.i"), 2)
    (tmp_path / "loop.s").write_text(' include "loop.s"\n')
    with pytest.raises(AssemblyError, match="nested more than 16 deep"):
        assemble_file(tmp_path / "loop.s", "m68000")
    for name in ("../../etc/passwd", "/etc/passwd", "missing.i", "a\\0b"):
        found = messages(f' include "{name}"', folder=tmp_path)
        assert len(found) == 1 and found[0][1].startswith("include "), name
    assert messages(' include "part.i"') == [(1, "include part.i: a text without a file has no folder")]


def test_errors_are_collected_with_their_lines() -> None:
    text = " foo d0\n nop\n bra nowhere\n dc.b 300\n moveq #1,d9\n if 1\n nop\n"
    assert messages(text) == [
        (1, "unknown instruction 'foo'"),
        (3, "BRA: undefined symbol nowhere"),
        (4, "data 300: allowed -128..255"),
        (5, "MOVEQ: 'd9' is no register for this place"),
        (6, "if has no endif"),
    ]
    assert messages(" bra nxet\nnext: nop") == [(1, "BRA: undefined symbol nxet; did you mean next?")]
    assert messages("a: nop\na: nop") == [(2, "label a is defined twice")]
    assert messages(" rept -1\n endr") == [(1, "rept -1: allowed 0..200000")]
    assert messages(" macro m\n m\n endm\n m")[0][1] == "macros, repetitions, conditions: nested more than 100 deep"
    assert messages(" ds.b 1\n nop") == [(2, "an instruction at an odd address, 0x2001: align before it")]
    assert messages(" dc.b " + "(" * 500) == [(1, "an expression has more than 200 operators and brackets")]


def test_size_and_number_are_limited() -> None:
    assert messages(" ds.b 8000000\n" * 3)[0] == (2, "the program has more than 8388608 bytes")
    assert messages("".join(f" org {0x1000 + 16 * n}\n nop\n" for n in range(40)))[0][1].startswith(
        "40 pieces of memory"
    )


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="cpu 'z80': allowed m68000"):
        assemble("", "z80")
    with pytest.raises(ValueError, match="origin -1: allowed 0"):
        assemble("", "m68000", origin=-1)


def test_it_is_public() -> None:
    assert retrosim.assemble(" rts", "mc68000-8").code == b"\x4e\x75"


@pytest.mark.parametrize(
    ("name", "isa"), [("MC68040", "m68040"), ("68000", "m68000"), ("80386", "i386"), ("601", "ppc601")]
)
def test_processors_by_their_numbers(name, isa):
    assert assemble(" nop", name).isa == isa


def test_texts_may_hold_what_begins_a_comment() -> None:
    assert assemble(' .ascii "a /* b"\n .byte 1 /* two\n lines */\n .byte 2 // end', "ppc601").code == b"a /* b\1\2"


def test_statements_of_one_shape_differ_in_numbers_and_names_alone() -> None:
    """What is no number and no symbol is not taken for one, whatever was assembled before it."""
    lines = """
        move.l  (4,a0,d0.l*2),d1 = 2230 0a04
        move.l  (4,a0,d0.l*4),d1 = 2230 0c04
        move.l  (5,a0,d0.l*4),d1 = 2230 0c05
        move.l  (x,a0,d0.l*4),d1 = 2230 0c06
        lsl.w   (a0) = e3d0
        lsl.w   #1,(a0) = e3d0
        lsl.w   #2,d0 = e548
        lsl.w   #y,d0 = e748
        bfextu  d0{1:5},d1 = e9c0 1045
        bfextu  d0{2:7},d1 = e9c0 1087
        movec   d0,vbr = 4e7b 0801
        movec   d0,cacr = 4e7b 0002
        move.l  usp,a0 = 4e68
        move.l  x,a0 = 2078 0006
        moveq   #'a',d0 = 7061
        moveq   #'b',d0 = 7062
    """
    pairs = [line.split(" = ") for line in lines.strip().splitlines()]
    text = "x equ 6\ny equ 3\n" + "\n".join(source for source, _ in pairs)
    assert assemble(text, "m68040").code.hex(" ", 2) == " ".join(code for _, code in pairs)


def test_errors_of_the_source_itself_come_first(tmp_path: Path) -> None:
    (tmp_path / "a.i").write_text(" bad\n")
    (tmp_path / "z.s").write_text(' include "a.i"\n worse\n')
    with pytest.raises(AssemblyError) as raised:
        assemble_file(tmp_path / "z.s", "m68000")
    assert [Path(name).name for name, *_ in raised.value.messages] == ["z.s", "a.i"]


def test_a_local_label_of_gnu_is_found_from_elsewhere() -> None:
    once = "a: nop\n.Lx: nop\nb: nop\n bra .Lx\n"
    assert code(once) == code(once.replace(".Lx", "x"))
    twice = "a: nop\n.Lx: nop\nb: nop\n.Lx: nop\nc: bra .Lx\n"
    assert [line for line, _ in messages(twice)] == [5]


def test_a_part_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(b"12345678")
    for rest, part in (("", b"12345678"), (",3", b"45678"), (",0,2", b"12"), (",8", b""), (",2,6", b"345678")):
        (tmp_path / "main.s").write_text(f' nop\n incbin "data.bin"{rest}\n')
        assert assemble_file(tmp_path / "main.s", "m68000").code[2:] == part
    for rest in (",9", ",2,7", ",,2", ",-1"):
        (tmp_path / "main.s").write_text(f' nop\n incbin "data.bin"{rest}\n')
        with pytest.raises(AssemblyError):
            assemble_file(tmp_path / "main.s", "m68000")


def test_conditions_on_texts() -> None:
    text = " macro m\n {} \\1\n nop\n endif\n endm\n m {}\n dc.b 1,2\n"
    for directive, argument, is_met in (
        ("ifb", "", True),
        ("ifb", "d0", False),
        ("ifnb", "", False),
        ("ifnb", "d0", True),
    ):
        assert code(text.format(directive, argument)) == ("4e71 0102" if is_met else "0102"), (directive, argument)


def test_a_source_for_another_family_is_told(tmp_path: Path) -> None:
    (tmp_path / "other.s").write_text(" lwz 3,0(3)\n blr\n")
    for isa in ("m68000", "m68040", "i386"):
        with pytest.raises(AssemblyError, match=f"is assembly for ppc601, not for {isa}; choose ppc601-80"):
            assemble_file(tmp_path / "other.s", isa)
    (tmp_path / "other.s").write_text(" moves.l d0,(a0)\n")  # an instruction of a later model is not of another family
    with pytest.raises(AssemblyError, match=r"^(?!.*is assembly for)"):
        assemble_file(tmp_path / "other.s", "m68000")


@pytest.mark.parametrize("was_on", [True, False])
def test_the_garbage_collector_is_left_as_it_was(was_on: bool) -> None:
    before = gc.isenabled()
    (gc.enable if was_on else gc.disable)()
    try:
        assemble(" nop", "m68000")
        assert gc.isenabled() == was_on
    finally:
        (gc.enable if before else gc.disable)()


def test_a_processor_starts_in_the_mode_of_its_name() -> None:
    assert (code(" mov ax,1", "i386"), code(" mov ax,1", "i386-real")) == ("66b8 0100", "b8 0100")
    assert assemble(" nop", "i386-real").code == assemble(" nop", "i386").code
