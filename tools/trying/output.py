"""Lines that a page shows, beside those that were printed."""

from __future__ import annotations

import re
from collections.abc import Sequence

LEFT_OUT = "..."
PROMPT = re.compile(r"\((?:gdb|retrosim)\) (.*)")


def missing_line(shown: Sequence[str], printed: str) -> str | None:
    """Return the first of the shown lines that was not printed in its place; None if all were.

    The lines must follow each other in what was printed. A line `...`, or one with a prompt, stands for any lines, and
    `...` within a line for any characters. What was printed before the first line and after the last one is left out.
    """
    text = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
    for count, line in enumerate(shown, 1):
        if not re.search("".join(map(_pattern, shown[:count])), text, re.M):
            return line
    return None


def typed(shown: Sequence[str]) -> str:
    """Return what is typed after the prompts of shown lines, a line each."""
    return "".join(f"{match[1]}\n" for line in shown if (match := PROMPT.match(line)))


def _pattern(line: str) -> str:
    if line.strip() == LEFT_OUT or PROMPT.match(line):
        return r"(?:^.*\n)*?"
    return "^" + ".*".join(map(re.escape, line.rstrip().split(LEFT_OUT))) + r"\n"
