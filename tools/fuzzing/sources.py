"""Sources for the assembler: what people write, changed, between directives that ask for much."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from random import Random

from retrosim.errors import AssemblyError, RomError

from .loaders import refused
from .mutations import NUMBERS, TEXTS, changed_bytes, changed_lines
from .target import ROOT, Find, Target

MAX_LINES = 24  # of a piece of a shipped source


class Source(Target):
    name, about, ci_inputs = "source", "assembly sources, for every processor", 400
    ISAS = {"m68k": ("m68000", "m68040"), "i386": ("i386", "i486", "i386-real"), "ppc": ("ppc601",)}  # noqa: RUF012
    LINES = (
        b" .rept 3", b" .rept 200000", b" .endr", b" .irp x,1,2,d0", b" .irp x", b" .macro m a,b=2,c:vararg",
        b"m macro", b" .endm", b" endm", b" m 1,2", b" m \\a\\a,\\b", b" dc.b \\x,\\1,\\@", b"%macro m 2", b"%endmacro",
        b" .if 1", b" .if x-1", b" .ifdef x", b" .ifc a,b", b" .else", b" .elseif 0", b" .endif", b"x = 1", b"x equ y",
        b"y set x+1", b" .set x,y", b" .equ y,.-x", b"x:", b"1:", b"x: .long 1f-1b", b".L1:", b"1$: nop", b" bra x",
        b" jmp 1f", b" b x", b" .space x", b" .space y-x", b" .org 0x100", b" .org .+x", b" .align 4", b" .balign x",
        b" .p2align 5", b" cnop 0,4", b" .section .bss", b" .section a,\"ax\",@progbits", b" .text", b" .data",
        b" .bss", b" .comm x,4,4", b" .lcomm y,8", b" .globl x", b" .type x,@function", b" .size x,.-x", b" .type",
        b" .size", b" .byte 1,2,'a',\"text\"", b" dc.w x,y-x,$", b" .ascii \"a\\n\\x\"", b" .asciz 'b'", b" dcb.l 5,x",
        b" db 1,'x',0", b" times 4 nop", b" times x-y db 0", b" times 1048576 align 1", b" .fill 3,2,x",
        b" incbin \"rom.bin\"", b" .incbin \"seed.bin\",x,y", b" .include \"again.s\"", b" .include \"..\"",
        b" .code16", b" bits 32", b" use16", b" .end", b" .long (((((1)))))", b" .long -~!+-~1",
        b" .long 1/x, 1%y, 1<<x, 1>>y", b" .quad 1<<63", b"/*", b"*/", b'# 7 "other.s"',
        b" move.l (x,a0,d1.w*4),([8,pc],d0.l,12)", b" mov eax,[ebx+ecx*4+x]", b" lwz r3,x@ha(r4)",
    )  # fmt: skip
    WORDS = (
        *(str(number).encode() for number in NUMBERS), *(text.encode("utf-8", "replace") for text in TEXTS),
        b"(" * 300, b"-" * 300, b"1+" * 300, b" " * 5000, b"'" * 50, b"\\a" * 300, b",", b"$FFFFFFFF", b"%101", b"1b",
    )  # fmt: skip

    @cached_property
    def seeds(self) -> list[tuple[str, list[bytes]]]:
        """Processor family and lines of the shipped sources, without those for the C preprocessor."""
        paths = sorted([*ROOT.glob("roms/*/*/*.S"), *ROOT.glob("retrosim/asm/templates/*/*.s")])
        found = []
        for path in paths:
            family = next((name for name in self.ISAS if name in path.stem), "m68k")
            lines = [line for line in path.read_bytes().splitlines() if line.strip() and not line.startswith(b"#")]
            found += [(family, lines)] * (1 if path.suffix == ".S" else 3)
        return found

    @cached_property
    def folder(self) -> Path:
        from .loaders import scratch_folder

        folder = scratch_folder() / "source"
        folder.mkdir()
        (folder / "rom.bin").write_bytes(bytes(range(256)))
        (folder / "seed.bin").write_bytes(b"seed")
        (folder / "again.s").write_bytes(b' .include "again.s"\n .include "again.s"\n nop\n')
        return folder

    def make(self, chance: Random) -> bytes:
        family, lines = chance.choice(self.seeds)
        at = chance.randrange(len(lines))
        piece = lines[at : at + chance.randrange(1, MAX_LINES)]
        for _ in range(chance.choice((1, 1, 2, 4))):
            kind = chance.randrange(5)
            place = chance.randrange(len(piece) + 1)
            if kind < 2:
                piece[place:place] = [chance.choice(self.LINES)] * chance.choice((1, 1, 1, 2, 120))
            elif kind == 2:
                piece = changed_lines(chance, piece, self.LINES)
            elif piece:
                place = min(place, len(piece) - 1)
                piece[place] = self._changed(chance, piece[place])
        cpu = chance.choice(self.ISAS[family]).encode()
        return b"\n".join((cpu, *piece)) + b"\n"

    def _changed(self, chance: Random, line: bytes) -> bytes:
        """Return a line with another word or number, or with changed bytes."""
        words = list(re.finditer(rb"[\w$.\\]+|\S", line))
        if not words or chance.random() < 0.3:
            return changed_bytes(chance, line, self.LINES)
        word = chance.choice(words)
        return line[: word.start()] + chance.choice(self.WORDS) + line[word.end() :]

    def attempt(self, data: bytes) -> bool:
        from retrosim.asm import CPU_NAMES, assemble
        from retrosim.rom.image import read_image

        first, _, content = data.partition(b"\n")
        cpu = first.decode("latin-1")
        try:
            made = assemble(
                content.decode("utf-8", "replace"),
                cpu if cpu in CPU_NAMES else "m68040",
                folder=self.folder,
                elsewhere=0x3000 if len(content) % 2 else None,
            )
        except AssemblyError as error:
            if any(line < 0 or len(sentence) > 400 or "\n" in sentence for _, line, sentence in error.messages):
                raise Find("a message without a line, of several lines or of more than 400 characters") from None
            return refused(error)
        try:
            read_image(Path("fuzz.elf"), made.elf, None, "")
        except RomError as error:  # a source without code, say
            refused(error)
        return True


SOURCES = (Source(),)
