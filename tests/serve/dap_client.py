"""A client of the Debug Adapter Protocol that others wrote, on a server in this process."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from retrosim.serve.dap_session import DapSession, Opened, Opener
from retrosim.serve.stream import Connection

dap = pytest.importorskip("dap", reason="the DAP client is not installed (pip install dap-python)")
SECONDS = 30


class Editor:
    """Sends requests; checks every message against the client's own models, and keeps events."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._client = dap.Client("retrosim")
        checked = self._client.handler.handle_response

        def handle(response: Any) -> Any:
            """Version 0.5 looks for a whole answer in the body of those that have none."""
            if response.success and response.body is None:
                return self._client._pending_requests.pop(response.request_seq) and response
            return checked(response)

        self._client.handler.handle_response = handle
        self.events: list[Any] = []
        self._answers: list[Any] = []
        self.capabilities = self._next_answer()

    def ask(self, command: str, **arguments: Any) -> Any:
        """Send a request; return the body of its answer. Errors: AssertionError for a refusal."""
        answer = self.ask_in_vain(command, **arguments)
        assert not isinstance(answer, dap.base.ErrorResponse), answer
        return answer

    def ask_in_vain(self, command: str, **arguments: Any) -> Any:
        """Send a request; return the answer, which may be a refusal."""
        self._client.send_request(command, arguments)
        return self._next_answer()

    def until_stopped(self) -> Any:
        """Wait for the event that says why the machine stopped."""
        return self.wait_for(dap.events.StoppedEvent)

    def wait_for(self, kind: type) -> Any:
        """Wait for an event of a kind, and take it."""
        while not (found := [event for event in self.events if isinstance(event, kind)]):
            self._receive()
        self.events.remove(found[0])
        return found[0]

    def _next_answer(self) -> Any:
        while not self._answers:
            self._receive()
        return self._answers.pop(0)

    def _receive(self) -> None:
        self._socket.sendall(self._client.send())
        data = self._socket.recv(65536)
        assert data, "the server has closed the connection"
        for each in self._client.receive(data):
            is_event = isinstance(each, dap.base.EventBody | dap.base.Event)
            (self.events if is_event else self._answers).append(each)


@contextmanager
def editor(launch: Opener, opened: Opened | None = None) -> Iterator[Editor]:
    """Yield an editor connected to a session."""
    ours, theirs = socket.socketpair()
    theirs.settimeout(SECONDS)
    server = threading.Thread(target=DapSession(Connection(ours), launch, opened).serve, daemon=True)
    server.start()
    with ours, theirs:
        yield Editor(theirs)
        theirs.shutdown(socket.SHUT_WR)
        server.join(SECONDS)
        assert not server.is_alive()
