"""S-records and Intel hex: what each kind of line says, and what is refused."""

import pytest

from retrosim.rom.formats import records
from retrosim.rom.formats.records import Contents, image_of, read_ihex, read_srec


def srec(kind: int, address: int, data: bytes = b"") -> bytes:
    size = {0: 2, 1: 2, 2: 3, 3: 4, 5: 2, 7: 4, 8: 3, 9: 2}[kind]
    body = bytes([size + len(data) + 1]) + address.to_bytes(size, "big") + data
    return b"S%d%s\n" % (kind, (body + bytes([~sum(body) & 0xFF])).hex().upper().encode())


def ihex(kind: int, offset: int = 0, data: bytes = b"") -> bytes:
    body = bytes([len(data)]) + offset.to_bytes(2, "big") + bytes([kind]) + data
    return b":%s\n" % (body + bytes([-sum(body) & 0xFF])).hex().encode()


def said(contents: Contents) -> tuple[list[tuple[int, bytes]], int | None]:
    return [(address, bytes(data)) for address, data in contents.stretches], contents.entry


@pytest.mark.parametrize(("kind", "start", "address"), [(1, 9, 0x2000), (2, 8, 0x123456), (3, 7, 0x12345678)])
def test_s_records(kind: int, start: int, address: int) -> None:
    text = srec(0, 0, b"name") + srec(kind, address, b"abc") + b"\r\n" + srec(kind, address + 3, b"de")
    text += srec(kind, address + 6, b"f") + srec(5, 3) + srec(start, address + 2)
    stretches = [(address, b"abcde"), (address + 6, b"f")]
    assert said(read_srec(text)) == (stretches, address + 2)
    assert said(read_srec(text.lower())) == (stretches, address + 2)
    assert said(read_srec(srec(kind, address, b"a") + srec(start, 0))) == ([(address, b"a")], None)
    assert said(read_srec(srec(kind, address))) == ([], None)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"\nX1", "line 2: is not an S-record"),
        (b"SX", "line 1: is not an S-record"),
        (b"S1\n", "line 1: has another length than it says"),
        (b"S10", "line 1: is not hexadecimal digits"),
        (b"S1\xff\xff", "line 1: is not hexadecimal digits"),
        (srec(1, 0, b"a")[:-3], "line 1: has another length than it says"),
        (srec(1, 0, b"a")[:-3] + b"00", "line 1: has a wrong checksum"),
        (b"S10200FD", "line 1: is too short for its address"),
        (b"S1" + b"0" * 599, "line 1: is longer than 600 characters"),
        (b"S1" + b"0" * 598, "line 1: has another length"),
    ],
)
def test_wrong_s_records(text: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_srec(text)


def test_intel_hex() -> None:
    text = ihex(0, 0x10, b"ab") + ihex(0, 0x12, b"c") + ihex(2, 0, b"\x12\x34") + ihex(0, 1, b"d")
    text += ihex(4, 0, b"\x12\x34") + ihex(0, 0xFFFF, b"e")
    stretches = [(0x10, b"abc"), (0x12341, b"d"), (0x1234FFFF, b"e")]
    assert said(read_ihex(text)) == (stretches, None)
    assert said(read_ihex(text + ihex(3, 0, b"\x12\x34\x00\x08"))) == (stretches, 0x12348)
    assert said(read_ihex(text + ihex(5, 0, b"\x00\x12\x34\x00"))) == (stretches, 0x123400)
    assert said(read_ihex(text + ihex(1) + ihex(0, 0, b"no more"))) == (stretches, None)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"\n\n;01", "line 3: is not an Intel hex record"),
        (b":0000000", "line 1: is not hexadecimal digits"),
        (b":00000001", "line 1: has another length than it says"),
        (ihex(0, 0, b"ab")[:-3], "line 1: has another length than it says"),
        (b":0000000101", "line 1: has a wrong checksum"),
        (ihex(6), "line 1: is a record of kind 6 and 0 bytes"),
        (ihex(2, 0, b"a"), "line 1: is a record of kind 2 and 1 bytes"),
        (ihex(4, 0, b"abcd"), "line 1: is a record of kind 4 and 4 bytes"),
        (ihex(3, 0, b"ab"), "line 1: is a record of kind 3 and 2 bytes"),
        (ihex(5, 0, b"abc"), "line 1: is a record of kind 5 and 3 bytes"),
    ],
)
def test_wrong_intel_hex(text: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_ihex(text)


def test_a_limit_of_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_STRETCHES", 2)
    text = srec(1, 0, b"a") + srec(1, 2, b"b") + srec(1, 3, b"c") + srec(1, 9)
    assert len(read_srec(text).stretches) == 2
    with pytest.raises(ValueError, match="has more than 2 separate stretches of memory"):
        read_srec(text + srec(1, 9, b"d"))


def test_images() -> None:
    contents = Contents([(0x3004, bytearray(b"data")), (0x2000, bytearray(b"code"))])
    image = image_of(b"text", contents, "m68000")
    assert (image.isa, image.entry, image.segments) == ("m68000", 0x2000, [(0x2000, b"code"), (0x3004, b"data")])
    for entry, isa in ((0x2003, "i386"), (0x3006, "m68000"), (0x3004, "ppc601")):
        contents.entry = entry
        assert image_of(b"text", contents, isa).entry == entry
    for entry, isa in ((0x2001, "m68000"), (0x3006, "ppc601"), (0x2004, "i386"), (0x1FFF, "i386"), (0x3008, "i386")):
        contents.entry = entry
        with pytest.raises(ValueError, match=f"entry {entry:#x} lies outside the data, or is not a multiple of"):
            image_of(b"text", contents, isa)
    with pytest.raises(ValueError, match="holds no data"):
        image_of(b"", Contents([]), "i386")
