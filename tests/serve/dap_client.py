"""A client of the Debug Adapter Protocol that others wrote, on a server in this process."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from retrosim.serve.dap_session import DapSession, Opened, Opener
from retrosim.serve.stream import Connection

dap = pytest.importorskip("dap", reason="the DAP client is not installed (pip install dap-python)")
jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed (pip install jsonschema)")
debugpy = pytest.importorskip("debugpy", reason="debugpy, which brings the protocol's schema, is not installed")
SCHEMA = "_vendored/pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json"
SECONDS = 120


@cache
def schema() -> dict[str, Any]:
    """The protocol's own schema."""
    return json.loads((Path(debugpy.__file__).parent / SCHEMA).read_text())


@cache
def validator(name: str) -> Any:
    """What checks a message of a kind."""
    return jsonschema.Draft4Validator({"$ref": f"#/definitions/{name}", "definitions": schema()["definitions"]})


def check(message: dict[str, Any]) -> None:
    """Check a message against the schema. Errors: jsonschema.ValidationError."""
    if message["type"] == "response" and not message["success"]:
        name = "ErrorResponse"
    else:
        word = message["event"] if message["type"] == "event" else message["command"]
        name = f"{word[0].upper()}{word[1:]}{message['type'].capitalize()}"
    validator(name).validate(message)


def amend(model: type, field: str, kind: Any) -> None:
    """Let a model of the client be as the schema has it: version 0.5 differs in some."""
    model.model_fields[field].annotation, model.model_fields[field].default = kind | None, None
    model.model_rebuild(force=True)


amend(dap.events.StoppedEvent, "hitBreakpointIds", list[int])
amend(dap.types.Breakpoint, "id", int)
for answer in ("SetBreakpoints", "SetFunctionBreakpoints", "SetDataBreakpoints", "SetInstructionBreakpoints"):
    amend(getattr(dap.responses, f"{answer}Response"), "breakpoints", list[dap.types.Breakpoint])


class Editor:
    """Sends requests; the client's models and the protocol's schema check every message; events are kept."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._client = dap.Client("retrosim")
        handler = self._client.handler
        parse, checked = handler._parse_message, handler.handle_response

        def parse_checked(message: dict[str, Any]) -> Any:
            check(message)
            if message["type"] == "response":
                self.body = message.get("body")
            return parse(message)

        def handle(response: Any) -> Any:
            """Version 0.5 looks for a whole answer in the body of those that have none."""
            if response.success and response.body is None:
                return self._client._pending_requests.pop(response.request_seq) and response
            return checked(response)

        handler._parse_message, handler.handle_response = parse_checked, handle
        self.body: Any = None  # of the last answer, as it came
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
