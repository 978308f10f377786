"""The framing of both protocols, and what a client may not do."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from retrosim.console.target import Target
from retrosim.machine import Machine
from retrosim.serve import dap_messages
from retrosim.serve import gdb_session as gdb_packets
from retrosim.serve.gdb_session import GdbSession
from retrosim.serve.stream import Connection


def payloads(data: bytes, chunk: int) -> list[bytes | None]:
    unpacker = gdb_packets.Unpacker()
    parts = [data[at : at + chunk] for at in range(0, len(data), chunk)]
    found = [each for part in parts for each in unpacker.feed(part)]
    return [each.payload if isinstance(each, gdb_packets.Packet) else b"\x03" for each in found]


@pytest.mark.parametrize("chunk", (1, 5, 10_000))
def test_packets(chunk: int) -> None:
    odd = b"X10,4:$#}*\x03\n"
    good = b"+" + gdb_packets.packed(odd) + b"noise" + gdb_packets.packed(b"") + b"\x03" + gdb_packets.packed(b"g")
    assert payloads(good, chunk) == [odd, b"", b"\x03", b"g"]
    assert payloads(b"$g#00$g#67", chunk) == [None, b"g"]
    assert payloads(b"$}a}}q#%02x" % (sum(b"}a}}q") & 0xFF), chunk) == [b"A]q"], "any byte may be escaped"
    endless = b"$" + b"m" * 3 * gdb_packets.MAX_PAYLOAD + b"$g#67"
    assert payloads(endless, chunk)[0] is None and payloads(endless, chunk)[-1] == b"g"


@pytest.mark.parametrize("chunk", (1, 7, 10_000))
def test_messages(chunk: int) -> None:
    messages = [{"seq": 1, "type": "request", "command": "\u00e9" * 10}, {}]
    data = b"".join(map(dap_messages.packed, messages)) + b"content-length:2 \r\nX: y\r\n\r\n[]"
    unpacker = dap_messages.Unpacker()
    parts = [data[at : at + chunk] for at in range(0, len(data), chunk)]
    assert [each for part in parts for each in unpacker.feed(part)] == [*messages, {}]


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n",
        b"Content-Length: 99999999\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-" + b"a" * 2000,
    ],
)
def test_no_messages(data: bytes) -> None:
    with pytest.raises(dap_messages.BadStream):
        dap_messages.Unpacker().feed(data)


def test_gdb_interrupts_and_others_are_disconnected() -> None:
    target = Target(Machine("mc68040-25", "sectors", engine="interpret"))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.settimeout(30)
        server = threading.Thread(target=GdbSession(target, Connection(ours)).serve, daemon=True)
        server.start()
        theirs.sendall(b"+$c#63")
        assert theirs.recv(1) == b"+"
        time.sleep(0.05)
        theirs.sendall(b"\x03")
        assert b"$T02thread:1;#" in theirs.recv(100) and target.machine.instructions > 0
        theirs.sendall(b"+$zz#00")
        assert theirs.recv(1) == b"-"
        theirs.shutdown(socket.SHUT_WR)
        server.join(30)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"POST / HTTP/1.1\r\n\r\n$qRcmd,7265736574#37")
        assert GdbSession(target, Connection(ours)).serve() and target.machine.instructions > 0


def test_gdb_is_told_of_a_watchpoint_that_only_monitor_makes() -> None:
    target = Target(Machine("mc68040-25", "shooter", engine="interpret"))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        session = GdbSession(target, Connection(theirs))
        session.monitor.answer("cwatch gFrame, 4")
        where = b"watch:%x;" % target.debugger.resolve("gFrame")
        assert where in session.answer(b"c")
