"""Two tests of TOPBENCH (J. Leonard, 2012), written anew: real mode, to be repeated by the jump at their end.

Facts of its sources (github.com/MobyGamer/TOPBENCH): which instructions, in which order, and where operands lie. The
pointers of the second are set by MOV where TOPBENCH loads them with their segments.
"""

from __future__ import annotations

SCRATCH = 0x2000  # even, as Turbo Pascal aligns it
SIZE = 257  # bytes of a buffer; the second begins at the next even address but one
SECOND = SCRATCH + SIZE + 1
DISPLACEMENT, SHORT_DISPLACEMENT = 0xF01, 1  # odd; the first is 101h there


def _word(number: int) -> bytes:
    return number.to_bytes(2, "little")


def _looped(code: bytes) -> str:
    """Return the code and a jump back to it, as hexadecimal digits."""
    return (code + b"\xe9" + _word(-len(code) - 3 & 0xFFFF)).hex()


def every_mode() -> str:
    """Read and write back by each mode of address: AX, AL, DX and DL, without and with ES in front; 192 of each."""
    code = b"\x8d\x1e" + _word(SCRATCH) + bytes.fromhex("89de 89df 55 89dd 8cd8 8ec0")  # lea bx; si, di, bp; es
    for register, opcode in ((0, 0x8B), (0, 0x8A), (2, 0x8B), (2, 0x8A)):
        for prefix in (b"", b"\x26"):
            for mod, displacement in enumerate((b"", bytes((SHORT_DISPLACEMENT,)), _word(DISPLACEMENT))):
                for rm in range(8):
                    direct = (mod, rm) == (0, 6)
                    for back in (0, 1):  # MOV to memory: the opcode less 2; of the accumulator, a form without ModR/M
                        if direct and not register:
                            encoded = bytes((0xA0 | opcode & 1 | back << 1,)) + _word(DISPLACEMENT)
                        else:
                            encoded = bytes((opcode - 2 * back, mod << 6 | register << 3 | rm))
                            encoded += _word(DISPLACEMENT) if direct else displacement
                        code += prefix + encoded
    return _looped(code + b"\x5d")  # pop bp


def strings() -> str:
    """Fill a buffer, copy it, look for the byte before the last, compare both up to that, and read one, all by REP."""
    words = b"\xb9" + _word(SIZE) + b"\xd1\xe9"  # mov cx,SIZE; shr cx,1
    odd = b"\x83\xd1\x00"  # adc cx,0
    first, second = (b"\xbf" + _word(at) for at in (SCRATCH, SECOND))  # mov di,n
    code = b"\xfc\x31\xc0" + first + words + b"\xf3\xab" + odd + b"\xf3\xaa"
    code += second + b"\xbe" + _word(SCRATCH) + words + b"\xf3\xa5" + odd + b"\xf3\xa4"
    code += b"\x81\xee" + _word(SIZE) + b"\x81\xef" + _word(SIZE)  # sub si; sub di
    code += b"\x26\xc6\x85" + _word(SIZE - 2) + b"\xff"  # mov byte [es:di+SIZE-2],ffh
    code += b"\xb9" + _word(SIZE) + b"\xb0\xff\xf2\xae"
    code += b"\x81\xef" + _word(SIZE - 1) + b"\xb9" + _word(SIZE) + b"\xf3\xa6"
    return _looped(code + b"\x81\xee" + _word(SIZE - 1) + words + b"\xf3\xad")
