"""DOS programs: where they lie, what their registers hold, and what is refused."""

import struct

import pytest

from retrosim.rom.formats.dos import COM_BYTES, load_com, load_exe
from retrosim.rom.image import Image

PREFIX = 0x10000
LOADED = PREFIX + 0x100
BODY = bytes(range(1, 49))


def exe(
    body: bytes = BODY,
    *,
    relocations: tuple[tuple[int, int], ...] = (),
    minimum: int = 0,
    ss: int = 0x100,
    sp: int = 0x200,
    ip: int = 0,
    cs: int = 0,
    table: int = 28,
    **changed: int,
) -> bytes:
    """Return an MZ program; `changed` are fields of its header that say something else."""
    entries = b"".join(struct.pack("<2H", *entry) for entry in relocations)
    paragraphs = -(-(table + len(entries)) // 16)
    size = 16 * paragraphs + len(body)
    fields = {
        "in_last": size % 512, "pages": -(-size // 512), "relocations": len(relocations), "header": paragraphs,
        "minimum": minimum, "maximum": 0xFFFF, "ss": ss, "sp": sp, "checksum": 0, "ip": ip, "cs": cs, "table": table,
    }  # fmt: skip
    header = b"MZ" + struct.pack("<12H", *(fields | changed).values())
    return (header.ljust(table, b"\0") + entries).ljust(16 * paragraphs, b"\0") + body


def bytes_at(image: Image, address: int, size: int) -> bytes:
    start, content = next((at, data) for at, data in image.segments if at <= address < at + len(data))
    return content[address - start : address - start + size]


def test_a_com_program() -> None:
    image = load_com(b"\xc3\x90")
    assert (image.entry, image.isa, image.boot, image.system) == (LOADED, "i386", "real", "dos")
    assert image.registers == {"cs": 0x1000, "ds": 0x1000, "es": 0x1000, "ss": 0x1000, "esp": 0xFFFE}
    assert image.return_address == PREFIX and bytes_at(image, LOADED, 2) == b"\xc3\x90"
    assert bytes_at(image, PREFIX, 4) == b"\xcd\x20\x00\xa0"  # INT 20h, end of memory
    assert bytes_at(image, PREFIX + 0x80, 2) == b"\0\r"  # no arguments
    assert COM_BYTES == 0x10000 - 0x100 - 2
    load_com(bytes(COM_BYTES))
    with pytest.raises(ValueError, match=f"is longer than the {COM_BYTES} bytes of a .COM program"):
        load_com(bytes(COM_BYTES + 1))
    with pytest.raises(ValueError, match="is empty"):
        load_com(b"")


def test_an_exe_program() -> None:
    image = load_exe(exe(minimum=2, cs=1, ip=3, ss=4, sp=0x80))
    assert image.entry == LOADED + 16 + 3 and image.sha256
    assert image.registers == {"cs": 0x1011, "ds": 0x1000, "es": 0x1000, "ss": 0x1014, "esp": 0x80}
    assert bytes_at(image, LOADED, 48) == BODY and (LOADED + 48, 32) in image.bss


def test_relocations() -> None:
    image = load_exe(exe(relocations=((0, 0), (14, 2))))
    first, last = (int.from_bytes(BODY[at : at + 2], "little") + 0x1010 for at in (0, 46))
    assert bytes_at(image, LOADED, 2) == first.to_bytes(2, "little")
    assert bytes_at(image, LOADED + 46, 2) == last.to_bytes(2, "little")
    wrapped = load_exe(exe(b"\xff\xff\xc3\xc3", relocations=((0, 0),)))
    assert bytes_at(wrapped, LOADED, 4) == b"\x0f\x10\xc3\xc3"
    with pytest.raises(ValueError, match="has a relocation at 0x2:0xf, outside the program"):
        load_exe(exe(relocations=((15, 2),)))
    with pytest.raises(ValueError, match="is truncated: the relocation table reaches beyond the end of the file"):
        load_exe(exe()[:6] + b"\xff" + exe()[7:])


def test_the_size_that_the_header_says() -> None:
    content = exe()
    assert load_exe(content + b"more").segments == load_exe(content).segments
    whole = exe(bytes([0xC3]) * (512 - 32))
    assert len(whole) == 512 and whole[2:6] == b"\0\0\1\0" and bytes_at(load_exe(whole), LOADED + 479, 2) == b"\xc3"
    with pytest.raises(ValueError, match="is truncated: its header says 80 bytes, the file has 79"):
        load_exe(content[:-1])
    with pytest.raises(ValueError, match="is truncated: its header says 0 bytes"):
        load_exe(exe(pages=0, in_last=0))
    with pytest.raises(ValueError, match="is truncated: the header reaches beyond"):
        load_exe(content[:25])


@pytest.mark.parametrize(
    ("magic", "what"),
    [(b"PE", r"\(PE\)"), (b"NE", r"\(NE\)"), (b"LE", r"\(LE\)"), (b"LX", r"\(LX\)"), (b"XX", ""), (b"", "")],
)
def test_programs_for_others_in_a_dos_program(magic: bytes, what: str) -> None:
    content = bytearray(exe(table=0x40))
    content[0x3C:0x40] = len(content).to_bytes(4, "little")
    content += magic
    if not what:
        assert load_exe(bytes(content)).entry == LOADED
        return
    with pytest.raises(ValueError, match=what):
        load_exe(bytes(content))
    earlier = bytearray(exe(table=0x3F))
    earlier[0x3C:0x3F] = b"\x50\0\0"
    assert load_exe(bytes(earlier)).entry == LOADED  # a table below 40h: there is nothing newer


def test_where_routines_return_to() -> None:
    """The last paragraph that the code segment reaches, and that neither the program nor its stack has."""
    image = load_exe(exe(ss=0, sp=0x8000))
    assert image.return_address == LOADED + 0xFFF0
    assert load_exe(exe(ss=0x1000, sp=0)).return_address == LOADED + 0xF000 - 16
    assert load_exe(exe(ss=0x1000, sp=1)).return_address == LOADED + 0xF000 - 16
    assert load_exe(exe(ss=0, sp=0xFFF0)).return_address == LOADED + 0xFFF0
    assert load_exe(exe(bytes(0xFFF0), ss=0x2000)).return_address == LOADED + 0xFFF0
    with pytest.raises(ValueError, match="fills its code segment"):
        load_exe(exe(bytes(0xFFF1), ss=0x2000))


def test_entries_outside() -> None:
    assert load_exe(exe(ip=47)).entry == LOADED + 47
    for ip, cs in ((48, 0), (0, 3), (0, 0xFFF0)):
        with pytest.raises(ValueError, match=r"entry .* lies outside the program"):
            load_exe(exe(ip=ip, cs=cs))
    with pytest.raises(ValueError, match=r"program .* is not inside RAM 0x400\.\.0x9ffff"):
        load_exe(exe(minimum=0xA000 - 0x1010 - 2, cs=0xFFF0, ip=0x100))
    image = load_exe(exe(minimum=0xA000 - 0x1010 - 3, cs=0xFFF0, ip=0x100))
    assert (image.entry, image.return_address) == (LOADED, PREFIX + 0xF0)
