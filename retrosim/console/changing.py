"""Commands that change the machine while it stands still, or keep what it is: registers, memory, saved states."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from retrosim.errors import RetrosimError
from retrosim.reading import read_regular
from retrosim.screen.png import png_bytes

from . import texts
from .answers import Answer, needed, nothing_after, said

if TYPE_CHECKING:
    from .session import Session

MAX_STATE_BYTES = 64 << 20


def assign(session: Session, rest: str) -> Answer:
    name, sign, text = rest.partition("=")
    if not sign or not name.strip() or text.startswith("="):
        raise ValueError("set: allowed REGISTER = EXPRESSION, byte[ADDRESS] = EXPRESSION, and word, long")
    name = name.strip()
    return Answer([Text(f"{name} = {texts.value_text(session.assign(name, text.strip()))}")], has_moved=name == "pc")


def save(session: Session, rest: str) -> Answer:
    return _written(needed(rest, "save: a file"), session.machine.save())


def picture(session: Session, rest: str) -> Answer:
    machine = session.machine
    return _written(needed(rest, "picture: a file"), png_bytes(machine.frame, machine.palette))


def load(session: Session, rest: str) -> Answer:
    name = needed(rest, "load: a file")
    try:
        state = read_regular(name, MAX_STATE_BYTES)
    except (OSError, ValueError) as error:
        raise RetrosimError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    session.mark()
    session.target.load(state)
    return _elsewhere(session)


def reset(session: Session, rest: str) -> Answer:
    nothing_after(session, rest, "reset")
    session.mark()
    session.target.reset()
    return _elsewhere(session)


def _elsewhere(session: Session) -> Answer:
    return Answer([Text(texts.time_text(session.debugger.time))], has_moved=True)


def _written(name: str, content: bytes) -> Answer:
    """Write a new file. Errors: RetrosimError if it exists or cannot be written."""
    try:
        with Path(name).open("xb") as file:
            file.write(content)
    except FileExistsError:
        raise RetrosimError(f"{name}: exists already and is not overwritten") from None
    except (OSError, ValueError) as error:
        raise RetrosimError(f"{name}: cannot be written: {getattr(error, 'strerror', None) or error}") from None
    return said(f"{name}: {len(content):,} bytes")
