"""A session of an editor on each processor, with a client library and the protocol's schema to check each message."""

from __future__ import annotations

import base64
import subprocess
import sys

import pytest

from retrosim.cli.commands.dap import launch
from retrosim.console.target import Target
from retrosim.machine import Machine
from retrosim.serve.dap_messages import Unpacker, packed
from retrosim.serve.dap_session import Opened
from tests.helpers.machine.flat import MACHINES

from .dap_client import Editor, dap, editor

BUILD = {"build": "O0", "engine": "interpret"}
OBJECTS = 20


def registers(ide: Editor) -> dict[str, int]:
    scope = next(each for each in ide.ask("scopes", frameId=1).scopes if each.name == "Registers")
    shown = ide.ask("variables", variablesReference=scope.variablesReference).variables
    return {each.name: int(each.value, 16) for each in shown}


def place(ide: Editor) -> tuple[str, int]:
    """The name and the line of the innermost frame."""
    frame = ide.ask("stackTrace", threadId=1, levels=1).stackFrames[0]
    return frame.name, frame.line


def go(ide: Editor, command: str, **arguments: object) -> dap.events.StoppedEvent:
    ide.ask(command, threadId=1, **arguments)
    return ide.until_stopped()


@pytest.mark.first_case
@pytest.mark.parametrize("name", MACHINES)
def test_a_session(name: str) -> None:
    twin = Machine(name, "sectors", parameters={"objects": OBJECTS}, **BUILD)
    entry, frame_word = twin.address("DetermineCollisions"), twin.address("gFrame")
    with editor(launch) as ide:
        assert ide.capabilities.supportsStepBack and ide.capabilities.supportsDisassembleRequest
        ide.ask("launch", program="sectors", machine=name, objects=OBJECTS, **BUILD)
        known, unknown = ide.ask(
            "setFunctionBreakpoints", breakpoints=[{"name": "DetermineCollisions"}, {"name": "Nowhere"}]
        ).breakpoints
        assert known.verified and not unknown.verified and "Nowhere" in unknown.message
        ide.ask("configurationDone")
        assert ide.until_stopped().reason == "entry"

        stop = go(ide, "continue")
        assert (stop.reason, stop.hitBreakpointIds) == ("function breakpoint", [known.id])
        twin.run(until=entry)
        assert registers(ide) == dict(twin.regs)
        names = [frame.name for frame in ide.ask("stackTrace", threadId=1).stackFrames]
        assert names[0] == "DetermineCollisions" and [each.partition("+")[0] for each in names[1:3]] == [
            "RunDemo",
            "Main",
        ]
        memory = ide.ask("readMemory", memoryReference=f"{entry:#x}", count=16).data
        assert base64.b64decode(memory) == twin.mem[entry : entry + 16].tobytes()

        ide.ask("disassemble", memoryReference=f"{entry:#x}", instructionOffset=-3, instructionCount=8)
        shown = ide.body["instructions"]  # the client's model has no addresses
        assert len(shown) == 8 and shown[3]["address"] == f"{entry:#x}" and shown[3]["location"]["name"] == "sectors.c"
        assert shown[3]["instruction"].startswith(twin.core.decode(entry).text) and "clock" in shown[3]["instruction"]
        assert int(shown[2]["address"], 16) + len(bytes.fromhex(shown[2]["instructionBytes"])) == entry

        go(ide, "next")
        here = place(ide)
        go(ide, "next")
        go(ide, "stepIn")
        inside = place(ide)
        assert inside[0].startswith("ClearCollisionArray")
        go(ide, "stepBack")
        assert place(ide)[0].startswith("DetermineCollisions")
        go(ide, "stepIn")
        assert place(ide) == inside
        go(ide, "stepOut")
        assert place(ide)[0].startswith("DetermineCollisions") and place(ide)[1] >= here[1]
        before = registers(ide)
        go(ide, "stepIn", granularity="instruction")
        assert registers(ide) != before
        go(ide, "stepBack", granularity="instruction")
        assert registers(ide) == before
        assert go(ide, "reverseContinue").reason == "function breakpoint" and registers(ide) == dict(twin.regs)

        ide.ask("setFunctionBreakpoints", breakpoints=[])
        found = ide.ask("dataBreakpointInfo", name="gFrame")
        ide.ask(
            "setDataBreakpoints", breakpoints=[{"dataId": found.dataId, "accessType": "write", "hitCondition": "2"}]
        )
        assert go(ide, "continue").reason == "data breakpoint"
        assert twin.core.cpu.big_endian == (
            ide.ask("readMemory", memoryReference=f"{frame_word:#x}", count=4).data == "AAAAAg=="
        )
        ide.ask("setDataBreakpoints", breakpoints=[])
        line = next(row[2] for row in twin.image.lines if row[1] == "sectors.c" and row[2] > here[1])
        (set_here,) = ide.ask(
            "setBreakpoints",
            source={"path": "/else/where/sectors.c"},
            breakpoints=[{"line": line, "condition": "frame == 3"}],
        ).breakpoints
        assert set_here.verified and set_here.line == line
        assert go(ide, "continue").reason == "breakpoint" and place(ide)[1] == line
        assert ide.ask("evaluate", expression="frame * 2").result == "6 (0x6)"
        assert "3:" in ide.ask("evaluate", expression="frame", context="repl").result

        register = "eax" if "eax" in twin.regs else "d0" if "d0" in twin.regs else "r3"
        ide.ask("setVariable", variablesReference=1, name=register, value="0x1234")
        assert registers(ide)[register] == 0x1234
        assert ide.ask("writeMemory", memoryReference=f"{frame_word:#x}", data="AQIDBA==").bytesWritten == 4
        assert ide.ask("readMemory", memoryReference=f"{frame_word:#x}", count=4).data == "AQIDBA=="
        text = ide.ask(
            "source", sourceReference=0, source=ide.ask("stackTrace", threadId=1).stackFrames[0].source.model_dump()
        )
        assert "DetermineCollisions" in text.content
        assert isinstance(
            ide.ask_in_vain("source", sourceReference=0, source={"path": "/etc/hostname"}), dap.base.ErrorResponse
        )

        ide.ask("setBreakpoints", source={"path": "sectors.c"}, breakpoints=[])
        ide.ask("continue", threadId=1)
        ide.ask("threads")
        assert isinstance(ide.ask_in_vain("scopes", frameId=1), dap.base.ErrorResponse)  # the machine runs
        ide.ask("pause", threadId=1)
        assert ide.until_stopped().reason == "pause"
        ide.ask("disconnect")


