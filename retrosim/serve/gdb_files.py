"""The one file that gdb may read from the server: the program, so that it has symbols wherever it runs.

Source: Debugging with GDB, appendix E.7 (Host I/O Packets), E.13 (File-I/O: struct stat)
"""

from __future__ import annotations

import struct

NOT_FOUND, BAD_HANDLE, NOT_ALLOWED, NOT_KNOWN = 2, 9, 13, 88
HANDLE = 3
READ_ONLY_FILE = 0o100444
STAT = struct.Struct(">IIIIIIIQQQIII")  # device .. rdev, size, block size, blocks, three times


class Files:
    """Answers vFile packets. `elf`: the file's contents, b"" for none."""

    NAME = b"/retrosim/program.elf"

    def __init__(self, elf: bytes) -> None:
        self.elf = elf

    def answer(self, text: str, max_bytes: int) -> bytes:
        """Return the answer to a packet; b"" for one that is not known. Errors: ValueError."""
        name, _, arguments = text.partition(":")
        parts = arguments.split(",")
        if name == "setfs":
            return b"F0"
        if name == "open":
            if bytes.fromhex(parts[0]) != self.NAME or not self.elf:
                return self._error(NOT_FOUND)
            return b"F%x" % HANDLE if int(parts[1], 16) == 0 else self._error(NOT_ALLOWED)
        if name not in ("close", "fstat", "pread"):
            return b""
        if int(parts[0], 16) != HANDLE:
            return self._error(BAD_HANDLE)
        if name == "close":
            return b"F0"
        if name == "fstat":
            size = len(self.elf)
            return self._data(STAT.pack(0, 0, READ_ONLY_FILE, 1, 0, 0, 0, size, 4096, -(-size // 512), 0, 0, 0))
        count, offset = int(parts[1], 16), int(parts[2], 16)
        if count < 0 or offset < 0:
            raise ValueError(f"{arguments[:40]!r}: allowed 0 or more")
        return self._data(self.elf[offset : offset + min(count, max_bytes)])

    @staticmethod
    def _data(data: bytes) -> bytes:
        return b"F%x;%b" % (len(data), data)

    @staticmethod
    def _error(number: int) -> bytes:
        return b"F-1,%x" % number
