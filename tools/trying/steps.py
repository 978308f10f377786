"""What a page shows, in order: files, commands with their output, examples."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from tests.helpers.pages import Block, fenced, indented

from .output import typed

NAME_OF_FILE = re.compile(r"(?:;|#|//|/\*|\{) ([\w./-]+\.\w+)(?: \*/|\})?\n")
EXIT_STATUS = re.compile(r"#.*\bexit status (\d+)$")
VARIABLE = re.compile(r"\w+=")
INSTALLS_A_CHECKOUT = re.compile(r"pip install (\.$|\.\./retrosim)")
FROM_HERE_ON = re.compile(r"pip install '\.\[test\]'|python tools/")  # the rest of the block needs a checkout too


@dataclass(frozen=True)
class File:
    """A block whose first line is a comment with nothing but a name: a reader copies it into a file."""

    line: int
    name: str
    text: str


@dataclass(frozen=True)
class Example:
    """A block of Python, and what stands behind its `# -> `."""

    line: int
    text: str
    shown: tuple[str, ...]


@dataclass(frozen=True)
class Command:
    """A line for the shell; `typed` goes to its standard input."""

    line: int
    text: str
    status: int = 0
    typed: str = ""


@dataclass(frozen=True)
class Commands:
    """A block of commands, and the lines that the next block shows of what they print."""

    commands: tuple[Command, ...]
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Gdb:
    """What is typed to gdb, which the server of the block before has told how to connect, and what it prints."""

    line: int
    typed: str
    shown: tuple[str, ...]


Step = File | Example | Commands | Gdb


def steps_of(page: Path) -> tuple[list[Step], list[str]]:
    """Return the steps of a page, and the commands that are left out, as they are about a checkout."""
    steps: list[Step] = []
    left_out: list[str] = []
    for block in sorted([*fenced(page), *indented(page)], key=lambda block: block.line):
        lines = tuple(block.text.splitlines())
        if match := NAME_OF_FILE.match(block.text):
            steps.append(File(block.line, match[1], block.text))
        elif block.kind == "python":
            steps.append(Example(block.line, block.text, tuple(re.findall(r"# -> (.*)", block.text))))
        elif block.kind == "sh":
            commands, others = _commands(block)
            left_out += others
            if commands:
                steps.append(Commands(tuple(commands)))
        elif block.text.startswith("(gdb) "):
            steps.append(Gdb(block.line, typed(lines), lines))
        elif block.text.startswith("$ "):
            steps += _transcript(block)
        elif block.kind == "text" and block.follows and steps and isinstance(steps[-1], Commands):
            steps[-1] = replace(steps[-1], shown=lines)
    return steps, left_out


def _commands(block: Block) -> tuple[list[Command], list[str]]:
    """Return the commands of a block for the shell, and those about a checkout."""
    commands: list[Command] = []
    left_out: list[str] = []
    variables = ""  # set by lines before
    for number, line in enumerate(block.text.splitlines(), block.line):
        text = line.partition(" #")[0].strip()
        if VARIABLE.match(text):
            variables += f"{text}\n"
            continue
        if FROM_HERE_ON.match(text):
            lines = block.text.splitlines()[number - block.line :]
            return commands, left_out + lines
        parts = text.split(" && ")
        left_out += filter(INSTALLS_A_CHECKOUT.match, parts)
        text = " && ".join(part for part in parts if not INSTALLS_A_CHECKOUT.match(part))
        if text:
            match = EXIT_STATUS.search(line)
            commands.append(Command(number, variables + text, int(match[1]) if match else 0))
    return commands, left_out


def _transcript(block: Block) -> list[Step]:
    """Return the commands behind `$ `, each with what is typed to it and what it prints."""
    steps: list[Step] = []
    number = block.line
    for part in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        command, *rest = part.splitlines()
        steps.append(Commands((Command(number, command, typed=typed(rest)),), tuple(rest)))
        number += 1 + len(rest)
    return steps
