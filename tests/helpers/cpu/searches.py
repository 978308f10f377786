"""The search of the Graphics Programming Black Book, listings 7.1 and 7.2: 132 bytes for a period, which is the last.

Each is a loop in real mode that sets the registers, calls the search, and jumps back. The search begins at the offset
that it has in the listing; the string and the table of entries lie behind it.
"""

from __future__ import annotations

from .x86_programs import START

SEARCH = 48  # offset of the search in the code segment, of which START is the first byte
STRING = b"x" * 131 + b".\0"
STEP = "ac 38e0 74{found:02x} 20c0 74{other:02x}"  # lodsb; cmp al,ah; jz found; and al,al; jz other
STEP_BYTES = len(STEP.format(found=0, other=0).replace(" ", "")) // 2


def _steps(count: int, tail: str) -> bytes:
    """Return that many steps, what jumps back to the first, given without its displacement, and both ends."""
    end = count * STEP_BYTES + len(bytes.fromhex(tail)) + 1
    code = ""
    for number in range(count):
        after = number * STEP_BYTES + STEP_BYTES
        code += STEP.format(found=end + 2 - (after - 4), other=end - after)
    return (
        bytes.fromhex(code + tail) + bytes((-end & 0xFF,)) + bytes.fromhex("f8c3 4ef9c3")
    )  # clc; ret; dec si; stc; ret


def _called(search: bytes) -> str:
    """Return the loop as hexadecimal digits: mov ah,'.'; mov cx,133; mov si,STRING; call; jmp to the first."""
    string = START + SEARCH + len(search)
    code = bytes.fromhex("b42e b9") + len(STRING).to_bytes(2, "little") + b"\xbe" + string.to_bytes(2, "little")
    code += b"\xe8" + (SEARCH - len(code) - 3).to_bytes(2, "little")
    code += b"\xeb" + bytes((-len(code) - 2 & 0xFF,))
    return (code.ljust(SEARCH, b"\x90") + search + STRING).hex()


def search(tail: str) -> str:
    """Return listing 7.1; `tail`: LOOP, or DEC CX and JNZ, without displacement."""
    return _called(b"\xfc" + _steps(1, tail))


def unrolled_search() -> str:
    """Return listing 7.2: four steps a LOOP, and a jump by a table into the first four."""
    entry = "fc 89cb 83c103 d1e9 d1e9 83e303 d1e3 ffa7"  # cx = (cx + 3) / 4; jmp [table + 2 * (cx & 3)]
    steps = _steps(4, "e2")
    first = SEARCH + len(bytes.fromhex(entry)) + 2
    table = START + first + len(steps)
    entries = b"".join((first + place * STEP_BYTES).to_bytes(2, "little") for place in (0, 3, 2, 1))
    return _called(bytes.fromhex(entry) + table.to_bytes(2, "little") + steps + entries)
