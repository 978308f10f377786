"""Input scripts: what the devices are set to before which frame."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from retrosim.checks import shortened

from .header import DEVICE

Script = Sequence[tuple[int, Mapping[str, int]]]
"""Steps with rising frames: (frame, {device: value})."""


def parse_script(text: str) -> list[tuple[int, dict[str, int]]]:
    """Read an input script: "0 pad=8; 60 pad=16" sets pad to 8 before frame 0 and to 16 before frame 60.

    text     steps separated by ";" or line ends: a frame number, then one or more device=value (decimal or 0x..)
    Returns  [(frame, {device: value})] with rising frames
    Errors   ValueError naming the step
    """
    steps: list[tuple[int, dict[str, int]]] = []
    for step in re.split("[;\n]", text):
        words, shown = step.split(), shortened(step)
        if not words:
            continue
        if not re.fullmatch("[0-9]{1,10}", words[0]) or len(words) < 2:
            raise ValueError(f"input step {shown!r} is not a frame number and device=value, such as 60 pad=16")
        states: dict[str, int] = {}
        for word in words[1:]:
            found = re.fullmatch(f"({DEVICE})=(0x[0-9a-fA-F]{{1,8}}|[0-9]{{1,10}})", word)
            if found is None or found[1] in states:
                raise ValueError(f"input step {shown!r}: {shortened(word)!r} is not one device=value")
            states[found[1]] = int(found[2], 0 if found[2].startswith("0x") else 10)
        if steps and int(words[0]) <= steps[-1][0]:
            raise ValueError(f"input step {shown!r}: frame {words[0]} does not come after frame {steps[-1][0]}")
        steps.append((int(words[0]), states))
    return steps
