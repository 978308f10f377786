"""Everything retrosim raises on purpose.

    RetrosimError                 exit status 1
    ├── BudgetUsedUp              exit status 5: a limit of cycles, seconds or memory ended the run
    ├── SpecError                 an instruction table contradicts itself (a defect of ours)
    ├── InputFileError            exit status 4: bad or corrupt input file
    │   ├── RomError
    │   ├── AssemblyError
    │   ├── SceneError
    │   ├── TapeError
    │   │   └── TapeDiverged      exit status 3: the tape replays to another world
    │   └── StateError
    └── CpuFault                  the simulated program did what its CPU cannot do
        ├── SystemCall        it asked an operating system, or what it does not have, for something
        ├── IllegalInstruction
        └── BusError

Bad arguments are `ValueError` with the value and the allowed range, here as everywhere.
"""

from __future__ import annotations


class RetrosimError(Exception):
    """Base of all; `exit_status` is what the command line ends with."""

    exit_status = 1


class SpecError(RetrosimError):
    """Two instruction rows claim one encoding, or a row is incomplete."""


class BudgetUsedUp(RetrosimError):
    """A run was ended by one of its limits; whatever it had done by then was kept."""

    exit_status = 5

    def __init__(self, spent: str) -> None:
        super().__init__(f"budget used up: {spent}")
        self.spent = spent


class Interrupted(RetrosimError):
    """Somebody interrupted a search in a machine's past; the machine is where it was."""


class InputFileError(RetrosimError):
    """A file given by the user cannot be used; `path` names it."""

    exit_status = 4

    def __init__(self, path: object, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = str(path)
        self.reason = reason


class RomError(InputFileError):
    """A ROM manifest or image is missing, foreign, truncated or has another hash."""


class AssemblyError(InputFileError):
    """A source text cannot be assembled.

    messages  (file, line, sentence) of every error
    """

    def __init__(self, messages: list[tuple[str, int, str]]) -> None:
        file, line, sentence = messages[0]
        more = f" (and {len(messages) - 1} more)" if len(messages) > 1 else ""
        super().__init__(f"{file}:{line}" if line else file, sentence + more)
        self.messages = messages


class SceneError(InputFileError):
    """A scene cannot be read, or asks for something that its ROM does not allow."""


class TapeError(InputFileError):
    """A scenario tape cannot be read or written."""


class TapeDiverged(TapeError):
    """A tape replays to another world than the one it recorded."""

    exit_status = 3


class StateError(InputFileError):
    """A saved machine state does not fit this machine or is damaged."""


class CpuFault(RetrosimError):
    """The simulated CPU cannot go on.

    model    vendor part name, for example "MC68040"
    pc       address of the faulting instruction
    code     the bytes found there
    listing  the instruction as the disassembler shows it, or ""
    """

    def __init__(self, reason: str, model: str, pc: int, code: bytes = b"", listing: str = "") -> None:
        shown = listing or code.hex(" ")
        super().__init__(f"{model}: {reason} at {pc:06X}" + (f": {shown}" if shown else ""))
        self.reason, self.model, self.pc, self.code, self.listing = reason, model, pc, code, listing


class SystemCall(CpuFault):
    """The program called an operating system, or a routine that it does not have; neither is there."""


class IllegalInstruction(CpuFault):
    """No instruction of this model has that encoding."""


class BusError(CpuFault):
    """An access that the CPU or its bus refuses: an odd address, or one where nothing answers."""
