"""A small ELF writer, for files that no linker would make."""

from __future__ import annotations

import struct

M68K = 4


def elf(
    segments: list[tuple[int, bytes, int]],
    *,
    entry: int = 0x1000,
    machine: int = M68K,
    kind: int = 2,
    flags: int = 0,
    order: str = ">",
    sections: list[tuple[str, int, int, bytes, int]] | None = None,
) -> bytes:
    """Return a 32-bit ELF file.

    segments  (address, contents, size in memory)
    sections  (name, type, flags, contents, link) behind the empty section 0; the table of names is added as the last
    """
    program_end = 52 + 32 * len(segments)
    body = bytearray()
    programs = b""
    for address, content, size in segments:
        programs += struct.pack(order + "8I", 1, program_end + len(body), address, address, len(content), size, 7, 4)
        body += content
    headers, count = b"", 0
    if sections is not None:
        names = b"\0"
        table = struct.pack(order + "10I", *[0] * 10)
        for name, type_, section_flags, content, link in [*sections, (".shstrtab", 3, 0, None, 0)]:
            start = len(names)
            names += name.encode() + b"\0"
            content = names if content is None else content
            fields = (start, type_, section_flags, 0, program_end + len(body), len(content), link, 0, 1, 0)
            table += struct.pack(order + "10I", *fields)
            body += content
        headers, count = table, len(sections) + 2
    identity = b"\x7fELF\x01" + (b"\x02" if order == ">" else b"\x01") + b"\x01" + bytes(9)
    header = struct.pack(
        order + "HHIIIIIHHHHHH",
        *(kind, machine, 1, entry, 52, program_end + len(body) if count else 0, flags),
        *(52, 32, len(segments), 40, count, max(count - 1, 0)),
    )
    return identity + header + programs + bytes(body) + headers


def symbol(name_at: int, address: int, size: int, info: int, section: int, order: str = ">") -> bytes:
    """Return one entry of a symbol table."""
    return struct.pack(order + "IIIBBH", name_at, address, size, info, 0, section)