def test_what_is_attached_to_stays() -> None:
    target = Target(Machine("mc68040-25", "sectors", **BUILD))
    for expected in ("entry", "entry"):
        with editor(launch, Opened(target, [])) as ide:
            ide.ask("attach")
            ide.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": "0x1000", "offset": 6}])
            ide.ask("configurationDone")
            assert ide.until_stopped().reason == expected
            go(ide, "stepIn", granularity="instruction")
            ide.ask("disconnect")
    assert target.machine.instructions == 2 and not target.debugger.points


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "program: allowed"),
        ({"program": "nowhere"}, "no such ROM"),
        ({"program": "sectors", "machine": "z80"}, "allowed mc68000-8"),
        ({"program": "sectors", "objects": "many"}, "objects: allowed a whole number"),
        ({"program": "sectors", "set": {"x y": 1}}, "x y"),
        ({"program": "--help"}, "program: allowed"),
    ],
)
def test_what_cannot_be_launched_is_said(arguments: dict[str, object], words: str) -> None:
    with editor(launch) as ide:
        answer = ide.ask_in_vain("launch", **arguments)
        assert words in answer.message
        assert "comes first" in ide.ask_in_vain("threads").message


@pytest.mark.full
def test_standard_streams() -> None:
    """As editors start it: what is no protocol ends the session, and nothing else is written."""
    said, request = [], {"seq": 1, "type": "request", "command": "initialize"}
    for sent in (packed(request), b"POST / HTTP/1.1\r\n\r\n"):
        done = subprocess.run(
            [sys.executable, "-m", "retrosim", "dap"], input=sent, capture_output=True, timeout=180, check=True
        )
        said.append(done.stdout)
        assert done.stderr == b""
    (answer,), (refusal,) = (Unpacker().feed(each) for each in said)
    assert answer["success"] and answer["body"]["supportsStepBack"]
    assert refusal["event"] == "output"
