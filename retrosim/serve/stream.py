"""A client's bytes, in both directions: a TCP connection, or the standard input and output of the process."""

from __future__ import annotations

import os
import select
import socket
from collections.abc import Callable
from contextlib import closing
from typing import Protocol

CHUNK = 65536  # bytes read at once
STDIN, STDOUT = 0, 1  # of the process
SEND_SECONDS = 20.0  # that a client may leave its bytes lying about


class Stream(Protocol):
    """What servers need of a connection."""

    def is_ready(self) -> bool:
        """Tell whether `receive` would return at once."""
        ...

    def receive(self) -> bytes:
        """Wait for bytes and return them; b"" when the client has gone."""
        ...

    def send(self, data: bytes) -> None:
        """Send bytes. Errors: OSError when the client has gone."""
        ...


class Connection:
    """A TCP client."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        connected.settimeout(None)

    def is_ready(self) -> bool:
        return bool(select.select([self._socket], [], [], 0)[0])

    def receive(self) -> bytes:
        try:
            return self._socket.recv(CHUNK)
        except ConnectionError:
            return b""

    def send(self, data: bytes) -> None:
        self._socket.settimeout(SEND_SECONDS)
        try:
            self._socket.sendall(data)
        finally:
            self._socket.settimeout(None)


class StandardStreams:
    """Who started the process."""

    def is_ready(self) -> bool:
        return bool(select.select([STDIN], [], [], 0)[0])

    def receive(self) -> bytes:
        return os.read(STDIN, CHUNK)

    def send(self, data: bytes) -> None:
        while data:
            data = data[os.write(STDOUT, data) :]


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that clients can connect to, one at a time. Errors: OSError.

    port   0: one that is free
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=1)


def serve_clients(listening: socket.socket, serve: Callable[[Stream], bool]) -> None:
    """Serve one client after the other, until `serve` returns False: the client wanted the end."""
    with closing(listening):
        while True:
            connected, _ = listening.accept()
            with closing(connected):
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                try:
                    if not serve(Connection(connected)):
                        return
                except OSError:  # the client has gone, or does not read
                    continue
